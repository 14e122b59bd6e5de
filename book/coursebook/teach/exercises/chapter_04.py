"""Exercises of chapter 04, looking eight back: answers on file, and variants of numbers."""

from .variants import Rule, word


def place(ahead):
    """A key's position, as 4.4 says it."""
    places = f"{word(abs(ahead))} position{'s' if abs(ahead) > 1 else ''}"
    return f"$n = m {'+' if ahead > 0 else '-'} {abs(ahead)}$, {places} {'ahead' if ahead > 0 else 'back'}"


def fraction(number):
    return rf"$\tfrac1{number}$" if number < 10 else rf"$\tfrac1{{{number}}}$"


RULES = {
    "three_on": Rule(
        lambda offset, speed: [f"frequency {speed} by {word(offset)} positions"],
        where=lambda offset, speed: abs(offset * speed - 0.3) > 0.01,
        offset=range(2, 10), speed=(0.05, 0.1, 0.2, 0.25, 0.3),
    ),
    "net_offset": Rule(
        lambda first, back, power, speed: [rf"$R({first})\,R({back})^\top R(1)^{power}$", f"frequency {speed}"],
        where=lambda first, back, power, speed: first - back + power != 8,
        first=range(5, 10), back=(2, 3, 4), power=(2, 3, 4, 5), speed=(0.05, 0.1, 0.2),
    ),
    "look_ahead": Rule(
        lambda speed, ahead: [rf"$\omega = {speed}$", place(ahead)],
        where=lambda speed, ahead: abs(speed * ahead - 1) > 0.01,
        speed=(0.2, 0.3, 0.4, 0.5, 0.6), ahead=(-5, -4, -3, -2, -1, 1, 2, 3, 4, 5),
    ),
    "moved_on": Rule(
        lambda angle, slow: [f"one angle, {angle} radians", *map(fraction, slow)],
        angle=range(2, 8), slow=[(4, 50), (5, 1000), (8, 100), (16, 64), (20, 200)],
    ),
    "sine_alone": Rule(
        lambda speed, offset: [rf"$\omega = {fraction(round(1 / speed)).strip('$')}$", rf"Now $\Delta = {offset}$"],
        where=lambda speed, offset: 0.15 <= speed * offset <= 1.4 and abs(speed * offset - 0.5) > 0.05,
        speed=(0.05, 0.1, 0.2), offset=range(2, 15),
    ),
}  # fmt: skip


def turn(a):
    return f"[[math.cos({a}), -math.sin({a})], [math.sin({a}), math.cos({a})]]"


def split(a, b):
    return f"torch.block_diag(torch.tensor({turn(a)}), torch.tensor({turn(b)}))[[1, 3, 0, 2]][:, [1, 3, 0, 2]]"


def shift(a="offset * base ** (-2 * i / width)", more=""):
    return f"""
def answer(offset, width, base):
    angles = [{a} for i in range(width // 2)]
    return torch.block_diag(*(torch.tensor({turn("a")}) for a in angles)){more}
"""


WOVEN = """
def answer(offset, width, base):
    import numpy as np
    table = np.zeros((width, width))
    for i in range(width // 2):
        angle = offset * base ** (-2 * i / width)
        table[2 * i, 2 * i] = table[2 * i + 1, 2 * i + 1] = np.cos(angle)
        table[2 * i, 2 * i + 1], table[2 * i + 1, 2 * i] = -np.sin(angle), np.sin(angle)
    return table
"""

ORDER = "[[*range(1, width, 2), *range(0, width, 2)]][:, [*range(1, width, 2), *range(0, width, 2)]]"

