(* Biases on the scores (chapter 9): the third door sees the offset, and a program may add less than the formula. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.analysis Require Import reals topology normedtype sequences derive realfun exp.
From mathcomp.algebra_tactics Require Import ring.
From posenc Require Import attention causal.
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

(* ALiBi: the score falls by mu for each position between. Programs add mu q alone: the weights are the same,
   since the difference is constant along each row. *)
Theorem alibi_key_alone m T (S : 'M_(m, T)) (mu : R) p q :
  softmax (biased S (fun r => - (mu * r)) p q) = softmax (\matrix_(i, j) (S i j + mu * q j)).
Proof.
rewrite -(softmax_constant (\matrix_(i, j) (S i j + mu * q j)) (fun i => - (mu * p i))).
by congr softmax; apply/matrixP => i j; rewrite !mxE; ring.
Qed.

(* The same under the causal mask. *)
Theorem alibi_key_alone_causal T (S : 'M_T.+1) (mu : R) p q :
  causal_softmax (biased S (fun r => - (mu * r)) p q) = causal_softmax (\matrix_(i, j) (S i j + mu * q j)).
Proof.
rewrite -(causal_constant (\matrix_(i, j) (S i j + mu * q j)) (fun i => - (mu * p i))).
by congr causal_softmax; apply/matrixP => i j; rewrite !mxE; ring.
Qed.
End Biases.
