(* Biases on the scores: the third door sees the offset, and a program may add less than the formula. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.analysis Require Import reals topology normedtype sequences derive realfun exp.
From mathcomp.algebra_tactics Require Import ring.
From posenc Require Import pairs attention causal.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Biases.
Variable R : realType.

(* A bias b(p - q) beside every score, for queries at the positions p and keys at the positions q. *)
Definition biased m T (S : 'M[R]_(m, T)) (b : R -> R) (p : 'I_m -> R) (q : 'I_T -> R) : 'M_(m, T) :=
  \matrix_(i, j) (S i j + b (p i - q j)).

(* Any bias of this form sees the offset alone: a shift of all positions by t changes no score. *)
Theorem bias_shift m T (S : 'M_(m, T)) b p q t :
  biased S b (fun i => p i + t) (fun j => q j + t) = biased S b p q.
Proof. by apply/matrixP => i j; rewrite !mxE opprD addrACA subrr addr0. Qed.

(* Where p - q is the distance, ALiBi is an inner product of two more columns of query and key. *)
Theorem alibi_columns d (x y : 'cV_d) (mu p q : R) :
  (col_mx x (vec2 (- mu) (- mu * p)))^T *m col_mx y (vec2 (- q) 1) = x^T *m y + (- (mu * (p - q)))%:M.
Proof.
rewrite tr_col_mx mul_row_col; congr (_ + _); apply/matrixP => i j.
by rewrite !ord1 !mxE sum2 !mxE /=; ring.
Qed.

(* ALiBi: the score falls by mu for each position between query and key. Under the causal mask, where positions do
   not fall along the text, a program may add mu p_j for the key alone: the weights are the same, since the two
   differ by a number that is constant along the seen part of a row. *)
Theorem alibi_key_alone T (S : 'M_T.+1) (mu : R) (p : 'I_T.+1 -> R) :
  (forall i j : 'I_T.+1, (j <= i)%N -> p j <= p i) ->
  causal_softmax (biased S (fun r => - (mu * `|r|)) p p) = causal_softmax (\matrix_(i, j) (S i j + mu * p j)).
Proof.
move=> rising; rewrite -(causal_constant (\matrix_(i, j) (S i j + mu * p j)) (fun i => - (mu * p i))).
have score (i j : 'I_T.+1) : (j <= i)%N -> S i j + - (mu * `|p i - p j|) = S i j + mu * p j + - (mu * p i).
  by move=> /rising ji; rewrite ger0_norm ?subr_ge0 //; ring.
apply/matrixP => i j; rewrite !mxE; case: ifP => // ji; rewrite score //.
by congr (_ / _); apply: eq_bigr => k /score ki; rewrite !mxE ki.
Qed.
End Biases.
