"""Variants of chapter 04, a shift is a rotation."""

from variants import Rule, word

COLUMNS = {
    "sin, cos, sin, cos": "sin, cos, sin, cos, …",
    "cos, sin, cos, sin": "cos, sin, cos, sin, …",
    "all sines first": "sin, sin, …, cos, cos, …",
}


def letters(centre, gap, place):
    """Three pairs of keys, that which is confused at its place."""
    keys = [(centre - gap, centre), (centre + gap, centre + 2 * gap)]
    keys.insert("abc".index(place), (centre - gap, centre + gap))
    return ", ".join(
        f'`"{letter}"` {one} and {other}' for letter, (one, other) in zip("abc", keys, strict=True)
    )


def place(ahead):
    """A key's place, as 4.4 says it."""
    places = f"{word(abs(ahead))} place{'s' if abs(ahead) > 1 else ''}"
    return f"$n = m {'+' if ahead > 0 else '-'} {abs(ahead)}$, {places} {'ahead' if ahead > 0 else 'back'}"


def fraction(number):
    return rf"$\tfrac1{number}$" if number < 10 else rf"$\tfrac1{{{number}}}$"


RULES = [
    Rule(
        "three_on",
        lambda offset, speed: [f"frequency {speed} by {word(offset)} positions"],
        where=lambda offset, speed: abs(offset * speed - 0.3) > 0.01,
        offset=range(2, 10), speed=(0.05, 0.1, 0.2, 0.25, 0.3),
    ),
    Rule(
        "net_offset",
        lambda first, back, power, speed: [
            rf"$R({first})\,R({back})^\top R(1)^{power}$",
            f"frequency {speed}",
        ],
        where=lambda first, back, power, speed: first - back + power != 8,
        first=range(5, 10), back=(2, 3, 4), power=(2, 3, 4, 5), speed=(0.05, 0.1, 0.2),
    ),
    Rule(
        "split_matrix",
        lambda offset, slow: [
            f"the frequencies 1 and {slow} and the offset {offset}",
            f"torch.arange(50), 4, {'100.0, ' if slow == 0.1 else ''}layout=",
            f"for a in ({offset}, {offset * slow:g})",
            f"split[:-{offset}]", f"split[{offset}:]", f"{word(offset)}_on",
        ],
        where=lambda offset, slow: offset != 2,
        offset=range(1, 10), slow=(0.01, 0.1),
    ),
    Rule(
        "look_ahead",
        lambda speed, ahead: [rf"$\omega = {speed}$", place(ahead)],
        where=lambda speed, ahead: abs(speed * ahead - 1) > 0.01,
        speed=(0.2, 0.3, 0.4, 0.5, 0.6), ahead=(-5, -4, -3, -2, -1, 1, 2, 3, 4, 5),
    ),
    Rule(
        "moved_on",
        lambda angle, slow: [f"one angle, {angle} radians", *map(fraction, slow)],
        angle=range(2, 8), slow=[(4, 50), (5, 1000), (8, 100), (16, 64), (20, 200)],
    ),
    Rule(
        "shift",
        lambda columns, sign: [
            f"the columns {COLUMNS[columns]} (as", f"`offset` positions {'on' if sign == 1 else 'back'}",
        ],
        where=lambda columns, sign: (columns, sign) != ("cos, sin, cos, sin", -1),
        columns=tuple(COLUMNS), sign=(1, -1),
    ),
    Rule(
        "sine_alone",
        lambda speed, offset: [rf"$\omega = {speed}$", rf"Now $\Delta = {offset}$"],
        where=lambda speed, offset: 0.15 <= speed * offset <= 1.4 and abs(speed * offset - 0.5) > 0.05,
        speed=(0.05, 0.1, 0.2), offset=range(2, 15),
    ),
    Rule(
        "cannot_tell",
        lambda centre, gap, place: [
            f"row of position {centre}", letters(centre, gap, place), f"with position {centre + gap}",
        ],
        where=lambda centre, gap, place: (gap, place) != (7, "b"),
        centre=(40, 60, 80, 100, 120, 200), gap=range(3, 10), place="abc",
    ),
]  # fmt: skip
