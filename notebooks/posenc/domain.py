"""What a statement is about: its symbols with their assumptions, in words and as points to try it at."""

import random
from itertools import count

import sympy as sp
from flint import acb, acb_mat, ctx
from sympy.assumptions import AppliedPredicate
from sympy.core.function import AppliedUndef
from sympy.tensor.indexed import Indexed

from .balls import Evaluator, Undecided, Undefined, Unsampled, entries, near, shape, whole

POINTS = 16  # tried for each statement
ENOUGH = 6  # decided, or the statement counts as not sampled
PRECISIONS = (128, 512, 2048)  # bits

_WHOLE = [0, 1, 2, 3, 4, 5, 7, 10, 13, 64, -1, -2, -3, -5, -8, -40, 1001, 1000003, -100002]
_REAL = [
    *(sp.Rational(*f) for f in ((3, 7), (-13, 4), (1, 1000), (22, 3), (-5, 9), (17, 6), (99, 100), (-1, 50))),
    sp.Integer(-70001) / 3, sp.Rational(100003, 7), sp.sqrt(2), -sp.pi / 3,
]  # fmt: skip
_COMPLEX = [
    sp.Rational(*a) + sp.I * sp.Rational(*b) for a, b in
    (((1, 3), (2, 5)), ((-7, 4), (1, 9)), ((0, 1), (-3, 2)), ((5, 2), (-8, 3)), ((-1, 6), (-2, 7)))
]  # fmt: skip
_SIZES = [1, 2, 3, 4, 5, 6, 0, 8, 9]


class TooNarrow(ValueError):
    """No points could be found that meet the conditions."""


def permutation(name, size):
    """A function that permutes the whole numbers 0, …, size − 1: every permutation, in a statement."""
    function = sp.Function(name, integer=True, nonnegative=True)
    function.permutes = sp.sympify(size)
    return function


