"""Tests of my_positions.py, by chapters: `pytest -k chapter_07`. They are yours to read.

A failure says in a sentence what is wrong. `--seed 12345`, with a number that nobody knows, adds trials of other shapes
and values: a teacher's hidden tests.
"""

import ast
import functools
import importlib.util
import math
import os
from pathlib import Path

import decoder
import pytest
import torch
from decoder import HEADS, LENGTH, OMEGA, WIDTH, WORDS, Decoder

from posenc import rotary
from posenc.bias import alibi, alibi_slopes
from posenc.checks import (
    OPEN,
    Refused,
    Verdict,
    call_or_refuse,
    chapter_03,
    chapter_04,
    chapter_06,
    chapter_07,
    chapter_08,
    chapter_09,
    chapter_10,
    describe,
    distinct_positions,
    exercise,
    extra_trials,
    is_blank,
    normal,
    works,
)
from posenc.doors import Scheme

FILE = Path(__file__).with_name("my_positions.py")
MAY_IMPORT = {"math", "cmath", "torch"}
KEPT_OUT = {"__import__", "eval", "exec", "compile", "open", "os", "sys", "importlib", "builtins", "inspect", "gc"}


# ---- your file, and how it is told what is wrong


def foreign(source):
    """What a source uses that it should not, or None: another package, a door to the machine."""
    for node in ast.walk(ast.parse(source)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.partition(".")[0] not in MAY_IMPORT]
        elif isinstance(node, ast.ImportFrom):
            inner = [alias.name for alias in node.names if alias.name in KEPT_OUT]
            names = inner if (node.module or "").partition(".")[0] in MAY_IMPORT and not node.level else [node.module]
        elif isinstance(node, ast.Name):
            names = [node.id] * (node.id in KEPT_OUT)
        elif isinstance(node, ast.Attribute):
            hidden = node.attr.startswith("_") and node.attr != "__init__"
            names = [node.attr] * (node.attr in KEPT_OUT or hidden)
        if names:
            return f"line {node.lineno} uses {names[0] or '.'}"
    return None


@functools.cache
def load(path):
    """The module at a path. Raises Refused, with the sentence why it cannot be used."""
    try:
        source = path.read_text(encoding="utf-8")
        used = foreign(source)
    except SyntaxError as problem:
        raise Refused(f"{path.name} is no Python: line {problem.lineno}, {problem.msg}.") from None
    except (OSError, ValueError) as problem:
        raise Refused(f"{path.name} cannot be read: {describe(problem)}.") from None
    if used:
        raise Refused(f"{path.name}, {used}: import math and torch alone, and write the rest yourself.")
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location("my_positions", path))
    try:
        module.__spec__.loader.exec_module(module)
    except (Exception, SystemExit) as problem:
        raise Refused(f"{path.name} stops while it is imported: {describe(problem)}.") from None
    return module


def mine(name):
    """A function or class of your file. Raises Refused where there is none yet."""
    thing = getattr(load(FILE), name, None)
    if not callable(thing):
        raise Refused(f"{FILE.name} has no {name}: keep the names of the file as you got it.")
    if is_blank(thing):
        raise Refused(f"{name}: {OPEN}")
    return thing


def tells(test):
    """Make a test of a function that returns a Verdict, or None for right: what is wrong is all that pytest prints."""

    @functools.wraps(test)
    def told(*arguments, **options):
        try:
            verdict = test(*arguments, **options)
        except Refused as refused:
            verdict = Verdict(False, str(refused))
        if verdict is not None and not verdict:
            pytest.fail(verdict.message, pytrace=False)

    return told


def at_least(share, least, what):
    """The Verdict on a share of right answers."""
    return Verdict(share >= least, f"{what}: it is right in {share:.0%}, and {least:.0%} can be had.")


# ---- Chapter 1


