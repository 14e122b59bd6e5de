"""Checkers for the exercises: one module a chapter, `chapter_05` for chapter 05.

A checker compares an answer with what it computes itself, names the slip behind a plausible wrong
answer, and never shows the right one. It returns a `Verdict`. It does not raise, whatever it is handed,
so that a notebook with open exercises still runs from start to end.

    same            numbers against numbers, of any type that holds them
    choice          a word against a word; the choices stand in the question
    works           a function against a function, in several configurations
    call_or_refuse  what a function returns, where nothing else will do

`same` and `works` take a table of what they say: {sentence: a number, table or function}. Its first line is what is
right, with the sentence that this earns; the others are slips, each with what it leads to.

The decorator `exercise` makes a checker of a function that uses them. One that compares numbers may take keyword
arguments: what a variant in a question bank changes. Their defaults are what the chapter asks.
"""

import contextvars
import dis
import functools
import random
import types
from numbers import Number

import sympy as sp

from posenc.proof.comparisons import flat

try:
    import torch

    from posenc import additive, doors, frequencies, rotary
except ImportError:  # in the page there is no torch, and no exercise that needs it
    torch = additive = doors = frequencies = rotary = None

OPEN = "Not answered yet: put your answer in place of the three dots."
NOTHING = "What arrives here is None: the cell sets nothing, or what it sets comes from a print."
FORGOTTEN = "The function returns None: a return is missing, or it prints what it should return."
FIXED = (
    "Right in the first case tried, and wrong in another: does a number of this chapter stand where an "
    "argument belongs, or is an argument ignored?"
)
UNREAD = "{} cannot be read as numbers: {}."
HIDDEN = contextvars.ContextVar("hidden", default=0)
BLANK = {"LOAD_CONST", "RETURN_VALUE", "RETURN_CONST", "NOP"}


class Verdict:
    """Right or not, and why; true in a condition exactly if the answer is right.

    compared: of `same`, the table and the margin with which it compared.
    """

    def __init__(self, right, message, compared=None):
        self.right, self.message, self.compared = right, message, compared

    def __bool__(self):
        return self.right

    def __repr__(self):
        return OPEN if self.message == OPEN else ("Right. " if self.right else "Not yet. ") + self.message


class Refused(Exception):
    """The end of a checker, with the sentence why the answer is not right."""


def unless_refused(value):
    """The value. Raises Refused, which ends the checker, where it is a Verdict that the answer is not right."""
    if isinstance(value, Verdict) and not value:
        raise Refused(value.message)
    return value


def exercise(checker=None, *, tensors=False):
    """Make a checker: a function of one answer that always returns a Verdict.

    tensors: whether it, or the code to work on, needs torch: then the exercise is not answered in the page.
    hidden: a whole number, by default 0; any other one changes the random inputs and adds trials.
    """
    if checker is None:
        return functools.partial(exercise, tensors=tensors)

    @functools.wraps(checker)
    def judge(answer=..., /, *, hidden=0, **variant):
        before = HIDDEN.set(hidden)
        try:
            return checker(require_answer(answer), **variant)
        except Refused as refused:
            return Verdict(False, str(refused))
        except KeyboardInterrupt:  # the stop button: an answer may not come to an end
            raise
        except BaseException as problem:  # an answer may do anything when it is read
            return Verdict(False, f"The answer cannot be read: {describe(problem)}.")
        finally:
            HIDDEN.reset(before)

    judge.exercise, judge.tensors = True, tensors
    return judge


def require_answer(answer):
    """The answer. Raises Refused where there is none yet: None, or three dots in it."""
    if answer is None:
        raise Refused(NOTHING)
    parts = answer.values() if type(answer) is dict else answer if type(answer) in (list, tuple) else ()
    if any(part is ... for part in (answer, *parts)):
        raise Refused(OPEN)
    return answer


def parts_of(answer, count, remedy):
    """An answer of several parts. Raises Refused, with the remedy, where it is no tuple or list of so many."""
    if not isinstance(answer, (tuple, list)) or len(answer) != count:
        raise Refused(remedy)
    return answer


def describe(problem):
    """The name and the words of an exception, even of one that cannot be printed."""
    name = type(problem).__name__
    try:
        words = " ".join(str(problem).split())[:200]
    except Exception:
        words = ""
    return f"{name}: {words}" if words else name


