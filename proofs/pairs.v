(* A vector of even width as pairs of columns, and matrices that act on each pair alone.
   Pair i owns the columns 2i and 2i + 1, as everywhere in the book; n is the number of pairs. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.real_closed Require Import mxtens.
From mathcomp.algebra_tactics Require Import ring.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section Pairs.
Variables (F : fieldType) (n : nat).

(* Two by two: a matrix from its rows (a, b) and (c, e), a column from its two numbers. *)
Definition mat2 (a b c e : F) : 'M_2 :=
  \matrix_(i, j) (if i == 0 then if j == 0 then a else b else if j == 0 then c else e).
Definition vec2 (a b : F) : 'cV_2 := \col_i (if i == 0 then a else b).

(* Column j = 2i + c belongs to pair i, where it stands at place c. *)
Definition pair_of (j : 'I_(n * 2)) : 'I_n := (mxtens_unindex j).1.
Definition place_of (j : 'I_(n * 2)) : 'I_2 := (mxtens_unindex j).2.

(* n pairs, one below the other; and n blocks of two by two on a diagonal, with zeros elsewhere. *)
Definition stack (v : 'I_n -> 'cV[F]_2) : 'cV_(n * 2) := \col_j v (pair_of j) (place_of j) 0.
Definition blocks (B : 'I_n -> 'M[F]_2) : 'M_(n * 2) :=
  \matrix_(j, k) (if pair_of j == pair_of k then B (pair_of j) (place_of j) (place_of k) else 0).

Lemma ord2 (i : 'I_2) : i = 0 \/ i = 1.
Proof. by case: i => [[|[|//]] h]; [left|right]; apply: val_inj. Qed.

Lemma mat2P (A B : 'M[F]_2) :
  A 0 0 = B 0 0 -> A 0 1 = B 0 1 -> A 1 0 = B 1 0 -> A 1 1 = B 1 1 -> A = B.
Proof. by move=> *; apply/matrixP => i j; case: (ord2 i) => ->; case: (ord2 j) => ->. Qed.

Lemma vec2P (u v : 'cV[F]_2) : u 0 0 = v 0 0 -> u 1 0 = v 1 0 -> u = v.
Proof. by move=> *; apply/colP => i; case: (ord2 i) => ->. Qed.

Lemma mat2_mul a b c e a' b' c' e' :
  mat2 a b c e *m mat2 a' b' c' e' =
  mat2 (a * a' + b * c') (a * b' + b * e') (c * a' + e * c') (c * b' + e * e').
Proof. by apply: mat2P; rewrite !(mxE, big_ord_recl, big_ord0) /= addr0. Qed.

Lemma mat2_vec2 a b c e x y : mat2 a b c e *m vec2 x y = vec2 (a * x + b * y) (c * x + e * y).
Proof. by apply: vec2P; rewrite !(mxE, big_ord_recl, big_ord0) /= addr0. Qed.

Lemma mat2_trmx a b c e : (mat2 a b c e)^T = mat2 a c b e.
Proof. by apply: mat2P; rewrite !mxE. Qed.

Lemma mat2_1 : mat2 1 0 0 1 = 1%:M.
Proof. by apply: mat2P; rewrite !mxE. Qed.

Lemma sum2 (f : 'I_2 -> F) : \sum_i f i = f 0 + f 1.
Proof. by rewrite big_ord_recl big_ord1; congr (_ + f _); apply: val_inj. Qed.

(* A column's index from its pair and its place. *)
Definition column (i : 'I_n) (c : 'I_2) : 'I_(n * 2) := mxtens_index (i, c).

Lemma columnE i c : column i c = (2 * i + c)%N :> nat.
Proof. by rewrite /= mulnC. Qed.

Lemma pair_column i c : pair_of (column i c) = i.
Proof. by rewrite /pair_of mxtens_indexK. Qed.

Lemma place_column i c : place_of (column i c) = c.
Proof. by rewrite /place_of mxtens_indexK. Qed.

Lemma column_of j : column (pair_of j) (place_of j) = j.
Proof. by rewrite /column -surjective_pairing mxtens_unindexK. Qed.

Lemma sum_columns (f : 'I_(n * 2) -> F) : \sum_j f j = \sum_i (f (column i 0) + f (column i 1)).
Proof.
transitivity (\sum_i \sum_c f (column i c)); last by apply: eq_bigr => i _; rewrite sum2.
rewrite pair_bigA (reindex (@mxtens_index n 2)) /=.
  by apply: eq_bigr => -[].
by exists (@mxtens_unindex n 2) => ? _; rewrite ?mxtens_indexK ?mxtens_unindexK.
Qed.

(* Blocks multiply block by block, act pair by pair, and the inner product is a sum over the pairs. *)
Lemma blocks_mul A B : blocks A *m blocks B = blocks (fun i => A i *m B i).
Proof.
apply/matrixP => j k; rewrite !mxE sum_columns (bigD1 (pair_of j)) //= big1 => [|i ij].
  by rewrite !mxE !pair_column !place_column eqxx addr0 sum2; case: ifP; rewrite ?mulr0 ?addr0.
by rewrite !mxE !pair_column eq_sym (negPf ij) !mul0r addr0.
Qed.

Lemma blocks_stack A v : blocks A *m stack v = stack (fun i => A i *m v i).
Proof.
apply/colP => j; rewrite !mxE sum_columns (bigD1 (pair_of j)) //= big1 => [|i ij].
  by rewrite !mxE !pair_column !place_column eqxx addr0 sum2.
by rewrite !mxE !pair_column eq_sym (negPf ij) !mul0r addr0.
Qed.

Lemma blocks_trmx A : (blocks A)^T = blocks (fun i => (A i)^T).
Proof. by apply/matrixP => j k; rewrite !mxE eq_sym; case: eqP => // ->. Qed.

Lemma blocks1 : blocks (fun=> 1%:M) = 1%:M.
Proof.
apply/matrixP => j k; rewrite !mxE -(inj_eq (can_inj (@mxtens_unindexK n 2))).
rewrite -!/(pair_of _) (surjective_pairing (mxtens_unindex j)).
by rewrite (surjective_pairing (mxtens_unindex k)) xpair_eqE; case: eqP.
Qed.

Lemma eq_blocks A B : A =1 B -> blocks A = blocks B.
Proof. by move=> AB; apply/matrixP => j k; rewrite !mxE AB. Qed.

Lemma eq_stack v w : v =1 w -> stack v = stack w.
Proof. by move=> vw; apply/colP => j; rewrite !mxE vw. Qed.

Lemma stackK (x : 'cV[F]_(n * 2)) : stack (fun i => \col_c x (column i c) 0) = x.
Proof. by apply/colP => j; rewrite !mxE column_of. Qed.

Lemma stack_dot v w : (stack v)^T *m stack w = \sum_i (v i)^T *m w i.
Proof.
apply/matrixP => a b; rewrite !ord1 !mxE sum_columns summxE; apply: eq_bigr => i _.
by rewrite !mxE !pair_column !place_column sum2 !mxE.
Qed.
End Pairs.

