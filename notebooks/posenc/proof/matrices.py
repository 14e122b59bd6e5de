"""The rotation, which chapters 4 and 7 prove theorems about."""

import sympy as sp


def rotation(angle):
    """The 2 × 2 SymPy matrix that turns (x, y) counter-clockwise by `angle`, an expression in radians."""
    cos, sin = sp.cos(angle), sp.sin(angle)
    return sp.Matrix([[cos, -sin], [sin, cos]])
