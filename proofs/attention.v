(* Attention cannot see order. T tokens, a row of numbers each; any T, any widths.
   A permutation s of the rows is the matrix P = perm_mx s: row i of P X is row s i of X. *)
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From mathcomp.analysis Require Import reals topology normedtype sequences derive realfun exp.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Attention.
Variable R : realType.

(* Each row of scores becomes weights; the output is the weighted sum of the values. *)
Definition softmax m T (S : 'M[R]_(m, T)) : 'M_(m, T) :=
  \matrix_(i, j) (expR (S i j) / \sum_k expR (S i k)).
Definition attention m T d dv (Q : 'M[R]_(m, d)) (K : 'M_(T, d)) (V : 'M_(T, dv)) : 'M_(m, dv) :=
  softmax ((Num.sqrt d%:R)^-1 *: (Q *m K^T)) *m V.
Definition self_attention T d dk dv (Wq Wk : 'M[R]_(d, dk)) (Wv : 'M_(d, dv)) (X : 'M_(T, d)) :=
  attention (X *m Wq) (X *m Wk) (X *m Wv).

(* A sum of rows, with or without a code added to each place, ignores their order. *)
Theorem bag T d s (X C : 'M[R]_(T, d)) :
  \sum_(i < T) row i (perm_mx s *m X + C) = \sum_(i < T) row i (X + C).
Proof.
under eq_bigr do rewrite linearD; under [RHS]eq_bigr do rewrite linearD.
rewrite !big_split /=; congr (_ + _); rewrite [RHS](reindex_inj (@perm_inj _ s)).
by apply: eq_bigr => i _; apply/rowP => j; rewrite -row_permE !mxE.
Qed.

(* The weights of a row are positive and sum to 1. *)
Theorem softmax_weights m T (S : 'M_(m, T.+1)) i :
  (forall j, 0 < softmax S i j) /\ \sum_j softmax S i j = 1.
Proof.
have pos : 0 < \sum_k expR (S i k).
  rewrite big_ord_recl ltr_paddr ?expR_gt0 //.
  by apply: sumr_ge0 => k _; rewrite ltW ?expR_gt0.
split=> [j|]; first by rewrite mxE divr_gt0 ?expR_gt0.
under eq_bigr do rewrite mxE.
by rewrite -mulr_suml divff // gt_eqF.
Qed.

(* What is constant along a row of scores does not change the weights. *)
Theorem softmax_constant m T (S : 'M_(m, T)) (c : 'I_m -> R) :
  softmax (\matrix_(i, j) (S i j + c i)) = softmax S.
Proof.
apply/matrixP => i j; rewrite !mxE; under eq_bigr do rewrite mxE expRD.
by rewrite expRD -mulr_suml -mulf_div divff ?mulr1 // gt_eqF ?expR_gt0.
Qed.

(* Permuted scores give permuted weights: rows by P, columns by P'. *)
Theorem softmax_permuted m T (s : 'S_m) (t : 'S_T) (S : 'M_(m, T)) :
  softmax (perm_mx s *m S *m (perm_mx t)^T) = perm_mx s *m softmax S *m (perm_mx t)^T.
Proof.
rewrite !tr_perm_mx -!col_permE -!row_permE; apply/matrixP => i j; rewrite !mxE.
by congr (_ / _); rewrite [RHS](reindex_inj (@perm_inj _ t)); apply: eq_bigr => k _; rewrite !mxE.
Qed.

(* Attention permutes with its queries; the order of the memory, keys and values, it does not see. *)
Theorem attention_cross m T d dv (s : 'S_m) (t : 'S_T) (Q : 'M_(m, d)) K (V : 'M_(T, dv)) :
  attention (perm_mx s *m Q) (perm_mx t *m K) (perm_mx t *m V) = perm_mx s *m attention Q K V.
Proof.
rewrite /attention; have -> : (perm_mx s *m Q) *m (perm_mx t *m K)^T =
  perm_mx s *m (Q *m K^T) *m (perm_mx t)^T by rewrite trmx_mul !mulmxA.
rewrite scalemxAl scalemxAr softmax_permuted.
by rewrite -!mulmxA (mulmxA _^T) tr_perm_mx -perm_mxM mulVg perm_mx1 mul1mx.
Qed.

(* Attention by any score s and any value v, functions of a token's row: of the queries Y to the memory M. *)
Definition score_attention m T d e dv (s : 'rV_d -> 'rV_e -> R) (v : 'rV_e -> 'rV_dv)
    (Y : 'M[R]_(m, d)) (M : 'M[R]_(T, e)) : 'M_(m, dv) :=
  softmax (\matrix_(i, j) s (row i Y) (row j M)) *m (\matrix_(j, c) v (row j M) 0 c).

(* The scaled dot product of learned queries and keys is such a score. *)
Theorem self_attention_is_one T d dk dv (Wq Wk : 'M_(d, dk)) (Wv : 'M_(d, dv)) (X : 'M_(T, d)) :
  self_attention Wq Wk Wv X =
  score_attention (fun x y => ((x *m Wq) *m (y *m Wk)^T) 0 0 / Num.sqrt dk%:R) (fun y => y *m Wv) X X.
Proof.
congr (softmax _ *m _); apply/matrixP => i j; rewrite !mxE.
  by rewrite mulrC -!row_mul; congr (_ / _); apply: eq_bigr => k _; rewrite !mxE.
by apply: eq_bigr => k _; rewrite !mxE.
Qed.

(* Whatever the score: permute queries by P, the memory by P', and the outputs are permuted by P, no more. *)
Theorem any_score_cross m T d e dv s v (p : 'S_m) (t : 'S_T) (Y : 'M_(m, d)) (M : 'M_(T, e)) :
  score_attention s v (perm_mx p *m Y) (perm_mx t *m M) =
  perm_mx p *m score_attention s v Y M :> 'M_(m, dv).
Proof.
have rows k c (u : 'S_k) (A : 'M[R]_(k, c)) i : row i (perm_mx u *m A) = row (u i) A.
  by apply/rowP => j; rewrite -row_permE !mxE.
rewrite /score_attention; have -> : \matrix_(i, j) s (row i (perm_mx p *m Y)) (row j (perm_mx t *m M)) =
    perm_mx p *m (\matrix_(i, j) s (row i Y) (row j M)) *m (perm_mx t)^T.
  by rewrite tr_perm_mx -col_permE -[in RHS]row_permE; apply/matrixP => i j; rewrite !mxE !rows.
have -> : \matrix_(j, c) v (row j (perm_mx t *m M)) 0 c = perm_mx t *m \matrix_(j, c) v (row j M) 0 c.
  by rewrite -[in RHS]row_permE; apply/matrixP => j c; rewrite !mxE rows.
by rewrite softmax_permuted -!mulmxA (mulmxA _^T) tr_perm_mx -perm_mxM mulVg perm_mx1 mul1mx.
Qed.

(* So self-attention by any score is equivariant, and the sum of its outputs is invariant. *)
Theorem any_score_equivariant T d dv s v (p : 'S_T) (X : 'M_(T, d)) :
  let attend Y := score_attention s v Y Y : 'M_(T, dv) in
  attend (perm_mx p *m X) = perm_mx p *m attend X /\
  \sum_(i < T) row i (attend (perm_mx p *m X)) = \sum_(i < T) row i (attend X).
Proof.
move=> attend; split; rewrite /attend any_score_cross //.
rewrite [RHS](reindex_inj (@perm_inj _ p)); apply: eq_bigr => i _.
by apply/rowP => j; rewrite -row_permE !mxE.
Qed.

(* Self-attention: permute the tokens, and the outputs permute; any weights, softmax included. *)
Theorem self_attention_equivariant T d dk dv (Wq Wk : 'M_(d, dk)) (Wv : 'M_(d, dv)) s (X : 'M_(T, d)) :
  self_attention Wq Wk Wv (perm_mx s *m X) = perm_mx s *m self_attention Wq Wk Wv X.
Proof. by rewrite /self_attention -!mulmxA attention_cross. Qed.

(* Heads side by side, mixed by one more matrix; and a function that acts on each row alone. *)
Definition multi_head T d H dk dv (Wq Wk : 'I_H -> 'M_(d, dk)) (Wv : 'I_H -> 'M_(d, dv))
    (Wo : 'M_(\sum_(h < H) dv, d)) (X : 'M_(T, d)) :=
  (\mxrow_(h < H) self_attention (Wq h) (Wk h) (Wv h) X) *m Wo.
Definition each_row T d (f : 'rV[R]_d -> 'rV[R]_d) (X : 'M_(T, d)) : 'M_(T, d) :=
  \matrix_(i, j) f (row i X) 0 j.
Definition each_row_of_two T d (f : 'rV[R]_d -> 'rV[R]_d -> 'rV[R]_d) (X Y : 'M_(T, d)) : 'M_(T, d) :=
  \matrix_(i, j) f (row i X) (row i Y) 0 j.

(* Any number of heads. *)
Theorem multi_head_equivariant T d H dk dv (Wq Wk : 'I_H -> 'M_(d, dk)) (Wv : 'I_H -> 'M_(d, dv)) Wo
    s (X : 'M_(T, d)) :
  multi_head Wq Wk Wv Wo (perm_mx s *m X) = perm_mx s *m multi_head Wq Wk Wv Wo X.
Proof.
rewrite /multi_head mulmxA mul_mxrow; congr (_ *m _).
by apply: eq_mxrow => h; rewrite self_attention_equivariant.
Qed.

Lemma each_row_equivariant T d f s (X : 'M_(T, d)) :
  each_row f (perm_mx s *m X) = perm_mx s *m each_row f X.
Proof.
rewrite -!row_permE; apply/matrixP => i j; rewrite !mxE.
by congr (f _ _ _); apply/rowP => k; rewrite !mxE.
Qed.

Lemma each_row_of_two_equivariant T d f s (X Y : 'M_(T, d)) :
  each_row_of_two f (perm_mx s *m X) (perm_mx s *m Y) = perm_mx s *m each_row_of_two f X Y.
Proof.
rewrite -!row_permE; apply/matrixP => i j; rewrite !mxE.
by congr (f _ _ _ _); apply/rowP => k; rewrite !mxE.
Qed.

(* A layer of an encoder: what is done to each row before the heads (a normalisation), the heads, and what is made of
   each row and its heads' output (their sum or not, a network, normalisations). An encoder: a list of layers. *)
Record layer d := Layer { heads : nat; key_width : nat; value_width : nat;
  query : 'I_heads -> 'M[R]_(d, key_width); key : 'I_heads -> 'M[R]_(d, key_width);
  value : 'I_heads -> 'M[R]_(d, value_width); output : 'M[R]_(\sum_(h < heads) value_width, d);
  before : 'rV[R]_d -> 'rV[R]_d; after : 'rV[R]_d -> 'rV[R]_d -> 'rV[R]_d }.
Arguments query [d] l _.
Arguments key [d] l _.
Arguments value [d] l _.
Definition run d (L : layer d) T (X : 'M_(T, d)) : 'M_(T, d) :=
  each_row_of_two (after L) X (multi_head (query L) (key L) (value L) (output L) (each_row (before L) X)).
Definition encoder d (layers : seq (layer d)) T (X : 'M_(T, d)) : 'M_(T, d) :=
  foldl (fun X L => run L X) X layers.

(* Any number of layers: stacking does not help. *)
Theorem encoder_equivariant d (layers : seq (layer d)) T s (X : 'M_(T, d)) :
  encoder layers (perm_mx s *m X) = perm_mx s *m encoder layers X.
Proof.
elim: layers X => [//|L layers IH] X; rewrite /encoder /= -!/(encoder _ _) -IH; congr encoder.
by rewrite /run each_row_equivariant multi_head_equivariant each_row_of_two_equivariant.
Qed.

(* The pooled output, here the mean of the rows, is invariant. *)
Theorem pooled_invariant d (layers : seq (layer d)) T s (X : 'M_(T, d)) :
  let mean Y := T%:R^-1 *: \sum_(i < T) row i Y in
  mean (encoder layers (perm_mx s *m X)) = mean (encoder layers X).
Proof.
move=> mean; rewrite encoder_equivariant /mean; congr (_ *: _).
rewrite [RHS](reindex_inj (@perm_inj _ s)); apply: eq_bigr => i _.
by apply/rowP => j; rewrite -row_permE !mxE.
Qed.

(* Keys all alike: a query has the same score with each. *)
Lemma alike_scores m T d c (Q : 'M[R]_(m, d)) (K : 'M_(T, d)) i k j :
  (forall j l, row j K = row l K) -> (c *: (Q *m K^T)) i k = (c *: (Q *m K^T)) i j.
Proof.
move=> alike; rewrite !mxE; congr (_ * _); apply: eq_bigr => l _.
by have /rowP/(_ l) := alike k j; rewrite !mxE => ->.
Qed.

(* Keys all alike: every token gets the mean of all values, whatever the queries. *)
Theorem alike_mean m T d dv (Q : 'M_(m, d)) (K : 'M_(T.+1, d)) (V : 'M_(T.+1, dv)) i c :
  (forall j l, row j K = row l K) -> attention Q K V i c = (\sum_j V j c) / T.+1%:R.
Proof.
move=> alike; rewrite mxE mulr_suml; apply: eq_bigr => j _; rewrite mxE.
under eq_bigr do rewrite (alike_scores _ _ i _ j alike).
rewrite sumr_const card_ord -[expR _ *+ _]mulr_natr invfM mulrA divff ?mul1r 1?mulrC //.
by rewrite gt_eqF ?expR_gt0.
Qed.

(* The outputs themselves are not invariant: for any two tokens or more, some layer and input tell. *)
Theorem attention_not_invariant T d :
  exists Wq Wk Wv : 'M_d.+1, exists s (X : 'M_(T.+2, d.+1)),
    self_attention Wq Wk Wv (perm_mx s *m X) != self_attention Wq Wk Wv X.
Proof.
exists 1%:M, 1%:M, 1%:M, (tperm 0 1), (delta_mx 1 0).
rewrite self_attention_equivariant /self_attention !mulmx1 /attention trmx_delta mul_delta_mx.
set c := (Num.sqrt _)^-1; have c0 : 0 < c by rewrite invr_gt0 sqrtr_gt0 ltr0n.
have entry i : (softmax (c *: delta_mx 1 1 : 'M_T.+2) *m delta_mx 1 0 : 'M_(T.+2, d.+1)) i 0 =
    expR (c * (i == 1)%:R) / (expR (c * (i == 1)%:R) + T.+1%:R).
  rewrite mxE (bigD1 1) //= big1 => [|j j1]; last by rewrite [X in _ * X]mxE (negPf j1) mulr0.
  rewrite !mxE !eqxx !andbT mulr1 addr0 (bigD1 1) //= !mxE eqxx andbT; congr (_ / (_ + _)).
  rewrite (eq_bigr (fun=> 1)) => [|j j1]; last by rewrite !mxE (negPf j1) andbF mulr0 expR0.
  by rewrite sumr_const cardC1 card_ord.
apply/eqP => /matrixP/(_ 0 0); rewrite -row_permE mxE tpermL !entry /= mulr1 mulr0 expR0.
apply/eqP; rewrite eqr_div; last 2 first.
- by rewrite gt_eqF // addr_gt0 ?expR_gt0 ?ltr0n.
- by rewrite gt_eqF // addr_gt0 ?ltr01 ?ltr0n.
rewrite mulrDr mulr1 mul1r (inj_eq (addrI _)) -subr_eq0 -{2}[T.+1%:R]mul1r -mulrBl mulf_neq0 //.
  by rewrite subr_eq0 gt_eqF // expR_gt1.
by rewrite pnatr_eq0.
Qed.
End Attention.
