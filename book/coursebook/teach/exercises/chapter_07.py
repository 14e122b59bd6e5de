"""Exercises of chapter 07, RoPE in the complex plane: answers on file, and variants of those that are numbers."""

from .variants import Rule

QS, KS = (1 + 2j, 2 - 1j, 3 + 1j, 2 + 3j), (3 - 1j, 1 + 1j, 2 + 1j, 1 - 3j)


def number(z):
    """A complex number with whole parts, in mathematics."""
    size = "" if abs(z.imag) == 1 else f"{abs(z.imag):g}"
    return rf"{z.real:g} {'-' if z.imag < 0 else '+'} {size}\mathrm{{i}}"


def score(q, k, m, n):
    return (q.conjugate() * k * (1, 1j, -1, -1j)[(n - m) % 4]).real


RULES = {
    "score_by_hand": Rule(
        lambda q, k, m, n: [f"$q = {number(q)}$ at position {m}, $k = {number(k)}$ at position {n}"],
        where=lambda q, k, m, n: score(q, k, m, n) not in (0, -7) and m > n,
        q=QS, k=KS, m=range(4, 10), n=range(1, 6),
    ),
}  # fmt: skip


def pair(first="a * c - b * s", second="a * s + b * c", positions="positions", angle="angle"):
    return f"""
def answer(x, positions, angle):
    a, b = x[:, 0].clone(), x[:, 1].clone()
    c, s = ({positions} * {angle}).cos(), ({positions} * {angle}).sin()
    return torch.stack([{first}, {second}], dim=-1)
"""


def turning(way, right, wrong):
    """Answers to 7.2 and 7.7. way: the columns of those that turn as they should."""
    return {"right": [pair(**way), right], "wrong": wrong | {
        pair(**way, positions="torch.arange(len(positions))"): "positions are ignored",
        pair(angle="1.0"): "angle per step is ignored",
        pair(angle="0.5"): "the chapter's",
        pair("a", "b"): "x comes back",
    }}  # fmt: skip


def table(c, s, sign="", end=""):
    return f"lambda m: [[math.{c}({end}m), {sign}math.{s}({end}m)], [math.{s}({end}m), math.{c}({end}m)]]"


def sound(*tests):
    return "lambda score: " + " and ".join(tests)


BOX = {"A": "key", "B": "minus", "C": "right", "D": "conjugate"}

START = "all(abs(score(z, z, 0, 0) - abs(z) ** 2) < 1e-9 for z in (1, 1j, 1 + 2j))"

ALONG = "all(abs(score(1, 2 + 1j, m, n) - score(1, 2 + 1j, m + 5, n + 5)) < 1e-9 for m in (0, 2) for n in (1, 7))"

CAREFUL = """
def sound(score):
    import random
    dice = random.Random(3)
    for _ in range(50):
        q, k = (complex(dice.gauss(0, 1), dice.gauss(0, 1)) for _ in "qk")
        m, n, t = (dice.randrange(12) for _ in "mnt")
        same = math.isclose(score(q, k, m, n), score(q, k, m + t, n + t), abs_tol=1e-8)
        if not same or not math.isclose(score(q, k, 0, 0), (q.conjugate() * k).real, abs_tol=1e-8):
            return False
    return True
"""

ANSWERS = {
    "score_by_hand": {"right": ["-7", "-7.0", "sp.re((1 - 2 * sp.I) * (3 - sp.I) * -sp.I)"], "wrong": {
        "7": "wrong angle", "5": "conjugated", "1": "before the turn", "-1": "imaginary part",
        "3": "two first numbers", "'-7'": "cannot be read",
    }},
    "real_rope": turning({"first": "a * c + b * s", "second": "b * c - a * s"}, pair(angle="-angle"), {
        pair(): "counter-clockwise",
        pair("a * c - b * s", "b * c - a * s"): "both sines",
        pair("a * c + b * s", "b * c + a * s"): "no sine has one",
        pair("a * c + b * s", "b * c - (a * c + b * s) * s"): "new first one",
        pair("a * c + b * s", "a * c - b * s"): "changed places",
    }),
    "diagnosis": {"right": [repr(BOX), "dict(A='key', B='minus', C='right', D='conjugate')"], "wrong": {
        repr(BOX | {"A": "minus", "B": "key"}): "Not all four", repr(BOX | {"C": "key", "A": "right"}): "Not all four",
        repr(BOX | {"D": "key", "A": "conjugate"}): "Not all four", repr(BOX | {"D": "key"}): "belongs to one box",
        repr(BOX | {"D": "layout"}): "one of the words", "'key'": "dictionary", "{}": "dictionary",
    }},
    "other_sign": {"right": [
        table("cosh", "sinh"),
        "lambda m: torch.tensor([[math.cosh(4 * m), -math.sinh(4 * m)]," " [-math.sinh(4 * m), math.cosh(4 * m)]], dtype=torch.float32)",
        "lambda m: sp.Matrix([[sp.cosh(m), sp.sinh(m)], [sp.sinh(m), sp.cosh(m)]])",
    ], "wrong": {
        table("cos", "sin", "-"): "keeps q0² + q1²", table("cos", "sin"): "q0² − q1² must be",
        table("cosh", "sinh", end="m * "): "product at", table("cosh", "sinh", end="1 + "): "A(0)",
        "lambda m: [[1, 0], [0, 1]]": "mix",
        "lambda m: [[math.cosh(m), math.sinh(m)], [math.sinh(m), math.cosh(m)]] if abs(m) < 5 else" " [[1, 0], [0, 1]]": "product at",
        "lambda m: [1, 0]": "2 × 2",
    }},
    "absorbed": {"right": [
        "[[0.6, 0.8], [0.8, -0.6]]", "torch.tensor([[0.6, 0.8], [0.8, -0.6]])", "sp.Matrix([[3, 4], [4, -3]]) / 5",
    ], "wrong": {
        "[[0.6, 0.8], [-0.8, 0.6]]": "That is a rotation", "[[0.6, 0.8], [0.8, 0.6]]": "W must keep it",
        "[[1, 0], [0, -1]]": "first row is not", "[[0.6, 0.8], [0.6, 0.8]]": "determinant is 0",
        "[[1j, 0], [0, 1j]]": "must be real", "[1, -1]": "shape",
    }},
    "sound": {"right": [sound(START, ALONG), CAREFUL], "wrong": {
        "lambda score: True": "True of a program with a key turned back",
        "lambda score: False": "False of a right program", sound(START): "True of a program with a key turned back",
        sound(ALONG): "one place off", sound(START, "abs(score(1, 1j, 3, 3) - score(1, 1j, 4, 4)) < 1e-9"): "True of",
        sound(START, "score(1, 2 + 1j, 1, 0) == score(1, 2 + 1j, 8, 7)"): "rounding",
        sound("abs(score(1, 1, 1, 0) - math.cos(0.5)) < 1e-9"): "True of", "lambda score: score": "True or False",
    }},
    "in_place": turning({}, "lambda x, positions, angle: [[a * math.cos(p * angle) - b * math.sin(p * angle),"
                        " a * math.sin(p * angle) + b * math.cos(p * angle)]"
                        " for (a, b), p in zip(x.tolist(), positions.tolist())]", {
        pair(positions="-positions"): "clockwise",
        pair("a * c + b * s"): "no sine has one",
        pair("a * c - b * s", "(a * c - b * s) * s + b * c"): "new first one",
        pair("a * c - b * s", "a * c + b * s"): "changed places",
    }),
}  # fmt: skip
