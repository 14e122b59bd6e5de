"""Runs beyond the trained length: a text as long as that, read once under each rule of chapter 10.

A run takes minutes, so it is kept. The text is followed by four excerpts from itself, 128 tokens each: whoever can look
back to where an excerpt stood first is less surprised by it than at the first reading.
"""

import time
from typing import Any

import torch
from torch import Tensor

from posenc import frequencies, real, scaling
from posenc.rotary import Rotary

TEXTS = ("course", "novel", "code")
BIN, EXCERPT, FIRST = 512, 128, 8  # tokens: of a bin; of an excerpt, of which the first few are not counted
TRAINED = real.TRAINED_LENGTH
OMEGA = frequencies.geometric(real.HEAD_WIDTH, real.BASE)
PLAN = [  # the order in which they are made: text, how long beside the trained length, rule
    *(("course", factor, rule) for factor, rule in ((1.5, "none"), (1.0, "none"), (1.5, "NTK-aware"))),
    *(("novel", 1.5, rule) for rule in ("none", "NTK-aware")),
    ("course", 1.5, "linear"),
    *((text, 1.0, "still from 24") for text in ("course", "novel")),
    ("novel", 1.5, "linear"),
    *(("code", 1.5, rule) for rule in ("none", "NTK-aware")),
    ("code", 1.0, "still from 24"),
    *((text, 1.0, "none") for text in ("novel", "code")),
    ("code", 1.5, "linear"),
    *((text, 1.5, rule) for text in ("course", "novel", "code") for rule in ("YaRN", "by parts")),
    *(("course", 2.0, rule) for rule in ("none", "NTK-aware", "linear")),
]


def scheme(rule: str, factor: float) -> Rotary:
    """The rule as a scheme for the model's second door. factor: by how much the text outgrows the trained length.

    Dynamic NTK is not among them: for a text of just this length it is NTK-aware scaling.
    """
    made = {
        "none": lambda: OMEGA,
        "linear": lambda: scaling.linear(OMEGA, factor),
        "NTK-aware": lambda: scaling.ntk(real.HEAD_WIDTH, real.BASE, factor),
        "by parts": lambda: scaling.by_parts(OMEGA, factor, TRAINED),
        "still from 24": lambda: scaling.proportional(real.HEAD_WIDTH, 48, real.BASE),
        "YaRN": lambda: scaling.yarn_code(real.HEAD_WIDTH, real.BASE, factor, TRAINED),
    }[rule]()
    attention = scaling.yarn_attention(factor) if rule == "YaRN" else 1.0
    return scaling.Stretched(real.HEAD_WIDTH, made, attention, layout="interleaved")


def reading(tokens: Tensor, factor: float) -> tuple[Tensor, list[int]]:
    """Trained length times factor of tokens: the text, then the excerpts. With them, where each excerpt began."""
    body = int(TRAINED * factor) - 4 * EXCERPT
    if len(tokens) < body:
        raise ValueError(f"tokens must be at least {body}, got {len(tokens)}: take a longer text")
    starts = [512, body // 4, body // 2, body - 1024]
    return torch.cat([tokens[:body], *(tokens[start : start + EXCERPT] for start in starts)]), starts


def run(model: real.SmolLM2, text: str, tokens: Tensor, factor: float, rule: str) -> dict[str, Any]:
    """One reading: mean loss of each bin of the text, and of each excerpt at first and when it comes again."""
    start = time.process_time()
    read, starts = reading(tokens, factor)
    losses = model.losses(read, scheme=scheme(rule, factor))
    body = len(read) - 4 * EXCERPT
    bins = [losses[max(0, at - 1) : at + BIN - 1].mean().item() for at in range(0, body, BIN)]

    def excerpt(at: int) -> float:
        return round(losses[at + FIRST - 1 : at + EXCERPT - 1].mean().item(), 4)

    return {
        **{"kind": "long", "text": text, "factor": factor, "rule": rule, "bins": [round(x, 4) for x in bins]},
        "excerpts": [
            {"back": body + n * EXCERPT - at, "first": excerpt(at), "again": excerpt(body + n * EXCERPT)}
            for n, at in enumerate(starts)
        ],
        "seconds": round(time.process_time() - start),
    }
