"""Corollary E.5 of Boursier & Boyer (Appendix E.2): the gradients of the risks of finite and
infinite prompts come together uniformly on the ball of radius 2 rho. The conclusion is derived from
what holds at every task, and measured by quadrature for regression with one Gaussian covariate. The
displayed bound on g2 is refuted at L = 1, where Lemma E.4 is.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy as sp
from sympy import Rational, oo

from numerics.evidence import Evidence
from numerics.properties.computed import Computed, Share
from numerics.provers import Closed, forall
from numerics.quadrature.common_nodes import common_nodes
from numerics.regression.risk.gap_to_infinite_prompt import gap_at_nodes
from numerics.regression.softmax_vs_linear.scalar_constants import transfers
from proofs_check.boursier_boyer.corollary_e3 import LENGTHS, on_the_ball
from proofs_check.boursier_boyer.lemma_e4_statement import (
    distance_of_the_gradients_for_one_token,
    gradients_in_hostile_cases,
)
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation


@claim(
    "BB:CE.5/limit",
    needs=(
        "BB:LE.4.split",
        "BB:CE.3.b",
        "BB:P3.1",
        "OURS:P3.1/form",
        "BB:P3.4.V",
        "OURS:P3.4.U",
        "BB:LD.1",
        "OURS:QA.tilt/second",
    ),
    control={"scale": Fraction(2, 3)},
)
def the_gradients_come_together(*, scale: Fraction = Fraction(1)) -> Evidence:
    r"""At every point of the ball the distance is derived to be at most $(\sqrt M+\sqrt X)\sqrt
    Z+\sqrt{NX}$ with constants $M$ and $N$, an $X$ of order $\ln(L)^{-2}$ and a
    $Z=c_3((\frac2{c_4e})^2\delta+(\frac3{c_4e})^3K\,\mathbb{E}\sigma_\mu^{12}/\ln L)$ if
    $\mathbb{E}[\sigma_\mu^{12};\sigma_\mu^2\geq K]\leq\delta$; a $K$ can be chosen for the $\delta$
    that $\varepsilon$ needs, so that from an explicit $L^\star(\varepsilon)$ on it is at most
    $\varepsilon$ on the whole ball. This rests on Assumption 4.2 (i) and (ii), the formula of the
    gradient, Propositions 3.1 and 3.4 with our constants, Lemma D.1 and the second moments of
    tokens and tilted tokens at every task, with constants for $\|U\|_{\rm op}=\|V\|_{\rm
    op}=2\rho$, or larger. The displayed bound is the part BB:CE.5/one. The second route measures
    for one Gaussian covariate that the supremum is at most $1.02\cdot2\rho\Sigma/\sqrt L$; `scale`
    multiplies both bounds.
    """
    instances = transfers(LENGTHS)
    radius, S = 2 * instances[0].rho, instances[0].infinite.S
    start = S * radius  # at c = 0 the derivative in u differs by S u/L
    bounds = [float(scale) * 1.02 * start / np.sqrt(t.L) for t in instances]
    without_scores = lambda t: (start / t.L, float(t.finite.gradient_gap(0.0, radius)[1]))
    checked = (
        r"\sup_{B_{2\rho}}\|\nabla\mathcal{R}_L-\nabla\mathcal{R}_\infty\|\leq g_2(L)=1.02\,\frac{2\rho "
        r"S}{\sqrt L}"
    )
    shown = f"L g2(L) = {instances[-1].g2 * 1e64:.4g} at the end"
    found = on_the_ball([t.g2 for t in instances], bounds, without_scores, checked, shown)
    search = found.replace(sides=(drawn_gradients(bounds),))
    return derivation("BB:CE.5/limit", search, search, scale=scale)


def drawn_gradients(bounds: list[float]) -> Computed:
    """The bounds at drawn points of the ball."""
    instances = transfers(LENGTHS)
    S, radius = instances[0].infinite.S, 2 * instances[0].rho

    def point(size: float, angle: float) -> tuple[float, float]:
        return radius * size * float(np.sin(angle)), radius * size * float(np.cos(angle))

    def sides(**at: float) -> tuple[list[float], list[float]]:
        c, u = point(**at)
        return [float(np.hypot(*t.finite.gradient_gap(c, u))) for t in instances], bounds

    def again(L: float, h: float = 1e-3, **at: float) -> float:
        c, u = point(**at)
        nodes, one = common_nodes((L,), 400.0), np.eye(1)
        gap = lambda c, u: float(gap_at_nodes(nodes, S * one, c * one, u)[0])
        moved = lambda n, i, j: gap(c + n * i * h, u + n * j * h)
        stencil = lambda *e: (8 * (moved(1, *e) - moved(-1, *e)) - moved(2, *e) + moved(-2, *e)) / (12 * h)
        slopes = [stencil(1, 0), stencil(0, 1)]
        return float(np.linalg.norm(slopes))

    return Computed(
        "d = 1, S = 1/64, every point of the ball of radius 24, L = 1 to 1e64",
        {"size": Share(1.0, 0.0), "angle": Share(0.0, 2 * np.pi)},
        sides,
        again,
        along=("L", LENGTHS),
        where=lambda **at: dict(zip("cu", point(**at))),
    )


@claim(
    "BB:CE.5/one",
    false="edge",
    at="L = 1",
    follows="BB:LE.4/one",
    costs="nothing",
    repair={"bound": "mean squares"},
    control={"factor": Fraction(19, 20)},
    needs=("BB:LE.4.split", "BB:CE.5/limit"),
    hypotheses=("L in Integers", "L >= 1", "d in Integers", "d >= 1", "sigma_mu >= 1"),
)
def the_displayed_bound_at_one_token(*, bound: str = "printed", factor: Fraction = Fraction(1)) -> Evidence:
    r"""At $L=1$ with $y=0$ and the loss $\|z\|^2/2$ the gradients differ, and the displayed bound
    is $0$ for all constants. Repaired, the `bound` is that of Lemma E.4 as repaired, with suprema
    over the ball of the risk and of the mean squares, which is derived for the squared loss and
    every $L\geq1$; that it tends to $0$ is BB:CE.5/limit. Here `factor` multiplies it.
    """
    if bound == "printed":
        return distance_of_the_gradients_for_one_token(bound=bound, factor=factor)
    return derivation("BB:CE.5/one", gradients_in_hostile_cases(factor), factor=factor)


@claim("BB:CE.5/monotone", control={"factor": Fraction(1, 2)})
def suprema_in_the_bound(*, factor: Fraction = Fraction(1)) -> Evidence:
    """The bound of Lemma E.4, as repaired, does not fall when the risk and the mean squares are
    replaced by their suprema over the ball, which is derived, and tried as an inequality between
    the roots of these numbers; `factor` multiplies the right side. The display itself inherits the
    errors of that lemma.
    """
    roots, more = (
        sp.symbols("D J dJ R", nonnegative=True),
        sp.symbols("h i j k", nonnegative=True),
    )  # the suprema are D + h, ..
    bound = lambda D, J, dJ, R: D * J + dJ * (D + sp.sqrt(2) * R)
    suprema = bound(*(x + h for x, h in zip(roots, more, strict=True)))
    search = forall(
        bound(*roots), "<=", Rational(factor) * suprema, dict.fromkeys((*roots, *more), Closed(0, oo))
    )
    return derivation("BB:CE.5/monotone", search, factor=factor)
