"""The domain of a statement: in words that are no wider than it, and as points inside it."""

from string import ascii_lowercase

import flint
import pytest
import sympy as sp
from sympy import Q

from posenc import domain
from posenc.balls import Undecided, Undefined, Unsampled, near
from posenc.domain import Domain, TooNarrow, permutation

x, y = sp.symbols("x y", real=True)
n, k = sp.symbols("n k", integer=True)
h = sp.Symbol("h", integer=True, positive=True)
z = sp.Symbol("z")
A, B = sp.MatrixSymbol("A", 2, 2), sp.MatrixSymbol("B", 2, 2)
C, V = sp.MatrixSymbol("C", 2, 3), sp.MatrixSymbol("v", h, 1)
f, g = sp.Function("f"), sp.Function("g", real=True)
KINDS = {
    "positive integers": {"integer": True, "positive": True},
    "positive even integers": {"even": True, "positive": True},
    "positive odd integers": {"odd": True, "positive": True},
    "even integers": {"even": True},
    "odd integers": {"odd": True},
    "non-negative integers": {"integer": True, "nonnegative": True},
    "non-negative even integers": {"even": True, "nonnegative": True},
    "negative integers": {"integer": True, "negative": True},
    "negative even integers": {"even": True, "negative": True},
    "negative odd integers": {"odd": True, "negative": True},
    "non-positive integers": {"integer": True, "nonpositive": True},
    "non-positive even integers": {"even": True, "nonpositive": True},
    "nonzero even integers": {"even": True, "nonzero": True},
    "nonzero integers": {"integer": True, "nonzero": True},
    "integers": {"integer": True},
    "complex": {},
    "nonzero complex": {"complex": True, "zero": False},
    "real": {"real": True},
    "nonzero real": {"real": True, "nonzero": True},
    "nonnegative": {"nonnegative": True},
    "positive": {"positive": True},
    "nonpositive": {"nonpositive": True},
    "negative": {"negative": True},
}
SYMBOLS = {
    words: sp.Symbol(letter, **KINDS[words]) for letter, words in zip(ascii_lowercase, KINDS, strict=False)
}


@pytest.mark.parametrize("words", KINDS)
def test_a_symbol_is_named_no_wider_than_it_is(words):
    symbol = SYMBOLS[words]
    assert Domain([symbol]).words() == f"For all {words} ${symbol}$."
    for value in domain._pool(symbol, False):
        assert not [name for name in ("integer", "positive", "negative", "even", "odd", "zero")
                    if getattr(value, f"is_{name}") is (not getattr(symbol, f"is_{name}"))
                    and getattr(symbol, f"is_{name}") is not None]  # fmt: skip


def test_kinds_stand_in_a_fixed_order_and_names_in_that_of_the_alphabet():
    phrases = [f"{words} {symbol}" for words, symbol in SYMBOLS.items()]
    everything = sum(SYMBOLS.values())
    assert Domain([everything]).words(sp.sstr, "{}") == (
        f"For all {', '.join(phrases[:-1])} and {phrases[-1]}."
    )
    assert Domain([y * x]).words() == "For all real $x, y$."


@pytest.mark.parametrize("name", ["prime", "composite", "irrational", "imaginary", "rational"])
def test_a_symbol_without_words_is_refused(name):
    words = rf"^a card has no words for s, which is {name}: state that with given=\[…\]$"
    with pytest.raises(ValueError, match=words):
        Domain([sp.Symbol("s", **{name: True})]).words()


WORDS = {
    "For all real $x$ and every function $f$.": ([f(x)], ()),
    "For every function $f$.": ([f(1)], ()),
    "For all real $x$ and every real function $g$.": ([g(x)], ()),
    "For every positive function $u$.": ([sp.Function("u", positive=True)(1)], ()),
    "For every negative function $u$.": ([sp.Function("u", negative=True)(1)], ()),
    "For every nonnegative function $u$.": ([sp.Function("u", nonnegative=True)(1)], ()),
    "For every integer function $u$.": ([sp.Function("u", integer=True)(1)], ()),
    r"For all positive integers $h$, every permutation $\tau$, every function $f, k$ and every real function "
    "$g$.":
        ([f(permutation("tau", h)(1)) * g(1) * sp.Function("k")(2)], ()),
    "For every sequence $b$.": ([sp.IndexedBase("b")[1]], ()),
    "For every positive sequence $b$ and every real sequence $c$.":
        ([sp.IndexedBase("b", positive=True)[1] + sp.IndexedBase("c", real=True)[1]], ()),
    "For every integer sequence $b$.": ([sp.IndexedBase("b", integer=True)[1]], ()),
    "For all positive integers $h$, every matrix $A, B$ of size $2 \\times 2$, every matrix $C$ of size "
    "$2 \\times 3$ and every vector $v$ of size $h$.": ([A + B, C, V], ()),
    "For every orthogonal real matrix $A$ of size $2 \\times 2$ and every symmetric matrix $B$ of size "
    "$2 \\times 2$.": ([A * B], (Q.orthogonal(A), Q.real_elements(A), Q.symmetric(B))),
    "For all real $x$ with $x > 1$ and $x < 5$.": ([x], (x > 1, sp.true, x < 5)),
    "": ([sp.Integer(1)], ()),
}  # fmt: skip


