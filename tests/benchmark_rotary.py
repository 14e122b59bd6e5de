"""How long rotating q and k takes, beside copying them and beside transformers' Llama function.

Run by hand: `.venv/bin/python tests/benchmark_rotary.py [rounds]`. All contestants of a table take turns within
each round, so that a noisy machine is noisy for all. Cosines, sines and turns are ready before the clock
starts, except for `Rotary`, which looks up its table.
Each row gives the median and the quartiles in milliseconds, then the median of the per-round ratios.
"""

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


def seconds(call):
    start = time.perf_counter()
    result = call()
    elapsed = time.perf_counter() - start
    del result
    return elapsed


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    torch.set_num_threads(2)
    for shape in SHAPES:
        for dtype in (torch.float32, torch.bfloat16):
            table = contestants(shape, dtype)
            times = {name: [] for name in table}
            for number in range(rounds + 2):
                for name, call in table.items():
                    elapsed = seconds(call)
                    if number >= 2:
                        times[name].append(elapsed)
            print(f"\n{shape} {dtype}, {rounds} rounds, {torch.get_num_threads()} threads")
            print(f"{'':22}{'median':>8}{'quartiles':>17}{'/ clone':>9}{'/ Llama':>9}")
            for name, row in times.items():
                low, median, high = (1000 * cut for cut in statistics.quantiles(row, n=4))
                ratios = (
                    statistics.median(ours / theirs for ours, theirs in zip(row, times[other], strict=True))
                    for other in ("clone", "Llama")
                )
                cells = "".join(f"{ratio:9.2f}" for ratio in ratios)
                print(f"{name:22}{median:8.2f}{low:8.2f} …{high:7.2f}{cells}")


if __name__ == "__main__":
    main()
