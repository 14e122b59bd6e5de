"""A proof must be able to fail: false and vacuous statements are refused."""

import ast
import re
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
import torch

from coursebook.content import notebooks
from posenc import proof
from posenc.checks import numbers
from posenc.numeric import decimal, grouped
from posenc.proof import NotProved, Vacuous, agree, differ, measure, permutation, prove, refute
from posenc.proof.rewriting import vanishes

p, k = sp.symbols("p k", real=True)
w = sp.Symbol("omega", positive=True)
RUN = agree([1.0, 2.0], [1.0, 2.0 + 1e-14], within=1e-12, on="two numbers")
WRONG = differ([1.0], [2.0], beyond=0.5, on="one number")


def test_a_card_shows_statement_domain_proof_and_run():
    sides = sp.sin(2 * w * p), 2 * sp.sin(w * p) * sp.cos(w * p)
    bundle = prove("double", *sides, by="angle addition", run=RUN, title="A double angle")._repr_mimebundle_()
    domain, verdict = r"For all real $p$ and positive $\omega$.", "by angle addition."
    run = "two numbers: difference < 10⁻¹² over 2 numbers."
    words = {"id": "double", "kind": "proved", "title": "A double angle", "claim": ""}
    record = words | {"domain": domain, "verdict": verdict, "run": run}
    statement = r"\sin{\left(2 \omega p \right)} = 2 \sin{\left(\omega p \right)} \cos{\left(\omega p \right)}"
    assert bundle[proof.MIME] == record | {"statement": statement}
    lines = "**A double angle**", f"$$\n{statement}\n$$", domain, f"**Proved** {verdict} **Run:** {run} `double`"
    assert bundle["text/markdown"] == "\n\n".join(lines)
    assert bundle["text/plain"].endswith(f"Proved {verdict}\nRun: {run}")


def test_the_domain_of_a_card_is_where_it_was_checked():
    x = sp.Symbol("x", positive=True)
    n, k, T = sp.symbols("n k T", integer=True, positive=True)
    m, j = sp.Symbol("m", integer=True), sp.Symbol("j", integer=True, nonnegative=True)
    sides = sp.Sum(sp.KroneckerDelta(n, m) * sp.sin(m * x), (m, 1, k)), sp.sin(n * x)
    assert proved(*sides, by="pick", given=[n <= k]).domain == r"For all positive integers $k, n$ and positive $x$ with $n \leq k$."
    with pytest.raises(NotProved, match="false at"):
        proved(*sides, by="pick")
    f, sigma = sp.Function("f"), permutation("sigma", T)
    sides = sp.Sum(f(sigma(j)), (j, 0, T - 1)), sp.Sum(f(j), (j, 0, T - 1))
    assert proved(*sides, by="re-index").domain == r"For all positive integers $T$, every permutation $\sigma$ of $0, \dots, T - 1$ and every function $f$."


# --- cards and refusals in full -----------------------------------------------------------------

x, a, b, c, d = sp.Symbol("x"), *sp.symbols("a b c d", real=True)
m, n = sp.Symbol("m", integer=True, positive=True), sp.Symbol("n", integer=True, nonnegative=True)
f, F = sp.Function("f"), sp.Function("F")
L, A, X = sp.Symbol("L"), sp.MatrixSymbol("A", 2, 2), sp.MatrixSymbol("X", 2, 2)


def proved(left, right, **more):
    return prove("id", left, right, **({"by": "expand", "run": RUN, "title": "T"} | more))


def proved_by_induction(closed, first=k, then=L + k, term=L, **more):
    usual = {"over": m, "by": "expand", "run": RUN, "title": "T"}
    return proof.prove_by_induction("id", term, closed, first=first, then=then, **(usual | more))


def refuted(left, right, at, **more):
    return refute("id", left, right, at=at, **({"run": WRONG, "title": "T: not so"} | more))


