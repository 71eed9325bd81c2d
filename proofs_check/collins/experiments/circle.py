"""Figure 1 of Collins et al.: cosines on the circle."""

from __future__ import annotations

from functools import cache

import sympy as sp

from numerics.attention.window.plain import plain_window_loss
from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.evidence import Evidence
from numerics.provers import computed, forall
from proofs_check.core.claim import claim
from proofs_check.instances.outcomes import TYPO, supported
from proofs_check.instances.window.ordered import Place, best_window, grows
from theory.attention.window.classes import TaskClass
from theory.attention.window.own_class import from_spectrum


@cache
def phases(nu: int) -> TaskClass:
    """cos(nu angle - b) on the circle, whose averaged correlation is cos(nu angle)/2."""
    return from_spectrum([0.0] * nu + [0.5])


@claim(
    "COL:Fig1", **TYPO, repair=dict(inside=True), control=dict(inside=True, share=2), hypotheses=("nu > 0",)
)
def tasks_are_not_linear(*, inside: bool = False, share: int = 1) -> Evidence:
    r"""What is left of the mean square of $f$ beside its best linear function is positive; with
    `inside`, for $f=\cos(6\theta-b)$, at least `share` halves of 1.
    """
    nu, b, angle = sp.Symbol("nu", positive=True), sp.Symbol("b", real=True), sp.Symbol("theta", real=True)
    f = (
        sp.cos(6 * angle) * sp.cos(b) + sp.sin(6 * angle) * sp.sin(b)
        if inside
        else nu * sp.expand_trig(sp.cos(angle - b))
    )
    mean = lambda g: sp.integrate(sp.expand(g), (angle, 0, 2 * sp.pi)) / (2 * sp.pi)
    left = mean(f**2) - 2 * mean(f * sp.cos(angle)) ** 2 - 2 * mean(f * sp.sin(angle)) ** 2
    rest = sp.simplify(left)
    if inside:
        return forall(computed(r"\mathbb Ef^2-\text{linear part}", rest), ">=", sp.Rational(share, 2), {})
    return forall(computed(r"\mathbb Ef^2-\text{linear part}", rest), ">", 0, {nu: (0, sp.oo)})


@claim("COL:Fig1.cap", control=dict(n=10))
def window_shrinks(*, n: int = 50) -> Evidence:
    r"""For $\cos(\nu\theta-b)$ with $\nu=1,2,3,6$, $\sigma=\frac1{10}$ and $n=50$ tokens the best
    width grows with $\nu$, so that the window shrinks. With 10 tokens $\nu=6$ has no window.
    """
    places = [Place(f"nu = {nu}", phases(nu), 2, int(n), 0.01, {"nu": nu, "n": n}) for nu in (1, 2, 3, 6)]
    return grows(places, r"w^*_1\leq w^*_2\leq w^*_3\leq w^*_6")


@claim("COL:Fig1.cap/error", control=dict(n=50))
def softmax_attains_a_small_error(*, n: int = 100) -> Evidence:
    r"""For $\cos(6\theta-b)$ and $\sigma=\frac1{10}$ the best softmax attention has at most a tenth
    of the mean square $\frac12$ of the labels as its loss at 100 tokens; at 50 it has more.
    """
    found, most = best_window(phases(6), 2, n, 0.01), 0.05
    if found.loss <= most:
        return supported("quadrature", f"{found.loss:.4f} at n = {n}")
    again = plain_window_loss(phases(6).spectrum(2), n, found.w, 0.01)
    return refuted_by_two_routes(
        "quadrature", {"nu": 6, "n": n, "least loss": found.loss}, found.loss, most, again
    )
