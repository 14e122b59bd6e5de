"""What a statement is about: its symbols, functions, sequences and matrices, and points to try it at."""

import random
from itertools import combinations

import sympy as sp
from flint import acb, acb_mat, ctx
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.tensor.indexed import Indexed

from .evaluate import Evaluator, NotInLanguage, Undecided, Undefined, balls, compare, cos, exp, sin, whole

POINTS = 16  # tried for each statement
ENOUGH = 6  # found, or the conditions are too narrow
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
_SIZES = [1, 2, 3, 4, 5, 6, 0, 8, 9, 10, 12, 16]
_ROUND = [
    0,
    1,
    2,
    sp.pi / 2,
    -1,
    3,
    sp.Rational(1, 2),
    sp.pi / 4,
    4,
    sp.I,
    5,
    6,
    10,
]  # for a point that teaches

_FACTS = ("real", "integer", "positive", "nonnegative", "nonzero", "even", "complex")


class TooNarrow(ValueError):
    """No points could be found that meet the conditions."""


class Permutation(UndefinedFunction):
    """Any permutation of 0, …, size − 1. One of another size is another function."""

    def __new__(mcl, name, size):
        return super().__new__(mcl, name, __dict__={"size": sp.sympify(size)}, integer=True, nonnegative=True)

    def __eq__(self, other):
        return super().__eq__(other) and self.size == other.size

    def __hash__(self):
        return hash((super().__hash__(), self.size))


def permutation(name, size):
    """A function that permutes the whole numbers 0, …, size − 1: every permutation, in a statement."""
    return Permutation(name, size)


def size_of(function):
    """How many places a permutation has; None of another function."""
    return function.size if isinstance(function, Permutation) else None


def facts(thing):
    """What is assumed of a symbol, a sequence or a function, as a set of words. Refuses what no card words."""
    if isinstance(thing, UndefinedFunction):
        for allowed in ({}, {"real": True}, {"positive": True}, {"integer": True, "nonnegative": True}):
            if thing._kwargs == sp.Function("f", **allowed)._kwargs:
                return set(allowed)
        raise NotInLanguage(f"a card has no words for what is assumed of the function {thing}")
    label = getattr(thing, "label", thing)
    known = dict(label._assumptions_orig)
    if known.pop("zero", None) is False:
        known["nonzero"] = True
    wrong = [
        name for name, value in known.items() if name != "commutative" and (name not in _FACTS or not value)
    ]
    if wrong or not label.is_commutative:
        raise NotInLanguage(
            f"a card has no words for {label}, which is {', '.join(wrong)}: state that by given=[…]"
        )
    return {
        name
        for name in _FACTS
        if getattr(label, f"is_{name}") or (name == "nonzero" and label.is_zero is False)
    }


