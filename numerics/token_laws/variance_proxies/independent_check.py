"""The excess ``ln E exp(v.Z) - sigma^2 |v|^2 / 2`` computed a second time, by code that shares
nothing with the search but the definition of the law. Atoms are summed by Arb, built-in laws
integrated against their densities in multiple precision, and a user's log-mgf is rebuilt from its
gradient along a path.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.token_laws.atomic import Atomic
from numerics.token_laws.independent import Independent
from numerics.token_laws.kinds import check_law
from numerics.token_laws.radial import Radial
from numerics.token_laws.tilted_by_cauchy import mean_from_log_mgf
from numerics.token_laws.token_law import TokenLaw

__all__ = ["second_route"]

Floats = NDArray[np.float64]
#: Decimal digits of the integrals against a density.
DIGITS = 20
#: Panels of the path from 0 to v, and Gauss points in each.
PANELS, POINTS = 16, 12
#: The mean alone needs no wide circle, and a narrow one fits closer to the end of a log-mgf's
#: domain.
RADIUS = 0.05


def second_route(law: TokenLaw, v: Floats, sigma: float) -> tuple[float, str]:
    """The excess at v, and how it was found: ``"Arb"`` for atoms, a lower bound for the law that
    has the floats as its points and masses; ``"two routes"`` otherwise, by integrals against the
    density in multiple precision for built-in laws, by the path integral of tilted means, from
    complex values of the log_mgf, for a user's.
    """
    structure = law.structure
    if isinstance(structure, Atomic):
        return _by_arb(structure, v, sigma), "Arb"
    square = float(v @ v)
    if isinstance(structure, (Independent, Radial)):
        return float(_by_density(structure, v @ structure.factor)) - sigma**2 * square / 2, "two routes"
    assert law.log_mgf is not None
    log_mgf, length = law.log_mgf, float(np.sqrt(square))
    along = lambda t: log_mgf(t * (v / length))
    nodes, weights = np.polynomial.legendre.leggauss(POINTS)
    path = ((np.arange(PANELS)[:, None] + (nodes + 1) / 2) / PANELS).reshape(-1, 1) * length
    means = mean_from_log_mgf(along, path, radius=RADIUS).reshape(PANELS, POINTS)
    return float((means @ weights).sum() * length / (2 * PANELS)) - sigma**2 * square / 2, "two routes"


def _by_arb(law: Atomic, v: Floats, sigma: float) -> float:
    from flint import arb, ctx

    with ctx.workprec(200):
        x, p, a = ([arb(float(t)) for t in row.ravel()] for row in (law.points, law.weights, v))
        d = len(a)
        scores = [sum((s * t for s, t in zip(a, x[i * d : (i + 1) * d])), arb(0)) for i in range(len(p))]
        mean = sum((q * s for q, s in zip(p, scores)), arb(0)) / sum(p, arb(0))
        transform = sum((q * (s - mean).exp() for q, s in zip(p, scores)), arb(0)) / sum(p, arb(0))
        excess = transform.log() - arb(sigma) ** 2 * sum((t * t for t in a), arb(0)) / 2
        return float(excess.lower())


def _by_density(law: Independent | Radial, b: Floats) -> Any:
    import mpmath as mp

    with mp.workdps(DIGITS):
        if isinstance(law, Radial):
            x, q = mp.sqrt(law.q) * mp.norm([mp.mpf(float(t)) for t in b]), law.q
            if q == 1:
                return mp.log(mp.cosh(x))
            # the angle to b has density sin^{q-2} on (0, pi)
            cuts = mp.linspace(0, mp.pi, 5)
            whole = mp.quad(lambda s: mp.exp(x * (mp.cos(s) - 1)) * mp.sin(s) ** (q - 2), cuts)
            return x + mp.log(whole / mp.quad(lambda s: mp.sin(s) ** (q - 2), cuts))
        check_law(law.kind, ("normal", "sign", "uniform"), "the second route")
        if law.kind == "normal":
            return mp.fsum(mp.mpf(float(t)) ** 2 for t in b) / 2
        total, h = mp.mpf(0), mp.sqrt(3)
        for t in (mp.mpf(float(t)) for t in b):
            if law.kind == "sign":
                total += mp.log((mp.exp(t) + mp.exp(-t)) / 2)
            else:
                whole = mp.quad(lambda u, t=abs(t): mp.exp(t * (u - h)), mp.linspace(-h, h, 5))
                total += h * abs(t) + mp.log(whole / (2 * h))
        return total