@exercise(tensors=True)
def attends(answer):
    """The checker of `attend`."""

    def right(q, k, v, bias):
        return (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]) + bias).softmax(-1) @ v

    def case(queries, keys, width, seed, bias=0.0):
        return (
            normal(queries, width, seed=seed),
            normal(keys, width, seed=seed + 1),
            normal(keys, 3, seed=seed + 2),
            bias,
        )

    hidden = torch.full((4, 4), -math.inf, dtype=torch.float64).triu(1)
    batch = tuple(normal(2, 3, 4, 6, seed=seed) for seed in (7, 8, 9))
    trials = [case(4, 4, 5, 1), case(2, 6, 8, 4, normal(2, 6, seed=20)), (*batch, hidden)]
    trials += extra_trials(lambda dice: case(dice.randint(2, 7), dice.randint(2, 7), dice.randint(2, 9), 30))
    slips = {
        "The scores are not divided by √width.": lambda q, k, v, bias: (q @ k.transpose(-2, -1) + bias).softmax(-1) @ v,
        "Divide by the root of the width, not by the width.": lambda q, k, v, bias: right(
            q / math.sqrt(q.shape[-1]), k, v, bias
        ),
        "The softmax runs over the queries: each query's weights must sum to 1.": lambda q, k, v, bias: (
            (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]) + bias).softmax(-2) @ v
        ),
        "The bias is ignored.": lambda q, k, v, bias: right(q, k, v, 0),
        "The bias is added before the division: it counts in full.": lambda q, k, v, bias: right(
            q, k, v, bias / math.sqrt(q.shape[-1])
        ),
    }
    return works(answer, right, trials, within=1e-5, slips=slips, because="A weighted mean of values for each query.")


@tells
def test_chapter_01_attention(seed):
    return attends(mine("attend"), hidden=seed)


@tells
def test_chapter_01_the_blind_decoder_fails_at_who_bites():
    share = decoder.who_bites(Decoder(11, mine("attend")))
    return Verdict(
        share <= 0.5, f"A blind decoder cannot be right in {share:.0%}: your attend knows where a key stands."
    )


# ---- Chapter 3


@tells
def test_chapter_03_the_code(seed):
    return chapter_03.odd_code(mine("sinusoidal"), hidden=seed)


@tells
def test_chapter_03_the_code_is_exact(seed):
    return chapter_03.mended(mine("sinusoidal"), hidden=seed)


@tells
def test_chapter_03_the_decoder_knows_who_bites():
    code = mine("sinusoidal")
    share = decoder.who_bites(Decoder(11, mine("attend"), add=lambda positions: code(positions, WIDTH, 100.0)))
    return at_least(share, 0.9, "The decoder reads with your code")


# ---- Chapter 4


@tells
def test_chapter_04_the_shift(seed):
    return chapter_04.shift(mine("shift"), hidden=seed)


# ---- Chapter 6


@tells
def test_chapter_06_the_scale(seed):
    return chapter_06.embed(mine("embed"), hidden=seed)


@exercise(tensors=True)
def learns(answer):
    """The checker of `Learned`."""
    rows, width = 7, 4
    table = call_or_refuse(answer, rows, width)
    if sum(part.numel() for part in table.parameters()) != rows * width:
        raise Refused("A table of 7 rows and 4 columns has 28 parameters: make it a torch.nn.Parameter or Embedding.")
    at = torch.tensor([5, 0, 5])
    found = call_or_refuse(table, at)
    if tuple(found.shape) != (3, width) or not torch.equal(found[0], found[2]) or torch.equal(found[0], found[1]):
        raise Refused("For the positions 5, 0, 5 it should return three rows, of which the first and third are one.")
    found.sum().backward()
    trained = {
        row
        for part in table.parameters()
        for row in part.grad.to_dense().reshape(rows, -1).any(1).nonzero().flatten().tolist()
    }
    if trained != {0, 5}:
        raise Refused(f"Positions 5 and 0 should train the rows 5 and 0; they train {sorted(trained)}.")
    for position, why in ((rows, "do not clamp, and do not begin again"), (-1, "from the end, Python counts on")):
        try:
            table(torch.tensor([position]))
        except IndexError:
            continue
        raise Refused(f"Position {position} has no row: raise IndexError there ({why}).")
    return Verdict(True, "It learns the rows that it meets, and it ends.")


