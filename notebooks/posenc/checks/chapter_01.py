"""Exercises of chapter 01, order blindness."""

import math

import torch

from posenc.checks import Verdict, exercise, no_scheme, normal, same, works

SYMMETRY = {
    "encoder self-attention": "equivariant",
    "its mean over the words": "invariant",
    "attention to a memory": "invariant",
    "causal self-attention": "neither",
    "self-attention after codes were added": "neither",
    "self-attention with a padding mask that moves along": "equivariant",
}


@exercise
def outputs(answer):
    """Exercise 1.1: the outputs for the tokens 2, 0, 1, and that of a second token 0."""
    zero, one, two = 1, 10 / 7, 12 / 7
    return same(
        answer, [two, zero, one, 3 / 4], within=6e-4,  # three decimals will do
        because="Each output follows its token; and the token 0 weighs all tokens alike.",
        slips={
            "That would be invariance: the outputs stay while the tokens move.": [zero, one, two, 3 / 4],
            "That is the inverse permutation: the token 2 now stands first, so its output does too.": [
                one, two, zero, 3 / 4,
            ],
            "A new token changes the means of the others, its own twin's too.": [two, zero, one, 1],
            "The mean is over all four tokens.": [two, zero, one, 3 / 2],
            "These are the tokens; the outputs are weighted means of them.": [2, 0, 1, 0],
        },
    )  # fmt: skip


@exercise
def position(answer):
    """Exercise 1.2: where a first token of weight 3 leaves an output of 1/5."""
    return same(
        answer, 12, within=1e-6,
        because="The first token weighs 3 against p others: 3 / (3 + p) = 1/5.",
        slips={
            "That holds for a mark of score 0, with weight 1.": 4,
            "15 is the sum of all weights; three of it are the first token's.": 15,
            "Positions count from 0, and the first token is at 0.": 13,
            "The weight is the exponential of the score: 3, not ln 3.": 4 * math.log(3),
        },
    )  # fmt: skip


@exercise
def symmetry(answer):
    """Exercise 1.3: six cases, each equivariant, invariant or neither."""
    if not isinstance(answer, dict) or set(answer) != set(SYMMETRY):
        return Verdict(False, "Keep the dictionary as it is, and give one word for each of its six cases.")
    if any(not isinstance(word, str) or word not in SYMMETRY.values() for word in answer.values()):
        return Verdict(False, "Each of the six is one of the three words that the question names.")
    if answer != SYMMETRY:  # to say which one is wrong would answer it
        return Verdict(False, "Not all six are right. Try the doubtful ones with numbers: permute, compare.")
    return Verdict(True, "What is summed over is a bag; what keeps a place of its own breaks the symmetry.")


@exercise
def distance(answer):
    """Exercise 1.4: a scheme that lowers each score by the distance of query and key."""
    trials = [
        (normal(1, 1, 4, 4), torch.arange(4), torch.arange(4)),
        (normal(2, 3, 2, 3, seed=1), torch.tensor([7, 2]), torch.tensor([0, 2, 11])),
        (normal(1, 2, 3, 1, seed=2), torch.tensor([40, 5, 9]), torch.tensor([8])),
    ]
    unread = no_scheme(answer, "scores")
    return unread if unread is not None else works(
        lambda scores, q, k: answer().scores(scores.float(), q, k),
        lambda scores, q, k: scores - (q[:, None] - k).abs(),
        trials, within=1e-4,
        because="Each score falls by |p - q|, whatever the positions are.",
        slips={
            "The scores come back unchanged: return the lowered ones.": lambda scores, q, k: scores,
            "The scores change and the weights do not: print a row of both, and compare.":
                lambda scores, q, k: scores - q[:, None],
            "A distance has no sign: keys after the query must not gain.":
                lambda scores, q, k: scores - (q[:, None] - k),
            "A distance has no sign: keys before the query must not gain.":
                lambda scores, q, k: scores + (q[:, None] - k),
            "The scores should fall with the distance, not rise.":
                lambda scores, q, k: scores + (q[:, None] - k).abs(),
            "These are the distances of rows and columns; use the positions passed.": _by_index,
            "The distance is not squared.": lambda scores, q, k: scores - (q[:, None] - k) ** 2,
            "That lowers a key by its own place: the distance depends on the query's place too.":
                lambda scores, q, k: scores - k,
            "That raises a key by its own place: a distance takes the query's place too.":
                lambda scores, q, k: scores + k,
        },
    )  # fmt: skip


def _by_index(scores, q, k):
    return scores - (torch.arange(len(q))[:, None] - torch.arange(len(k))).abs()


@exercise
def blind_best(answer):
    """Exercise 1.5: the best share and the best cross-entropy of a model without positions."""
    bag = 0.5 * math.log(8 / 5) + 0.3 * math.log(8 / 3)
    each = bag / 0.8
    return same(
        answer, [0.7, bag], within=6e-4,
        because="Two sentences share a bag, and there the model can but state how often each is meant.",
        slips={
            "Three sentences, two bags: the cat's sentence has a bag of its own.": [0.5, bag],
            "Within the shared bag the more frequent answer is right in 5 of 8 cases.": [0.8, bag],
            "The shared bag is 0.8 of the set; the rest costs nothing.": [0.7, each],
            "Even chances within the shared bag are not the best: it is 5 to 3.": [0.7, 0.8 * math.log(2)],
            "The model does tell bags apart: this is the entropy of the three answers.":
                [0.7, -sum(p * math.log(p) for p in (0.5, 0.3, 0.2))],
            "In nats: with the natural logarithm.": [0.7, bag / math.log(2)],
        },
    )  # fmt: skip


@exercise
def first_door(answer):
    """Exercise 1.6: a scheme that adds a tenth of the position to column 0."""
    trials = [
        (normal(1, 4, 8), torch.arange(4)),
        (normal(2, 3, 5, seed=1), torch.tensor([30, 2, 11])),
        (normal(2, 3, 4, seed=2), torch.tensor([[0, 1, 2], [7, 3, 50]])),
    ]

    def right(x, positions):
        x[..., 0] += positions / 10
        return x

    def only(x, positions):
        x[..., 0] = positions / 10
        return x

    unread = no_scheme(answer, "input")
    return unread if unread is not None else works(
        lambda x, positions: answer().input(x, positions), right, trials, within=1e-5,
        because="The code depends on the positions passed, and on nothing else.",
        slips={
            "The vectors come back unchanged: return the sum.": lambda x, positions: x,
            "Tokens are counted here; use the positions passed.":
                lambda x, positions: right(x, torch.arange(x.shape[1])),
            "This adds to every column; only column 0 was asked for.":
                lambda x, positions: x + positions[..., None] / 10,
            "The factor is a tenth.": lambda x, positions: right(x, 10 * positions),
            "The code replaces the token's number; it should be added to it.": only,
        },
    )  # fmt: skip
