"""Exercises of chapter 12, in a real model."""

import cmath
import math

from posenc.checks import HIDDEN, exercise, extra_trials, generator, same, torch, works


@exercise
def nearest(answer, back=6, step=4):
    """Exercise 12.1: where the key stands that a head is after, when all positions are multiplied."""
    return same(answer, {
        "No token stands there: the head wants a place between two.": back / step,
        "The offset of a key grows with the step, so the key that has the old offset is nearer.": back * step,
        "That is where it looked before: the key there has another offset now.": back,
        "Positions are multiplied, so distances are divided.": back - step,
        "Positions are multiplied, nothing is added to them.": back + step,
        "The factor alone says nothing of the head.": step,
        "Do not round: the place that it wants may lie between two tokens.": back // step,
        "It is the offset that has to stay, not the number of tokens: turn the ratio over.": step / back,
    })


@exercise
def factor(answer, before=4.05, after=5.57):
    """Exercise 12.2: what a difference of losses is as a factor of probability."""
    gap = after - before
    return same(answer, {
        f"{gap:.2f} nats sound like little. They are a factor.": math.exp(gap),
        "That is the difference of the losses. A loss is a logarithm.": gap,
        "Losses are logarithms: their difference counts, not their ratio.": after / before,
        "That is what is left of the probability; by what factor has it fallen?": math.exp(-gap),
        "The loss is in nats: its base is e.": 2**gap,
        "The loss is in nats: its base is e, not 10.": 10**gap,
        "Take the difference first.": math.exp(after),
    }, within=0.006)


@exercise
def favourite(answer):
    """Exercise 12.3: a function (c, omega) → the first offset at which the wave of a pair is highest."""

    def at(phase, omega):
        return phase % (2 * math.pi) / omega

    def right(c, omega):
        return at(cmath.phase(c), omega)

    trials = [(3 + 1j, 1.0), (-2 - 1j, 0.5), (0.3 - 0.8j, 0.01), (-1 + 4j, 2.5)]
    trials += extra_trials(lambda dice: (complex(dice.uniform(-3, 3), dice.uniform(0.5, 3)), dice.uniform(0.05, 3)), 4)
    return works(answer, trials, {
        "From there it comes again with every turn.": right,
        "An offset before 0 lies ahead of the query: go on by whole turns.": lambda c, omega: cmath.phase(c) / omega,
        "The wave is highest where tω is the angle of c, not minus it.": lambda c, omega: at(-cmath.phase(c), omega),
        "That is an angle: how many steps is it?": lambda c, omega: at(cmath.phase(c), 1),
        "A faster pair gets there sooner: divide by ω.": lambda c, omega: at(cmath.phase(c), 1 / omega),
        "There it is lowest.": lambda c, omega: at(cmath.phase(c) + math.pi, omega),
        "Which of the offsets is asked for? Count from the first one that is not negative.": lambda c, omega: right(c, omega) + 2 * math.pi / omega,
    }, within=1e-5)


def _scores(q, k, omega, out, divisor=8, still=False, only=False):
    turns = torch.exp(1j * torch.arange(len(q))[:, None] * omega)
    kept = torch.ones(len(omega), dtype=torch.bool)
    kept[out] = False
    if only:
        kept = ~kept
    turns = torch.where(kept, turns, torch.ones_like(turns)) if still else turns * kept
    return ((q * turns).conj() @ (k * turns).T).real / divisor


@exercise(tensors=True)
def without(answer):
    """Exercise 12.4: a function (q, k, omega, out) → the scores of a head without some pairs."""
    source = generator(12 + HIDDEN.get())

    def trial(tokens, pairs, out):
        q, k = torch.randn(2, tokens, pairs, dtype=torch.complex128, generator=source)
        return q, k, torch.rand(pairs, dtype=torch.float64, generator=source) + 0.1, out

    def of(**options):
        return lambda q, k, omega, out: _scores(q, k, omega, out, **options)

    trials = [trial(6, 4, [1]), trial(9, 5, [0, 3]), trial(3, 2, []), trial(5, 8, [7])]
    return works(answer, trials, {
        "A pair that is out adds nothing, whatever the words.": of(),
        "Without its turn a pair still adds its words: it has to add nothing.": of(still=True),
        "These are the scores of the pairs that should be out.": of(only=True),
        "No pair is out yet.": lambda q, k, omega, out: _scores(q, k, omega, []),
        "The scores are divided by 8, whatever is taken out.": lambda q, k, omega, out: _scores(q, k, omega, out, 1),
        "Row m is for query m, and a key stands in a column.": lambda q, k, omega, out: _scores(q, k, omega, out).T,
        "Queries and keys have to be turned.": lambda q, k, omega, out: _scores(q, k, 0 * omega, out),
    })
