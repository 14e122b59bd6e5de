"""The lab: the truth of each task, what a run holds, and a plan that makes what is missing."""

import pytest
import torch

from posenc.lab import entrants, plan, results, tasks, training
from posenc.lab.tasks import MARK, NONE, TASKS

SMALL = training.Budget(steps=20, batch=4, tests=1)


def truth(name, text):
    """The answers to one text, found with lists and loops."""
    n = len(text)
    if name in ("ago", "ago-unmasked"):
        return [text[at - 5] if at >= 5 else NONE for at in range(n)]
    if name == "copy":
        start = max(at for at in range(n) if text[at] == tasks.LETTERS)
        letters = text[start - n // 2 : start]
        assert text[start + 1 :] == letters[:-1]
        assert len(set(letters)) == len(letters)
        return [NONE] * start + letters
    if name == "distance":
        distances = [[k for k in range(at + 1) if text[at - k] == MARK] for at in range(n)]
        return [each[0] if each and each[0] < MARK else NONE for each in distances]
    if name == "count":
        return [text[: at + 1].count(MARK) for at in range(n)]
    if name == "majority":
        ones = [2 * sum(text[: at + 1]) - at - 1 for at in range(n)]  # more than zeros
        return [NONE if more == 0 else int(more > 0) for more in ones]
    raise KeyError(name)


@pytest.mark.parametrize("name", [name for name in TASKS if name != "characters"])
@pytest.mark.parametrize("length", [8, 13, 96])
def test_the_truth_of_a_task_is_right(name, length):
    texts, answers = (part.tolist() for part in TASKS[name](8, length, torch.Generator().manual_seed(5)))
    assert {len(text) for text in texts} == {length}
    assert answers == [truth(name, text) for text in texts]
    assert max(map(max, texts)) < TASKS[name].vocabulary
    assert any(answer != NONE for row in answers for answer in row)


def test_the_next_character_is_the_answer_and_what_is_read_is_not_trained_on():
    text = tasks.help_texts()
    border = int(0.9 * len(text))
    for seed, part in ((5, text[:border]), (4, text[border:])):
        tokens, answers = TASKS["characters"](16, 24, torch.Generator().manual_seed(seed))
        assert torch.equal(tokens[:, 1:], answers[:, :-1])
        windows = part.unfold(0, 24, 1)
        assert all((windows == row).all(-1).any() for row in tokens)


@pytest.mark.parametrize(("batch", "length", "word"), [(0, 24, "batch"), (4, 3, "length"), (4, "24", "length")])
def test_a_task_refuses_what_it_cannot_draw(batch, length, word):
    with pytest.raises((TypeError, ValueError), match=word):
        TASKS["ago"](batch, length, torch.Generator())


@pytest.mark.parametrize("task", ["ago", "ago-unmasked"])
def test_only_a_model_without_a_mask_sees_what_is_ahead(task):
    budget = training.Budget()
    model = training.model_for(TASKS[task], entrants.build_scheme("RoPE", budget.width, budget.heads), budget)
    tokens = torch.randint(8, (2, 24), generator=torch.Generator().manual_seed(1))
    other = tokens.clone()
    other[:, 12:] = 0
    assert torch.allclose(model(tokens)[:, :12], model(other)[:, :12]) == TASKS[task].causal


@pytest.mark.parametrize("entry", entrants.ENTRANTS.values(), ids=lambda entry: entry.name)
def test_positions_are_plain_begin_somewhere_or_have_gaps(entry):
    source = torch.Generator().manual_seed(3)
    trained, read = (entry.positions(64, 24, source, training=training) for training in (True, False))
    steps = trained.diff()
    assert (steps > 0).all(), "in order, and none twice"
    assert 0 <= int(trained.min()) <= int(trained.max()) < entrants.LONGEST
    assert bool((steps > 1).any()) == entry.gaps
    assert (trained.dim() == 2) == (entry.offset or entry.gaps)
    assert torch.equal(read, torch.arange(24)) != entry.gaps, "an offset is for training alone"
    budget = training.Budget()
    model = training.model_for(TASKS["ago"], entrants.build_scheme(entry.name, budget.width, budget.heads), budget)
    assert model(torch.zeros(64, 24, dtype=int), trained).isfinite().all()


def test_a_seed_gives_the_same_run_and_another_gives_another():
    runs = []
    for seed in (1, 1, 2):
        torch.rand(1)  # what others draw from torch's generator changes nothing
        runs.append(training.train("ago", "RoPE", seed, 0.003, SMALL)[0])
    first, again, other = runs
    assert first == again
    assert first["curve"] != other["curve"]
    assert first["read"].keys() == {"RoPE", "RoPE, interpolated", "RoPE, NTK", "RoPE, by parts"}
    assert len({read["right"]["24"] for read in first["read"].values()}) == 1, "stretched at the trained length"


def test_looks_are_the_weights_of_the_model():
    budget = training.Budget()
    model = training.model_for(TASKS["ago"], entrants.build_scheme("sinusoidal", budget.width, budget.heads), budget)
    tokens, attend, seen = torch.arange(12) % 8, model.blocks[1].attend, []
    attend.register_forward_hook(lambda module, inputs, output: seen.append(inputs[0]))
    model(tokens[None])
    weights = training.looks(model, tokens)
    torch.testing.assert_close(weights[1], attend(seen[0], causal=True, weights=True)[1][0])
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 4, 12))


def planned(tasks, seeds, file):
    """Task, scheme, seed and rate of each run of a plan; the rate is chosen at the trained length alone."""
    searched = results.runs(file, search=True)
    shares = {(run["task"], run["scheme"], run["rate"]): run["read"][run["scheme"]]["right"]["24"] for run in searched}
    for task in tasks:
        for name in plan.entrants_of(task):
            tried = [shares[task, name, rate] for rate in plan.RATES]
            yield from ((task, name, plan.SEARCH, rate) for rate in plan.RATES)
            yield from ((task, name, seed, plan.RATES[tried.index(max(tried))]) for seed in seeds)


def on_file(file):
    """The same of the runs of a file."""
    runs = [*results.runs(file), *results.runs(file, search=True)]
    return sorted((run["task"], run["scheme"], run["seed"], run["rate"]) for run in runs)


def test_every_run_of_the_plan_is_on_file_and_no_other():
    wanted = sorted(planned(plan.STEPS, plan.SEEDS, results.FILE))
    assert on_file(results.FILE) == wanted
    assert len(wanted) == len(results.FILE.read_text().splitlines()) == 483
    assert all(rate == results.best_rate(task, name) for task, name, seed, rate in wanted if seed != plan.SEARCH)


def test_a_plan_makes_the_runs_that_are_missing_and_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr(plan, "budget_of", lambda task: SMALL)
    monkeypatch.setattr(plan, "SEEDS", (0,))
    monkeypatch.setitem(plan.ENTERED, "ago", ("none", "ALiBi"))
    file = tmp_path / "mine.jsonl"
    first = next(run for run in results.FILE.read_text().splitlines() if '"ago"' in run and '"ALiBi"' in run)
    file.write_text(first + "\n")
    results.run_missing(file, ["ago"])
    assert file.read_text().splitlines()[0] == first
    assert on_file(file) == sorted(planned(["ago"], (0,), file))
    assert len(file.read_text().splitlines()) == 6
