"""What a statement is about: its symbols, functions, sequences and matrices, and points to try it at."""

import random
from itertools import combinations

import sympy as sp
from flint import acb, acb_mat, ctx
from sympy.core.function import AppliedUndef, FunctionClass, UndefinedFunction
from sympy.tensor.indexed import Indexed

from .evaluate import Evaluator, NotInLanguage, Undecided, Undefined, as_integer, balls, compare, cos, exp, sin

POINTS = 16  # tried for each statement
ENOUGH = 6  # found, or the conditions are too narrow
PRECISIONS = (128, 512, 2048)  # bits

_FACTS = ("real", "integer", "positive", "nonnegative", "nonzero", "even", "complex")
_OF_VALUES = ("real", "positive", "complex")  # what may be assumed of a function or a sequence

# Values to try, ordinary ones first, then far and awkward ones.
_Q, _I = sp.Rational, sp.I
_SIZES = [*map(sp.Integer, (1, 2, 3, 4, 5, 6, 0, 8, 9, 10, 12, 16))]
_WHOLE = [*map(sp.Integer, (0, 1, 2, 3, 4, 5, 7, 10, 13, 64, -1, -2, -3, -5, -8, -40, 1001, 1000003, -100002))]
_REAL = [*map(_Q, "3/7 -13/4 1/1000 22/3 -5/9 17/6 99/100 -1/50 -70001/3 100003/7".split()), sp.sqrt(2), -sp.pi / 3]
_COMPLEX = [_Q("1/3") + 2 * _I / 5, _Q("-7/4") + _I / 9, -3 * _I / 2, _Q("5/2") - 8 * _I / 3, _Q("-1/6") - 2 * _I / 7]
_ROUND = [*map(sp.sympify, (0, 1, 2, sp.pi / 2, -1, 3, _Q(1, 2), sp.pi / 4, 4, sp.I, 5, 6, 10))]  # for a refusal


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
    """The set of what is assumed of a symbol, a sequence or a function, in words such as "real".

    Raises NotInLanguage for an assumption that a card has no words for.
    """
    if isinstance(thing, Permutation):
        return {"integer", "nonnegative"}
    if isinstance(thing, UndefinedFunction):
        if isinstance(getattr(sp, str(thing).lower(), None), FunctionClass):
            raise NotInLanguage(f"{thing} is a function of SymPy: give the undefined one another name")
        for allowed in ({}, {"real": True}, {"positive": True}):
            if thing._kwargs == sp.Function("f", **allowed)._kwargs:
                return set(allowed)
        raise NotInLanguage(f"a card has no words for what is assumed of the function {thing}: make it real at most")
    label, allowed = (thing, _FACTS) if thing.is_Symbol else (thing.label, _OF_VALUES)
    if type(label) not in (sp.Symbol, sp.Dummy):
        raise NotInLanguage(f"{label} must be a plain symbol, got {type(label).__name__}: write a Symbol")
    known = {name: yes for name, yes in label._assumptions_orig.items() if (name, yes) != ("commutative", True)}
    if known.pop("zero", None) is False:
        known["nonzero"] = True
    if wrong := [name if yes else f"not {name}" for name, yes in known.items() if name not in allowed or not yes]:
        wrong = ", ".join(wrong)
        raise NotInLanguage(f"a card has no words for {label}, which is {wrong}: state that by given=[…]")
    return {name for name in _FACTS if _is(label, name)}


def _is(value, fact):
    return value.is_zero is False if fact == "nonzero" else getattr(value, f"is_{fact}")


def _sorted(things):
    return sorted(things, key=str)


