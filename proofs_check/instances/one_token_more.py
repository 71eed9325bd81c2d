"""A softmax average with one token more: what a prompt of any length is built up by."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import Max, oo

from numerics.evidence import Evidence
from numerics.provers import Closed, forall, identity


def larger_of_two(most: int | Fraction) -> Evidence:
    """A mean p x + (1 - p) y of two numbers is at most `most` times the larger one."""
    p, x, y = sp.symbols("p x y", nonnegative=True)
    domain = {p: Closed(0, 1), x: Closed(0, oo), y: Closed(0, oo)}
    return forall(p * x + (1 - p) * y, "<=", sp.Rational(most) * Max(x, y), domain)


def with_one_token_more(
    total: int | Fraction, least: int, most: int | Fraction
) -> tuple[Evidence, Evidence, Evidence, Evidence]:
    """The shares of the tokens so far and of one more token of weight w and value x: their sum,
    that they are nonnegative, the average, and that it is at most the larger value.
    """
    S_L, w = sp.symbols("S_L w", positive=True)
    T, x = sp.symbols("T x", real=True)
    before, own = S_L / (S_L + w), w / (S_L + w)
    total, domain = sp.Rational(total), {S_L: (0, oo), w: (0, oo)}
    with sp.evaluate(False):
        both = before + own
    return (
        identity(both, total),
        forall(own, ">=", least, domain),
        identity((S_L * T + w * x) / (S_L + w), total * (before * T + own * x)),
        larger_of_two(most),
    )
