"""How long rotating q and k takes, beside copying them and beside transformers' Llama function.

Run by hand: `.venv/bin/python tests/benchmark_rotary.py [rounds]`. Each round runs every contestant once, in
an order shuffled anew: noise and the state of the memory allocator fall on all alike. Cosines, sines and
turns are ready before the clock starts, except that `Rotary` looks them up in its table.
A row gives the median, the quartiles and the least of the times in milliseconds; the thousands of memory
pages that the kernel had to hand out; then two ratios each to `clone` and to Llama, the median of those taken
within each round and that of the least times. Believe them where the two agree: on a busy machine the many
short passes of the tiled forms wait for threads that are not scheduled, and their medians say little.
"""

import random
import resource
import statistics
import sys
import time
from pathlib import Path

import torch
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

sys.path.insert(0, str(Path(__file__).parents[1] / "notebooks"))
from posenc.additive import frequencies
from posenc.rotary import LAYOUTS, Rotary, rotate, turns

SHAPES = (1, 32, 2048, 128), (8, 16, 512, 64)


def contestants(shape, dtype):
    generator = torch.Generator().manual_seed(0)
    q, k = (torch.randn(shape, generator=generator).to(dtype) for _ in range(2))
    positions = torch.arange(shape[-2])
    ready = turns(positions, frequencies(shape[-1]))
    cos, sin = (torch.cat((half, half), dim=-1)[None].to(dtype) for half in (ready.real, ready.imag))
    table = {"clone": lambda: (q.clone(), k.clone()), "Llama": lambda: apply_rotary_pos_emb(q, k, cos, sin)}
    for layout in LAYOUTS:
        scheme = Rotary(shape[-1], layout=layout)
        table[f"rotate, {layout}"] = lambda layout=layout: (
            rotate(q, ready, layout),
            rotate(k, ready, layout),
        )
        table[f"Rotary, {layout}"] = lambda scheme=scheme: scheme.query_key(q, k, positions, positions)
    return table


def run(call):
    """Returns seconds and page faults."""
    faults, start = resource.getrusage(resource.RUSAGE_SELF).ru_minflt, time.perf_counter()
    result = call()
    elapsed = time.perf_counter() - start
    del result
    return elapsed, resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults


def measure(table, rounds):
    """Returns, for each contestant, its (seconds, faults) in every round after two to warm up."""
    names, runs = list(table), {name: [] for name in table}
    shuffle = random.Random(0).shuffle
    for number in range(rounds + 2):
        shuffle(names)
        for name in names:
            result = run(table[name])
            if number >= 2:
                runs[name].append(result)
    return runs


def both(ours, theirs):
    """Returns the median of the ratios and the ratio of the least."""
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True)), min(ours) / min(theirs)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    torch.set_num_threads(2)
    for shape in SHAPES:
        for dtype in (torch.float32, torch.bfloat16):
            runs = measure(contestants(shape, dtype), rounds)
            print(f"\n{shape} {dtype}, {rounds} rounds, {torch.get_num_threads()} threads")
            print(
                f"{'':21}{'median':>8}{'quartiles':>17}{'least':>8}{'pages':>7}{'/ clone':>14}{'/ Llama':>14}"
            )
            seconds = {name: [elapsed for elapsed, _ in row] for name, row in runs.items()}
            for name, row in seconds.items():
                low, median, high = (1000 * cut for cut in statistics.quantiles(row, n=4))
                pages = statistics.median(faults for _, faults in runs[name]) / 1000
                ratios = "".join(
                    f"{ratio:7.2f}" for other in ("clone", "Llama") for ratio in both(row, seconds[other])
                )
                print(
                    f"{name:21}{median:8.2f}{low:8.2f} …{high:7.2f}{1000 * min(row):8.2f}{pages:7.1f}{ratios}"
                )


if __name__ == "__main__":
    main()
