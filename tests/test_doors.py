"""The doors, three to the score and one at the value, and attention, encoder and decoder that call them."""

import functools
import math

import pytest
import torch
from test_guard import refuses
from torch import nn
from torch.nn import functional

from posenc.additive import Learned, Sinusoidal
from posenc.doors import Block, Decoder, Encoder, MultiHeadAttention, Scheme, Transformer, attention


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def normal(*shape, seed=1, dtype=torch.float64):
    return torch.randn(shape, generator=seeded(seed), dtype=dtype)


def close(left, right, within=1e-12):
    return left.shape == right.shape and (left - right).abs().max().item() < within


class Spy(Scheme):
    """Changes nothing, and notes each call: door, shapes, positions."""

    def __init__(self):
        super().__init__()
        self.calls = []
        for door, tensors in {"input": 1, "query_key": 2, "scores": 1, "values": 3}.items():
            setattr(self, door, functools.partial(self.note, door, tensors))

    def note(self, door, tensors, *given):
        shapes = [tuple(tensor.shape) for tensor in given[:tensors]]
        self.calls.append((door, shapes, [positions.tolist() for positions in given[tensors:]]))
        return getattr(super(), door)(*given)


def heads(width=8, count=2, scheme=None, seed=0):
    return MultiHeadAttention(width, count, scheme, generator=seeded(seed)).double()


# attention


def test_heads_equal_those_of_torch():
    ours, theirs = heads(), nn.MultiheadAttention(8, 2, bias=False, batch_first=True).double()
    parts = (ours.query, ours.key, ours.value)
    theirs.in_proj_weight.data = torch.cat([part.weight.data for part in parts])
    theirs.out_proj.weight.data = ours.output.weight.data
    x, memory, mask = normal(3, 4, 8), normal(3, 6, 8, seed=2), torch.ones(4, 6).tril(1) > 0
    out, weights = ours(x, memory, mask=mask, weights=True)
    want, average = theirs(x, memory, memory, attn_mask=~mask)
    assert close(out, want)
    assert weights.shape == (3, 2, 4, 6)
    assert close(weights.mean(1), average)
    assert torch.equal(ours(x, memory, mask=mask), out)


def test_mask_and_causal_both_hide_at_the_positions_of_each_sequence():
    x, places = normal(2, 4, 8), torch.tensor([[0, 1, 2, 3], [3, 0, 1, 2]])
    padding = torch.tensor([[True, True, True, True], [True, True, False, True]])
    _, weights = heads()(x, q_positions=places, causal=True, mask=padding[:, None, None, :], weights=True)
    want = torch.stack([torch.ones(4, 4).tril() > 0, (places[1] <= places[1][:, None]) & padding[1]])
    assert torch.equal(weights > 0, want[:, None].expand(2, 2, 4, 4))


def test_each_head_may_have_a_mask_of_its_own():
    q, mask = normal(2, 3, 4, 4), torch.arange(96).reshape(2, 3, 4, 4) % 5 < 3
    _, weights = attention(q, q, q, mask=mask)
    assert torch.equal(weights > 0, mask)
    with refuses(ValueError, "mask", "(2, 3, 4, 4)", "(2, 2, 4, 4)"):
        attention(q, q, q, mask=mask[:, :2])


# Order.


TOKENS = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])


@pytest.mark.parametrize("model", [Encoder, Decoder])
@pytest.mark.parametrize("scheme", [None, Sinusoidal(8)])
def test_stack_tells_order_by_scheme_or_mask(model, scheme):
    stack = model(10, 8, 2, 2, scheme, generator=seeded()).double()
    order = [4, 2, 0, 1, 3]
    blind = close(stack(TOKENS[:, order]), stack(TOKENS)[:, order], 1e-9)
    assert blind == (model is Encoder and scheme is None)
    pooled = close(stack(TOKENS[:, order]).mean(1), stack(TOKENS).mean(1), 1e-9)
    assert pooled == blind


