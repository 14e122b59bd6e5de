"""How long rotating q and k takes, beside copying them and beside transformers' Llama and GPT-J functions.

Run by hand: `.venv/bin/python book/_tools/benchmark_rotary.py [rounds] [busy]`. Each round runs every
contestant once, in an order shuffled anew: noise and the state of the memory allocator fall on all alike.
Cosines, sines and turns are ready before the clock starts; `Rotary` compares the positions and finds them.

A row gives the median, the quartiles and the least of the times in milliseconds, then two ratios each to
`clone` and to Llama: that of the medians and that of the least times. With `busy`, for a machine that others
use too, everything runs on one thread and the clock counts the time that this thread was at work.

Contestants: "compiled" is torch.compile, in one graph; "fused" is `posenc.fused`; "backward" adds the
backward pass. The first table is the latency of one token at position 4000: of a step, which computes the
cosines and sines, and of each further layer, which finds them.

"Passes" is what torch's operations cost at least: as many as split-half needs, over the same tiles, which do
nothing but read and write. In float32 those are three, of which two work on half a row at a time; in bfloat16
one to float32 and one back more. Fewer passes take a kernel of one's own: "fused" and "compiled".
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
from posenc import fused
from posenc.frequencies import geometric
from posenc.rotary import LAYOUTS, Rotary, _tiles, rotate, turns

SHAPES = (1, 32, 2048, 128), (8, 16, 512, 64)


def both(function):
    """Of q and k, not of one."""
    return lambda q, k, *rest, **options: (function(q, *rest, **options), function(k, *rest, **options))


def fusing(call):
    """`call`, with the kernel there while it runs."""
    kernel = fused._library

    def run(*arguments):
        fused._library = kernel
        try:
            return call(*arguments)
        finally:
            fused._library = None

    return run


def trained(call, q, k):
    """`call` and its backward pass."""
    q, k = (v.clone().requires_grad_() for v in (q, k))
    return lambda: torch.autograd.grad(call(q, k), (q, k), (q.detach(), k.detach()))


def passes(x):
    """Reads and writes as often as `rotate` does, split-half."""
    out = torch.empty_like(x)
    for target, part in _tiles(out, x):
        part = part.float()
        room = torch.add(part, 1, out=target if x.dtype == torch.float32 else torch.empty_like(part))
        for half in room.chunk(2, dim=-1):
            half.add_(1)
        if room is not target:
            target.copy_(room)
    return out


def contestants(shape, dtype):
    """Returns functions of q and k by name."""
    positions = torch.arange(shape[-2])
    ready = turns(positions, geometric(shape[-1]))
    cos, sin = (torch.cat((half, half), dim=-1)[None].to(dtype) for half in (ready.real, ready.imag))
    # GPT-J takes (batch, time, heads, width), and gives it back.
    sines = ready.imag.to(dtype)[None], ready.real.to(dtype)[None]
    swapped = both(lambda v: gptj(v.transpose(1, 2), *sines).transpose(1, 2))
    copies = {"clone": both(torch.clone), "passes": both(passes)}
    table = {"Llama": lambda q, k: llama(q, k, cos, sin), "GPT-J": swapped}
    for layout in LAYOUTS:
        scheme = Rotary(shape[-1], layout=layout)
        table[f"rotate, {layout}"] = lambda q, k, layout=layout: both(rotate)(q, k, ready, layout)
        table[f"Rotary, {layout}"] = lambda q, k, scheme=scheme: scheme.query_key(q, k, positions, positions)
    names = list(table)
    table |= {f"compiled {name}": torch.compile(table[name], fullgraph=True) for name in names}
    table |= {f"fused {name}": fusing(table[name]) for name in names if name.startswith("rot")}
    return copies | table


def measure(table, rounds, clock):
    """Returns, for each contestant, its times in every round after three to warm up."""
    names, runs = list(table), {name: [] for name in table}
    shuffle = random.Random(0).shuffle
    for number in range(rounds + 3):
        shuffle(names)
        for name in names:
            start = clock()
            result = table[name]()
            elapsed = clock() - start
            del result
            if number >= 3:
                runs[name].append(1000 * elapsed)
    return runs


def show(title, runs, others, unit="ms"):
    """Prints one table: a row for each contestant, a pair of ratios for each of `others`."""
    print(f"\n{title}, in {unit}")
    print(f"{'':34}{'median':>8}{'quartiles':>17}{'least':>8}" + "".join(f"{'/ ' + o:>14}" for o in others))
    for name, row in runs.items():
        low, median, high = statistics.quantiles(row, n=4)
        ratios = "".join(
            f"{median / statistics.median(runs[other]):7.2f}{min(row) / min(runs[other]):7.2f}"
            for other in others
        )
        print(f"{name:34}{median:8.2f}{low:8.2f} …{high:7.2f}{min(row):8.2f}{ratios}", flush=True)


def decoding(dtype, rounds, clock):
    """One token at position 4000, of 32 heads, and its key, of 8, after one at 3999."""
    generator = torch.Generator().manual_seed(0)
    q, k = (torch.randn(1, heads, 1, 128, generator=generator).to(dtype) for heads in (32, 8))
    theirs = LlamaRotaryEmbedding(LlamaConfig(hidden_size=4096, num_attention_heads=32))
    places = [torch.tensor([place]) for place in (3999, 4000)]
    ready = theirs(q, places[1][None])
    table = {
        "Llama, step": lambda: llama(q, k, *theirs(q, places[1][None])),
        "Llama, further layer": lambda: llama(q, k, *ready),
    }
    for layout in LAYOUTS:
        scheme = Rotary(128, layout=layout)

        def step(scheme=scheme):
            scheme._recent._kept.clear()
            return scheme.query_key(q, k, places[1], places[1])

        table[f"Rotary, {layout}, step"] = step
        table[f"Rotary, {layout}, further layer"] = lambda scheme=scheme: scheme.query_key(
            q, k, places[1], places[1]
        )
    with torch.no_grad():
        runs = measure(table, 50 * rounds, clock)
    micro = {name: [1000 * value for value in row] for name, row in runs.items()}
    show(f"Decoding, {dtype}", micro, ["Llama, step", "Llama, further layer"], "µs")


def main():
    words = sys.argv[1:]
    busy = "busy" in words
    rounds = next((int(word) for word in words if word.isdigit()), 40)
    torch.set_num_threads(1 if busy else 2)
    clock = time.thread_time if busy else time.perf_counter
    warnings.filterwarnings("ignore", message="Torchinductor does not support code generation for complex")
    fused.enable()
    kernel = fused._library
    for dtype in (torch.float32, torch.bfloat16):
        fused._library = None
        decoding(dtype, rounds, clock)
    for shape in SHAPES:
        for dtype in (torch.float32, torch.bfloat16):
            fused._library = kernel
            torch.compiler.reset()
            generator = torch.Generator().manual_seed(0)
            q, k = (torch.randn(shape, generator=generator).to(dtype) for _ in range(2))
            table = contestants(shape, dtype)
            fused._library = None
            title = f"{shape} {dtype}, {rounds} rounds, {torch.get_num_threads()} threads"
            with torch.no_grad():
                calls = {name: functools.partial(call, q, k) for name, call in table.items()}
                show(f"Forward, {title}", measure(calls, rounds, clock), ["clone", "Llama"])
            names = [name for name in table if "compiled" not in name and name != "passes"]
            calls = {name: trained(table[name], q, k) for name in names}
            show(f"Forward and backward, {title}", measure(calls, rounds, clock), ["clone", "Llama"])


if __name__ == "__main__":
    main()