class Domain:
    """The free names of expressions, and the conditions on them.

    parts: the expressions. definitions: {name: expression or Lambda}. given: conditions, as SymPy relations.
    """

    def __init__(self, parts, definitions, given):
        self.definitions, self.given = definitions, given
        bodies = [d.expr if isinstance(d, sp.Lambda) else d for d in definitions.values()]
        self.all = [*parts, *bodies, *given]
        bases = {i.base for i in self._atoms(Indexed)}
        matrices = self._atoms(sp.MatrixSymbol) - set(definitions)
        functions = {f.func for f in self._atoms(AppliedUndef)} - set(definitions)
        sizes = {size_of(f) for f in functions if isinstance(f, Permutation)}
        sizes = {s for size in sizes.union(*(m.shape for m in matrices)) for s in size.free_symbols}
        free = {s for e in [*parts, *given, *definitions.values()] for s in e.free_symbols if s.is_Symbol}
        symbols = (free | sizes) - set(definitions) - {base.label for base in bases}
        self.symbols, self.functions = _sorted(symbols), _sorted(functions)
        self.bases, self.matrices = _sorted(bases), _sorted(matrices)
        # A sum, a matrix and a power of a matrix are carried out term by term: what sets their length is tried small.
        ends = {end for s in self._atoms(sp.Sum) for _, *ends in s.limits for end in ends}
        ends |= {power.exp for power in self._atoms(sp.MatPow)}
        self.sizes = sizes | {s for end in ends for s in end.free_symbols}
        # So is an exponent, for the digits of its power, and what an integral holds, whose waves turn as often.
        self.small = {s for power in self._atoms(sp.Pow) for s in power.exp.free_symbols}
        self.small |= {s for i in self._atoms(sp.Integral) for s in i.free_symbols}
        # These are drawn as differentiable functions, and the card calls them so.
        self.differentiated = {f.func for d in self._atoms(sp.Derivative) for f in d.atoms(AppliedUndef)}
        self.kinds = {thing: facts(thing) for thing in (*self.symbols, *self.functions, *self.bases)}

    def drop(self, term):
        """Leave out the term of an induction: the card says what it is."""
        self.symbols, self.matrices = ([n for n in names if n != term] for names in (self.symbols, self.matrices))

    def _atoms(self, *kinds):
        return {atom for e in self.all for atom in e.atoms(*kinds)}

    # --- a counterexample -----------------------------------------------------------------------

    def refuse_outside(self, at):
        """Raise ValueError for values of a counterexample that the assumptions exclude."""
        for name, value in at.items():
            if value.free_symbols or value.has(AppliedUndef):
                raise ValueError(f"{name} must be given a value of its own, got {value}: write numbers alone")
        sized = {name: value for name, value in at.items() if isinstance(name, sp.Symbol)}
        for symbol in self.symbols:
            assumed = [fact for fact in _FACTS if fact in self.kinds[symbol]] + ["finite"]
            if wrong := [fact for fact in assumed if not _is(at[symbol], fact)]:
                what = next((n for n in ("integer", "even", "positive", "real") if n in wrong), wrong[0])
                place = f"{symbol} = {at[symbol]}"
                raise ValueError(f"{place} lies outside the domain, in which {symbol} is {what}: choose a value inside")
        for function in self.functions:
            self._refuse_function(function, at[function], sized)
        for matrix in self.matrices:
            shape = tuple(n.subs(sized) for n in matrix.shape)
            if not isinstance(at[matrix], sp.MatrixBase) or at[matrix].shape != shape:
                raise ValueError(f"{matrix} must be a matrix of size {matrix.shape}, got {at[matrix]}: give one")

    def _refuse_function(self, function, value, sized):
        if not isinstance(value, sp.Lambda):
            raise ValueError(f"{function} must be given as a Lambda, got {value}")
        if (size := size_of(function)) is not None:
            size = int(size.subs(sized))
            if {value(n) for n in range(size)} != set(map(sp.Integer, range(size))):
                raise ValueError(f"{function} = {value} does not permute 0, …, {size - 1}: choose another")
            return
        applied_to = [use.args for use in self._atoms(AppliedUndef) if use.func == function]
        if any(len(value.variables) != len(arguments) for arguments in applied_to):
            raise ValueError(f"{function} must be given as a Lambda of as many arguments as it has, got {value}")
        results = [value(*arguments) for arguments in applied_to]
        for fact in sorted(self.kinds[function]):
            if not all(_is(result, fact) for result in results):
                raise ValueError(f"{function} = {value} lies outside the domain, in which it is {fact}: choose another")

    # --- points -------------------------------------------------------------------------------

    def points(self, seed=0):
        """POINTS points of the domain, or fewer, as pairs ({symbol: exact value}, Point).

        seed: of the choice. Raises ValueError where fewer than ENOUGH are found.
        """
        points, chance = [], random.Random(seed)
        pools = {s: self._pool(s) for s in self.symbols}
        random_parts = self.functions or self.matrices or self.bases  # with them, the same values make another point
        for attempt in range(1500 if self.given else 400):
            exact = {s: self._pick(pools[s], chance, attempt) for s in self.symbols}
            if not random_parts and exact in [earlier for earlier, _ in points]:
                continue
            point = self.point(exact, chance.getrandbits(32))
            if self._allowed(point):
                points.append((exact, point))
            if len(points) == POINTS:
                break
        if len(points) < (ENOUGH if self.symbols else 1):
            conditions = f" with {', '.join(map(str, self.given))}" if self.given else ""
            raise ValueError(f"points found{conditions}: {len(points)} of {ENOUGH}; state the domain more widely")
        return points

    def round_points(self):
        """Yield points, pairs as in `points`, of small whole numbers and simple fractions of π, the simplest first."""
        pools = {s: [v for v in _ROUND if self._fits(s, v)] or self._pool(s)[:3] for s in self.symbols}
        chance = random.Random(0)
        for reach in (2, 4, 8, 13):
            for _ in range(16):
                exact = {s: chance.choice(pool[:reach]) for s, pool in pools.items()}
                point = self.point(exact)
                if self._allowed(point):
                    yield exact, point

    def _pool(self, symbol):
        """Exact values to try for a symbol that fit its assumptions, ordinary ones first."""
        known, size = self.kinds[symbol], symbol in self.sizes
        values = _SIZES if size else [2 * n for n in _WHOLE] if "even" in known else _WHOLE
        for kind, others in (("integer", _REAL), ("real", _COMPLEX)):
            if kind not in known and not size:
                pairs = zip(others, values, strict=False)
                values = [v for pair in pairs for v in pair] + values[len(others) :]
        # Around the numbers in its conditions, and between them, too: else a narrow range would have no point.
        conditions = [condition for condition in self.given if symbol in condition.free_symbols]
        parts = {part for condition in conditions for part in (*condition.args, *condition.atoms(sp.Rational))}
        ends = {part for part in parts if part.is_number and part.is_real}
        around = [a + step for a in ends for step in (0, 1, -1, _Q(1, 2))]
        for a, c in combinations(sorted(ends), 2):
            around += [sp.floor((a + c) / 2) + step for step in (0, 1, 2, -1)]
            around += [a + (c - a) * _Q(part, 11) for part in range(1, 11)]
        fits = [value for value in dict.fromkeys([*values, *sorted(around)]) if self._fits(symbol, value)]
        if symbol in self.small:
            fits = [value for value in fits if abs(value) < 30] or fits
        return fits

    def _fits(self, symbol, value):
        return all(_is(value, fact) for fact in self.kinds[symbol])

    @staticmethod
    def _pick(pool, chance, attempt):
        if attempt == 0 and sp.S.Zero in pool:
            return sp.S.Zero
        return chance.choice(pool[:12] if attempt % 3 else pool)

    def _allowed(self, point):
        try:
            return all(point(condition) for condition in self.given)
        except (Undefined, Undecided):
            return False

    def point(self, exact, seed=0, chosen=None):
        """The Point at exact values, {symbol: value}.

        Functions and matrices are those of chosen, {name: Lambda or matrix}, or drawn at random with the seed.
        """
        chance, chosen = random.Random(seed), chosen or {}
        definitions = self.definitions | {f: value for f, value in chosen.items() if size_of(f) is None}
        seeds = {f: chance.getrandbits(32) for f in [*self.functions, *self.bases, *self.matrices]}

        def build():
            plain = Evaluator({})
            values = {s: plain(v) for s, v in exact.items()}
            sized = Evaluator(values)
            for m in self.matrices:
                values[m] = plain(chosen[m]) if m in chosen else _matrix(m, sized, seeds[m])
            functions = {f: self._function(f, sized, seeds[f], chosen.get(f)) for f in [*self.functions, *self.bases]}
            return Evaluator(values, functions, definitions)

        return Point(build)

    def _function(self, function, sized, seed, chosen):
        if (size := size_of(function)) is not None:
            order = list(range(as_integer(sized(size), "a size")))
            if chosen is None:
                random.Random(seed).shuffle(order)
            return _permuting([int(chosen(n)) for n in order] if chosen else order)
        drawn = _random_function(seed, self.kinds[function], function in self.differentiated)
        if function not in self.bases:
            return drawn
        return lambda *z: drawn(*(_at_place(seed, a) for a in z))  # of moderate size far out too


