(* The sinusoidal code: a shift is a rotation, and what the dot product knows (chapters 3 and 4).
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

(* One pair at the angle theta, the matrix of the shift of a pair; then the code, and R_k. *)
Definition pair (theta : R) : 'cV_2 := vec2 (sin theta) (cos theta).
Definition turn (theta : R) : 'M_2 := mat2 (cos theta) (sin theta) (- sin theta) (cos theta).
Definition PE p : 'cV_(n * 2) := stack (fun i => pair (p * omega i)).
Definition Rk k : 'M_(n * 2) := blocks (fun i => turn (k * omega i)).

Lemma turnD a b : turn a *m turn b = turn (a + b).
Proof. by rewrite mat2_mul /turn sinD cosD; congr mat2; ring. Qed.

Lemma turn0 : turn 0 = 1%:M.
Proof. by rewrite /turn sin0 cos0 oppr0 mat2_1. Qed.

Lemma turnN a : turn (- a) = (turn a)^T.
Proof. by rewrite /turn sinN cosN opprK mat2_trmx. Qed.

(* The code is the table of the book: column 2i is sin(p omega_i), column 2i + 1 is cos(p omega_i). *)
Theorem PE_columns p (i : 'I_n) (c : 'I_2) :
  (column i c = 2 * i + c :> nat)%N /\
  PE p (column i c) 0 = if c == 0 then sin (p * omega i) else cos (p * omega i).
Proof. by rewrite columnE; split=> //; rewrite mxE pair_column place_column mxE. Qed.

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
by rewrite !ord1 !mxE sum2 !mxE /= mulrBl cosB addrC.
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

(* The transpose shifts back: on (sin, cos) the matrix of the textbooks does that. *)
Theorem PE_shift_back k p : (Rk k)^T *m PE p = PE (p - k).
Proof. by rewrite -R_back PE_shift. Qed.

(* Where no sine of a frequency is 0 and the cosines differ, the codes of the first d positions span the space:
   a matrix that sends all of them to 0 is 0. *)
Theorem PE_span m (M : 'M_(m, n * 2)) :
  (forall i, sin (omega i) != 0) -> (forall i j, i != j -> cos (omega i) != cos (omega j)) ->
  (forall p : nat, (p < n * 2)%N -> M *m PE p%:R = 0) -> M = 0.
Proof.
move=> sines cosines kills; apply/matrixP => r j.
have zero p : (p < size (enum 'I_n) * 2)%N -> \sum_(i <- enum 'I_n)
    (M r (column i 0) * sin (p%:R * omega i) + M r (column i 1) * cos (p%:R * omega i)) = 0.
  rewrite size_enum_ord => /kills/colP/(_ r); rewrite !mxE sum_columns big_enum /= => {2}<-.
  by apply: eq_bigr => i _; rewrite ![PE _ _ _]mxE !pair_column !place_column !mxE.
have [even odd] := waves_independent sines cosines (enum_uniq _) zero (mem_enum _ (pair_of j)).
by rewrite mxE -(column_of j); case: (ord2 (place_of j)) => ->.
Qed.

(* So there is no other matrix: what sends the codes of the first d positions k further is R_k. *)
Theorem R_unique k (M : 'M_(n * 2)) :
  (forall i, sin (omega i) != 0) -> (forall i j, i != j -> cos (omega i) != cos (omega j)) ->
  (forall p : nat, (p < n * 2)%N -> M *m PE p%:R = PE (p%:R + k)) -> M = Rk k.
Proof.
move=> sines cosines shifts; apply/eqP; rewrite -subr_eq0; apply/eqP; apply: PE_span => // p pn.
by rewrite mulmxBl PE_shift shifts ?subrr.
Qed.

(* Which W keep the offset in every score of two codes? Those that one step leaves as they are. *)
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

(* With the frequencies of the book and a base above 1, the codes of the first d positions fix the matrix. *)
Theorem R_unique_sinusoid (R : realType) n (b k : R) (M : 'M_(n * 2)) : 1 < b ->
  let omega (i : 'I_n) := frequency n b i in
  (forall p : nat, (p < n * 2)%N -> M *m PE omega p%:R = PE omega (p%:R + k)) -> M = Rk omega k.
Proof.
move=> b1 omega; have range i : 0 < omega i <= 1 by exact: frequency_range.
have below i : omega i < pi.
  by case/andP: (range i) => _ /le_lt_trans -> //; rewrite (lt_le_trans _ (pi_ge2 R)) // ltr1n.
apply: R_unique => [i|i j ij].
  by rewrite gt_eqF // sin_gt0_pi // below andbT; case/andP: (range i).
apply: contra ij => /eqP/cos_inj ij; apply/eqP/(frequency_distinct b1)/ij.
  by rewrite in_itv /= !ltW ?below //; case/andP: (range i).
by rewrite in_itv /= !ltW ?below //; case/andP: (range j).
Qed.

(* For one pair these are the rotations, scaled: W = a I + b J, where J has the rows (0, 1) and (-1, 0). *)
Theorem W_of_one_pair (R : realType) (theta : R) (W : 'M_2) : sin theta != 0 ->
  (turn theta)^T *m W *m turn theta = W <-> exists a b, W = mat2 a b (- b) a.
Proof.
move=> s0; have [a [b [c [e ->]]]] : exists a b c e, W = mat2 a b c e.
  by exists (W 0 0), (W 0 1), (W 1 0), (W 1 1); apply: mat2P; rewrite !mxE.
have unit : turn theta *m (turn theta)^T = 1%:M by rewrite -turnN turnD subrr turn0.
split=> [same|[a' [b' ->]]]; last first.
  have commute : mat2 a' b' (- b') a' *m turn theta = turn theta *m mat2 a' b' (- b') a'.
    by rewrite !mat2_mul; congr mat2; ring.
  by rewrite -mulmxA commute mulmxA (mulmx1C unit) mul1mx.
have : mat2 a b c e *m turn theta = turn theta *m mat2 a b c e.
  by rewrite -[in RHS]same !mulmxA unit mul1mx.
rewrite !mat2_mul => /matrixP commute.
have := commute 0 0; rewrite !mxE /= [cos theta * a]mulrC => /addrI; rewrite mulrN [sin theta * c]mulrC -mulNr.
move=> /(mulIf s0) bc; have := commute 0 1; rewrite !mxE /= [cos theta * b]mulrC addrC => /addrI.
by rewrite [sin theta * e]mulrC => /(mulIf s0) ae; exists a, b; rewrite -bc -ae.
Qed.
