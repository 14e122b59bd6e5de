(* RoPE in the real form: n pairs of columns, so the width is d = 2n;
   any frequencies omega; positions are real numbers. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.analysis Require Import reals topology normedtype sequences derive realfun exp trigo.
From mathcomp.algebra_tactics Require Import ring.
From posenc Require Import pairs attention.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory Order.TTheory.
Local Open Scope ring_scope.

Section Rope.
Variables (R : realType) (n : nat) (omega : 'I_n -> R).

(* Counter-clockwise by the angle theta; pair i at position p by p omega_i. *)
Definition rotation (theta : R) : 'M_2 := mat2 (cos theta) (- sin theta) (sin theta) (cos theta).
Definition rope (p : R) : 'M_(n * 2) := blocks (fun i => rotation (p * omega i)).

Lemma rotationD a b : rotation a *m rotation b = rotation (a + b).
Proof. by rewrite mat2_mul /rotation sinD cosD; congr mat2; ring. Qed.

Lemma rotation0 : rotation 0 = 1%:M.
Proof. by rewrite /rotation sin0 cos0 oppr0 mat2_1. Qed.

Lemma rotationN a : rotation (- a) = (rotation a)^T.
Proof. by rewrite /rotation sinN cosN opprK mat2_trmx. Qed.

(* First q, then p: the angles add. *)
Theorem rope_add p q : rope p *m rope q = rope (p + q).
Proof. by rewrite blocks_mul; apply: eq_blocks => i; rewrite rotationD mulrDl. Qed.

Lemma rope0 : rope 0 = 1%:M.
Proof. by rewrite -(blocks1 R n); apply: eq_blocks => i; rewrite mul0r rotation0. Qed.

Lemma rope_opp p : rope (- p) = (rope p)^T.
Proof. by rewrite blocks_trmx; apply: eq_blocks => i; rewrite mulNr rotationN. Qed.

(* Between query and key stands one turn, by the offset. *)
Theorem rope_relative p q : (rope p)^T *m rope q = rope (q - p).
Proof. by rewrite -rope_opp rope_add addrC. Qed.

(* With directions mixed, the sum of the positions stands in the place of the offset. *)
Theorem rope_mixed p q : (rope p)^T *m (rope q)^T = rope (- (p + q)).
Proof. by rewrite -!rope_opp rope_add opprD. Qed.

(* Lengths and inner products are kept. *)
Theorem rope_keeps p (x y : 'cV_(n * 2)) : (rope p *m x)^T *m (rope p *m y) = x^T *m y.
Proof. by rewrite trmx_mul mulmxA -(mulmxA x^T) rope_relative subrr rope0 mulmx1. Qed.

(* The score sees the offset alone, whatever W_q and W_k and whatever the tokens x and y. *)
Theorem rope_score d (Wq Wk : 'M_(n * 2, d)) (x y : 'cV_d) p q :
  (rope p *m (Wq *m x))^T *m (rope q *m (Wk *m y)) = x^T *m Wq^T *m rope (q - p) *m Wk *m y.
Proof. by rewrite -rope_relative; move: (rope p) (rope q) => A B; rewrite !trmx_mul !mulmxA. Qed.

(* So a shift of all positions by t changes no score. *)
Theorem rope_shift d (Wq Wk : 'M_(n * 2, d)) (x y : 'cV_d) p q t :
  (rope (p + t) *m (Wq *m x))^T *m (rope (q + t) *m (Wk *m y)) =
  (rope p *m (Wq *m x))^T *m (rope q *m (Wk *m y)).
Proof. by rewrite [LHS]rope_score [RHS]rope_score opprD addrACA subrr addr0. Qed.

(* A shift of all positions by t turns a weighted sum of turned values as it turns each of them. *)
Theorem rope_values T (w : 'I_T -> R) (v : 'I_T -> 'cV_(n * 2)) (q : 'I_T -> R) t :
  \sum_j w j *: (rope (q j + t) *m v j) = rope t *m (\sum_j w j *: (rope (q j) *m v j)).
Proof.
by rewrite mulmx_sumr; apply: eq_bigr => j _; rewrite -scalemxAr mulmxA rope_add (addrC t).
Qed.

(* Turned values, and their weighted sum turned back at p: each arrives turned by its offset. *)
Theorem rope_values_back T (w : 'I_T -> R) (v : 'I_T -> 'cV_(n * 2)) (q : 'I_T -> R) p :
  (rope p)^T *m (\sum_j w j *: (rope (q j) *m v j)) = \sum_j w j *: (rope (q j - p) *m v j).
Proof.
by rewrite mulmx_sumr; apply: eq_bigr => j _; rewrite -scalemxAr mulmxA rope_relative.
Qed.

(* The inner product adds up block by block, whatever the blocks. *)
Theorem inner_product_by_pairs (A B : 'I_n -> 'M[R]_2) (q k : 'I_n -> 'cV_2) :
  (blocks A *m stack q)^T *m (blocks B *m stack k) = \sum_i (A i *m q i)^T *m (B i *m k i).
Proof. by rewrite !blocks_stack stack_dot. Qed.

(* The elementwise form: q times the cosines, and its partner (swapped, the new first negated) times the sines. *)
Theorem rope_elementwise p (x : 'cV_(n * 2)) :
  let partner i c := if c == 0 then - x (column i 1) 0 else x (column i 0) 0 in
  forall i c, (rope p *m x) (column i c) 0 =
    x (column i c) 0 * cos (p * omega i) + partner i c * sin (p * omega i).
Proof.
move=> partner i c; rewrite -{1}(stackK x) blocks_stack mxE pair_column place_column !mxE sum2 !mxE.
by rewrite /partner; case: (ord2 c) => -> /=; ring.
Qed.

(* The split-half layout: pair i owns the columns i and n + i. The interleaved column of the same pair and place
   is the permutation between the layouts. *)
Definition split_half (B : 'I_n -> 'M[R]_2) : 'M_(n + n) :=
  block_mx (diag_mx (\row_i B i 0 0)) (diag_mx (\row_i B i 0 1))
           (diag_mx (\row_i B i 1 0)) (diag_mx (\row_i B i 1 1)).
Definition interleaved (j : 'I_(n + n)) : 'I_(n * 2) :=
  match split j with inl i => column i 0 | inr i => column i 1 end.
Definition Pi : 'M[R]_(n + n, n * 2) := \matrix_(j, k) (interleaved j == k)%:R.

Local Definition place_in_halves (k : 'I_(n * 2)) : 'I_(n + n) :=
  if place_of k == 0 then lshift n (pair_of k) else rshift n (pair_of k).

Lemma interleaved_lshift i : interleaved (lshift n i) = column i 0.
Proof. by rewrite /interleaved -[lshift n i]/(unsplit (inl i)) unsplitK. Qed.

Lemma interleaved_rshift i : interleaved (rshift n i) = column i 1.
Proof. by rewrite /interleaved -[rshift n i]/(unsplit (inr i)) unsplitK. Qed.

Lemma interleavedK : cancel interleaved place_in_halves.
Proof.
move=> j; case: (split_ordP j) => i ->; rewrite ?interleaved_lshift ?interleaved_rshift;
  by rewrite /place_in_halves place_column pair_column.
Qed.

Lemma place_in_halvesK : cancel place_in_halves interleaved.
Proof.
move=> k; rewrite -{2}(column_of k) /place_in_halves; case: (ord2 (place_of k)) => -> /=.
  by rewrite interleaved_lshift.
by rewrite interleaved_rshift.
Qed.

Lemma Pi_mul m (A : 'M_(n * 2, m)) j k : (Pi *m A) j k = A (interleaved j) k.
Proof.
rewrite mxE (bigD1 (interleaved j)) //= mxE eqxx mul1r big1 ?addr0 // => l lj.
by rewrite mxE eq_sym (negPf lj) mul0r.
Qed.

Lemma mul_Pi m (A : 'M_(m, n + n)) j k : (A *m Pi) j k = A j (place_in_halves k).
Proof.
rewrite mxE (bigD1 (place_in_halves k)) //= mxE place_in_halvesK eqxx mulr1 big1 ?addr0 // => l lk.
by rewrite mxE (can2_eq interleavedK place_in_halvesK) (negPf lk) mulr0.
Qed.

(* The layouts differ by the permutation Pi of the columns, and by nothing else; for RoPE's blocks and any others. *)
Theorem rope_layout (B : 'I_n -> 'M[R]_2) :
  [/\ Pi *m Pi^T = 1%:M, Pi^T *m Pi = 1%:M & Pi *m blocks B *m Pi^T = split_half B].
Proof.
have PiPit : Pi *m Pi^T = 1%:M.
  by apply/matrixP => j k; rewrite Pi_mul !mxE (can_eq interleavedK) eq_sym.
split=> //.
  by apply/matrixP => j k; rewrite mul_Pi !mxE place_in_halvesK eq_sym.
have PR : Pi *m blocks B = split_half B *m Pi.
  apply/matrixP => j k; rewrite Pi_mul mul_Pi /place_in_halves.
  case: (split_ordP j) => i ->; rewrite ?interleaved_lshift ?interleaved_rshift;
    rewrite mxE pair_column place_column; case: (ord2 (place_of k)) => -> /=.
  - by rewrite block_mxEul !mxE; case: eqP => [->|].
  - by rewrite block_mxEur !mxE; case: eqP => [->|].
  - by rewrite block_mxEdl !mxE; case: eqP => [->|].
  - by rewrite block_mxEdr !mxE; case: eqP => [->|].
by rewrite PR -mulmxA PiPit mulmx1.
Qed.

(* Permute query and key alike, turn in the split-half layout: the scores are those of the interleaved one. *)
Theorem rope_layout_scores p q (x y : 'cV_(n * 2)) :
  let H r := split_half (fun i => rotation (r * omega i)) in
  (H p *m (Pi *m x))^T *m (H q *m (Pi *m y)) = (rope p *m x)^T *m (rope q *m y).
Proof.
move=> H; have [_ PtP _] := rope_layout (fun=> 0).
have HP r (z : 'cV_(n * 2)) : H r *m (Pi *m z) = Pi *m (rope r *m z).
  have [_ _ e] := rope_layout (fun i => rotation (r * omega i)).
  by rewrite -[H r]/(split_half _) -e -!mulmxA (mulmxA Pi^T) PtP mul1mx.
clearbody H.
rewrite (HP p) (HP q); move: (rope p *m x) (rope q *m y) => u v.
by rewrite trmx_mul -mulmxA (mulmxA Pi^T) PtP mul1mx.
Qed.

(* The flip of the second column of every pair. *)
Definition flip : 'M_(n * 2) := blocks (fun=> mat2 1 0 0 (-1) : 'M[R]_2).

(* Flips before and after turn the direction; where query and key are flipped alike, no score changes. *)
Theorem rope_direction p q (x y : 'cV_(n * 2)) :
  flip *m rope p *m flip = rope (- p) /\
  (rope (- p) *m (flip *m x))^T *m (rope (- q) *m (flip *m y)) = (rope p *m x)^T *m (rope q *m y).
Proof.
have flip2 : flip *m flip = 1%:M.
  by rewrite blocks_mul -(blocks1 R n); apply: eq_blocks => i; rewrite mat2_mul -mat2_1; congr mat2; ring.
have flipT : flip^T = flip.
  by rewrite blocks_trmx; apply: eq_blocks => i; rewrite mat2_trmx.
have turned r : flip *m rope r *m flip = rope (- r).
  rewrite !blocks_mul; apply: eq_blocks => i; rewrite mulNr rotationN.
  by rewrite mat2_trmx !mat2_mul; congr mat2; ring.
split=> //; have back r : rope (- r) *m flip = flip *m rope r by rewrite -turned -mulmxA flip2 mulmx1.
move: (rope p) (rope q) (rope (- p)) (rope (- q)) (back p) (back q) => A B A' B' backA backB.
rewrite (mulmxA A') (mulmxA B') backA backB -!(mulmxA flip); move: (A *m x) (B *m y) => u v.
by rewrite trmx_mul flipT -mulmxA (mulmxA flip) flip2 mul1mx.
Qed.
(* Places instead of positions: m coordinates, each with a frequency in every pair. Pair i turns by the sum of
   coordinate times frequency. *)
Definition rope_at m (Omega : 'M[R]_(m, n)) (p : 'rV_m) : 'M_(n * 2) :=
  blocks (fun i => rotation ((p *m Omega) 0 i)).

(* One coordinate is RoPE. *)
Theorem rope_at_one p : rope_at (\row_i omega i) (\row_(_ < 1) p) = rope p.
Proof. by apply: eq_blocks => i; rewrite !mxE big_ord1 !mxE. Qed.

(* With any number of coordinates the score sees the offset in each, and nothing else of the places. *)
Theorem rope_at_score m (Omega : 'M_(m, n)) d (Wq Wk : 'M_(n * 2, d)) (x y : 'cV_d) (p q : 'rV_m) :
  (rope_at Omega p *m (Wq *m x))^T *m (rope_at Omega q *m (Wk *m y)) =
  x^T *m Wq^T *m rope_at Omega (q - p) *m Wk *m y.
Proof.
have between : (rope_at Omega p)^T *m rope_at Omega q = rope_at Omega (q - p).
  rewrite blocks_trmx blocks_mul; apply: eq_blocks => i.
  by rewrite -rotationN rotationD addrC mulmxBl; congr rotation; rewrite !mxE.
by rewrite !trmx_mul -between !mulmxA.
Qed.

(* Whatever the places are (whole numbers, points of a plane, things that can be added in any order and subtracted): if
   C 0 = 1, and all scores of coded vectors see the difference of two places alone, the codes add up and commute. *)
Theorem relative_commutes (V : zmodType) d (C : V -> 'M[R]_d) : C 0 = 1%:M ->
  (forall p q, (C p)^T *m C q = C (q - p)) -> forall p q, C p *m C q = C (p + q) /\ C p *m C q = C q *m C p.
Proof.
move=> C0 relative; have back p : (C p)^T = C (- p) by rewrite -[LHS]mulmx1 -C0 relative add0r.
have adds p q : C p *m C q = C (p + q) by rewrite -{1}[p]opprK -back relative opprK addrC.
by move=> p q; rewrite !adds addrC.
Qed.
End Rope.
