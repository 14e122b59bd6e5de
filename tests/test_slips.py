"""No slip of notation gets a card that reads as another statement; and how formulas are written."""

import pytest
import sympy as sp
from sympy import Derivative, Function, IndexedBase, Integral, Lambda, MatrixSymbol, Sum, Symbol, cos, exp, sin

from posenc.proof import NotProved, differ, permutation, prove, prove_by_induction, refute
from posenc.proof.notation import as_tex


def real(name):
    return Symbol(name, real=True)


x, y, t, u, x_n, x_1, L_1 = map(real, "x y t u x_n x_1 L_1".split())
w_i, c_t, y_x, k_j, a_1 = map(real, "omega_i c_t y_x k_j a_1".split())
n, m, k, i, j = sp.symbols("n m k i j", integer=True)
N, T, d = sp.symbols("N T d", integer=True, positive=True)
step = Symbol("m", integer=True, nonnegative=True)
positive, plain, dummy, unit = Symbol("x", positive=True), Symbol("x"), sp.Dummy("x", real=True), Symbol("i")
f, g, h, a_k, real_f = Function("f"), Function("g"), Function("h"), Function("a_k"), Function("f", real=True)
A, a, L = MatrixSymbol("A", 2, 2), IndexedBase("a"), Symbol("L")
e = Symbol("e", positive=True)
NUMBERS = sp.Matrix([[1, 2], [3, 4]])
ORDER, WHOLE, EXPAND = "term by term", ["sum", "expand"], "expand"


def total(term, index=j, low=0):
    return Sum(term, (index, low, N))


def proved(left, right, by=EXPAND, **more):
    return lambda: prove("id", left, right, by=by, title="T", **more)


def refuted(left, right, at, **more):
    return lambda: refute("id", left, right, at=at, title="T: not so", **more)


def induction(closed, first, then, term=L):
    return lambda: prove_by_induction("id", term, closed, over=step, first=first, then=then, by=EXPAND, title="T")


SLIPS = {
    # An index that is also a letter of the card: the first is a sequence to every reader, and the statement false.
    "reads as a sequence": {
        "omega_i in a sum over i": proved(Sum(cos(w_i * (n - m)), (i, 0, d - 1)), d * cos(w_i * (n - m)), "sum"),
        "x_n in a sum over n": proved(total(x_n**2, n, 1), total(x_n, n, 1) ** 2 / N, "sum"),
        "a function a_k in a sum over k": proved(total(a_k(x) * k, k), a_k(x) * N * (N + 1) / 2, WHOLE),
        "x_n beside n": refuted(x_n**2, n**2, {x_n: 2, n: 1}),
        "y_x under a derivative by x": proved(Derivative(y_x * x**2, x), 2 * x * y_x, "derivative"),
        "c_t under an integral over t": proved(Integral(c_t * cos(t), (t, 0, x)), c_t * sin(x), "sum"),
        "k_j, defined, in a sum over j": proved(total(k_j * x), (N + 1) * k_j * x, WHOLE, where={k_j: y**2}),
        "x_n in a definition": proved(total(f(n), n), x_n * N * (N + 1) / 2, WHOLE, where={f: Lambda(t, x_n * t)}),
        "a term L_m": induction(2 * step, 0, Symbol("L_m") + 2, Symbol("L_m")),
    },
    "two things are called|both sides are shown as": {
        "x real and x positive": refuted(x, positive, {x: 1, positive: 2}),
        "x real and x complex": proved((x + plain) * y, x * y + plain * y),
        "x1 and x_1": refuted(real("x1"), x_1, {real("x1"): 1, x_1: 2}),
        "a_1 beside the first of a": proved(Sum(a[n] * a_1, (n, 1, 2)), a_1 * (a[1] + a[2]), "sum"),
        "f real and f complex": refuted(f(x), real_f(x), {x: 0, f: Lambda(t, 1), real_f: Lambda(t, 2)}),
        "a letter pi": refuted(sin(real("pi") * n), 0 * n, {real("pi"): 1, n: 1}),
        "a letter e": refuted(exp(x), e**x, {x: 1, e: 2}),
        "T for an exponent": refuted(sp.MatPow(A, T), A.T, {A: NUMBERS, T: 2}),
    },
    "a Dummy has no name": {"a Dummy": refuted(x * dummy, x**2, {x: 1, dummy: 2})},
    "is bound beside another": {
        "an index that is free, too": proved(total(f(j) * y) + j, y * total(f(j)) + j, ORDER),
        "an index outside of its sum": proved(j * total(f(j)), total(j * f(j)), ORDER),
        "one index for two sums": proved(total(n * Sum(n, (n, 0, 2)), n), 3 * N * (N + 1) / 2, WHOLE),
        "a derivative by x, at x": proved(x * sp.Subs(Derivative(x**2, x), x, x), 2 * x**2, "derivative"),
        "an integral over t, and t": proved(t * Integral(cos(t), (t, 0, x)), t * sin(x), "sum"),
        "an index of a definition": proved(total(u), j * (N + 1), WHOLE, where={u: j}),
    },
    "a term of the sequence": {"a step L_1": induction(3 + step * L_1, 3, L + L_1)},
    "nothing uses": {
        "a condition on nothing": proved(x * (y + 1), x * y + x, given=[t > 0]),
        "a condition on an index": proved(total(x * f(j)), x * total(f(j)), ORDER, given=[j > 2]),
        "a definition of nothing": proved(x * (y + 1), x * y + x, where={t: x**2}),
    },
    "and so is another definition": {
        "a definition whose letter is another's": proved(
            f(2) * (t + 1), 2 * y * t + 2 * y, where={f: Lambda(x, x * y), y: x**2}
        ),
    },
    "the imaginary unit": {
        "an index i beside the unit": proved(total(exp(sp.I * x) * i, i), exp(sp.I * x) * N * (N + 1) / 2, WHOLE),
        "a symbol i for the unit": refuted(unit**2 + x, x - 1, {unit: 2, x: 0}),
    },
    "not in the language": {
        "an entry of A_k in a sum over k": proved(total(MatrixSymbol("A_k", 1, 1)[0, 0], k), N + x, "sum"),
    },
}
CASES = [(words, name) for words, slips in SLIPS.items() for name in slips]


