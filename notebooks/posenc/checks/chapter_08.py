"""Exercises of chapter 08, RoPE in practice."""

import math

from posenc.checks import (
    Verdict, distinct_positions, exercise, extra_trials, frequencies, normal, parts_of, plain, read, rotary, same, torch,
    unless_refused, works,
)

REACH = 10_000  # offsets at which exercise 8.4 looks for a higher score


def columns(width, target):
    """The columns of the other layout in the order of this one."""
    if target == "interleaved":
        return [n // 2 + width // 2 * (n % 2) for n in range(width)]
    return [*range(0, width, 2), *range(1, width, 2)]


@exercise
def order(answer, width=8, source="split-half", target="interleaved"):
    """Exercise 8.1: the columns that take one layout to the other."""
    half, right = width // 2, columns(width, target)
    split, woven = f"columns i and i + {half}", "2i and 2i + 1"
    here, there = (split, woven) if target == "interleaved" else (f"columns {woven}", split[8:])
    swapped = [n + half if n < half else n - half for n in right]
    if target != "interleaved":
        swapped = [*range(1, width, 2), *range(0, width, 2)]
    return same(answer, {
        f"Pair i stands in {here}, and moves to {there}.": right,
        f"That order takes {target} to {source}.": columns(width, source),
        "That order changes nothing.": list(range(width)),
        "That order swaps the two halves.": [*range(half, width), *range(half)],
        "In each pair the lower column comes first.": swapped,
        "Columns count from 0.": [n + 1 for n in right],
    }, within=0)


@exercise
def suspect(answer):
    """Exercise 8.2: layout, direction and base from two unit vectors."""
    layout, direction, base = parts_of(answer, 3, "Give three things: layout, direction and base.")
    layout = plain(layout)
    if layout not in ("split_half", "interleaved"):
        return Verdict(False, "The layout is one of the two words that the question names.")
    unless_refused(same(base, {
        "": 256,
        "1/4 is b^(−2/8), not 1/b.": 4,
        "The exponent of pair 1 is −2/8, not −1/8.": 4**8,
        "The exponent of pair 1 is −2/8, not −1/2.": 4**2,
        "10 000^(−2/8) would be 0.1.": 10_000,
    }, within=1))
    unless_refused(same(direction, {"": -1, "The sine arrives with a minus sign.": 1}))
    if layout != "split_half":
        return Verdict(False, "Look at the partner of column 0, and at its number.")
    return Verdict(True, "The partner is 4 columns away, the sine is negative, and 256^(-2/8) = 1/4.")


def _rotated(x, positions, omega, layout="split-half"):
    return rotary.rotate(x, rotary.turns(positions, omega, torch.complex128), layout)


@exercise(tensors=True)
def mended(answer):
    """Exercise 8.3: a function (x, positions, omega) that rotates in split-half layout, counter-clockwise."""

    def mixed(x, positions, omega):
        angle = (positions[:, None] * omega).repeat_interleave(2, dim=-1)
        first, second = x.chunk(2, dim=-1)
        return x * angle.cos() + torch.cat([-second, first], dim=-1) * angle.sin()

    def trial(dice):
        width = 2 * dice.randint(2, 12)
        omega = frequencies.geometric(width, dice.randint(50, 9000))
        return normal(5, width, seed=9), distinct_positions(dice, 5), omega

    many, few = torch.tensor([5, 0, 300, 2, 2, 41]), torch.tensor([70, 9, 1, 1])
    trials = [
        (normal(6, 8), torch.arange(6), frequencies.geometric(8)),
        (normal(3, 6, 8, seed=1), many, frequencies.geometric(8)),
        (normal(4, 12, seed=2), few, frequencies.geometric(12, 500)),
        (normal(2, 2, 4, 2, seed=3), few, frequencies.geometric(2)),
        *extra_trials(trial),
    ]
    return works(answer, trials, {  # angles in float32 will do
        "Partner and angle now follow one layout.": _rotated,
        "Still faulty: the angles of columns i and i + d/2 differ, so they are no pair.": mixed,
        "That is a right RoPE, but in the interleaved layout.": lambda x, positions, omega: _rotated(x, positions, omega, "interleaved"),
        "It turns the other way: the minus sign belongs to the second half.": lambda x, positions, omega: _rotated(x, -positions, omega),
        "It ignores the positions that it is given.": lambda x, positions, omega: _rotated(x, torch.arange(len(positions)), omega),
        "It ignores the frequencies that it is given.": lambda x, positions, omega: _rotated(x, positions, frequencies.geometric(x.shape[-1])),
        "Nothing turns: x comes back.": lambda x, positions, omega: x,
    }, within=1e-3)


@exercise(tensors=True)
def looks_back(answer):
    """Exercise 8.4: a key whose score with a query of ones is greatest 50 positions before it."""
    values, _ = read(answer)
    if len(values) != 64 or complex in map(type, values):
        return Verdict(False, f"The answer holds {len(values)} numbers; expected shape (64,), real numbers.")
    if not any(values):
        return Verdict(False, "A key of zeros scores 0 everywhere.")
    key = torch.tensor(values, dtype=torch.float64)
    offsets = torch.arange(-REACH, REACH + 1)
    turns = rotary.turns(offsets, frequencies.geometric(64), torch.complex128)
    scores = rotary.rotate(key.expand(len(offsets), 64).contiguous(), turns).sum(dim=-1)
    best = int(offsets[scores.argmax()])
    if best == -50:
        return Verdict(True, "The key is the query, turned ahead by 50 positions; its own place undoes that.")
    if best == 50:
        return Verdict(False, "This key is favoured 50 positions after the query: turn it the other way.")
    return Verdict(False, f"Within {REACH} positions this key scores highest at n − m = {best}.".replace("-", "−"))


@exercise(tensors=True)
def convert(answer):
    """Exercise 8.5: a function (weight, heads) that takes rows from interleaved to split-half layout."""

    def by_head(weight, heads):
        return rotary.convert_rows(weight, heads, "interleaved", "split-half")

    def of_columns(weight, heads):
        return by_head(weight.T.contiguous(), heads).T

    def halves(weight, heads):
        return weight.unflatten(0, (heads, 2, -1)).flip(1).flatten(0, 2)

    def trial(rows, wide, heads):
        return normal(rows, wide, seed=rows), heads

    def any_trial(dice):
        heads = dice.randint(2, 5)
        return trial(heads * 2 * dice.randint(3, 6), dice.randint(3, 9), heads)

    trials = [trial(8, 5, 1), trial(16, 5, 2), trial(12, 12, 3), trial(48, 4, 4), *extra_trials(any_trial)]
    return works(answer, trials, {
        "Head by head: the even rows of each head come first, then its odd ones.": by_head,
        "The rows of different heads are mixed: permute within each head.": lambda weight, heads: by_head(weight, 1),
        "That takes split-half to interleaved.": lambda weight, heads: rotary.convert_rows(weight, heads, "split-half", "interleaved"),
        "Nothing is permuted.": lambda weight, heads: weight,
        "The outputs are rows of the weight; these are its columns.": of_columns,
        "The two halves of each head change places; their rows should be picked one by one.": halves,
    }, within=1e-4)


@exercise(tensors=True)
def step(answer):
    """Exercise 8.6: a function (q, k, keys, omega) that scores one new query against cache and new key."""

    def scores(q, k, keys, omega, at=lambda n: n, again=False):
        now = torch.tensor([at(len(keys))])
        keys = _rotated(keys, now.expand(len(keys)), omega, "interleaved") if again and len(keys) else keys
        turned = torch.cat([keys, _rotated(k, now, omega, "interleaved")])
        return _rotated(q, now, omega, "interleaved") @ turned.T

    def one_too_far(q, k, keys, omega):
        return scores(q, k, keys, omega, lambda n: n + 1)

    def turned_again(q, k, keys, omega):
        return scores(q, k, keys, omega, lambda n: n + 1, again=True)

    def with_cache_turned_twice(q, k, keys, omega):
        return scores(q, k, _rotated(keys, torch.arange(len(keys)), omega, "interleaved"), omega)

    def with_unturned(new_query, new_key):
        """One of the two new vectors goes in as it is: turning it back first undoes the turn."""

        def wrong(q, k, keys, omega):
            back = torch.tensor([-len(keys)])
            q, k = (_rotated(x, back, omega, "interleaved") if bare else x for x, bare in ((q, new_query), (k, new_key)))
            return scores(q, k, keys, omega)

        return wrong

    def trial(count, width, base, seed):
        cached = normal(count, width, seed=seed)
        turned = _rotated(cached, torch.arange(count), frequencies.geometric(width, base), "interleaved")
        q, k = normal(1, width, seed=seed + 1), normal(1, width, seed=seed + 2)
        return q, k, turned, frequencies.geometric(width, base)

    trials = [trial(3, 8, 10_000, 1), trial(1, 8, 10_000, 5), trial(9, 4, 50, 9), trial(6, 16, 500, 13)]
    trials += extra_trials(lambda d: trial(d.randint(2, 12), 2 * d.randint(2, 8), d.randint(50, 900), 17))
    return works(answer, trials, {
        "The new token stands where the cache ends, and an old key is never turned again.": scores,
        "Positions count from 0: with n cached keys the new token stands at n, not at n + 1.": one_too_far,
        "The cached keys are met as if from position 0: is it put there, or are they turned again?": turned_again,
        "The cached keys are turned twice: they were turned when they came.": with_cache_turned_twice,
        "The new key is not turned: it stands at n, as the query does.": with_unturned(False, True),
        "The query is not turned: it stands at n, as the new key does.": with_unturned(True, False),
        "The new token is put on the last cached one.": lambda q, k, keys, omega: scores(q, k, keys, omega, lambda n: n - 1),
        "The new key is missing: a query scores itself, too.": lambda q, k, keys, omega: scores(q, k, keys, omega)[:, :-1],
        "The frequencies are ignored.": lambda q, k, keys, omega: scores(q, k, keys, frequencies.geometric(q.shape[-1])),
    }, within=1e-3)


@exercise
def distinct(answer, counts=(1024, 4096)):
    """Exercise 8.7: how many of 0 to 1023 stay distinct in bfloat16, of 0 to 4095 in float16."""
    brain, half = counts

    def left(count, digits):
        return 2**digits + sum(2 ** (digits - 1) for n in range(digits, int(math.log2(count))))

    right = [left(brain, 8) + 1, left(half, 11) + 1]
    return same(answer, {
        "Each doubling adds half as many numbers as there are up to 2ⁿ.": right,
        "From 256 to 512 only every second number has a float, and then every fourth.": [brain, half],
        "Up to 2ⁿ all are kept, and some beyond.": [257, 2049],
        f"{brain - 1} is rounded up to {brain}, and {half - 1} to {half}: not counted yet.": [left(brain, 8), left(half, 11)],
        "These are the positions that are lost.": [brain - right[0], half - right[1]],
        "bfloat16 keeps 8 digits and float16 keeps 11, the leading one among them.": [left(brain, 7) + 1, left(half, 10) + 1],
    }, within=0)
