"""Exercises of chapter 06, adding and learning."""

import math

from posenc.checks import (
    Verdict, call_or_refuse, choice, exercise, extra_trials, normal, numbers, parts_of, plain, same, torch, unless_refused,
    works,
)


@exercise
def gradient_column(answer, lengths=(2, 5, 5)):
    """Exercise 6.1: the gradient of one column of a learned table of 8 rows, for three sequences."""
    longest = max(lengths)
    rest = f"rows {longest} to 7 are" if longest < 7 else "row 7 is"
    right = [float(sum(row < length for length in lengths)) for row in range(8)]
    return same(answer, {
        f"A row collects 1 from every sequence that reaches it; {rest} reached by none.": right,
        "The batch is summed over, not counted once.": [float(n > 0) for n in right],
        "The loss is a sum, not a mean over the batch.": [n / 3 for n in right],
        "Padding adds no loss: the short sequence ends after its words.": [3.0 * (n > 0) for n in right],
        "A sequence of two words reaches rows 0 and 1, not row 2.": [sum(row <= length for length in lengths) for row in range(8)],
        "Rows past the longest sequence receive nothing.": [n or right[longest - 1] for n in right],
    })


def _pair(batch, time, width, seed):
    return normal(batch, time, width, seed=seed), normal(batch, time, width, seed=seed + 1)


@exercise(tensors=True)
def embed(answer):
    """Exercise 6.2: a function of rows and code, both (batch, time, width), with the factor √d."""

    def root(length):
        return length**0.5

    def right(rows, code):
        return rows * root(rows.shape[-1]) + code

    def trial(dice):
        return _pair(dice.randint(1, 4), dice.randint(2, 9), dice.randint(3, 40), 7)

    trials = [_pair(2, 3, 16, 1), _pair(1, 4, 64, 3), _pair(3, 2, 6, 5), *extra_trials(trial)]
    return works(answer, trials, {
        "The embedding is scaled before the code is added, so the two have comparable lengths.": right,
        "The code is still scaled too: the ratio is as without a factor.": lambda rows, code: (rows + code) * root(rows.shape[-1]),
        "The embedding must grow, not shrink.": lambda rows, code: rows / root(rows.shape[-1]) + code,
        "The code is scaled, and the embedding is not.": lambda rows, code: rows + code * root(rows.shape[-1]),
        "Multiply by the root of the width, not by the width.": lambda rows, code: rows * rows.shape[-1] + code,
        "The factor is missing.": lambda rows, code: rows + code,
        "The width is the last axis.": lambda rows, code: rows * root(rows.shape[1]) + code,
        "The code is missing.": lambda rows, code: rows * root(rows.shape[-1]),
    }, within=1e-4)


@exercise
def which_h(answer):
    """Exercise 6.3: the matrix whose bilinear form depends on the offset alone, and its factor."""
    letter, factor = parts_of(answer, 2, "Give a pair: the letter and the factor.")
    unless_refused(same(factor, {
        "": math.sqrt(5),
        "The factor is the root of c₀² + c₁².": 5,
        "c₀ and c₁ are the cosine and the sine of one angle, times the factor.": 3,
        "That is one entry; both take part.": 2,
        "A rotation alone would keep lengths; this matrix does not.": 1,
    }, within=6e-4))
    return choice(letter, "b", because="c₃ = c₀ and c₂ = −c₁: a rotation times a factor.", slips={
        "a": "Two different weights within a pair: cos ω(m + n) remains.",
        "c": "c₁ + c₂ = 4: sin ω(m + n) remains.",
        "d": "c₃ − c₀ = −2: cos ω(m + n) remains, and sin ω(m + n) with it.",
    })


@exercise
def lengths(answer, width=512):
    """Exercise 6.4: how much longer the code is than the word, without and with the factor."""
    code, factor = math.sqrt(width / 2), math.sqrt(width)
    return same(answer, {
        f"The word's length is 1 and the code's {code:.3g}; the factor makes the word {factor:.1f} long.": [code, code / factor],
        "These are the squares; lengths were asked for.": [code**2, 0.5],
        f"A row of {width // 2} pairs has the squared length {width // 2}, not {width}.": [factor, 1],
        "The factor stretches the word, not the code.": [code, code * factor],
        "Turned round: the code's length over the word's.": [1 / code, math.sqrt(2)],
        "The factor is √d, not d.": [code, code / width],
        "A ratio of 1 would be two equal lengths: compute both.": [1, 1],
    }, within=6e-4)


