"""Moments of in-context regression in matrix words: what holds here holds for every dimension.
Tokens are ``(x, y)`` with ``x ~ N(0, S)``, ``y = w'x + r'n``, ``w, n ~ N(0, I)``: so ``r'r`` is the
variance of the label noise. Parameters are ``U = (A, *; b', *)`` and the last row ``v = (p, q)`` of
V, where the stars never meet the query ``(x, 0)``.
"""

from __future__ import annotations

from theory.symbolic.algebra import Algebra, Words

__all__ = ["DATA", "risk_of_blocks", "token_moments"]

DATA = Algebra(general=["A"], symmetric=["S"], vectors=["w", "x", "p", "b", "r", "n"], params=["q"])


def token_moments(*, noise: bool) -> tuple[Words, Words, Words]:
    """The blocks ``E x x'``, ``E x y`` and ``E y^2``, the task being fixed."""
    w, x, r, n, S = (DATA[name] for name in ("w", "x", "r", "n", "S"))
    y = w.T * x + r.T * n if noise else w.T * x
    blocks = tuple(m.gauss("x", S).gauss("n", DATA.I) for m in (x * x.T, x * y, y * y))
    return blocks[0], blocks[1], blocks[2]


def risk_of_blocks(*, noise: bool) -> Words:
    """``E_w E_x (v'Gamma_w U (x, 0) - w'x)^2 / 2``, multiplied out in blocks."""
    S, A, w, x, p, b, r, q = (DATA[name] for name in ("S", "A", "w", "x", "p", "b", "r", "q"))
    corner = w.T * S * w + r.T * r if noise else w.T * S * w
    prediction = p.T * S * A * x + q * (w.T * S * A * x) + (p.T * S * w + q * corner) * (b.T * x)
    residual = prediction - w.T * x
    return (residual * residual / 2).gauss("x", S).gauss("w", DATA.I)