@tells
def test_chapter_06_a_learned_table_ends():
    return learns(mine("Learned"))


# ---- Chapter 7


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
    trials += extra_trials(
        lambda dice: (normal(3, 5, 10), distinct_positions(dice, 5), dice.random() ** torch.arange(5.0).double())
    )
    slips = {
        "All pairs turn at the first one's frequency.": lambda x, at, omega: rope(x, at, omega[:1].expand(len(omega))),
        "The frequencies stand in the reverse order.": lambda x, at, omega: rope(x, at, omega.flip(0)),
        "It turns clockwise: the minus belongs to the first column of a pair.": lambda x, at, omega: rope(
            x, -at, omega
        ),
        "The pairs are columns i and i + d/2 here: asked are 2i and 2i + 1.": lambda x, at, omega: rope(
            x, at, omega, "split-half"
        ),
        "It counts for itself: use the positions that it is given.": lambda x, at, omega: rope(
            x, torch.arange(len(at)), omega
        ),
        "Positions count from 0 here.": lambda x, at, omega: rope(x, at + 1, omega),
        "Only the first pair turns.": lambda x, at, omega: torch.cat([rope(x[..., :2], at, omega[:1]), x[..., 2:]], -1),
        "Nothing turns: x comes back.": lambda x, at, omega: x,
    }
    return works(answer, rope, trials, within=1e-4, slips=slips, because="Each pair has its own angle.")


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


@tells
def test_chapter_07_one_pair(seed):
    rotate = mine("turn")
    return chapter_07.in_place(lambda x, at, angle: rotate(x, at, torch.tensor([float(angle)]).double()), hidden=seed)


@tells
def test_chapter_07_all_pairs(seed):
    return turns_pairs(mine("turn"), hidden=seed)


@tells
def test_chapter_07_what_it_is_given_stays(seed):
    return keeps(mine("turn"), hidden=seed)


@tells
def test_chapter_07_a_test_of_scores(seed):
    return chapter_07.sound(mine("sound"), hidden=seed)


@functools.cache
def reader(path):
    """A decoder that learned to look back with the `turn` of a file."""
    rotate = mine("turn")
    return decoder.look_back(
        Decoder(WORDS, mine("attend"), relate=lambda q, k, at: (rotate(q, at, OMEGA), rotate(k, at, OMEGA), 0))
    )


@tells
def test_chapter_07_the_decoder_looks_back():
    return at_least(decoder.found(reader(FILE)), 0.9, "The decoder turns queries and keys by your turn")


# ---- Chapter 8


@tells
def test_chapter_08_split_half(seed):
    rotate = mine("turn")
    return chapter_08.mended(lambda x, at, omega: rotate(x, at, omega, "split-half"), hidden=seed)


@exercise(tensors=True)
def takes_batches(answer):
    """The checker of `turn` for positions of (batch, time)."""
    trials = [
        (normal(2, 3, 4, 6), torch.tensor([[0, 1, 2, 3], [9, 8, 7, 60]]), torch.tensor([1, 0.3, 0.02]).double(), layout)
        for layout in ("interleaved", "split-half")
    ]
    slips = {
        "All sequences turn by the first one's positions.": lambda x, at, omega, layout: rope(x, at[0], omega, layout),
        "The layout is ignored.": lambda x, at, omega, layout: rope(x, at, omega),
    }
    return works(answer, rope, trials, within=1e-4, slips=slips, because="Each sequence has positions of its own.")


