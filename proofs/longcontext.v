(* Stretching RoPE to longer texts: interpolation, NTK-aware scaling, and the ramp of YaRN. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.analysis Require Import reals topology normedtype sequences derive realfun exp trigo.
From mathcomp.algebra_tactics Require Import ring.
From posenc Require Import pairs attention rope frequencies.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory numFieldNormedType.Exports.
Local Open Scope ring_scope.

Section LongContext.
Variable R : realType.
Implicit Types b s r alpha beta L : R.

(* Interpolation divides every frequency by s; that is to divide every position by s. *)
Theorem interpolation n (omega : 'I_n -> R) s p : rope (fun i => omega i / s) p = rope omega (p / s).
Proof. by apply: eq_blocks => i; rewrite mulrAC mulrA. Qed.

(* NTK-aware scaling takes the base b s^(d/(d - 2)). Pair i is then slowed by exactly s^(2i/(d - 2)). *)
Theorem ntk_ratio n b s (i : nat) : (1 < n)%N -> 0 < b -> 0 < s ->
  frequency n b i / frequency n (b * s `^ ((2 * n)%:R / (2 * n - 2)%:R)) i = s `^ ((2 * i)%:R / (2 * n - 2)%:R).
Proof.
move=> n1 b0 s0; rewrite /frequency /exp_fun lnM ?posrE ?expR_gt0 // expK -expRN -expRD.
congr expR; have n0 : (2 * n)%:R != 0 :> R by rewrite pnatr_eq0 muln_eq0 -lt0n ltnW.
by rewrite mulrDr opprD addNKr mulNr opprK !mulrA mulrAC mulfVK // mulrAC.
Qed.

(* So the fastest pair keeps its frequency, and the slowest is slowed by s itself. *)
Theorem ntk_ends n b s : (1 < n)%N -> 0 < b -> 0 < s ->
  let b' := b * s `^ ((2 * n)%:R / (2 * n - 2)%:R) in
  frequency n b' 0 = frequency n b 0 /\ frequency n b' n.-1 = frequency n b n.-1 / s.
Proof.
move=> n1 b0 s0 b'; have ratio := ntk_ratio _ n1 b0 s0; split.
  have := ratio 0%N; rewrite muln0 mul0r exp_funr0 // => /divr1_eq ->.
  by [].
have e : (2 * n - 2 = 2 * n.-1)%N by rewrite -subn1 mulnBr muln1.
have := ratio n.-1; rewrite -/b' e divff ?exp_funr1 // => [<-|]; last first.
  by rewrite pnatr_eq0 muln_eq0 /= -lt0n -subn1 subn_gt0.
by rewrite invf_div mulrCA divff ?mulr1 // gt_eqF // exp_fun_gt0.
Qed.

(* The tangent of the exponential, and of the logarithm. *)
Lemma expR_ge1D (x : R) : 1 + x <= expR x.
Proof.
have [x0|x0] := lerP 0 x; first exact: expR_ge1Dx.
have [|c /itvP cI] := @MVT_segment _ expR expR _ _ (ltW x0).
  by apply/continuous_subspaceT => ?; exact: continuous_expR.
rewrite expR0 sub0r => e1; have c1 : expR c <= 1 by rewrite -expR0 ler_expR cI.
have : expR c * - x <= - x by rewrite ger_pmull ?oppr_gt0.
by rewrite -e1 ler_subl_addr addrC -ler_subl_addr opprK.
Qed.

Lemma ln_leB1 (x : R) : 0 < x -> ln x <= x - 1.
Proof. by move=> x0; rewrite ler_subr_addr addrC -[X in _ <= X]lnK ?posrE // expR_ge1D. Qed.

(* Outside its ends a ramp stays at 0 or 1. *)
Definition clamp (x : R) : R := Num.min 1 (Num.max 0 x).

(* NTK-by-parts, for a pair that makes r turns in the training length: interpolated up to alpha turns, left alone
   from beta turns on, blended between (alpha < beta). *)
Definition by_parts alpha beta s omega r : R :=
  let g := clamp ((r - alpha) / (beta - alpha)) in (1 - g) * (omega / s) + g * omega.

(* With 1 <= alpha < beta and s nonzero, no pair leaves the part of its circle that training covered in a text s times
   as long: it has been all round, or reaches exactly as far as in training. From beta turns on it keeps its frequency. *)
Theorem by_parts_seen alpha beta s L omega : 1 <= alpha -> alpha < beta -> s != 0 ->
  let r := L * omega / (2 * pi) in
  (1 <= r \/ s * L * by_parts alpha beta s omega r = L * omega) /\
  (beta <= r -> by_parts alpha beta s omega r = omega).
Proof.
move=> alpha1 ab s0 r; have ab0 : 0 < beta - alpha by rewrite subr_gt0.
split=> [|br]; last first.
  rewrite /by_parts /clamp; set g := (r - alpha) / _; have g1 : 1 <= g.
    by rewrite ler_pdivl_mulr // mul1r ler_add2r.
  by rewrite max_r ?(le_trans ler01) // min_l // subrr mul0r add0r mul1r.
have [|r1] := lerP 1 r; [by left|right].
rewrite /by_parts /clamp max_l; last by rewrite pmulr_lle0 ?invr_gt0 // subr_le0 ltW // (lt_le_trans r1).
by rewrite min_r ?ler01 // subr0 mul1r mul0r addr0 -mulrA mulrCA; congr (_ * _); rewrite mulrC divfK.
Qed.

(* YaRN, with r the turns that a pair makes in the training length. The paper's ramp is straight in r, that of the
   published code, before it rounds the two end indices, is straight in the logarithm of r: it is never below. *)
Theorem yarn_ramps r alpha beta : 0 < alpha < beta -> 0 < r ->
  clamp ((r - alpha) / (beta - alpha)) <= clamp (ln (r / alpha) / ln (beta / alpha)).
Proof.
move=> /andP[a0 ab] r0; have b0 := lt_trans a0 ab.
have lnab : 0 < ln (beta / alpha) by rewrite ln_gt0 // ltr_pdivl_mulr // mul1r.
have clamp0 x : 0 <= clamp x by rewrite /clamp le_minr ler01 le_maxr lexx.
have clamp1 x : clamp x <= 1 by rewrite /clamp le_minl lexx.
have clamp_le x y : x <= y -> clamp x <= clamp y.
  by move=> xy; rewrite /clamp le_minr !le_minl lexx /= !le_maxl !le_maxr lexx xy !orbT.
have [ra|ar] := lerP r alpha.
  have -> // : clamp ((r - alpha) / (beta - alpha)) = 0.
  rewrite /clamp max_l ?min_r ?ler01 //.
  by rewrite pmulr_lle0 ?invr_gt0 ?subr_gt0 // subr_le0.
have [br|rb] := lerP beta r.
  have -> // : clamp (ln (r / alpha) / ln (beta / alpha)) = 1.
  rewrite /clamp min_l // le_maxr; apply/orP; right.
  by rewrite ler_pdivl_mulr // mul1r ler_ln ?posrE ?divr_gt0 // ler_pmul2r ?invr_gt0.
apply: clamp_le; rewrite ler_pdivr_mulr ?subr_gt0 // mulrAC ler_pdivl_mulr //.
have tangent x : 0 < x -> ln x - ln r <= x / r - 1.
  by move=> x0; rewrite -ln_div ?posrE // ln_leB1 // divr_gt0.
rewrite !ln_div ?posrE //.
have -> : (r - alpha) * (ln beta - ln alpha) =
  (r - alpha) * (ln beta - ln r) + (r - alpha) * (ln r - ln alpha) by ring.
have -> : (ln r - ln alpha) * (beta - alpha) =
  (beta - r) * (ln r - ln alpha) + (r - alpha) * (ln r - ln alpha) by ring.
rewrite ler_add2r; apply: (@le_trans _ _ ((r - alpha) * (beta / r - 1))).
  by rewrite ler_pmul2l ?subr_gt0 // tangent.
have -> : (r - alpha) * (beta / r - 1) = (beta - r) * (1 - alpha / r).
  by field; rewrite gt_eqF.
by rewrite ler_pmul2l ?subr_gt0 // -ler_opp2 !opprB tangent.
Qed.

(* The code (without its rounding) ramps in the index of the pair, between the indices where a pair makes beta and
   alpha turns; for pair i, which makes r turns in the length L, its ramp is ln(r / alpha) / ln(beta / alpha). *)
Theorem yarn_code n b L alpha beta (i : nat) :
  (0 < n)%N -> 1 < b -> 0 < L -> 0 < alpha < beta ->
  let r := L * frequency n b i / (2%:R * pi) in
  let index x := (2 * n)%:R * ln (L / (2%:R * pi * x)) / (2%:R * ln b) in
  1 - (i%:R - index beta) / (index alpha - index beta) = ln (r / alpha) / ln (beta / alpha).
Proof.
move=> n0 b1 L0 /andP[a0 ab] r index; have b0 := lt_trans a0 ab.
have pi2 : 0 < 2%:R * pi :> R by rewrite mulr_gt0 ?pi_gt0 ?ltr0n.
have w0 : 0 < frequency n b i by exact: exp_fun_gt0.
have r0 : 0 < r by rewrite divr_gt0 // mulr_gt0.
have d0 : (2 * n)%:R != 0 :> R by rewrite pnatr_eq0 muln_eq0 -lt0n n0.
have lnb : ln b != 0 by rewrite gt_eqF // ln_gt0.
pose c := (2 * n)%:R / (2%:R * ln b).
have c0 : c != 0 by rewrite mulf_neq0 // invr_eq0 mulf_neq0 // pnatr_eq0.
have indexE x : 0 < x -> index x = c * (ln (L / (2%:R * pi)) - ln x).
  move=> x0; rewrite -ln_div ?posrE ?divr_gt0 // /index /c mulrAC; congr (_ * ln _).
  by rewrite invfM mulrA.
have at_i : i%:R = index r.
  rewrite /index; have -> : L / (2%:R * pi * r) = (frequency n b i)^-1.
    rewrite /r mulrCA divff ?mulr1 ?gt_eqF // invfM mulrA divff ?mul1r // gt_eqF //.
  rewrite lnV ?posrE // /frequency /exp_fun expK mulNr opprK.
  by rewrite natrM natrM; field; rewrite lnb !pnatr_eq0 -lt0n n0.
have r_a : ln r - ln alpha = ln (r / alpha) by rewrite ln_div.
have b_a : ln beta - ln alpha = ln (beta / alpha) by rewrite ln_div.
have lnab : ln (beta / alpha) != 0 by rewrite gt_eqF // ln_gt0 // ltr_pdivl_mulr // mul1r.
rewrite at_i !indexE // -r_a -b_a in lnab *; rewrite -!mulrBr -mulf_div divff // mul1r.
move: (ln r) (ln alpha) (ln beta) (ln (L / _)) lnab => r' alpha' beta' top nonzero.
have -> : top - alpha' - (top - beta') = beta' - alpha' by ring.
by rewrite -[X in X - _](divff nonzero) -mulrBl; congr (_ / _); ring.
Qed.
End LongContext.