@pytest.mark.parametrize("words", WORDS)
def test_a_domain_is_put_into_words(words):
    sides, given = WORDS[words]
    assert Domain(sides, given=given).words() == words
    plain = words.replace("$", "").replace("\\times", "×").replace("\\tau", "tau")
    assert Domain(sides, given=given).words(sp.sstr, "{}") == plain


def test_what_definitions_name_is_no_part_of_the_domain():
    a = sp.Symbol("a")
    stated = Domain([a * f(x) * sp.Trace(A)], {a: y + 1, f: sp.Lambda(z, z * k), A: sp.eye(2) * n})
    assert stated.words() == "For all integers $k, n$ and real $x, y$."
    assert (stated.functions, stated.matrices) == ([], [])
    assert Domain([z], {f: sp.Lambda(z, z)}).words() == "For all complex $z$."


def test_the_same_points_come_again_and_meet_assumptions_and_conditions():
    stated = Domain([x + h], given=[x > 1])
    points = [exact for exact, _ in stated.points()]
    assert points == [exact for exact, _ in stated.points()]
    assert len(points) == domain.POINTS
    assert points != [exact for exact, _ in stated.points(seed=1)]
    assert all(set(point) == {x, h} and point[x] > 1 and point[h] in domain._WHOLE for point in points)
    assert len({tuple(point.items()) for point in points}) == domain.POINTS
    assert next(exact for exact, _ in Domain([x + n]).points()) == {x: 0, n: 0}
    assert max(abs(point[n]) for point, _ in Domain([n]).points()) > 1000
    assert [exact for exact, _ in Domain([n], given=[sp.Eq(n, 7)]).points()] == [{n: 7}]


def test_a_symbol_that_counts_stays_small():
    for side in (sp.Sum(x, (k, 1, h)), sp.Product(x, (k, 1, h)), sp.Trace(sp.MatPow(A, h)), V.T * V,
                 f(permutation("tau", h)(0))):  # fmt: skip
        assert all(1 <= point[h] <= 9 for point, _ in Domain([side]).points())
    near_by = Domain([sp.Integral(x, (x, 0, y))]).points()
    assert all(abs(point[y]) < 30 for point, _ in near_by)


def test_conditions_that_nothing_meets_are_named():
    words = r"^no point was found that meets \[x < 2, x > 3\]: state the domain otherwise$"
    with pytest.raises(TooNarrow, match=words):
        Domain([x], given=[x < 2, x > 3]).points()
    assert all(point[x] > 0 for point, _ in Domain([x], given=[1 / x > 0]).points())  # and 1/0 is no value
    with pytest.raises(Unsampled, match=r"^no number fits the assumptions of s$"):
        Domain([sp.Sum(x, (k, 1, sp.Symbol("s", integer=True, negative=True)))]).points()


def test_names_that_would_be_confused_are_refused():
    words = "^two symbols are called p, q, with different assumptions: declare each name once$"
    with pytest.raises(ValueError, match=words):
        Domain([sp.Symbol("p") + sp.Symbol("p", real=True) + sp.Symbol("q") * sp.Symbol("q", real=True)])
    words = "^the definition of z mentions k, which the statement binds: give one of the two another name$"
    with pytest.raises(ValueError, match=words):
        Domain([sp.Sum(z * k, (k, 1, h))], {z: k + 1})
    for binder in (sp.Product(z * k, (k, 1, h)), sp.Integral(z * x, (x, 0, 1))):
        with pytest.raises(ValueError, match="which the statement binds"):
            Domain([binder, y], {z: k + x})


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("positive integers", 0, "a is positive"), ("positive integers", sp.Rational(1, 2), "a is integer"),
        ("even integers", 3, "d is even"), ("odd integers", 2, "e is not even"), ("real", sp.I, "r is real"),
        ("negative", 3, "w is not positive"), ("nonzero complex", 0, "q is not zero"),
    ],
)  # fmt: skip
def test_a_value_outside_is_refused(kind, value, words):
    symbol = SYMBOLS[kind]
    sentence = f"^{symbol} = {value} lies outside the domain, in which {words}: choose a value inside$"
    with pytest.raises(ValueError, match=sentence):
        Domain([symbol]).refuse_outside({symbol: sp.sympify(value)})
    inside = domain._pool(symbol, False)[0]
    Domain([symbol]).refuse_outside({symbol: inside})


