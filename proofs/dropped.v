(* RoPE without its minus sign: learned maps mend it only by throwing a part of the pair away. One pair of columns. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.analysis Require Import reals topology normedtype sequences derive realfun exp trigo.
From mathcomp.algebra_tactics Require Import ring.
From posenc Require Import pairs.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Dropped.
Variable R : realType.
Implicit Types theta a b : R.

(* The turn with both sines positive, and the exchange of the two columns. *)
Definition signless theta : 'M_2 := mat2 (cos theta) (sin theta) (sin theta) (cos theta).
Definition X : 'M[R]_2 := mat2 0 1 1 0.

(* Without the minus, the sum of the angles stands beside their difference. *)
Theorem signless_product a b :
  (signless a)^T *m signless b = cos (a - b) *: 1%:M + sin (a + b) *: X.
Proof.
rewrite mat2_trmx mat2_mul; apply: mat2P; rewrite !mxE /= ?cosB ?sinD; ring.
Qed.

(* What learned maps A and B, of any input widths, leave of it. *)
Theorem signless_learned d e a b (A : 'M_(2, d)) (B : 'M_(2, e)) :
  (signless a *m A)^T *m (signless b *m B) =
  cos (a - b) *: (A^T *m B) + sin (a + b) *: (A^T *m X *m B).
Proof.
rewrite trmx_mul -[LHS]mulmxA (mulmxA _^T (signless b)) signless_product mulmxDl mulmxDr.
by rewrite -!scalemxAl mul1mx -!scalemxAr (mulmxA A^T X).
Qed.

(* If the score sees the offset alone, learned maps A and B of any input widths throw a part of the pair away:
   A^T X B is 0, as for A = B = diag(1, 0), unless every sine is 0. *)
Theorem minus_not_absorbed d e theta (A : 'M_(2, d)) (B : 'M_(2, e)) :
  sin theta != 0 ->
  (forall (q : 'cV_d) (k : 'cV_e) (m n : nat),
    (signless (m.+1%:R * theta) *m (A *m q))^T *m (signless (n.+1%:R * theta) *m (B *m k)) =
    (signless (m%:R * theta) *m (A *m q))^T *m (signless (n%:R * theta) *m (B *m k))) ->
  A^T *m X *m B = 0.
Proof.
move=> theta0 offset; apply/matrixP => i j; rewrite [RHS]mxE.
have entry : ((A *m (delta_mx i 0 : 'cV_d))^T *m X *m (B *m (delta_mx j 0 : 'cV_e))) 0 0 = (A^T *m X *m B) i j.
  by rewrite trmx_mul trmx_delta -!mulmxA -rowE !mulmxA -colE [LHS]mxE [LHS]mxE.
have leak m n : (sin ((m.+1 + n.+1)%:R * theta) - sin ((m + n)%:R * theta)) * (A^T *m X *m B) i j = 0.
  have := offset (delta_mx i 0) (delta_mx j 0) m n; rewrite !signless_learned.
  have -> : m.+1%:R * theta - n.+1%:R * theta = m%:R * theta - n%:R * theta.
    by rewrite !mulrS; ring.
  by move=> /addrI/matrixP/(_ 0 0); rewrite mxE [RHS]mxE entry -!mulrDl -!natrD mulrBl => ->; rewrite subrr.
have sin2 : sin (2%:R * theta) = 2%:R * sin theta * cos theta.
  by rewrite mulr_natl mulr2n sinD; ring.
have sin3 : sin (3%:R * theta) = sin (2%:R * theta) * cos theta + (2%:R * cos theta ^+ 2 - 1) * sin theta.
  have cos2 : cos (2%:R * theta) = 2%:R * cos theta ^+ 2 - 1.
    by rewrite [2%:R * theta]mulr_natl cos_mulr2n [RHS]/= mulr_natl.
  by rewrite (_ : 3%:R * theta = 2%:R * theta + theta) ?sinD ?cos2 //; ring.
have /eqP := leak 0%N 0%N; rewrite mul0r sin0 subr0 sin2 !mulf_eq0 pnatr_eq0 (negPf theta0) /=.
case/orP => [/eqP c0|/eqP //]; have /eqP := leak 1%N 0%N.
rewrite sin3 sin2 c0 mul1r expr0n /= !mulr0 sub0r add0r mulN1r -opprD -mulr2n mulf_eq0 oppr_eq0.
by rewrite mulrn_eq0 (negPf theta0) => /eqP.
Qed.

(* The factor of the sine is invertible where A and B are. *)
Theorem minus_determinant (A B : 'M_2) : \det (A^T *m X *m B) = - (\det A * \det B).
Proof.
rewrite !det_mulmx det_tr -mulrA mulrCA -mulN1r; congr (_ * _).
by rewrite (expand_det_row _ 0) sum2 /cofactor !det_mx11 !mxE /= mul0r add0r mul1r expr1 mulr1.
Qed.

(* Two invertible maps are excluded; if one is invertible, the other throws everything away. *)
Theorem minus_needs_loss (A B : 'M_2) : A^T *m X *m B = 0 ->
  (A \in unitmx -> B = 0) /\ (B \in unitmx -> A = 0).
Proof.
have XX : X *m X = 1%:M by rewrite mat2_mul -mat2_1; congr mat2; ring.
move=> zero; split=> [Au|Bu].
  have XB : X *m B = 0.
    by rewrite -[LHS](mulKmx (_ : A^T \in unitmx)) ?unitmx_tr // (mulmxA A^T) zero mulmx0.
  by rewrite -[B]mul1mx -XX -mulmxA XB mulmx0.
have AX : A^T *m X = 0 by rewrite -[LHS](mulmxK Bu) zero mul0mx.
by apply: trmx_inj; rewrite trmx0 -[A^T]mulmx1 -XX mulmxA AX mul0mx.
Qed.
End Dropped.
