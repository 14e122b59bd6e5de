"""Tests of my_positions.py, by chapters: `pytest -k chapter_07`. They are yours to read.

A failure says in a sentence what is wrong. `--seed 12345`, with a number that nobody knows, adds trials of other shapes
and values: a teacher's hidden tests.
"""

import functools
import os
import traceback
from importlib import util
from pathlib import Path

import checkers
import decoder
import pytest
import torch
from decoder import HEADS, LENGTH, OMEGA, WIDTH, WORDS, Decoder

from posenc.checks import (
    OPEN,
    Refused,
    Verdict,
    chapter_03,
    chapter_04,
    chapter_06,
    chapter_07,
    chapter_08,
    chapter_09,
    chapter_10,
    describe,
    is_blank,
)
from posenc.doors import Scheme

FILE = Path(__file__).with_name("my_positions.py")


# ---- your file, and how it is told what is wrong


@functools.cache
def load(path):
    """The module at a path, or the sentence why it cannot be used: once for all tests, also where it does not end."""
    module = util.module_from_spec(util.spec_from_file_location("my_positions", path))
    try:
        path.read_text(encoding="utf-8")
        module.__spec__.loader.exec_module(module)
    except SyntaxError as problem:
        return f"{path.name} is no Python: line {problem.lineno}, {problem.msg}."
    except (OSError, UnicodeDecodeError) as problem:
        return f"{path.name} cannot be read: {describe(problem)}."
    except (Exception, SystemExit) as problem:
        return f"{path.name} stops while it is imported: {describe(problem)}."
    return module


def from_file(name):
    """A function or class of your file. Raises Refused where there is none yet."""
    if isinstance(module := load(FILE), str):
        raise Refused(module)
    thing = getattr(module, name, None)
    if not callable(thing):
        raise Refused(f"{FILE.name} has no {name}: keep the names of the file as you got it.")
    if is_blank(thing):
        raise Refused(f"{name}: {OPEN}")
    return thing


def judged(test):
    """Make a test of a function that returns a Verdict: what is wrong is all that pytest prints."""

    @functools.wraps(test)
    def fail_or_pass(*arguments, **options):
        try:
            verdict = test(*arguments, **options)
        except Refused as refused:
            verdict = Verdict(False, str(refused))
        except Exception as problem:
            calls = traceback.extract_tb(problem.__traceback__)
            lines = [f" (line {call.lineno} of {FILE.name})" for call in calls if call.filename == str(FILE)]
            sentence = f"With your functions the decoder stops: {describe(problem)}{''.join(lines[-1:])}."
            verdict = Verdict(False, sentence)
        if not verdict:  # also where a test forgot its return
            pytest.fail(verdict.message, pytrace=False)

    return fail_or_pass


def at_least(share, least, what):
    """The Verdict on a share of right answers."""
    return Verdict(share >= least, f"{what}: it is right in {share:.0%}, and {least:.0%} can be had.")


def one_pair(rotate):
    """A turn of rows, as chapter 7 asks for it: of one pair, by one angle a position."""
    return lambda x, positions, angle: rotate(x, positions, torch.tensor([float(angle)]).double())


def split_half(rotate):
    """A turn of rows in the layout that chapter 8 asks for."""
    return lambda x, positions, omega: rotate(x, positions, omega, "split-half")


# What a checker of the book, or one of `checkers`, says of a function of yours; some are asked in another form.
CHECKS = {
    "chapter_01_attention": (checkers.attends, "attend"),
    "chapter_03_the_code": (chapter_03.odd_code, "sinusoidal"),
    "chapter_03_the_code_is_exact": (chapter_03.mended, "sinusoidal"),
    "chapter_04_the_shift": (chapter_04.shift, "shift"),
    "chapter_06_the_scale": (chapter_06.embed, "embed"),
    "chapter_06_a_learned_table_ends": (checkers.learns, "Learned"),
    "chapter_07_one_pair": (chapter_07.in_place, "turn", one_pair),
    "chapter_07_all_pairs": (checkers.turns_pairs, "turn"),
    "chapter_07_what_it_is_given_stays": (checkers.keeps, "turn"),
    "chapter_07_a_test_of_scores": (chapter_07.sound, "sound"),
    "chapter_08_split_half": (chapter_08.mended, "turn", split_half),
    "chapter_08_positions_of_a_batch": (checkers.takes_batches, "turn"),
    "chapter_08_conversion": (chapter_08.convert, "convert"),
    "chapter_08_the_cache": (chapter_08.step, "step"),
    "chapter_09_slopes": (chapter_09.slopes_for, "slopes"),
    "chapter_09_a_bias": (checkers.biases, "bias"),
    "chapter_10_longer_texts": (chapter_10.yarn, "stretched"),
}


