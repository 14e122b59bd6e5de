"""Variants of the exercises, one for each student, drawn from a secret, for work that is graded.

The solutions in the book are public. A variant has other numbers, another layout or direction, or asks for
something else: it is a set of keyword arguments of the exercise's checker, which computes from them what is
right. A rule says which arguments there may be, and by which words of the question, or of the cell to fill
in, they are told:

    "position": Rule(lambda weight, share: [f"ln {weight}", f"1/{share}"], weight=(2, 4), share=range(4, 9))

With the defaults of the checker these words stand in the book; with those of a variant they take their place.
Functions are also called on hidden configurations, which another number from the secret decides.
"""

import dataclasses
import inspect
import itertools
import random
import re

from exercises import Forgotten, checker_for, entry_for

WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()


class Rule:
    """The variants of one exercise. values: of each argument; where: which sets; says: in which words."""

    def __init__(self, says, where=lambda **arguments: True, **values):
        self.says, self.where, self.values = says, where, values

    def book(self, judge):
        """The arguments of the book: the defaults of the checker."""
        known = inspect.signature(judge).parameters
        for name in self.values.keys() - known.keys():
            raise Forgotten(judge.__name__, f"takes no {name!r}, which its Rule varies: give it this keyword")
        return {name: known[name].default for name in self.values}

    def variants(self, judge):
        """All sets of arguments but the book's."""
        sets = (dict(zip(self.values, chosen, strict=True)) for chosen in itertools.product(*self.values.values()))
        book = self.book(judge)
        return [arguments for arguments in sets if arguments != book and self.where(**arguments)]


def drawn(exercises, chapter, secret, student):
    """The exercises of a chapter as one student has them; without a secret, and for proofs, as they are."""
    if secret is None:
        return exercises
    seed = f"{secret} {student}"
    return [_drawn(exercise, chapter, seed) if exercise.checker else exercise for exercise in exercises]


def _drawn(exercise, chapter, seed):
    dice = random.Random(f"{seed} {exercise.number}")
    judge, rule = checker_for(chapter, exercise.checker), entry_for(chapter, "RULES", exercise.checker)
    return told(exercise, rule, judge, dice.choice(rule.variants(judge)), hidden=dice.randrange(1, 2**31))


def told(exercise, rule, judge, arguments, hidden=0):
    """An exercise with a variant's words in place of the book's."""
    swap = dict(zip(rule.says(**rule.book(judge)), rule.says(**arguments), strict=True))
    question, answer = exercise.question, exercise.answer
    for old in swap:
        if not re.search(_pattern(old), question + "\n" + answer):
            where = f"Exercise {exercise.number}"
            raise Forgotten(where, f"does not say {old!r}, which its Rule replaces: change one of the two")
    return dataclasses.replace(
        exercise, question=_put(question, swap), answer=_put(answer, swap), arguments=arguments, hidden=hidden
    )


def _pattern(words):
    """Words as they may stand in a text that is broken into lines; no digit before or after a number."""
    return r"(?<![\d.])" * words[:1].isdigit() + r"\s+".join(map(re.escape, words.split())) + r"(?!\d)"


def _put(text, swap):
    longest = sorted(swap, key=len, reverse=True)
    found = {" ".join(old.split()): new for old, new in swap.items()}
    either = "|".join(map(_pattern, longest))
    return re.sub(either, lambda match: found[" ".join(match[0].split())], text)


def word(number):
    """A small whole number in letters, a large one in digits."""
    return WORDS[number] if number < len(WORDS) else str(number)


def times(number):
    """How often: twice, three times."""
    return {2: "twice"}.get(number, f"{word(number)} times")
