"""The entrants: a scheme, the positions that it is trained with, and how it is read at a length."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Generator, Tensor

from posenc import additive, bias, rotary, scaling, validate
from posenc.doors import Scheme
from posenc.frequencies import geometric

TRAINED = 24  # the longest text in training
LONGEST = 96  # the longest text read


@dataclass(frozen=True)
class Entrant:
    """A scheme with its options, and the positions that it is given.

    offset: in training each text begins at a random position. gaps: positions are a random choice from the
    first LONGEST, in order, also when the model is read (Ruoss et al. 2023).
    trained_as, stretch: trained as another entrant, and read at each length with the frequencies that `stretch` gives
    for (head width, stretch factor).
    """

    name: str
    scheme: type[Scheme]
    offset: bool = False
    gaps: bool = False
    trained_as: str | None = None
    stretch: Callable[[int, float], Any] | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def positions(self, batch: int, length: int, generator: Generator, training: bool = True) -> Tensor:
        """Where tokens stand, (length,) or (batch, length): with gaps, random and in order, else in a row.

        With offset, and in training, the row begins at a random place; otherwise at 0.
        """
        if self.gaps:
            return torch.rand(batch, LONGEST, generator=generator).argsort(-1)[:, :length].sort(-1).values
        at = torch.arange(length)
        if self.offset and training:
            at = at + torch.randint(LONGEST - length + 1, (batch, 1), generator=generator)
        return at


ENTRANTS: dict[str, Entrant] = {}


def enter(name: str, scheme: type[Scheme], offset: bool = False, gaps: bool = False, **options: Any) -> None:
    """Enter a scheme under a name. offset, gaps: as in `Entrant`. options: for the class, besides what it takes."""
    ENTRANTS[name] = Entrant(name, scheme, offset, gaps, options=options)


def read_stretched(name: str, trained_as: str, stretch: Callable[[int, float], Any]) -> None:
    """Enter a way to read a model that was trained as another entrant: its RoPE with other frequencies."""
    validate.choice(trained_as, tuple(ENTRANTS), "trained_as")
    ENTRANTS[name] = Entrant(name, ENTRANTS[trained_as].scheme, trained_as=trained_as, stretch=stretch)


def build_scheme(name: str, width: int, heads: int) -> Scheme:
    """The scheme of an entrant for a model of these sizes. Raises ValueError for a name that is not there."""
    entrant = ENTRANTS[validate.choice(name, tuple(ENTRANTS), "name")]
    sizes = {"width": width, "heads": heads, "head_width": validate.head_width(width, heads), "max_length": LONGEST}
    return entrant.scheme(*(sizes[size] for size in entrant.scheme.takes), **entrant.options)


enter("none", bias.NoPE)
enter("sinusoidal", additive.Sinusoidal)
enter("sinusoidal, offset", additive.Sinusoidal, offset=True)
enter("sinusoidal, gaps", additive.Sinusoidal, gaps=True)
enter("learned", additive.Learned)
enter("learned, offset", additive.Learned, offset=True)
enter("RoPE", rotary.Rotary)
enter("RoPE, half", rotary.Rotary, rotated=4)  # of the 8 columns of a head
enter("RoPE, gaps", rotary.Rotary, gaps=True)
enter("T5", bias.T5, buckets=20, max_distance=TRAINED, scaled=True)
enter("ALiBi", bias.ALiBi)
enter("FIRE", bias.FIRE, threshold=float(TRAINED))
enter("forgetting", bias.Forgetting)
enter("CoPE", bias.CoPE, rows=TRAINED)
read_stretched("RoPE, interpolated", "RoPE", lambda width, s: scaling.linear(geometric(width), s))
read_stretched("RoPE, NTK", "RoPE", lambda width, s: scaling.ntk(width, 10000.0, s))
read_stretched("RoPE, by parts", "RoPE", lambda width, s: scaling.by_parts(geometric(width), s, TRAINED, 1.0, 4.0))
