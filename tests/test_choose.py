"""The pages of choices and of questions: numbers, lines to copy, links, and the words that lead there."""

import math
import re
import warnings

import pytest
import torch

from coursebook.content import ROOT, notebooks
from coursebook.sphinx.directives.models_facts import load
from posenc import frequencies, scaling
from posenc.lab import results
from posenc.numeric import grouped

NAMES = ("choose", "choose_rare", "questions")
PAGES = {name: (ROOT / "book" / f"{name}.md").read_text(encoding="utf-8") for name in NAMES}
WORDS = re.sub(r"\s+", " ", " ".join(PAGES.values()))
NUMBER = r"(\d[\d ]*(?: million)?)"
CASE = re.compile(r"(?:^\(case-\w+\)=\n)+### .*\n", re.MULTILINE)
FOLD = re.compile(r'^<details class="fold"><summary>Evidence.*?</summary>\n(.*?)^</details>$', re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CASES = [(page, text) for page in ("choose", "choose_rare") for text in CASE.split(PAGES[page])[1:]]
BLOCKS = [(name, number, code) for name in NAMES for number, code in enumerate(BLOCK.findall(PAGES[name]))]


def read(words):
    digits, million, _ = words.partition(" million")
    return int(digits.replace(" ", "")) * (10**6 if million else 1)


def suffices(width, base, length):
    return scaling.kept_to(frequencies.geometric(width, float(base)), length) == length


def test_every_base_of_the_page_suffices():
    bases = []
    for width, pairs in re.findall(r"\| base, width (\d+) \| (.*?) \|", PAGES["choose"]):
        for base, length in re.findall(f"{NUMBER} for {NUMBER}", pairs):
            bases.append((int(width), read(base), read(length)))
    assert len(bases) == 9
    for sentence, width, length in (
        ("at width 128 the base 500 000 for 16 384 tokens, " + f"{NUMBER} for 131 072", 128, 131072),
        (f"a larger base alone \\| {NUMBER} at width 128", 128, 131072),
        (f"decoders of text, {NUMBER} suffices for these at width 64", 64, 50 * 30),
        (f"DNA at 100K bases is a long text: {NUMBER} at width 64", 64, 100_000),
        (f"{NUMBER} is enough for a window of 128 tokens", 64, 128),
        (f"{NUMBER} is enough for a window of 128 tokens", 128, 128),
    ):
        bases.append((width, read(re.search(sentence, WORDS)[1]), length))
    assert [case for case in bases if not suffices(*case)] == []


def test_the_price_of_a_larger_base_is_counted():
    turning = [int((32 * frequencies.geometric(128, base) > 0.5).sum()) for base in (1e4, 5e5, 1e7, 1e9)]
    words = "of 64 pairs, {} turn more than half a radian in 32 tokens at 10 000, {} at 500 000, {} at 10 million, "
    words += "{} at a billion"
    assert words.format(*turning) in WORDS


def test_a_smaller_base_may_do_and_a_larger_one_may_reach_less_far():
    assert "Llama 2 has 10 000 at 4096, where the rule ends at 1707. A larger one may reach less far" in WORDS
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
        assert f"{number:.3f}" in PAGES["choose"]
    assert r"b = (\text{span}/(\pi \cdot \text{shortest}))^{d/(d-2)}" in WORDS
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


def bases_of(layers):
    return layers["sliding_attention"].base, layers["full_attention"].base


def test_two_kinds_of_layers_are_as_the_page_of_models_has_them():
    layers = {model["name"]: model["layers"] for model in load()["models"]}
    assert "have a larger base (Gemma 3: 10 000 and 1 million)" in WORDS
    assert bases_of(layers["Gemma 3 12B"]) == (1e4, 1e6)
    (bert,) = (model["layers"] for model in load()["models"] if model["config"]["model_type"] == "modernbert")
    near, far = map(grouped, bases_of(bert))
    assert f"{far} in layers that see all and {near} in those with a window" in WORDS
    assert "turn only their fast pairs (Gemma 4), or have no positions at all (EXAONE 4, Muse Spark)" in WORDS
    assert layers["Gemma 4 26B"]["full_attention"].rule == "proportional"
    for name in ("EXAONE 4.0 32B", "Muse Spark"):
        assert layers[name]["full_attention"].scheme == "NoPE"
        assert layers[name]["sliding_attention"].window


@pytest.mark.parametrize(("page", "text"), CASES)
def test_each_case_says_why_how_to_test_it_and_what_is_proved(page, text):
    (evidence,) = FOLD.findall(text)
    shown = FOLD.sub("", text)
    if page == "choose":
        assert re.search(r"^\|---", shown, re.MULTILINE), "numbers, as a table"
        (code,) = BLOCK.findall(shown)
        assert "assert" in code or "print" in code
    assert re.search(r"\{ref\}`test-|^Test: ", shown, re.MULTILINE)
    kinds = {name: card.kind for chapter in notebooks() for name, card in chapter.results.items()}
    said = dict(re.findall(r"^- \*\*(Proved|Measured):\*\*(.*?)(?=\n- |\Z)", evidence, re.MULTILINE | re.DOTALL))
    for word, line in said.items():
        assert {kinds[name] for name in re.findall(r"<result-([\w-]+)>", line)} <= {word.lower()}, line
    assert "<result-" in said["Proved"]


@pytest.mark.parametrize(("name", "number", "code"), BLOCKS, ids=[f"{name}-{number}" for name, number, _ in BLOCKS])
def test_lines_to_copy_run_as_they_stand(name, number, code):
    assert max(map(len, code.splitlines())) < 80
    torch.manual_seed(number)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="flex_attention called without torch.compile")
        exec(compile(code, f"{name}.md, block {number}", "exec"), {})


def test_each_word_that_people_use_leads_to_one_place():
    lines = [line for page in PAGES.values() for line in re.findall(r"^```\{index\} (.*)$", page, re.MULTILINE)]
    entries = [entry.strip() for line in lines for entry in line.split(",")]
    assert len(set(entries)) == len(entries)
    assert all(entry.startswith("! ") for entry in entries), "the search lists other entries last"
