(* RoPE is forced: what <f(q, m), f(k, n)> = g(q, k, n - m) leaves. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.real_closed Require Import complex.
From mathcomp.analysis Require Import reals topology normedtype sequences derive realfun exp trigo.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.
Local Open Scope complex_scope.

Section Forced.
Variable R : realType.

(* A pair as a complex number; positions are whole numbers, of either sign. If position 0 changes nothing and
   the whole product f(q, m)* f(k, n) depends on n - m alone, then f multiplies by u^m, for one u of length 1. *)
Theorem rope_forced (f : R[i] -> int -> R[i]) :
  (forall q, f q 0 = q) ->
  (exists g : R[i] -> R[i] -> int -> R[i], forall q k m n, (f q m)^* * f k n = g q k (n - m)) ->
  exists2 u, `|u| = 1 & forall q m, f q m = q * u ^ m.
Proof.
move=> start [g offset].
have same q k m : (f q m)^* * f k m = q^* * k by rewrite offset subrr -(subrr 0) -offset !start.
have same1 k m : (f 1 m)^* * f k m = k.
  by rewrite same -[RHS]mul1r; congr (_ * _); exact: conjc1.
have all k m : f k m = k * f 1 m.
  by transitivity ((f 1 m)^* * f 1 m * f k m); [rewrite same1 mul1r | rewrite mulrAC same1].
have diff m n : (f 1 m)^* * f 1 n = f 1 (n - m).
  by rewrite offset -[n - m in LHS]subr0 -offset start -[RHS]mul1r; congr (_ * _); exact: conjc1.
have step m n : f 1 (m + n) = f 1 m * f 1 n.
  by rewrite -[in RHS](addrK m n) -diff mulrA (mulrC (f 1 m)) same1 mul1r addrC.
have u0 : f 1 1 != 0.
  by apply: contra_eq_neq (same1 1 1) => ->; rewrite mulr0 eq_sym oner_neq0.
have nat_power (m : nat) : f 1 m = f 1 1 ^+ m.
  by elim: m => [|m IH]; rewrite ?start // exprS -IH -step.
exists (f 1 1).
  apply/eqP; rewrite -sqrp_eq1 // normCK mulrC; apply/eqP; exact: same1.
move=> q m; rewrite all; congr (_ * _); case: m => m; first by rewrite nat_power.
apply: (mulfI (expf_neq0 m.+1 u0)); rewrite -nat_power -step NegzE subrr start nat_power.
by rewrite -exprnN divff // expf_neq0.
Qed.

(* Each such f is a solution. *)
Theorem rope_solves (u q k : R[i]) (m n : int) : `|u| = 1 ->
  (q * u ^ m)^* * (k * u ^ n) = q^* * k * u ^ (n - m).
Proof.
move=> u1; have u0 : u != 0 by rewrite -normr_eq0 u1 oner_neq0.
have conj_u : u^* = u^-1 by apply: (mulfI u0); rewrite divff // -normCK u1 expr1n.
rewrite rmorphM /= [(u ^ m)^*](fmorphXz _ m u) /= conj_u mulrACA; congr (_ * _).
by rewrite exprz_inv -expfzDr // addrC.
Qed.

(* The number of length 1 at the angle theta; every number of length 1 is one. *)
Definition e (theta : R) : R[i] := cos theta +i* sin theta.

Lemma eD a b : e (a + b) = e a * e b.
Proof. by rewrite /e cosD sinD; simpc; congr (_ +i* _); rewrite addrC. Qed.

(* Equal turns add up. *)
Theorem turns_add_up theta (m : int) : e (m%:~R * theta) = e theta ^ m.
Proof.
have e0 : e 0 = 1 by rewrite /e cos0 sin0.
have nat_power (k : nat) : e (k%:R * theta) = e theta ^+ k.
  by elim: k => [|k IH]; rewrite ?mul0r // exprS -IH -eD mulrS mulrDl mul1r.
case: m => m; first exact: nat_power.
have inv x : e (- x) = (e x)^-1.
  have unit : e x * e (- x) = 1 by rewrite -eD subrr.
  have x0 : e x != 0 by apply: contra_eq_neq unit => ->; rewrite mul0r eq_sym oner_neq0.
  by apply: (mulfI x0); rewrite unit divff.
by rewrite NegzE mulrNz mulNr inv nat_power exprnN.
Qed.

Lemma e_onto (u : R[i]) : `|u| = 1 -> exists theta, u = e theta.
Proof.
case: u => a b; rewrite normc_def /= => -[root].
have ab : a ^+ 2 + b ^+ 2 = 1 by rewrite -(sqr_sqrtr (addr_ge0 (sqr_ge0 a) (sqr_ge0 b))) root expr1n.
have a1 : -1 <= a <= 1 by rewrite -ler_norml -(@expr_le1 _ 2) // real_normK ?num_real // -ab ler_addl sqr_ge0.
have sines : sin (acos a) = `|b|.
  by rewrite sin_acos // -sqrtr_sqr -ab addrAC subrr add0r.
have [b0|b0] := lerP 0 b.
  by exists (acos a); rewrite /e acosK ?itv_boundlr // sines ger0_norm.
by exists (- acos a); rewrite /e cosN sinN acosK ?itv_boundlr // sines ltr0_norm // opprK.
Qed.

(* So f(q, m) = q e(m theta): each step turns by the same angle theta. *)
Theorem rope_forced_angle (f : R[i] -> int -> R[i]) :
  (forall q, f q 0 = q) ->
  (exists g : R[i] -> R[i] -> int -> R[i], forall q k m n, (f q m)^* * f k n = g q k (n - m)) ->
  exists theta, forall q m, f q m = q * e (m%:~R * theta).
Proof.
move=> start offset; have [u /e_onto[theta ->] fu] := rope_forced start offset.
by exists theta => q m; rewrite fu turns_add_up.
Qed.

(* With any number of columns, the inner product alone, and one function for queries, another for keys:
   queries A^m q and keys B^n k, with two matrices of which each transposed undoes the other. *)
Theorem two_functions_forced d (f h : 'cV[R]_d -> nat -> 'cV_d) :
  (forall q, f q 0%N = q) -> (forall k, h k 0%N = k) ->
  (exists g : 'cV_d -> 'cV_d -> int -> 'M_1, forall q k m n, (f q m)^T *m h k n = g q k (n%:Z - m%:Z)) ->
  exists A B : 'M_d, A^T *m B = 1%:M /\
    forall v m, f v m = iter m (mulmx A) v /\ h v m = iter m (mulmx B) v.
Proof.
move=> startf starth [g offset].
have same q k m : (f q m)^T *m h k m = q^T *m k by rewrite offset subrr -(subrr 0%:Z) -offset startf starth.
pose F m : 'M_d := \matrix_(i, j) f (delta_mx j 0) m i 0.
pose H m : 'M_d := \matrix_(i, j) h (delta_mx j 0) m i 0.
have F_entry (y : 'cV_d) m j : ((F m)^T *m y) j 0 = ((f (delta_mx j 0) m)^T *m y) 0 0.
  by rewrite !mxE; apply: eq_bigr => i _; rewrite !mxE.
have H_entry (x : 'cV_d) m l : (x^T *m H m) 0 l = (x^T *m h (delta_mx l 0) m) 0 0.
  by rewrite !mxE; apply: eq_bigr => i _; rewrite !mxE.
have FH m : (F m)^T *m H m = 1%:M.
  apply/matrixP => j l; transitivity (((f (delta_mx j 0) m)^T *m H m) 0 l).
    by rewrite !mxE; apply: eq_bigr => i _; rewrite !mxE.
  by rewrite H_entry same trmx_delta -rowE !mxE eqxx andbT.
have HF m : H m *m (F m)^T = 1%:M by exact: mulmx1C (FH m).
have undo (y z : 'cV_d) m : (F m)^T *m y = (F m)^T *m z -> y = z.
  by move=> yz; rewrite -[y]mul1mx -[z]mul1mx -(HF m) -!mulmxA yz.
have hH k m : h k m = H m *m k.
  apply: (undo _ _ m); rewrite mulmxA FH mul1mx; apply/colP => j.
  by rewrite F_entry same trmx_delta -rowE mxE.
have fF q m : f q m = F m *m q.
  have eq : (f q m)^T *m H m = q^T by apply/rowP => l; rewrite H_entry same -colE !mxE.
  by apply: trmx_inj; rewrite trmx_mul -[LHS]mulmx1 -(HF m) mulmxA eq.
have next k m : h k m.+1 = h (h k 1%N) m.
  apply: (undo _ _ m); apply/colP => j; rewrite !F_entry same offset.
  have -> : m.+1%:Z - m%:Z = 1%:Z - 0%:Z by rewrite intS addrK subr0.
  by rewrite -offset startf.
have back q m : f q m.+1 = f (f q 1%N) m.
  have all k : (f q m.+1)^T *m h k m = (f (f q 1%N) m)^T *m h k m.
    rewrite same offset; have -> : m%:Z - m.+1%:Z = 0%:Z - 1%:Z by rewrite intS opprD addrCA subrr addr0 sub0r.
    by rewrite -offset starth.
  apply: trmx_inj; rewrite -[LHS]mulmx1 -[RHS]mulmx1 -(HF m) !mulmxA; congr (_ *m _).
  by apply/rowP => l; rewrite !H_entry all.
exists (F 1%N), (H 1%N); split=> // v m; split; elim: m v => [|m IH] v //.
  by rewrite back IH fF -iterSr.
by rewrite next IH hH -iterSr.
Qed.

(* And each such pair of matrices is a solution. *)
Theorem two_functions_solve d (A B : 'M[R]_d) : A^T *m B = 1%:M ->
  exists g : 'cV_d -> 'cV_d -> int -> 'M_1, forall q k m n,
    (iter m (mulmx A) q)^T *m iter n (mulmx B) k = g q k (n%:Z - m%:Z).
Proof.
move=> AB; pose g (q k : 'cV_d) z := match z with
  | Posz j => q^T *m iter j (mulmx B) k | Negz j => (iter j.+1 (mulmx A) q)^T *m k end.
exists g => q k; elim=> [|m IH] [|n].
- by rewrite subr0.
- by rewrite subr0.
- by rewrite sub0r -NegzE.
by rewrite !iterS trmx_mul -mulmxA (mulmxA A^T) AB mul1mx IH !intS opprD addrACA subrr add0r.
Qed.

(* With one function for both the matrix is orthogonal: f(q, m) = O^m q. *)
Theorem inner_product_forced d (f : 'cV[R]_d -> nat -> 'cV_d) :
  (forall q, f q 0%N = q) ->
  (exists g : 'cV_d -> 'cV_d -> int -> 'M_1, forall q k m n, (f q m)^T *m f k n = g q k (n%:Z - m%:Z)) ->
  exists2 O : 'M_d, O^T *m O = 1%:M & forall q m, f q m = iter m (mulmx O) q.
Proof.
move=> start /(two_functions_forced start start) [A [B [AB both]]]; exists A => [|q m]; last by case: (both q m).
have A_B : A = B.
  apply/matrixP => i j; have [/= -> same] := both (delta_mx j 0) 1%N.
  by move: same => /(congr1 (fun v : 'cV_d => v i 0)); rewrite -!colE !mxE.
by rewrite {2}A_B.
Qed.
End Forced.
