"""Answers to the exercises of chapter 07, as a reader types them: right ones, and wrong ones with the hint they get."""


def pair(first="a * c - b * s", second="a * s + b * c", positions="positions", angle="angle"):
    return f"""
def mine(x, positions, angle):
    a, b = x[:, 0].clone(), x[:, 1].clone()
    c, s = ({positions} * {angle}).cos(), ({positions} * {angle}).sin()
    return torch.stack([{first}, {second}], dim=-1)
"""


ROTATED = {
    "right": [pair(), "lambda x, positions, angle: [[a * math.cos(p * angle) - b * math.sin(p * angle),"
              " a * math.sin(p * angle) + b * math.cos(p * angle)]"
              " for (a, b), p in zip(x.tolist(), positions.tolist())]"],
    "wrong": {
        pair(positions="torch.arange(len(positions))"): "positions are ignored",
        pair(positions="-positions"): "clockwise",
        pair(angle="1.0"): "angle per step is ignored",
        pair(angle="0.5"): "the chapter's",
        pair("a * c + b * s"): "minus sign",
        pair("a * c - b * s", "(a * c - b * s) * s + b * c"): "new first one",
        pair("a", "b"): "x comes back",
        pair("a * c - b * s", "a * c + b * s"): "differ",
        "lambda x: x": "raises TypeError",
        "lambda x, positions, angle: print(x.shape)": "returns None",
        "0.5": "must be a function",
    },
}  # fmt: skip


def table(c, s, sign="", end=""):
    return f"lambda m: [[math.{c}({end}m), {sign}math.{s}({end}m)], [math.{s}({end}m), math.{c}({end}m)]]"


def sound(*tests):
    return "lambda score: " + " and ".join(tests)


BOX = {"A": "key", "B": "minus", "C": "right", "D": "conjugate"}
START = "all(abs(score(z, z, 0, 0) - abs(z) ** 2) < 1e-9 for z in (1, 1j, 1 + 2j))"
ALONG = (
    "all(abs(score(1, 2 + 1j, m, n) - score(1, 2 + 1j, m + 5, n + 5)) < 1e-9 for m in (0, 2) for n in (1, 7))"
)
CAREFUL = """
def sound(score):
    import random
    dice = random.Random(3)
    for _ in range(50):
        q, k = (complex(dice.gauss(0, 1), dice.gauss(0, 1)) for _ in "qk")
        m, n, t = (dice.randrange(12) for _ in "mnt")
        same = math.isclose(score(q, k, m, n), score(q, k, m + t, n + t), abs_tol=1e-8)
        if not same or not math.isclose(score(q, k, 0, 0), (q * k.conjugate()).real, abs_tol=1e-8):
            return False
    return True
"""
ANSWERS = {
    "score_by_hand": {
        "right": ["7", "7.0", "sp.re((1 + 2 * sp.I) * (3 + sp.I) * -sp.I)"],
        "wrong": {
            "-7": "wrong angle", "5": "conjugated", "1": "before the turn", "-1": "imaginary part",
            "3": "not the number", "'7'": "cannot be read", "[7, 0]": "shape",
        },
    },
    "real_rope": ROTATED,
    "diagnosis": {
        "right": [repr(BOX), "dict(A='key', B='minus', C='right', D='conjugate')"],
        "wrong": {
            repr(BOX | {"A": "minus", "B": "key"}): "Not all four", repr(BOX | {"C": "key", "A": "right"}): "Not all four",
            repr(BOX | {"D": "key", "A": "conjugate"}): "Not all four", repr(BOX | {"D": "key"}): "belongs to one box",
            repr(BOX | {"D": "layout"}): "one of the words", "'key'": "dictionary", "{}": "dictionary",
        },
    },
    "other_sign": {
        "right": [table("cosh", "sinh"), "lambda m: torch.tensor([[math.cosh(4 * m), -math.sinh(4 * m)],"
                  " [-math.sinh(4 * m), math.cosh(4 * m)]], dtype=torch.float32)",
                  "lambda m: sp.Matrix([[sp.cosh(m), sp.sinh(m)], [sp.sinh(m), sp.cosh(m)]])"],
        "wrong": {
            table("cos", "sin", "-"): "keeps q0² + q1²",
            table("cos", "sin"): "q0² - q1² must be",
            table("cosh", "sinh", end="m * "): "product at",
            table("cosh", "sinh", end="1 + "): "A(0)",
            "lambda m: [[1, 0], [0, 1]]": "mix",
            "lambda m: [[math.cosh(m), math.sinh(m)], [math.sinh(m), math.cosh(m)]] if abs(m) < 5 else"
            " [[1, 0], [0, 1]]": "product at",
            "lambda m: [1, 0]": "2 × 2", "lambda m: 'cosh'": "cannot be read", "lambda m: 1 / 0": "raises Zero",
            "lambda m: None": "returns None", "[[1, 0], [0, 1]]": "must be a function",
        },
    },
    "absorbed": {
        "right": ["[[1, 0], [0, -1]]", "torch.tensor([[0.0, 1.0], [1.0, 0.0]])", "sp.Matrix([[-1, 0], [0, 1]])"],
        "wrong": {
            "[[1, 0], [0, 1]]": "That is a rotation", "[[-1, 0], [0, -1]]": "That is a rotation",
            "[[0, -1], [1, 0]]": "That is a rotation", "[[2, 0], [0, -2]]": "C must keep it",
            "[[1, 1], [1, 1]]": "determinant is 0", "[[1j, 0], [0, 1j]]": "must be real", "[1, -1]": "shape",
            "'mirror'": "cannot be read",
        },
    },
    "sound": {
        "right": [sound(START, ALONG), CAREFUL],
        "wrong": {
            "lambda score: True": "True of a program with a key turned back",
            "lambda score: False": "False of a right program",
            sound(START): "True of a program with a key turned back",
            sound(ALONG): "one place off",
            sound(START, "abs(score(1, 1j, 3, 3) - score(1, 1j, 4, 4)) < 1e-9"): "True of",
            sound(START, "score(1, 2 + 1j, 1, 0) == score(1, 2 + 1j, 8, 7)"): "rounding",
            sound("abs(score(1, 1, 1, 0) - math.cos(0.5)) < 1e-9"): "True of",
            "lambda score: score": "True or False", "lambda score: print(score(1, 1, 0, 0))": "returns None",
            "lambda score: score(1, 1)": "raises TypeError", "True": "must be a function",
        },
    },
    "in_place": ROTATED,
}  # fmt: skip
