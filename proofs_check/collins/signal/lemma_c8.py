"""Lemma C.8 of Collins et al.: the signal term of ReLU tasks from above. It is stated for every
width, and fails for windows that hold no token.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, computed, forall, identity, integral_evidence
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging
from proofs_check.core.witnessed import along
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import charge
from proofs_check.instances.window.along_lengths import at_most
from theory.attention.window.classes import relu

n = Diverging.n


def nearest(tokens: sp.Expr) -> sp.Expr:
    """A lower bound, over L^2, of the signal term of ReLU tasks for d = 7: 1/42 of the mean square
    of the least 1 - t_i, that is s^2 times the probability that no token is nearer than s, at least
    1 - (5/4) n s^3; here s makes this one half.
    """
    return sp.Rational(1, 84) * (sp.Rational(2, 5) / tokens) ** sp.Rational(2, 3)


EMPTY_WINDOWS = Diverging(
    point={"c": Fraction(1)},
    hypotheses=("n >= 5", "w >= (7 + sqrt(7))/2"),
    sequence=lambda k, c: {"n": (k + 2) ** 9, "w": c * (k + 2) ** 9},
    ratio=lambda n, w: nearest(n) / (1 / w + 1 / n),
    exceeds=n**3 / 400,
)


@claim("COL:C.8/caps", control=(dict(constant=1), dict(share=Fraction(1, 2)), dict(total=2)))
def caps_in_seven_dimensions(
    *, constant: Fraction = Fraction(5, 4), share: int | Fraction = 1, total: int = 1
) -> Evidence:
    r"""In $d=7$, where the density of a coordinate is $\frac{15}{16}(1-t^2)^2$, of the integral
    `total` = 1, the cap of height $s$ has at most `constant` = 5/4 times $s^3$ of the sphere; and
    the probability of no token in a cap of measure $\sigma$ is at least $1-n\sigma$, where $n$ has
    the factor `share` = 1.
    """
    s, t = sp.Symbol("s", positive=True), sp.Symbol("t", real=True)
    density = sp.Rational(15, 16) * (1 - t**2) ** 2
    whole = identity(computed(r"\int p", sp.integrate(density, (t, -1, 1))), total)
    measure = forall(
        sp.expand(sp.integrate(density, (t, 1 - s, 1))), "<=", constant * s**3, {s: sp.Interval.Lopen(0, 2)}
    )
    empty = derivation("COL:C.8/caps", forall(1 - share * s, "<=", 1 - s, {s: (0, 1)}), share=share)
    return all_of(whole, measure, empty).replace(dimension="d = 7")


def widths(d: int, n: int) -> NDArray[np.float64]:
    """Wide windows, up to where attention with few tokens is all but hard."""
    return np.geomspace((d + math.sqrt(d)) / 2, 300.0, 6)


@claim(
    "COL:C.8",
    **charge(false="gap", costs="a hypothesis"),
    needs=("COL:C.8/caps", "COL:C.9"),
    repair=dict(printed=False),
    control=(dict(printed=False, constant=Fraction(1, 4)), dict(printed=False, half=Fraction(1, 3))),
    hypotheses=EMPTY_WINDOWS.hypotheses,
)
def signal_of_relu_tasks(
    *, printed: bool = True, constant: Fraction = Fraction(1, 2), half: Fraction = Fraction(1, 2)
) -> Evidence:
    r"""Printed, the sequence $w=n$ for $d=7$ defeats every constant. Otherwise the signal term at
    $L=1$ is at most `constant` = 1/2 times $\frac1w+n^{-2/(d-1)}$ for $d=3,4,7$, $n$ from 2 to
    100 and widths to 300; and for $n=w^{d/2}$, where $\frac12$ is `half`, the exponent
    $-\frac{d}{d-1}$ of $w$ in $n^{-2/(d-1)}$ is at most -1.
    """
    if printed:
        return along(EMPTY_WINDOWS, d=7)
    bound = lambda d, n, w: float(constant) * (1 / w + n ** (-2 / (d - 1)))
    stated = r"\mathcal L_{\rm sig}(\mathcal F_1^+)\leq\tfrac12(\tfrac1w+n^{-2/(d-1)})"
    d = sp.Symbol("d", integer=True, positive=True)
    filled = forall(-2 * sp.Rational(half) * d / (d - 1), "<=", -1, {d: Integers(2, sp.oo)})
    return all_of(
        at_most(relu, bound, dimensions=(3, 4, 7), lengths=(2, 30, 100), widths=widths, checked=stated),
        filled,
    )


@claim("COL:C.8p/first", control=dict(distance=Fraction(9, 10)))
def by_distances(*, distance: int | Fraction = 1) -> Evidence:
    r"""The signal term is at most the mean of $(Lg_1/g_0)^2$, with `distance` = 1 before $L$, for
    any number of tokens and any weights of attention. It is tried with weights $\gamma$ and
    $1-\gamma$ and differences of at most $Lg$ and $Lh$.
    """
    weight, theta, tau = sp.symbols("gamma theta tau", real=True)
    g, h = sp.symbols("g h", positive=True)
    ranges = {
        weight: Closed(0, 1),
        theta: Closed(-1, 1),
        tau: Closed(-1, 1),
        g: Closed(Fraction(1, 100), 2),
        h: Closed(Fraction(1, 100), 2),
    }
    left = (weight * theta * g + (1 - weight) * tau * h) ** 2
    search = forall(left, "<=", (distance * (weight * g + (1 - weight) * h)) ** 2, ranges)
    return derivation("COL:C.8p/first", search, c=distance)


HARD = Diverging(
    point={"c": Fraction(1)},
    hypotheses=("n >= 3", "w >= (3 + sqrt(3))/2"),
    # with probability 1/2 or more no token is within 1 - t <= 1/n, so that g_1/g_0 >= sqrt(2/n)
    sequence=lambda k, c: {"n": k + 2, "w": c * (k + 2) ** 3},
    ratio=lambda n, w: sp.sqrt(2 / n) * sp.sqrt(w),
    exceeds=n,
)


@claim(
    "COL:C.8p/likely",
    **charge(false="gap", follows="COL:C.8", costs="a hypothesis"),
    repair=dict(enough=True),
    control=dict(enough=True, constant=Fraction(9, 10)),
    hypotheses=HARD.hypotheses,
)
def distances_are_likely_small(*, enough: bool = False, constant: int | Fraction = 1) -> Evidence:
    r"""With probability at least 1/2, more than $\frac1n$, the quotient over $w^{-1/2}$ is above
    $\sqrt{2w/n}$, which along $w=n^3$ exceeds every constant. With `enough` tokens: the integral of
    $1-e^{(v-C)e^{-v^2}}$ times $2v$ from 0 to 3, where $C$ is `constant` = 1, is at least
    $\frac{1}{28}$.
    """
    if not enough:
        return along(HARD, d=3)
    v = sp.Symbol("v", positive=True)
    return integral_evidence(
        (1 - sp.exp((v - constant) * sp.exp(-(v**2)))) * 2 * v, v, (0, 3), ">=", sp.Rational(1, 28)
    )