class Domain:
    """The free names of expressions, and the conditions on them."""

    def __init__(self, parts, definitions, given):
        self.definitions, self.given = definitions, given
        bodies = [d.expr if isinstance(d, sp.Lambda) else d for d in definitions.values()]
        self.all = [*parts, *bodies, *given]
        free = set().union(*(e.free_symbols for e in [*parts, *given]))
        for d in definitions.values():  # of a Lambda, what is not its variable
            free |= d.free_symbols
        bases = {i.base for i in self._atoms(Indexed)}
        labels = {base.label for base in bases} | bases
        names = set(definitions)
        matrices = {m for m in self._atoms(sp.MatrixSymbol) if m not in names}
        functions = {f.func for f in self._atoms(AppliedUndef)} - names
        permuted = {s for f in functions if size_of(f) is not None for s in size_of(f).free_symbols}
        shapes = {s for m in matrices for n in m.shape for s in n.free_symbols}
        symbols = {s for s in free | permuted | shapes if s.is_Symbol and s not in names | labels}
        self.symbols, self.functions, self.bases, self.matrices = map(
            _sorted, (symbols, functions, bases, matrices)
        )
        ends = {end for s in self._atoms(sp.Sum) for _, *ends in s.limits for end in ends}
        ends |= {power.exp for power in self._atoms(sp.MatPow)}
        self.sizes = shapes | permuted | {s for end in ends for s in end.free_symbols}
        self.exponents = {s for power in self._atoms(sp.Pow) for s in power.exp.free_symbols}
        self.differentiated = {f.func for d in self._atoms(sp.Derivative) for f in d.atoms(AppliedUndef)}
        self.integrated = any(e.has(sp.Integral) for e in self.all)
        self.kinds = {thing: facts(thing) for thing in (*self.symbols, *self.functions, *self.bases)}
        self._refuse_two_of_one_name()

    def _atoms(self, kind):
        return {atom for e in self.all for atom in e.atoms(kind)}

    def _refuse_two_of_one_name(self):
        things = [*self.symbols, *self.matrices, *(b.label for b in self.bases), *self.functions]
        bound = {v for s in self._atoms((sp.Sum, sp.Integral)) for v, *_ in s.limits}
        names = [*map(str, things), *{str(v) for v in bound if v not in self.symbols}]
        sizes = {
            (str(f.func), size_of(f.func)) for f in self._atoms(AppliedUndef) if size_of(f.func) is not None
        }
        twice = {name for name in names if names.count(name) > 1 and name not in {str(v) for v in bound}}
        twice |= {name for name in map(str, things) if [str(t) for t in things].count(name) > 1}
        twice |= {name for name, _ in sizes if [n for n, _ in sizes].count(name) > 1}
        if twice:
            raise ValueError(
                f"two things are called {', '.join(sorted(twice))}: give each its own name, declared once"
            )

    def refuse_outside(self, at):
        """Raise ValueError for values of a counterexample that the assumptions exclude."""
        for symbol in self.symbols:
            value = at[symbol]
            wrong = [name for name in (*_FACTS, "finite") if (name in self.kinds[symbol] or name == "finite")
                     and getattr(value, f"is_{name}") is not True and not (name == "nonzero" and value.is_zero is False)]  # fmt: skip
            if wrong:
                what = next((n for n in ("integer", "even", "positive", "real") if n in wrong), wrong[0])
                raise ValueError(
                    f"{symbol} = {value} lies outside the domain, in which {symbol} is {what}: choose a value inside"
                )
        for function in self.functions:
            self._refuse_function(function, at[function], at)
        for matrix in self.matrices:
            if not isinstance(at[matrix], sp.MatrixBase) or at[matrix].shape != tuple(
                n.subs(at_symbols(at)) for n in matrix.shape
            ):
                raise ValueError(f"{matrix} must be a matrix of size {matrix.shape}, got {at[matrix]}")

    def _refuse_function(self, function, value, at):
        if not isinstance(value, sp.Lambda):
            raise ValueError(f"{function} must be given as a Lambda, got {value}")
        size = size_of(function)
        if size is not None:
            count = int(size.subs(at_symbols(at)))
            images = {value(n) for n in range(count)}
            if images != set(map(sp.Integer, range(count))):
                raise ValueError(
                    f"{function} = {value} does not permute 0, …, {count - 1}: choose a permutation"
                )
            return
        uses = [value(*use.args) for use in self._atoms(AppliedUndef) if use.func == function]
        wrong = [name for use in uses for name in self.kinds[function] if not getattr(use, f"is_{name}")]
        if wrong:
            raise ValueError(
                f"{function} = {value} lies outside the domain, it need not be {wrong[0]}: choose another function"
            )

    # --- points -------------------------------------------------------------------------------

    def points(self, seed=0):
        """POINTS points of the domain, fewer where it has fewer: pairs of the exact values and a Point."""
        found, chance = [], random.Random(seed)
        pools = {s: self._pool(s) for s in self.symbols}
        for attempt in range(1500 if self.given else 400):
            if len(found) == POINTS:
                break
            exact = {s: self._drawn(pools[s], chance, attempt) for s in self.symbols}
            if exact in [before for before, _ in found] and not (
                self.functions or self.matrices or self.bases
            ):
                continue
            point = self.point(exact, chance.getrandbits(32))
            if self._allowed(point):
                found.append((exact, point))
        if len(found) < (ENOUGH if self.symbols else 1):
            raise TooNarrow(
                f"only {len(found)} points were found that meet {self.given}: state the conditions more widely"
            )
        return found

    def round_points(self, seed=0):
        """Points of small whole numbers and simple fractions of π, the simplest first."""
        pools = {
            s: [v for v in map(sp.sympify, _ROUND) if self._fits(s, v)] or self._pool(s)[:3]
            for s in self.symbols
        }
        chance = random.Random(seed)
        for reach in (2, 4, 8, 13):
            for _ in range(16):
                exact = {s: chance.choice(pool[:reach]) for s, pool in pools.items()}
                point = self.point(exact, seed)
                if self._allowed(point):
                    yield exact, point

    def _pool(self, symbol):
        """Exact values that fit a symbol's assumptions, ordinary ones first."""
        known, size = self.kinds[symbol], symbol in self.sizes
        values = [sp.Integer(n) for n in (_SIZES if size else _WHOLE)]
        if "integer" not in known and not size:
            values = [c for pair in zip(_REAL, values, strict=False) for c in pair] + values[len(_REAL) :]
        if "real" not in known and not size:
            values = [c for pair in zip(_COMPLEX, values, strict=False) for c in pair] + values[5:]
        told = [g for g in self.given if symbol in g.free_symbols]
        named = {
            n
            for g in told
            for part in (*g.args, *g.atoms(sp.Rational))
            for n in [part]
            if n.is_number and n.is_real
        }
        around = [a + step for a in named for step in (0, 1, -1, sp.Rational(1, 2))]
        for a, c in combinations(sorted(named), 2):
            around += [sp.floor((a + c) / 2) + step for step in (0, 1, 2, -1)]
            around += [a + (c - a) * sp.Rational(part, 11) for part in range(1, 11)]
        fits = [value for value in dict.fromkeys([*values, *sorted(around)]) if self._fits(symbol, value)]
        if self.integrated or symbol in self.exponents:  # thousands of turns, or of digits, show no more
            fits = [value for value in fits if abs(value) < 30] or fits
        return fits

    def _fits(self, symbol, value):
        return all(
            value.is_zero is False if name == "nonzero" else getattr(value, f"is_{name}")
            for name in self.kinds[symbol]
        )

    @staticmethod
    def _drawn(pool, chance, attempt):
        if attempt == 0 and sp.S.Zero in pool:
            return sp.S.Zero
        return chance.choice(pool[:12] if attempt % 3 else pool)

    def _allowed(self, point):
        try:
            return all(point(condition) for condition in self.given)
        except (Undefined, Undecided):
            return False

    def point(self, exact, seed=0, functions=None, matrices=None):
        """A Point at exact values; what they leave open is drawn at random."""
        chance = random.Random(seed)
        seeds = {f: chance.getrandbits(32) for f in [*self.functions, *self.bases, *self.matrices]}
        definitions = self.definitions | (functions or {})

        def build():
            plain = Evaluator({})
            values = {s: plain(v) for s, v in exact.items()}
            sized = Evaluator(values)
            for m in self.matrices:
                values[m] = plain(matrices[m]) if matrices else _matrix(m, sized, seeds[m])
            drawn = {f: self._function(f, sized, seeds[f]) for f in [*self.functions, *self.bases]}
            return Evaluator(values, drawn, definitions)

        return Point(build)

    def _function(self, function, sized, seed):
        if isinstance(function, UndefinedFunction) and (size := size_of(function)) is not None:
            return _shuffled(whole(sized(size), "a size"), seed)
        if "integer" in self.kinds[function]:
            return lambda *z: acb(
                random.Random(f"{seed}{[str(whole(a, 'an index')) for a in z]}").randrange(8)
            )
        return _smooth(seed, self.kinds[function], function in self.differentiated)


