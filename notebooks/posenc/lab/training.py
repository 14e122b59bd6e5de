"""One model, one optimiser, one budget: `train` makes a run, a dictionary of numbers that JSON can hold."""

import copy
import math
import platform
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from posenc import rotary
from posenc.doors import Decoder, Encoder, Scheme
from posenc.lab.entrants import ENTRANTS, LONGEST, TRAINED, Entrant, build_scheme
from posenc.lab.tasks import NONE, TASKS, Task

LENGTHS = (TRAINED, 2 * TRAINED, LONGEST)


@dataclass(frozen=True)
class Budget:
    """What every run of a task has in common."""

    steps: int = 250
    batch: int = 16
    width: int = 32
    heads: int = 4
    layers: int = 2
    shortest: int = 8
    tests: int = 64  # texts read at the longest length, and as many tokens at the others


class Unmasked(Decoder):
    """A Decoder without its causal mask: an encoder, with a map to answers."""

    causal = False


def model_for(task: Task, scheme: Scheme, budget: Budget) -> Decoder:
    """The model of a task: two layers of `posenc.doors`, with weights from torch's global generator."""
    kind = Decoder if task.causal else Unmasked
    return kind(task.vocabulary, budget.width, budget.heads, budget.layers, scheme)


def with_scheme(model: Encoder, scheme: Scheme) -> Encoder:
    """A copy of a trained model whose doors are those of another scheme."""
    other = copy.deepcopy(model)
    other.scheme = scheme
    for block in other.blocks:
        block.attend.scheme = scheme
    return other


def train(task: str, entrant: str, seed: int, rate: float, budget: Budget | None = None) -> tuple[dict[str, Any], Any]:
    """Train once. Returns the run, ready for JSON, and the model.

    Adam; the rate rises over the first tenth of the steps and falls to 0 along a cosine. The length of each batch is
    drawn from `shortest` to TRAINED. Data and weights depend on the seed alone; the texts of the test on the task
    alone. Uses a GPU where there is one.
    """
    budget = budget or Budget()
    examples, entry = TASKS[task], ENTRANTS[entrant]
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = model_for(examples, build_scheme(entrant, budget.width, budget.heads), budget).to(device)
    source = torch.Generator().manual_seed(2 * seed + 1)
    optimiser = torch.optim.Adam(model.parameters(), lr=rate, betas=(0.9, 0.98), fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: _share_of_rate(step, budget.steps))
    curve, window = [], []
    for step in range(budget.steps):
        length = int(torch.randint(budget.shortest, TRAINED + 1, (), generator=source))
        tokens, answers = (part.to(device) for part in examples(budget.batch, length, source))
        logits = model(tokens, entry.positions(budget.batch, length, source).to(device))
        loss = functional.cross_entropy(logits.flatten(0, 1), answers.flatten(), ignore_index=NONE)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        window.append(right(logits.detach(), answers))
        if (step + 1) % (budget.steps // 20) == 0:
            curve.append(round(sum(window) / len(window), 4))
            window = []
    run = {
        "task": task,
        "scheme": entrant,
        "seed": seed,
        "rate": rate,
        "budget": asdict(budget),
        "parameters": sum(part.numel() for part in model.parameters()),
        "torch": torch.__version__.split("+")[0],
        "python": platform.python_version(),
        "curve": curve,
        "read": {entrant: read(model, examples, entry, budget)},
    }
    for name, other in ENTRANTS.items():
        if other.trained_as == entrant:
            run["read"][name] = read(model, examples, other, budget)
    return run, model


def read(model: Decoder, task: Task, entry: Entrant, budget: Budget) -> dict[str, Any]:
    """What a model gets right at each of LENGTHS, its loss in nats, and shares along the longest text.

    {"right": {length: share}, "loss": {length: loss}, "along": [share of each sixteenth, None where none is scored]}
    """
    measured: dict[str, Any] = {"right": {}, "loss": {}}
    for length in LENGTHS:
        reader = model
        if entry.stretch is not None:
            head_width = budget.width // budget.heads
            frequencies = entry.stretch(head_width, length / TRAINED)
            reader = with_scheme(model, rotary.Rotary(head_width, frequencies=frequencies))
        texts = budget.tests * LONGEST // length
        source = torch.Generator().manual_seed(2 * length)
        tokens, answers = task(texts, length, source)
        positions = entry.positions(texts, length, source, training=False)
        device = model.embedding.weight.device
        with torch.no_grad():
            logits = reader(tokens.to(device), positions.to(device)).cpu()
        measured["right"][str(length)] = round(right(logits, answers), 4)
        loss = functional.cross_entropy(logits.flatten(0, 1), answers.flatten(), ignore_index=NONE)
        measured["loss"][str(length)] = round(float(loss), 4)
    parts = zip(logits.chunk(16, 1), answers.chunk(16, 1), strict=True)
    measured["along"] = [round(right(*part), 4) if (part[1] != NONE).any() else None for part in parts]
    return measured


def right(logits: Tensor, answers: Tensor) -> float:
    """The share of scored answers that the largest logit names."""
    scored = answers != NONE
    return float((logits.argmax(-1) == answers)[scored].double().mean())


@torch.no_grad()
def looks(model: Decoder, tokens: Tensor, positions: Tensor | None = None) -> Tensor:
    """The weights of every head of every layer: (layers, heads, queries, keys), for one text (time,)."""
    weights = []
    x = model.embedding(tokens[None]) * math.sqrt(model.width)
    positions = torch.arange(len(tokens)) if positions is None else positions
    x = model.scheme.input(x, positions)
    for block in model.blocks:
        attended = block.attend(block.attend_norm(x), q_positions=positions, causal=model.causal, weights=True)
        weights.append(attended[1][0])
        x = block(x, positions, causal=model.causal)
    return torch.stack(weights)


def _share_of_rate(step: int, steps: int) -> float:
    rise = max(1, steps // 10)
    return min(1.0, (step + 1) / rise) * 0.5 * (1 + math.cos(math.pi * step / steps))