@exercise(tensors=True)
def four_terms(answer):
    """Exercise 6.5: a function (x_m, p_m, x_n, p_n, wq, wk) that returns the four parts of one score."""

    def parts(pairs):
        def terms(x_m, p_m, x_n, p_n, wq, wk):
            return torch.stack([(query @ wq) @ (key @ wk) for query, key in pairs(x_m, p_m, x_n, p_n)])

        return terms

    def trial(width, head, seed):
        return (*(normal(width, seed=seed + n) for n in range(4)), *normal(2, width, head, seed=seed + 9))

    def in_a_row(four, *trial):
        """A table of two rows and two columns is read row by row."""
        values, shape = numbers(four)
        return values if shape == (2, 2) else four

    right = parts(lambda x, p, y, o: ((x, y), (x, o), (p, y), (p, o)))
    trials = [trial(4, 4, 0), trial(8, 3, 20), trial(5, 7, 40)]
    trials += extra_trials(lambda dice: trial(dice.randint(2, 9), dice.randint(2, 9), 60))
    return works(answer, trials, {
        "One matrix serves all four: a score of sums is a sum of four scores.": right,
        "The second and the third term have changed places.": parts(lambda x, p, y, q: ((x, y), (p, y), (x, q), (p, q))),
        "Queries and keys are exchanged: the query's word goes through wq.": parts(lambda x, p, y, q: ((y, x), (q, x), (y, p), (q, p))),
        "The words meet words, and also codes; here they meet only their own kind.": parts(lambda x, p, y, q: ((x, y), (x, y), (p, q), (p, q))),
        "The matrices are ignored.": lambda x, p, y, q, wq, wk: torch.stack([x @ y, x @ q, p @ y, p @ q]),
        "One matrix is used for queries and keys.": lambda x, p, y, q, wq, wk: right(x, p, y, q, wq, wq),
        "All four are the first term: with words and codes on both sides there are four pairs.": parts(lambda x, p, y, q: ((x, y),) * 4),
        "Each word meets its own code; the other word's was asked for.": parts(lambda x, p, y, q: ((x, y), (x, p), (q, y), (p, q))),
    }, within=1e-4, form=in_a_row)


@exercise(tensors=True)
def kind(answer):
    """Exercise 6.6: a function (vectors, weights) that returns absolute, relative or mixed."""
    cases = [(1, 1), (0, 0), (1, 0), (1, 1), (0, 0), (1, 0)]
    cases += extra_trials(lambda dice: dice.choice(cases), 4)
    for seed, (vectors_move, weights_move) in enumerate(cases):
        words, width = 3 + seed, 4 + seed
        vectors, weights = normal(words, width, seed=seed), normal(words, words, seed=seed + 50).softmax(-1)
        vectors_there = vectors + (normal(words, width, seed=seed + 70) if vectors_move else 0)
        weights_there = normal(words, words, seed=seed + 90).softmax(-1) if weights_move else weights
        noise = 1e-13 * (seed > 2)  # rounding, as two runs of one computation show it
        pairs = torch.stack([vectors, vectors_there + noise]), torch.stack([weights, weights_there - noise])
        said = call_or_refuse(answer, *pairs)
        expected = "mixed" if vectors_move > weights_move else "absolute" if weights_move else "relative"
        if type(said) is not str or plain(said) not in ("absolute", "relative", "mixed"):
            return Verdict(False, "The function must return one of the three words, as a string.")
        if plain(said) != expected:
            of, to = ("move" if moves else "stay" for moves in (vectors_move, weights_move))
            aside = ", rounding aside" * (seed > 2)
            return Verdict(False, f"It says {plain(said)} where the vectors {of} and the weights {to}{aside}.")
    return Verdict(True, "Two questions tell the three kinds apart.")
