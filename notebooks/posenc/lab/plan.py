"""Which runs there are: presets, tasks, the schemes that each task is for, steps, rates and seeds."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from posenc.lab.entrants import ENTRANTS
from posenc.lab.training import Budget

RATES = (0.003, 0.01)  # of learning
SEARCH = 99  # the seed with which the rates are tried
FEW = ("none", "sinusoidal", "learned", "RoPE", "ALiBi", "FIRE")  # those that need no mask
ENTERED = {  # tasks on which not every scheme is trained
    "ago-unmasked": FEW,
    "count": ("none", "RoPE", "ALiBi"),
    "copy": ("none", "learned, offset", "RoPE", "RoPE, gaps"),
    "copy-repeats": ("none", "learned, offset", "RoPE", "RoPE, gaps"),
}
STEPS = {"ago": 250, "distance": 250, "ago-unmasked": 250, "majority": 100, "flip-flop": 350, "count": 500, "copy": 800,
         "copy-repeats": 400, "characters": 300}  # fmt: skip

PRESETS: dict[str, dict[str, Any]] = {
    "full": {
        "seeds": (0, 1, 2, 3, 4),
        "tasks": ("ago", "distance", "ago-unmasked", "majority", "flip-flop", "count", "copy", "characters",
                  "copy-repeats"),
        "schemes": None,
    },
    "small": {"seeds": (0,), "tasks": ("ago", "distance"), "schemes": ("none", "learned", "RoPE", "ALiBi")},
}


def budget_of(task: str) -> Budget:
    """The budget of a task, the same for all schemes."""
    return replace(Budget(), steps=STEPS[task])


def entrants_of(task: str, names: Iterable[str] | None = None) -> list[str]:
    """The entrants that are trained on a task, in the order of ENTRANTS."""
    wanted = [name for name, entry in ENTRANTS.items() if entry.of is None]
    wanted = [name for name in wanted if name in ENTERED.get(task, wanted)]
    return [name for name in wanted if names is None or name in names]
