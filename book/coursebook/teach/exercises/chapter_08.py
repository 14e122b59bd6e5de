"""Exercises of chapter 08, RoPE in practice: answers on file, and variants of numbers."""

from .variants import Rule

LAYOUTS = ("split-half", "interleaved")


RULES = {
    "order": Rule(
        lambda width, source, target: [f"of width {width} is in {source} layout", f"`x[..., order]` is {target}"],
        where=lambda width, source, target: source != target,
        width=(6, 8, 10, 12, 14), source=LAYOUTS, target=LAYOUTS,
    ),
    "distinct": Rule(
        lambda counts: [f"0 to {counts[0] - 1} become in bfloat16, and the positions 0 to {counts[1] - 1} in float16"],
        counts=[(a, b) for a in (512, 1024, 2048, 4096, 8192) for b in (4096, 8192, 16384, 32768)],
    ),
}  # fmt: skip


def split_half(angle="(positions[:, None] * omega).repeat(1, 2)", result="", x="x"):
    return f"""
def answer(x, positions, omega):
    x = {x}
    angle = {angle}
    first, second = x.chunk(2, dim=-1)
    return (x * angle.cos() + torch.cat([-second, first], dim=-1) * angle.sin()){result}
"""


def turned(position, more=""):
    turns = f"rotary.turns([{position}], additive.geometric(64), torch.complex128)"
    return f"rotary.rotate(torch.ones(1, 64, dtype=torch.float64), {turns})[0]{more}"


def step(at="len(keys)", keys="keys", new="turn(k, [{}], omega)", query="turn(q, [{}], omega)", cut=""):
    return f"""
def answer(q, k, keys, omega):
    def turn(x, positions, omega):
        return rotary.rotate(x, rotary.turns(torch.tensor(positions), omega, torch.complex128))

    n = len(keys)
    return ({query.format(at)} @ torch.cat([{keys}, {new.format(at)}]).T){cut}
"""


MATRIX = """
def answer(q, k, keys, omega):
    at = torch.tensor([len(keys)]) * omega
    pairs = lambda x: torch.view_as_complex(x.reshape(-1, len(omega), 2).contiguous())
    new = pairs(q) * torch.exp(1j * at)
    all_keys = torch.cat([pairs(keys), pairs(k) * torch.exp(1j * at)])
    return (new.conj() * all_keys).real.sum(-1)
"""

ROWS = """
def answer(weight, heads):
    size = len(weight) // heads
    order = [h * size + row for h in range(heads) for start in (0, 1) for row in range(start, size, 2)]
    return weight[order]
"""

ORDER = "weight.unflatten(0, ({}, {})).transpose(1, 2).flatten(0, 2)"

ANSWERS = {
    "order": {"right": ["[0, 4, 1, 5, 2, 6, 3, 7]", "torch.arange(8).reshape(2, 4).T.flatten()"], "wrong": {
        "[0, 2, 4, 6, 1, 3, 5, 7]": "interleaved to split-half", "range(8)": "changes nothing",
        "[4, 5, 6, 7, 0, 1, 2, 3]": "swaps the two halves", "[4, 0, 5, 1, 6, 2, 7, 3]": "lower column",
        "[1, 5, 2, 6, 3, 7, 4, 8]": "count from 0", "[0, 4]": "shape",
    }},
    "suspect": {"right": ["('split-half', -1, 256)", "['split half', -1.0, 255.97]",
                          "('split_half', -1, torch.tensor(255.97))"], "wrong": {
        "('split-half', 1, 256)": "minus sign", "('interleaved', -1, 256)": "partner of column 0",
        "('split-half', -1, 4)": "not 1/b", "('split-half', -1, 65536)": "−1/8", "('split-half', -1, 16)": "−1/2",
        "('split-half', -1, 10000)": "would be 0.1", "('halves', -1, 256)": "one of the two words",
        "('split-half', 'clockwise', 256)": "cannot be read", "'split-half'": "three things",
    }},
    "mended": {"right": [
        split_half(),
        "lambda x, positions, omega: rotary.rotate(x.float(), rotary.turns(positions, omega), 'split-half')",
        split_half("torch.cat([positions[:, None] * omega] * 2, -1).float()", x="x.float()"),
    ], "wrong": {
        split_half("(positions[:, None] * omega).repeat_interleave(2, dim=-1)"): "Still faulty",
        "lambda x, positions, omega: rotary.rotate(x, rotary.turns(positions, omega, torch.complex128))":
            "interleaved layout",
        split_half("-(positions[:, None] * omega).repeat(1, 2)"): "other way",
        split_half("(torch.arange(len(positions))[:, None] * omega).repeat(1, 2)"): "ignores the positions",
        split_half("(positions[:, None] * additive.geometric(x.shape[-1])).repeat(1, 2)"): "the frequencies",
        split_half("(positions[:, None] * additive.geometric(8)).repeat(1, 2)"): "first case tried",
        split_half("(positions[:, None] * omega[:4]).repeat(1, 2)", x="x[..., :8]"): "first case tried",
        "lambda x, positions, omega: x": "x comes back",
    }},
    "looks_back": {"right": [turned(50), turned(50, ".float() * 3"), turned(50, ".tolist()")], "wrong": {
        turned(-50): "other way", "torch.ones(64)": "highest at n − m = 0", turned(49): "highest at n − m = −49",
        f"torch.cat([torch.zeros(62), {turned(5000)}[-2:]])": "highest at n − m = −5000",
        "torch.zeros(64)": "scores 0 everywhere", "torch.ones(32)": "shape", "'ones'": "cannot be read",
    }},
    "convert": {"right": [f"lambda weight, heads: {ORDER.format('heads', '-1, 2')}", ROWS], "wrong": {
        f"lambda weight, heads: {ORDER.format('1', '-1, 2')}": "mixed",
        f"lambda weight, heads: {ORDER.format('heads', '2, -1')}": "split-half to interleaved",
        "lambda weight, heads: weight": "Nothing is permuted",
        "lambda weight, heads: weight.T.unflatten(0, (heads, -1, 2)).transpose(1, 2).flatten(0, 2).T": "its columns",
        "lambda weight, heads: weight.unflatten(0, (heads, 2, -1)).flip(1).flatten(0, 2)": "halves of each head",
        "lambda weight, heads: weight[[0, 2, 4, 6, 1, 3, 5, 7]]": "first case tried",
    }},
    "step": {"right": [step(), MATRIX], "wrong": {
        step("len(keys) + 1"): "not at n + 1",
        step("len(keys) + 1", "turn(keys, [n + 1] * n, omega)"): "as if from position 0",
        step(keys="turn(keys, [n] * n, omega)"): "as if from position 0",
        step("0"): "as if from position 0", step("len(keys) - 1"): "last cached one",
        step(cut="[:, :-1]"): "new key is missing", step(new="k"): "new key is not turned",
        step(keys="turn(keys, list(range(n)), omega)"): "turned twice",
        step(query="q"): "query is not turned",
        "lambda q, k, keys, omega: q @ torch.cat([keys, k]).T": "as if from position 0",
    }},
    "distinct": {"right": [
        "[513, 3073]",
        "(len(torch.arange(1024).bfloat16().unique()), len(torch.arange(4096).half().unique()))",
    ], "wrong": {
        "[1024, 4096]": "every second", "[257, 2049]": "some beyond", "[512, 3072]": "rounded up",
        "[511, 1023]": "are lost", "[321, 2049]": "8 digits and", "513": "shape",
    }},
}  # fmt: skip