def numbers(answer):
    """The numbers of an answer in one list, and its shape. Raises for what holds no finite numbers."""
    return _floats(_nested_numbers(answer), "the answer")


def _floats(values, name):
    values, shape = flat(values, name)
    return [value if isinstance(value, complex) else float(value) for value in values], shape


def _nested_numbers(part):
    """An answer with tensors and arrays as nested lists. Raises TypeError for a part that is no number."""
    part = part.tolist() if hasattr(part, "tolist") else part
    if isinstance(part, (list, tuple, range)):
        return [_nested_numbers(inner) for inner in part]
    if not isinstance(part, (Number, sp.Basic)) or isinstance(part, bool):
        raise TypeError(f"{type(part).__name__} where a number belongs")
    return part


def read(answer, what="The answer"):
    """What `numbers` does. Raises Refused for what cannot be read. what: the answer's name in the sentence."""
    try:
        return numbers(require_answer(answer))
    except Refused:
        raise
    except Exception as problem:
        raise Refused(UNREAD.format(what, describe(problem))) from None


def same(answer, says, *, within=1e-6):
    """Compare an answer with values: a number, table, tensor or SymPy matrix; axes of length 1 do not matter.

    says: {sentence: value}, the right one first. Returns a Verdict.
    """
    return Verdict(*_compare(answer, says, within), compared=(says, within))


def _compare(answer, says, within):
    """Whether an answer is right, and why, as `same` has them."""
    (because, expected), *slips = says.items()
    target, target_shape = _floats(expected, "expected")
    try:
        values, shape = read(answer)
    except Refused as refused:
        return False, str(refused)
    if _without_ones(shape) != _without_ones(target_shape):
        return False, f"The answer has shape {shape}; expected shape {target_shape}."
    if not (wrong := _count_apart(values, target, within)):
        return True, because
    for slip, outcome in slips:
        slip_values, slip_shape = _floats(outcome, slip)
        if slip_shape == target_shape and not _count_apart(values, slip_values, within):
            return False, slip
    if all(map(_rounds_to, target, values)):
        return False, f"Rounded too early: within {within:g} is asked for."
    if len(target) == 1:
        return False, "This is not the number."
    if not _count_apart(sorted(values, key=abs), sorted(target, key=abs), within):
        return False, "These are the right numbers, in another order."
    return False, f"{wrong} of {len(target)} numbers differ{f' by more than {within:g}' if within else ''}."


def _count_apart(values, target, within):
    """How many values are further than `within` from those of the target."""
    return sum(abs(a - b) > within for a, b in zip(values, target, strict=True))


def _rounds_to(exact, value):
    """Whether a value, not 0, is an exact one with fewer decimals."""
    return value != 0 and any(value == round(exact, digits) for digits in range(4))


def _without_ones(shape):
    return tuple(length for length in shape if length != 1)


def choice(answer, expected, *, because, slips):
    """The Verdict on a word. because: said if it is right. slips: {other choice: what speaks against it}.

    Any other answer, also one that is no text, is wrong and gets one stock sentence. Raises Refused for none at all.
    """
    chosen = plain(require_answer(answer))
    if type(chosen) is str and chosen == plain(expected):
        return Verdict(True, because)
    hints = {plain(option): hint for option, hint in slips.items()}
    hint = type(chosen) is str and hints.get(chosen)
    return Verdict(False, hint or "That is none of the choices that the question names.")


def plain(word):
    """A word in lower case, without outer brackets, _ for spaces and hyphens; anything else as it is."""
    if type(word) is str:
        return word.strip().strip("()").strip().lower().replace(" ", "_").replace("-", "_")
    return word


