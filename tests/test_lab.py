"""The lab: the truth of each task, a run that is trained again, and a plan that goes on after a stop."""

import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
import torch

from posenc.lab import entrants, plan, results, tasks, training
from posenc.lab.tasks import MARK, NONE, TASKS

SMALL = training.Budget(steps=20, batch=4, tests=1)


def drawn(name, length, batch=8, seed=5):
    tokens, answers = TASKS[name](batch, length, torch.Generator().manual_seed(seed))
    return tokens.tolist(), answers.tolist()


def truth(name, text):
    """The answers to one text, found with lists and loops."""
    n = len(text)
    if name in ("ago", "ago-unmasked"):
        return [text[at - 5] if at >= 5 else NONE for at in range(n)]
    if name in ("copy", "copy-repeats"):
        sign = {"copy": tasks.LETTERS, "copy-repeats": 4}[name]
        asked = max(at for at in range(n) if text[at] == sign)
        letters = text[asked - n // 2 : asked]
        assert text[asked + 1 :] == letters[:-1]
        return [NONE] * asked + letters
    if name == "distance":
        backs = [[k for k in range(at + 1) if text[at - k] == MARK] for at in range(n)]
        return [found[0] if found and found[0] < MARK else NONE for found in backs]
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
    texts, answers = drawn(name, length)
    assert {len(text) for text in texts} == {length}
    assert answers == [truth(name, text) for text in texts]
    assert max(map(max, texts)) < TASKS[name].vocabulary
    assert any(answer != NONE for row in answers for answer in row)


def test_a_copy_has_no_letter_twice_unless_it_may():
    texts, _ = drawn("copy", 96)
    assert all(len(set(text[:48])) == 48 for text in texts)
    texts, _ = drawn("copy-repeats", 24)
    assert any(len(set(text[:12])) < 12 for text in texts)


def test_flip_flop_keeps_its_rates():
    texts, _ = drawn("flip-flop", 96, batch=200)
    words = Counter(word for text in texts for word in text[2:-2:2])
    whole = sum(words.values())
    assert [round(words[word] / whole, 1) for word in (2, 3, 4)] == [0.1, 0.8, 0.1]


def test_the_next_character_is_the_answer_and_what_is_read_is_not_trained_on():
    tokens, answers = drawn("characters", 30)
    assert [row[1:] for row in tokens] == [row[:-1] for row in answers]
    text = tasks.whole_text()
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
    model = training.model_for(TASKS["ago"], entrants.built("RoPE", budget.width, budget.heads), budget)
    tokens = torch.randint(8, (2, 24), generator=torch.Generator().manual_seed(1))
    other = tokens.clone()
    other[:, 12:] = 0
    assert torch.equal(model(tokens)[:, :12].argmax(-1), model(other)[:, :12].argmax(-1))
    unmasked = training.model_for(TASKS["ago-unmasked"], entrants.built("RoPE", budget.width, budget.heads), budget)
    assert not torch.allclose(unmasked(tokens)[:, :12], unmasked(other)[:, :12])


def test_positions_are_plain_begin_somewhere_or_have_gaps():
    source = torch.Generator().manual_seed(3)
    read = {name: entry.positions(64, 24, source, training=False) for name, entry in entrants.ENTRANTS.items()}
    found = {name: entry.positions(64, 24, source) for name, entry in entrants.ENTRANTS.items()}
    for name, entry in entrants.ENTRANTS.items():
        steps = found[name].diff()
        assert (steps > 0).all(), "in order, and none twice"
        assert 0 <= int(found[name].min()) <= int(found[name].max()) < entrants.LONGEST
        assert bool((steps > 1).any()) == entry.gaps
        assert (found[name].dim() == 2) == (entry.offset or entry.gaps)
        assert torch.equal(read[name], torch.arange(24)) != entry.gaps, "an offset is for training alone"
    whole = entrants.ENTRANTS["RoPE, gaps"].positions(2, entrants.LONGEST, source)
    assert torch.equal(whole, torch.arange(entrants.LONGEST).expand(2, -1))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, entry in entrants.ENTRANTS.items() if entry.of is None])
def test_every_entrant_trains(name):
    run, _ = training.train("ago", name, 0, 0.003, SMALL)
    assert len(run["curve"]) == 20
    readers = [name, *(other for other, entry in entrants.ENTRANTS.items() if entry.of == name)]
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
    model = training.model_for(TASKS["ago"], entrants.built("sinusoidal", budget.width, budget.heads), budget)
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


