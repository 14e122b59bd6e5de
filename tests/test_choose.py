"""The page of choices: its numbers, what it says of released models, its answers and its links."""

import itertools
import json
import math
import re
from pathlib import Path

import choose
import pytest
import torch
import yaml

from posenc import frequencies, scaling
from posenc.numeric import grouped

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "book" / "choose.md").read_text(encoding="utf-8")
WORDS = re.sub(r"\s+", " ", PAGE)
MODELS = yaml.safe_load((ROOT / "book" / "models.yml").read_text(encoding="utf-8"))["models"]
FORM = yaml.safe_load(re.search(r"```\{chooser\}\n(.*?)```", PAGE, re.DOTALL)[1])
CASES = re.findall(r"^\((case-\w+)\)=\n### ", PAGE, re.MULTILINE)
TERMS = ["Take", "Why", "Numbers", "Must it train?", "Models do", "Test", "Evidence"]


def told(kind):
    """{model: what the page says that it has}, of all lines together."""
    return {
        model["name"]: (said, has)
        for said, found in choose.deployed(kind) for has, alike in found.items() for model in alike
    }  # fmt: skip


def where(fits):
    return {model["name"] for model in MODELS if fits(model, model["config"])}


def rules(config):
    return config.get("rope_scaling") or config.get("rope_parameters") or {}


@pytest.mark.parametrize(
    ("kind", "fits"),
    [
        ("images", lambda model, config: "mrope_section" in rules(config)),
        ("hybrid", lambda model, config: "recurrent" in model.get("besides", "")),
        ("latent", lambda model, config: "qk_nope_head_dim" in config and not config.get("mla_use_nope")),
        ("untrained", lambda model, config: "trained" in model),
        ("words", lambda model, config: "d_rel" in config),
        ("encoder", lambda model, config: config["model_type"] in ("t5", "modernbert")),
        ("nope", lambda model, config: config["model_type"] in ("llama4_text", "exaone4", "muse_spark_text")
         or 0 in config.get("no_rope_layers", ())),
        ("growing", lambda model, config: rules(config).get("llama_4_scaling_beta")
         or config["model_type"] == "llama4_text"),
    ],
)  # fmt: skip
def test_each_kind_has_the_models_that_the_list_has(kind, fits):
    assert told(kind).keys() == where(fits) != set()


def test_what_is_said_of_a_model_is_what_its_config_says():
    stretched = told("extend")
    for model in MODELS:
        given = rules(model["config"])
        if given.get("rope_type", given.get("type")) == "yarn":
            assert stretched[model["name"]] == ("YaRN", f"s = {given['factor']:g}")
        if "mrope_section" in given:
            words = told("images")[model["name"]][1]
            assert [int(number) for number in re.findall(r"\d+", words)] == given["mrope_section"]
            assert words.endswith("interleaved") == given.get("mrope_interleaved", False)
    assert told("hybrid").items() >= {
        "Nemotron 3 Ultra": ("No positions in attention", ""),
        "Kimi K3": ("No positions in attention", ""),
        "Qwen3.5 397B": ("RoPE in attention", "64 of 256 columns"),
    }.items()


def test_new_decoders_are_counted_once():
    (said, _), *_ = choose.deployed("new")
    total, turning = map(int, re.findall(r"\d+", said)[:1] + re.findall(r"since \d+, (\d+)", said))
    recent = where(lambda model, config: model["year"] >= 2024 and config["model_type"] != "modernbert")
    assert total == len(recent)
    assert total == turning + len({name for name in told("new")})


def test_a_kind_without_models_is_not_named(monkeypatch):
    monkeypatch.setattr(choose, "all_read", list)
    assert choose.deployed("extend") == []


@pytest.mark.parametrize(
    ("length", "said"), [(8192, 1.4e5), (32768, 1e6), pytest.param(131072, 1e7, marks=pytest.mark.slow)]
)
def test_the_least_bases_of_the_page_are_those_of_the_package(length, said):
    bounds = "at least about 140 000 for 8192 tokens, a million for 32 768 and ten million for 131 072"
    assert bounds in WORDS
    assert said == pytest.approx(scaling.least_base(128, length), rel=0.06)


