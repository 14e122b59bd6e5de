"""No card reads as another statement: what each convention of `posenc/proof/looks.py` refuses, and what it leaves."""

import re

import pytest
import sympy as sp
from sympy import Function, Integral, Lambda, Sum

from posenc.proof import agree, differ, permutation, prove, prove_by_induction, refute
from posenc.proof.looks import as_tex, insist_on_one_reading


def letter(name):
    return sp.Symbol(name, real=True)


def letters(names):
    return list(map(letter, names.split()))


x, y, t, u, x_1, x_m, x_n, L, L_0, L_1, d, e = letters("x y t u x_1 x_m x_n L L_0 L_1 d e")
q, (n, m, k) = sp.Symbol("q"), sp.symbols("n m k", integer=True)
i, j = sp.symbols("i j", integer=True, nonnegative=True)
T, H = sp.symbols("T H", integer=True, positive=True)
f, g, h, prime = map(sp.Function, ["f", "g", "h", "f'"])
a, A, B = sp.IndexedBase("a"), sp.MatrixSymbol("A", 2, 2), sp.MatrixSymbol("B", 2, 2)
vector, unit, D, delta = sp.MatrixSymbol("q", 2, 1), sp.Identity, sp.Derivative, sp.KroneckerDelta
size, other_size, m_1 = sp.Symbol("|q|", positive=True), letter("|q|"), sp.Symbol("m_1", integer=True)

WRONG = differ([1.0], [2.0], beyond=0.5, on="one number")
USUAL = {"by": "expand", "title": "T", "run": agree([1.0], [1.0 + 1e-9], within=1e-6, on="one number")}


def total(term, index=j):
    return Sum(term, (index, 0, T - 1))


def at_x(symbol, factor=1):
    return sp.Subs(D(factor * symbol**2, symbol), symbol, x)


def where(shown, **definitions):
    functions = {"f": f, "h": h}
    return [shown], {"where": {functions.get(name) or letter(name): value for name, value in definitions.items()}}


def given(shown, *conditions):
    return [shown], {"given": conditions}


def terms(closed, first, then, term="L", over=m):
    sequence = term, over, lambda place: sp.sympify(closed).subs(over, place)
    return list(map(sp.sympify, [first, then, closed])), {"sequence": sequence}


