"""One solution of the capstone's three programs, for teachers."""

import given
import torch

STUDENT = "a solution"


def turn(x, positions, omega, layout):
    """Step 1: the turn by p·ω of each pair, which the layout finds; see `turn` in capstone.py."""
    angle = positions[..., None] * omega
    if angle.dim() == 3:
        angle = angle[:, None]
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = (x[..., ::2], x[..., 1::2]) if layout == "interleaved" else x.chunk(2, -1)
    new = a * cos - b * sin, a * sin + b * cos
    return torch.stack(new, -1).flatten(-2) if layout == "interleaved" else torch.cat(new, -1)


def is_wrong(suspect, omega, layout):
    """Step 2: each unit vector at positions out of order."""
    width, positions = 2 * len(omega), torch.tensor([5, 0, 2, -3])
    x = torch.eye(width, dtype=torch.float64)[:, None, None].expand(width, 1, 4, width).clone()
    return not torch.allclose(suspect(x.clone(), positions, omega), turn(x, positions, omega, layout), atol=1e-6)


def converted(weight, heads, to):
    """Step 2: the rows of each head in another order; from interleaved if `to` is "split-half", else the other way."""
    rows = weight.unflatten(0, (heads, -1))
    if to == "split-half":
        return torch.cat([rows[:, ::2], rows[:, 1::2]], 1).flatten(0, 1)
    return torch.stack(rows.chunk(2, 1), 2).flatten(0, 2)


def stretched(omega, base, factor, rule):
    """Step 3: frequencies for a text `factor` times as long: divided ("interpolated"), or of a larger base."""
    if rule == "interpolated":
        return omega / factor
    pairs = len(omega)
    return (base * factor ** (pairs / (pairs - 1))) ** (-torch.arange(pairs, dtype=omega.dtype) / pairs)


def findings(net, back, base, length):
    """Step 3: {rule: {factor: accuracy}} of net, whose frequencies are put back; see `findings` in capstone.py."""
    scheme, found = net.scheme, {}
    omega = scheme.omega
    for rule in ("plain", "interpolated", "ntk"):
        found[rule] = {}
        for factor in (1, 2, 4):
            scheme.omega = omega if rule == "plain" else stretched(omega, base, factor, rule)
            found[rule][factor] = given.accuracy(net, back, factor * length)
    scheme.omega = omega
    return found