def test_numbers_of_the_page_are_those_of_the_package():
    enough = round(scaling.kept_to(frequencies.geometric(128, 5e5), 20000), -3)
    assert f"500 000 is enough up to about {grouped(enough)}" in WORDS
    assert scaling.kept_to(frequencies.geometric(64, 1e4), 4096) > 128
    for factor in (16, 4):
        assert f"{scaling.yarn_attention(factor):.3f}" in PAGE
    assert f"{scaling.yarn_attention(16) ** 2:.3f}" in PAGE
    assert math.isclose(131072 / 8192, 16)
    assert f"at least about {grouped(int(round(scaling.least_base(64, 50 * 30), -3)))} at width 64" in WORDS


def test_numbers_of_events_in_time():
    base = (8192 / math.pi) ** (128 / 126)
    assert frequencies.geometric(128, base)[-1] * 8192 == pytest.approx(math.pi)
    rule, here = round(scaling.least_base(128, 8192), -3), round(base / 50) * 50
    assert f"about {grouped(int(rule))}, where half a turn needs about {here}." in WORDS
    now = torch.tensor(1.7e9)
    step = torch.nextafter(now, now * 2) - now
    assert f"rounds seconds since 1970 to multiples of {step:.0f}" in WORDS


def test_bases_of_modernbert():
    (config,) = (model["config"] for model in MODELS if model["config"]["model_type"] == "modernbert")
    all_seen, near = (rules(config)[kind]["rope_theta"] for kind in ("full_attention", "sliding_attention"))
    assert f"{grouped(int(all_seen))} in layers that see all and {grouped(int(near))} in those with a window" in WORDS


def test_no_line_begins_like_a_comment():
    assert re.findall(r"^ *%.*", PAGE, re.MULTILINE) == [], "MyST drops a line that begins with a per cent sign"


def test_each_case_has_every_term():
    for section in re.split(r"^\(case-\w+\)=\n", PAGE.partition("\n## What 2025")[0], flags=re.MULTILINE)[1:]:
        assert re.findall(r"^([^\s:#`].*)\n: ", section, re.MULTILINE) == TERMS, section[:40]
        assert "**Proved:**" in section


def test_every_triple_of_options_has_an_answer_and_every_case_is_one():
    options = [list(question["options"]) for question in FORM["questions"].values()]
    reached = set()
    for said in itertools.product(*options):
        fits = [
            rule for rule in FORM["answers"]
            if not rule.get("also")
            and all(value in rule.get(name, [value]) for name, value in zip(FORM["questions"], said, strict=True))
        ]  # fmt: skip
        assert fits, said
        reached.add(fits[0]["case"])
    assert reached == set(CASES)
    assert {rule["case"] for rule in FORM["answers"]} == set(CASES)


def test_links_to_cards_and_recipes_lead_somewhere():
    cells = [
        cell for path in (ROOT / "notebooks").glob("*.ipynb")
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
    ]  # fmt: skip
    outputs = [output.get("data", {}) for cell in cells for output in cell.get("outputs", ())]
    mime = "application/vnd.posenc.result+json"
    kinds = {data[mime]["id"]: data[mime]["kind"] for data in outputs if mime in data}
    assert set(re.findall(r"<result-([\w-]+)>", PAGE)) <= kinds.keys()
    for line in re.findall(r"\*\*Proved:\*\*(.*?)(?=\n  - \*\*|\n\n)", PAGE, re.DOTALL):
        cards = re.findall(r"<result-([\w-]+)>", line)
        assert [name for name in cards if kinds[name] != "proved"] == []
        assert cards, line
    theorems = (ROOT / "book" / "every_size.md").read_text(encoding="utf-8")
    for name in re.findall(r"<theorem-(\w+)>", PAGE):
        assert f"```{{theorem}} {name}\n" in theorems
    recipes = (ROOT / "book" / "recipes.md").read_text(encoding="utf-8")
    for name in set(re.findall(r"\{ref\}`(test-\w+|read-a-config)`", PAGE)):
        assert f"({name})=" in recipes
