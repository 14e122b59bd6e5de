"""Right answers to the variants of the exercises, found in other ways than the checkers find them.

`of(checker, arguments)` gives the source text of an answer, as in the other modules: a value, or a definition.
"""

import math

import torch


def of(chapter, checker, arguments):
    """The source of a right answer to a variant."""
    made = SOLVED[chapter, checker](**arguments)
    return made if isinstance(made, str) else repr(made)


def outputs(tokens, twin):
    mean = {0: 1, 1: 10 / 7, 2: 12 / 7}
    joined = [*tokens, twin]
    weights = [math.exp(math.log(2) * twin * other) for other in joined]
    new = sum(w * t for w, t in zip(weights, joined, strict=True)) / sum(weights)
    return [*(mean[t] for t in tokens), round(new, 4)]


KINDS = {
    "equivariant": ("encoder self-attention", "self-attention with a padding mask that moves along",
                    "two encoder layers, one after the other", "a layer that maps each word by itself"),
    "invariant": ("its mean over the words", "attention to a memory", "its largest entry in each column",
                  "the matrix of all distances between words, summed up"),
    "neither": ("causal self-attention", "self-attention after codes were added", "its output for the first word",
                "the mean of causal self-attention", "self-attention with a bias -|m - n|",
                "the difference of each word and the one before it"),
}  # fmt: skip


def distance(factor):
    rule = f"scores - {factor} * (q[:, None] - k).abs()"
    return f'type("Mine", (doors.Scheme,), {{"scores": lambda self, scores, q, k: {rule}}})'


def blind_best(tenths):
    a, b, c = tenths
    share = a / (a + b)
    bag = -(share * math.log(share) + (1 - share) * math.log(1 - share)) * (a + b) / 10
    return [max(a, b) / 10 + c / 10, round(bag, 4)]


def first_door(column, part):
    return f"""
class Mine(doors.Scheme):
    def input(self, x, positions):
        unit = torch.eye(x.shape[-1], dtype=x.dtype)[{column}]
        return x + positions[..., None] / {part} * unit
"""


GAPS = {
    "dot product": "table @ table.T",
    "sum of the absolute differences": "(table[:, None] - table).abs().sum(-1)",
    "largest absolute difference": "(table[:, None] - table).abs().amax(-1)",
}


def by_offset(measure):
    return f"""
def mine(table):
    gaps = {GAPS[measure]}
    return all((d.max() - d.min()).item() < 1e-6 for d in (gaps.diagonal(k) for k in range(1, len(table))))
"""


def first_confused(floats, neighbour):
    kept = {"float32": 24, "float16": 11, "float8_e4m3fn": 4, "float8_e5m2": 3}
    return [2 ** kept[name] + (neighbour == "predecessor") for name in floats]


LAST_LINE = {
    "interleaved": "torch.stack([angle.sin(), angle.cos()], -1).flatten(-2)",
    "interleaved, cosine first": "torch.stack([angle.cos(), angle.sin()], -1).flatten(-2)",
    "concatenated, cosines first": "torch.cat([angle.cos(), angle.sin()], -1)",
    "interleaved, slowest pair first": "torch.stack([angle.sin(), angle.cos()], -1).flip(-2).flatten(-2)",
}


def mended(layout):
    return f"""
def mine(positions, width, base=10_000.0):
    angle = positions[:, None] * base ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    return {LAST_LINE[layout]}
"""


def position_read(position):
    return position


def first_unfinished(width, base, shown):
    i = 0
    while 2 * math.pi * base ** (2 * i / width) <= shown:
        i += 1
    return [i, round(2 * math.pi * base ** (2 * i / width), 1)]


def odd_code(even, start):
    first, second = ("sin", "cos") if even == "sine" else ("cos", "sin")
    return f"""
def mine(positions, width, base):
    columns = []
    for j in range(width):
        angle = (positions.double() + {start}) * base ** (-2 * (j // 2) / width)
        columns.append(angle.{second}() if j % 2 else angle.{first}())
    return torch.stack(columns, -1)
"""


