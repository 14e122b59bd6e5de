"""The page of choices: its numbers, its terms and its links."""

import math
import re

import pytest
import torch
import yaml
from models_facts import ROOT
from results import results_of

from posenc import frequencies, scaling
from posenc.lab import results
from posenc.numeric import grouped

PAGE = (ROOT / "book" / "choose.md").read_text(encoding="utf-8")
WORDS = re.sub(r"\s+", " ", PAGE)
MODELS = yaml.safe_load((ROOT / "book" / "models.yml").read_text(encoding="utf-8"))["models"]
TERMS = ["Take", "Why", "Numbers", "Must it train?", "Test", "Evidence"]
OPTIONAL = "Must it train?"  # where there is something to say


def rules(config):
    return config.get("rope_scaling") or config.get("rope_parameters") or {}


NUMBER = r"(\d[\d ]*(?: million)?)"


def read(said):
    digits, million, _ = said.partition(" million")
    return int(digits.replace(" ", "")) * (10**6 if million else 1)


def suffices(width, base, length):
    return scaling.kept_to(frequencies.geometric(width, float(base)), length) == length


def test_every_base_of_the_page_suffices():
    line = re.search(r"Bases that suffice by (.*?) It is a rule of thumb", WORDS)[1]
    found = []
    for width, bases in re.findall(r"at width (\d+), (.*?)[;.]", line):
        found += [(int(width), read(base), read(far)) for base, far in re.findall(f"{NUMBER} for {NUMBER}", bases)]
    lengths = {128: (8192, 16384, 32768, 131072), 64: (1024, 2048, 8192, 16384, 131072)}
    assert [(width, far) for width, _, far in found] == [(width, far) for width in lengths for far in lengths[width]]
    alone = read(re.search(f"With a larger base alone: {NUMBER} at width 128", WORDS)[1])
    audio = read(re.search(f"decoders of text, {NUMBER} suffices for these at width 64", WORDS)[1])
    genes = read(re.search(f"DNA at 100K bases: {NUMBER} at width 64", WORDS)[1])
    found += [(128, alone, 131072), (64, audio, 50 * 30), (64, genes, 100_000)]
    for width, base, length in found:
        assert suffices(width, base, length), (width, base, length)
    near = read(re.search(f"{NUMBER} is enough for a window of 128 tokens", WORDS)[1])
    assert suffices(64, near, 128)
    assert suffices(128, near, 128)


def test_a_smaller_base_may_do_and_a_larger_one_may_reach_less_far():
    assert "Llama 2 has 10 000 at 4096, where the rule ends at 1707), a larger one may reach less far" in WORDS
    assert scaling.kept_to(frequencies.geometric(128, 1e4), 4096) == 1707
    assert suffices(128, 10**7, 100_000)
    assert not suffices(128, 1.2 * 10**7, 100_000)


def test_a_larger_base_shows_new_angles_unless_it_is_very_large():
    trained, served = 8192, 131_072
    before = trained * frequencies.geometric(128, 500_000.0)
    slow = before < 2 * math.pi

    def past(base):
        return (served * frequencies.geometric(128, base) / before)[slow]

    new = past(1e7)
    count, most = int((new > 1).sum()), new.max()
    assert f"after 500 000, {count} of the {slow.sum()} pairs that had not been round" in WORDS
    assert f"by a factor of at most {most:.2f}, and none does from about 80 million on" in WORDS
    assert past(7.95e7).max() > 1 > past(8e7).max()


def test_numbers_of_the_page_are_those_of_the_package():
    for factor in (16, 4):
        assert f"{scaling.yarn_attention(factor):.3f}" in PAGE
    assert f"{scaling.yarn_attention(16) ** 2:.3f}" in PAGE