NO_NAMES = (
    *"sin log Re det lim max Var softmax dx xhat xnorm xbold zbar vec o O x1_2 a_sin a_Mu x_bar x_hat x_o x_O Pi_det".split(),
    *"e e_1 I pi Sigma delta delta_1 delta_ij x１ x_٣ x__2 2 |x f(x) -x a_{n} x$ A^{T}".split(),
    *("", "x y", r"\sin(x)"),
)
ALIKE = "ell l, x_l x_1, nu v, omega w, chi x, kappa k, rho p, epsilon varepsilon, phi varphi, x1 x_1, T' Tprime, a_nu a_v".split(", ")
REFUSED = {
    "a Dummy has no name": [x + sp.Dummy("x"), total(f(sp.Dummy("j"))), where(f(2), f=Lambda(sp.Dummy("x"), y))],
    "is no name": [*map(letter, NO_NAMES), Sum(letter("2"), (letter("2"), 1, 3)), ([f(1)], {"at": {f: Lambda(e, 2 * e)}}),
                   letter("mu'")],
    "two things are called": [
        *(sp.Add(*letters(names)) for names in ALIKE),
        *(x + sp.Symbol("x"), letter("a_n") + a[n], sp.Abs(q) + other_size, sp.Matrix([[sp.I]]) * unit(1) + unit(1)),
        f(permutation("tau", 2)(j)) + f(permutation("tau", 3)(j)),
        ([f(1, 2)], {"at": {f: Lambda((x, sp.Symbol("x")), x)}}),
        terms(m + letter("m"), letter("m"), L + 1),
    ],
    "both sides are shown as": [([sp.MatPow(A, T), A.T], {})],
    # A letter is of the kind that it is read as, and all names of one letter are of one kind.
    "reads as (something else|a size|a part)": [
        *letters("f g h sigma E Pi Pi_j"),
        *(Function(name)(x) for name in ("d", "Lambda", "E", "Pi", "bit", "index", "sgn", "thrown")),
        *(other_size, size * q, vector.T * vector * letter("q_1"), f(x) * letter("f_x"), a[n] * letter("a_1")),
    ],
    # A sign of mathematics is no name beside it, and no form is that of another expression.
    "reads as (a sign|a transpose|a derivative|the derivative of a product|an entry)": [
        *(d + Integral(sp.cos(t), (t, 0, x)), letter("d_1") * D(f(x), x), T * A.T, H * A.T, letter("T_1") * A.T),
        *(sp.MatPow(A, T), sp.MatPow(A, -H), x**T, x ** (T + 1), f(x) ** T, a[n * m], D(x**2, x) * D(f(x), x)),
        *(sp.Mul(step, f(x), 1 / step, 1 / y, evaluate=False) for step in (d, letter("Delta"))),
    ],
    "reads as a norm": [sp.Abs(sp.Determinant(A * B))],
    "reads as .*the imaginary unit": [
        *(sp.Symbol("i") ** 2, letter("j") + 1, sp.I + i, total(sp.exp(sp.I * j * x)), total(sp.exp(sp.I * x), i)),
        *(x + i * y, i * sp.sin(x), i**2, sp.exp(i), sp.exp(sp.pi * j), sp.exp(-2 * i), y ** (i * x), total(sp.exp(j))),
        terms(sp.exp(sp.pi * i), 1, L * sp.exp(sp.pi), over=i),
        # i and I on one card, although in two scopes of it
        *(where(x + sp.I + f(2), f=Lambda(i, i**2)), where(f(2) + h(1), f=Lambda(j, j + 1), h=Lambda(t, sp.I * t))),
        *(([f(2) * q, x], {"at": {q: sp.I, f: Lambda(i, i + 1)}}), ([f(2), x], {"at": {f: Lambda(i, sp.I * i)}})),
    ],
    "and is bound beside another": [
        *(total(j) + j, total(f(j)) * g(j), t * Integral(sp.cos(t), (t, 0, x)), at_x(t) + t, x * at_x(x)),
        *(Sum(f(j), (j, 0, n)) + Sum(f(n), (n, 0, m)), Sum(n * Sum(n, (n, 0, 2)), (n, 0, 3))),
        *(where(total(f(j)), f=Lambda(n, n * u), u=j), ([sp.MatrixSymbol("A", n, n), Sum(x**n, (n, 1, 3))], {})),
    ],
    "reads as a sequence|is of k": [
        *(total(letter("a_k"), k), total(Function("a_k")(x), k), total(sp.MatrixSymbol("A_k", 1, 1)[0, 0], k)),
        *(
            total(sp.IndexedBase("a_k")[n], k),
            total(letter("y_ij"), i),
            letter("a_n") + n,
            letter("a_v") + letter("nu"),
        ),
        *(D(letter("y_x") * x**2, x), at_x(t, letter("c_t")), Integral(letter("a_t"), (t, 0, 1))),
        *(where(x_n + x_1, x_n=n**2), where(x_n + x_m, x_n=n**3, x_m=m**2), where(total(x_m, m), x_m=y)),
        *(where(f(2), f=Lambda(k, letter("a_k") * k)), terms(letter("a_m") + m, letter("a_m"), L + 1)),
    ],
    "reads as the derivative": [
        *(letter("x'") * D(x**2, x), prime(x), A * D(g(y), y) + B * letter("y'"), f(x) + Function("fprime")(x)),
        *(where(letter("x'") * x, x=t**2), Function("f'_1")(x) + Function("f_1")(x)),
    ],
    "reads as (one number|an absolute value|an entry of a table beside)": [
        *(sp.MatMul(10, 2**n, vector, evaluate=False), sp.Determinant(sp.Matrix([[x]])), a[1, i] + a[2 * i]),
    ],
    "reads as an entry of x": [sp.IndexedBase("x_1")[2] + sp.IndexedBase("x")[12]],
    "the largest or the least of its letter": [sp.Abs(letter("x_max") - letter("x_min")), letter("x_max") * x_1],
    "is of x, and so is another definition": [
        *(where(f(2), f=Lambda(x, x * y), y=x**2), where(f(2), f=Lambda(x, x * y), y=letter("a_x"))),
        *(where(f(2), f=Lambda(x, x * h(1)), h=Lambda(t, t + x)), where(f(2) + x, f=Lambda(x, x + y), x=t)),
    ],
    "nothing uses": [where(x, y=t), where(x, x=y, t=y + 1), given(x, y > 0), given(x, x > y), given(total(j), j > 0)],
    "a term of the sequence": [
        *(terms(letter("L_m") + m, letter("L_m"), L + 1), terms(3 + m * L_1, 3, L + L_1)),
        *(terms(m + 1 + L_0, L_0 + 1, L + 1), terms(letter("L'") + m, letter("L'"), L + 1)),
    ],
    "has an index": [terms(m, 0, L_1 + 1, "L_1"), terms(m_1, 0, L + 1, over=m_1)],
}


@pytest.mark.parametrize(
    ("words", "case"),
    [(words, case) for words, cases in REFUSED.items() for case in cases],
    ids=lambda value: re.sub(" at 0x[0-9a-f]+", "", str(value)),  # each worker has other addresses
)
def test_what_breaks_a_convention_is_on_no_card(words, case):
    shown, more = case if isinstance(case, tuple) else ([case], {})
    with pytest.raises(ValueError, match=words):
        insist_on_one_reading(shown, **more)


