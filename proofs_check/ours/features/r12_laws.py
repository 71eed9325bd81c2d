"""R12: how the time to the attention one half grows with the number of classes for cubes, polygons,
their products and the minimal vectors of lattices.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
import sympy as sp
from scipy.integrate import quad
from scipy.special import ive
from sympy import Rational, exp, oo

from numerics.evidence import Evidence, all_of, confirmed
from numerics.provers import computed, identity
from proofs_check.core.claim import claim
from proofs_check.instances.compared import Compared, agree
from theory.regression.features.orbits import Orbit, cube, polygon, torus

#: Panels of a rule of Gauss and Legendre in the logarithm of lambda, over 60 units.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(10)


def _by_panels(orbit: Orbit, eps: float) -> float:
    """The time to an attention by a fixed rule in the logarithm of lambda."""
    ends = np.log(orbit.lam(eps)) + np.linspace(-60.0, 0.0, 601)
    half = np.diff(ends)[:, None] / 2
    at = np.exp(ends[:-1, None] + half * (1 + _NODES))
    return float((half * _WEIGHTS * at / orbit.slope(at)).sum())


def _per(orbit: Orbit, unit: float, time: Callable[[Orbit, float], float]) -> float:
    return time(orbit, 0.5) / unit


def half_time(orbit: Orbit, stated: float, unit: float = 1.0) -> Compared:
    """The time to the attention one half, in a unit, beside what is stated of it."""
    return Compared(
        orbit.name, _per(orbit, unit, Orbit.attention_time), stated, partial(_per, orbit, unit, _by_panels)
    )


@claim("OURS:R12.cube/weights", control={"half": Rational(1, 3)}, needs=("OURS:R12.orbit",))
def the_loss_of_the_cube(*, half: Rational = Rational(1, 2)) -> Evidence:
    r"""For every $d$, with $\tau=\tanh\lambda$, $w_k=(1+x)^{-d}$ and
    $|w|^2=(\frac{1+x^2}{(1+x)^2})^d$ at $x=e^{-2\lambda}$, $2^d$ times minus the derivative of the
    loss $\frac12(1-2w_k+|w|^2)$ is $d[( 1+\tau)^d(1-\tau)-\tau(1-\tau^2)(1+\tau^2)^{d-1}]$; `half`
    stands for the $\frac12$.
    """
    x, d = sp.symbols("x d", positive=True)
    loss = half * (1 - 2 * (1 + x) ** -d + ((1 + x**2) / (1 + x) ** 2) ** d)
    above, tau, below = 2 / (1 + x), (1 - x) / (1 + x), 2 * x / (1 + x)  # 1 + tau, tau, 1 - tau
    stated = above**d * below - tau * above * below * (2 * (1 + x**2) / (1 + x) ** 2) ** (d - 1)
    return identity(2 * x * sp.Derivative(loss, x) * 2**d, d * stated)  # dx/dlambda = -2x


@claim(
    "OURS:R12.cube",
    control={"quarters": 10},
    needs=("OURS:R12.cube/weights",),
    cites=("dominated convergence",),
)
def the_law_of_the_cube(*, quarters: int = 9) -> Evidence:
    r"""With $\tau=uh$, $d=\frac1h$ and $\ln(1+x)=x-\frac{x^2}2+O(x^3)$ the integrand $f_h(u)$ is
    $e^{-u}(1+h(\frac{u^2}2+u+ue^{-u}))$ to first order in $h$, whose integral over $u>0$ is
    $1+\frac94h$; `quarters` stands for the 9.
    """
    u, h = sp.symbols("u h", positive=True)
    ln = lambda x: x - x**2 / 2  # of 1 + x; what is left out are terms of second order in h
    speed = exp(sp.expand(ln(u * h) / h)) * (1 - u * h) - u * h * (1 - (u * h) ** 2) * exp(
        sp.expand((1 / h - 1) * ln((u * h) ** 2))
    )
    f = 1 / ((1 - (u * h) ** 2) * speed)
    order = (sp.expand(f.subs(h, 0)), sp.expand(sp.diff(f, h).subs(h, 0)))
    found = all_of(
        identity(computed("f_0'", order[1]), exp(-u) * (u**2 / 2 + u + u * exp(-u))),
        identity(computed(r"\int f_0\,du", sp.integrate(order[0], (u, 0, oo))), quarters - 8),
        identity(computed(r"\int f_0'\,du", sp.integrate(order[1], (u, 0, oo))), Rational(quarters, 4)),
    )
    if quarters != 9:
        return found
    cases = [
        Compared(f"d = {d}", _next(d, Orbit.attention_time), 2.25, partial(_next, d, _by_panels))
        for d in (200, 400)
    ]
    return confirmed(found, agree("quadrature", cases, 0.025, checked=r"(T\frac dK-1)d\to\frac94"))


def _next(d: int, time: Callable[[Orbit, float], float]) -> float:
    """What the second term of the law of the cube is at a dimension."""
    return (time(cube(d), 0.5) * d / 2.0**d - 1) * d


@claim("OURS:R12.polygon", control=({"limit": Fraction(20469, 1000)}, {"rank": 1}), needs=("OURS:R12.orbit",))
def the_time_of_polygons(*, limit: Fraction = Fraction(204692, 10000), rank: int = 2) -> Evidence:
    r"""The time to the attention $\frac12$ for the regular polygons of side 1 with $1000$ and
    $4000$ corners, and $r=2$ times the integral for the weights $e^{-\lambda n^2/2}$ of all whole
    $n$, is $20.4692$ up to $5\cdot10^{-6}$; `limit` and `rank` stand for this number and for $r$.
    """
    cases = [half_time(polygon(m), float(limit)) for m in (1000, 4000)]
    cases.append(
        Compared("the limit", rank * _whole_numbers(400), float(limit), lambda: rank * _whole_numbers(900))
    )
    return agree("quadrature", cases, 5e-6, checked=r"T\to20.4692/(\eta\sigma_f^2)", to=".7g")


def _whole_numbers(most: int) -> float:
    """The integral of d lambda over the speed of the loss for the weights exp(-lambda n^2/2) of the
    whole numbers up to a largest one.
    """
    n = np.arange(1.0, most)
    line = Orbit(n**2 / 2, np.full(len(n), 2.0), 1, name="the whole numbers")
    # In the square root of lambda, like which the attention begins, the integrand is smooth.
    return float(
        quad(lambda q: 2 * q / line.slope(q * q), 0.0, line.lam(0.5) ** 0.5, epsabs=0.0, epsrel=1e-10)[0]
    )


def constant_of_products(D: int, rel: float = 1e-10) -> float:
    """2D (2 pi)^4 times the integral of 1/Phi' over u > 0."""

    def inverse(u: float) -> float:
        i_0, i_1, j_0, j_1 = ive(0, u), ive(1, u), ive(0, 2 * u), ive(1, 2 * u)
        own, squares = i_0**-D * (1 - i_1 / i_0), (j_0 / i_0**2) ** D * (2 * j_1 / j_0 - 2 * i_1 / i_0)
        return float(1 / (own - squares / 2) / D)

    far = 1e6
    inner = quad(inverse, 0.0, 1.0, epsabs=0.0, epsrel=rel)[0]
    outer = quad(
        lambda v: np.exp(v) * inverse(float(np.exp(v))), 0.0, np.log(far), epsabs=0.0, epsrel=rel, limit=200
    )[0]
    # Beyond, Phi' is D/(2u) times (2 pi u)^(D/2) - (pi u)^(D/2)/2, up to a share of 1/u.
    tail = 2 / D * (2 * np.pi * far) ** (-D / 2) * far**2 / (D / 2 - 2) / (1 - 2 ** (-D / 2 - 1))
    return float(2 * D * (2 * np.pi) ** 4 * (inner + outer + tail))


