(* Waves whose frequencies have different cosines, and sines that are not 0, are independent, already by their first
   few values. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.analysis Require Import reals topology normedtype sequences derive realfun exp trigo.
From mathcomp.algebra_tactics Require Import ring.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Waves.
Variables (R : realType) (n : nat) (omega : 'I_n -> R).
Hypothesis sines : forall i, sin (omega i) != 0.
Hypothesis cosines : forall i j, i != j -> cos (omega i) != cos (omega j).

(* What the sequence a sin(p omega) + b cos(p omega) becomes under p |-> p + 2, p + 1, p. *)
Lemma three_terms (a b S C S1 C1 c : R) : C ^+ 2 + S ^+ 2 = 1 ->
  let wave s t := a * s + b * t in
  2%:R * (C - c) * (a * C - b * S) * S1 + 2%:R * (C - c) * (a * S + b * C) * C1 =
  wave (S1 * C + C1 * S) (C1 * C - S1 * S) * (- (2%:R * c))
  + wave ((S1 * C + C1 * S) * C + (C1 * C - S1 * S) * S)
         ((C1 * C - S1 * S) * C - (S1 * C + C1 * S) * S) + wave S1 C1.
Proof.
move=> one /=.
have sines2 : S ^+ 2 = 1 - C ^+ 2 by rewrite -one addrAC subrr add0r.
by ring: sines2.
Qed.

(* Only 0 is turned to 0. *)
Lemma turned_zero (a b S C : R) : C ^+ 2 + S ^+ 2 = 1 ->
  a * C - b * S = 0 -> a * S + b * C = 0 -> a = 0 /\ b = 0.
Proof.
move=> one A B; split; rewrite -[LHS]mulr1 -one.
  by transitivity ((a * C - b * S) * C + (a * S + b * C) * S); [ring | rewrite A B !mul0r addr0].
by transitivity ((a * S + b * C) * C - (a * C - b * S) * S); [ring | rewrite A B !mul0r subr0].
Qed.

(* By induction on the frequencies: the step removes the wave j, since
   wave(p + 2) - 2 cos(omega_j) wave(p + 1) + wave(p) = 0 for it, and for no other. *)
Lemma waves_independent (s : seq 'I_n) (a b : 'I_n -> R) : uniq s ->
  (forall p : nat, (p < size s * 2)%N ->
     \sum_(i <- s) (a i * sin (p%:R * omega i) + b i * cos (p%:R * omega i)) = 0) ->
  forall i, i \in s -> a i = 0 /\ b i = 0.
Proof.
elim: s a b => [//|j s IH] a b /= /andP[js us].
pose f i (p : nat) := a i * sin (p%:R * omega i) + b i * cos (p%:R * omega i) => zero.
have {}zero p : (p < (size s).+1 * 2)%N -> \sum_(i <- j :: s) f i p = 0 by apply: zero.
pose g i := 2%:R * (cos (omega i) - cos (omega j)).
pose a' i := g i * (a i * cos (omega i) - b i * sin (omega i)).
pose b' i := g i * (a i * sin (omega i) + b i * cos (omega i)).
have recur i (p : nat) : a' i * sin (p%:R * omega i) + b' i * cos (p%:R * omega i) =
    f i p.+1 * - (2%:R * cos (omega j)) + f i p.+2 + f i p.
  have next m : m.+1%:R * omega i = m%:R * omega i + omega i by rewrite mulrS mulrDl mul1r addrC.
  by rewrite /f !next !(sinD, cosD); apply: three_terms; apply: cos2Dsin2.
have rest i : i \in s -> a i = 0 /\ b i = 0.
  move=> si; have gi : g i != 0.
    rewrite mulf_neq0 ?pnatr_eq0 // subr_eq0 cosines //.
    by apply: contraNneq js => <-.
  have [p ps|A B] := IH a' b' us _ _ si.
    transitivity (\sum_(i <- j :: s) (f i p.+1 * - (2%:R * cos (omega j)) + f i p.+2 + f i p)).
      have g0 : g j = 0 by rewrite /g subrr mulr0.
      rewrite big_cons -recur /a' /b' g0 !mul0r !add0r; apply: eq_bigr => l _; exact: recur.
    have ps2 : (p.+2 < (size s).+1 * 2)%N by rewrite mulSn !ltnS.
    rewrite 2!big_split /= -mulr_suml (zero _ ps2) (zero _ (ltnW ps2)) (zero _ (ltnW (ltnW ps2))).
    by rewrite mul0r !addr0.
  apply: (turned_zero (cos2Dsin2 (omega i))); apply: (mulfI gi); rewrite mulr0.
    exact: A.
  exact: B.
move=> i; rewrite inE => /predU1P[->|/rest//].
have wave p : (p < 2)%N -> f j p = 0.
  move=> p2; rewrite -[RHS](zero p) ?(leq_trans p2) // big_cons.
  rewrite big1_seq ?addr0 // => l /rest[al bl].
  by rewrite /f al bl !mul0r addr0.
have := wave 0%N isT; rewrite /f mul0r sin0 cos0 mulr0 mulr1 add0r => bj.
by have /eqP := wave 1%N isT; rewrite /f bj mul0r addr0 mul1r mulf_eq0 (negPf (sines j)) orbF => /eqP.
Qed.
End Waves.