def works(function, trials, says, *, within=1e-6, form=lambda value, *trial: value):
    """Call a reader's function in several configurations, and compare it with others. Returns a Verdict.

    trials: tuples of arguments. The first is one that the chapter shows, or comes close to it; the others
    differ from it in whatever an answer could have fixed or ignored. says: {sentence: function}, the right one first;
    a slip is named if it explains every trial. form(value, *trial): how a value that a function returned is compared.
    """
    (because, right), *slips = says.items()

    def value_of(rule, trial):
        return form(rule(*copies_of(trial)), *copies_of(trial))

    def explains(slip, result, trial):
        try:
            value = value_of(slip, trial)
        except Exception:  # where this slip raises, the answer must have raised too
            return isinstance(result, Verdict)
        return not isinstance(result, Verdict) and bool(same(result, {"": value}, within=within))

    def result_and_verdict(trial):
        """What the reader's function returns, or why it cannot be compared; and the verdict on it."""
        result = call(function, *copies_of(trial))
        if isinstance(result, Verdict):
            return result, result
        try:
            result = form(result, *copies_of(trial))
        except Exception as problem:
            unread = Verdict(False, UNREAD.format("The answer", describe(problem)))
            return unread, unread
        return result, same(result, {because: value_of(right, trial)}, within=within)

    own_function(function)
    results, verdicts = zip(*map(result_and_verdict, trials), strict=True)
    if all(verdicts):
        return verdicts[-1]
    for sentence, slip in slips:
        if all(explains(slip, *pair) for pair in zip(results, trials, strict=True)):
            return Verdict(False, sentence)
    first = next(verdict for verdict in verdicts if not verdict)
    return Verdict(False, f"{FIXED} There: {first.message}") if verdicts[0] else first


def copies_of(arguments):
    """The arguments in a list, tensors copied, so that a function may write into what it is given."""
    return [part.clone() if hasattr(part, "clone") else part for part in arguments]


def own_function(answer):
    """Raise Refused for a function whose body is still three dots, and for one of the package itself."""
    home = getattr(answer, "__module__", None)
    in_package = type(home) is str and home.startswith("posenc.") and not home.startswith("posenc.checks")
    if in_package and not isinstance(answer, type):
        raise Refused("That is the package's own function: write one yourself.")
    if is_blank(answer):
        raise Refused(OPEN)


def is_blank(function):
    """Whether a function's body is three dots; never so of a lambda, or of what is not a plain function."""
    code = function.__code__ if isinstance(function, types.FunctionType) else None
    if code is None or code.co_name == "<lambda>":
        return False
    steps = list(dis.get_instructions(code))
    return all(step.opname in BLANK and step.argval is None for step in steps if step.opname != "RESUME")


def call(function, *arguments):
    """What the reader's function returns; a Verdict where it is none, raises, or returns nothing or a Verdict."""
    if not callable(function):
        return Verdict(False, "The answer must be a function: give its name, without parentheses.")
    try:
        value = function(*arguments)
    except (Exception, SystemExit) as problem:  # the reader's code may fail in any way
        return Verdict(False, f"The function raises {describe(problem)}.")
    if isinstance(value, Verdict):
        return Verdict(False, "The function returns a verdict: leave judging to the checker.")
    if value is ... or (value is None and is_blank(function)):
        return Verdict(False, OPEN)
    return Verdict(False, FORGOTTEN) if value is None else value


def call_or_refuse(function, *arguments):
    """As `call`. Raises Refused where there is nothing to compare."""
    own_function(function)
    return unless_refused(call(function, *arguments))


def as_bool(value):
    """The reader's value as True or False; 0, 1 and arrays of no axes pass. Raises Refused for anything else."""
    # 0, 1 and an array or tensor of one element compare well; a list would be true whatever it holds.
    if type(unless_refused(value)) not in (bool, int) and getattr(value, "ndim", None) != 0:
        raise Refused("The function must return True or False.")
    return bool(value)


def generator(seed):
    """A seeded source of random numbers for the trials."""
    return torch.Generator().manual_seed(seed)


def normal(*shape, seed=0):
    """Random float64 numbers of the given shape, the same on every run with the same hidden number."""
    return torch.randn(shape, generator=generator(seed + 1000 * HIDDEN.get()), dtype=torch.float64)


def extra_trials(make, count=3):
    """More trials, each make(dice) with a random.Random, where there is a hidden number; else none."""
    hidden = HIDDEN.get()
    return [make(random.Random(hidden + n)) for n in range(count)] if hidden else []


def distinct_positions(dice, count, most=100):
    """A tensor of `count` different positions below `most`, in random order. dice: a random.Random."""
    return torch.tensor(dice.sample(range(most), count))
