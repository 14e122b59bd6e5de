"""The doors, three to the score and one at the value, and attention, encoder and decoder that call them."""

import functools
import math

import pytest
import torch
from test_validate import refuses
from torch import nn
from torch.nn import functional

from posenc.additive import Learned, Sinusoidal
from posenc.doors import Block, Decoder, Encoder, MultiHeadAttention, Scheme, Transformer, attention

TOKENS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def normal(*shape, seed=1, dtype=torch.float64):
    return torch.randn(shape, generator=seeded(seed), dtype=dtype)


def close(left, right, within=1e-12):
    return left.shape == right.shape and (left - right).abs().max().item() < within


class Spy(Scheme):
    """Changes nothing, and notes the door and the positions of each call."""

    def __init__(self):
        super().__init__()
        self.calls = []
        for door in "input", "query_key", "scores", "values":
            setattr(self, door, functools.partial(self.note, door))

    def note(self, door, *given):
        self.calls.append((door, [tensor.tolist() for tensor in given if tensor.dtype == torch.int64]))
        return getattr(super(), door)(*given)


def heads(width=8, count=2, scheme=None, seed=0):
    return MultiHeadAttention(width, count, scheme, generator=seeded(seed)).double()


def test_heads_equal_those_of_torch():
    ours, theirs = heads(), nn.MultiheadAttention(8, 2, bias=False, batch_first=True).double()
    theirs.in_proj_weight.data = torch.cat([part.weight.data for part in (ours.query, ours.key, ours.value)])
    theirs.out_proj.weight.data = ours.output.weight.data
    x, memory, mask = normal(3, 4, 8), normal(3, 6, 8, seed=2), torch.ones(4, 6).tril(1) > 0
    out, weights = ours(x, memory, mask=mask, weights=True)
    want, average = theirs(x, memory, memory, attn_mask=~mask)
    assert close(out, want)
    assert close(weights.mean(1), average)


def test_mask_and_causal_both_hide_whatever_the_third_door_did():
    scheme, q = Scheme(), normal(2, 3, 4, 4)
    scheme.scores = lambda scores, *_: torch.full_like(scores, 1e30)
    places, mask = torch.tensor([[0, 1, 2, 3], [3, 0, 1, 2]]), torch.arange(96).reshape(2, 3, 4, 4) % 5 < 3
    for allowed in mask | (torch.eye(4) > 0), mask[:, :1, :1] | (torch.eye(4) > 0):
        _, weights = attention(q, q, q, places, places, scheme, causal=True, mask=allowed)
        seen = (allowed & (places[:, None, None, :] <= places[:, None, :, None])).expand(2, 3, 4, 4).double()
        assert close(weights, seen / seen.sum(-1, keepdim=True))


def test_positions_count_from_zero_by_default_and_keys_share_those_of_the_queries():
    spy = Spy()
    attend = heads(scheme=spy)
    attend(normal(1, 3, 8))
    attend(normal(1, 3, 8), q_positions=torch.tensor([4, 5, 6]))
    attend(normal(1, 3, 8), normal(1, 2, 8), q_positions=torch.tensor([4, 5, 6]))
    attend(normal(1, 1, 8), normal(1, 2, 8), torch.tensor([7]), torch.tensor([9, 3]))
    assert [places for door, places in spy.calls if door == "scores"] == [
        [[0, 1, 2], [0, 1, 2]],
        [[4, 5, 6], [4, 5, 6]],
        [[4, 5, 6], [0, 1]],
        [[7], [9, 3]],
    ]


