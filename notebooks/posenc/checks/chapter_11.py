"""Exercises of chapter 11, which one works."""

from posenc.checks import HIDDEN, exercise, extra_trials, generator, same, torch, works


@exercise
def whole(answer, letters=8, tokens=96):
    """Exercise 11.1: right up to the trained length, guesses beyond."""
    known, later, scored = 24 - 5, tokens - 24, tokens - 5
    return same(answer, {
        "More than half of what is right was right in the trained part.": (known + later / letters) / scored,
        "The guesses are right now and then, too.": known / scored,
        f"The first five places are not scored, so there are {scored} and not {tokens}.": (known + later / letters) / tokens,
        "Of the first 24 places five are not scored.": (24 + later / letters) / scored,
        "The guesses alone are not all: the first places are right.": 1 / letters,
        f"Of the first 24 places five are not scored, and {scored} are in all.": (24 + later / letters) / tokens,
        "Beyond the trained length it guesses.": 1.0,
        "Give a share, not a number of answers.": known + later / letters,
    }, within=6e-5)


@exercise
def steps(answer, back=5, factor=4):
    """Exercise 11.2: where a head looks whose frequencies were divided."""
    return same(answer, {
        "It sees every distance as if it were divided by the factor.": back * factor,
        "That is what its old key looks like now. Where is the key that looks as the old one did?": back / factor,
        "It looked there before: the turn of that key is smaller now.": back,
        "A factor multiplies.": back + factor,
        "The frequencies were divided, so a key must be farther away to turn as much.": back - factor,
        "The factor alone is not a distance.": factor,
        "How many steps back: a number of steps has no sign.": -back * factor,
    })


def _texts(letters, count):
    source = generator(11 + HIDDEN.get())
    for tokens in (7, 1, 30)[:count]:
        logits = torch.randn(tokens, letters, generator=source)
        answers = torch.randint(letters, (tokens,), generator=source)
        blank = torch.rand(tokens, generator=source) < 0.4
        blank[-1] = False
        answers[: tokens // 3] = logits.argmax(-1)[: tokens // 3]
        yield logits, torch.where(blank, -1, answers)


@exercise(tensors=True)
def share_right(answer):
    """Exercise 11.3: a function of logits and answers, −1 where nothing is scored."""

    def right(logits, answers):
        return (logits.argmax(-1) == answers)[answers != -1].double().mean()

    trials = [*_texts(8, 3), *_texts(3, 3)]
    return works(answer, trials, {
        "Places that are not scored count neither above nor below the line.": right,
        "Divide by the number of scored places, not of all.": lambda logits, answers: (logits.argmax(-1) == answers).double().mean(),
        "That is the share of wrong answers.": lambda logits, answers: 1 - right(logits, answers),
        "The share, not the number.": lambda logits, answers: (logits.argmax(-1) == answers)[answers != -1].sum(),
        "The largest logit names the answer, not the smallest.": lambda logits, answers: right(-logits, answers),
        "Give the mean over places, one number.": lambda logits, answers: (logits.argmax(-1) == answers)[answers != -1].double(),
        "Places that are not scored are no right answers.": lambda logits, answers: ((logits.argmax(-1) == answers) | (answers == -1)).double().mean(),
    })


def _distances(tokens, most=15, mark=16, first=0, none=-1):
    answers, last = [], None
    for place, token in enumerate(tokens):
        last = place if token == mark else last
        steps = none if last is None else place - last
        answers.append(steps + first if last is not None and steps <= most else none)
    return answers


@exercise
def distances(answer):
    """Exercise 11.4: a function from tokens to the steps back to the last marker, up to 15."""
    texts = [[3, 16, 1, 2, 16, 16, 5], [16] + 20 * [4], [1, 2, 3], [16], 18 * [0] + [16, 2], [5, 16] + 30 * [7] + [16]]
    dice_texts = extra_trials(lambda dice: ([dice.choice([16, 1, 2, 3, 4, 5]) for _ in range(dice.randint(5, 40))],), 4)
    def from_the_first(tokens):
        first = tokens.index(16) if 16 in tokens else len(tokens)
        return [n - first if first <= n <= first + 15 else -1 for n in range(len(tokens))]

    trials = [*((text,) for text in texts), *dice_texts]
    return works(answer, trials, {
        "A marker begins the count anew, and after a while it is out of reach.": _distances,
        "The marker itself is 0 steps away.": lambda t: _distances(t, first=1),
        "Beyond 15 steps nothing is scored.": lambda t: _distances(t, 10**9),
        "At 15 steps the marker still counts.": lambda t: _distances(t, 14),
        "Where there was no marker yet, the answer is −1.": lambda t: [0 if 16 not in t[: n + 1] else x for n, x in enumerate(_distances(t))],
        "The last marker counts, not the first.": from_the_first,
        "The markers come before a place, not after it.": lambda t: _distances(t[::-1])[::-1],
    })


@exercise
def rows_trained(answer, rows=96, tokens=24, row=40):
    """Exercise 11.5: how often two rows of a learned table are used, if texts begin at a random offset."""
    starts = rows - tokens + 1
    return same(answer, {
        "Row 0 is met by one start in all. A row in the middle is met by as many starts as a text has tokens.": [1 / starts, tokens / starts],
        f"A text of {tokens} tokens can begin at {starts} places: count the last one, too.": [1 / (starts - 1), tokens / (starts - 1)],
        "Not every row is met equally often: the first has one start that meets it.": [tokens / starts, tokens / starts],
        "Row 0 is met by the texts that begin there.": [0, tokens / starts],
        "A text cannot begin so late that its last tokens have no row.": [1 / rows, tokens / rows],
        "Of the starts that meet the row in the middle, the last is the row itself: count both ends.": [1 / starts, (tokens - 1) / starts],
        "Each place of the text may be the one that meets the row.": [1 / starts, 1 / starts],
    }, within=6e-5)
