"""Tasks whose truth is known, made as they are needed: each draws texts and the answer at every place of them.

A task is a function under `task`: from a batch size, a length and a generator it draws tokens and answers, both
int64 and (batch, length). The answer at a place is what a reader of the text up to there should say, and NONE where
nothing is scored. What is scored is said in each docstring. The end of a text is no token, and is not scored.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import torch
from torch import Generator, Tensor

from posenc import validate

NONE = -1
Draw = Callable[[int, int, Generator], tuple[Tensor, Tensor]]


@dataclass(frozen=True)
class Task:
    """A name, how many tokens there are, whether the model is causal, and the function that draws."""

    name: str
    vocabulary: int
    causal: bool
    draw: Draw
    question: str

    def __call__(self, batch: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
        """Tokens and answers, int64, (batch, length). Raises ValueError for a length below 4."""
        validate.count(batch, "batch", least=1)
        return self.draw(batch, validate.count(length, "length", least=4), generator)


TASKS: dict[str, Task] = {}


def task(name: str, vocabulary: int, causal: bool = True) -> Callable[[Draw], Draw]:
    """Enter the function below, whose docstring begins with its question, into TASKS. vocabulary: how many tokens."""

    def enter(draw: Draw) -> Draw:
        question = (draw.__doc__ or name).strip().splitlines()[0]
        TASKS[name] = Task(name, validate.count(vocabulary, "vocabulary", least=2), causal, draw, question)
        return draw

    return enter


AGO = 5  # how many tokens ago
MARK = 16  # the marker among sixteen letters
LETTERS = 48  # to copy, without repeats up to this length


@task("ago", 8)
def ago(batch: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Which letter was five tokens ago?

    Eight letters, each equally likely. Scored from the sixth token on. Returns tokens and answers, NONE before.
    """
    tokens = torch.randint(8, (batch, length), generator=generator)
    answers = torch.full_like(tokens, NONE)
    answers[:, AGO:] = tokens[:, :-AGO] if length > AGO else answers[:, AGO:]
    return tokens, answers


@task("ago-unmasked", 8, causal=False)
def ago_unmasked(batch: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Which letter was five tokens ago, when all tokens see all others?

    The same texts and answers as `ago`, for a model without the causal mask.
    """
    return ago(batch, length, generator)


@task("copy", LETTERS + 1)
def copy(batch: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Say the text again: no letter occurs twice in it.

    n letters, a sign, and the same n letters, where 2n is `length` or one less: at the sign the answer is the first
    letter, at each letter after it the next. Scored are these n answers, each on its own; a copy has no end sign.
    """
    n = length // 2
    if n > LETTERS:
        raise ValueError(f"length must be at most {2 * LETTERS + 1}, got {length}: there are {LETTERS} letters")
    letters = torch.rand(batch, LETTERS, generator=generator).argsort(-1)[:, :n]
    signs = torch.full((batch, 1), LETTERS)
    tokens = torch.cat([letters, signs, letters[:, :-1]], dim=1)
    answers = torch.cat([torch.full_like(letters, NONE), letters], dim=1)
    if length % 2:  # a sign in front, so that every length can be asked for
        tokens = torch.cat([signs, tokens], dim=1)
        answers = torch.cat([torch.full_like(signs, NONE), answers], dim=1)
    return tokens, answers


@task("distance", MARK + 1)
def distance(batch: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """How many tokens ago was the last marker?

    Sixteen letters; a token is a marker with probability 1/10. Scored where a marker was at most 15 tokens ago.
    """
    tokens = torch.randint(MARK, (batch, length), generator=generator)
    tokens[torch.rand(batch, length, generator=generator) < 0.1] = MARK
    places = torch.arange(length).expand(batch, -1)
    last = torch.where(tokens == MARK, places, -1).cummax(-1).values
    steps = places - last
    return tokens, torch.where((last >= 0) & (steps < MARK), steps, NONE)


@task("count", MARK + 1)
def count(batch: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """How many markers have there been so far?

    Sixteen letters; 0 to 15 markers, all equally likely, anywhere. Scored at every token. Returns tokens and answers.
    """
    tokens = torch.randint(MARK, (batch, length), generator=generator)
    rank = torch.rand(batch, length, generator=generator).argsort(-1).argsort(-1)
    markers = torch.randint(min(MARK, length + 1), (batch, 1), generator=generator)
    tokens[rank < markers] = MARK
    return tokens, (tokens == MARK).cumsum(-1)


@task("majority", 2)
def majority(batch: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Which of two letters has come more often so far?

    Fair coins. Scored where the two are not equal, else NONE. Order does not matter: the control.
    """
    tokens = torch.randint(2, (batch, length), generator=generator)
    ahead = (2 * tokens - 1).cumsum(-1)
    return tokens, torch.where(ahead > 0, 1, torch.where(ahead < 0, 0, NONE))


@task("characters", 96)
def characters(batch: int, length: int, generator: Generator) -> tuple[Tensor, Tensor]:
    """Which character comes next?

    Windows of the help texts of the Python that runs (`pydoc_data.topics`), printable ASCII and the end of a line;
    the last tenth of the whole is drawn by generators with an even seed, the rest by those with an odd one.
    """
    text = help_texts()
    train = int(0.9 * len(text))
    held_out = generator.initial_seed() % 2 == 0
    low, high = (train, len(text)) if held_out else (0, train)
    starts = torch.randint(low, high - length - 1, (batch, 1), generator=generator)
    window = text[starts + torch.arange(length + 1)]
    return window[:, :-1], window[:, 1:]


@cache
def help_texts() -> Tensor:
    """All help texts one after the other, a number for each character."""
    from pydoc_data.topics import topics

    characters = "".join(text for _, text in sorted(topics.items()))
    return torch.tensor([95 if c == "\n" else ord(c) - 32 for c in characters if c == "\n" or " " <= c <= "~"])