ANSWERS = {
    "three_on": {"right": [turn(0.3), "sp.Matrix([[sp.cos(0.3), -sp.sin(0.3)], [sp.sin(0.3), sp.cos(0.3)]])",
                           "[[0.9553, -0.2955], [0.2955, 0.9553]]"], "wrong": {
        turn(-0.3): "other way", turn(3): "frequency is lost", turn(0.1): "offset is lost",
        turn("math.radians(0.3)"): "radians", f"{turn(0.3)}[::-1]": "rows are swapped",
        "[[1, 0], [0, 1]]": "shift by 0",
    }},
    "net_offset": {"right": ["[8, 0.697]", "(8, math.cos(0.8))"], "wrong": {
        "[12, math.cos(1.2)]": "turns back", "[6, math.cos(0.6)]": "three steps", "[10, math.cos(1)]": "without",
        "[42, math.cos(4.2)]": "Offsets add", "[2, math.cos(0.2)]": "forward", "[8, 0.717]": "is the cosine",
        "[8, math.cos(8)]": "frequency is lost",
    }},
    "split_matrix": {"right": [split(2, 0.02), f"{split(2, 0.02)}.double().tolist()"], "wrong": {
        f"torch.block_diag(torch.tensor({turn(2)}), torch.tensor({turn(0.02)}))": "Blocks on the diagonal",
        split(-2, -0.02): "shifts by −2", split(0.02, 2): "changed places", split(1, 0.01): "offset is lost",
        split(2, 2): "frequency of its own", "torch.eye(4)": "shift by 0",
    }},
    "look_ahead": {"right": ["[math.cos(1), -math.sin(1)]", "[0.5403, -0.8415]", "(sp.cos(1), -sp.sin(1))"], "wrong": {
        "[math.cos(1), math.sin(1)]": "highest at n = m − 2", "[math.cos(2), -math.sin(2)]": "frequency is lost",
        "[1, 0]": "a_2 = 0", "[-math.cos(1), math.sin(1)]": "opposite way", "[-math.sin(1), math.cos(1)]": "changed",
        "[0, 0]": "every score is 0",
    }},
    "moved_on": {"right": ["[2, 16, 200]", "torch.tensor([2.0, 16.0, 200.0])"], "wrong": {
        "[2, 0.25, 0.02]": "true shift", "[1, 8, 100]": "turn by 1", "[2, 2, 2]": "same for all",
        "[0, 14, 198]": "too far", "[2, 16]": "shape", "[1 / math.pi, 8 / math.pi, 100 / math.pi]": "not divided",
    }},
    "shift": {"right": [shift(), WOVEN], "wrong": {
        shift(more=".T"): "other way", shift("offset"): "frequency of its own",
        shift("base ** (-2 * i / width)"): "offset is ignored",
        shift("offset * 10_000 ** (-2 * i / width)"): "base is ignored",
        shift("offset * base ** (-4 * i / width)"): "doubled", shift("offset * base ** (-i / width)"): "halved",
        shift(more=ORDER): "not all sines first", shift("offset * 10_000 ** (-i / 2)"): "first case tried",
        "lambda offset, width, base: torch.eye(width)": "shift by 0",
        f"lambda offset, width, base: torch.block_diag(torch.tensor({turn(1)}), torch.tensor({turn(0.01)}))":
            "first case tried",
    }},
    "sine_alone": {"right": ["[0.88, 0.77]", "[math.cos(0.5), math.cos(0.5) ** 2]"], "wrong": {
        "[0.88, 0.88]": "square of the factor", "[1, 1]": "nothing moves", "[0.54, 0.29]": "Δ = 10",
        "[0.28, 0.08]": "frequency is lost", "[0.48, 0.23]": "factor of the cosine", "[0.88, 0.23]": "not explained",
        "[0.9, 0.8]": "Rounded too early",
    }},
    "cannot_tell": {"right": ["('b', 3.516)", "['B', sum(math.cos(7 * w) for w in (1, 0.1, 0.01, 0.001))]"], "wrong": {
        "('a', 3.516)": "compute both", "('c', 3.516)": "compute both", "('d', 3.516)": "does not see a sign",
        "('b', 0.879)": "divide by nothing", "('b', 4)": "with itself", "('b', 1.378)": "sum of the sines",
        "('e', 3.516)": "none of the choices", "'b'": "pair", "('b', 'large')": "cannot be read",
    }},
}  # fmt: skip
