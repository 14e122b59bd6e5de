"""Runs beyond the trained length: a text as long as that, read once under each rule of chapter 10.

A run takes minutes, so it is kept. The text is followed by four excerpts from itself, 128 tokens each: whoever can look
back to where an excerpt stood first is less surprised by it than at the first reading. In a run of needles six
sentences stand in the text, evenly spread, and six questions at its end ask for their last words.
"""

import time
from typing import Any

import torch
from torch import Tensor

from posenc import real, scaling, validate
from posenc.real_lab.changes import OMEGA
from posenc.rotary import Rotary

BIN, EXCERPT, FIRST = 512, 128, 8  # tokens: of a bin; of an excerpt, of which the first few are not counted
END = 4 * EXCERPT  # tokens kept free for what follows the text
TRAINED = real.TRAINED_LENGTH
PLAN = [  # the order in which they are made: text, how long beside the trained length, rule
    ("course", 1.0, "none"),
    *(("course", 1.5, rule) for rule in ("none", "NTK-aware", "linear", "YaRN", "by parts", "dynamic")),
    *(("novel", 1.5, rule) for rule in ("none", "NTK-aware", "linear")),
    *((text, 1.0, "still from 24") for text in ("course", "novel")),
    *((text, 2.0, rule) for text in ("course", "novel", "code") for rule in ("none", "YaRN", "NTK-aware")),
    *(("three", 4.0, rule) for rule in ("YaRN", "none", "NTK-aware", "dynamic", "linear", "by parts")),
    *((text, 2.0, rule) for rule in ("linear", "dynamic", "by parts") for text in ("course", "novel", "code")),
    *((text, factor, "none") for factor in (1.125, 1.25) for text in ("course", "novel")),
]
NEEDLES = [(1.0, "none"), (1.5, "none"), (1.5, "NTK-aware"), (1.5, "YaRN")]  # in the novel
SENTENCE = "\n\nThe favourite food of {} is"
FOODS = {"Anna": "bread", "Peter": "honey", "Clara": "fish", "Henry": "cheese", "Alice": "rice", "Robert": "soup"}
QUESTIONS = ("Henry", "Anna", "Robert", "Clara", "Alice", "Peter")


def scheme(rule: str, factor: float) -> Rotary:
    """The rule as a scheme for the model's second door. factor: by how much the text outgrows the trained length.

    Dynamic NTK has a = factor, as in transformers: for a text of this length, NTK-aware scaling by a² - a + 1.
    """
    validate.number(factor, "factor", least=1)
    rules = {
        "none": lambda: OMEGA,
        "linear": lambda: scaling.linear(OMEGA, factor),
        "NTK-aware": lambda: scaling.ntk(real.HEAD_WIDTH, real.BASE, factor),
        "by parts": lambda: scaling.by_parts(OMEGA, factor, TRAINED),
        "dynamic": lambda: scaling.dynamic(real.HEAD_WIDTH, real.BASE, TRAINED, int(TRAINED * factor), factor),
        "still from 24": lambda: scaling.proportional(real.HEAD_WIDTH, 48, real.BASE),
        "YaRN": lambda: scaling.yarn_code(real.HEAD_WIDTH, real.BASE, factor, TRAINED),
    }
    omega = rules[validate.choice(rule, tuple(rules), "rule")]()
    attention = scaling.yarn_attention(factor) if rule == "YaRN" else 1.0
    return scaling.Stretched(real.HEAD_WIDTH, omega, attention, layout="interleaved")


def reading(tokens: Tensor, factor: float) -> tuple[Tensor, list[int]]:
    """Trained length times factor of tokens: the text, then the excerpts. With them, where each excerpt began."""
    body = _body(tokens, factor)
    starts = [512, body // 4, body // 2, body - 1024]
    return torch.cat([tokens[:body], *(tokens[start : start + EXCERPT] for start in starts)]), starts


def _body(tokens: Tensor, factor: float) -> int:
    """How many tokens the text itself has in a reading. Raises ValueError if there are not so many."""
    body = int(TRAINED * validate.number(factor, "factor", least=0.25)) - END
    if len(tokens) < body:
        raise ValueError(f"tokens must be at least {body}, got {len(tokens)}: take a longer text")
    return body


def run(model: real.SmolLM2, text: str, tokens: Tensor, factor: float, rule: str) -> dict[str, Any]:
    """One reading: mean loss of each bin of the text, and of each excerpt at first and when it comes again."""
    start = time.process_time()
    read, starts = reading(tokens, factor)
    losses = model.losses(read, scheme=scheme(rule, factor))
    body = len(read) - END
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


def needles(model: real.SmolLM2, tokens: Tensor, factor: float) -> tuple[Tensor, list[tuple[int, int]]]:
    """At most the trained length times factor of tokens: the text with the sentences in it, then the questions.

    With them, for each question, where its answer stood in the text and where it comes again.
    """
    body = _body(tokens, factor)
    parts = tokens[:body].tensor_split([body * (2 * n + 1) // 12 for n in range(len(FOODS))])
    pieces, stood, pairs = [parts[0]], {}, []
    for (name, food), part in zip(FOODS.items(), parts[1:], strict=True):
        pieces.append(model.encode(SENTENCE.format(name)))
        stood[name] = sum(map(len, pieces))
        pieces += [model.encode(f" {food}.\n\n"), part]
    for name in QUESTIONS:
        pieces.append(model.encode(SENTENCE.format(name)))
        pairs.append((stood[name], sum(map(len, pieces))))
        pieces.append(model.encode(f" {FOODS[name]}."))
    return torch.cat(pieces), pairs


def search(model: real.SmolLM2, text: str, tokens: Tensor, factor: float, rule: str) -> dict[str, Any]:
    """A run of needles: how far back each answer stood, its loss at first and when it is asked for."""
    start = time.process_time()
    read, pairs = needles(model, tokens, factor)
    losses = [round(loss, 4) for loss in model.losses(read, scheme=scheme(rule, factor)).tolist()]
    return {
        **{"kind": "needle", "text": text, "factor": factor, "rule": rule},
        "answers": [
            {"back": at - before, "first": losses[before - 1], "again": losses[at - 1]} for before, at in pairs
        ],
        "seconds": round(time.process_time() - start),
    }