@tells
def test_chapter_08_positions_of_a_batch(seed):
    return takes_batches(mine("turn"), hidden=seed)


@tells
def test_chapter_08_conversion(seed):
    return chapter_08.convert(mine("convert"), hidden=seed)


@tells
def test_chapter_08_the_trained_decoder_runs_in_the_other_layout():
    net, rotate, convert = reader(FILE), mine("turn"), mine("convert")
    tokens = decoder.texts(4, LENGTH, seed=77)
    with torch.no_grad():
        before, kept, related = net(tokens), [part.weight for part in (net.query, net.key)], net.relate
        try:
            for part in (net.query, net.key):
                part.weight = torch.nn.Parameter(convert(part.weight.clone(), HEADS))
            net.relate = lambda q, k, at: (rotate(q, at, OMEGA, "split-half"), rotate(k, at, OMEGA, "split-half"), 0)
            gap = (net(tokens) - before).abs().max().item()
        finally:
            (net.query.weight, net.key.weight), net.relate = kept, related
    return Verdict(
        gap < 1e-3, f"Converted, the trained decoder's logits differ by {gap:.2g}: convert and turn disagree."
    )


@tells
def test_chapter_08_the_cache(seed):
    return chapter_08.step(mine("step"), hidden=seed)


# ---- Chapter 9


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
    slips = {
        "The scores should fall with the distance, not rise.": lambda heads, q, k: -right(heads, q, k),
        "A distance has no sign: keys after the query must not gain.": lambda heads, q, k: (
            -alibi_slopes(heads)[:, None, None] * (q[:, None] - k)
        ),
        "These are the distances of rows and columns: use the positions that are passed.": rows,
        "Each head has a slope of its own.": lambda heads, q, k: right(heads, q, k)[:1].expand(heads, -1, -1),
        "The slopes are missing.": lambda heads, q, k: -(q[:, None] - k).abs().expand(heads, -1, -1),
        "Queries are rows, and keys are columns.": lambda heads, q, k: right(heads, q, k).transpose(1, 2),
    }
    return works(
        answer, right, trials, within=1e-5, slips=slips, because="A slope for each head, a distance for each pair."
    )


@tells
def test_chapter_09_slopes(seed):
    return chapter_09.slopes_for(mine("slopes"), hidden=seed)


@tells
def test_chapter_09_a_bias(seed):
    return biases(mine("bias"), hidden=seed)


# ---- Chapter 10


@tells
def test_chapter_10_longer_texts(seed):
    return chapter_10.yarn(mine("stretched"), hidden=seed)


# ---- Chapter 11


@tells
def test_chapter_11_a_scheme_of_your_own():
    net = decoder.look_back(Decoder(WORDS, mine("attend"), relate=mine("own_scheme")))
    return at_least(decoder.found(net), 0.9, "The decoder reads with your scheme")


# ---- Chapter 12


@pytest.fixture(scope="module")
def released():
    """The released model; without it on this machine, chapter 12 is skipped."""
    real = pytest.importorskip("posenc.real", reason="this version of the course has no released model")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "posenc" / real.FILE
    if not (os.environ.get("POSENC_MODEL") or cache.exists()):
        pytest.skip("the released model is not on this machine: `python -m posenc.real` fetches it, once")
    return real.load()


@tells
def test_chapter_12_inside_a_released_model(released):
    rotate = mine("turn")
    omega = 100_000.0 ** -(torch.arange(0, 64, 2) / 64).double()

    class Yours(Scheme):
        def query_key(self, q, k, q_positions, k_positions):
            return rotate(q, q_positions, omega), rotate(k, k_positions, omega)

    text = "Monday, Tuesday, Wednesday,"
    theirs, yours = (released.generate(text, 6, scheme=scheme) for scheme in (None, Yours()))
    return Verdict(
        yours == theirs, f"After {text!r} the released program writes {theirs!r}, and with your turn {yours!r}."
    )
