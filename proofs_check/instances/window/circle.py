"""Points of the circle with rational coordinates."""

from __future__ import annotations

import sympy as sp

__all__ = ["on_circle"]


def on_circle(name: str) -> sp.Matrix:
    """A point of the circle, by the tangent of half its angle."""
    p = sp.Symbol(name, real=True)
    return sp.Matrix([1 - p**2, 2 * p]) / (1 + p**2)
