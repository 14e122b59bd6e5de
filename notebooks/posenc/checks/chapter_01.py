"""Exercises of chapter 01, order blindness."""

import math

import torch

from posenc.checks import OPEN, Verdict, same
from posenc.doors import Scheme

SYMMETRY = {
    "encoder self-attention": ("equivariant", "Each output follows its word; only its mean stays."),
    "its mean over the words": ("invariant", "A mean does not care about the order of its terms."),
    "attention to a memory": ("invariant", "The sum over the memory has no order; its rows do not return."),
    "causal self-attention": ("neither", "The mask stays where it is while the words move."),
    "self-attention after codes were added": ("neither", "The codes stay in place while the words move."),
    "self-attention with a padding mask that moves along": (
        "equivariant",
        "Permuted scores give permuted weights, and a hidden score moves like any other.",
    ),
}


def outputs(answer):
    """Exercise 1.1: the outputs for the tokens 2, 0, 1."""
    zero, one, two = 1, 10 / 7, 12 / 7
    return same(
        answer, [two, zero, one], within=6e-4,  # three decimals will do
        because="Each output follows its token: that is equivariance.",
        slips={
            "That would be invariance: the outputs stay while the tokens move.": [zero, one, two],
            "That is the inverse permutation: the token 2 now stands first, so its output does too.": [
                one, two, zero,
            ],
            "These are the tokens; the outputs are weighted means of them.": [2, 0, 1],
        },
    )  # fmt: skip


def position(answer):
    """Exercise 1.2: where a first token of weight 3 leaves an output of 1/5."""
    return same(
        answer, 12, within=1e-9,
        because="The first token weighs 3 against p others: 3 / (3 + p) = 1/5.",
        slips={
            "That holds for a mark of score 0, with weight 1.": 4,
            "15 is the sum of all weights; three of it are the first token's.": 15,
            "Positions count from 0, and the first token is at 0.": 13,
            "The weight is the exponential of the score: 3, not ln 3.": 4 * math.log(3),
        },
    )  # fmt: skip


def symmetry(answer):
    """Exercise 1.3: six cases, each equivariant, invariant or neither."""
    if not isinstance(answer, dict) or set(answer) != set(SYMMETRY):
        return Verdict(False, f"Give one word for each of: {', '.join(SYMMETRY)}.")
    if any(word is ... for word in answer.values()):
        return Verdict(False, OPEN)
    for case, word in answer.items():
        if not isinstance(word, str) or word not in ("equivariant", "invariant", "neither"):
            return Verdict(False, f"{case}: choose 'equivariant', 'invariant' or 'neither'.")
    wrong = [hint for case, (word, hint) in SYMMETRY.items() if answer[case] != word]
    if wrong:
        return Verdict(False, f"Not all six are right. To one of them this applies: {wrong[0]}")
    return Verdict(True, "What is summed over is a bag; what keeps a place of its own breaks the symmetry.")


def distance(answer):
    """Exercise 1.4: a scheme that lowers each score by the distance of query and key."""
    if answer is ...:
        return Verdict(False, OPEN)
    if not isinstance(answer, type) or not issubclass(answer, Scheme):
        return Verdict(False, "Pass the class itself, a subclass of doors.Scheme.")
    queries, keys = torch.tensor([7, 2]), torch.tensor([0, 2, 11])
    before = torch.tensor([[[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]]])
    gap, own = (queries[:, None] - keys).float(), keys.expand(2, 3).float()
    try:
        after = answer().scores(before.clone(), queries, keys)  # it may write into its argument
        change = after - before
    except Exception as problem:  # the reader's code may fail in any way
        return Verdict(False, f"It fails for two queries and three keys: {problem}.")
    if change.shape == before.shape and bool((change == 0).all()):
        return Verdict(False, "The scores come back unchanged: return the lowered ones.")
    if change.shape == before.shape and bool((change - change[..., :1] == 0).all()):
        return Verdict(False, "The scores change and the weights do not: print a row of both, and compare.")
    index = (torch.arange(2)[:, None] - torch.arange(3)).float()
    return same(
        change[0, 0], -gap.abs(), within=1e-5,
        because="Each score falls by |p - q|, whatever the positions are.",
        slips={
            "A distance has no sign: keys after the query must not gain.": -gap,
            "A distance has no sign: keys before the query must not gain.": gap,
            "The scores should fall with the distance, not rise.": gap.abs(),
            "These are the distances of rows and columns; use the positions passed.": -index.abs(),
            "The distance is not squared.": -(gap**2),
            "That lowers a key by its own place: the distance depends on the query's place too.": -own,
            "That raises a key by its own place: a distance takes the query's place too.": own,
        },
    )  # fmt: skip