def _grows(time: Callable[[Orbit, float], float]) -> float:
    """How fast the time for products of four polygons grows with ln K."""
    return float((time(torus(1000, 4), 0.5) - time(torus(300, 4), 0.5)) / (4 * np.log(1000 / 300)))


@claim(
    "OURS:R12.torus",
    control=(
        {"five": 990},
        {"eight": 470},
        {"seventh": 66},
        {"three": Fraction(350)},
        {"two": Fraction(118)},
    ),
    needs=("OURS:R12.orbit",),
)
def the_times_of_products_of_polygons(
    *,
    five: Fraction = Fraction(98080, 100),
    eight: Fraction = Fraction(46722, 100),
    seventh: int = 64,
    three: Fraction = Fraction(340),
    two: Fraction = Fraction(11466, 100),
) -> Evidence:
    r"""The constants of the displayed limit are $980.80$ for $D=5$ and $467.22$ for $D=8$, up to
    one in the last digit, and $T/K^{1-4/D}$ is near them at $m=300$; for $D=4$ the time grows with
    $\ln K$ at $\frac{64\pi^2}7$ between $m=300$ and $1000$, up to $\frac1{500}$, and for $D=3$ and
    $D=2$ it is near $340$ and $114.66$ at both, up to $\frac1{200}$. `five`, `eight`, `seventh`,
    `three` and `two` stand for $980.80$, $467.22$, 64, $340$ and $114.66$.
    """
    limits = []
    for D, stated in ((5, float(five)), (8, float(eight))):
        exact = Compared(f"D = {D}", constant_of_products(D), stated, partial(constant_of_products, D, 1e-9))
        checked = rf"2D(2\pi)^4\int_0^\infty du/\Phi'(u)={stated:.2f}\text{{ for }}D={D}"
        limits.append(agree("quadrature", [exact], 2e-5, checked=checked, to=".7g"))
        near = half_time(torus(300, D), stated, 300 ** (D - 4))
        limits.append(agree("quadrature", [near], 2e-3, checked=rf"T/K^{{1-4/{D}}}\to{stated:.2f}"))
    slope = Compared(
        "D = 4", _grows(Orbit.attention_time), seventh * np.pi**2 / 7, partial(_grows, _by_panels)
    )
    limits.append(agree("quadrature", [slope], 2e-3, checked=r"T\sim\frac{64\pi^2}7\ln K"))
    bounded = [half_time(torus(m, D), float(near)) for D, near in ((3, three), (2, two)) for m in (300, 1000)]
    limits.append(agree("quadrature", bounded, 5e-3, checked=r"T\text{ bounded for }D=2,3"))
    return all_of(*limits)
