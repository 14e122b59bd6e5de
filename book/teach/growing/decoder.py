"""A small decoder that reads by your functions, and what it is taught. You need not change this file.

python decoder.py     how often it names the word three places back, in texts of the trained length and longer
"""

import math

import torch

from posenc.checks import Refused, parts_of
from posenc.lab.who_bites import ANSWERS, KEPT, QUESTIONS

WORDS, WIDTH, HEADS, LENGTH, BACK = 12, 32, 2, 24, 3
OMEGA = 100.0 ** -(torch.arange(0, WIDTH // HEADS, 2) * HEADS / WIDTH).double()


class Decoder(torch.nn.Module):
    """One layer: embedding, attention under a causal mask, a linear map to the next word.

    attend: yours. add: positions → (time, WIDTH), added to the embeddings. relate: q, k, positions → q, k, bias, where
    q and k are (batch, heads, time, width of a head) and the bias is added to the scores.
    """

    def __init__(self, words, attend, add=None, relate=None):
        super().__init__()
        self.attend, self.add, self.relate = attend, add, relate
        torch.manual_seed(1)
        self.embedding = torch.nn.Embedding(words, WIDTH)
        self.query, self.key, self.value, self.output = (torch.nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))
        self.logits = torch.nn.Linear(WIDTH, words)

    def forward(self, tokens):
        """tokens: integers, (batch, time). Returns logits, (batch, time, words)."""
        positions = torch.arange(tokens.shape[1])
        x = self.embedding(tokens)
        if self.add:
            x = x + self.add(positions).to(x.dtype)
        q, k, v = (part(x).unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in (self.query, self.key, self.value))
        later = torch.full((len(positions),) * 2, -math.inf).triu(1)
        bias = 0
        if self.relate:
            q, k, bias = parts_of(self.relate(q, k, positions), 3, "own_scheme must return q, k and a bias, or 0.")
            for name, part in (("queries", q), ("keys", k), ("bias", bias)):
                if torch.result_type(part, v) != v.dtype:
                    raise Refused(f"Your function returned {name} in {part.dtype} for {v.dtype}: convert last of all.")
        mixed = self.attend(q, k, v, bias + later)
        return self.logits(x + self.output(mixed.transpose(1, 2).flatten(2)))


def train(decoder, batch, steps):
    """Train it. batch: number of the step → tokens, the places that are asked, and the right words there."""
    optimiser = torch.optim.Adam(decoder.parameters(), lr=0.01)
    for number in range(steps):
        tokens, places, right = batch(number)
        loss = torch.nn.functional.cross_entropy(decoder(tokens)[:, places].flatten(0, -2), right.flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return decoder


def who_bites(decoder):
    """The share of *dog bites man ?* that it answers rightly, after training, of pairs that it was not trained on."""
    train(decoder, lambda number: (QUESTIONS[~KEPT], slice(-1, None), ANSWERS[~KEPT]), steps=100)
    return share(decoder(QUESTIONS[KEPT])[:, -1], ANSWERS[KEPT])


def texts(count, length, seed):
    """Random words, (count, length)."""
    return torch.randint(WORDS, (count, length), generator=torch.Generator().manual_seed(seed))


def look_back(decoder, steps=200):
    """Train it to name the word BACK places back, in texts of LENGTH words. Returns it."""

    def batch(number):
        tokens = texts(32, LENGTH, number)
        return tokens, slice(BACK, None), tokens[:, :-BACK]

    return train(decoder, batch, steps)


@torch.no_grad()
def share_named(decoder, length=LENGTH):
    """The share of words BACK places back that it names, in new texts of this length."""
    tokens = texts(64, length, seed=10**6)
    return share(decoder(tokens)[:, BACK:], tokens[:, :-BACK])


def share(logits, right):
    """The share of logits whose largest names the right word."""
    return (logits.argmax(-1) == right).double().mean().item()


if __name__ == "__main__":
    import my_positions

    schemes = {
        "blind": {},
        "sinusoidal": {"add": lambda positions: my_positions.sinusoidal(positions, WIDTH, 100.0)},
        "turn": {"relate": lambda q, k, at: (my_positions.turn(q, at, OMEGA), my_positions.turn(k, at, OMEGA), 0)},
        "bias": {"relate": lambda q, k, at: (q, k, my_positions.bias(HEADS, at, at))},
        "own_scheme": {"relate": my_positions.own_scheme},
    }
    print(f"{'length':12}" + "".join(f"{LENGTH * factor:8}" for factor in (1, 2, 4)))
    for name, options in schemes.items():
        trained = look_back(Decoder(WORDS, my_positions.attend, **options))
        print(f"{name:12}" + "".join(f"{share_named(trained, LENGTH * factor):8.2f}" for factor in (1, 2, 4)))
