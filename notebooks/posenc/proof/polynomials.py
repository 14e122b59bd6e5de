"""The second road: statements that are identities of rational functions in sines, cosines and exponentials.

No simplifier of SymPy has a part in it. Each angle is a whole combination of units, and the addition
formulas turn its sine and cosine into polynomials in those of the units; exp(iθ) is cos θ + i sin θ, a
conjugate goes to the leaves. What is left is a quotient of polynomials, and python-flint divides its
numerator by s² + c² − 1 for each unit, and by i² + 1. The statement is decided if nothing remains. That no
denominator is 0 has been read off the statement before.
"""

from functools import reduce
from math import lcm

import sympy as sp
from flint import fmpq, fmpq_mpoly_ctx
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions.matexpr import MatrixElement

from .rewriting import carried_out, defined, entries

LEAVES = (sp.Symbol, sp.Indexed, AppliedUndef, sp.KroneckerDelta, sp.Abs, sp.floor, MatrixElement)
LARGEST = 24  # the highest multiple of a unit that is written out


class NotCovered(ValueError):
    """The expression is not rational in sines, cosines and exponentials."""


def decided(statement):
    """Whether left − right is zero as a quotient of polynomials, for an identity of this kind."""
    try:
        sides = [carried_out(defined(side, statement.where)) for side in (statement.left, statement.right)]
        if any(getattr(side, "is_Matrix", False) and not isinstance(side, sp.MatrixBase) for side in sides):
            return False
        return all(_vanishes(a, b) for a, b in zip(*map(entries, sides), strict=True))
    except NotCovered:
        return False


def _vanishes(left, right):
    ranges, reader = {}, _Reader()
    _split(sp.S.One, left, ranges)
    _split(sp.S.NegativeOne, right, ranges)
    plain = ranges.pop(None, [])
    for begin in (reader.collect, reader.ring):
        begin()
        outside = [reader.read(part) for part in plain]
        inside = [(reader.total([reader.read(part) for part in parts]), reader.read(high - low + 1), index)
                  for (low, high), (index, parts) in ranges.items()]  # fmt: skip
    if any(reader.mention(index, part) for value, _, index in inside if value[0] != 0 for part in value):
        return False
    return reader.total(outside + [reader.times(value, length) for value, length, _ in inside])[0] == 0


class _Reader:
    """Reads expressions as quotients (numerator, denominator): first to see which units there are, then in a ring."""

    def collect(self):
        """Find the unit of each angle, with the least denominator it needs, and the atoms; each reads as 1."""
        self.denominators, self.atoms, self.relations = {}, {}, []
        self.one, self.i, self.collecting = 1, 1, True

    def ring(self):
        """Make the polynomials' ring, their generators, and what is known of these."""
        names = ["i", *(f"{x}{n}" for n in range(len(self.denominators)) for x in "sc")]
        ring = fmpq_mpoly_ctx.get([*names, *(f"a{n}" for n in range(len(self.atoms)))], "lex")
        i, *gens = ring.gens()
        self.one, self.i, self.relations, self.gens, self.collecting = ring.constant(1), i, [i**2 + 1], {}, False
        for (kind, rest), share in self.denominators.items():
            s, c, *gens = gens
            self.gens[kind, rest] = (s, c) if kind == "turn" else s
            if kind == "turn" and (rest / sp.pi / share).is_integer:
                self.relations += [s, c**2 - 1]  # whole half turns
            elif kind == "turn":
                self.relations.append(s**2 + c**2 - 1)
            elif isinstance(rest, sp.log) and rest.args[0].is_Integer:
                self.relations.append(s**share - int(rest.args[0]))
        self.atoms = dict(zip(self.atoms, gens, strict=True))

    def mention(self, index, polynomial):
        """Whether a polynomial has to do with a variable of a sum."""
        named = [sp.I, *(rest for _, rest in self.denominators for _ in "sc"), *self.atoms]
        return any(n and e.has(index) for e, n in zip(named, polynomial.degrees(), strict=True))

    def reduced(self, polynomial):
        for relation in self.relations:
            polynomial = polynomial % relation
        return polynomial

    def atom(self, e):
        if self.collecting:
            self.atoms[e] = 1
        return self.atoms[e], self.one

    # --- expressions --------------------------------------------------------------------------

    def read(self, e):
        if e.is_Rational:
            return (1, 1) if self.collecting else (self.one * fmpq(int(e.p), int(e.q)), self.one)
        if e == sp.I:
            return self.i, self.one
        if e.is_Add:
            return self.total([self.read(part) for part in e.args])
        if e.is_Mul:
            return reduce(self.times, map(self.read, e.args))
        if e.is_Pow and e.exp.is_Integer:
            (top, bottom), times = self.read(e.base), abs(int(e.exp))
            if times > LARGEST:
                raise NotCovered(e)
            top, bottom = self.reduced(top**times), self.reduced(bottom**times)
            return (top, bottom) if e.exp > 0 else (bottom, top)
        if isinstance(e, (sp.sin, sp.cos)):
            return self.turned(e.args[0])[isinstance(e, sp.cos)], self.one
        if isinstance(e, sp.exp) or e.is_Pow:
            return self.grown(e.args[0] if isinstance(e, sp.exp) else e.exp * _log(e.base))
        if e == sp.E or (e.is_Symbol and e.is_positive):
            return self.grown(_log(e))
        if isinstance(e, (sp.conjugate, sp.log)):
            same = _conjugate(e.args[0]) if isinstance(e, sp.conjugate) else _log(e.args[0])
            return self.atom(e) if same == e else self.read(same)
        if isinstance(e, (sp.re, sp.im)):
            z, bar = e.args[0], _conjugate(e.args[0])
            return self.read((z + bar) / 2 if isinstance(e, sp.re) else (z - bar) / (2 * sp.I))
        if isinstance(e, sp.Derivative) and not e.doit().has(sp.Derivative):
            return self.read(e.doit())
        if isinstance(e, sp.Determinant) and isinstance(matrix := carried_out(e.arg), sp.MatrixBase):
            return self.read(matrix.det(method="berkowitz"))
        if e == sp.pi or isinstance(e, LEAVES):
            return self.atom(e)
        raise NotCovered(e)

    def times(self, a, b):
        return self.reduced(a[0] * b[0]), self.reduced(a[1] * b[1])

    def total(self, quotients):
        top, bottom = self.one * 0, self.one
        for a, b in quotients:
            top, bottom = (top + a, bottom) if b == bottom else (top * b + a * bottom, bottom * b)
        return self.reduced(top), self.reduced(bottom)

    # --- angles -------------------------------------------------------------------------------

    def turned(self, angle):
        """Sine and cosine, from those of the units."""
        sine, cosine = self.one * 0, self.one
        for rest, share in _monomials(angle):
            if rest == sp.pi and (2 * share).is_Integer:
                s, c, times = *((0, 1), (1, 0), (0, -1), (-1, 0))[int(2 * share) % 4], 1
            else:
                (s, c), times = self.unit("turn", rest, share)
            s = s if times > 0 else -s
            for _ in range(abs(times)):
                sine, cosine = self.reduced(sine * c + cosine * s), self.reduced(cosine * c - sine * s)
        return sine, cosine

    def unit(self, kind, rest, share):
        """The generators of a unit, and how many such units make the share."""
        if share.q > LARGEST:  # a unit of its own
            rest, share = rest / share.q, sp.Integer(share.p)
        known, key = self.denominators, (kind, rest)
        if self.collecting:
            known[key] = lcm(known.get(key, 1), int(share.q))
            return (1, 1) if kind == "turn" else 1, 1
        times = int(share * known[key])
        if abs(times) > LARGEST:
            raise NotCovered(rest)
        return self.gens[key], times

    def grown(self, exponent):
        """exp of an exponent whose terms are multiples of units, or i times such."""
        result, angle = (self.one, self.one), sp.S.Zero
        for rest, share in _monomials(exponent):
            if rest.has(sp.I):
                angle += share * rest / sp.I
                continue
            unit, times = self.unit("growth", rest, share)
            power = unit ** abs(times) * self.one
            result = self.times(result, (power, self.one) if times > 0 else (self.one, power))
        sine, cosine = self.turned(angle)
        return self.times(result, (cosine + self.i * sine, self.one))