@pytest.mark.slow
def test_a_stored_run_is_found_again():
    """Trained again, within 0.05 of the share of right answers: seeds fix the rest, but torch may round otherwise."""
    task = "ago"
    rate = results.best_rate(task, "RoPE")
    stored = json.loads(results.path(task, "RoPE", 0, rate).read_text())
    run, _ = training.train(task, "RoPE", 0, rate, plan.budget_of(task))
    assert run["parameters"] == stored["parameters"]
    assert run["budget"] == stored["budget"]
    assert run["curve"] == pytest.approx(stored["curve"], abs=0.05)
    for length, share in stored["read"]["RoPE"]["right"].items():
        assert run["read"]["RoPE"]["right"][length] == pytest.approx(share, abs=0.05)


def test_every_run_of_the_plan_is_on_file_and_no_other():
    full = plan.PRESETS["full"]
    wanted = {
        (task, name, seed, rate)
        for task in full["tasks"]
        for name in plan.entrants_of(task, full["schemes"])
        for seed, rate in [(plan.SEARCH, rate) for rate in plan.RATES]
        + [(seed, results.best_rate(task, name)) for seed in full["seeds"]]
    }
    found = [(run["task"], run["scheme"], run["seed"], run["rate"])
             for search in (False, True) for run in results.runs(search=search)]  # fmt: skip
    assert len(found) == len(set(found))
    assert set(found) == wanted


@pytest.mark.slow
def test_a_plan_goes_on_after_a_kill(tmp_path):
    """Killed in the middle it leaves whole files only, and the second start makes the rest and no more."""
    program = """
import sys
from pathlib import Path
from posenc.lab import plan, results, training
plan.budget_of = lambda task: training.Budget(steps=20, batch=4, tests=1)
plan.PRESETS["tiny"] = {"seeds": (0, 1), "tasks": ("ago",), "schemes": ("none", "RoPE", "ALiBi")}
print(results.go("tiny", Path(sys.argv[1])))
"""
    home = Path(results.__file__).parents[2]
    start = [sys.executable, "-c", program, str(tmp_path)]
    environment = {"PYTHONPATH": str(home), "OMP_NUM_THREADS": "1", "PATH": ""}
    process = subprocess.Popen(start, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while len(list(tmp_path.glob("ago/*.json"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.005)
    process.kill()
    process.wait()
    before = {file: file.stat().st_mtime_ns for file in tmp_path.glob("ago/*.json")}
    assert 3 <= len(before) < 12, "killed in the middle"
    assert all(json.loads(file.read_text())["scheme"] for file in before)
    done = subprocess.run(start, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "12"
    assert "12 of 12 runs" in done.stderr
    assert len(list(tmp_path.glob("ago/*.json"))) == 12
    assert {file: file.stat().st_mtime_ns for file in before} == before


def test_the_rate_is_chosen_at_the_trained_length_alone(tmp_path, monkeypatch):
    def fake(task, entrant, seed, rate, home):
        short = {0.003: 0.8, 0.01: 0.7}[rate]
        return {"read": {entrant: {"right": {"24": short, "48": 1 - short, "96": 1 - short}}}}

    monkeypatch.setattr(results, "one", fake)
    assert results.best_rate("ago", "RoPE", tmp_path) == 0.003


def test_a_scheme_and_a_task_of_ten_lines_are_trained(monkeypatch):
    monkeypatch.setattr(entrants, "ENTRANTS", dict(entrants.ENTRANTS))
    monkeypatch.setattr(training, "ENTRANTS", entrants.ENTRANTS)
    monkeypatch.setattr(tasks, "TASKS", dict(tasks.TASKS))
    monkeypatch.setattr(training, "TASKS", tasks.TASKS)

    class Mine(entrants.Scheme):
        takes = ("heads",)

        def __init__(self, heads):
            super().__init__()
            self.bias = torch.nn.Parameter(torch.zeros(heads, 1, 1))

        def scores(self, scores, q_positions, k_positions):
            return scores + self.bias

    @tasks.task("first", 8)
    def first(batch, length, generator):
        """Which letter came first?"""
        tokens = torch.randint(8, (batch, length), generator=generator)
        return tokens, tokens[:, :1].expand(-1, length)

    entrants.enter("mine", Mine)
    run, _ = training.train("first", "mine", 0, 0.01, SMALL)
    assert run["scheme"] == "mine"
    assert tasks.TASKS["first"].question == "Which letter came first?"