def at_symbols(at):
    return {name: value for name, value in at.items() if isinstance(name, sp.Symbol)}


class Point:
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

    def holds(self, relation, left, right):
        """Whether two expressions, numbers or matrices, stand in a relation here."""
        return self.decide(lambda at: compare(relation, at(left), at(right)))

    def gap(self, left, right):
        """How far two sides are apart, roughly."""
        pairs = zip(balls(self(left)), balls(self(right)), strict=True)
        return max(float(abs(a - b).mid()) for a, b in pairs)

    def decimals(self, expression, digits=6):
        """The value, for a message."""
        shown = [_decimal(z, digits) for z in balls(self(expression))]
        return (
            shown[0] if len(shown) == 1 else "[" + ", ".join(shown[:6]) + (", …]" if len(shown) > 6 else "]")
        )


def _decimal(z, digits):
    real, imag = (float(part.mid()) for part in (z.real, z.imag))
    return f"{real:.{digits}g}" if abs(imag) < 1e-30 else f"{real:.{digits}g} + {imag:.{digits}g}i"


def _matrix(symbol, sized, seed):
    rows, columns = (whole(sized(n), "a size") for n in symbol.shape)
    chance = random.Random(seed)
    parts = [acb(chance.randint(-30, 30), chance.randint(-30, 30)) / 8 for _ in range(rows * columns)]
    return acb_mat(rows, columns, parts)


def _shuffled(size, seed):
    order = list(range(size))
    random.Random(seed).shuffle(order)

    def permute(z):
        place = whole(z, "an index")
        if not 0 <= place < size:
            raise Undefined(f"a permutation of {size} things has no place {place}")
        return acb(order[place])

    return permute


def _smooth(seed, known, differentiable):
    """A random function: waves and slopes; with a conjugate unless it is to be differentiable or real."""
    chance = random.Random(seed)
    real = "real" in known or "positive" in known

    def number(top=9):
        a = acb(chance.randint(1, top)) * chance.choice((-1, 1)) / 4
        return a if real else a + acb(0, chance.randint(1, top)) / 5

    weights = [[acb(chance.randint(1, 9)) * chance.choice((-1, 1)) / 8 for _ in range(8)] for _ in range(3)]
    heights = [number() for _ in range(5)]

    def function(*z):
        waves = [sum((w * a for w, a in zip(row[1:], z, strict=False)), row[0]) for row in weights]
        value = heights[0] * sin(waves[0]) + heights[1] * cos(waves[1]) + heights[2] * waves[2] + heights[3]
        if not differentiable:
            value = acb(value.real) if real else value + heights[4] * cos(waves[1].conjugate())
        return exp(value * (acb(1) / 4)) if "positive" in known else value

    return function


def _sorted(things):
    return sorted(things, key=str)