# The doors.


def test_positions_count_from_zero_by_default_and_keys_share_those_of_the_queries():
    spy = Spy()
    attend = heads(scheme=spy)
    attend(normal(1, 3, 8))
    attend(normal(1, 3, 8), q_positions=torch.tensor([4, 5, 6]))
    attend(normal(1, 3, 8), normal(1, 2, 8), q_positions=torch.tensor([4, 5, 6]))
    attend(normal(1, 2, 8), q_positions=torch.tensor([1, 2]), k_positions=torch.tensor([8, 9]))
    attend(normal(1, 1, 8), normal(1, 2, 8), torch.tensor([7]), torch.tensor([9, 3]))
    assert [places for door, _, places in spy.calls if door == "scores"] == [
        [[0, 1, 2], [0, 1, 2]],
        [[4, 5, 6], [4, 5, 6]],
        [[4, 5, 6], [0, 1]],
        [[1, 2], [8, 9]],
        [[7], [9, 3]],
    ]


def test_the_third_door_may_read_what_the_second_returned():
    class Read(Scheme):
        def query_key(self, q, k, q_positions, k_positions):
            return 2 * q, 3 * k

        def content_scores(self, scores, q, k, q_positions, k_positions):
            self.seen = q, k, q_positions, k_positions
            return scores + q.sum(-1, keepdim=True) * k.sum(-1)[..., None, :]

    q, k, v = (normal(1, 2, 5, 4, seed=s) for s in range(3))
    scheme, at = Read(), torch.arange(5) + 3
    out, weights = attention(q, k, v, at, at, scheme)
    assert torch.equal(scheme.seen[0], 2 * q)
    assert torch.equal(scheme.seen[1], 3 * k)
    assert all(torch.equal(seen, at) for seen in scheme.seen[2:])
    want = 6 * (q @ k.mT / 2 + q.sum(-1, keepdim=True) * k.sum(-1)[..., None, :])
    assert close(weights, want.softmax(-1))
    assert close(out, weights @ v)


def test_what_the_fourth_door_returns_is_used_and_weighs_nothing_anew():
    class Mark(Scheme):
        def values(self, mixed, weights, v, q_positions, k_positions):
            self.seen = mixed, weights, v
            return mixed + weights @ (v * k_positions[:, None])

    q, k, v = (normal(1, 2, 5, 4, seed=s) for s in range(3))
    scheme, at = Mark(), torch.arange(5)
    out, weights = attention(q, k, v, at, at, scheme, causal=True)
    plain, same_weights = attention(q, k, v, causal=True)
    assert torch.equal(weights, same_weights)
    assert torch.equal(scheme.seen[0], plain)
    assert torch.equal(scheme.seen[1], weights)
    assert scheme.seen[2] is v
    assert close(out, weights @ (v * (1 + at[:, None])))
    assert not close(out, plain, 0.01)


def test_third_door_comes_before_the_mask():
    class Huge(Scheme):
        def scores(self, scores, q_positions, k_positions):
            return torch.full_like(scores, 1e30)

    q = normal(1, 1, 4, 4)
    _, weights = attention(q, q, q, scheme=Huge(), causal=True)
    seen = torch.ones(4, 4, dtype=q.dtype).tril()
    assert close(weights[0, 0], seen / seen.sum(-1, keepdim=True))


def test_first_door_adds_to_embeddings_times_root_width():
    class Catch(Scheme):
        def input(self, x, positions):
            self.seen = x
            return torch.zeros_like(x)

    encoder = Encoder(10, 9, 3, 1, Catch())
    out = encoder(TOKENS)
    assert close(encoder.scheme.seen, encoder.embedding.weight[TOKENS] * 3, 1e-6)
    assert torch.equal(out[0], out[1])


