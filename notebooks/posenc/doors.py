"""The three doors through which a Transformer layer can learn where a token is."""

from torch import nn


class Scheme(nn.Module):
    """A way to tell a Transformer about position: override the door that it uses.

    Every door hands its argument through unchanged, so a bare `Scheme()` is no positional
    encoding at all. `positions` are int64 tensors whose shape broadcasts against the leading
    dimensions that they describe: (time,) or (batch, time).
    """

    def input(self, x, positions):
        """Door 1. x: (batch, time, width), before the first layer. Returns the same shape."""
        return x

    def query_key(self, q, k, q_positions, k_positions):
        """Door 2. q, k: (batch, heads, queries or keys, head width). Returns both, of the same shapes."""
        return q, k

    def scores(self, scores, q_positions, k_positions):
        """Door 3. scores: (batch, heads, queries, keys), already scaled. Returns the same shape."""
        return scores
