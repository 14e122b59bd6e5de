(* The causal mask: what it hides, what it breaks, and how it counts.
   Positions are 0, 1, ..., T; so there are T + 1 tokens, and the last stands at T. *)
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From mathcomp.analysis Require Import reals topology normedtype sequences derive realfun exp.
From mathcomp.algebra_tactics Require Import ring.
From posenc Require Import attention.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Causal.
Variables (R : realType) (T : nat).

(* A score of a later key becomes minus infinity, hence its weight 0: the softmax of row i
   runs over the keys 0 to i. *)
Definition causal_softmax (S : 'M[R]_T.+1) : 'M_T.+1 := \matrix_(i, j)
  (if (j <= i)%N then expR (S i j) / \sum_(k < T.+1 | (k <= i)%N) expR (S i k) else 0).
Definition causal_attention d dv (Q K : 'M[R]_(T.+1, d)) (V : 'M_(T.+1, dv)) :=
  causal_softmax ((Num.sqrt d%:R)^-1 *: (Q *m K^T)) *m V.
Definition causal_self_attention d dk dv (Wq Wk : 'M[R]_(d, dk)) (Wv : 'M_(d, dv)) X :=
  causal_attention (X *m Wq) (X *m Wk) (X *m Wv).

(* Position i sees i + 1 positions, 0 to i. *)
Lemma upto (i : 'I_T.+1) : #|[pred j : 'I_T.+1 | (j <= i)%N]| = i.+1.
Proof. by rewrite -sum1_card -(big_ord_widen _ (fun=> 1%N) (ltn_ord i)) sum1_card card_ord. Qed.

(* For the last token nothing is later: its row is a softmax without a mask. *)
Lemma last_row (S : 'M_T.+1) j : causal_softmax S ord_max j = softmax S ord_max j.
Proof. by rewrite !mxE -ltnS ltn_ord; congr (_ / _); apply: eq_bigl => k; rewrite -ltnS ltn_ord. Qed.

(* One masked layer: the last output does not see the order of the tokens before it. *)
Theorem causal_last d dk dv (Wq Wk : 'M_(d, dk)) (Wv : 'M_(d, dv)) (s : 'S_T.+1) (X : 'M_(T.+1, d)) :
  s ord_max = ord_max ->
  row ord_max (causal_self_attention Wq Wk Wv (perm_mx s *m X)) =
  row ord_max (causal_self_attention Wq Wk Wv X).
Proof.
have last Y : row ord_max (causal_self_attention Wq Wk Wv Y) = row ord_max (self_attention Wq Wk Wv Y).
  by apply/rowP => j; rewrite !mxE; apply: eq_bigr => k _; rewrite last_row.
move=> fixed; rewrite !last self_attention_equivariant -row_permE.
by apply/rowP => j; rewrite !mxE fixed.
Qed.

(* The same by any score and any value, functions of a token's row. *)
Definition causal_score_attention d dv (s : 'rV_d -> 'rV_d -> R) (v : 'rV_d -> 'rV_dv) (X : 'M[R]_(T.+1, d)) :=
  causal_softmax (\matrix_(i, j) s (row i X) (row j X)) *m (\matrix_(j, c) v (row j X) 0 c).

(* Whatever the score, the last output of one masked layer does not see the order of the tokens before it. *)
Theorem any_score_causal_last d dv s v (p : 'S_T.+1) (X : 'M_(T.+1, d)) : p ord_max = ord_max ->
  row ord_max (causal_score_attention s v (perm_mx p *m X)) =
  row ord_max (causal_score_attention s v X) :> 'rV_dv.
Proof.
have last Y : row ord_max (causal_score_attention s v Y) = row ord_max (score_attention s v Y Y) :> 'rV_dv.
  by apply/rowP => j; rewrite !mxE; apply: eq_bigr => k _; rewrite last_row.
move=> fixed; rewrite !last any_score_cross -row_permE.
by apply/rowP => j; rewrite !mxE fixed.
Qed.

(* Of all orders only the identity keeps the mask. *)
Theorem mask_kept (s : 'S_T.+1) : (forall i j, (s j <= s i)%N = (j <= i)%N) -> s = 1%g.
Proof.
move=> kept; apply/permP => i; rewrite perm1; apply/val_inj/succn_inj => /=.
rewrite -!upto -!sum1_card (reindex_inj (@perm_inj _ s)) /=.
by apply: eq_bigl => j; rewrite !inE kept.
Qed.

(* Keys all alike: the token at position i averages the values at 0 to i, whatever the queries. *)
Theorem causal_mean d dv (Q K : 'M_(T.+1, d)) (V : 'M_(T.+1, dv)) (i : 'I_T.+1) c :
  (forall j l, row j K = row l K) ->
  causal_attention Q K V i c = (\sum_(j < T.+1 | (j <= i)%N) V j c) / i.+1%:R.
Proof.
move=> alike; rewrite mxE mulr_suml [RHS]big_mkcond; apply: eq_bigr => j _; rewrite mxE.
case: ifP => ji; last by rewrite mul0r.
under eq_bigr do rewrite (alike_scores _ _ i _ j alike).
rewrite sumr_const upto -[expR _ *+ _]mulr_natr invfM mulrA divff ?mul1r 1?mulrC //.
by rewrite gt_eqF ?expR_gt0.
Qed.

(* Keys all alike, a mark on the first token and nothing on the others: the output at position p is 1 / (p + 1). *)
Theorem causal_count d (Q K : 'M_(T.+1, d)) (p : 'I_T.+1) :
  (forall j l, row j K = row l K) -> causal_attention Q K (delta_mx 0 0 : 'M_(T.+1, 1)) p 0 = 1 / p.+1%:R.
Proof.
move=> /causal_mean ->; congr (_ / _); rewrite (bigD1 0) //= mxE big1 ?addr0 // => j /andP[_ j0].
by rewrite mxE (negPf j0).
Qed.

(* The mask breaks equivariance, for every order but the identity. *)
Theorem mask_breaks d (s : 'S_T.+1) : s != 1%g ->
  exists (Wq Wk Wv : 'M_d.+1) (X : 'M_(T.+1, d.+1)),
    causal_self_attention Wq Wk Wv (perm_mx s *m X) != perm_mx s *m causal_self_attention Wq Wk Wv X.
Proof.
have one (l : 'I_T.+1) : \sum_(j < T.+1 | (j <= l)%N) (delta_mx 0 0 : 'M[R]_(T.+1, d.+1)) j 0 = 1.
  rewrite (bigD1 0) //= mxE big1 ?addr0 // => j /andP[_ j0].
  by rewrite mxE (negPf j0).
have alike (j l : 'I_T.+1) : row j (0 : 'M[R]_(T.+1, d.+1)) = row l 0.
  by apply/rowP => c; rewrite !mxE.
move=> s1; exists 0, 0, 1%:M, (delta_mx 0 0); apply: contra s1 => /eqP/matrixP same.
apply/eqP/permP => i; rewrite perm1; have := same i 0; rewrite -[in RHS]row_permE [RHS]mxE.
rewrite /causal_self_attention !mulmx0 !mulmx1 !causal_mean // [X in _ = X / _](_ : _ = 1) => {same}; last exact: one.
have [seen|unseen] := leqP ((s^-1)%g 0) i; last first.
  rewrite big1 => [/esym/eqP|j ji]; last first.
    rewrite -row_permE !mxE andbT; case: eqP => // sj; move: unseen.
    by rewrite -sj permK ltnNge ji.
  by rewrite mul0r mul1r invr_eq0 pnatr_eq0.
rewrite (bigD1 ((s^-1)%g 0)) //= big1 => [|j /andP[_ js]]; last first.
  by rewrite -row_permE !mxE andbT; case: eqP => // sj; move: js; rewrite -sj permK eqxx.
rewrite -row_permE !mxE permKV eqxx addr0 !mul1r => /invr_inj/eqP.
by rewrite eqr_nat eqSS => /eqP/val_inj.
Qed.

(* The weights of a row sum to 1 under the mask too. *)
Theorem causal_weights (S : 'M_T.+1) i : \sum_j causal_softmax S i j = 1.
Proof.
under eq_bigr do rewrite mxE.
rewrite -big_mkcond -mulr_suml divff // gt_eqF // (bigD1 i) //= ltr_paddr ?expR_gt0 //.
by apply: sumr_ge0 => k _; rewrite ltW ?expR_gt0.
Qed.

(* What is constant along a row of scores does not change the weights, under the mask either. *)
Theorem causal_constant (S : 'M_T.+1) (c : 'I_T.+1 -> R) :
  causal_softmax (\matrix_(i, j) (S i j + c i)) = causal_softmax S.
Proof.
apply/matrixP => i j; rewrite !mxE; case: ifP => // _; under eq_bigr do rewrite mxE expRD.
by rewrite expRD -mulr_suml -mulf_div divff ?mulr1 // gt_eqF ?expR_gt0.
Qed.

(* The mask alone is not enough: where all values are alike, all outputs are, whatever the scores. *)
Theorem causal_unmarked d dv (Q K : 'M_(T.+1, d)) (v : 'rV_dv) (i : 'I_T.+1) :
  row i (causal_attention Q K (\matrix_(j, c) v 0 c)) = v.
Proof.
apply/rowP => c; rewrite !mxE; under eq_bigr do rewrite [X in _ * X]mxE.
by rewrite -mulr_suml causal_weights mul1r.
Qed.

End Causal.

(* A counter that reads t off the mean 1 / t, exactly for t = 1 to N, where N is 2 or more, and that goes along a
   straight line for all means from 1 / (N - 1) down: it never reports 2N - 1, at any t. *)
Theorem counter_stays_below (R : realType) (N : nat) (read : R -> R) : (1 < N)%N ->
  (forall t : nat, (0 < t <= N)%N -> read (1 / t%:R) = t%:R) ->
  (exists a c : R, forall y, 0 < y <= 1 / N.-1%:R -> read y = a * y + c) ->
  forall t : nat, (0 < t)%N -> read (1 / t%:R) < 2%:R * N%:R - 1.
Proof.
case: N => [//|[//|N]] _ exact [a [c line]] t t0; rewrite /= in line.
have x0 : 0 < N.+1%:R :> R by rewrite ltr0n.
have y0 : 0 < N.+2%:R :> R by rewrite ltr0n.
have next : N.+2%:R = N.+1%:R + 1 :> R by rewrite mulrS addrC.
have below (z : R) : 0 < z -> N.+1%:R <= z -> 0 < 1 / z <= 1 / N.+1%:R.
  by move=> z0 xz; rewrite divr_gt0 ?ltr01 //= ler_pdivr_mulr // mulrC mulrA mulr1 ler_pdivl_mulr // mul1r.
have at_x : a = (N.+1%:R - c) * N.+1%:R.
  have := exact N.+1; rewrite line ?below // leqnSn => /(_ isT) e.
  by rewrite -{1}e addrK -mulrA mul1r mulVf ?mulr1 // gt_eqF.
have at_y : a = (N.+2%:R - c) * N.+2%:R.
  have := exact N.+2; rewrite line; last by rewrite below // next ler_addl ler01.
  by rewrite leqnn => /(_ isT) e; rewrite -{1}e addrK -mulrA mul1r mulVf ?mulr1 // gt_eqF.
have c_is : c = 2%:R * N.+1%:R + 1.
  have : (N.+1%:R + 1 - c) * (N.+1%:R + 1) - (N.+1%:R - c) * N.+1%:R = 0.
    by rewrite -next -at_y -at_x subrr.
  by move=> e; rewrite -[LHS]addr0 -e; ring.
have [tN|Nt] := leqP t N.+2.
  rewrite exact ?t0 //; apply: (@le_lt_trans _ _ N.+2%:R); first by rewrite ler_nat.
  rewrite next -subr_gt0; suff -> : 2%:R * (N.+1%:R + 1) - 1 - (N.+1%:R + 1) = N.+1%:R :> R by [].
  by ring.
rewrite line; last by rewrite below ?ltr0n // ler_nat ltnW // ltnW.
have -> : 2%:R * N.+2%:R - 1 = c by rewrite c_is next; ring.
rewrite gtr_addr pmulr_llt0 ?divr_gt0 ?ltr01 ?ltr0n // at_x pmulr_llt0 // c_is subr_lt0.
rewrite -subr_gt0; suff -> : 2%:R * N.+1%:R + 1 - N.+1%:R = N.+2%:R :> R by [].
by rewrite next; ring.
Qed.
