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

(* KERPLE's logarithm makes the weights a power law, (1 + c n)^(-r). Where r <= 1 it has no window: the sum of
   these factors passes every bound. *)
Theorem kerple_no_window (r c : R) : 0 < c -> r <= 1 ->
  forall M, exists T, M <= \sum_(n < T) (1 + c * n%:R) `^ (- r).
Proof.
move=> c0 r1 M; set a := fun n : nat => (1 + c * n%:R) `^ (- r).
have cn n : 0 <= c * n%:R by exact: mulr_ge0 (ltW c0) (ler0n _ _).
have pos n : 0 < 1 + c * n%:R by rewrite (lt_le_trans ltr01) // ler_addl.
have above n : (1 + c * n%:R)^-1 <= a n.
  rewrite /a /exp_fun -[X in X^-1 <= _](@lnK R) ?posrE // -expRN ler_expR mulNr ler_opp2 ler_pimull //.
  by apply: ln_ge0; rewrite ler_addl.
pose b := (1 + c * 2%:R)^-1; have b0 : 0 < b by rewrite invr_gt0 pos.
have doubled k : k%:R * b <= \sum_(n < 2 ^ k) a n.
  elim: k => [|k IHk]; first by rewrite mul0r sumr_ge0 // => n _; exact: ltW (expR_gt0 _).
  rewrite expnS mul2n -addnn big_split_ord /= -addn1 natrD mulrDl mul1r ler_add //.
  apply: (@le_trans _ _ (\sum_(n < 2 ^ k) (1 + c * (2 ^ k.+1)%:R)^-1)); last first.
    apply: ler_sum => n _; apply: le_trans (above _); rewrite lef_pinv ?posrE // ler_add2l ler_pmul2l //.
    by rewrite ler_nat expnS mul2n -addnn leq_add2l ltnW.
  rewrite sumr_const card_ord -[_^-1 *+ _]mulr_natl ler_pdivl_mulr // mulrC ler_pdivr_mulr //.
  have k1 : 1 <= (2 ^ k)%:R :> R by rewrite ler1n expn_gt0.
  rewrite expnS natrM; have -> : c * (2%:R * (2 ^ k)%:R) = (2 ^ k)%:R * (c * 2%:R) by ring.
  by rewrite [X in _ <= X]mulrDr mulr1 ler_add2r.
have [M0|M0] := lerP M 0; first by exists 0%N; rewrite big_ord0.
exists (2 ^ Num.bound (M / b))%N; apply: le_trans (doubled _).
by rewrite -ler_pdivr_mulr // ltW // archi_boundP // divr_ge0 // ltW.
Qed.

(* FIRE's network is shown the distance as a share of what is possible. Under the causal mask 0 <= q <= p, and where
   psi does not fall from psi 0 = 0 on and is not 0 at the end, the share is between 0 and 1; from L on, the first
   key's is 1. *)
Theorem fire_share (psi : R -> R) L p q :
  (forall x y, 0 <= x -> x <= y -> psi x <= psi y) -> psi 0 = 0 -> 0 <= q <= p -> 0 < psi (Num.max L p) ->
  0 <= psi (p - q) / psi (Num.max L p) <= 1 /\ (L <= p -> psi p / psi (Num.max L p) = 1).
Proof.
move=> rises psi0 /andP[q0 qp] most; have pq : 0 <= p - q by rewrite subr_ge0.
split=> [|Lp]; last by move: most; rewrite max_r // => most; rewrite divff // gt_eqF.
rewrite divr_ge0 ?(ltW most) -?[X in X <= psi _]psi0 ?rises //=.
by rewrite ler_pdivr_mulr // mul1r rises // le_maxr [p - q <= p]ler_subl_addr ler_addl q0 orbT.
Qed.
End Biases.
