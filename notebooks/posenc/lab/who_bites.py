"""Who bites? The small experiment of chapter 1: sentences as *today dog bites man ?*, read with and without positions.

A sentence has five words, of which *today* stands anywhere before the question mark. A network answers there, with one
of eight nouns. A quarter of the pairs of nouns is kept for the test, in both orders.
"""

from collections.abc import Callable, Iterable
from itertools import combinations, permutations

import torch
from torch import Generator, Tensor
from torch.nn.functional import cross_entropy

BITES, TODAY, MARK = range(8, 11)


def _sentences() -> tuple[Tensor, Tensor, Tensor]:
    """Sentences, int64, (224, 5); their answers, int64, (224,); whether each is kept for the test, bool, (224,)."""
    pairs = list(combinations(range(8), 2))
    questions, answers, kept = [], [], []
    for biter, bitten in permutations(range(8), 2):
        for place in range(4):
            sentence = [biter, BITES, bitten]
            sentence.insert(place, TODAY)
            questions.append([*sentence, MARK])
            answers.append(biter)
            kept.append(pairs.index((min(biter, bitten), max(biter, bitten))) % 4 == 0)
    return torch.tensor(questions), torch.tensor(answers), torch.tensor(kept)


QUESTIONS, ANSWERS, KEPT = _sentences()


def answer(rows: Tensor, network: torch.nn.Module) -> Tensor:
    """The word that the rows of the question mark, (…, width), are nearest to: int64, (…)."""
    return (rows @ network.embedding.weight.T).argmax(-1)


def right(rows: Tensor, network: torch.nn.Module) -> float:
    """The share of the test that is answered rightly from the outputs `rows`, (tests, 5, width)."""
    return (answer(rows[:, -1], network) == ANSWERS[KEPT]).double().mean().item()


def train(network: torch.nn.Module, steps: int = 60) -> Tensor:
    """Train on the sentences that are not kept; the share of the test right before each step, float64, (steps,)."""
    optimiser, shares = torch.optim.Adam(network.parameters(), lr=0.01), []
    for _ in range(steps):
        rows = network(QUESTIONS)
        shares.append(right(rows[KEPT], network))
        logits = rows[:, -1] @ network.embedding.weight.T
        loss = cross_entropy(logits[~KEPT], ANSWERS[~KEPT])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return torch.tensor(shares, dtype=torch.float64)


def train_networks(
    kind: Callable[..., torch.nn.Module], layers: int = 1, scheme: object = None, seeds: Iterable[int] = range(5)
) -> tuple[Tensor, list]:
    """Train a network of width 16 with two heads for each seed: shares, float64, (seeds, 60), and the networks."""
    networks = [kind(11, 16, 2, layers, scheme, generator=Generator().manual_seed(n)).double() for n in seeds]
    return torch.stack([train(network) for network in networks]), networks
