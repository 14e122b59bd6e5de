(* The sinusoidal code: a shift is a rotation, and what the dot product knows.
   n is the number of pairs, so the width is d = 2n; any frequencies omega; positions are real numbers. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.analysis Require Import reals topology normedtype sequences derive realfun exp trigo.
From mathcomp.algebra_tactics Require Import ring.
From posenc Require Import pairs waves frequencies.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Sinusoids.
Variables (R : realType) (n : nat) (omega : 'I_n -> R).
Implicit Types k l : R.

(* One pair at the angle theta, as an arrow; the matrix that turns it; then the code, and R_k. *)
Definition pair (theta : R) : 'cV_2 := vec2 (cos theta) (sin theta).
Definition turn (theta : R) : 'M_2 := mat2 (cos theta) (- sin theta) (sin theta) (cos theta).
Definition PE p : 'cV_(n * 2) := stack (fun i => pair (p * omega i)).
Definition Rk k : 'M_(n * 2) := blocks (fun i => turn (k * omega i)).

(* The row of a position as the table of the book has it, the sine of each pair first. *)
Definition table p : 'cV_(n * 2) := stack (fun i => vec2 (sin (p * omega i)) (cos (p * omega i))).

Lemma turnD a b : turn a *m turn b = turn (a + b).
Proof. by rewrite mat2_mul /turn sinD cosD; congr mat2; ring. Qed.

Lemma turn0 : turn 0 = 1%:M.
Proof. by rewrite /turn sin0 cos0 oppr0 mat2_1. Qed.

Lemma turnN a : turn (- a) = (turn a)^T.
Proof. by rewrite /turn sinN cosN opprK mat2_trmx. Qed.

(* In the table column 2i is sin(p omega_i) and column 2i + 1 is cos(p omega_i); the code has each pair as an arrow,
   the cosine first. *)
Theorem PE_columns p (i : 'I_n) (c : 'I_2) :
  (column i c = 2 * i + c :> nat)%N /\
  table p (column i c) 0 = (if c == 0 then sin (p * omega i) else cos (p * omega i)) /\
  PE p (column i c) 0 = (if c == 0 then cos (p * omega i) else sin (p * omega i)).
Proof. by rewrite columnE; split=> //; split; rewrite mxE pair_column place_column mxE. Qed.

(* One matrix shifts by k, at every position p. *)
Theorem PE_shift k p : Rk k *m PE p = PE (p + k).
Proof.
rewrite blocks_stack; apply: eq_stack => i; rewrite mulrDl.
by rewrite mat2_vec2 /pair sinD cosD; congr vec2; ring.
Qed.

(* First k, then l: the shifts compose. *)
Theorem R_compose k l : Rk l *m Rk k = Rk (l + k).
Proof. by rewrite blocks_mul; apply: eq_blocks => i; rewrite turnD mulrDl. Qed.

(* To stay is the identity. *)
Theorem R_stay : Rk 0 = 1%:M.
Proof. by rewrite -(blocks1 R n); apply: eq_blocks => i; rewrite mul0r turn0. Qed.

(* To go back is the transpose. *)
Theorem R_back k : Rk (- k) = (Rk k)^T.
Proof. by rewrite blocks_trmx; apply: eq_blocks => i; rewrite mulNr turnN. Qed.

(* The inverse is the shift by -k. *)
Theorem R_inverse k : Rk k \in unitmx /\ invmx (Rk k) = Rk (- k).
Proof.
have back : Rk k *m Rk (- k) = 1%:M by rewrite R_compose subrr R_stay.
have [unit _] := mulmx1_unit back; split=> //.
by rewrite -[RHS](mulKmx unit) back mulmx1.
Qed.

(* Lengths and angles are kept. *)
Theorem R_orthogonal k : (Rk k)^T *m Rk k = 1%:M /\ Rk k *m (Rk k)^T = 1%:M.
Proof. by rewrite -R_back !R_compose addNr subrr R_stay. Qed.

(* Nothing is mirrored. *)
Theorem R_determinant k : \det (Rk k) = 1.
Proof.
rewrite [k](splitr k); case: (R_orthogonal (k / 2%:R)) => /(congr1 determinant) + _.
by rewrite -R_compose !det_mulmx det_tr det1.
Qed.

(* One step, m times, is R_m. *)
Theorem R_power (m : nat) : Rk m%:R = iter m (mulmx (Rk 1)) 1%:M.
Proof. by elim: m => [|m IH]; rewrite ?R_stay // iterS -IH R_compose -mulrS. Qed.

(* The dot product of two codes is a sum of cosines of the offset. *)
Theorem PE_dot p q : (PE p)^T *m PE q = (\sum_i cos ((p - q) * omega i))%:M.
Proof.
rewrite stack_dot raddf_sum /=; apply: eq_bigr => i _; apply/matrixP => a b.
by rewrite !ord1 !mxE sum2 !mxE /= mulrBl cosB.
Qed.

(* It cannot tell before from after. *)
Theorem PE_dot_even p k : (PE p)^T *m PE (p + k) = (PE p)^T *m PE (p - k).
Proof.
have back : p - (p - k) = - (p - (p + k)) by ring.
by rewrite !PE_dot back; congr _%:M; apply: eq_bigr => i _; rewrite mulNr cosN.
Qed.

(* All codes have the same length: the square of it is n, half of the width. *)
Theorem PE_length p : (PE p)^T *m PE p = n%:R%:M.
Proof.
rewrite PE_dot subrr; congr _%:M.
by under eq_bigr do rewrite mul0r cos0; rewrite sumr_const card_ord.
Qed.

(* The squared distance of two codes knows the offset k, and not the position p. *)
Theorem PE_distance p k :
  (PE (p + k) - PE p)^T *m (PE (p + k) - PE p) = (\sum_i (2%:R - 2%:R * cos (k * omega i)))%:M.
Proof.
have -> : (PE (p + k) - PE p)^T = (PE (p + k))^T - (PE p)^T by rewrite linearB.
rewrite mulmxBr !mulmxBl !PE_dot !subrr [p + k - p]addrAC subrr add0r.
have -> : p - (p + k) = - k by rewrite opprD addNKr.
rewrite -!raddfB /=; congr _%:M; rewrite -!sumrB; apply: eq_bigr => i _.
by rewrite mul0r cos0 mulNr cosN; ring.
Qed.

(* With W = R_k between them, a key scores as though it stood k places further on. *)
Theorem PE_look_back p q k : (PE p)^T *m Rk k *m PE q = (PE p)^T *m PE (q + k).
Proof. by rewrite -mulmxA PE_shift. Qed.

(* So that score is the sum of cosines of an offset that is k smaller. *)
Theorem PE_look_back_dot p q k : (PE p)^T *m Rk k *m PE q = (\sum_i cos ((p - q - k) * omega i))%:M.
Proof. by rewrite PE_look_back PE_dot opprD addrA. Qed.

(* On the columns of the table, the sine first, the same matrix shifts back. *)
Theorem table_shift_back k p : Rk k *m table p = table (p - k).
Proof.
rewrite blocks_stack; apply: eq_stack => i; rewrite mulrBl.
by rewrite mat2_vec2 sinB cosB; congr vec2; ring.
Qed.

(* Where no sine of a frequency is 0 and the cosines differ, the codes of the first d positions span the space:
   a matrix that sends all of them to 0 is 0. *)
Theorem PE_span m (M : 'M_(m, n * 2)) :
  (forall i, sin (omega i) != 0) -> (forall i j, i != j -> cos (omega i) != cos (omega j)) ->
  (forall p : nat, (p < n * 2)%N -> M *m PE p%:R = 0) -> M = 0.
Proof.
move=> sines cosines kills; apply/matrixP => r j.
have zero p : (p < size (enum 'I_n) * 2)%N -> \sum_(i <- enum 'I_n)
    (M r (column i 1) * sin (p%:R * omega i) + M r (column i 0) * cos (p%:R * omega i)) = 0.
  rewrite size_enum_ord => /kills/colP/(_ r); rewrite !mxE sum_columns big_enum /= => {2}<-.
  by apply: eq_bigr => i _; rewrite ![PE _ _ _]mxE !pair_column !place_column !mxE addrC.
have [odd even] := waves_independent sines cosines (enum_uniq _) zero (mem_enum _ (pair_of j)).
by rewrite mxE -(column_of j); case: (ord2 (place_of j)) => ->.
Qed.

(* So, where no sine of a frequency is 0 and the cosines differ, there is no other matrix: what sends the codes of
   d positions in a row, from any start, k further is R_k. *)
Theorem R_unique start k (M : 'M_(n * 2)) :
  (forall i, sin (omega i) != 0) -> (forall i j, i != j -> cos (omega i) != cos (omega j)) ->
  (forall p : nat, (p < n * 2)%N -> M *m PE (start + p%:R) = PE (start + p%:R + k)) -> M = Rk k.
Proof.
move=> sines cosines shifts; have [_ unit] := R_orthogonal start.
suff same : M *m Rk start = Rk k *m Rk start.
  by rewrite -[LHS]mulmx1 -[RHS]mulmx1 -unit !mulmxA same.
apply/eqP; rewrite -subr_eq0 -mulmxBl; apply/eqP; apply: PE_span => // p pn.
by rewrite mulmxBl mulmxBl -!mulmxA !PE_shift [p%:R + start]addrC shifts // subrr.
Qed.

(* Which W keep the offset in every score of two codes? Where no sine of a frequency is 0 and the cosines differ:
   those that one step leaves as they are. *)
Theorem W_keeps_offset (W : 'M_(n * 2)) :
  (forall i, sin (omega i) != 0) -> (forall i j, i != j -> cos (omega i) != cos (omega j)) ->
  (forall p q : nat, (PE p.+1%:R)^T *m W *m PE q.+1%:R = (PE p%:R)^T *m W *m PE q%:R) <->
  (Rk 1)^T *m W *m Rk 1 = W.
Proof.
move=> sines cosines.
have step (p : nat) : PE p.+1%:R = Rk 1 *m PE p%:R by rewrite PE_shift mulrS addrC.
have moved (p q : nat) : (PE p.+1%:R)^T *m W *m PE q.+1%:R =
    (PE p%:R)^T *m ((Rk 1)^T *m W *m Rk 1) *m PE q%:R by rewrite !step trmx_mul !mulmxA.
split=> [keeps|same p q]; last by rewrite moved same.
apply/eqP; rewrite -subr_eq0; apply/eqP; apply: PE_span => // q _.
apply: trmx_inj; rewrite trmx0; apply: PE_span => // p _.
by apply: trmx_inj; rewrite trmx_mul trmxK mulmxA mulmxBr mulmxBl -moved keeps subrr trmx0.
Qed.
End Sinusoids.

(* The frequencies of the book, with a base above 1: no sine is 0, and the cosines differ. *)
Lemma frequency_fits (R : realType) n (b : R) : 1 < b -> let omega (i : 'I_n) := frequency n b i in
  (forall i, sin (omega i) != 0) /\ (forall i j, i != j -> cos (omega i) != cos (omega j)).
Proof.
move=> b1 omega; have range i : 0 < omega i <= 1 by exact: frequency_range.
have below i : omega i < pi.
  by case/andP: (range i) => _ /le_lt_trans -> //; rewrite (lt_le_trans _ (pi_ge2 R)) // ltr1n.
split=> [i|i j ij].
  by rewrite gt_eqF // sin_gt0_pi // below andbT; case/andP: (range i).
apply: contra ij => /eqP/cos_inj ij; apply/eqP/(frequency_distinct b1)/ij.
  by rewrite in_itv /= !ltW ?below //; case/andP: (range i).
by rewrite in_itv /= !ltW ?below //; case/andP: (range j).
Qed.

(* With the frequencies of the book and a base above 1, the codes of d positions in a row fix the matrix. *)
Theorem R_unique_sinusoid (R : realType) n (b start k : R) (M : 'M_(n * 2)) : 1 < b ->
  let omega (i : 'I_n) := frequency n b i in
  (forall p : nat, (p < n * 2)%N -> M *m PE omega (start + p%:R) = PE omega (start + p%:R + k)) -> M = Rk omega k.
Proof. by move=> b1 omega; have [sines cosines] := frequency_fits n b1; apply: R_unique. Qed.

(* For one pair these are the rotations, scaled: W = a I + b J, where J has the rows (0, -1) and (1, 0). *)
Theorem W_of_one_pair (R : realType) (theta : R) (W : 'M_2) : sin theta != 0 ->
  (turn theta)^T *m W *m turn theta = W <-> exists a b, W = mat2 a (- b) b a.
Proof.
move=> s0; have [a [b [c [e ->]]]] : exists a b c e, W = mat2 a b c e.
  by exists (W 0 0), (W 0 1), (W 1 0), (W 1 1); apply: mat2P; rewrite !mxE.
have unit : turn theta *m (turn theta)^T = 1%:M by rewrite -turnN turnD subrr turn0.
split=> [same|[a' [b' ->]]]; last first.
  have commute : mat2 a' (- b') b' a' *m turn theta = turn theta *m mat2 a' (- b') b' a'.
    by rewrite !mat2_mul; congr mat2; ring.
  by rewrite -mulmxA commute mulmxA (mulmx1C unit) mul1mx.
have : mat2 a b c e *m turn theta = turn theta *m mat2 a b c e.
  by rewrite -[in RHS]same !mulmxA unit mul1mx.
rewrite !mat2_mul => /matrixP commute.
have := commute 0 0; rewrite !mxE /= [cos theta * a]mulrC => /addrI; rewrite mulNr [sin theta * c]mulrC -mulNr.
move=> /(mulIf s0) bc; have := commute 0 1; rewrite !mxE /= [cos theta * b]mulrC addrC => /addrI.
by rewrite mulrN mulNr => /oppr_inj; rewrite [sin theta * e]mulrC => /(mulIf s0) ae; exists a, c; rewrite bc -ae.
Qed.

(* For n pairs, where no sine of a frequency is 0 and the cosines differ: one such block for each pair, with its own
   a and b, and zeros elsewhere. *)
Theorem W_of_pairs (R : realType) n (omega : 'I_n -> R) (W : 'M_(n * 2)) :
  (forall i, sin (omega i) != 0) -> (forall i j, i != j -> cos (omega i) != cos (omega j)) ->
  ((Rk omega 1)^T *m W *m Rk omega 1 = W <->
  exists a b : 'I_n -> R, W = blocks (fun i => mat2 (a i) (- b i) (b i) (a i))).
Proof.
move=> sines cosines; set M := Rk omega 1; have [MtM MMt] := R_orthogonal omega 1.
have turned : M = blocks (fun i => turn (omega i)) by apply: eq_blocks => i; rewrite mul1r.
split=> [same|[a [b ->]]]; last first.
  rewrite turned blocks_trmx !blocks_mul; apply: eq_blocks => i.
  by apply/(W_of_one_pair _ (sines i)); exists (a i), (b i).
have after : W *m M = M *m W by rewrite -[in RHS]same !mulmxA MMt mul1mx.
have before : W *m M^T = M^T *m W by rewrite -[in LHS]same -!mulmxA MMt mulmx1.
have both : W *m (M + M^T) = (M + M^T) *m W by rewrite mulmxDr mulmxDl after before.
have cosine : M + M^T = blocks (fun i => (cos (omega i) + cos (omega i))%:M).
  rewrite turned blocks_trmx; apply/matrixP => j k; rewrite !mxE; case: eqP => [_|_]; last by rewrite addr0.
  move: (place_of j) (place_of k) => c e.
  by case: (ord2 c) => ->; case: (ord2 e) => ->; rewrite /= ?mulr1n ?mulr0n ?subrr // addrC subrr.
pose V i : 'M_2 := \matrix_(c, e) W (column i c) (column i e).
have diag : W = blocks V.
  apply/matrixP => j k; rewrite !mxE; case: eqP => [jk|/eqP jk]; first by rewrite column_of jk column_of.
  have from_left : (W *m (M + M^T)) j k = W j k * (cos (omega (pair_of k)) + cos (omega (pair_of k))).
    rewrite cosine mxE (bigD1 k) //= big1 ?addr0 => [|l lk]; first by rewrite !mxE !eqxx mulr1n.
    rewrite !mxE; case: eqP => [lk'|_]; last by rewrite mulr0.
    case: eqP => [cc|_]; last by rewrite mulr0n mulr0.
    by move: lk; rewrite -(column_of l) lk' cc column_of eqxx.
  have from_right : ((M + M^T) *m W) j k = (cos (omega (pair_of j)) + cos (omega (pair_of j))) * W j k.
    rewrite cosine mxE (bigD1 j) //= big1 ?addr0 => [|l lj]; first by rewrite !mxE !eqxx mulr1n.
    rewrite !mxE; case: eqP => [lj'|_]; last by rewrite mul0r.
    case: eqP => [cc|_]; last by rewrite mulr0n mul0r.
    by move: lj; rewrite -(column_of l) -lj' -cc column_of eqxx.
  move: from_left; rewrite both from_right mulrC -!mulr2n => /eqP.
  rewrite -subr_eq0 -mulrBr mulf_eq0 -mulrnBl mulrn_eq0 /= subr_eq0 (negPf (cosines _ _ jk)) orbF.
  exact: eqP.
have one i : V i *m turn (omega i) = turn (omega i) *m V i.
  move: after; rewrite turned diag !blocks_mul => /matrixP blockwise.
  apply/matrixP => c e; have := blockwise (column i c) (column i e).
  by rewrite !mxE !pair_column !place_column eqxx.
have shape i : exists ab : R * R, V i = mat2 ab.1 (- ab.2) ab.2 ab.1.
  have [|a [b e]] := (W_of_one_pair (V i) (sines i)).1; last by exists (a, b).
  by rewrite -mulmxA one mulmxA -turnN turnD addNr turn0 mul1mx.
have [ab all] := boolp.choice shape.
exists (fun i => (ab i).1), (fun i => (ab i).2).
by rewrite [LHS]diag; apply: eq_blocks => i; rewrite all.
Qed.

(* With the frequencies of the book and a base above 1, the W that keep the offset in every score are just these. *)
Theorem W_sinusoid (R : realType) n (b : R) (W : 'M_(n * 2)) : 1 < b ->
  let omega (i : 'I_n) := frequency n b i in
  (forall p q : nat, (PE omega p.+1%:R)^T *m W *m PE omega q.+1%:R = (PE omega p%:R)^T *m W *m PE omega q%:R) <->
  exists alpha beta : 'I_n -> R, W = blocks (fun i => mat2 (alpha i) (- beta i) (beta i) (alpha i)).
Proof.
move=> b1 omega; have [sines cosines] := frequency_fits n b1.
exact: iff_trans (W_keeps_offset W sines cosines) (W_of_pairs W sines cosines).
Qed.