def test_transformer_opens_doors_in_self_attention_and_not_between_the_stacks():
    ours, theirs = Spy(), Spy()
    model = Transformer(Encoder(10, 8, 2, 2, ours), Decoder(12, 8, 2, 2, theirs, cross=True))
    source, target = TOKENS, TOKENS[:, :3]
    logits = model(source, target, torch.arange(5) + 10, torch.tensor([[2, 3, 4], [7, 8, 9]]))
    assert logits.shape == (2, 3, 12)
    for spy, length, place in ((ours, 5, [10, 11, 12, 13, 14]), (theirs, 3, [[2, 3, 4], [7, 8, 9]])):
        assert [door for door, _, _ in spy.calls] == ["input"] + ["query_key", "scores", "values"] * 2
        assert {shape for _, shapes, _ in spy.calls for shape in shapes} == {
            (2, length, 8),
            (2, 2, length, 4),
            (2, 2, length, length),
        }
        assert all(seen == place for _, _, places in spy.calls for seen in places)


def test_transformer_masks_the_target_and_reads_the_whole_source():
    model, target = build(seeded()).double(), TOKENS.flip(1)[:, :4]
    whole, other = model(TOKENS, target), target.clone()
    other[:, 3] = 0
    assert torch.equal(model(TOKENS, other)[:, :3], whole[:, :3])
    assert torch.equal(model.decoder(target, memory=model.encoder(TOKENS)), whole)


# Construction


def build(generator=None):
    scheme = Learned(8, 20, generator=generator)
    return Transformer(
        Encoder(10, 8, 2, 2, scheme, generator=generator), Decoder(10, 8, 2, 2, scheme, cross=True, generator=generator)
    )


def test_start_follows_the_generator_and_leaves_the_global_one_alone():
    before = torch.get_rng_state()
    first, again, other = build(seeded(3)), build(seeded(3)), build(seeded(4))
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), again.parameters(), strict=True))
    assert not torch.equal(first(TOKENS, TOKENS), other(TOKENS, TOKENS))
    torch.manual_seed(3)
    first = build()
    torch.manual_seed(3)
    assert torch.equal(build()(TOKENS, TOKENS), first(TOKENS, TOKENS))


def test_start_is_xavier_with_embeddings_of_unit_variance():
    encoder = Encoder(1000, 64, 4, 1, generator=seeded())
    assert abs(encoder.embedding.weight.std().item() * 8 - 1) < 0.02
    query = encoder.blocks[0].attend.query.weight
    assert query.abs().max().item() <= math.sqrt(6 / 128)
    assert abs(query.std().item() - math.sqrt(2 / 128)) < 0.005
    assert encoder.blocks[0].feed[0].weight.shape == (256, 64)
    assert encoder.blocks[0].feed[0].bias.abs().max() == 0
    assert Encoder(10, 8, 2, 1, hidden=5).blocks[0].feed[0].weight.shape == (5, 8)


def test_every_parameter_is_trained_and_training_mode_changes_nothing():
    model = build(seeded())
    assert torch.equal(model.train()(TOKENS, TOKENS), model.eval()(TOKENS, TOKENS))
    model(TOKENS, TOKENS).square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in model.parameters())


def test_attention_has_no_biases_and_logits_none():
    names = {name.rpartition(".")[2] for name in Decoder(10, 8, 2, 1).logits.state_dict()}
    assert names | {name.rpartition(".")[2] for name in heads().state_dict()} == {"weight"}


def test_block_looks_ahead_unless_told_otherwise():
    block, x = Block(8, 2, 32, generator=seeded()).double(), normal(1, 3, 8)
    y = x + block.attend(block.attend_norm(x))
    assert close(block(x), y + block.feed(block.feed_norm(y)))
    assert not hasattr(block, "cross")


def test_block_is_three_sums_in_pre_norm_order():
    block = Block(8, 2, 32, cross=True, generator=seeded()).double()
    x, memory = normal(1, 3, 8), normal(1, 4, 8, seed=2)

    def norm(y):
        return (y - y.mean(-1, keepdim=True)) / (y.var(-1, correction=0, keepdim=True) + 1e-5).sqrt()

    y = x + block.attend(norm(x), causal=True)
    y = y + block.cross(norm(y), memory)
    y = y + functional.linear(functional.linear(norm(y), block.feed[0].weight).clamp(min=0), block.feed[2].weight)
    assert close(block(x, memory=memory, causal=True), y)


