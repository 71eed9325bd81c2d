"""R12: the minimal vectors of lattices are learned far faster than as many orthogonal features: the
times to the attention one half are integrals, which are enclosed.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
import sympy as sp
from scipy.integrate import quad
from sympy import Rational, oo

from numerics.evidence import Evidence, all_of, confirmed
from numerics.provers import computed, forall, identity, integral_evidence
from proofs_check.core.claim import claim
from proofs_check.instances.compared import Compared, agree
from proofs_check.ours.features.r12_laws import half_time
from theory.regression.features.orbits import LATTICES, lattice
from theory.regression.features.reduced import ReducedAttention


@claim(
    "OURS:R12.lattice/design", control=({"square": 1}, {"least": 2}, {"most": 3}), needs=("OURS:R12.orbit",)
)
def the_inner_products_of_minimal_vectors(*, square: int = 2, least: int = 1, most: int = 4) -> Evidence:
    """The listed inner products of the minimal vectors of E8, BW16 and the Leech lattice with one
    of them have the sum of squares $Kn^2/r$, as those of an orbit have to, where $n$ is their norm
    and $u$ any unit; at norm 1 the squared distances lie between 1 and 4, and both occur. Here
    `square` stands for the exponent of the inner products, `least` and `most` for the ends.
    """
    parts, unit = [], sp.Symbol("u", positive=True)
    for name, (r, norm, products) in LATTICES.items():
        K = sum(products.values())
        total = sp.Add(*(many * (product * unit) ** square for product, many in products.items()))
        left = computed(rf"\sum_m(v_m\cdot v_k)^2\text{{ for {name}}}", total)
        parts.append(identity(left, Rational(K * norm**2, r) * unit**2))
        apart = [2 - 2 * Rational(product, norm) for product in products if product < norm]
        ends = [
            computed(rf"\{end}|v_m-v_k|^2\text{{ for {name}}}", of(apart))
            for end, of in (("min", min), ("max", max))
        ]
        parts.append(identity(ends[0], least))
        parts.append(identity(ends[1], most))
    return all_of(*parts)


#: Time of the lattice, and of as many orthogonal features at the distances 1 and 2.
TIMES: dict[str, tuple[Fraction, int, int]] = {
    "E8": (Fraction(30538, 10), 245541, 15346),
    "BW16": (Fraction(82756), 75_100_000, 4_690_000),
    "Leech": (Fraction(5_255_000), 154_600_000_000, 9_660_000_000),
}
#: How many times faster the lattice is than orthogonal features at distance 2.
FEWER = {"E8": 5, "BW16": 57, "Leech": 1838}
#: How near the times are to these numbers, relative to them.
NEAR = Rational(1, 1000)
x, unit = sp.Symbol("x", positive=True), sp.Symbol("u", positive=True)


def between(low: sp.Expr, value: sp.Expr, high: sp.Expr) -> Evidence:
    """A constant lies between two others."""
    return forall((value - low) * (high - value) * unit, ">=", 0, {unit: (0, oo)})


def over(name: str, of: Callable[[int], sp.Expr]) -> sp.Expr:
    """The sum of a function of the lattice's n h, where h is half the squared distance, over the
    other minimal vectors.
    """
    _, norm, products = LATTICES[name]
    return sp.Add(*(many * of(norm - product) for product, many in products.items() if product < norm))


def spent(name: str) -> sp.Expr:
    r"""The time of the flow in a unit of $x=e^{-\lambda/n}$, where $n$ is the norm of the vectors.

    With $Z=1+\sum m_hx^{nh}$, over half the squared distances $h$, minus the derivative of the loss
    by $\lambda$ is $Z^{-3}$ times $\sum hm_hx^{nh}\sum m_hx^{nh}(1-x^{nh})+Z\sum hm_hx^{2nh}$.
    """
    r, norm, _ = LATTICES[name]
    Z, first = 1 + over(name, lambda k: x**k), over(name, lambda k: Rational(k, norm) * x**k)
    second, gap = (
        over(name, lambda k: Rational(k, norm) * x ** (2 * k)),
        over(name, lambda k: x**k * (1 - x**k)),
    )
    return norm * r * Z**3 / (x * (first * gap + second * Z))


def by_the_speed(name: str, square: int) -> Evidence:
    r"""The time is that of the speed $\frac1r(\mu(w_k-|w|^2)+\sum w_n^2h_n)$ of $\lambda=-n\ln x$,
    where `square` stands for the exponents.
    """
    r, norm, _ = LATTICES[name]
    weight = lambda k: x**k / (1 + over(name, lambda e: x**e))
    distance = lambda k: Rational(k, norm)
    mean = over(name, lambda k: weight(k) * distance(k))
    length = weight(0) ** square + over(name, lambda k: weight(k) ** square)
    speed = (mean * (weight(0) - length) + over(name, lambda k: weight(k) ** square * distance(k))) / r
    found = -sp.diff(-norm * sp.log(x), x) / speed
    return identity(computed(rf"-\frac{{\mathrm dt}}{{\mathrm dx}}\text{{ for {name}}}", found), spent(name))


def enclosed(name: str, stated: Rational, half: Rational, fewer: Rational) -> Evidence:
    """The time of the flow to the attention `half`, as an integral from where the attention is
    less, and from where it is more; it is beside the displayed one, and that of orthogonal features
    at distance 2 is `fewer` times it, up to 1/2.
    """
    _, norm, _ = LATTICES[name]
    Z, time = 1 + over(name, lambda k: x**k), spent(name)
    end = int(10**9 * np.exp(-lattice(name).lam(0.5) / norm))
    less, more = Rational(end + 1, 10**9), Rational(end, 10**9)
    rel, others = Fraction(1, 10**6), orthogonal(lattice(name).K, 2)
    return all_of(
        between(Z.subs(x, more), 1 / half, Z.subs(x, less)),
        integral_evidence(time, x, (less, 1), ">=", (1 - NEAR) * stated, rel=rel),
        integral_evidence(time, x, (more, 1), "<=", (1 + NEAR) * stated, rel=rel),
        integral_evidence(time, x, (less, 1), ">=", others / (fewer + Rational(1, 2)), rel=rel),
        integral_evidence(time, x, (more, 1), "<=", others / (fewer - Rational(1, 2)), rel=rel),
    )


def orthogonal(K: int, distance: int) -> sp.Expr:
    """The time of R7 to the attention one half."""
    M = sp.Integer(K - 1)
    spent = (M**2 - 1) / 2 + 3 * M * (M - 1) + 3 * M**2 * sp.log(M) + M**3 * (1 - 1 / M)
    return spent / (K * Rational(distance**4, 4))


def of_orthogonal_features(K: int, distance: int, stated: Rational) -> Evidence:
    """It is the displayed one."""
    return between(1 - NEAR, orthogonal(K, distance) / stated, 1 + NEAR)


def _by_slopes(alike: ReducedAttention) -> float:
    """The time to the attention one half as the integral over the score gap."""
    return float(quad(lambda z: 1 / alike.slope(z), 0.0, np.log(alike.K - 1), limit=500)[0])


def by_quadrature() -> Evidence:
    """The times by two rules that know nothing of x."""
    cases = []
    for name, (own, *others) in TIMES.items():
        orbit = lattice(name)
        cases.append(half_time(orbit, float(own)))
        for distance, stated in enumerate(others, 1):
            alike = ReducedAttention(orbit.K, distance**4 / 4)
            what, again = f"{orbit.K} orthogonal features at distance {distance}", partial(_by_slopes, alike)
            cases.append(Compared(what, alike.attention_time(0.5), float(stated), again))
    return agree("quadrature", cases, float(NEAR), checked=r"T(\mathrm{Attn}\geq\tfrac12)")


@claim(
    "OURS:R12.lattice",
    control=(
        {"factor": Fraction(101, 100)},
        {"factor": Fraction(99, 100)},
        {"half": Fraction(2, 5)},
        {"fold": Fraction(6, 5)},
        {"fold": Fraction(4, 5)},
        {"square": 1},
    ),
    needs=("OURS:R7.time", "OURS:R12.orbit", "OURS:R12.upper", "OURS:R12.lattice/design"),
    cites=(
        "Conway and Sloane: the minimal vectors of E8, BW16 and the Leech lattice are one orbit of the "
        "lattice's group, which acts absolutely irreducibly, and have the listed inner products",
        "separation of variables: a flow of one number takes the time that is the integral of one over "
        "its speed, where this is positive",
    ),
)
def the_times_of_lattices(
    *,
    factor: Fraction = Fraction(1),
    half: Fraction = Fraction(1, 2),
    fold: Fraction = Fraction(1),
    square: int = 2,
) -> Evidence:
    r"""The times to the attention $\frac12$ for the minimal vectors of three lattices at norm 1,
    whose distances lie between 1 and 2, and of as many orthogonal features at distance 1 and at
    distance 2 are the displayed ones, up to $\frac1{1000}$, and the latter are 5, 57 and 1838 times
    the former, up to $\frac12$. The times of lattices are integrals over $x=e^{-\lambda/n}$, where
    $n$ is the norm of the vectors in the lattice, of $-\frac{dt}{dx}$ by the speed of $\lambda$ in
    R12.orbit, which is positive by R12.upper: it is an identity that this is the integrand, of
    which both ends and the value are enclosed. The others are those of R7.time. Here `factor`
    multiplies the displayed times, `fold` the three quotients, and `half` and `square` stand for
    the $\frac12$ and the exponents of the attentions in the speed.
    """
    parts = []
    for name, times in TIMES.items():
        own, *others = (Rational(factor) * Rational(stated) for stated in times)
        parts.append(by_the_speed(name, square))
        parts.append(enclosed(name, own, Rational(half), Rational(fold) * FEWER[name]))
        K = lattice(name).K
        parts += [of_orthogonal_features(K, n, stated) for n, stated in enumerate(others, 1)]
    found = all_of(*parts)
    displayed = (factor, half, fold) == (Fraction(1), Fraction(1, 2), Fraction(1)) and square == 2
    return confirmed(found, by_quadrature()) if displayed else found