EXACTLY = {
    "steps stand under each other, with their reasons": (
        lambda: proved(sp.cos(2 * p), 2 * sp.cos(p) ** 2 - 1, by=["angle addition", "trigsimp"], steps=[(sp.cos(p) ** 2 - sp.sin(p) ** 2, "addition"), 1 - 2 * sp.sin(p) ** 2], leans_on="π is irrational"),
        r"\begin{aligned} \cos{\left(2 p \right)} &= - \sin^{2}{\left(p \right)} + \cos^{2}{\left(p \right)} && \text{addition} \\[4pt] &= 1 - 2 \sin^{2}{\left(p \right)} \\[4pt] &= 2 \cos^{2}{\left(p \right)} - 1 \end{aligned}",
        ("cos(2*p) = 2*cos(p)**2 - 1", "For all real p.", "Proved by angle addition, then SymPy's trigsimp. It leans on a fact stored in SymPy: π is irrational.")),
    "induction of numbers": (
        lambda: proved_by_induction(m * k),
        r"\begin{gathered} L_{1} = k,\quad L_{m + 1} = L_{m} + k \\[6pt] \Rightarrow\quad L_{m} = k m \end{gathered}",
        ("L(1) = k, L(m + 1) = L + k => L(m) = k*m", "For all positive integers m and real k.", "Proved by induction on m: the base m = 1 and the step, each by expanding.")),
    "induction under a condition": (
        lambda: proved_by_induction((1 - k**m) / (1 - k), first=1, then=L + k**m, by=["powers", "simplify"], given=[sp.Ne(1 - k, 0)]),
        r"\begin{gathered} L_{1} = 1,\quad L_{m + 1} = L_{m} + k^{m} \\[6pt] \Rightarrow\quad L_{m} = \frac{1 - k^{m}}{1 - k} \end{gathered}",
        ("L(1) = 1, L(m + 1) = L + k**m => L(m) = (1 - k**m)/(1 - k)", "For all positive integers m and real k with Ne(1 - k, 0).", "Proved by induction on m: the base m = 1 and the step, each by the laws of powers, then SymPy's simplify.")),
    "a counterexample with a function, a matrix and a definition": (
        lambda: refuted(a * f(p) * sp.Determinant(A), f(p) + sp.Determinant(A), {p: 2, f: sp.Lambda(x, x**2), A: sp.Matrix([[1, 2], [3, 4]])}, where={a: sp.Integer(3)}, run=[WRONG, WRONG]),
        r"\begin{gathered} a f{\left(p \right)} \det{\left(A \right)} \;\ne\; f{\left(p \right)} + \det{\left(A \right)} \\[6pt] \text{where}\quad a = 3 \end{gathered}",
        ("not always a*f(p)*Determinant(A) = f(p) + Determinant(A), where a = 3", "at p = 2, f = Lambda(x, x**2), A = Matrix([ [1, 2], [3, 4]])", "left: -24", "right: 2")),
    "two numbers that differ": (
        lambda: refuted(sp.sin(1) ** 2, sp.cos(1) ** 2, {}),
        r"\sin^{2}{\left(1 \right)} \;\ne\; \cos^{2}{\left(1 \right)}",
        ("not always sin(1)**2 = cos(1)**2", "left: sin(1)**2 = 0.7081", "right: cos(1)**2 = 0.2919")),
}


@pytest.mark.parametrize("name", EXACTLY)
def test_a_card_reads_in_full(name):
    make, statement, plain = EXACTLY[name]
    card = make()
    assert card.statement == statement
    assert tuple(re.sub(" +", " ", line) for line in card.plain) == plain
    assert repr(card).splitlines() == [f"{card.title} [{card.id}]", *card.plain, f"Run: {card.run}"]


def test_a_counterexample_is_put_into_words():
    card = EXACTLY["a counterexample with a function, a matrix and a definition"][0]()
    point = r"$p = 2, f = \left( x \mapsto x^{2} \right), A = \left[\begin{matrix}1 & 2\\3 & 4\end{matrix}\right]$"
    assert card.verdict == f"not always: at {point} the left side is $-24$, the right side $2$."
    assert card.domain == r"Not always equal, over all real $p$, every function $f$ and every matrix $A$ of size $2 \times 2$."
    assert card.run == " ".join(["one number: difference > 0.5 over one number."] * 2)
    card = EXACTLY["two numbers that differ"][0]()
    assert card.domain == ""
    assert card.verdict == r"not always: here the left side is $\sin^{2}{\left(1 \right)} \approx 0.7081$, the right side $\cos^{2}{\left(1 \right)} \approx 0.2919$."
    assert r"$1 - 7 \mathrm{i}$, the right side $3$" in refuted((1 - 2 * sp.I) * (p - sp.I), p, {p: 3}).verdict


