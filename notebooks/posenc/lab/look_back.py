"""A matrix between two codes, trained to look back: the experiment of chapter 4 and of its appendix on training.

A query and a key are rows of the sinusoidal table of width 64. Queries stand at 8 to 47, and each is to give its
highest score to the key `back` places before it. What a run has learned is then asked at places that it never saw.
"""

from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from posenc import additive, draw, validate

WIDTH = 64
ROWS = additive.sinusoidal(range(512), WIDTH, dtype=torch.float64)

Optimiser = Callable[[list[Tensor]], torch.optim.Optimizer]
descent: Optimiser = partial(torch.optim.SGD, lr=1.0)
adam: Optimiser = partial(torch.optim.Adam, lr=0.02)


def train(
    optimiser: Optimiser,
    start: list[Tensor] | None = None,
    keys: int = 40,
    back: int = 8,
    steps: int = 300,
) -> Tensor:
    """W, float64, (64, 64): the product of the matrices that begin as `start`, or of one that begins at zero.

    The loss is the cross-entropy of the softmax over `keys` keys, 40 of which are each right for one query.
    keys: at least 40. back: 0 to 8. steps: at least 1. Raises TypeError or ValueError otherwise.
    """
    validate.count(keys, "keys", least=40)
    validate.count(steps, "steps", least=1)
    validate.choice(back, range(9), "back")
    matrices = [matrix.clone().requires_grad_() for matrix in start or [torch.zeros(WIDTH, WIDTH).double()]]
    step = optimiser(matrices)
    for _ in range(steps):
        scores = ROWS[8:48] @ reduce(torch.matmul, matrices) @ ROWS[8 - back : 8 - back + keys].T
        step.zero_grad()
        cross_entropy(scores / WIDTH**0.5, torch.arange(40)).backward()
        step.step()
    return reduce(torch.matmul, matrices).detach()


def two_matrices(seed: int, size: float = 1.0) -> list[Tensor]:
    """A start for W_q transposed and W_k: random entries of mean 0 and variance size² / 64."""
    dice = torch.Generator().manual_seed(seed)
    both = size * torch.randn(2, WIDTH, WIDTH, generator=dice, dtype=torch.float64) / WIDTH**0.5
    return [both[0].T.contiguous(), both[1].contiguous()]


def best_keys(weight: Tensor) -> Tensor:
    """For each query at 8 to 95 the key with the highest score, among those at 0 to 95: int64, (88,)."""
    return (ROWS[8:96] @ weight @ ROWS[:96].T).argmax(dim=1)


def right(weight: Tensor, back: int = 8) -> tuple[int, int]:
    """How many queries look `back` places back: of the 40 where W was trained, and of the 48 beyond."""
    hit = best_keys(weight) == torch.arange(8, 96) - back
    return int(hit[:40].sum()), int(hit[40:].sum())


def draw_best_keys(matrices: dict[str, Tensor]) -> Any:
    """A figure with a panel for each trained matrix W, two or more, under its name.

    A dot is the key to which W gives the highest score, for queries 8 to 95; it is blue where that key is 8 back.
    """
    at = torch.arange(8, 96)
    figure, panels = draw.axes(1, len(matrices), height=3.0, sharey=True)
    for ax, (name, matrix) in zip(panels, matrices.items(), strict=True):
        keys = best_keys(matrix)
        ax.plot([-1, 40, 40, -1, -1], [7, 7, 48, 48, 7], color=draw.INK, label="trained here")
        ax.scatter(keys, at, s=10, c=[draw.BLUE if hit else draw.RED for hit in keys == at - 8])
        ax.set(title=name, xlabel="key looked at", xlim=(-3, 97), ylim=(98, 4))
    panels[0].set_ylabel("query at m")
    return figure