# What is refused.

Q = torch.zeros(2, 1, 3, 4)
X = torch.zeros(2, 3, 8)
T, V = TypeError, ValueError
ENCODER, DECODER = Encoder(9, 8, 2, 1), Decoder(9, 8, 2, 1, cross=True)


class Wrong(Scheme):
    """Returns something of another shape at one door."""

    def __init__(self, door, change):
        super().__init__()
        setattr(self, door, change)


FLAT = Wrong("scores", lambda scores, *_: scores[0, 0])  # it would broadcast
NARROW = Wrong("query_key", lambda q, k, *_: (q[..., :2], k))
BARE = Wrong("values", lambda mixed, *_: mixed[0, 0])
SHORT = Wrong("input", lambda x, _: x[:, 1:])


REFUSALS = [
    (lambda: MultiHeadAttention(10, 4), V, ("heads", "heads=4", "width=10", "8 or 12")),
    (lambda: MultiHeadAttention(8, 2, Sinusoidal), T, ("scheme", "Sinusoidal", "Sinusoidal(64)")),
    (lambda: attention(Q, Q, Q, scheme="rope"), T, ("scheme", "'rope'", "pass")),
    (lambda: heads()(X[..., :4].double()), V, ("x", "8 columns", "(2, 3, 4)", "width=4")),
    (lambda: heads()(X.double(), X[:1].double()), V, ("q, k and v", "(1, 2, 3, 4)", "one batch")),
    (lambda: attention(Q, Q, Q, [0, 1]), V, ("q_positions", "(3,) or (2, 3)", "(2,)", "give each token")),
    (lambda: attention(Q, Q, Q, None, [0.5] * 3), T, ("k_positions", "float32", "arange")),
    (lambda: attention(Q, Q, Q, mask=torch.ones(2, 3) > 0), V, ("mask", "(3, 3)", "(2, 3)", "None, None")),
    (lambda: attention(Q, Q, Q, mask=torch.zeros(3, 3) > 0), V, ("mask", "causal=False", "one key at least")),
    (lambda: attention(Q, Q, Q, [0, 1, 2], [1, 2, 3], causal=True), V, ("causal=True", "one key at least")),
    (lambda: attention(Q, Q, Q, scheme=NARROW), V, ("Wrong.query_key", "(2, 1, 3, 4)", "(2, 1, 3, 2)")),
    (lambda: heads()(X.double(), X[..., :4].double()), V, ("memory", "8 columns", "(2, 3, 4)", "width=4")),
    (lambda: attention(Q, Q, Q, scheme=FLAT), V, ("Wrong.scores", "(2, 1, 3, 3)", "(3, 3)", "return")),
    (lambda: attention(Q, Q, Q, scheme=BARE), V, ("Wrong.values", "(2, 1, 3, 4)", "(3, 4)", "return")),
    (lambda: Encoder(10, 8, 2, 1, SHORT)(TOKENS), V, ("Wrong.input", "(2, 5, 8)", "(2, 4, 8)", "return")),
    (lambda: Encoder(0, 8, 2, 1), V, ("vocabulary", "0", "1 or more")),
    (lambda: Encoder(10, 8, 2, 0), V, ("layers", "0", "1 or more")),
    (lambda: Encoder(10, 8, 2, 1, hidden=0), V, ("hidden", "0", "1 or more")),
    (lambda: Encoder(9, 8, 2, 1)(TOKENS), V, ("tokens", "0 … 8", "9", "vocabulary above 9")),
    (lambda: Encoder(10, 8, 2, 1)(TOKENS, [0, 1]), V, ("positions", "(5,) or (2, 5)", "(2,)", "give")),
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
