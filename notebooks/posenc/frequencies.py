"""Angular frequencies, and the angles p·ω: the one place from which sinusoidal codes and RoPE take them.

Everything here is float64 and stays so until a caller rounds the sines and cosines. A product p·ω is off by
up to |p|·2⁻⁵³ radians: 10⁻¹⁰ at position 2²⁰, 10⁻⁴ at 2⁴⁰, and a whole radian at 2⁵³.
"""

import torch
from torch import Tensor

from posenc import validate


def geometric(width: int, base: float = 10000.0) -> Tensor:
    """Angular frequencies of the width/2 pairs: ωᵢ = base^(-2i/width), i = 0 … width/2 - 1.

    width: even, positive. base: positive. Returns float64, shape (width/2,), falling from 1, on the CPU
    whatever torch's default device is: a module that is built on the meta device keeps its values.
    Raises TypeError or ValueError for any other argument.
    Source: Vaswani et al. 2017, section 3.5.
    """
    validate.even_width(width)
    base = validate.number(base, "base", above=0)
    pair = torch.arange(width // 2, dtype=torch.float64, device="cpu")
    return base ** (-2 * pair / width)


def exact_device(device: torch.device) -> torch.device:
    """Where to compute for a tensor on a device: there, or on the CPU if it has no float64, as Apple's."""
    if device.type not in ("cpu", "cuda"):
        try:
            torch.empty(0, dtype=torch.float64, device=device)
        except (TypeError, RuntimeError):
            return torch.device("cpu")
    return device


def angles(positions: object, frequencies: Tensor) -> Tensor:
    """Angles p·ω, on the device of the positions, or on the CPU where that has no float64.

    positions: integers of either sign, or other numbers in float64, at most 2⁵³ in size, shape (…).
    frequencies: float64, shape (pairs,).
    Returns float64, shape (…, pairs). Raises TypeError or ValueError for any other argument.
    """
    positions = validate.exact_positions(positions)
    device = exact_device(positions.device)
    return positions.to(device).to(torch.float64).unsqueeze(-1) * check(frequencies).to(device)


def check(frequencies: object, pairs: int | None = None) -> Tensor:
    """`frequencies` if they are float64, finite, of shape (pairs,), and need no gradient; raises otherwise."""
    remedy = "pass frequencies.geometric(width): float32 angles are off by hundredths of a radian at position 2^20"
    numbers = validate.exact_numbers(frequencies, "frequencies", remedy)
    if numbers.dim() != 1 or pairs not in (None, numbers.shape[0]):
        requirement = f"have shape ({pairs or 'pairs'},)"
        validate.refuse(
            "frequencies", requirement, tuple(numbers.shape), "pass one for each pair of columns that turns"
        )
    return numbers
