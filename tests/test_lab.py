"""The lab: the truth of each task, what a run holds, and a plan that makes what is missing."""

import json
from collections import Counter

import pytest
import torch

from posenc.lab import entrants, plan, results, tasks, training
from posenc.lab.tasks import MARK, NONE, TASKS

SMALL = training.Budget(steps=20, batch=4, tests=1)


def text_and_answers(name, length, batch=8, seed=5):
    tokens, answers = TASKS[name](batch, length, torch.Generator().manual_seed(seed))
    return tokens.tolist(), answers.tolist()


def truth(name, text):
    """The answers to one text, found with lists and loops."""
    n = len(text)
    if name in ("ago", "ago-unmasked"):
        return [text[at - 5] if at >= 5 else NONE for at in range(n)]
    if name in ("copy", "copy-repeats"):
        sign = {"copy": tasks.LETTERS, "copy-repeats": 4}[name]
        start = max(at for at in range(n) if text[at] == sign)
        letters = text[start - n // 2 : start]
        assert text[start + 1 :] == letters[:-1]
        return [NONE] * start + letters
    if name == "distance":
        distances = [[k for k in range(at + 1) if text[at - k] == MARK] for at in range(n)]
        return [each[0] if each and each[0] < MARK else NONE for each in distances]
    if name == "count":
        return [text[: at + 1].count(MARK) for at in range(n)]
    if name == "flip-flop":
        start, written, answers = n % 2, None, [NONE] * n
        assert text[-2] == 4, "the last pair reads"
        for at in range(start, n, 2):
            word, bit = text[at : at + 2]
            written = bit if word == 2 else written
            if word == 4:
                answers[at] = written
                assert bit == written, "a read tells the truth"
        return answers
    if name == "majority":
        counts = [Counter(text[: at + 1]) for at in range(n)]
        return [NONE if c[0] == c[1] else int(c[1] > c[0]) for c in counts]
    raise KeyError(name)


@pytest.mark.parametrize("name", [name for name in TASKS if name != "characters"])
@pytest.mark.parametrize("length", [8, 13, 96])
def test_the_truth_of_a_task_is_right(name, length):
    texts, answers = text_and_answers(name, length)
    assert {len(text) for text in texts} == {length}
    assert answers == [truth(name, text) for text in texts]
    assert max(map(max, texts)) < TASKS[name].vocabulary
    assert any(answer != NONE for row in answers for answer in row)


def test_a_copy_has_no_letter_twice_unless_it_may():
    texts, _ = text_and_answers("copy", 96)
    assert all(len(set(text[:48])) == 48 for text in texts)
    texts, _ = text_and_answers("copy-repeats", 24)
    assert any(len(set(text[:12])) < 12 for text in texts)


def test_flip_flop_keeps_its_rates():
    texts, _ = text_and_answers("flip-flop", 96, batch=200)
    words = Counter(word for text in texts for word in text[2:-2:2])
    total = sum(words.values())
    assert [round(words[word] / total, 1) for word in (2, 3, 4)] == [0.1, 0.8, 0.1]


def test_the_next_character_is_the_answer_and_what_is_read_is_not_trained_on():
    tokens, answers = text_and_answers("characters", 30)
    assert [row[1:] for row in tokens] == [row[:-1] for row in answers]
    text = tasks.help_texts()
    assert 0 <= int(text.min()) <= int(text.max()) < TASKS["characters"].vocabulary
    border = int(0.9 * len(text))
    held = TASKS["characters"](64, 24, torch.Generator().manual_seed(4))[0]
    windows = text[border:].unfold(0, 24, 1)
    assert all((windows == row).all(-1).any() for row in held)


@pytest.mark.parametrize(("batch", "length", "word"), [(0, 24, "batch"), (4, 3, "length"), (4, "24", "length")])
def test_a_task_refuses_what_it_cannot_draw(batch, length, word):
    with pytest.raises((TypeError, ValueError), match=word):
        TASKS["ago"](batch, length, torch.Generator())


def test_nothing_that_a_model_could_see_ahead_gives_the_answer_away():
    """A causal model that is handed another future says the same."""
    budget = training.Budget()
    model = training.model_for(TASKS["ago"], entrants.build_scheme("RoPE", budget.width, budget.heads), budget)
    tokens = torch.randint(8, (2, 24), generator=torch.Generator().manual_seed(1))
    other = tokens.clone()
    other[:, 12:] = 0
    assert torch.equal(model(tokens)[:, :12].argmax(-1), model(other)[:, :12].argmax(-1))
    unmasked = training.model_for(
        TASKS["ago-unmasked"], entrants.build_scheme("RoPE", budget.width, budget.heads), budget
    )
    assert not torch.allclose(unmasked(tokens)[:, :12], unmasked(other)[:, :12])


def test_positions_are_plain_begin_somewhere_or_have_gaps():
    source = torch.Generator().manual_seed(3)
    read = {name: entry.positions(64, 24, source, training=False) for name, entry in entrants.ENTRANTS.items()}
    trained = {name: entry.positions(64, 24, source) for name, entry in entrants.ENTRANTS.items()}
    for name, entry in entrants.ENTRANTS.items():
        steps = trained[name].diff()
        assert (steps > 0).all(), "in order, and none twice"
        assert 0 <= int(trained[name].min()) <= int(trained[name].max()) < entrants.LONGEST
        assert bool((steps > 1).any()) == entry.gaps
        assert (trained[name].dim() == 2) == (entry.offset or entry.gaps)
        assert torch.equal(read[name], torch.arange(24)) != entry.gaps, "an offset is for training alone"
    longest = entrants.ENTRANTS["RoPE, gaps"].positions(2, entrants.LONGEST, source)
    assert torch.equal(longest, torch.arange(entrants.LONGEST).expand(2, -1))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, entry in entrants.ENTRANTS.items() if entry.trained_as is None])