class Domain:
    """The symbols, functions and matrices of a statement, and the conditions on them.

    sides: expressions. definitions: as in `where`. given: relations, or predicates of matrices such as
    `Q.orthogonal(W)`.
    """

    def __init__(self, sides, definitions=None, given=()):
        self.definitions = dict(definitions or {})
        self.predicates = [g for g in given if isinstance(g, AppliedPredicate)]
        self.given = [g for g in given if not isinstance(g, AppliedPredicate)]
        self.bodies = [
            d.expr if isinstance(d, sp.Lambda) else sp.sympify(d) for d in self.definitions.values()
        ]
        self.all = [sp.sympify(s) for s in sides] + self.bodies + [sp.sympify(g) for g in self.given]
        self._refuse_capture(sides)
        names = set(self.definitions)
        free = set().union(*(side.free_symbols for side in self.all)) if self.all else set()
        for definition in self.definitions.values():
            if isinstance(definition, sp.Lambda):
                free -= set(definition.variables) - set().union(*(sp.sympify(s).free_symbols for s in sides))
        bases = {i.base for e in self.all for i in e.atoms(Indexed)}
        labels = {base.label for base in bases} | bases
        self.matrices = _sorted(s for s in self._atoms(sp.MatrixSymbol) if s not in names)
        sizes = set().union(*(n.free_symbols for m in self.matrices for n in m.shape), set())
        self.symbols = _sorted(s for s in free | sizes if s.is_Symbol and s not in names and s not in labels)
        self.functions = _sorted({f.func for f in self._atoms(AppliedUndef)} - names)
        permuted = {n for f in self.functions for n in getattr(f, "permutes", sp.S.Zero).free_symbols}
        self.symbols = _sorted({*self.symbols, *permuted})
        self._refuse_two_of_one_name()
        self.bases = _sorted(bases)
        self.sizes = sizes | permuted | self._counted()
        self.analytic = any(e.has(sp.Derivative, sp.Integral) for e in self.all)

    def _atoms(self, kind):
        return {atom for e in self.all for atom in e.atoms(kind)}

    def _counted(self):
        """Symbols that say how long a sum is, or how often a matrix is multiplied."""
        ends = [
            end
            for e in self.all
            for s in e.atoms(sp.Sum, sp.Product)
            for _, *ends in s.limits
            for end in ends
        ]
        ends += [power.exp for e in self.all for power in e.atoms(sp.MatPow)]
        return {symbol for end in ends for symbol in end.free_symbols}

    def _refuse_two_of_one_name(self):
        names = [str(s) for s in (*self.symbols, *self.matrices)]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise ValueError(
                f"two symbols are called {', '.join(sorted(twice))}, with different assumptions: "
                "declare each name once"
            )

    def _refuse_capture(self, sides):
        bound = set()
        for e in sides:
            for node in sp.preorder_traversal(sp.sympify(e)):
                if isinstance(node, (sp.Sum, sp.Product, sp.Integral)):
                    bound |= {variable for variable, *_ in node.limits}
        for name, definition in self.definitions.items():
            caught = bound & sp.sympify(definition).free_symbols
            if caught:
                raise ValueError(
                    f"the definition of {name} mentions {', '.join(map(str, caught))}, "
                    "which the statement binds: give one of the two another name"
                )

    # --- points -------------------------------------------------------------------------------

    def points(self, seed=0):
        """Up to POINTS points of the domain: pairs of the exact values and an Evaluator."""
        found, chance = [], random.Random(seed)
        for attempt in count():
            if len(found) == POINTS or attempt > 400:
                break
            exact = {s: self._value(s, chance, attempt) for s in self.symbols}
            if exact in [before for before, _ in found] and not (
                self.functions or self.matrices or self.bases
            ):
                continue
            evaluator = self.evaluator(exact, chance)
            if self._allowed(evaluator):
                found.append((exact, evaluator))
        if not found:
            raise TooNarrow(f"no point was found that meets {self.given}: state the domain otherwise")
        return found

    def _value(self, symbol, chance, attempt):
        pool = _pool(symbol, symbol in self.sizes)
        if self.analytic:  # an integral over thousands of turns costs minutes and shows no more
            pool = [value for value in pool if abs(value) < 30] or pool
        if attempt == 0 and sp.S.Zero in pool:
            return sp.S.Zero
        return chance.choice(pool[:12] if attempt % 3 else pool)

    def _allowed(self, evaluator):
        try:
            return all(evaluator(condition) for condition in self.given)
        except (Undefined, Undecided):
            return False

    def evaluator(self, exact, chance=None, functions=None, matrices=None):
        """An Evaluator at exact values; what they leave open is drawn at random."""
        chance = chance or random.Random(0)
        seeds = {f: chance.getrandbits(32) for f in [*self.functions, *self.bases, *self.matrices]}

        def build():
            plain = Evaluator({}, {}, self.definitions)
            values = {s: plain(v) for s, v in exact.items()}
            sized = Evaluator(values, {}, self.definitions)
            for m in self.matrices:
                values[m] = (
                    sized((matrices or {})[m]) if m in (matrices or {}) else self._matrix(m, sized, seeds[m])
                )
            drawn = {f: self._function(f, sized, seeds[f]) for f in [*self.functions, *self.bases]}
            return Evaluator(values, drawn, self.definitions | (functions or {}))

        return _AtPrecision(build)

    def _matrix(self, symbol, sized, seed):
        rows, columns = (whole(sized(n), "a size") for n in symbol.shape)
        names = {p.function for p in self.predicates if symbol in p.arguments}
        real = names & {sp.Q.real_elements, sp.Q.orthogonal, sp.Q.integer_elements}
        chance = random.Random(seed)
        parts = [acb(chance.randint(-30, 30)) / 8 for _ in range(2 * rows * columns)]
        size = rows * columns
        matrix = acb_mat(rows, columns, [
            a if real else a + acb(0, 1) * b for a, b in zip(parts[:size], parts[size:], strict=True)
        ])  # fmt: skip
        if sp.Q.symmetric in names:
            matrix = matrix + matrix.transpose()
        if sp.Q.diagonal in names:
            matrix = acb_mat(rows, columns, [
                matrix[i, j] if i == j else 0 for i in range(rows) for j in range(columns)
            ])  # fmt: skip
        if sp.Q.orthogonal in names:  # Cayley's form of a random skew matrix
            one = acb_mat(rows, columns, [int(i == j) for i in range(rows) for j in range(columns)])
            skew = matrix - matrix.transpose()
            matrix = (one + skew).inv() * (one - skew)
        return matrix

    def _function(self, function, sized, seed):
        if hasattr(function, "permutes"):
            return _shuffled(whole(sized(function.permutes), "a size"), seed)
        probe = function(*(sp.Dummy(),) * _arity(self.all, function)) if callable(function) else function[0]
        if probe.is_integer:
            pool = _pool(probe, False)[:8]
            return lambda *z: sized(
                random.Random(f"{seed}{[str(whole(a, 'an index')) for a in z]}").choice(pool)
            )
        return _smooth(seed, probe, self.analytic)

    # --- words --------------------------------------------------------------------------------

    def words(self, write=sp.latex, quote="${}$"):
        """The domain as a phrase: for all integers $m, n$ and real $θ$; every function $f$."""
        kinds = {}
        for symbol in self.symbols:
            kinds.setdefault(_kind(symbol), []).append(write(symbol))
        order = sorted(kinds, key=_KINDS.index)
        text = _listed([f"{kind} {quote.format(', '.join(kinds[kind]))}" for kind in order])
        conditions = [quote.format(write(g)) for g in self.given if g not in (True, sp.true)]
        text += " with " + _listed(conditions) if conditions else ""
        drawn = {}
        for f in sorted(self.functions, key=lambda f: not hasattr(f, "permutes")):
            drawn.setdefault(_function_kind(f, self.all), []).append(write(sp.Symbol(str(f))))
        for base in self.bases:
            sign = next((f"{n} " for n in ("integer", "positive", "real") if getattr(base[0], f"is_{n}")), "")
            drawn.setdefault(f"{sign}sequence", []).append(write(base.label))
        every = [f"every {kind} {quote.format(', '.join(names))}" for kind, names in drawn.items() if names]
        every += self._matrix_words(write, quote)
        phrases = ([f"all {text}"] if kinds else []) + every
        return f"For {_listed(phrases)}." if phrases else ""

    def _matrix_words(self, write, quote):
        kinds = {}
        for matrix in self.matrices:
            names = (
                p.function.name.replace("_elements", "") for p in self.predicates if matrix in p.arguments
            )
            words = [*sorted(names), "vector" if matrix.shape[1] == 1 else "matrix"]
            size = write(matrix.shape[0])
            if matrix.shape[1] != 1:
                size += (r" \times " if write is sp.latex else " × ") + write(matrix.shape[1])
            kinds.setdefault((" ".join(words), size), []).append(write(matrix))
        return [
            f"every {kind} {quote.format(', '.join(names))} of size {quote.format(size)}"
            for (kind, size), names in kinds.items()
        ]

    def refuse_outside(self, exact):
        """Raise ValueError for a value that its symbol's assumptions, or a condition, exclude."""
        for symbol, value in exact.items():
            wrong = [name for name, wanted in getattr(symbol, "assumptions0", {}).items()
                     if getattr(sp.sympify(value), f"is_{name}", None) is (not wanted)]  # fmt: skip
            if wrong:
                ordinary = ("integer", "positive", "negative", "even", "odd", "real")
                what = next((name for name in ordinary if name in wrong), wrong[0])
                raise ValueError(
                    f"{symbol} = {value} lies outside the domain, in which {symbol} is "
                    f"{'' if symbol.assumptions0[what] else 'not '}{what}: choose a value inside"
                )