# A test that has no word for what easier ones say better.
EASIER = {"chapter_03_the_code_is_exact": ["chapter_03_the_code"]} | {
    f"chapter_{name}": ["chapter_07_one_pair", "chapter_07_all_pairs"]
    for name in ("07_what_it_is_given_stays", "08_split_half", "08_positions_of_a_batch", "08_the_cache")
}


def verdict_on(name, seed=0):
    """The Verdict of a test of `CHECKS`; where an easier one fails too, with its sentence."""
    checker, function, *form = CHECKS[name]
    answer = from_file(function)
    verdict = checker(form[0](answer) if form else answer, hidden=seed)
    for easier in () if verdict else EASIER.get(name, ()):
        if not (first := verdict_on(easier, seed)):
            return Verdict(False, f"{CHECKS[easier][1]} is not right yet, and this needs it: {first.message}")
    return verdict


@pytest.mark.parametrize("name", CHECKS)
@judged
def test_function(name, seed):
    return verdict_on(name, seed)


# ---- the decoder with your functions


@judged
def test_chapter_01_the_blind_decoder_fails_at_who_bites():
    share = decoder.who_bites(Decoder(11, from_file("attend")))
    return Verdict(
        share <= 0.5, f"A blind decoder cannot be right in {share:.0%}: your attend knows where a key stands."
    )


@judged
def test_chapter_03_the_decoder_knows_who_bites():
    code = from_file("sinusoidal")
    share = decoder.who_bites(Decoder(11, from_file("attend"), add=lambda positions: code(positions, WIDTH, 100.0)))
    return at_least(share, 0.9, "The decoder reads with your code")


@functools.cache
def reader(path):
    """A decoder that learned to look back with the `turn` of a file."""
    rotate = from_file("turn")
    return decoder.look_back(
        Decoder(WORDS, from_file("attend"), relate=lambda q, k, at: (rotate(q, at, OMEGA), rotate(k, at, OMEGA), 0))
    )


@judged
def test_chapter_07_the_decoder_looks_back():
    return at_least(decoder.share_named(reader(FILE)), 0.9, "The decoder turns queries and keys by your turn")


@judged
def test_chapter_08_the_trained_decoder_runs_in_the_other_layout():
    net, rotate, convert = reader(FILE), from_file("turn"), from_file("convert")
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


@judged
def test_chapter_11_a_scheme_of_your_own():
    net = decoder.look_back(Decoder(WORDS, from_file("attend"), relate=from_file("own_scheme")))
    return at_least(decoder.share_named(net), 0.9, "The decoder reads with your scheme")


@pytest.fixture(scope="module")
def released():
    """The released model; without it on this machine, chapter 12 is skipped."""
    real = pytest.importorskip("posenc.real", reason="the course's package is not installed with [real]")
    real_file = pytest.importorskip("posenc.real_file")
    if not (os.environ.get("POSENC_MODEL") or real_file.cache_file().exists()):
        pytest.skip("the released model is not on this machine: `python -m posenc.real` fetches it, once")
    return real.load()


@judged
def test_chapter_12_inside_a_released_model(released, capsys):
    if not (small := verdict_on("chapter_07_what_it_is_given_stays")):  # texts do not say which way it turns
        return small
    rotate = from_file("turn")
    omega = 100_000.0 ** -(torch.arange(0, 64, 2) / 64).double()

    class Yours(Scheme):
        def query_key(self, q, k, q_positions, k_positions):
            return rotate(q, q_positions, omega), rotate(k, k_positions, omega)

    text = "Monday, Tuesday, Wednesday,"
    theirs, yours = (released.generate(text, 6, scheme=scheme) for scheme in (None, Yours()))
    both = f"After {text!r} the released program writes {theirs!r}, and with your turn {yours!r}."
    with capsys.disabled():
        print(f"\n{both}")
    return Verdict(yours == theirs, both)