def test_each_door_reads_what_the_one_before_returned_and_is_used():
    scheme = Scheme()
    scheme.query_key = lambda q, k, m, n: (2 * q, 3 * k * n[:, None])
    scheme.content_scores = lambda scores, q, k, m, n: scores + (q * m[:, None]) @ k.mT
    scheme.values = lambda mixed, weights, v, m, n: mixed + weights @ (v * n[:, None]) * m[:, None]
    q, k, v = (normal(1, 2, 5, 4, seed=s) for s in range(3))
    m, n = torch.arange(5) + 3, torch.arange(5) + 1
    out, weights = attention(q, k, v, m, n, scheme)
    turned = 3 * k * n[:, None]
    want = q @ turned.mT * (1 + 2 * m[:, None])
    assert close(weights, want.softmax(-1))
    assert close(out, weights @ v + weights @ (v * n[:, None]) * m[:, None])


def test_first_door_adds_to_embeddings_times_root_width():
    scheme, seen = Scheme(), []
    scheme.input = lambda x, _: seen.append(x) or torch.zeros_like(x)
    encoder = Encoder(10, 9, 3, 1, scheme)
    encoder(TOKENS)
    assert close(seen[0], encoder.embedding.weight[TOKENS] * 3, 1e-6)


def test_transformer_opens_doors_in_self_attention_and_not_between_the_stacks():
    ours, theirs = Spy(), Spy()
    model = Transformer(Encoder(10, 8, 2, 2, ours), Decoder(12, 8, 2, 2, theirs, cross=True))
    source, target = TOKENS, TOKENS[:, :3]
    logits = model(source, target, torch.arange(5) + 10, torch.tensor([[2, 3, 4], [7, 8, 9]]))
    assert logits.shape == (2, 3, 12)
    for spy, place in (ours, [10, 11, 12, 13, 14]), (theirs, [[2, 3, 4], [7, 8, 9]]):
        assert [door for door, _ in spy.calls] == ["input"] + ["query_key", "scores", "values"] * 2
        assert all(seen == place for _, places in spy.calls for seen in places)


def test_transformer_masks_the_target_and_reads_the_whole_source():
    model, target = build(seeded()).double(), TOKENS.flip(1)[:, :4]
    whole, other = model(TOKENS, target), target.clone()
    other[:, 3] = 0
    assert torch.equal(model(TOKENS, other)[:, :3], whole[:, :3])
    assert torch.equal(model.decoder(target, memory=model.encoder(TOKENS)), whole)


def build(generator=None):
    scheme = Learned(8, 20, generator=generator)
    encoder = Encoder(10, 8, 2, 2, scheme, generator=generator)
    return Transformer(encoder, Decoder(10, 8, 2, 2, scheme, cross=True, generator=generator))


def test_start_follows_the_generator_and_leaves_the_global_one_alone():
    before = torch.get_rng_state()
    first, again, other = (build(seeded(seed))(TOKENS, TOKENS) for seed in (3, 3, 4))
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_start_is_xavier_with_embeddings_of_unit_variance():
    encoder = Encoder(1000, 64, 4, 1, generator=seeded())
    assert abs(encoder.embedding.weight.std().item() * 8 - 1) < 0.02
    query = encoder.blocks[0].attend.query.weight
    assert query.abs().max().item() <= math.sqrt(6 / 128)
    assert abs(query.std().item() - math.sqrt(2 / 128)) < 0.005
    assert encoder.blocks[0].feed[0].weight.shape == (256, 64)
    assert Encoder(10, 8, 2, 1, hidden=5).blocks[0].feed[0].weight.shape == (5, 8)


def test_every_parameter_is_trained():
    model = build(seeded())
    model(TOKENS, TOKENS).square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in model.parameters())
    biased = {name.rpartition(".")[0].rpartition(".")[2] for name in model.state_dict() if name.endswith("bias")}
    assert not biased & {"query", "key", "value", "output", "logits"}


def test_block_is_three_sums_in_pre_norm_order():
    block = Block(8, 2, 32, cross=True, generator=seeded()).double()
    x, memory = normal(1, 3, 8), normal(1, 4, 8, seed=2)

    def norm(y):
        return (y - y.mean(-1, keepdim=True)) / (y.var(-1, correction=0, keepdim=True) + 1e-5).sqrt()

    y = x + block.attend(norm(x), causal=True)
    y = y + block.cross(norm(y), memory)
    y = y + functional.linear(functional.linear(norm(y), block.feed[0].weight).clamp(min=0), block.feed[2].weight)
    assert close(block(x, memory=memory, causal=True), y)


