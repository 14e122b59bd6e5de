"""Checkers of what the file that grows has besides the book's exercises: they name the slip behind a wrong answer."""

import math

import torch

from posenc import rotary
from posenc.bias import alibi, alibi_slopes
from posenc.checks import Refused, Verdict, call_or_refuse, distinct_positions, exercise, extra_trials, normal, works


@exercise(tensors=True)
def attends(answer):
    """The checker of `attend`."""

    def right(q, k, v, bias):
        return (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]) + bias).softmax(-1) @ v

    def case(queries, keys, width, seed, bias=0.0):
        shapes = ((queries, width), (keys, width), (keys, 3))
        return *(normal(*shape, seed=seed + n) for n, shape in enumerate(shapes)), bias

    hidden = torch.full((4, 4), -math.inf, dtype=torch.float64).triu(1)
    batch = tuple(normal(2, 3, 4, 6, seed=seed) for seed in (7, 8, 9))
    trials = [case(4, 4, 5, 1), case(2, 6, 8, 4, normal(2, 6, seed=20)), (*batch, hidden)]
    trials += extra_trials(lambda dice: case(dice.randint(2, 7), dice.randint(2, 7), dice.randint(2, 9), 30))
    return works(answer, trials, {
        "A weighted mean of values for each query.": right,
        "The scores are not divided by √width.": lambda q, k, v, bias: (q @ k.transpose(-2, -1) + bias).softmax(-1) @ v,
        "Divide by the root of the width, not by the width.": lambda q, k, v, bias: right(q / math.sqrt(q.shape[-1]), k, v, bias),
        "The softmax runs over the queries: each query's weights must sum to 1.": lambda q, k, v, bias: (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]) + bias).softmax(-2) @ v,
        "The bias is ignored.": lambda q, k, v, bias: right(q, k, v, 0),
        "The bias is added before the division: it counts in full.": lambda q, k, v, bias: right(q, k, v, bias / math.sqrt(q.shape[-1])),
    }, within=1e-5)


@exercise(tensors=True)
def learns(answer):
    """The checker of `Learned`."""
    rows, width = 7, 4
    table = call_or_refuse(answer, rows, width)
    if [part.numel() for part in table.parameters()] != [rows * width]:
        raise Refused("A table of 7 rows and 4 columns should be one torch.nn.Parameter, or one Embedding, with 28 numbers.")
    at = torch.tensor([5, 0, 5])
    found = call_or_refuse(table, at)
    if tuple(found.shape) != (3, width) or not torch.equal(found[0], found[2]) or torch.equal(found[0], found[1]):
        raise Refused("For the positions 5, 0, 5 it should return three rows, of which the first and third are one.")
    found.sum().backward()
    (gradient,) = (part.grad.to_dense() for part in table.parameters())
    trained = gradient.reshape(rows, -1).any(1).nonzero().flatten().tolist()
    if trained != [0, 5]:
        raise Refused(f"Positions 5 and 0 should train the rows 5 and 0; they train {trained}.")
    for position, why in ((rows, "do not clamp, and do not begin again"), (-1, "from the end, Python counts on")):
        try:
            table(torch.tensor([position]))
        except (IndexError, ValueError):  # Python's own, and that of the chapter's class
            continue
        raise Refused(f"Position {position} has no row: raise IndexError there ({why}).")
    return Verdict(True, "It learns the rows that it meets, and it ends.")


def rope(x, positions, omega, layout="interleaved"):
    """The course's own: positions (time,) or (batch, time)."""
    turns = rotary.turns(positions, omega, torch.complex128)
    return rotary.rotate(x, turns if positions.dim() == 1 else turns[:, None], layout)