@pytest.mark.parametrize(
    "case",
    [
        *(
            letter("a_k") * x + letter("b_max"),
            sp.Symbol("|k|", positive=True) * size,
            letter("x'") * Function("q'_0")(j),
        ),
        *(total(Sum(1, (n, 0, 2)) + Sum(2, (n, 0, 3)), k), total(j) + total(j**2), total(sp.exp(sp.I * n * a[j]))),
        *(x ** (-2 * i / d), f(i + 1) + delta(i, n) + (i - n) * x + a[2 * i + 1], d * (x + 1) / y + letter("d'")),
        *(where(x_n - x_m, x_n=n**2, x_m=m**2), where(f(j), f=Lambda(i, sp.exp(-i * y) * i)), where(x_n, x_n=x)),
        where(sp.I + f(2), f=Lambda(i, a[i])),
        *(where(D(letter("y_x"), x), y_x=x**2), where(f(x), f=Lambda(x, u * x), u=t), terms(L_0 + m, L_0, L + 1)),
        *(given(total(f(permutation("sigma", T)(j))), T > 3), x * total(y * (T - j)), sp.Determinant(A * B)),
    ],
)
def test_what_keeps_the_conventions_may_be_shown(case):
    shown, more = case if isinstance(case, tuple) else ([case], {})
    insist_on_one_reading(shown, **more)


def test_each_verb_insists_on_it():
    whole, usual = sp.Symbol("m", integer=True, nonnegative=True), {"by": "expand", "title": "T"}
    one = sp.sin(e) ** 2 + sp.cos(e) ** 2
    for call in (
        lambda: prove("id", x * (e + 1), x * e + x, **usual),
        lambda: prove("id", x * (t + 1), x * t + x, steps=[x * t + x * one], **usual),
        lambda: prove("id", x * (t + y), x * t + x, where={y: one}, **usual),
        lambda: prove_by_induction("id", e, whole, over=whole, first=0, then=e + 1, **usual),
        lambda: refute("id", f(x), 1, at={x: 1, f: Lambda(e, 2 * e)}, title="T: not so"),
    ):
        with pytest.raises(ValueError, match=r"^e is no name"):
            call()
    with pytest.raises(ValueError, match=r"^nothing uses y"):
        prove("id", x * (t + 1), x * t + x, given=[y > 0], **usual)


def test_a_power_of_a_function_is_no_function_of_a_function():
    assert as_tex(f(x) ** 2) == r"f{\left(x \right)}^{2}"
    assert as_tex(sp.tanh(x) ** n) == r"\tanh{\left(x \right)}^{n}"  # tanh⁻¹ may be the inverse
    assert as_tex(delta(12, n)) == r"\delta_{12, n}"
    assert as_tex(letter("x'_1") ** n) == "{x'}_{1}^{n}"  # else TeX finds two superscripts
    assert as_tex(sp.MatrixSymbol("A'_1", 2, 2).T) == "{A'}_{1}^{T}"
    assert as_tex(sp.Determinant(A) ** 2) == r"\det{\left(A \right)}^{2}"
    assert as_tex(at_x(t) ** 2).endswith(r" \right|_{\substack{ t=x }}\right)^{2}")


def test_nothing_stands_behind_a_sum_that_could_be_a_part_of_it():
    assert as_tex(Sum(1, (j, 0, T)) + 1) == r"1 + \sum_{j=0}^{T} 1"
    assert as_tex(D(f(x), x) - x * total(f(j)) + sp.I) == (
        r"\mathrm{i} - x \sum_{j=0}^{T - 1} f{\left(j \right)} + \frac{d}{d x} f{\left(x \right)}"
    )


def test_no_factor_before_a_bracket_in_a_sum_is_a_function():
    shown = as_tex(total(x_1 * (T - j) + (j + 1) * f(T - j)))
    assert r"x_{1} \cdot \left(T - j\right)" in shown
    assert r"+ \left(j + 1\right) f{\left(T - j \right)}" in shown


def test_a_permutation_is_shown_with_its_places():
    swap, sides = permutation("sigma", T), [f(permutation("sigma", T)(0)), f(0)]
    card = refute("id", *sides, at={swap: Lambda(t, 1 - t), f: Lambda(t, t), T: 2}, title="T: not so", run=WRONG)
    assert r"every permutation $\sigma$ of $0, \dots, T - 1$ and every function $f$" in card.domain
    card = prove("id", (x + y) * permutation("tau", 3)(0), (x * 2 + y * 2) * permutation("tau", 3)(0) / 2, **USUAL)
    assert card.plain[1] == "For all real x, y and every permutation tau of 0, …, 2."