def _monomials(angle):
    """The terms of an expanded angle as pairs (what is not a number, rational share)."""
    for term in sp.Add.make_args(sp.expand(angle)):
        share, rest = term.as_coeff_Mul()
        if not share.is_Rational:
            raise NotCovered(angle)
        if share != 0:
            yield rest, share


def _log(base):
    """The logarithm of a positive number, in parts; by their meaning, without a simplifier."""
    if base == -1:
        return sp.I * sp.pi
    if not base.is_positive:
        raise NotCovered(base)
    if base.is_Mul and all(part.is_positive for part in base.args):
        return sum((_log(part) for part in base.args), sp.S.Zero)
    if base.is_Pow and base.base.is_positive and base.exp.is_extended_real:
        return base.exp * _log(base.base)
    if base.is_Rational:
        parts = sp.factorrat(base)
        return sum((power * sp.log(prime) for prime, power in parts.items()), sp.S.Zero)
    return sp.log(base)


def _conjugate(e):
    """The conjugate, taken at the leaves."""
    if e.is_extended_real:
        return e
    if e == sp.I:
        return -sp.I
    if e.is_Add or e.is_Mul or isinstance(e, (sp.exp, sp.sin, sp.cos)):
        return e.func(*(_conjugate(part) for part in e.args))
    if isinstance(e, sp.conjugate):
        return e.args[0]
    return sp.conjugate(e)


def _split(factor, e, ranges):
    """Distribute over the sums: ranges[low, high] = (index, summands), ranges[None] = what is in no sum."""
    if not e.has(sp.Sum):
        ranges.setdefault(None, []).append(factor * e)
    elif e.is_Add:
        for part in e.args:
            _split(factor, part, ranges)
    elif e.is_Mul and sum(part.has(sp.Sum) for part in e.args) == 1:
        (holding,) = (part for part in e.args if part.has(sp.Sum))
        _split(factor * sp.Mul(*(part for part in e.args if part is not holding)), holding, ranges)
    elif isinstance(e, sp.Sum) and len(e.limits) == 1 and not e.function.has(sp.Sum):
        variable, low, high = e.limits[0]
        index, parts = ranges.setdefault((low, high), (sp.Dummy("j", integer=True), []))
        parts.append(factor * e.function.xreplace({variable: index}))
    else:
        raise NotCovered(e)