def rotation(angle):
    c, s = round(math.cos(angle), 6), round(math.sin(angle), 6)
    return [[c, s], [-s, c]]


def split_matrix(offset, slow):
    made = torch.zeros(4, 4)
    for pair, angle in enumerate((offset, offset * slow)):
        made[pair::2, pair::2] = torch.tensor(rotation(angle))
    return made.tolist()


def shift(columns, sign):
    order = "order = [*range(0, width, 2), *range(1, width, 2)]"
    if columns != "all sines first":
        order = "order = list(range(width))"
    turn = sign * (-1 if columns == "cos, sin, cos, sin" else 1)
    return f"""
def mine(offset, width, base):
    made = torch.zeros(width, width, dtype=torch.float64)
    for i in range(width // 2):
        a = {turn} * offset * base ** (-2 * i / width)
        made[2 * i, 2 * i] = made[2 * i + 1, 2 * i + 1] = math.cos(a)
        made[2 * i, 2 * i + 1], made[2 * i + 1, 2 * i] = math.sin(a), -math.sin(a)
    {order}
    return made[order][:, order]
"""


def cannot_tell(centre, gap, place):
    return place, round(sum(math.cos(gap / 10**n) for n in range(4)), 4)


def row(position):
    return [math.sin(position), math.cos(position), math.sin(position / 100), math.cos(position / 100)]


def closest_offset(reach):
    products = {k: math.cos(k) + math.cos(k / 100) for k in range(reach[0], reach[1] + 1)}
    best = max(products, key=products.get)
    return [best, round(products[best], 4)]


def entry(columns, start):
    if columns == "all sines first":
        return f"""
def mine(position, column, width, base):
    half = width // 2
    angle = position * base ** (-2 * ((column - {start}) % half) / width)
    return math.sin(angle) if column - {start} < half else math.cos(angle)
"""
    odd = int(columns == "sin, cos, sin, cos")
    return f"""
def mine(position, column, width, base):
    pair, side = divmod(column - {start}, 2)
    angle = position * base ** (-2 * pair / width)
    return math.cos(angle) if side == {odd} else math.sin(angle)
"""


def one_later(position, later):
    return [round(x + code, 3) for x, code in zip((0.5, -0.25, 0.3, 0.1), row(position + later), strict=True)]


def which_h(entries, place):
    return place, round(math.sqrt(entries[0] ** 2 + entries[1] ** 2), 4)


def four_terms(order):
    sides = [("x", "y"), ("x", "q"), ("p", "y"), ("p", "q")]
    parts = ", ".join(f"({sides[n][0]} @ wq) @ ({sides[n][1]} @ wk)" for n in order)
    return f"lambda x, p, y, q, wq, wk: [{parts}]"


def kind(digits):
    return f"""
def mine(vectors, weights):
    own, shift = ((first - second).abs().max() > 1e-{digits} for first, second in (vectors, weights))
    return "absolute" if own and shift else "mixed" if own else "relative"
"""


def score_by_hand(q, k, m, n):
    re, im = q.real * k.real + q.imag * k.imag, q.imag * k.real - q.real * k.imag
    return [re, -im, -re, im][(m - n) % 4]


FACTORS = {"the turn": "1", "the turn in degrees": "math.pi / 180", "the part of a whole turn": "2 * math.pi"}


def real_rope(direction, unit):
    sign = "-" if direction == "clockwise" else ""
    return f"""
def mine(x, positions, angle):
    turn = {sign}positions * angle * {FACTORS[unit]}
    a, b = x[:, 0].clone(), x[:, 1].clone()
    return torch.stack([a * turn.cos() - b * turn.sin(), a * turn.sin() + b * turn.cos()], -1)
"""


