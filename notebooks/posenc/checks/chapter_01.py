"""Exercises of chapter 01, order blindness."""

import functools
import math

from posenc.checks import (
    OPEN, Refused, Verdict, additive, distinct_positions, doors, exercise, extra_trials, is_blank, normal, plain,
    same, torch, works,
)

def output_of(token, tokens):
    """The output of a token in the first trap: the score of t and u is tu ln 2."""
    weights = [2 ** (token * other) for other in tokens]
    return sum(w * other for w, other in zip(weights, tokens, strict=True)) / sum(weights)


@exercise
def outputs(answer, tokens=(2, 0, 1), twin=0):
    """Exercise 1.1: the outputs of three tokens, and that of the twin of one of them, which joins."""
    sorted_ones, moved = ([output_of(t, range(3)) for t in order] for order in (range(3), tokens))
    back = [output_of(tokens.index(t), range(3)) for t in range(3)]
    new = output_of(twin, [*tokens, twin])
    alike = "and the token 0 weighs all tokens alike" if twin == 0 else "and a new token changes every mean"
    return same(answer, {  # three decimals will do
        f"Each output follows its token; {alike}.": [*moved, new],
        "That would be invariance: the outputs stay while the tokens move.": [*sorted_ones, new],
        f"That is the inverse permutation: the token {tokens[0]} stands first, so its output does too.": [*back, new],
        "A new token changes the means of the others, its own twin's too.": [*moved, output_of(twin, range(3))],
        "The mean is over all four tokens.": [*moved, output_of(twin, set(tokens) - {twin})],
        "These are the tokens; the outputs are weighted means of them.": [*tokens, twin],
    }, within=6e-4)


@exercise
def position(answer, weight=3, share=5):
    """Exercise 1.2: where a first token of this weight leaves an output of one share."""
    return same(answer, {
        f"The first token weighs {weight} against p others: {weight} / ({weight} + p) = 1/{share}.": weight * (share - 1),
        "That holds for a mark of score 0, with weight 1.": share - 1,
        f"{weight * share} is the sum of all weights; {weight} of it is the first token's.": weight * share,
        "Positions count from 0, and the first token is at 0.": weight * (share - 1) + 1,
        f"The weight is the exponential of the score: {weight}, not ln {weight}.": (share - 1) * math.log(weight),
        "The first token is not among the p others.": weight * (share - 1) - 1,
    }, within=1e-6)


def _attend(x, memory=None, bias=0.0):
    memory = x if memory is None else memory
    return (x @ memory.T + bias).softmax(-1) @ memory


def _causal(x):
    return _attend(x, bias=torch.full((len(x), len(x)), -math.inf).triu(1))


def _padded(x, order):
    """Attention that does not see the last two words, wherever they go."""
    hidden = torch.where(torch.arange(len(x)) >= len(x) - 2, -math.inf, 0.0)
    return _attend(x, bias=hidden[order])


def _by_index(rows, columns):
    return -(torch.arange(rows)[:, None] - torch.arange(columns)).abs().double()


# What each case computes of permuted words (or of a permuted memory) and of the permutation.
SYMMETRIES = {
    "encoder self-attention": lambda x, order: _attend(x),
    "its mean over the words": lambda x, order: _attend(x).mean(0),
    "attention to a memory": lambda x, order: _attend(normal(5, 4, seed=11), x),
    "causal self-attention": lambda x, order: _causal(x),
    "self-attention after codes were added": lambda x, order: _attend(x + additive.sinusoidal(range(6), 4)),
    "self-attention with a padding mask that moves along": _padded,
}
ASKED = tuple(SYMMETRIES)


@functools.cache
def symmetry_of(case):
    """What permuting does to the output of a case, found by permuting."""
    x, order = normal(6, 4, seed=10), torch.tensor([3, 5, 0, 1, 4, 2])
    before, after = (SYMMETRIES[case](x[way], way) for way in (torch.arange(6), order))
    if before.shape == after.shape and torch.allclose(before, after):
        return "invariant"
    moves = case != "attention to a memory" and before.dim() == 2
    return "equivariant" if moves and torch.allclose(before[order], after) else "neither"


@exercise(tensors=True)
def symmetry(answer):
    """Exercise 1.3: six cases, each equivariant, invariant or neither."""
    right = {case: symmetry_of(case) for case in ASKED}
    if not isinstance(answer, dict) or set(answer) != set(right):
        return Verdict(False, "Keep the dictionary as it is, and give one word for each of its six cases.")
    answer = {case: plain(word) for case, word in answer.items()}
    words = ("equivariant", "invariant", "neither")
    if any(not isinstance(word, str) or word not in words for word in answer.values()):
        return Verdict(False, "Each of the six is one of the three words that the question names.")
    if answer != right:  # to say which one is wrong would answer it
        return Verdict(False, "Not all six are right. Try the doubtful ones with numbers: permute, compare.")
    return Verdict(True, "What is summed over is a bag; what keeps a place of its own breaks the symmetry.")