def test_every_entrant_trains(name):
    run, _ = training.train("ago", name, 0, 0.003, SMALL)
    assert len(run["curve"]) == 20
    readers = [name, *(other for other, entry in entrants.ENTRANTS.items() if entry.trained_as == name)]
    assert list(run["read"]) == readers
    assert all(0 <= share <= 1 for read in run["read"].values() for share in read["right"].values())
    json.dumps(run)


def test_a_stretched_reading_has_the_trained_one_at_the_trained_length():
    run, _ = training.train("ago", "RoPE", 3, 0.003, SMALL)
    at_24 = {name: read["right"]["24"] for name, read in run["read"].items()}
    assert set(at_24) == {"RoPE", "RoPE, interpolated", "RoPE, NTK", "RoPE, by parts"}
    assert len(set(at_24.values())) == 1


def test_a_seed_gives_the_same_run_and_another_gives_another():
    first, again, other = (training.train("ago", "T5", seed, 0.003, SMALL)[0] for seed in (1, 1, 2))
    assert first == again
    assert first["curve"] != other["curve"]


def test_looks_are_the_weights_of_the_model():
    budget = training.Budget()
    model = training.model_for(TASKS["ago"], entrants.build_scheme("sinusoidal", budget.width, budget.heads), budget)
    tokens = torch.arange(12) % 8
    seen = []
    attend = model.blocks[1].attend
    hook = attend.register_forward_hook(lambda module, given, out: seen.append(given[0]))
    model(tokens[None])
    hook.remove()
    weights = training.looks(model, tokens)
    assert weights.shape == (2, 4, 12, 12)
    torch.testing.assert_close(weights[1], attend(seen[0], causal=True, weights=True)[1][0])
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 4, 12))


def wanted(tasks, seeds, rate):
    """The runs of a plan: task, scheme, seed and rate of each."""
    for task in tasks:
        for name in plan.entrants_of(task):
            yield from ((task, name, plan.SEARCH, tried) for tried in plan.RATES)
            yield from ((task, name, seed, rate(task, name)) for seed in seeds)


def keys(file):
    return [
        (run["task"], run["scheme"], run["seed"], run["rate"])
        for search in (False, True)
        for run in results.runs(file, search=search)
    ]


def test_every_run_of_the_plan_is_on_file_and_no_other():
    on_file = keys(results.FILE)
    assert len(on_file) == len(results.FILE.read_text().splitlines()) == 609
    assert sorted(on_file) == sorted(wanted(plan.STEPS, plan.SEEDS, results.best_rate))


def test_a_plan_makes_the_runs_that_are_missing_and_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr(plan, "budget_of", lambda task: SMALL)
    monkeypatch.setattr(plan, "SEEDS", (0, 1))
    monkeypatch.setitem(plan.ENTERED, "ago", ("none", "ALiBi"))
    file = tmp_path / "mine.jsonl"
    results.run_missing(file, ["ago"])
    lines = file.read_text().splitlines()
    assert len(lines) == 8
    assert sorted(keys(file)) == sorted(wanted(["ago"], (0, 1), lambda task, name: results.best_rate(task, name, file)))
    half = tmp_path / "half.jsonl"
    half.write_text("\n".join(lines[:5]) + "\n")
    results.run_missing(half, ["ago"])
    assert half.read_text().splitlines()[:5] == lines[:5]
    assert sorted(keys(half)) == sorted(keys(file))
    assert len(half.read_text().splitlines()) == 8


def test_the_rate_is_chosen_at_the_trained_length_alone(monkeypatch):
    def run(task, entrant, seed, rate, file):
        short = {0.003: 0.8, 0.01: 0.7}[rate]
        return {"read": {entrant: {"right": {"24": short, "48": 1 - short, "96": 1 - short}}}}

    monkeypatch.setattr(results, "load_or_train", run)
    assert results.best_rate("ago", "RoPE") == 0.003
