"""How long rotating q and k takes, beside copying them and beside transformers' Llama and GPT-J functions.

Run by hand: `.venv/bin/python book/_tools/benchmark_rotary.py [rounds] [busy] [border]`. Each round runs all once, in
an order shuffled anew: noise and the state of the memory allocator fall on all alike. Cosines, sines and turns are
ready before the clock starts; `Rotary` compares the positions and finds them.

A row gives the median, the quartiles and the least of the times in milliseconds, then two ratios each to `clone` and to
Llama: that of the medians and that of the least times. With `busy`, for a machine that others use too, everything runs
on one thread and the clock counts the time that this thread was at work.

Contestants: "compiled" is torch.compile, in one graph; "backward" adds the backward pass. "Llama, step" computes its
cosines and sines, as the compiled `Rotary` does. The first table is the latency of one token at position 4000: of a
step, which computes the cosines and sines, and of each further layer, which finds them.

With `border`, nothing but the two ways of `posenc.rotary_fast`, at sizes around the border between them.
"""

import functools
import random
import statistics
import sys
import time
import warnings
from pathlib import Path

import torch
from transformers import LlamaConfig
from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb as gptj
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb as llama

sys.path.insert(0, str(Path(__file__).parents[2] / "notebooks"))
from posenc import rotary_fast
from posenc.frequencies import geometric
from posenc.memo import Memo
from posenc.rotary import LAYOUTS, Rotary, rotate, turns

SHAPES = (1, 8, 64, 64), (1, 8, 512, 128), (8, 16, 512, 64), (1, 32, 2048, 128)


def both(function):
    """Of q and k, not of one."""
    return lambda q, k, *rest, **options: (function(q, *rest, **options), function(k, *rest, **options))


def trained(call, q, k):
    """`call` and its backward pass."""
    q, k = (v.clone().requires_grad_() for v in (q, k))
    return lambda: torch.autograd.grad(call(q, k), (q, k), (q.detach(), k.detach()))


def contestants(shape, dtype):
    """Returns functions of q and k by name."""
    positions = torch.arange(shape[-2])
    ready = turns(positions, geometric(shape[-1]))
    cos, sin = (torch.cat((half, half), dim=-1)[None].to(dtype) for half in (ready.real, ready.imag))
    sines = ready.imag.to(dtype)[None], ready.real.to(dtype)[None]
    theirs = LlamaRotaryEmbedding(LlamaConfig(hidden_size=shape[-1], num_attention_heads=1))
    table = {
        "Llama": lambda q, k: llama(q, k, cos, sin),
        "Llama, step": lambda q, k: llama(q, k, *theirs(q, positions[None])),
        # GPT-J takes (batch, time, heads, width), and gives it back.
        "GPT-J": both(lambda v: gptj(v.transpose(1, 2), *sines).transpose(1, 2)),
    }
    for layout in LAYOUTS:
        scheme = Rotary(shape[-1], layout=layout)
        table[f"rotate, {layout}"] = lambda q, k, layout=layout: both(rotate)(q, k, ready, layout)
        table[f"Rotary, {layout}"] = lambda q, k, scheme=scheme: scheme.query_key(q, k, positions, positions)
    table |= {f"compiled {name}": torch.compile(call, fullgraph=True) for name, call in table.items()}
    return {"clone": both(torch.clone)} | table


def measure(table, rounds, clock):
    """Returns, for each contestant, its times in every round after three to warm up."""
    names, runs = list(table), {name: [] for name in table}
    shuffle = random.Random(0).shuffle
    for _ in range(rounds + 3):
        shuffle(names)
        for name in names:
            start = clock()
            result = table[name]()
            runs[name].append(1000 * (clock() - start))
            del result
    return {name: row[3:] for name, row in runs.items()}