class Point:
    """Evaluates at one point, with more and more bits until a comparison is decided.

    build: makes the Evaluator, to the precision that is set when it is called.
    """

    def __init__(self, build):
        self.build = build

    def __call__(self, expression):
        return self.decide(lambda at: at(expression))

    def decide(self, question):
        """`question(evaluator)`, a function's answer. Raises Undecided where all precisions leave it open."""
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
        """Whether two expressions, numbers or matrices, stand in a relation, a class such as Eq, here."""
        return self.decide(lambda at: compare(relation, at(left), at(right)))

    def gap(self, left, right):
        """How far two sides are apart beside their size, 0 to 2; and in which entry of a matrix, or None."""
        left, right = self(left), self(right)
        pairs = zip(balls(left), balls(right), strict=True)
        gaps = [_size(a - b) / (1 + max(_size(a), _size(b))) for a, b in pairs]
        return max(gaps), divmod(gaps.index(max(gaps)), left.ncols()) if len(gaps) > 1 else None

    def decimals(self, expression, entry=None):
        """The value of an expression, or an entry (row, column) of it, as text for a message."""
        value = self(expression)
        texts = [_decimal(z) for z in (balls(value) if entry is None else [value[entry]])]
        more = ", …]" if len(texts) > 6 else "]"
        return texts[0] if len(texts) == 1 else "[" + ", ".join(texts[:6]) + more


