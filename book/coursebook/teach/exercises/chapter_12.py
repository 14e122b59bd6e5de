"""Exercises of chapter 12, in a real model: their variants and answers on file."""

from .variants import Rule

RULES = {
    "nearest": Rule(
        lambda back, step: [f"exactly {back} tokens back", f"multiplied by {step}"],
        where=lambda back, step: 2 * back != 3 * step and back % step,
        back=(3, 5, 6, 7, 9, 10), step=(2, 4, 5, 8),
    ),
    "factor": Rule(
        lambda before, after: [f"{before:.2f} as trained", f"of {after:.2f} in"],
        where=lambda before, after: (before, after) != (4.05, 5.57),
        before=(2.81, 3.34, 4.05, 4.19), after=(5.17, 5.37, 5.57, 5.90),
    ),
}  # fmt: skip


def wave(value):
    return f"lambda c, omega: ({value}) / omega"


def head(*lines, divisor="8"):
    body = "\n    ".join(lines)
    return f"""
def answer(q, k, omega, out):
    turns = torch.exp(1j * torch.arange(len(q))[:, None] * omega)
    {body}
    return ((q * turns).conj() @ (k * turns).T).real / {divisor}
"""


ANSWERS = {
    "nearest": {"right": ["1.5", "6 / 4", "torch.tensor(1.5)"], "wrong": {
        "24": "is nearer", "6": "looked before", "2": "distances are divided", "10": "nothing is added",
        "4": "says nothing", "4 / 6": "turn the ratio over", "1": "Do not round",
    }},
    "factor": {"right": ["math.exp(1.52)", "4.57", "math.exp(-4.05) / math.exp(-5.57)"], "wrong": {
        "1.52": "A loss is a logarithm", "5.57 / 4.05": "not their ratio", "math.exp(-1.52)": "what is left",
        "2 ** 1.52": "base is e", "10 ** 1.52": "not 10", "math.exp(5.57)": "difference first", "4.6": "Rounded too early",
    }},
    "favourite": {"right": [
        wave("math.atan2(c.imag, c.real) % (2 * math.pi)"),
        "lambda c, omega: torch.tensor(c).angle().double().remainder(2 * math.pi) / omega",
    ], "wrong": {
        wave("math.atan2(c.imag, c.real)"): "before 0", wave("-math.atan2(c.imag, c.real) % (2 * math.pi)"): "not minus",
        "lambda c, omega: math.atan2(c.imag, c.real) % (2 * math.pi)": "how many steps",
        "lambda c, omega: math.atan2(c.imag, c.real) % (2 * math.pi) * omega": "divide by",
        wave("(math.atan2(c.imag, c.real) + math.pi) % (2 * math.pi)"): "lowest",
        wave("math.atan2(c.imag, c.real) % (2 * math.pi) + 2 * math.pi"): "Which of the offsets",
    }},
    "without": {"right": [
        head("turns[:, out] = 0"),
        head("kept = [i for i in range(len(omega)) if i not in out]", "q, k, turns = q[:, kept], k[:, kept], turns[:, kept]"),
    ], "wrong": {
        head("turns[:, out] = 1"): "add nothing",
        head("q, k, turns = q[:, out], k[:, out], turns[:, out]"): "should be out",
        head("out = []"): "No pair is out",
        head("turns[:, out] = 0", divisor="1"): "divided by 8",
        head("turns[:, out] = 0", "q, k = k.conj(), q.conj()", "turns = turns.conj()"): "Row m",
        head("turns = torch.ones_like(turns)", "turns[:, out] = 0"): "have to be turned",
    }},
}  # fmt: skip