Q, X = torch.zeros(2, 1, 3, 4), torch.zeros(2, 3, 8)
T, V = TypeError, ValueError
attend = functools.partial(attention, Q, Q, Q)
ENCODER, DECODER = Encoder(9, 8, 2, 1), Decoder(9, 8, 2, 1, cross=True)


def wrong(door, change):
    """A scheme that returns something of another shape at one door."""
    scheme = Scheme()
    setattr(scheme, door, change)
    return scheme


REFUSALS = [
    (lambda: MultiHeadAttention(10, 4), V, ("heads", "heads=4", "width=10", "8 or 12")),
    (lambda: MultiHeadAttention(8, 2, Sinusoidal), T, ("scheme", "Sinusoidal", "Sinusoidal(64)")),
    (lambda: attend([0, 1]), V, ("q_positions", "(3,) or (2, 3)", "(2,)", "one position per token")),
    (lambda: attend(None, [0.5] * 3), T, ("k_positions", "float32", "arange")),
    (lambda: attend(mask=torch.ones(2, 2, 3, 3) > 0), V, ("mask", "(2, 1, 3, 3)", "(2, 2, 3, 3)")),
    (lambda: attend(mask=torch.zeros(3, 3) > 0), V, ("no key", "causal=False", "least one key")),
    (lambda: attend([0, 1, 2], [1, 2, 3], causal=True), V, ("no key", "causal=True")),
    (lambda: attend(scheme=wrong("query_key", lambda q, k, *_: (q, k[..., :2]))), V, ("query_key", "(2, 1, 3, 2)")),
    (lambda: heads()(X.double(), X[..., :4].double()), V, ("memory", "8 columns", "(2, 3, 4)", "width=4")),
    (lambda: attend(scheme=wrong("scores", lambda s, *_: s[0, 0])), V, ("Scheme.scores", "(3, 3)", "return")),
    (lambda: attend(scheme=wrong("values", lambda mixed, *_: mixed[0, 0])), V, ("Scheme.values", "(3, 4)")),
    (lambda: Encoder(10, 8, 2, 1, wrong("input", lambda x, _: x[:, 1:]))(TOKENS), V, ("Scheme.input", "(2, 4, 8)")),
    (lambda: Encoder(0, 8, 2, 1), V, ("vocabulary", "0", "1 or more")),
    (lambda: Encoder(10, 8, 2, 0), V, ("layers", "0", "1 or more")),
    (lambda: Encoder(10, 8, 2, 1, hidden=0), V, ("hidden", "0", "1 or more")),
    (lambda: Encoder(9, 8, 2, 1)(TOKENS), V, ("tokens", "0 … 8", "9", "larger vocabulary")),
    (lambda: Encoder(10, 8, 2, 1)(TOKENS, [0, 1]), V, ("positions", "(5,) or (2, 5)", "(2,)", "transpose it")),
    (lambda: Encoder(10, 8, 2, 1)(TOKENS, None, X), V, ("memory", "one", "cross=False", "with cross=True")),
    (lambda: Decoder(10, 8, 2, 1, cross=True)(TOKENS), V, ("none", "cross=True", "with cross=False")),
    (lambda: Transformer(ENCODER, Decoder(9, 8, 2, 1)), V, ("fit", "cross=False", "cross=True in")),
    (lambda: Transformer(ENCODER, Decoder(9, 6, 2, 1, cross=True)), V, ("fit", "8 and 6", "one width")),
    (lambda: Transformer(Decoder(9, 8, 2, 1), DECODER), V, ("fit", "Decoder and Decoder", "use an")),
]


@pytest.mark.parametrize(("call", "error", "parts"), REFUSALS)
def test_bad_input_is_refused(call, error, parts):
    with refuses(error, *parts):
        call()
