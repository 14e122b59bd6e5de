"""Exercises of chapter 06, adding and learning."""

import math

import torch

from posenc.checks import Verdict, called, choice, exercise, no_function, normal, plain, same, works


@exercise
def gradient_column(answer):
    """Exercise 6.1: the gradient of one column of a learned table."""
    return same(
        answer, [3, 3, 2, 2, 2, 0, 0, 0],
        because="A row collects 1 from every sequence that reaches it; rows 5 to 7 are reached by none.",
        slips={
            "The batch is summed over, not counted once.": [1, 1, 1, 1, 1, 0, 0, 0],
            "The loss is a sum, not a mean over the batch.": [1, 1, 2 / 3, 2 / 3, 2 / 3, 0, 0, 0],
            "Padding adds no loss: the short sequence ends after two words.": [3, 3, 3, 3, 3, 0, 0, 0],
            "A sequence of two words reaches rows 0 and 1, not row 2.": [3, 3, 3, 2, 2, 2, 0, 0],
            "Rows past the longest sequence receive nothing.": [3, 3, 2, 2, 2, 2, 2, 2],
        },
    )  # fmt: skip


def _pair(batch, time, width, seed):
    return normal(batch, time, width, seed=seed), normal(batch, time, width, seed=seed + 1)


@exercise
def embed(answer):
    """Exercise 6.2: a function of rows and code, both (batch, time, width)."""
    return works(
        answer, lambda rows, code: rows * rows.shape[-1] ** 0.5 + code,
        [_pair(2, 3, 16, 1), _pair(1, 4, 64, 3), _pair(3, 2, 6, 5)], within=1e-4,
        because="The embedding is scaled before the code is added, so the two have comparable lengths.",
        slips={
            "The code is still scaled too: the ratio is as without a factor.":
                lambda rows, code: (rows + code) * rows.shape[-1] ** 0.5,
            "The embedding must grow, not shrink.": lambda rows, code: rows / rows.shape[-1] ** 0.5 + code,
            "The code is scaled, and the embedding is not.":
                lambda rows, code: rows + code * rows.shape[-1] ** 0.5,
            "Multiply by the root of the width, not by the width.":
                lambda rows, code: rows * rows.shape[-1] + code,
            "The factor is missing.": lambda rows, code: rows + code,
            "The width is the last axis.": lambda rows, code: rows * rows.shape[1] ** 0.5 + code,
            "The code is missing.": lambda rows, code: rows * rows.shape[-1] ** 0.5,
        },
    )  # fmt: skip


@exercise
def which_h(answer):
    """Exercise 6.3: the matrix whose bilinear form depends on the offset alone, and its factor."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        return Verdict(False, "Give a pair: the letter and the factor.")
    factor = same(
        answer[1], math.sqrt(5), within=6e-4, because="",
        slips={
            "The factor is the root of h₀² + h₁².": 5,
            "h₀ and h₁ are the cosine and the sine of one angle, times the factor.": 3,
            "That is one entry; both take part.": 2,
            "A rotation alone would keep lengths; this matrix does not.": 1,
        },
    )  # fmt: skip
    return factor and choice(
        answer[0], "b",
        because="h₃ = h₀ and h₂ = −h₁: a rotation times a factor.",
        slips={
            "a": "Two different weights within a pair: cos ω(m + n) remains.",
            "c": "h₁ + h₂ = 4: sin ω(m + n) remains.",
            "d": "h₃ − h₀ = −2: cos ω(m + n) remains, and sin ω(m + n) with it.",
        },
    )  # fmt: skip


@exercise
def lengths(answer):
    """Exercise 6.4: how much longer the code is than the word, without and with the factor, at width 512."""
    return same(
        answer, [16, math.sqrt(0.5)], within=6e-4,
        because="The word's length is 1 and the code's 16; the factor makes the word 22.6 long.",
        slips={
            "These are the squares; lengths were asked for.": [256, 0.5],
            "A row of 256 pairs has the squared length 256, not 512.": [math.sqrt(512), 1],
            "The factor stretches the word, not the code.": [16, 16 * math.sqrt(512)],
            "Turned round: the code's length over the word's.": [1 / 16, math.sqrt(2)],
            "The factor is √d, not d.": [16, 1 / 32],
        },
    )  # fmt: skip


@exercise
def four_terms(answer):
    """Exercise 6.5: a function (x, p, y, q, wq, wk) that returns the four parts of one score."""

    def parts(order):
        def terms(x, p, y, q, wq, wk):
            return torch.stack([(a @ wq) @ (b @ wk) for a, b in order(x, p, y, q)])

        return terms

    def trial(width, head, seed):
        return (*(normal(width, seed=seed + n) for n in range(4)), *normal(2, width, head, seed=seed + 9))

    right = parts(lambda x, p, y, q: ((x, y), (x, q), (p, y), (p, q)))
    return works(
        answer, right, [trial(4, 4, 0), trial(8, 3, 20), trial(5, 7, 40)], within=1e-4,
        because="One matrix serves all four: a score of sums is a sum of four scores.",
        slips={
            "The second and the third term have changed places.":
                parts(lambda x, p, y, q: ((x, y), (p, y), (x, q), (p, q))),
            "Queries and keys are exchanged: the asking word goes through wq.":
                parts(lambda x, p, y, q: ((y, x), (q, x), (y, p), (q, p))),
            "The words meet words, and also codes; here they meet only their own kind.":
                parts(lambda x, p, y, q: ((x, y), (x, y), (p, q), (p, q))),
            "The matrices are ignored.": lambda x, p, y, q, wq, wk: torch.stack([x @ y, x @ q, p @ y, p @ q]),
            "One matrix is used for queries and keys.":
                lambda x, p, y, q, wq, wk: right(x, p, y, q, wq, wq),
            "Each word meets its own code; the other word's was asked for.":
                parts(lambda x, p, y, q: ((x, y), (x, p), (q, y), (p, q))),
        },
    )  # fmt: skip


@exercise
def kind(answer):
    """Exercise 6.6: a function (vectors, weights) that returns absolute, relative or mixed."""
    unread = no_function(answer)
    if unread is not None:
        return unread
    for seed, (vectors_move, weights_move) in enumerate([(1, 1), (0, 0), (1, 0), (1, 1), (0, 0), (1, 0)]):
        words, width = 3 + seed, 4 + seed
        vectors, weights = normal(words, width, seed=seed), normal(words, words, seed=seed + 50).softmax(-1)
        there = (
            vectors + (normal(words, width, seed=seed + 70) if vectors_move else 0),
            normal(words, words, seed=seed + 90).softmax(-1) if weights_move else weights,
        )
        noise = 1e-13 * (seed > 2)  # rounding, as two runs of one computation show it
        pairs = torch.stack([vectors, there[0] + noise]), torch.stack([weights, there[1] - noise])
        said = called(answer, *pairs)
        if isinstance(said, Verdict):
            return said
        expected = "mixed" if vectors_move > weights_move else "absolute" if weights_move else "relative"
        if type(said) is not str or plain(said) not in ("absolute", "relative", "mixed"):
            return Verdict(False, "The function must return one of the three words, as a string.")
        if plain(said) != expected:
            of, to = ("move" if moves else "stay" for moves in (vectors_move, weights_move))
            aside = ", rounding aside" * (seed > 2)
            return Verdict(
                False, f"It says {plain(said)} where the vectors {of} and the weights {to}{aside}."
            )
    return Verdict(True, "Two questions sort every scheme that sees order.")