def test_the_words_of_a_card_are_shown_as_they_are():
    card = measure("count", 5, exactly=5, on="2*8*1 grid", title="p < q and q>r, R&amp;D *", claim="S9")
    shown = r"**p < q and q>r, R&amp;amp;D \***", r"**Measured** 2\*8\*1 grid: 5, counted. `count`"
    assert card._repr_mimebundle_()["text/markdown"] == "\n\n".join(shown)
    assert repr(card) == "p < q and q>r, R&amp;D * [count]\n2*8*1 grid: 5, counted."
    assert repr(measure("same", RUN, title="Two roads")) == f"Two roads [same]\n{RUN.text}"
    for make in (
        lambda **more: proved(p * (k + 1), p * k + p, **more),
        lambda **more: proved_by_induction(m * k, **more),
        lambda **more: refuted(p, 2 * p, {p: 1}, **more),
        lambda **more: measure("id", RUN, title="T", **more),
    ):
        assert (make(claim="S7").claim, make().claim) == ("S7", "")


SQUARES = sp.cos(p) ** 2 - sp.sin(p) ** 2
AGREE = "id: run must be what agree(…) returns, got {}: compare two computations of it"
FLOAT = "1.00000000000000 is a float: write an exact number, as Rational(1, 100) for 0.01"
NO_REWRITING = "by must name a rewriting, got {}: choose from expand, angle addition, trigsimp, …"
REFUSED = [
    (lambda: proved(p, k, by="magic"), NO_REWRITING.format("'magic'")),
    (lambda: proved(p, k, by=[]), NO_REWRITING.format("[]")),
    (lambda: proved(p, k, by=["expand", lambda e: 0]), "by must name a rewriting, got <function …"),
    (lambda: proved(p, k, title=" "), "title must say in words what 'id' states, got an empty text: write one line"),
    (lambda: prove("-id", p, k, by="expand", run=RUN, title="T"), "id must be words joined by hyphens, got '-id': try 'shift-is-rotation'"),
    (lambda: proved(p, k, run=None), AGREE.format("None")),
    (lambda: proved(p, k, run=[RUN, WRONG]), AGREE.format([RUN, WRONG])),
    (lambda: proved_by_induction(m * k, run=[RUN, 7]), AGREE.format([RUN, 7])),
    (lambda: refuted(p, k, {p: 1, k: 2}, run=RUN), AGREE.replace("agree", "differ").format(RUN)),
    (lambda: proved(1.0 * p, k), FLOAT),
    (lambda: proved(a * p, p, where={a: sp.Float(1)}), FLOAT),
    (lambda: proved_by_induction(m * k, then=L + 1.0 * k), FLOAT),
    (lambda: refuted(f(p), k, {p: 1, k: 2, f: sp.Lambda(x, 1.0 * x)}), FLOAT),
    (lambda: refuted(p, k, {p: 0.5, k: 1}), "at must hold exact values, got 0.5: write Rational(1, 100) in place of 0.01"),
    (lambda: proved(p + 0 * k, p), "id: both sides are p; state two different expressions; where SymPy made one of the other, build that with evaluate=False"),
    (lambda: proved(X, sp.eye(2), where={X: sp.eye(2)}), "id: both sides are X; state two different expressions; where SymPy made one of the other, build that with evaluate=False"),
    (lambda: proved(sp.true, None), "id: True is not an open statement; pass two sides or evaluate=False"),
    (lambda: proved(sp.sin(1) ** 2, 1 - sp.cos(1) ** 2), "id: no free symbol, so this is arithmetic; use measure, or state it for every value"),
    (lambda: proved(sp.sin(2 * p), 2 * sp.sin(p) * sp.cos(p), steps=[sp.sin(2 * p)]), "id: the step sin(2*p) repeats a line before it; leave it out"),
    (lambda: proved(sp.cos(2 * p), 2 * sp.cos(p) ** 2 - 1, steps=[SQUARES, 1 - 2 * sp.sin(p) ** 2, SQUARES], by=["angle addition", "trigsimp"]), "id: the step -sin(p)**2 + cos(p)**2 repeats a line before it; leave it out"),
    (lambda: proved(sp.cos(2 * p), 2 * sp.cos(p) ** 2 - 1, steps=[-SQUARES], by="trigsimp"), "false at p = …"),
    (lambda: proved(sp.Matrix([p]), sp.Matrix([p, p])), "left and right must have one shape, got (1, 1) and (2, 1): reshape one"),
    (lambda: proved(sp.sin(2 * p), 2 * sp.sin(p) * sp.cos(p)), "left - right does not reduce to zero; what is left: -2*sin(p)*cos(p) + sin(2*p); by='angle addition' would do"),
    (lambda: proved(sp.Ne(p**2 + k**2 + 1, p), None), "the relation does not reduce to true; what is left: Ne(k**2 + p**2 - p + 1, 0); name another rewriting in by ('simplify' takes longest and does most), or add steps"),
    (lambda: proved(sp.sqrt(p), k), "sqrt(p) need not have a value: p must be positive, by an assumption or by given=[p > 0]"),
    (lambda: proved(p * sp.Sum(m, (m, 1, n), (n, 1, 3)), 10 * p), "Sum(m, (m, 1, n), (n, 1, 3)) runs over two letters, which is not in the language of statements: bind one"),
    (lambda: prove(sp.sin(p), -p, title="No id", by="expand"), "id must be words joined by hyphens, got sin(p): try 'shift-is-rotation'"),
    (lambda: proved(sp.sin(p), -sp.sin(p)), "false at p = pi/2: the left side is 1, the right side -1"),
    (lambda: proved(A * (X + A), A * X - A * A), "false as it stands, with A, X drawn at random: …"),
    (lambda: proved_by_induction(m * k, over=k), "over must be a symbol of integers from 0 or 1 on, got k: declare integer=True, nonnegative=True"),
    (lambda: proved_by_induction(m * k, given=[sp.Lt(m, 3)]), "id: given must be of other symbols than m and L, got m < 3"),
    (lambda: proved_by_induction(m * k, then=k), "id: then must use L, closed must use m and not L, and first neither"),
    (lambda: refuted(p, p, {p: 1}), "id: both sides are p; there is nothing to refute"),
    (lambda: refuted(p, 2 * p, {p: 0}), "left and right are equal at {p: 0}: 0; choose another point"),
    (lambda: refuted(p * k * w, p, {a: 0}), "at must give a value to each symbol of the statement and to no other, got {a: 0}: add k, omega, p"),
    (lambda: refuted(p, 2 * p, {p: 1, a: 0, b: 1}), "at must give a value to each symbol of the statement and to no other, got {p: 1, a: 0, b: 1}: leave out a, b"),
    (lambda: refuted(p, k, {p: 1, k: 1}, given=[k > p]), "{p: 1, k: 1} lies outside the domain [k > p]: choose a point inside"),
    (lambda: refuted(w, k, {w: -1, k: 1}), "omega = -1 lies outside the domain, in which omega is positive: choose a value inside"),
    (lambda: refuted(p, sp.floor(sp.sin(p) ** 2 + sp.cos(p) ** 2), {p: 1}), "at {p: 1} the sides cannot be told apart: choose another point"),
    (lambda: measure("id", RUN, title="T", below=1), "id: a run has its own bound: leave out above, below, exactly and digits"),
]