@exercise(tensors=True)
def turns_pairs(answer):
    """The checker of `turn` for several interleaved pairs."""

    def case(*shape, at, base=100.0):
        return normal(*shape, seed=shape[-1]), torch.tensor(at), base ** -torch.arange(0, 1, 2 / shape[-1]).double()

    trials = [case(4, 8, at=[0, 1, 2, 3]), case(2, 3, 4, 6, at=[40, 0, 7, 7], base=5000.0), case(1, 3, 2, at=[1, 9, 4])]
    trials += extra_trials(lambda dice: (normal(3, 5, 10), distinct_positions(dice, 5), dice.random() ** torch.arange(5.0).double()))
    return works(answer, trials, {
        "Each pair has its own angle.": rope,
        "All pairs turn at the first one's frequency.": lambda x, at, omega: rope(x, at, omega[:1].expand(len(omega))),
        "The frequencies stand in the reverse order.": lambda x, at, omega: rope(x, at, omega.flip(0)),
        "It turns clockwise: the minus belongs to the first column of a pair.": lambda x, at, omega: rope(x, -at, omega),
        "The minus sign is missing: no sine has one.": lambda x, at, omega: torch.stack([rope(x, -at, omega)[..., ::2], rope(x, at, omega)[..., 1::2]], -1).flatten(-2),
        "The pairs are columns i and i + d/2 here: asked are 2i and 2i + 1.": lambda x, at, omega: rope(x, at, omega, "split-half"),
        "It counts for itself: use the positions that it is given.": lambda x, at, omega: rope(x, torch.arange(len(at)), omega),
        "Positions count from 0 here.": lambda x, at, omega: rope(x, at + 1, omega),
        "Only the first pair turns.": lambda x, at, omega: torch.cat([rope(x[..., :2], at, omega[:1]), x[..., 2:]], -1),
        "Nothing turns: x comes back.": lambda x, at, omega: x,
    }, within=1e-4)


@exercise(tensors=True)
def keeps(answer):
    """What else `turn` promises: x stays as it is, the dtype too, and angles keep their digits."""
    x, at, omega = normal(3, 4).float(), torch.tensor([0, 70_001, 70_000]), torch.tensor([1.0, 0.37]).double()
    before = x.clone()
    after = call_or_refuse(answer, x, at, omega)
    if not torch.equal(x, before):
        raise Refused("It writes into x: compute both new columns from both old ones, and put them into a new tensor.")
    if after.dtype != x.dtype:
        raise Refused(f"It returns {after.dtype} for {x.dtype}: cosines and sines take the dtype of x, last of all.")
    if not torch.allclose(after, rope(x, at, omega), atol=1e-4):
        raise Refused("At position 70 000 the angles have lost digits: compute them in float64, and round the cosines.")
    return Verdict(True, "It takes from x its dtype, and nothing else.")


@exercise(tensors=True)
def takes_batches(answer):
    """The checker of `turn` for positions of (batch, time)."""
    trials = [
        (normal(2, 3, 4, 6), torch.tensor([[0, 1, 2, 3], [9, 8, 7, 60]]), torch.tensor([1, 0.3, 0.02]).double(), layout)
        for layout in ("interleaved", "split-half")
    ]
    verdict = works(answer, trials, {
        "Each sequence has positions of its own.": rope,
        "All sequences turn by the first one's positions.": lambda x, at, omega, layout: rope(x, at[0], omega, layout),
        "The layout is ignored.": lambda x, at, omega, layout: rope(x, at, omega),
    }, within=1e-4)
    if "must match the size" in verdict.message:  # torch's words on shapes that do not broadcast
        return Verdict(False, f"Angles of (batch, time, pairs) need an axis for the heads, after batch. {verdict.message}")
    return verdict


@exercise(tensors=True)
def biases(answer):
    """The checker of `bias`."""

    def right(heads, q, k):
        return alibi(alibi_slopes(heads), q, k)

    def rows(heads, q, k):
        return right(heads, torch.arange(len(q)), torch.arange(len(k)))

    trials = [
        (8, torch.arange(4), torch.arange(4)),
        (2, torch.tensor([9]), torch.tensor([0, 4, 9])),
        (12, torch.tensor([3, 70]), torch.tensor([5, 1])),
    ]
    trials += extra_trials(lambda dice: (dice.randint(1, 20), distinct_positions(dice, 3), distinct_positions(dice, 5)))
    return works(answer, trials, {
        "A slope for each head, a distance for each pair.": right,
        "The scores should fall with the distance, not rise.": lambda heads, q, k: -right(heads, q, k),
        "A distance has no sign: keys after the query must not gain.": lambda heads, q, k: -alibi_slopes(heads)[:, None, None] * (q[:, None] - k),
        "These are the distances of rows and columns: use the positions that are passed.": rows,
        "Each head has a slope of its own.": lambda heads, q, k: right(heads, q, k)[:1].expand(heads, -1, -1),
        "The slopes are missing.": lambda heads, q, k: -(q[:, None] - k).abs().expand(heads, -1, -1),
        "Queries are rows, and keys are columns.": lambda heads, q, k: right(heads, q, k).transpose(1, 2),
    }, within=1e-5)
