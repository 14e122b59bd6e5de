"""How long a training step of the lab takes, beside a plain `torch.nn.TransformerEncoder` of its size.

Run by hand: `.venv/bin/python book/_tools/benchmark_lab.py [rounds]`. Each round runs one step of every contestant
(forward, backward, Adam), in an order shuffled anew, so that noise falls on all alike; a row gives the median over the
rounds of the ratio to the plain model of the same round, and its quartiles. Below 1 is slower than plain. One thread;
the clock counts the time that it was at work, so a machine that others use will do.
"""

import random
import statistics
import sys
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).parents[2] / "notebooks"))
from posenc.lab.entrants import ENTRANTS, TRAINED, built
from posenc.lab.tasks import NONE, TASKS
from posenc.lab.training import Budget, model_for


class Plain(nn.Module):
    """Embedding, two layers of torch's own encoder under a causal mask, a norm, a map to answers."""

    def __init__(self, vocabulary, budget):
        super().__init__()
        width = budget.width
        layer = nn.TransformerEncoderLayer(
            width, budget.heads, 4 * width, dropout=0.0, batch_first=True, norm_first=True, bias=True
        )
        self.embedding = nn.Embedding(vocabulary, width)
        self.encoder = nn.TransformerEncoder(layer, budget.layers, nn.LayerNorm(width), enable_nested_tensor=False)
        self.logits = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1])
        return self.logits(self.encoder(self.embedding(tokens), mask=mask, is_causal=True))


def stepper(model, batches):
    """A function that trains one step and returns its seconds."""
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-4, fused=True)
    turn = iter(batches)

    def step():
        tokens, answers = next(turn)
        start = time.thread_time()
        logits = model(tokens)
        loss = functional.cross_entropy(logits.flatten(0, 1), answers.flatten(), ignore_index=NONE)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        return time.thread_time() - start

    return step


def main(rounds=100):
    torch.set_num_threads(1)
    budget, task = Budget(), TASKS["ago"]
    source = torch.Generator().manual_seed(0)
    batches = [task(budget.batch, TRAINED, source) for _ in range(rounds + 10)]
    names = [name for name, entry in ENTRANTS.items() if entry.of is None]
    models = {"plain": Plain(task.vocabulary, budget)}
    models |= {name: model_for(task, built(name, budget.width, budget.heads), budget) for name in names}
    steps = {name: stepper(model, batches) for name, model in models.items()}
    found, order = [], list(steps)
    for number in range(rounds + 10):
        random.shuffle(order)
        times = {name: steps[name]() for name in order}
        if number >= 10:  # the first warm up
            found.append(times)
    print(f"{rounds} rounds, batch {budget.batch}, {TRAINED} tokens, width {budget.width}, {budget.layers} layers")
    for name in steps:
        low, middle, high = statistics.quantiles([times["plain"] / times[name] for times in found], n=4)
        milliseconds = 1e3 * statistics.median(times[name] for times in found)
        size = sum(part.numel() for part in models[name].parameters())
        speed = f"{middle:.2f} of plain's speed ({low:.2f} to {high:.2f})"
        print(f"{name:20} {milliseconds:6.2f} ms   {speed}   {size} numbers")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