def test_numbers_of_events_in_time():
    assert r"b = (\text{span}/(\pi \cdot \text{shortest}))^{d/(d-2)}" in PAGE
    shortest, span = 60, 30 * 24 * 3600
    base = (span / (math.pi * shortest)) ** (64 / 62)
    half = (span / (math.pi * shortest)) ** (32 / 30)
    assert (
        f"From a minute to 30 days, $b$ is about {grouped(round(base, -2))} for 64 columns, "
        f"and {grouped(round(half, -3))} for 32." in WORDS
    )
    speeds = frequencies.geometric(64, base)  # of a position that counts shortest intervals
    assert speeds[0] == 1
    assert speeds[-1] * span / shortest == pytest.approx(math.pi)
    now = torch.tensor(1.7e9)
    step = torch.nextafter(now, now * 2) - now
    assert f"rounds seconds since 1970 to multiples of {step:.0f}" in WORDS


def test_numbers_of_points_images_and_low_precision():
    columns = 64 // 3 // 2 * 2
    base = (10 / (math.pi * 0.1)) ** (columns / (columns - 2))
    assert f"an axis has {columns} and {64 - 3 * columns} do not turn" in WORDS
    assert f"from 0.1 m to 10 m the base is about {base:.0f}." in WORDS
    assert math.floor(64 / (2 * math.pi)) == 10
    assert "64 rows are ten turns of the fastest pair" in WORDS
    near = torch.tensor(1000.0, dtype=torch.float16)
    assert torch.nextafter(near, near * 2) - near == 0.5
    assert "in float16 angles near 1000 lie half a radian apart" in WORDS


def test_what_is_said_of_exact_tasks_is_what_the_runs_say():
    runs = list(results.runs())
    far = {task: results.shares(runs, task, results.LONGEST) for task in ("ago", "copy")}
    said = "RoPE answers {RoPE:.2f} of *ago*, T5 {T5:.2f}, CoPE {CoPE:.2f}"
    assert said.format(**{name: sum(row) / len(row) for name, row in far["ago"].items()}) in WORDS
    assert max(max(row) for row in far["copy"].values()) < 2 / 3
    assert results.LONGEST == 4 * results.TRAINED


def test_bases_of_modernbert():
    (config,) = (model["config"] for model in MODELS if model["config"]["model_type"] == "modernbert")
    all_seen, near = (rules(config)[kind]["rope_theta"] for kind in ("full_attention", "sliding_attention"))
    assert f"{grouped(int(all_seen))} in layers that see all and {grouped(int(near))} in those with a window" in WORDS


def test_no_line_begins_like_a_comment():
    assert re.findall(r"^ *%.*", PAGE, re.MULTILINE) == [], "MyST drops a line that begins with a per cent sign"


def test_each_case_has_its_terms_in_one_order():
    for section in re.split(r"^\(case-\w+\)=\n", PAGE.partition("\n## What 2025")[0], flags=re.MULTILINE)[1:]:
        terms = re.findall(r"^([^\s:#`].*)\n: ", section, re.MULTILINE)
        assert terms == [term for term in TERMS if term in terms or term != OPTIONAL], section[:40]
        assert "**Proved:**" in section


def test_the_table_leads_to_every_case():
    table, _, rest = PAGE.partition("\n## The cases")
    cases = re.findall(r"^\((case-\w+)\)=\n### ", rest, re.MULTILINE)
    linked = re.findall(r"^\| [^|]+ \| \{ref\}`(case-\w+)` \|$", table, re.MULTILINE)
    assert sorted(linked) == sorted(cases) != []


def test_what_is_said_to_be_proved_is():
    cards_of = map(results_of, (ROOT / "notebooks").glob("*.ipynb"))
    kinds = {name: card["kind"] for cards in cards_of for name, card in cards.items()}
    for line in re.findall(r"\*\*Proved:\*\*(.*?)(?=\n  - \*\*|\n\n)", PAGE, re.DOTALL):
        cards = re.findall(r"<result-([\w-]+)>", line)
        assert {kinds[name] for name in cards} == {"proved"}, line