@pytest.mark.parametrize(("words", "name"), CASES, ids=[name for _, name in CASES])
def test_a_slip_of_notation_gets_no_card(words, name):
    with pytest.raises((ValueError, TypeError, NotProved), match=words):
        SLIPS[words][name]()


@pytest.mark.parametrize("statement", [
    proved((real("a_k") + real("b_max")) * x, real("a_k") * x + real("b_max") * x),  # no k, and an index of words
    proved(total(Sum(1, (n, 0, 2)) + Sum(2, (n, 0, 3)), k), 11 * (N + 1), WHOLE),  # side by side
    proved(total(exp(sp.I * x * a[i]), i), total(cos(x * a[i]) + sp.I * sin(x * a[i]), i), ["exponentials", ORDER]),  # i stands below
    proved((x_n - 1) * x, x * n**2 - x, where={x_n: n**2}),  # and where says what x_n is
    proved(total(f(j)) * 2, total(2 * j * x), ORDER, where={f: Lambda(i, i * x)}),  # its own letter
    induction(real("L_0") + step, real("L_0"), L + 1),  # the term L at 0
])
def test_what_can_be_read_in_one_way_gets_a_card(statement):
    assert statement().kind == "proved"


def test_a_power_of_a_function_is_no_function_of_a_function():
    assert as_tex(f(x) ** 2) == r"f{\left(x \right)}^{2}"
    assert as_tex(sp.tanh(x) ** n) == r"\tanh{\left(x \right)}^{n}"  # tanh⁻¹ may be the inverse
    assert as_tex(sp.KroneckerDelta(12, n)) == r"\delta_{12, n}"
    assert as_tex(real("x'_1") ** n) == "{x'}_{1}^{n}"  # else TeX finds two superscripts
    assert as_tex(MatrixSymbol("A'_1", 2, 2).T) == "{A'}_{1}^{T}"
    assert as_tex(sp.Determinant(A) ** 2) == r"\det{\left(A \right)}^{2}"
    assert as_tex(sp.Subs(Derivative(t**2, t), t, x) ** 2).endswith(r" \right|_{\substack{ t=x }}\right)^{2}")


def test_nothing_stands_behind_a_sum_that_could_be_a_part_of_it():
    assert as_tex(Sum(1, (j, 0, T)) + 1) == r"1 + \sum_{j=0}^{T} 1"
    assert as_tex(Derivative(f(x), x) - x * total(f(j)) + sp.I) == (
        r"\mathrm{i} - x \sum_{j=0}^{N} f{\left(j \right)} + \frac{d}{d x} f{\left(x \right)}"
    )


def test_no_factor_before_a_bracket_in_a_sum_is_a_function():
    shown = as_tex(total(x_1 * (T - j) + (j + 1) * f(T - j)))
    assert r"x_{1} \cdot \left(T - j\right)" in shown
    assert r"+ \left(j + 1\right) f{\left(T - j \right)}" in shown


def test_a_permutation_is_shown_with_its_places():
    swap, sides, wrong = permutation("sigma", T), [f(permutation("sigma", T)(0)), f(0)], differ([1], [2], beyond=0.5, on="n")
    card = refute("id", *sides, at={swap: Lambda(t, 1 - t), f: Lambda(t, t), T: 2}, title="T: not so", run=wrong)
    assert r"every permutation $\sigma$ of $0, \dots, T - 1$ and every function $f$" in card.domain
    card = prove("id", (x + y) * permutation("tau", 3)(0), (x * 2 + y * 2) * permutation("tau", 3)(0) / 2, by=EXPAND, title="T")
    assert card.plain[1] == "For all real x, y and every permutation tau of 0, …, 2."
