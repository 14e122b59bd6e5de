"""Every scheme of the course under its name, and one call that builds any of them for a model."""

from typing import Any

from posenc import additive, bias, rotary, scaling, validate
from posenc.doors import Scheme

SCHEMES: dict[str, type[Scheme]] = {
    "nope": bias.NoPE,
    "index": additive.Index,
    "normalised": additive.Normalised,
    "binary": additive.Binary,
    "sinusoidal": additive.Sinusoidal,
    "learned": additive.Learned,
    "rope": rotary.Rotary,
    "rope-values": rotary.RotaryValues,
    "rope-stretched": scaling.Stretched,
    "shaw": bias.Shaw,
    "transformer-xl": bias.TransformerXL,
    "t5": bias.T5,
    "alibi": bias.ALiBi,
    "kerple": bias.Kerple,
    "fire": bias.FIRE,
    "forgetting": bias.Forgetting,
    "cope": bias.CoPE,
    "profiles": bias.Profiles,
}


def build(name: str, width: int, heads: int, max_length: int = 512, **options: Any) -> Scheme:
    """The scheme of that name for a model of that width and number of heads.

    name: a key of SCHEMES. max_length: for a scheme with a row for each position. options: for the class;
    "rope-stretched" needs the frequencies of a rule there.
    Raises ValueError for a name that is not there, and for sizes that do not fit.
    """
    validate.choice(name, tuple(SCHEMES), "name")
    sizes = {"width": width, "heads": heads, "head_width": validate.head_width(width, heads), "max_length": max_length}
    scheme = SCHEMES[name]
    return scheme(*(sizes[size] for size in scheme.takes), **options)