def show(title, runs, others, unit="ms"):
    """Prints one table: a row for each contestant, a pair of ratios for each of `others`."""
    print(f"\n{title}, in {unit}")
    print(f"{'':34}{'median':>8}{'quartiles':>17}{'least':>8}" + "".join(f"{'/ ' + o:>14}" for o in others))
    for name, row in runs.items():
        low, median, high = statistics.quantiles(row, n=4)
        ratios = "".join(
            f"{median / statistics.median(runs[other]):7.2f}{min(row) / min(runs[other]):7.2f}" for other in others
        )
        print(f"{name:34}{median:8.2f}{low:8.2f} …{high:7.2f}{min(row):8.2f}{ratios}", flush=True)


def decoding(dtype, rounds, clock):
    """One token at position 4000, of 32 heads, and its key, of 8."""
    generator = torch.Generator().manual_seed(0)
    q, k = (torch.randn(1, heads, 1, 128, generator=generator).to(dtype) for heads in (32, 8))
    theirs = LlamaRotaryEmbedding(LlamaConfig(hidden_size=4096, num_attention_heads=32))
    place = torch.tensor([4000])
    ready = theirs(q, place[None])
    table = {
        "Llama, step": lambda: llama(q, k, *theirs(q, place[None])),
        "Llama, further layer": lambda: llama(q, k, *ready),
    }
    for layout in LAYOUTS:
        scheme = Rotary(128, layout=layout)

        def step(scheme=scheme):
            scheme._memo = Memo()
            return scheme.query_key(q, k, place, place)

        table[f"Rotary, {layout}, step"] = step
        table[f"Rotary, {layout}, further layer"] = lambda scheme=scheme: scheme.query_key(q, k, place, place)
    with torch.no_grad():
        runs = measure(table, 50 * rounds, clock)
    micro = {name: [1000 * value for value in row] for name, row in runs.items()}
    show(f"Decoding, {dtype}", micro, ["Llama, step", "Llama, further layer"], "µs")


def border(rounds, clock):
    """`rotate` in few operations and in few passes, for sizes around the border between the two."""

    def way(large, layout, x, turn):
        rotary_fast.LARGE = large
        return rotate(x, turn, layout)

    turn = turns(range(256), geometric(64))
    for heads in (8, 16, 32, 64):
        for dtype in (torch.float32, torch.bfloat16):
            for layout in LAYOUTS:
                x = torch.randn(1, heads, 256, 64).to(dtype)
                ways = {"few operations": 2**60, "few passes": 0}
                table = {name: functools.partial(way, large, layout, x, turn) for name, large in ways.items()}
                show(f"{x.numel()} elements, {dtype}, {layout}", measure(table, rounds, clock), list(ways))


def main():
    words = sys.argv[1:]
    busy = "busy" in words
    rounds = next((int(word) for word in words if word.isdigit()), 40)
    torch.set_num_threads(1 if busy else 2)
    clock = time.thread_time if busy else time.perf_counter
    warnings.filterwarnings("ignore", message="Torchinductor does not support code generation for complex")
    if "border" in words:
        return border(rounds, clock)
    for dtype in (torch.float32, torch.bfloat16):
        decoding(dtype, rounds, clock)
    for shape in SHAPES:
        for dtype in (torch.float32, torch.bfloat16):
            torch.compiler.reset()
            generator = torch.Generator().manual_seed(0)
            q, k = (torch.randn(shape, generator=generator).to(dtype) for _ in range(2))
            table = contestants(shape, dtype)
            title = f"{shape} {dtype}, {rounds} rounds, {torch.get_num_threads()} threads"
            with torch.no_grad():
                calls = {name: functools.partial(call, q, k) for name, call in table.items()}
                show(f"Forward, {title}", measure(calls, rounds, clock), ["clone", "Llama"])
            calls = {name: trained(call, q, k) for name, call in table.items() if "compiled" not in name}
            show(f"Forward and backward, {title}", measure(calls, rounds, clock), ["clone", "Llama"])


if __name__ == "__main__":
    main()
