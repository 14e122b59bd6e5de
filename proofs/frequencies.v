(* The frequencies of the book: omega_i = b^(-2i/d), at the width d = 2n and the base b. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.analysis Require Import reals topology normedtype sequences derive realfun exp.
From mathcomp.algebra_tactics Require Import ring.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Notation "a `^ x" := (exp_fun a x) : ring_scope.

Section Frequencies.
Variable R : realType.

Definition frequency (n : nat) (b : R) (i : nat) : R := b `^ (- ((2 * i)%:R / (2 * n)%:R)).

(* From each pair to the next the frequency falls by one factor, b^(-2/d). *)
Theorem frequency_ratio n b i : frequency n b i.+1 = b `^ (- (2%:R / (2 * n)%:R)) * frequency n b i.
Proof. by rewrite /frequency /exp_fun -expRD -mulrDl -opprD -mulrDl -natrD mulnS. Qed.

(* For a base above 1 all frequencies lie above 0, and none above 1. *)
Theorem frequency_range n b i : 1 < b -> 0 < frequency n b i <= 1.
Proof.
move=> b1; rewrite exp_fun_gt0 -expR0 ler_expR mulNr oppr_le0.
by rewrite mulr_ge0 ?divr_ge0 ?ler0n // ltW // ln_gt0.
Qed.

(* No two pairs share a frequency. *)
Theorem frequency_distinct n b (i j : 'I_n) : 1 < b -> frequency n b i = frequency n b j -> i = j.
Proof.
move=> b1 /expR_inj/(mulIf (lt0r_neq0 (ln_gt0 b1)))/oppr_inj.
have d0 : (2 * n)%:R != 0 :> R by rewrite pnatr_eq0 muln_eq0 -lt0n (leq_ltn_trans _ (ltn_ord i)).
move=> /(mulIf (invr_neq0 d0))/eqP; rewrite eqr_nat eqn_mul2l /= => /eqP; exact: val_inj.
Qed.
End Frequencies.
