"""Exercises of chapter 04, looking eight back."""

import math

from posenc.checks import additive, choice, exercise, extra_trials, parts_of, same, torch, unless_refused, works


def _turn(angle):
    cos, sin = math.cos(angle), math.sin(angle)
    return [[cos, -sin], [sin, cos]]


def _transposed(table):
    return [list(row) for row in zip(*table, strict=True)]


@exercise
def three_on(answer, offset=3, speed=0.1):
    """Exercise 4.1: the shift of a pair (cos, sin)."""
    angle = offset * speed
    return same(answer, {
        f"The hand turns by {offset} · {speed}, whatever the position.": _turn(angle),
        f"This turns the other way: it leads to p − {offset}, or belongs to (sin, cos).": _turn(-angle),
        "The angle is Δω: here the frequency is lost.": _turn(offset),
        "The angle is Δω: here the offset is lost.": _turn(speed),
        "The angle is in radians.": _turn(math.radians(angle)),
        "The rows are swapped: the cosine is the first entry of the pair.": _turn(angle)[::-1],
        "That is the shift by 0, which leaves the hand where it is.": _turn(0),
    }, within=1e-4)


@exercise
def net_offset(answer, first=7, back=2, power=3, speed=0.1):
    """Exercise 4.2: the offset of a product of shifts, and the cosine on its diagonal."""
    net = first - back + power
    ordinal, count = {2: ("second", "two"), 3: ("third", "three"), 4: ("fourth", "four"), 5: ("fifth", "five")}[power]

    def shifts_by(offset):
        return [offset, math.cos(offset * speed)]

    return same(answer, {
        f"The transpose goes back by {back}, and the {ordinal} power of a single step goes on by {power}.": shifts_by(net),
        "A transposed rotation turns back.": shifts_by(first + back + power),
        f"The {ordinal} power of a single step is {count} steps.": shifts_by(first - back + 1),
        f"The transpose goes back by {back}, it is not without effect.": shifts_by(first + power),
        "Offsets add; they do not multiply.": shifts_by(first * back * power),
        "The power of the single step goes forward, not back.": shifts_by(first - back - power),
        "The offset is right; on the diagonal is the cosine of offset times frequency.": [net, math.sin(net * speed)],
        "The offset is right; the angle is Δω, and here the frequency is lost.": [net, math.cos(net)],
    }, within=6e-4)


def _split(first, second):
    (a, b), (c, e) = first
    (f, g), (h, m) = second
    return [[a, 0, b, 0], [0, f, 0, g], [c, 0, e, 0], [0, h, 0, m]]


def _blocks(first, second):
    (a, b), (c, e) = first
    (f, g), (h, m) = second
    return [[a, b, 0, 0], [c, e, 0, 0], [0, 0, f, g], [0, 0, h, m]]


@exercise(tensors=True)
def split_matrix(answer):
    """Exercise 4.3: a shift by 2 at width 4, columns sin, sin, cos, cos."""
    fast_turn, slow_turn = _turn(2), _turn(0.02)
    fast, slowly = _transposed(fast_turn), _transposed(slow_turn)  # the sines come first
    right = _split(fast, slowly)
    return same(answer, {
        "The same rotations; the partner of column j is now column j + 2.": right,
        "Blocks on the diagonal are for columns cos, sin, cos, sin.": _blocks(fast_turn, slow_turn),
        "Blocks on the diagonal are for columns sin, cos, sin, cos.": _blocks(fast, slowly),
        "This shifts by −2: it is right where the cosines come first.": _transposed(right),
        "The frequencies have changed places.": _split(slowly, fast),
        "The angle is Δω: here the offset is lost.": _split(_turn(-1), _turn(-0.01)),
        "Each pair has a frequency of its own.": _split(fast, fast),
        "That is the shift by 0, which leaves a row as it is.": _split(_turn(0), _turn(0)),
    }, within=1e-4)


@exercise
def look_ahead(answer, speed=0.5, ahead=2):
    """Exercise 4.4: a_1 and a_2 so that the score peaks some places ahead, or back if `ahead` is negative."""
    a, b = math.cos(ahead * speed), math.sin(ahead * speed)
    places = f"{'two' if abs(ahead) == 2 else abs(ahead)} places {'ahead' if ahead > 0 else 'back'}"
    there, other = (f"m {'+' if offset > 0 else '−'} {abs(offset)}" for offset in (ahead, -ahead))
    return same(answer, {
        f"This is R(Δ) with Δ = {-ahead}: it looks {places} at every position.": [a, -b],
        f"This looks the other way: the score is highest at n = {other}.": [a, b],
        "The angle is Δω: here the frequency is lost.": [math.cos(ahead), -math.sin(ahead)],
        "With a_2 = 0 it cannot tell ahead from behind: the score is highest at n = m.": [1, 0],
        f"This points the arrow the opposite way: the score is lowest at n = {there}.": [-a, b],
        "a_1 and a_2 have changed places.": [-b, a],
        "With two zeros every score is 0: no place is the highest.": [0, 0],
    }, within=1e-4)