class _AtPrecision:
    """Evaluates with more and more bits until a comparison is decided."""

    def __init__(self, build):
        self.build = build

    def __call__(self, expression):
        return self.decide(lambda at: at(expression))

    def decide(self, question):
        """The answer of question(Evaluator). Raises Undecided where all precisions leave it open."""
        before = ctx.prec
        try:
            for bits in PRECISIONS:
                ctx.prec = bits
                try:
                    return question(self.build())
                except Undecided:
                    if bits == PRECISIONS[-1]:
                        raise
        finally:
            ctx.prec = before

    def equal(self, left, right):
        """Whether two expressions, numbers or matrices, are equal here."""

        def question(at):
            a, b = at(left), at(right)
            if shape(a) != shape(b):
                raise Undefined(f"shapes {shape(a)} and {shape(b)}")
            return all(near(x, y) for x, y in zip(entries(a), entries(b), strict=True))

        return self.decide(question)

    def decimals(self, expression, digits=6):
        """The value, for a message."""
        shown = [_decimal(z, digits) for z in entries(self(expression))]
        return (
            shown[0] if len(shown) == 1 else "[" + ", ".join(shown[:6]) + (", …]" if len(shown) > 6 else "]")
        )


def _decimal(z, digits):
    real, imag = (float(part.mid()) for part in (z.real, z.imag))
    return f"{real:.{digits}g}" if abs(imag) < 1e-30 else f"{real:.{digits}g} + {imag:.{digits}g}i"


def _pool(symbol, size):
    """Exact values that fit a symbol's assumptions, ordinary ones first."""
    candidates = [sp.Integer(n) for n in (_SIZES if size else _WHOLE)]
    if not symbol.is_integer and not size:
        candidates = [c for pair in zip(_REAL, candidates, strict=False) for c in pair] + candidates[
            len(_REAL) :
        ]
    if not symbol.is_extended_real and not size:
        candidates = [c for pair in zip(_COMPLEX, candidates, strict=False) for c in pair] + candidates[5:]
    fits = [c for c in candidates if not any(
        getattr(c, f"is_{name}", None) is (not wanted) for name, wanted in _assumptions(symbol).items()
    )]  # fmt: skip
    if not fits:
        raise Unsampled(f"no number fits the assumptions of {symbol}")
    return list(dict.fromkeys(fits))


