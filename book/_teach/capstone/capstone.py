"""The capstone: your name, and the functions of its steps. `pytest test_capstone.py` says how far you are."""

STUDENT = ""


def turn(x, positions, omega, layout):
    """Step 1. RoPE, counter-clockwise.

    x: (batch, heads, time, head width). positions: integers, (time,) or (batch, time), in any order.
    omega: (head width / 2,). layout: "interleaved" or "split-half". Returns the shape and the dtype of x.
    """
    raise NotImplementedError


def is_wrong(suspect, omega, layout):
    """Step 2. Whether `suspect(x, positions, omega)`, whose source is hidden, turns vectors otherwise than RoPE does.

    It takes what `turn` takes, but for the layout. Test it by what it does to vectors: an offset shared by queries and
    keys counts as wrong, too, though scores do not show it. Returns a bool.
    """
    raise NotImplementedError


def converted(weight, heads, to):
    """Step 2. The weight of queries, or of keys, of a model in the other layout, made fit for the layout `to`.

    weight: (heads · head width, width), as in torch.nn.Linear. Returns the same shape.
    """
    raise NotImplementedError


def stretched(omega, base, factor, rule):
    """Step 3. The frequencies for a text `factor` times as long. rule: "interpolated" or "ntk"."""
    raise NotImplementedError


def findings(net, back, base, length):
    """Step 3. {rule: {factor: accuracy}}, for the rules "plain", "interpolated", "ntk" and the factors 1, 2 and 4.

    net: trained at `length`, its scheme a `given.Rope`, whose `omega` you may set. Nothing is trained here.
    back, base: numbers of `given.variant`. An accuracy is that of `given.accuracy` at factor · length.
    """
    raise NotImplementedError