@exercise
def moved_on(answer, angle=2, slow=(8, 100)):
    """Exercise 4.5: by how many positions a turn by an angle moves hands of the frequencies 1 and 1/slow."""
    speeds = (1, *(1 / times for times in slow))
    return same(answer, {
        "A turn by the angle φ is a shift by φ/ω: what was meant for ω = 1 alone.": [angle / w for w in speeds],
        "These are the angles of a true shift; asked is how far the angle carries each hand.": [angle * w for w in speeds],
        f"That is a turn by 1; the exercise asks for {angle} radians.": [1 / w for w in speeds],
        "The angle is the same for all; how far it carries a hand depends on its speed.": [angle] * 3,
        "This is how many positions too far each has gone.": [angle / w - angle for w in speeds],
        "An angle in radians is not divided by 2π.": [angle / (2 * math.pi * w) for w in speeds],
    }, within=1e-4)


def _shift(offset, frequencies):
    return torch.block_diag(*(torch.tensor(_turn(offset * w)).double() for w in frequencies.tolist()))


@exercise(tensors=True)
def shift(answer):
    """Exercise 4.6: a function (offset, width, base) that returns the shift of a whole row."""

    def right(offset, width, base):
        return _shift(offset, additive.geometric(width, base))

    trials = [(1, 4, 10_000.0), (10, 8, 10_000.0), (-3, 6, 100.0), (0, 2, 10_000.0), (5, 12, 500.0)]
    trials += extra_trials(lambda dice: (dice.randint(-50, 50), 2 * dice.randint(2, 9), float(dice.randint(50, 9000))))
    return works(answer, trials, {
        "One block a pair, each with an angle of its own, at any even width.": right,
        "This shifts the other way, or is meant for rows times matrix.": lambda offset, width, base: right(-offset, width, base),
        "Each pair has a frequency of its own.": lambda offset, width, base: _shift(offset, torch.ones(width // 2)),
        "The offset is ignored.": lambda offset, width, base: right(1, width, base),
        "The base is ignored.": lambda offset, width, base: right(offset, width, 10_000.0),
        "The exponent is doubled: pair i has b^(−2i/d).": lambda offset, width, base: right(offset, width, base**2),
        "The exponent is halved: pair i has b^(−2i/d).": lambda offset, width, base: right(offset, width, base**0.5),
        "The columns are cos, sin, cos, sin, and not all sines first.": _concatenated,
        "That is the shift by 0, whatever the offset.": lambda offset, width, base: right(0, width, base),
    }, within=1e-5)


def _concatenated(offset, width, base):
    order = [*range(1, width, 2), *range(0, width, 2)]
    return _shift(offset, additive.geometric(width, base))[order][:, order]


@exercise
def sine_alone(answer, speed=0.1, offset=5):
    """Exercise 4.7: the best factor, and the share it explains."""
    angle = offset * speed
    best = math.cos(angle)
    return same(answer, {
        "sin(p + Δ)ω = cos Δω · sin pω + sin Δω · cos pω: the second term is out of a sine's reach.": [best, best**2],
        "The share explained is the square of the factor.": [best, best],
        "A factor of 1 says that nothing moves.": [1, 1],
        "That belongs to Δ = 10.": [math.cos(10 * speed), math.cos(10 * speed) ** 2],
        "The angle is Δω: here the frequency is lost.": [math.cos(offset), math.cos(offset) ** 2],
        "That is the factor of the cosine.": [math.sin(angle), math.sin(angle) ** 2],
        "That is the share which is not explained.": [best, 1 - best**2],
    }, within=6e-3)


@exercise
def cannot_tell(answer):
    """Exercise 4.8: which two keys a dot product confuses, and its value at that distance, 7."""
    letter, number = parts_of(answer, 2, "Give a pair: the letter and the number.")
    speeds = (1, 0.1, 0.01, 0.001)
    value = sum(math.cos(7 * w) for w in speeds)
    unless_refused(same(number, {
        "": value,
        "Width 8 has four pairs; divide by nothing.": value / 4,
        "That is the sum of the sines.": sum(math.sin(7 * w) for w in speeds),
        "That is the dot product of a row with itself.": 4,
        "A distance of 7, in radians: not degrees.": sum(math.cos(math.radians(7 * w)) for w in speeds),
    }, within=6e-4))
    return choice(letter, "b", because="It depends on how far, and not on which way: cosines are even.", slips={
        **dict.fromkeys("abc", "These two are at different distances from the query: compute both."),
        "d": "There is one such pair: the cosine does not see a sign.",
    })