def diagnosis(named):
    """By the solution's test, in the book."""
    from posenc.checks.chapter_07 import all_boxes

    found = {}
    for name in named:
        box = all_boxes[name]
        along = abs(box(1, 1j + 2, 5, 3) - box(1, 1j + 2, 4, 2)) > 0.1
        across = abs(box(1, 1j + 2, 5, 3) - box(1, 1j + 2, 4, 4)) > 0.1
        found[name] = (
            "conjugate" if abs(box(1j, 1j, 0, 0) - 1) > 0.1 else
            "right" if not along else "minus" if across else "key"
        )  # fmt: skip
    return found


def other_sign(weight):
    root = math.sqrt(weight)
    return (
        f"lambda m: [[math.cosh(m / 5), {root} * math.sinh(m / 5)],"
        f" [math.sinh(m / 5) / {root}, math.cosh(m / 5)]]"
    )


def sound(part, sign):
    return f"""
def mine(score):
    for q, k in ((1, 1), (1j, 1j), (1 + 2j, 3 - 1j)):
        if abs(score(q, k, 0, 0) - (q * complex(k).conjugate()).{part}) > 1e-9:
            return False
        for m, n in ((5, 3), (2, 7), (4, 4), (9, 0)):
            if abs(score(q, k, m, n) - score(q, k, m + 6, n + {6 * sign})) > 1e-9:
                return False
    return True
"""


def order(width, source, target):
    half = width // 2
    if target == "interleaved":
        return [n for pair in zip(range(half), range(half, width), strict=True) for n in pair]
    return [*range(0, width, 2), *range(1, width, 2)]


def split_half(layout, direction):
    if layout == "split-half":
        return f"""
def mine(x, positions, omega):
    angle = {direction} * (positions[:, None] * omega).repeat(1, 2)
    first, second = x.chunk(2, dim=-1)
    return x * angle.cos() + torch.cat([-second, first], dim=-1) * angle.sin()
"""
    return f"""
def mine(x, positions, omega):
    angle = {direction} * (positions[:, None] * omega)
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1).flatten(-2)
"""


def looks_back(back):
    turns = f"rotary.turns([{abs(back)}], additive.geometric(64), torch.complex128)"
    turns += "" if back > 0 else ".conj().resolve_conj()"
    return f"rotary.rotate(torch.ones(1, 64, dtype=torch.float64), {turns})[0]"


def convert(before, after, transposed):
    sizes = "-1, 2" if before == "interleaved" else "2, -1"
    if transposed:
        return f"lambda weight, heads: weight.unflatten(1, (heads, {sizes})).transpose(2, 3).flatten(1, 3)"
    return f"lambda weight, heads: weight.unflatten(0, (heads, {sizes})).transpose(1, 2).flatten(0, 2)"


def step(start):
    return f"""
def mine(q, k, keys, omega):
    at = (torch.tensor([len(keys)]) + {start}) * omega
    pairs = lambda x: torch.view_as_complex(x.reshape(-1, len(omega), 2).contiguous())
    new = pairs(q) * torch.exp(1j * at)
    return (new.conj() * torch.cat([pairs(keys), pairs(k) * torch.exp(1j * at)])).real.sum(-1)
"""


def distinct(counts):
    return [
        2**digits + 1 + (2 ** (digits - 1)) * round(math.log2(count) - digits)
        for count, digits in zip(counts, (8, 11), strict=True)
    ]


def slopes_for(most):
    return f"""
def mine(heads):
    below = 2 ** (heads.bit_length() - 1)
    slopes = [2 ** (-{most} * h / below) for h in range(1, below + 1)]
    return slopes + [2 ** (-{most} * h / (2 * below)) for h in range(1, 2 * (heads - below), 2)]
"""


def squared(shift):
    return f"(lambda mu, m: [-mu * (m - {shift}) ** 2, 2 * mu * (m - {shift}), -mu], lambda n: [1, n, n**2])"