_ASKED = (
    "integer", "real", "extended_real", "positive", "negative", "nonnegative", "nonpositive", "zero",
    "nonzero",
    "even", "odd", "prime", "composite", "rational", "irrational", "imaginary", "complex", "finite",
)  # fmt: skip


def _assumptions(thing):
    known = {name: getattr(thing, f"is_{name}", None) for name in _ASKED}
    return {name: value for name, value in known.items() if value is not None}


def _shuffled(size, seed):
    order = list(range(size))
    random.Random(seed).shuffle(order)

    def permute(z):
        place = whole(z, "an index")
        if not 0 <= place < size:
            raise Undefined(f"a permutation of {size} things has no place {place}")
        return acb(order[place])

    return permute


def _smooth(seed, probe, analytic):
    """A random function: waves and slopes; with a conjugate unless it must be analytic."""
    chance = random.Random(seed)

    def number(top=9):
        real = acb(chance.randint(1, top)) * chance.choice((-1, 1)) / 4
        return real if probe.is_extended_real else real + acb(0, chance.randint(1, top)) / 5

    weights = [[acb(chance.randint(1, 9)) * chance.choice((-1, 1)) / 8 for _ in range(8)] for _ in range(3)]
    heights = [number() for _ in range(4)]
    mirror = number() if not analytic and not probe.is_extended_real else acb(0)

    def function(*z):
        waves = [sum((w * a for w, a in zip(row[1:], z, strict=False)), row[0]) for row in weights]
        value = (
            heights[0] * waves[0].sin()
            + heights[1] * waves[1].cos()
            + heights[2] * waves[2] / 16
            + heights[3]
        )
        value += mirror * waves[1].conjugate().cos()
        if probe.is_extended_real and not analytic:
            value = acb(value.real)
        if probe.is_positive or (probe.is_zero is False and not probe.is_extended_negative):
            return (value / 4).exp()
        if probe.is_negative:
            return -(value / 4).exp()
        return value * value if probe.is_nonnegative else value

    return function


def _arity(expressions, function):
    return next(len(f.args) for e in expressions for f in e.atoms(AppliedUndef) if f.func == function)


def _function_kind(function, expressions):
    if hasattr(function, "permutes"):
        return "permutation"
    value = function(*(sp.Dummy(),) * _arity(expressions, function))
    names = ("integer", "positive", "negative", "nonnegative", "extended_real")
    kind = next((name for name in names if getattr(value, f"is_{name}")), "")
    return f"{kind.replace('extended_', '')} function".strip()


_KINDS = [
    "positive integers", "positive even integers", "positive odd integers", "even integers", "odd integers",
    "non-negative integers", "non-negative even integers", "negative integers", "negative even integers",
    "negative odd integers", "non-positive integers", "non-positive even integers", "nonzero even integers",
    "nonzero integers", "integers", "complex", "nonzero complex", "real", "nonzero real", "nonnegative",
    "positive", "nonpositive", "negative",
]  # fmt: skip


def _kind(symbol):
    """The kind of a symbol, in words no wider than its assumptions. Raises ValueError without any."""
    for name in ("prime", "composite", "irrational", "imaginary", *["rational"] * (not symbol.is_integer)):
        if getattr(symbol, f"is_{name}"):
            raise ValueError(f"a card has no words for {symbol}, which is {name}: state that with given=[…]")
    signs = ("positive", "negative", "nonnegative", "nonpositive", "nonzero")
    sign = next((name for name in signs if getattr(symbol, f"is_{name}")), "")
    if symbol.is_integer:
        parity = "even " if symbol.is_even else "odd " if symbol.is_odd else ""
        sign = "" if parity == "odd " and sign == "nonzero" else sign
        return f"{sign.replace('non', 'non-').replace('non-zero', 'nonzero')} {parity}integers".strip()
    if symbol.is_extended_real:
        return f"{sign} real".strip() if sign in ("nonzero", "") else sign
    return "nonzero complex" if symbol.is_zero is False else "complex"


def _listed(phrases):
    return " and ".join([", ".join(phrases[:-1]), phrases[-1]] if phrases[1:] else phrases)


def _sorted(things):
    return sorted(things, key=str)
