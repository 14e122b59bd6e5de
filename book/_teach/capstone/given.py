"""What is given in the capstone: your variant, a task, a small model, its training. You need not change this file."""

import hashlib

import torch

from posenc.doors import Decoder, Scheme
from posenc.frequencies import geometric

WORDS, WIDTH, HEADS = 12, 32, 2
LAYOUTS = ("interleaved", "split-half")


def variant(student):
    """The numbers of a student, by the digest of the name: places to look back, base, trained length, layout."""
    if not student:
        raise ValueError("STUDENT is empty: write your name into capstone.py")
    first, second, third, fourth = hashlib.sha256(student.encode()).digest()[:4]
    return {
        "back": 3 + first % 4, "base": (100.0, 300.0, 1000.0)[second % 3], "trained": (24, 28, 32)[third % 3],
        "layout": LAYOUTS[fourth % 2],
    }  # fmt: skip


def frequencies(base):
    """Those of a head: float64, (WIDTH / HEADS / 2,)."""
    return geometric(WIDTH // HEADS, base)


class Rope(Scheme):
    """The second door, with your `turn`: queries and keys, (batch, heads, time, head width), by their positions."""

    def __init__(self, turn, omega, layout):
        super().__init__()
        self.turn, self.omega, self.layout = turn, omega, layout

    def query_key(self, q, k, q_positions, k_positions):
        """Both, turned."""
        return self.turn(q, q_positions, self.omega, self.layout), self.turn(k, k_positions, self.omega, self.layout)


def texts(count, length, seed):
    """Random words: integers below WORDS, (count, length)."""
    return torch.randint(WORDS, (count, length), generator=torch.Generator().manual_seed(seed))


def trained(scheme, back, length, steps=200):
    """A decoder of one layer that learned to name the word `back` places back, in texts of one length."""
    net = Decoder(WORDS, WIDTH, HEADS, 1, scheme, generator=torch.Generator().manual_seed(1))
    optimiser = torch.optim.Adam(net.parameters(), lr=0.01)
    for step in range(steps):
        x = texts(32, length, step)
        loss = torch.nn.functional.cross_entropy(net(x)[:, back:].flatten(0, 1), x[:, :-back].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return net


@torch.no_grad()
def accuracy(net, back, length):
    """The share of right answers in 64 new texts of a length."""
    x = texts(64, length, seed=10**6)
    return (net(x).argmax(-1)[:, back:] == x[:, :-back]).double().mean().item()