@pytest.mark.parametrize(("call", "words"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_refused_is_refused_in_one_sentence(call, words):
    with pytest.raises((ValueError, TypeError, ArithmeticError, NotProved)) as problem:
        call()
    refusal = str(problem.value)
    assert refusal.startswith(words[:-1]) if words.endswith("…") else refusal == words


# --- runs and experiments ---------------------------------------------------------------------


@pytest.mark.parametrize("place", range(4))
def test_one_wrong_entry_of_a_matrix_is_false_whatever_the_others_are(place):
    right, wrong = sp.Matrix(2, 2, [p, k, p * k, 1]), sp.Matrix(2, 2, [p, k, p * k, 1])
    wrong[place] += 1
    with pytest.raises(NotProved, match=rf"^false at .*: entry \[{place // 2}, {place % 2}\] of the left side is "):
        proved(right, wrong)
    assert not vanishes(right - wrong)


PAIR, TABLE = torch.tensor([1.0, 2.0]), torch.tensor([[1.0, 2.0], [2.0, 1.0]])
NUMBERS, NAN, INF = [1.0, 2.0], float("nan"), float("inf")
CLOSE = [
    (PAIR, [1.0, 2.0 + 1e-9], 1e-8),
    (PAIR, [sp.Integer(1), sp.Integer(2)], 0),
    ([1e-15], [0.0], 1e-12),
    (torch.tensor([1j]), [sp.I], 1e-12),
    (torch.tensor([1.5], dtype=torch.bfloat16), [1.5], 0),
    ([8.0], [8.0 + 1e-9], 0.9),
    ([0.0, 1.0], [1e-7, 1.0], 1e-6),  # of float32
    (TABLE, TABLE.T, 1e-12),
    (TABLE[1:, 1:], TABLE[:-1, :-1], 1e-12),  # another slice and the transpose are other tables
    (torch.tensor([2**60]), [sp.Integer(2) ** 60], 0),
    (torch.tensor([True]), [1], 0),
    (sp.eye(2), [[1, 0], [0, 1]], 0),
    ([np.float64(1.5), sp.Rational(1, 2)], [1.5, 0.5], 0),
]
APART = {
    "n: the largest difference is .*, past": [
        *[(PAIR, [1.0, 2.1], 1e-3), ([2.0], [2.25], 0.25), ([1.0012345645], [1.0], 0.0012345649), ([4 + 4j], [1], 0.1)],  # as it would be shown
        *[(2**60 + 1, 2**60, 0), (torch.tensor([2**60 + 1]), [2.0**60], 0), ([2**60 + 1, 0.5], [2**60, 0.5], 0), ([2**53 + 1], [complex(2**53)], 0)],
        *[([Fraction(10**20 + 1)], [10**20], 0), ([sp.Rational(3 * 10**20 + 1, 3)], [10**20], 0)],
    ],
    "shapes differ": [(PAIR, [[1.0, 2.0]], 1e-3)],
    "ours holds a value that is not finite": [([value], [1.0], 1e-3) for value in (NAN, INF, complex("nan"))],
    "theirs holds a value that is not finite": [([1.0], [value], 1e-3) for value in (NAN, INF, complex("nan"))],
    "ours and theirs are one object": [(PAIR, PAIR, 1e-3), (NUMBERS, NUMBERS, 1e-3)],
    "(ours|theirs) is empty": [([], [1.0], 0), ([1.0], [], 0)],
    "ours is not a table": [([[1.0, 2.0], [3.0]], [[1.0, 2.0], [3.0]], 0)],
    "within = .* is no bound": [(PAIR, [1.0, 2.0], within) for within in (INF, NAN, -1)],
    "within = .* says nothing": [
        *[(PAIR, [1.0, 2.0], 5), (PAIR, [1.0, 2.0], 1), ([100.0], [0.0], 1000), ([8.0], [8.0], 4), ([1e6], [1.4e6], 4e5), ([0.25, 0.75], [0.3, 0.7], 0.06), ([0.0], [0.0], 1e-6), ([5.0, -1e9], [0.0, -1e9], 6)],
        *[([1e9] * 3 + [5.0, 7.0], [1e9] * 3 + [0.1, 0.2], 10), ([-1e9] * 9 + [5.0], [-1e9] * 9 + [0.0], 6), ([5.0, -1e9], [0.0, -1e9], 6)],
        *[([9e-7, 0.0], [0.0, 0.0], 9.5e-7), ([9e-7, 1e-6], [0.0, 1e-6], 9.5e-7), ([1e-4, 1.0], [0.0, 1.0], 2e-4)],
    ],
    "within = .* says nothing of numbers that are themselves within": [
        *[([1000.0, 1002.0], [1002.0, 1000.0], 3), ([0.99, 1.01], [1.01, 0.99], 0.05), ([100j, 100.1j], [100.1j, 100j], 0.2)],
    ],
    "within = True is no number": [([9.0], [9.5], True)],
    "'1.0' is a text: give a number": [(["1.0"], [1.0], 0)],
    ".* is no number of the machine": [([sp.sqrt(2) + sp.Rational(1, 10**30)], [1.5], 0), ([1.5], [sp.sqrt(2)], 0)],
}


def test_agree_accepts_what_is_close():
    for ours, theirs, within in CLOSE:
        assert agree(ours, theirs, within=within, on="n").kind == "agrees"
    assert agree(*CLOSE[0][:2], within=1e-8, on="pairs").text == "pairs: difference < 10⁻⁸ over 2 numbers."
    assert agree([8.0], [8.0], within=0, on="eight").text == "eight: no difference over one number."
    assert agree([1.0, 1.0], [1.0, 1.0 - 1e-9], within=1e-8, on="rows").text == "rows: difference < 10⁻⁸ over 2 numbers, all equal."


@pytest.mark.parametrize(("words", "ours", "theirs", "within"), [(words, *case) for words, cases in APART.items() for case in cases])
def test_agree_refuses_what_is_not_and_what_could_not_fail(words, ours, theirs, within):
    with pytest.raises((NotProved, Vacuous, ValueError, TypeError), match=f"^{words}"):
        agree(ours, theirs, within=within, on="n")


def test_agree_keeps_its_own_bound_at_every_entry():
    ours = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    for step in torch.eye(3, dtype=torch.float64):
        assert agree(ours, ours + 0.9e-3 * step, within=1e-3, on="near").kind == "agrees"
        with pytest.raises(NotProved, match=r"past 0\.001"):
            agree(ours, ours + 1.1e-3 * step, within=1e-3, on="just past the bound")


def test_differ_is_met_by_a_difference_and_not_by_rounding():
    assert differ([1.0], [2.0], beyond=0.5, on="far").text == "far: difference > 0.5 over one number."
    for ours, theirs, beyond in ((2**60 + 1, 2**60, 0.5), ([sp.Integer(1)], [sp.Integer(2)], 1e-9), ([1.015], [1.0], 0.01), ([0.02], [0.0], 0.01)):
        assert differ(ours, theirs, beyond=beyond, on="more than rounding").kind == "differs"
    ends = torch.tensor([-(2**63)]), torch.tensor([2**63 - 1])
    assert differ(*ends, beyond=2.0**63, on="the ends of int64").kind == "differs"
    for beyond in (1, 1.5):
        with pytest.raises(NotProved, match=f"is only 1, not beyond {beyond}"):
            differ([1.0], [2.0], beyond=beyond, on="far")
    no_bounds = [([1.0], [2.0], beyond) for beyond in (0, -1, NAN, INF)]
    rounding = [([1], [2], 0), ([1e7], [1e7 + 5], 1), ([0.1 + 0.2], [0.3], 1e-17), ([1.2e-16], [0.0], 1e-17), ([2e-5], [0.0], 1e-5)]
    rounding += [(torch.tensor([1 / 3]).bfloat16(), [1 / 3], 1e-4), ([1.0001] * 9, [1.0] * 9, 5e-5)]
    for ours, theirs, beyond in no_bounds + rounding:
        with pytest.raises(Vacuous, match="larger bound"):
            differ(ours, theirs, beyond=beyond, on="far")


def test_a_run_wants_words():
    for verb, bound in ((agree, {"within": 0}), (differ, {"beyond": 0.5})):
        with pytest.raises(ValueError, match="on must say what was run, got ' '"):
            verb([1.0], [2.0], on=" ", **bound)


def test_an_induction_says_for_which_letters_it_holds_also_where_they_cancel():
    u, v = sp.symbols("u v", positive=True)
    first = sp.log(u * v, evaluate=False) - sp.log(u) - sp.log(v)
    card = proved_by_induction(n, first=first, then=L + 1, over=n, by=["expand", "powers"])
    assert card.domain == "For all non-negative integers $n$ and positive $u, v$."


def test_a_refutation_says_in_its_title_that_the_claim_fails():
    with pytest.raises(ValueError, match="title must say that this is not always so, got 'Squares equal their roots'"):
        refuted(k**2, k, at={k: 2}, title="Squares equal their roots")


def test_a_proof_leans_on_what_sympy_knows():
    with pytest.raises(ValueError, match="leans_on must be one of π is irrational"):
        proved(p * (k + 1), p * k + p, leans_on="every vector has length 1")


@pytest.mark.parametrize("chapter", notebooks(), ids=lambda chapter: chapter.name)
def test_the_two_sides_of_a_run_or_a_measurement_come_by_different_roads(chapter):
    sources = [cell.source for cell in chapter.cells if cell.kind == "code"]
    nodes = [node for source in sources if "%pip" not in source for node in ast.walk(ast.parse(source))]
    plain = [node for node in nodes if isinstance(node, ast.Assign)]
    names = {ast.unparse(node.targets[0]): ast.unparse(node.value) for node in plain}
    for call in nodes:
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("agree", "differ", "measure"):
            bounds = [word.value for word in call.keywords if word.arg in ("within", "beyond", "above", "below", "exactly")]
            sides = [*call.args, *(word.value for word in call.keywords if word.arg in ("ours", "theirs"))]
            texts = [ast.unparse(side) for side in [*sides, *bounds]]
            texts = [names[text] if names.get(text, "").isidentifier() else text for text in texts]
            assert len({*texts}) == len(texts), ast.unparse(call)
            values, limits = ({n.id for e in es for n in ast.walk(e) if isinstance(n, ast.Name)} for es in (sides, bounds))
            assert not values & limits - {"math"}, ast.unparse(call)  # a bound that the value sets is none


def test_numbers_of_any_kind_become_floats():
    for values, kind in (([1, sp.Integer(2)], float), (torch.tensor([1, 2j]), complex)):
        plain, shape = numbers(values)
        assert shape == (2,)
        assert set(map(type, plain)) == {kind}
        assert sum(value.real + value.imag for value in plain) == 3
    with pytest.raises(Vacuous, match=r"^the answer is empty"):
        numbers([])


MISSED = {
    "give above, below, both, or exactly": [(7.77, {})],
    "a bound of .* cannot be missed": [(7.77, {"below": INF}), (7.77, {"below": NAN})],
    "the value is .*, not a finite": [(NAN, {"above": 7}), (INF, {"above": 7}), (1j, {"above": 7})],
    "the value is .*, which counts nothing": [
        *[(value, {"exactly": 1}) for value in (True, False, torch.tensor(True), np.bool_(True), sp.true)],
        ("3", {"above": 2, "below": 4}),
    ],
    "(above|exactly) = .* is no": [(7.77, {"above": True}), (7.77, {"above": "7"}), (1, {"exactly": True}), (2.5, {"exactly": 2.5})],
    "exactly = 5 leaves no room": [(5, {"exactly": 5, "digits": 2}), (5, {"exactly": 5, "above": 1})],
    "counted .*, expected": [(7.77, {"exactly": 8}), (sp.Rational(3 * 10**20 + 1, 3), {"exactly": 10**20})],
    "measured .*, expected above .* and below": [
        *[(7.77, {"above": 8}), (7.77, {"below": 7}), (7.77, {"above": 7.77}), (7.77, {"below": 7.77})],
        (0.12345655, {"above": 0.12345651}),  # shown as 0.123457
    ],
    "measured .*, more than tenfold inside": [
        *[(7.77, {"above": 0.01}), (7.77, {"above": 0}), (7.77, {"below": 1000}), (7.77, {"above": 7, "below": 1000})],
        *[(5.0, {"above": 1e-7}), (2e-6, {"above": 1e-7}), (10.5, {"above": 1})],
    ],
    "a bound of .* has another sign than the value": [
        *[(-5.0, {"below": 1e-7}), (-0.3, {"below": 0.5, "digits": 1}), (3, {"above": -1, "digits": 0})],
        *[(0.5, {"above": -1, "below": 1}), (0, {"above": -1, "digits": 0})],
    ],
    "a share cannot miss a bound": [
        *[(0.5, {"below": 1}), (0.5, {"above": 0, "below": 1, "digits": 1}), (0.5, {"above": 0, "digits": 2})],
        *[(0.93, {"below": 1.01, "digits": 2}), (-0.5, {"above": -1.01}), (1.0, {"below": 1.5})],
    ],
    r"the value is \[7.77\]|\[7.77\] is a list": [(torch.tensor([7.77], dtype=torch.float64), {"above": 7})],
    "measured .*, more than a hundredfold inside": [
        *[(5.0, {"below": 1e9, "digits": 1}), (0.5, {"above": 1e-9, "digits": 1}), (3.2, {"above": 0, "digits": 1})],
        (3, {"above": 0, "digits": 0}),
    ],
    "measured .*, which is 0.3 but for rounding": [(0.1 + 0.2, {"above": 0.3})],
    "to 2 digits .* is shown as 0": [(0.004, {"below": 0.01, "digits": 2}), (-0.002, {"below": -0.001, "digits": 2})],
    "to 0 digits .* is past its bound": [(0.6, {"above": 0.5, "digits": 0}), (0.95, {"below": 0.96, "digits": 0})],
}


@pytest.mark.parametrize(("words", "value", "bounds"), [(words, *case) for words, cases in MISSED.items() for case in cases])
def test_a_measurement_that_misses_its_bound_is_named_with_it(words, value, bounds):
    with pytest.raises((Vacuous, NotProved, ValueError, TypeError), match=f"^norm: {words}"):
        measure("norm", value, title="Norm", **bounds)


@pytest.mark.parametrize(("value", "bounds", "verdict"), [
    (-7.77, {"below": -7, "digits": 2}, "−7.77, required below −7."),
    (3e-5, {"above": 2.1e-5}, "above 2.1·10⁻⁵."),
    (1e-12, {"below": 1e-6}, "below 10⁻⁶."),
    (-1e-9, {"below": 1e-7}, "below 10⁻⁷."),
    (-7.77, {"above": -8, "below": -7}, "above −8 and below −7."),
    (10.0, {"above": 1}, "above 1."),
    (torch.tensor(7.75), {"above": 7}, "above 7."),
    (sp.Rational(31, 4), {"above": 7, "digits": 2}, "7.75, required above 7."),
    (sp.sqrt(2), {"above": 1}, "above 1."),
    (7.77, {"above": 7, "below": 8}, "above 7 and below 8."),
    (7.77, {"above": 0, "below": 8}, "above 0 and below 8."),
    (7.77, {"above": 7, "below": 8, "digits": 2, "on": "d = 64"}, "d = 64: 7.77, required above 7 and below 8."),
    (12_345.6, {"above": 12_000, "digits": 0}, "12 346, required above 12 000."),
    (5, {"exactly": 5}, "5, counted."),
    (0.996, {"above": 0.9, "digits": 2}, "1.00, required above 0.9."),
    (RUN, {}, RUN.text),
])
def test_a_measurement_is_put_into_words(value, bounds, verdict):
    card = measure("norm", value, title="Norm", **bounds)
    assert (card.kind, card.verdict) == ("measured", verdict)


def test_numbers_are_written_short_and_in_groups():
    groups = {0: "0", 4096: "4096", 9_999.4: "9999", 9_999.6: "10 000", 109_482_240: "109 482 240", -62_000: "−62 000"}
    for number, written in groups.items():
        assert grouped(number) == written
    decimals = {-0.5: "−0.5", 62_000.0: "62 000", 12_345.6: "12345.6", 1e-15: "10⁻¹⁵", 2.1e-5: "2.1·10⁻⁵", 1e7: "10⁷"}
    for number, written in decimals.items():
        assert decimal(number) == written
