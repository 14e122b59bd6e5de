"""A solution of the file that grows, for the tests and for teachers."""

import math

import torch


def attend(q, k, v, bias):
    """Attention, chapter 1."""
    return ((q @ k.transpose(-2, -1)) / math.sqrt(q.shape[-1]) + bias).softmax(-1) @ v


def sinusoidal(positions, width, base):
    """The code, chapter 3."""
    column = torch.arange(width)
    angle = positions[:, None] * base ** (-2 * (column // 2).double() / width)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


def shift(offset, width, base):
    """The shift, chapter 4."""
    blocks = []
    for i in range(width // 2):
        a = offset * base ** (-2 * i / width)
        blocks.append(torch.tensor([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]]))
    return torch.block_diag(*blocks)


def embed(rows, code):
    """The sum, chapter 6."""
    return rows * math.sqrt(rows.shape[-1]) + code


class Learned(torch.nn.Module):
    """The table, chapter 6."""

    def __init__(self, rows, width):
        super().__init__()
        self.table = torch.nn.Parameter(torch.randn(rows, width) * 0.02)

    def forward(self, positions):
        """Its rows."""
        if (positions < 0).any() or (positions >= len(self.table)).any():
            raise IndexError(f"positions must be below {len(self.table)}, and not below 0")
        return self.table[positions]


def turn(x, positions, omega, layout="interleaved"):
    """RoPE, chapters 7 and 8."""
    angle = positions[..., None].double() * omega
    if angle.dim() == 3:
        angle = angle[:, None]
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = (x[..., ::2], x[..., 1::2]) if layout == "interleaved" else x.chunk(2, -1)
    new = a * cos - b * sin, a * sin + b * cos
    return torch.stack(new, -1).flatten(-2) if layout == "interleaved" else torch.cat(new, -1)


def sound(score):
    """The test of a score, chapter 7."""
    for q, k in ((1, 1), (1j, 1j), (1 + 2j, 3 - 1j)):
        if abs(score(q, k, 0, 0) - (complex(q).conjugate() * k).real) > 1e-9:
            return False
        for m, n in ((5, 3), (2, 7), (4, 4), (9, 0)):
            if abs(score(q, k, m, n) - score(q, k, m + 6, n + 6)) > 1e-9:
                return False
    return True


def convert(weight, heads):
    """The other layout, chapter 8."""
    return weight.unflatten(0, (heads, -1, 2)).transpose(1, 2).flatten(0, 2)


def step(q, k, keys, omega):
    """The cache, chapter 8."""
    here = torch.tensor([len(keys)])
    return turn(q, here, omega) @ torch.cat([keys, turn(k, here, omega)]).T


def slopes(heads):
    """ALiBi's slopes, chapter 9."""
    below = 2 ** (heads.bit_length() - 1)
    found = [2 ** (-8 * h / below) for h in range(1, below + 1)]
    return found + [2 ** (-4 * h / below) for h in range(1, 2 * (heads - below), 2)]


def bias(heads, q_positions, k_positions):
    """ALiBi, chapter 9."""
    return -torch.tensor(slopes(heads))[:, None, None] * (q_positions[:, None] - k_positions).abs()


def stretched(omega, s, L, slow, fast):
    """YaRN, chapter 10."""
    kept = ((L * omega / (2 * math.pi) / slow).log() / math.log(fast / slow)).clamp(0, 1)
    return (1 - kept) * omega / s + kept * omega


def own_scheme(q, k, positions):
    """Both at once, chapter 11: RoPE in split-half, and a mild bias."""
    omega = 100.0 ** -torch.arange(0, 1, 2 / q.shape[-1]).double()
    q, k = turn(q, positions, omega, "split-half"), turn(k, positions, omega, "split-half")
    return q, k, bias(q.shape[1], positions, positions) / 8