def drawn(matrix, *given):
    return [at(matrix) for _, at in Domain([matrix], given=given).points()][:4]


def alike(left, right):
    return all(near(a, b) for a, b in zip(left.entries(), right.entries(), strict=True))


def test_matrices_are_drawn_as_their_predicates_say():
    for value, other in zip(drawn(A), drawn(A)[1:], strict=False):
        assert not alike(value, other)
        assert not alike(value, value.transpose())
        assert any(entry.imag != 0 for entry in value.entries())
    for value in drawn(A, Q.real_elements(A)):
        assert all(entry.imag == 0 for entry in value.entries())
    for value in drawn(A, Q.symmetric(A)):
        assert alike(value, value.transpose())
        assert value[0, 1] != 0
    for value in drawn(A, Q.diagonal(A)):
        assert value[0, 1] == value[1, 0] == 0 != value[0, 0] * value[1, 1]
    for value in drawn(A, Q.orthogonal(A)):
        assert alike(value * value.transpose(), flint.acb_mat([[1, 0], [0, 1]]))
        assert all(entry.imag == 0 for entry in value.entries())
        assert value[0, 1] != 0
    both = Domain([A * B], given=[Q.symmetric(A)]).points()[0][1]
    assert alike(both(A), both(A.T))
    assert not alike(both(B), both(B.T))
    assert {(value.nrows(), value.ncols()) for value in drawn(C)} == {(2, 3)}


def test_functions_are_drawn_as_their_assumptions_say():
    signs = {
        "positive": lambda v: v.real > 0, "negative": lambda v: v.real < 0,
        "nonnegative": lambda v: v.real >= 0,
        "real": lambda v: v.imag == 0, "integer": lambda v: v.unique_fmpz() is not None,
    }  # fmt: skip
    for name, holds in signs.items():
        u = sp.Function("u", **{name: True})
        at = Domain([u(x) * u(n)]).evaluator({x: sp.Rational(1, 3), n: sp.Integer(2)})
        values = [at(u(e)) for e in (n, n + 1, n - 5)]
        assert all(holds(value) for value in values)
        assert all(value.imag == 0 for value in values)
        assert near(at(u(n)), values[0])
    at = Domain([f(x, y)]).evaluator({x: sp.Integer(1), y: sp.Integer(2)})
    assert at(f(x, y)).imag != 0
    assert not near(at(f(x, y)), at(f(y, x)))
    assert not near(at(f(x, y)), at(f(x, y + 1)))
    assert not near(at(f(x, sp.I)), at(sp.conjugate(f(x, -sp.I))))
    turned = permutation("rho", h)
    at = Domain([turned(0)]).evaluator({h: sp.Integer(6)})
    assert sorted(int(at(turned(place)).unique_fmpz()) for place in range(6)) == list(range(6))
    for place in (-1, 6):
        with pytest.raises(Undefined, match=f"^a permutation of 6 things has no place {place}$"):
            at(turned(place))


def test_a_function_that_is_differentiated_is_smooth():
    at = Domain([sp.Derivative(f(x), x)]).evaluator({x: sp.Integer(1)})
    step = sp.Rational(1, 10**12)
    slope = at((f(x + step) - f(x)) / step)
    assert abs((slope - at(sp.Derivative(f(x), x))).real) < 1e-9


def test_a_comparison_takes_as_many_bits_as_it_needs_and_gives_them_back():
    at = Domain([x]).evaluator({x: sp.Integer(10) ** 30})
    before, asked = flint.ctx.prec, []
    assert at.equal(sp.sin(x) ** 2 + sp.cos(x) ** 2, sp.Integer(1))
    assert not at.equal(x + 1, x)
    assert flint.ctx.prec == before

    def never(_):
        asked.append(flint.ctx.prec)
        raise Undecided("never")

    with pytest.raises(Undecided, match=r"^never$"):
        at.decide(never)
    assert asked == [128, 512, 2048]
    assert flint.ctx.prec == before
    with pytest.raises(Undefined, match=r"^shapes \(2, 2\) and \(\)$"):
        at.equal(sp.eye(2), x)


def test_values_are_shown_to_six_digits():
    at = Domain([x]).evaluator({x: sp.Rational(1, 3)})
    assert at.decimals(x) == "0.333333"
    assert at.decimals(x, 2) == "0.33"
    assert at.decimals(x - sp.I) == "0.333333 + -1i"
    assert at.decimals(sp.Matrix([x, 2])) == "[0.333333, 2]"
    assert at.decimals(sp.ones(2, 3)) == "[1, 1, 1, 1, 1, 1]"
    assert at.decimals(sp.ones(7, 1)) == "[1, 1, 1, 1, 1, 1, …]"
