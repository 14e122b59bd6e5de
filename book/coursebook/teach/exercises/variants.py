"""Variants of the exercises whose answers are numbers, for the question banks of a learning system.

The solutions in the book are public. A variant has other numbers, another layout or direction: it is a set of keyword
arguments of the exercise's checker, which computes from them what is right, and to what each known mistake leads. A
rule says which arguments there may be, and by which words of the question they are told:

    "position": Rule(lambda weight, share: [f"ln {weight}", f"1/{share}"], weight=(2, 4), share=range(4, 9))

With the defaults of the checker these words stand in the book; with those of a variant they take their place.
"""

import dataclasses
import inspect
import itertools
import random
import re

from posenc.checks import numbers

from ...content import HEAD, Forgotten, checker_for
from ..exercises import entry_for, table

WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
DRAWN = 20
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
NEEDS_ITS_CHAPTER = {"chapter_05"}  # what stands above its exercises belongs to each of them


class Rule:
    """The variants of one exercise. values: of each argument; where: which sets; says: in which words."""

    def __init__(self, says, where=lambda **arguments: True, **values):
        self.says, self.where, self.values = says, where, values

    def book(self, judge):
        """The arguments of the book: the defaults of the checker."""
        return {name: inspect.signature(judge).parameters[name].default for name in self.values}

    def variants(self, judge):
        """All sets of arguments but the book's."""
        sets = (dict(zip(self.values, chosen, strict=True)) for chosen in itertools.product(*self.values.values()))
        book = self.book(judge)
        return [arguments for arguments in sets if arguments != book and self.where(**arguments)]


@dataclasses.dataclass
class NumberQuestion:
    """One variant, with one number as its answer. hints: {wrong number: the sentence that it gets}."""

    name: str
    ask: str
    right: float
    within: float
    because: str
    hints: dict


def compared(judge, arguments):
    """What a checker compares an answer with: (why it is right, the right one), {slip: its outcome}, the margin."""
    says, within = judge(0, **arguments).compared
    right, *slips = says.items()
    return right, dict(slips), within


def number_questions(chapter):
    """The questions of a chapter whose answers are numbers: {number of the exercise: [NumberQuestion, …]}."""
    above = chapter.preamble if chapter.checks in NEEDS_ITS_CHAPTER else ""
    banks = {}
    for exercise in chapter.exercises:
        if exercise.checker not in table(chapter.checks, "RULES"):
            continue
        rule = entry_for(chapter.checks, "RULES", exercise.checker)
        judge = checker_for(chapter.checks, exercise.checker)
        dice, variants = random.Random(exercise.number), rule.variants(judge)
        asked = banks[exercise.number] = []
        for arguments in dice.sample(variants, min(DRAWN, len(variants))):
            name = f"{exercise.number}, variant {len(asked) + 1}"
            variant = in_words(exercise, rule, judge, arguments)
            asked.append(_question(name, above, variant, compared(judge, arguments), dice))
    return banks


def _question(name, above, exercise, call, dice):
    """A question for one of the numbers of a variant: one at which as many known mistakes show as at any other."""
    (because, expected), slips, within = call
    right, shape = numbers(expected)
    if within < 1e-4:  # QTI has four decimals; a whole number is either right or not
        within = 0 if all(float(value).is_integer() for value in right) else 1e-4
    wrong = {slip: numbers(value)[0] for slip, value in slips.items()}

    def hints_at(place):
        """{wrong number: sentence}, for one of the places; the first sentence for a number counts, as in `same`."""
        hints = {}
        for slip, values in wrong.items():
            near = [right[place], *hints]
            if len(values) == len(right) and all(abs(values[place] - other) > 2.1 * within for other in near):
                hints[values[place]] = slip
        return hints

    choices = [(place, hints_at(place)) for place in range(len(right)) if abs(right[place]) > 2 * max(within, 1e-4)]
    most = max(len(hints) for _, hints in choices)
    place, hints = dice.choice([choice for choice in choices if len(choice[1]) == most])
    words = [above, HEAD.sub("", exercise.question).strip(), _which(place, shape)]
    ask = "\n\n".join(part for part in words if part)
    return NumberQuestion(name, ask, right[place], within, because, hints)


def _which(place, shape):
    """The sentence that says which number of an answer to type. shape: of the whole answer."""
    if not shape:
        return ""
    if len(shape) == 1:
        return f"Of the {word(shape[0])} numbers type only the {ORDINALS[place]}."
    row, column = divmod(place, shape[1])
    return f"Type only the number in the {ORDINALS[row]} row and the {ORDINALS[column]} column."


def in_words(exercise, rule, judge, arguments):
    """An exercise with a variant's words in place of the book's."""
    swap = dict(zip(rule.says(**rule.book(judge)), rule.says(**arguments), strict=True))
    for old in swap:
        if not re.search(_pattern(old), exercise.question):
            where = f"Exercise {exercise.number}"
            raise Forgotten(where, f"does not say {old!r}, which its Rule replaces: change one of the two")
    return dataclasses.replace(exercise, question=_put(exercise.question, swap))


def _pattern(words):
    """Words as they may stand in a text that is broken into lines; no digit before or after a number."""
    before = r"(?<![\d.])" if words[:1].isdigit() else ""
    return before + r"\s+".join(map(re.escape, words.split())) + r"(?!\d)"


def _put(text, swap):
    longest = sorted(swap, key=len, reverse=True)
    new_for = {" ".join(old.split()): new for old, new in swap.items()}
    either = "|".join(map(_pattern, longest))
    return re.sub(either, lambda match: new_for[" ".join(match[0].split())], text)


def word(number):
    """A small whole number in letters, a large one in digits."""
    return WORDS[number] if number < len(WORDS) else str(number)


def times(number):
    """How often: twice, three times."""
    return {2: "twice"}.get(number, f"{word(number)} times")