def value_term(first, beyond):
    seen = "abs(m - n) <= reach" if beyond == "nothing" else "True"
    return f"""
def mine(weights, table):
    reach, out = len(table) // 2, torch.zeros(len(weights), table.shape[1], dtype=weights.dtype)
    for m in range(len(weights)):
        for n in range(len(weights)):
            if {seen}:
                row = max(-reach, min(reach, {-first} * (m - n))) + reach
                out[m] += weights[m, n] * table[row]
    return out
"""


def unseen_pairs(width, base, trained):
    return sum(trained * base ** (-2 * i / width) < 2 * math.pi for i in range(width // 2))


def yarn(straight, blend):
    scale = {"ln r": "{}.log()", "r": "{}", "1/r": "(1 / {})", "r²": "{} ** 2"}[straight]
    low, high, here = (scale.format(name) for name in ("low", "high", "r"))
    last = "1 / ((1 - kept) * s / omega + kept / omega)"
    return f"""
def mine(omega, s, L, alpha, beta):
    r, low, high = L * omega / (2 * math.pi), torch.tensor(alpha), torch.tensor(beta)
    kept = (({here} - {low}) / ({high} - {low})).clamp(0, 1)
    return {last if blend == "wavelengths" else "(1 - kept) * omega / s + kept * omega"}
"""


def decode(window):
    return f"""
def mine(q, k, omegas):
    scores = []
    for m, omega in enumerate(omegas):
        seen = torch.arange(max(0, m + 1 - {window}), m + 1)
        keys = rotary.rotate(k[seen], rotary.turns(seen, omega, torch.complex128))
        scores.append(keys @ rotary.rotate(q[m : m + 1], rotary.turns([m], omega, torch.complex128))[0])
    return torch.cat(scores)
"""


SOLVED = {
    ("chapter_01", "outputs"): outputs,
    ("chapter_01", "position"): lambda weight, share: weight * share - weight,
    ("chapter_01", "symmetry"): lambda asked: {
        case: next(word for word, cases in KINDS.items() if case in cases) for case in asked
    },
    ("chapter_01", "distance"): distance,
    ("chapter_01", "blind_best"): blind_best,
    ("chapter_01", "first_door"): first_door,
    ("chapter_02", "bits_changed"): lambda first, second: [
        bin(n ^ (n + 1)).count("1") for n in (first, second)
    ],
    ("chapter_02", "doubling_base"): lambda width, ratio: ratio ** (width // 2),
    ("chapter_02", "squared_distance"): lambda first, offset, base: (
        4 - 2 * math.cos(offset) - 2 * math.cos(offset / math.sqrt(base))
    ),
    ("chapter_02", "failed_test"): lambda first: (
        "evenly spaced", round(abs(2 * math.sin(0.5) * math.cos(first + 0.5)), 3)
    ),
    ("chapter_02", "neighbours_apart"): lambda turn: round(2 * math.sin(math.pi / turn), 4),
    ("chapter_02", "by_offset"): by_offset,
    ("chapter_02", "slower"): lambda factor, widths: [round(factor ** (1 - 2 / d), 3) for d in widths],
    ("chapter_02", "beyond_training"): lambda turn, quarters: [
        round({1: 1, 2: 0, 3: -1}[part] * turn / (2 * math.pi), 1) for part in quarters
    ],
    ("chapter_02", "ladder"): lambda first: (
        f"lambda width, base: {first} * base ** (-torch.arange(0, width, 2).double() / width)"
    ),
    ("chapter_03", "base_for_context"): lambda width, context: round(
        math.exp(math.log(context / (2 * math.pi)) * width / (width - 2))
    ),
    ("chapter_03", "first_confused"): first_confused,
    ("chapter_03", "mended"): mended,
    ("chapter_03", "position_read"): position_read,
    ("chapter_03", "twins"): lambda position, speed: [
        round(math.pi / speed - position, 2), -round(math.cos(position * speed), 2)
    ],
    ("chapter_03", "first_unfinished"): first_unfinished,
    ("chapter_03", "odd_code"): odd_code,
    ("chapter_03", "add_code"): lambda start: (
        f"lambda x, table: x + table[torch.arange(x.shape[1]) + {start}]"
    ),
    ("chapter_04", "three_on"): lambda offset, speed: rotation(offset * speed),
    ("chapter_04", "net_offset"): lambda first, back, power, speed: [
        first + power - back, round(math.cos((first + power - back) * speed), 4)
    ],
    ("chapter_04", "split_matrix"): split_matrix,
    ("chapter_04", "look_ahead"): lambda speed, ahead: [math.cos(-ahead * speed), math.sin(-ahead * speed)],
    ("chapter_04", "moved_on"): lambda angle, slow: [angle, *(angle * n for n in slow)],
    ("chapter_04", "shift"): shift,
    ("chapter_04", "sine_alone"): lambda speed, offset: [
        round(math.cos(speed * offset), 3), round((1 + math.cos(2 * speed * offset)) / 2, 3)
    ],
    ("chapter_04", "cannot_tell"): cannot_tell,
    ("chapter_05", "row_six"): row,
    ("chapter_05", "two_frequencies"): lambda base: [1, 1 / math.sqrt(base)],
    ("chapter_05", "closest_offset"): closest_offset,
    ("chapter_05", "which_base"): lambda base: round(math.asin(round(math.sin(base**-0.5), 4)) ** -2),
    ("chapter_05", "entry"): entry,
    ("chapter_05", "one_later"): one_later,
    ("chapter_05", "wrong_entries"): lambda rows, base: [(rows[0], 3), (rows[1], 2), (rows[2], 1)],
    ("chapter_06", "gradient_column"): lambda lengths: [sum(n > r for n in lengths) for r in range(8)],
    ("chapter_06", "embed"): lambda times: (
        f"lambda rows, code: math.sqrt({times} * rows.shape[2]) * rows + code"
    ),
    ("chapter_06", "which_h"): which_h,
    ("chapter_06", "lengths"): lambda width: [round(math.sqrt(width / 2), 4), round(math.sqrt(1 / 2), 4)],
    ("chapter_06", "four_terms"): four_terms,
    ("chapter_06", "kind"): kind,
    ("chapter_07", "score_by_hand"): score_by_hand,
    ("chapter_07", "real_rope"): real_rope,
    ("chapter_07", "diagnosis"): diagnosis,
    ("chapter_07", "other_sign"): other_sign,
    ("chapter_07", "absorbed"): lambda row: [[row[0], row[1]], [row[1], -row[0]]],
    ("chapter_07", "sound"): sound,
    ("chapter_07", "in_place"): real_rope,
    ("chapter_08", "order"): order,
    ("chapter_08", "suspect"): lambda right_layout, right_direction, right_base: (
        right_layout, right_direction, right_base
    ),
    ("chapter_08", "mended"): split_half,
    ("chapter_08", "looks_back"): looks_back,
    ("chapter_08", "convert"): convert,
    ("chapter_08", "step"): step,
    ("chapter_08", "distinct"): distinct,
    ("chapter_09", "window"): lambda part, percent: math.ceil(-part * math.log(1 - percent / 100)),
    ("chapter_09", "slopes_for"): slopes_for,
    ("chapter_09", "squared"): squared,
    ("chapter_09", "forgetting"): lambda power: (
        f"lambda log_f: {power} * (log_f.cumsum(0)[:, None] - log_f.cumsum(0))"
    ),
    ("chapter_09", "report"): lambda exact, token: 2 * exact - 1 - exact * (exact - 1) / token,
    ("chapter_09", "value_term"): value_term,
    ("chapter_10", "unseen_pairs"): unseen_pairs,
    ("chapter_10", "base_for"): lambda power, first: (
        f"lambda d, b, s, j: b * (s ** {power}) ** (d / (2 * (j - {first})))"
    ),
    ("chapter_10", "yarn"): yarn,
    ("chapter_10", "factors"): lambda factor, trained, lengths: {
        length: 1 + factor * max(0, length / trained - 1) for length in lengths
    },
    ("chapter_10", "decode"): decode,
}  # fmt: skip