def _size(z):
    return float(abs(z).mid())


def _decimal(z):
    real, imag = (0 if part.contains(0) else float(part.mid()) for part in (z.real, z.imag))
    if float("inf") in (abs(real), abs(imag)):
        return "beyond 10³⁰⁸"
    if real == 0 or imag == 0:
        return f"{imag:.6g}i" if imag else f"{real:.6g}"
    return f"{real:.6g} {'-' if imag < 0 else '+'} {abs(imag):.6g}i"


# --- drawn at random --------------------------------------------------------------------------


def _matrix(symbol, sized, seed):
    rows, columns = (as_integer(sized(n), "a size") for n in symbol.shape)
    chance = random.Random(seed)
    parts = [acb(chance.randint(-30, 30), chance.randint(-30, 30)) / 8 for _ in range(rows * columns)]
    return acb_mat(rows, columns, parts)


def _at_place(seed, index):
    return acb(random.Random(f"{seed} {as_integer(index, 'an index')}").randint(-1000, 1000)) / 256


def _permuting(order):
    def permute(z):
        place = as_integer(z, "an index")
        if not 0 <= place < len(order):
            raise Undefined(f"a permutation of {len(order)} things has no place {place}")
        return acb(order[place])

    return permute


def _random_function(seed, assumed, differentiable):
    """A random function of up to seven balls (acb): a few waves and a linear part.

    assumed: a set of `facts`; what is assumed real or positive is so at real arguments. differentiable: whether it
    has a derivative; if not, it is not analytic, since its real part or a conjugate is taken.
    """
    chance, real = random.Random(seed), bool({"real", "positive"} & assumed)

    def number():
        a = acb(chance.randint(1, 9)) * chance.choice((-1, 1)) / 4
        return a if real else a + acb(0, chance.randint(1, 9)) / 5

    weights = [[acb(chance.randint(1, 9)) * chance.choice((-1, 1)) / 8 for _ in range(8)] for _ in range(3)]
    heights = [number() for _ in range(5)]

    def function(*z):
        waves = [sum((w * a for w, a in zip(row[1:], z, strict=False)), row[0]) for row in weights]
        value = heights[0] * sin(waves[0]) + heights[1] * cos(waves[1]) + heights[2] * waves[2] + heights[3]
        if not differentiable:
            value = acb(value.real) if real else value + heights[4] * cos(waves[1].conjugate())
        return exp(value * (acb(1) / 4)) if "positive" in assumed else value

    return function
