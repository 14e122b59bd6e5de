"""Your file, which grows with the chapters: fill in a function, and `pytest -k chapter_07` says whether it is right.

Numbers are torch's. You may import math and torch, and no package that has the answers.
"""

import math  # noqa: F401, you will need it

import torch

# ---- Chapter 1: attention is blind


def attend(q, k, v, bias):
    """softmax(q kᵀ / √width + bias) v, over the keys.

    q: (…, queries, width); k: (…, keys, width); v: (…, keys, any). bias: what is added to the scores, a number or a
    tensor that broadcasts to (…, queries, keys); a hidden key has −inf there. Returns (…, queries, any).
    """
    ...


# ---- Chapter 3: codes that are added


def sinusoidal(positions, width, base):
    """The code of the paper, also for an odd width: column j is the sine, for odd j the cosine, of p·b^(−2⌊j/2⌋/width).

    positions: integers, (time,), in any order. Returns (time, width), right to 10⁻⁶ at position 8191 too.
    """
    ...


# ---- Chapter 4: a shift is a rotation


def shift(offset, width, base):
    """The matrix that takes a code (a column: cos, sin, cos, sin, …) to the code `offset` positions on.

    offset: an integer, also below 0. width: even. Returns (width, width).
    """
    ...


# ---- Chapter 6: a table that is learned


def embed(rows, code):
    """What a model reads: embeddings drawn at variance 1/width, scaled as in the paper, and their code. Same shapes."""
    ...


class Learned(torch.nn.Module):
    """A learned table, and it ends."""

    def __init__(self, rows, width):
        super().__init__()
        ...

    def forward(self, positions):
        """Rows, (time, width), at positions (integers, (time,)). IndexError or ValueError where there is none."""
        ...


# ---- Chapter 7: RoPE


def turn(x, positions, omega, layout="interleaved"):
    """Each pair of columns of x turned by its position times its frequency, counter-clockwise.

    x: (…, time, width), or (batch, heads, time, width). positions: integers, (time,), in any order; from chapter 8 on
    also (batch, time). omega: (width / 2,). layout: "interleaved", and from chapter 8 on "split-half" too.
    Returns the shape and dtype of x, and leaves x as it is.
    """
    ...


def sound(score):
    """Whether score(q, k, m, n) is Re[q̄ k] at m = n = 0 and depends on n − m alone. q, k: complex numbers."""
    ...


# ---- Chapter 8: RoPE in practice


def convert(weight, heads):
    """The rows of W_q or W_k of an interleaved model, made fit for split-half: (heads · head width, width), both."""
    ...


def step(q, k, keys, omega):
    """The T + 1 scores of a new token's query. q, k: (1, width), not turned. keys: (T, width), the cache, turned.

    The cache begins at position 0; interleaved. Returns (1, T + 1): the products, not divided by anything.
    """
    ...


# ---- Chapter 9: a bias on the scores


def slopes(heads):
    """ALiBi's slopes for any number of heads, as programs have them: a list, head 1 first."""
    ...


def bias(heads, q_positions, k_positions):
    """−slope · |m − n| for each head, (heads, queries, keys). positions: integers, (queries,) and (keys,)."""
    ...


# ---- Chapter 10: longer texts


def stretched(omega, s, L, slow, fast):
    """YaRN's frequencies, with its program's ramp, unrounded. omega: float64, (pairs,), in any order. s: the factor.

    L: the trained length. slow, fast: the ends of the ramp, in turns: below, a pair is interpolated; above, it is kept.
    """
    ...


# ---- Chapter 11: a scheme of your own


def own_scheme(q, k, positions):
    """Queries, keys and a bias for `attend`, in a way of your own.

    q, k: (batch, heads, time, width). positions: (time,). Returns q, k and bias; the bias may be 0. A decoder must find
    with it the word three places back.
    """
    ...
