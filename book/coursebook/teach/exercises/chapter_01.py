"""Exercises of chapter 01, order blindness: answers on file, and variants of those that are numbers."""

from itertools import permutations, product

from posenc.checks.chapter_01 import ASKED

from .variants import Rule, word

WORD, MEAN, MEMORY = ASKED[:3]

TENTHS = {number: f"{word(number)} tenths" for number in range(1, 10)} | {1: "one tenth", 5: "half"}


def share_of_set(number):
    return f"{TENTHS[number].capitalize()} of a data set {'say' if number not in (1, 5) else 'says'}"


RULES = {
    "outputs": Rule(
        lambda tokens, twin: [f"the tokens {', '.join(map(str, tokens))} give", f"a second token {twin} joins"],
        tokens=[order for order in permutations(range(3)) if order != (0, 1, 2)], twin=range(3),
    ),
    "position": Rule(
        lambda weight, share: [rf"its score is $\ln {weight}$", f"output is 1/{share}"],
        where=lambda weight, share: weight * (share - 1) != 12,
        weight=range(2, 8), share=range(4, 13),
    ),
    "blind_best": Rule(
        lambda tenths: [f"{share_of_set(tenths[0])} *dog", f"{TENTHS[tenths[1]]} *man", f"{TENTHS[tenths[2]]} *cat"],
        where=lambda tenths: tenths != (3, 5, 2),
        tenths=[(a, b, 10 - a - b) for a, b in product(range(1, 9), repeat=2) if a != b and a + b < 10],
    ),
}  # fmt: skip

RIGHT = dict(zip(ASKED, "equivariant invariant invariant neither neither equivariant".split(), strict=True))


def scores(rule):
    return f'type("Answer", (doors.Scheme,), {{"scores": lambda self, scores, q, k: {rule}}})'


def enters(rule):
    return f'type("Answer", (doors.Scheme,), {{"input": lambda self, x, at: {rule}}})'


IN_PLACE = """
class Answer(doors.Scheme):
    def scores(self, scores, q_positions, k_positions):
        scores -= (q_positions[:, None] - k_positions).abs()
        return scores
"""

COLUMN = """
class Answer(doors.Scheme):
    def input(self, x, positions):
        x[:, :, 0] += 0.1 * positions
        return x
"""

ANSWERS = {
    "outputs": {"right": ["[12 / 7, 1, 10 / 7, 3 / 4]", "torch.tensor([1.714, 1, 1.429, 0.75])"], "wrong": {
        "[1, 10 / 7, 12 / 7, 3 / 4]": "invariance", "[10 / 7, 12 / 7, 1, 3 / 4]": "inverse",
        "[2, 0, 1, 0]": "weighted means", "[12 / 7, 1, 10 / 7, 1]": "means of the others",
        "[12 / 7, 1, 10 / 7, 3 / 2]": "all four", "[1.71, 1, 1.43, 0.75]": "Rounded too early",
    }},
    "position": {"right": ["12", "12.0", "torch.tensor(12)", "sp.Integer(12)"], "wrong": {
        "4": "score 0", "15": "sum of all weights", "13": "count from 0", "4 * math.log(3)": "exponential",
        "11": "p others", "'12'": "cannot be read",
    }},
    "symmetry": {"right": [repr(RIGHT), f"dict({list(RIGHT.items())!r})"], "wrong": {
        repr(RIGHT | {WORD: "invariant"}): "Not all six", repr(RIGHT | {ASKED[3]: "equivariant"}): "Not all six",
        repr(dict.fromkeys(RIGHT, "neither")): "Not all six", repr(dict.fromkeys(RIGHT, "equivariant")): "Not all six",
        repr(RIGHT | {WORD: "yes"}): "one of the three words",
        repr(RIGHT | {WORD: ["equivariant"]}): "one of the three words",
        "{}": "Keep the dictionary", repr(list(RIGHT.values())): "Keep the dictionary",
    }},
    "distance": {"right": [scores("scores - (q[:, None] - k).abs()"), IN_PLACE,
                           scores("scores - torch.maximum(k[None] - q[..., None], q[..., None] - k[None])")], "wrong": {
        scores("scores - q[:, None]"): "weights do not", scores("scores - k"): "query's place too",
        scores("scores - (q - k).abs()"): "one to one",
        scores("scores + k"): "takes the query's place", scores("scores - (q[:, None] - k)"): "keys after",
        scores("scores + (q[:, None] - k)"): "keys before", scores("scores + (q[:, None] - k).abs()"): "not rise",
        scores("scores - (q[:, None] - k) ** 2"): "squared",
        scores("scores - (torch.arange(len(q))[:, None] - torch.arange(len(k))).abs()"): "positions passed",
        scores("scores - (torch.arange(4)[:, None] - torch.arange(4)).abs()"): "first case tried",
        scores("scores"): "unchanged", scores("[][0]"): "raises IndexError", scores("None"): "returns None",
        "doors.Scheme": "does not open this door", "doors.Scheme()": "class itself", "3": "class itself",
    }},
    "blind_best": {"right": ["[0.7, 0.5293]",
                             "np.array([0.7, -0.5 * math.log(5 / 8) - 0.3 * math.log(3 / 8)])"], "wrong": {
        "[0.5, 0.5293]": "two bags", "[0.8, 0.5293]": "5 of 8", "[0.7, 0.6616]": "costs nothing",
        "[0.7, 0.5545]": "5 to 3", "[0.7, 1.0297]": "does tell bags apart", "[0.7, 0.7636]": "natural",
        "[70, 0.5293]": "per cent", "(0.5293, 0.7)": "another order",
    }},
    "first_door": {"right": [enters("torch.cat([x[..., :1] + at[..., None] / 10, x[..., 1:]], -1)"), COLUMN], "wrong": {
        enters("x"): "unchanged", enters("x + at[..., None] / 10"): "only column 0",
        enters("torch.cat([x[..., :1] + torch.arange(x.shape[1])[:, None] / 10, x[..., 1:]], -1)"):
            "Tokens are counted",
        enters("torch.cat([x[..., :1] + at[..., None], x[..., 1:]], -1)"): "a tenth",
        enters("torch.cat([(at[..., None] / 10).expand_as(x[..., :1]), x[..., 1:]], -1)"): "replaces",
        enters("x + torch.eye(8)[0] * torch.arange(4)[:, None] / 10"): "first case tried",
        enters("None"): "returns None", scores("scores"): "does not open this door", "lambda x, at: x": "class itself",
    }},
}  # fmt: skip
