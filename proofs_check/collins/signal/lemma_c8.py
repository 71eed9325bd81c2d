"""Lemma C.8 of Collins et al.: the signal term of ReLU tasks from above. It is stated for every
width, and fails for windows that hold no token.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from numerics.evidence import Evidence
from numerics.provers import Closed, forall
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging

n = Diverging.n


def nearest(tokens: sp.Expr) -> sp.Expr:
    """Return a lower bound, over L^2, of the signal term of ReLU tasks for d = 7: it is at least
    1/42 of the mean square of the least 1 - t_i, that is s^2 times the probability that no token is
    nearer than s, at least 1 - (5/4) n s^3; here s makes this one half.
    """
    return sp.Rational(1, 84) * (sp.Rational(2, 5) / tokens) ** sp.Rational(2, 3)


EMPTY_WINDOWS = Diverging(
    point={"c": Fraction(1)},
    hypotheses=("n >= 5", "w >= (7 + sqrt(7))/2"),
    sequence=lambda k, c: {"n": k + 5, "w": c * (k + 5)},
    ratio=lambda n, w: nearest(n) / (1 / w + 1 / n),
    exceeds=n ** sp.Rational(1, 3) / 400,
)


@claim(
    "COL:C.8/caps",
    control=dict(constant=1),
    argument=r"For the density $\frac{15}{16}(1-t^2)^2$ of one coordinate in $d=7$; the probability of no token in the cap is "
    r"at least $1-n\sigma_s$.",
)
def caps_in_seven_dimensions(*, constant: Fraction = Fraction(5, 4)) -> Evidence:
    r"""In $d=7$ the cap of height $s$ has at most `constant` = 5/4 times $s^3$ of the sphere."""
    s, t = sp.Symbol("s", positive=True), sp.Symbol("t", real=True)
    measure = sp.expand(sp.integrate(sp.Rational(15, 16) * (1 - t**2) ** 2, (t, 1 - s, 1)))
    return forall(measure, "<=", constant * s**3, {s: Closed(Fraction(1, 10**6), 2)})
