"""The page of choices: its numbers, its terms and its links."""

import math
import re

import pytest
import torch
from models_facts import ROOT, load
from results import results_of

from posenc import frequencies, scaling
from posenc.lab import results
from posenc.numeric import grouped

PAGE = (ROOT / "book" / "choose.md").read_text(encoding="utf-8")
WORDS = re.sub(r"\s+", " ", PAGE)
TERMS = ["Take", "Why", "Numbers", "Must it train?", "Test", "Evidence"]
OPTIONAL = "Must it train?"  # where there is something to say
NUMBER = r"(\d[\d ]*(?: million)?)"


def read(words):
    digits, million, _ = words.partition(" million")
    return int(digits.replace(" ", "")) * (10**6 if million else 1)


def suffices(width, base, length):
    return scaling.kept_to(frequencies.geometric(width, float(base)), length) == length


def test_every_base_of_the_page_suffices():
    line = re.search(r"Bases that suffice by (.*?) It is a rule of thumb", WORDS)[1]
    bases = []
    for width, pairs in re.findall(r"at width (\d+), (.*?)[;.]", line):
        for base, length in re.findall(f"{NUMBER} for {NUMBER}", pairs):
            bases.append((int(width), read(base), read(length)))
    assert len(bases) == 9
    for sentence, width, length in (
        (f"With a larger base alone: {NUMBER} at width 128", 128, 131072),
        (f"decoders of text, {NUMBER} suffices for these at width 64", 64, 50 * 30),
        (f"DNA at 100K bases: {NUMBER} at width 64", 64, 100_000),
        (f"{NUMBER} is enough for a window of 128 tokens", 64, 128),
        (f"{NUMBER} is enough for a window of 128 tokens", 128, 128),
    ):
        bases.append((width, read(re.search(sentence, WORDS)[1]), length))
    assert [case for case in bases if not suffices(*case)] == []


def test_a_smaller_base_may_do_and_a_larger_one_may_reach_less_far():
    assert "Llama 2 has 10 000 at 4096, where the rule ends at 1707), a larger one may reach less far" in WORDS
    assert scaling.kept_to(frequencies.geometric(128, 1e4), 4096) == 1707
    assert suffices(128, 10**7, 100_000)
    assert not suffices(128, 1.2 * 10**7, 100_000)


def test_a_larger_base_shows_new_angles_unless_it_is_very_large():
    before = 8192 * frequencies.geometric(128, 500_000.0)
    slow = before < 2 * math.pi

    def past(base):
        return (131_072 * frequencies.geometric(128, base) / before)[slow]

    new = past(1e7)
    assert f"after 500 000, {int((new > 1).sum())} of the {slow.sum()} pairs that had not been round" in WORDS
    assert f"by a factor of at most {new.max():.2f}, and none does from about 80 million on" in WORDS
    assert past(7.95e7).max() > 1 > past(8e7).max()


def test_numbers_of_the_page_are_computed_anew():
    for number in (scaling.yarn_attention(16), scaling.yarn_attention(4), scaling.yarn_attention(16) ** 2):
        assert f"{number:.3f}" in PAGE
    assert r"b = (\text{span}/(\pi \cdot \text{shortest}))^{d/(d-2)}" in PAGE
    minutes = 30 * 24 * 60
    wide, narrow = ((minutes / math.pi) ** (width / (width - 2)) for width in (64, 32))
    bases = f"about {grouped(round(wide, -2))} for 64 columns, and {grouped(round(narrow, -3))} for 32."
    assert f"From a minute to 30 days, $b$ is {bases}" in WORDS
    assert frequencies.geometric(64, wide)[-1] * minutes == pytest.approx(math.pi)
    columns = 64 // 3 // 2 * 2
    assert f"an axis has {columns} and {64 - 3 * columns} do not turn" in WORDS
    assert f"from 0.1 m to 10 m the base is about {(100 / math.pi) ** (columns / (columns - 2)):.0f}." in WORDS
    now, near = torch.tensor(1.7e9), torch.tensor(1000.0, dtype=torch.float16)
    assert f"rounds seconds since 1970 to multiples of {torch.nextafter(now, now * 2) - now:.0f}" in WORDS
    assert torch.nextafter(near, near * 2) - near == 0.5
    assert "in float16 angles near 1000 lie half a radian apart" in WORDS


def test_what_is_said_of_exact_tasks_is_what_the_runs_say():
    runs = list(results.runs())
    far = {task: results.shares(runs, task, results.LONGEST) for task in ("ago", "copy")}
    words = "RoPE answers {RoPE:.2f} of *ago*, T5 {T5:.2f}, CoPE {CoPE:.2f}"
    assert words.format(**{name: sum(row) / len(row) for name, row in far["ago"].items()}) in WORDS
    assert max(max(row) for row in far["copy"].values()) < 2 / 3
    assert results.LONGEST == 4 * results.TRAINED


def test_bases_of_modernbert():
    (model,) = (model for model in load()["models"] if model["config"]["model_type"] == "modernbert")
    far, near = (grouped(model["layers"][kind].base) for kind in ("full_attention", "sliding_attention"))
    assert f"{far} in layers that see all and {near} in those with a window" in WORDS


def test_each_case_is_linked_has_its_terms_in_one_order_and_says_what_is_proved():
    assert re.findall(r"^ *%.*", PAGE, re.MULTILINE) == [], "MyST drops a line that begins with a per cent sign"
    table, _, rest = PAGE.partition("\n## The cases")
    cases = re.split(r"^\((case-\w+)\)=\n", rest.partition("\n## What 2025")[0], flags=re.MULTILINE)[1:]
    assert sorted(re.findall(r"^\| [^|]+ \| \{ref\}`(case-\w+)` \|$", table, re.MULTILINE)) == sorted(cases[::2])
    notebooks = map(results_of, (ROOT / "notebooks").glob("*.ipynb"))
    kinds = {name: card["kind"] for cards in notebooks for name, card in cards.items()}
    for section in cases[1::2]:
        terms = re.findall(r"^([^\s:#`].*)\n: ", section, re.MULTILINE)
        assert terms == [term for term in TERMS if term in terms or term != OPTIONAL], section[:40]
        (line,) = re.findall(r"\*\*Proved:\*\*(.*?)(?=\n  - \*\*|\n\n)", section, re.DOTALL)
        assert {kinds[name] for name in re.findall(r"<result-([\w-]+)>", line)} == {"proved"}, line
