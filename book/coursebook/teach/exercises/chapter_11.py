"""Exercises of chapter 11, which one works: answers on file, and variants of those that are numbers."""

from .variants import Rule, word

RULES = {
    "whole": Rule(
        lambda letters, tokens: [f"one of {word(letters)} letters", f"a text of {tokens} tokens"],
        where=lambda letters, tokens: (letters, tokens) != (8, 96),
        letters=(4, 5, 6, 8, 9, 10), tokens=(48, 64, 96, 120, 144),
    ),
    "steps": Rule(
        lambda back, factor: [f"exactly {back} steps back", f"divided by {factor}"],
        where=lambda back, factor: back * factor != 20 and back * factor != back + factor,
        back=range(3, 10), factor=(2, 3, 4, 8),
    ),
    "rows_trained": Rule(
        lambda rows, tokens, row: [f"has {rows} rows", f"texts of {tokens} tokens", f"row {row}"],
        where=lambda rows, tokens, row: rows != 96 and tokens - 1 <= row <= rows - tokens,
        rows=(64, 80, 100, 128), tokens=(16, 20, 30), row=(32, 35, 40),
    ),
}  # fmt: skip


def metric(value):
    return f"""
def answer(logits, answers):
    hit, scored = logits.argmax(-1) == answers, answers != -1
    return {value}
"""


def walk(steps="place - last", when="place - last <= 15", none="-1", mark="last = place"):
    return f"""
def answer(tokens):
    answers, last = [], None
    for place, token in enumerate(tokens):
        if token == 16:
            {mark}
        answers.append({steps} if last is not None and {when} else {none})
    return answers
"""


ANSWERS = {
    "whole": {"right": ["28 / 91", "(19 + 72 / 8) / 91", "torch.tensor(28 / 91, dtype=torch.float64)"], "wrong": {
        "19 / 91": "now and then", "28 / 96": "not scored, so there are 91", "33 / 91": "Of the first 24",
        "0.125": "guesses alone", "33 / 96": "in all", "28": "not a number of answers", "1": "it guesses",
    }},
    "steps": {"right": ["20", "5 * 4", "20.0"], "wrong": {
        "1.25": "looks like now", "5": "looked there before", "9": "multiplies", "1": "farther away",
        "4": "not a distance", "-20": "no sign",
    }},
    "share_right": {"right": [metric("hit[scored].double().mean()"),
                              metric("(hit & scored).sum() / scored.sum()")], "wrong": {
        metric("hit.double().mean()"): "not of all",
        metric("1 - hit[scored].double().mean()"): "wrong answers",
        metric("hit[scored].sum()"): "not the number", metric("hit[scored].double()"): "one number",
        metric("(logits.argmin(-1) == answers)[scored].double().mean()"): "not the smallest",
        metric("(hit | ~scored).double().mean()"): "no right answers",
    }},
    "distances": {"right": [walk(), walk("(place - last)", "place < last + 16")], "wrong": {
        walk("place - last + 1"): "0 steps away", walk(when="True"): "Beyond 15",
        walk(when="place - last < 15"): "still counts",
        walk(mark="last = place if last is None else last"): "not the first",
        "lambda t: [0 if 16 not in t[:n + 1] else -1 if min(k for k in range(n + 1) if t[n - k] == 16) > 15 else "
        "min(k for k in range(n + 1) if t[n - k] == 16) for n in range(len(t))]": "no marker yet",
        "lambda t: [-1 if 16 not in t[n:] or t[n:].index(16) > 15 else t[n:].index(16) for n in range(len(t))]":
            "not after it",
    }},
    "rows_trained": {"right": ["[1 / 73, 24 / 73]", "(1 / (96 - 24 + 1), 24 / (96 - 24 + 1))"], "wrong": {
        "[1 / 72, 24 / 72]": "count the last one", "[24 / 73, 24 / 73]": "equally often", "[0, 24 / 73]": "begin there",
        "[1 / 96, 24 / 96]": "so late", "[1 / 73, 23 / 73]": "both ends", "[1 / 73, 1 / 73]": "Each place",
    }},
}  # fmt: skip
