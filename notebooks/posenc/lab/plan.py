"""Which runs there are: tasks, the schemes that each task is for, steps, rates and seeds."""

from dataclasses import replace

from posenc.lab.entrants import ENTRANTS
from posenc.lab.training import Budget

RATES = (0.003, 0.01)  # of learning
SEARCH = 99  # the seed with which the rates are tried
SEEDS = (0, 1, 2, 3, 4)
STEPS = {  # of each task, in the order in which they are trained
    "ago": 250,
    "distance": 250,
    "ago-unmasked": 250,
    "majority": 100,
    "count": 500,
    "copy": 800,
    "characters": 300,
}
ENTERED = {  # tasks on which not every scheme is trained; without a mask, those that need none
    "ago-unmasked": ("none", "sinusoidal", "learned", "RoPE", "ALiBi", "FIRE"),
    "count": ("none", "RoPE", "ALiBi"),
    "copy": ("none", "learned, offset", "RoPE", "RoPE, gaps"),
}


def budget_of(task: str) -> Budget:
    """The budget of a task, the same for all schemes."""
    return replace(Budget(), steps=STEPS[task])


def entrants_of(task: str) -> list[str]:
    """The entrants that are trained on a task, in the order of ENTRANTS."""
    trained = [name for name, entry in ENTRANTS.items() if entry.trained_as is None]
    return [name for name in trained if name in ENTERED.get(task, trained)]
