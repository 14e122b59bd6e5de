"""The checkers of chapter 01 take the right answer and name the slip behind a wrong one."""

import math

from verdicts import accepts, leaves_open, names_the_slip

from posenc.checks import OPEN, chapter_01
from posenc.doors import Scheme

CASES = list(chapter_01.SYMMETRY)
RIGHT = {case: word for case, (word, _) in chapter_01.SYMMETRY.items()}


def scheme(rule):
    """A scheme that lowers the scores by rule(queries, keys)."""

    class Lowered(Scheme):
        def scores(self, scores, q_positions, k_positions):
            return scores - rule(q_positions, k_positions)

    return Lowered


class ByIndex(Scheme):
    """Ignores the positions that are passed: right only where they happen to count from 0."""

    def scores(self, scores, q_positions, k_positions):
        queries, keys = scores.shape[-2:]
        return (
            scores
            - (q_positions.new_tensor(range(queries))[:, None] - k_positions.new_tensor(range(keys))).abs()
        )


class InPlace(Scheme):
    """Right, and writes into the scores that it is given."""

    def scores(self, scores, q_positions, k_positions):
        scores -= (q_positions[:, None] - k_positions).abs()
        return scores


class Raises(Scheme):
    def scores(self, scores, q_positions, k_positions):
        raise KeyError("positions")


test_right = accepts(
    (chapter_01.outputs, [12 / 7, 1, 10 / 7]),
    (chapter_01.outputs, [1.714, 1, 1.429]),
    (chapter_01.position, 12),
    (chapter_01.position, 12.0),
    (chapter_01.symmetry, RIGHT),
    (chapter_01.distance, scheme(lambda q, k: (q[:, None] - k).abs())),
    (chapter_01.distance, scheme(lambda q, k: (k[None] - q[..., None]).abs())),
    (chapter_01.distance, InPlace),
)


test_wrong = names_the_slip(
    (chapter_01.outputs, [1, 10 / 7, 12 / 7], "invariance"),
    (chapter_01.outputs, [10 / 7, 12 / 7, 1], "inverse"),
    (chapter_01.outputs, [2, 0, 1], "weighted means"),
    (chapter_01.outputs, [1, 1, 1], "differ by more"),
    (chapter_01.outputs, [1.71, 1, 1.43], "differ by more"),
    (chapter_01.position, 4, "score 0"),
    (chapter_01.position, 15, "sum of all weights"),
    (chapter_01.position, 13, "count from 0"),
    (chapter_01.position, 4 * math.log(3), "exponential"),
    (chapter_01.symmetry, RIGHT | {CASES[0]: "invariant"}, "follows its word"),
    (chapter_01.symmetry, RIGHT | {CASES[1]: "equivariant"}, "mean"),
    (chapter_01.symmetry, RIGHT | {CASES[2]: "equivariant"}, "memory"),
    (chapter_01.symmetry, RIGHT | {CASES[3]: "equivariant"}, "mask"),
    (chapter_01.symmetry, RIGHT | {CASES[4]: "invariant"}, "codes"),
    (chapter_01.symmetry, RIGHT | {CASES[5]: "neither"}, "hidden score"),
    (chapter_01.symmetry, RIGHT | {CASES[0]: "yes"}, "choose"),
    (chapter_01.symmetry, RIGHT | {CASES[0]: ["invariant"]}, "choose"),
    (chapter_01.symmetry, {}, "one word for each"),
    (chapter_01.distance, scheme(lambda q, k: q[:, None]), "weights do not"),
    (chapter_01.distance, scheme(lambda q, k: k.expand(2, 3)), "query's place too"),
    (chapter_01.distance, scheme(lambda q, k: -k.expand(2, 3)), "takes the query's place"),
    (chapter_01.distance, Raises, "fails for two queries"),
    (chapter_01.distance, scheme(lambda q, k: q[:, None] - k), "keys after"),
    (chapter_01.distance, scheme(lambda q, k: k - q[:, None]), "keys before"),
    (chapter_01.distance, scheme(lambda q, k: -(q[:, None] - k).abs()), "not rise"),
    (chapter_01.distance, scheme(lambda q, k: (q[:, None] - k) ** 2), "squared"),
    (chapter_01.distance, scheme(lambda q, k: (q - k).abs()), "fails for two queries"),
    (chapter_01.distance, ByIndex, "positions passed"),
    (chapter_01.distance, Scheme, "unchanged"),
    (chapter_01.distance, Scheme(), "class itself"),
    (chapter_01.distance, 3, "class itself"),
)


test_open = leaves_open(chapter_01.outputs, chapter_01.position, chapter_01.distance)


def test_a_wrong_symmetry_is_not_named():
    """Otherwise seven tries would do in place of thinking."""
    for case, (word, _) in chapter_01.SYMMETRY.items():
        other = "neither" if word != "neither" else "invariant"
        assert case not in repr(chapter_01.symmetry(RIGHT | {case: other}))


def test_partly_open():
    assert repr(chapter_01.symmetry(RIGHT | {CASES[0]: ...})) == OPEN