def own_scheme(answer, door):
    """Raise Refused for an answer that is no class of the reader's with this door."""
    if not isinstance(answer, type) or not issubclass(answer, doors.Scheme):
        raise Refused("Pass the class itself, a subclass of doors.Scheme.")
    if getattr(answer, door) is getattr(doors.Scheme, door):
        raise Refused(f"The class does not open this door: define its method {door}.")
    if is_blank(getattr(answer, door)):
        raise Refused(OPEN)


@exercise(tensors=True)
def distance(answer):
    """Exercise 1.4: a scheme that lowers each score by the distance of query and key."""
    trials = [
        (normal(1, 1, 4, 4), torch.arange(4), torch.arange(4)),
        (normal(2, 3, 2, 3, seed=1), torch.tensor([7, 2]), torch.tensor([0, 2, 11])),
        (normal(1, 2, 3, 1, seed=2), torch.tensor([40, 5, 9]), torch.tensor([8])),
        *extra_trials(lambda dice: (normal(2, 1, 3, 5, seed=9), *(distinct_positions(dice, n) for n in (3, 5)))),
    ]
    own_scheme(answer, "scores")

    def lowered(scores, q, k):
        return answer().scores(scores.float(), q, k)

    def right(scores, q, k):
        return scores - (q[:, None] - k).abs()

    return works(lowered, trials, {
        "Each score falls by |m - n|, whatever the positions are.": right,
        "The scores come back unchanged: return the lowered ones.": lambda scores, q, k: scores,
        "Query and key are paired one to one: a distance for each of all pairs needs q_positions[:, None].": lambda scores, q, k: scores - (q - k).abs(),
        "The scores change and the weights do not: print a row of both, and compare.": lambda scores, q, k: scores - q[:, None],
        "A distance has no sign: keys after the query must not gain.": lambda scores, q, k: scores - (q[:, None] - k),
        "A distance has no sign: keys before the query must not gain.": lambda scores, q, k: scores + (q[:, None] - k),
        "The scores should fall with the distance, not rise.": lambda scores, q, k: scores + (q[:, None] - k).abs(),
        "These are the distances of rows and columns; use the positions passed.": lambda scores, q, k: scores + _by_index(len(q), len(k)),
        "The distance is not squared.": lambda scores, q, k: scores - (q[:, None] - k) ** 2,
        "That lowers a key by its own place: the distance depends on the query's place too.": lambda scores, q, k: scores - k,
        "That raises a key by its own place: a distance takes the query's place too.": lambda scores, q, k: scores + k,
    }, within=1e-4)


@exercise
def blind_best(answer, tenths=(5, 3, 2)):
    """Exercise 1.5: the best share and the best cross-entropy of a model without positions.

    tenths: of the data set, for each of the three sentences.
    """
    dog, man, cat = (part / 10 for part in tenths)
    both, best = dog + man, max(dog, man)
    bag = dog * math.log(both / dog) + man * math.log(both / man)
    return same(answer, {
        "Two sentences share a bag, and there the model can but state how often each is meant.": [best + cat, bag],
        "Three sentences, two bags: the cat's sentence has a bag of its own.": [best, bag],
        f"Within the shared bag the more frequent answer is right in {10 * best:.0f} of {10 * both:.0f}.": [both, bag],
        f"The shared bag is {both:.1f} of the set; the rest costs nothing.": [best + cat, bag / both],
        f"Even chances within the shared bag are not the best: it is {tenths[0]} to {tenths[1]}.": [best + cat, both * math.log(2)],
        "The model does tell bags apart: this is the entropy of the three answers.": [best + cat, -sum(p * math.log(p) for p in (dog, man, cat))],
        "With the natural logarithm.": [best + cat, bag / math.log(2)],
        "A share is at most 1: this is per cent.": [100 * (best + cat), bag],
    }, within=6e-4)


@exercise(tensors=True)
def first_door(answer):
    """Exercise 1.6: a scheme that adds a tenth of the position to column 0."""
    trials = [
        (normal(1, 4, 8), torch.arange(4)),
        (normal(2, 3, 5, seed=1), torch.tensor([30, 2, 11])),
        (normal(2, 3, 4, seed=2), torch.tensor([[0, 1, 2], [7, 3, 50]])),
        *extra_trials(lambda dice: (normal(2, 5, dice.randint(4, 9), seed=9), distinct_positions(dice, 5))),
    ]

    def right(x, positions):
        x[..., 0] += positions / 10
        return x

    def only(x, positions):
        x[..., 0] = positions / 10
        return x

    own_scheme(answer, "input")
    return works(lambda *given: answer().input(*given), trials, {
        "The code depends on the positions passed, and on nothing else.": right,
        "The vectors come back unchanged: return the sum.": lambda x, positions: x,
        "Tokens are counted here; use the positions passed.": lambda x, positions: right(x, torch.arange(x.shape[1])),
        "This adds to every column; only column 0 was asked for.": lambda x, positions: x + positions[..., None] / 10,
        "The factor is a tenth.": lambda x, positions: right(x, 10 * positions),
        "The code replaces the token's number; it should be added to it.": only,
    }, within=1e-5)
