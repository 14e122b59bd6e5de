(* Adding a code, and putting it beside. Vectors are columns; any widths. *)
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section Adding.
Variable F : fieldType.

(* A linear map of a concatenation is a sum of two linear maps. *)
Theorem concatenation_is_sum m d e (Wx : 'M[F]_(m, d)) (Wp : 'M_(m, e)) (x : 'cV_d) (P : 'cV_e) :
  row_mx Wx Wp *m col_mx x P = Wx *m x + Wp *m P.
Proof. exact: mul_row_col. Qed.

(* The same for any vector into which matrices E and G have put word and code, side by side or otherwise. *)
Theorem sum_of_maps m w d c (W : 'M[F]_(m, w)) (E : 'M_(w, d)) (G : 'M_(w, c)) (x : 'cV_d) (P : 'cV_c) :
  W *m (E *m x + G *m P) = W *m E *m x + W *m G *m P.
Proof. by rewrite mulmxDr !mulmxA. Qed.

(* Adding is concatenation with one matrix used twice. *)
Theorem adding_is_sharing m d (W : 'M[F]_(m, d)) (x P : 'cV_d) :
  W *m (x + P) = row_mx W W *m col_mx x P.
Proof. by rewrite mul_row_col mulmxDr. Qed.

(* A score of sums has four terms, which share one matrix. *)
Theorem four_terms d k (Wq Wk : 'M[F]_(k, d)) (x y P P' : 'cV_d) :
  let W := Wq^T *m Wk in
  (Wq *m (x + P))^T *m (Wk *m (y + P')) =
  x^T *m W *m y + x^T *m W *m P' + P^T *m W *m y + P^T *m W *m P'.
Proof. by rewrite /= trmx_mul linearD /= !mulmxA !mulmxDl !mulmxDr !addrA. Qed.
End Adding.
