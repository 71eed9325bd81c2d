"""Lemma C.8 of Collins et al.: the signal term of ReLU tasks from above. It is stated for every
width, and fails for windows that hold no token.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy as sp

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, computed, forall, identity
from proofs_check.collins.signal.upper_bounds import DIMENSIONS, wide
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


@claim(
    "COL:C.8",
    **charge(false="gap", costs="a hypothesis"),
    needs=("COL:C.8/caps", "COL:C.9", "COL:C.2"),
    repair=dict(printed=False),
    control=(dict(printed=False, power=2), dict(printed=False, tokens=Fraction(1, 4))),
    hypotheses=EMPTY_WINDOWS.hypotheses,
)
def signal_of_relu_tasks(
    *, printed: bool = True, power: int = 1, tokens: Fraction = Fraction(1, 2)
) -> Evidence:
    r"""Printed, the sequence $w=n$ for $d=7$ defeats every constant. Otherwise, for every $d\geq2$,
    the signal term is at most $L^2C(\frac1w+\frac{w^{d/2-1}}{n})$, where $w$ has in $\frac1w$ the
    exponent `power` = 1, for every $n$ and all $w\geq\frac{d+\sqrt d}{2}$, with a constant $C$ of
    $d$ that is written out; this is $L^2\frac{2C}{w}$ for $n\geq w^{d/2}$, where $\frac12$ is
    `tokens`. It is tried at $L=1$ with $C=\frac{1}{40}$ for $d$ from 2 to 8, $n=10^3,10^6$ and
    $w$ to 300.
    """
    if printed:
        return along(EMPTY_WINDOWS, d=7)
    rate = lambda d, n, w: w ** -float(power) / 40
    bound = lambda d, n, w: rate(d, n, w) + w ** (d / 2 - 1) / n / 40
    filled = lambda d, n: np.array([w for w in wide(d, n) if w ** (d * float(tokens)) <= n])
    stated = r"\mathcal L_{\rm sig}(\mathcal F_1^+)\leq C(\tfrac1w+w^{d/2-1}/n)"
    tried = (
        at_most(relu, of, dimensions=DIMENSIONS, lengths=(1000, 10**6), widths=widths, checked=stated)
        for of, widths in ((bound, wide), (rate, filled))
    )
    return derivation("COL:C.8", *tried, power=power, tokens=tokens)


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
    control=dict(enough=True, times=2),
    hypotheses=HARD.hypotheses,
)
def distances_are_likely_small(*, enough: bool = False, times: int = 1) -> Evidence:
    r"""With probability at least 1/2, more than $\frac1n$, the quotient over $w^{-1/2}$ is above
    $\sqrt{2w/n}$, which along $w=n^3$ exceeds every constant. With `enough` tokens, $n\geq
    C^\prime w^{d/2}\log n$, the quotient is above $Cw^{-1/2}$, that exponent times `times` = 1,
    with probability at most $\frac1n$, in every dimension $d\geq2$, with constants of $d$ that
    are written out. It is tried with $C=1$ on long prompts and wide windows for $d=3$, where the
    quotient is $\frac{\sqrt\pi}{2}w^{-1/2}$.
    """
    if not enough:
        return along(HARD, d=3)
    w = sp.Symbol("w", positive=True)
    quotient = sp.sqrt(sp.pi) / 2 / sp.sqrt(w)
    search = forall(quotient, "<=", w ** -sp.Rational(times, 2), {w: (Fraction(237, 100), sp.oo)})
    return derivation("COL:C.8p/likely", search, times=times)
