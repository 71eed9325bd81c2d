"""Lemma D.2 of Boursier & Boyer, item 1: the tail of the norm of a sub-Gaussian vector. The step
from the cited theorem is proved, and both tails are tried at every threshold on the worst laws that
a search finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy as sp
from sympy import Rational, exp, oo, sqrt

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, forall, identity
from numerics.provers.remembered import cached
from numerics.search.worst_law import worst_law
from numerics.token_laws.hostile import DIMENSIONS, hostile_laws
from numerics.token_laws.weighted_nodes import WeightedNodes
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.largest_norm import PRODUCTS
from theory.bounds.sub_gaussian import tail_d2

t, d = sp.symbols("t d", positive=True)
t2 = sp.Symbol("t2", positive=True)
#: The logarithm of the bound at t = 0, and what t^2 takes from it, for floats and Arb balls.
AT_ZERO = sp.lambdify(d, sp.log(tail_d2(0, d)))
FALL = sp.lambdify(t2, sp.log(tail_d2(0, d)) - sp.log(tail_d2(sqrt(t2), d)))


def _reached(population: Any) -> Any:
    """P(|z| >= |z_i|) at every node."""
    squares, masses = population.squares, population.masses
    return np.array([(np.where(squares >= r, masses, 0 * masses)).sum(0) for r in squares])


def exponent(populations: Any, _: Any) -> tuple[Any, Any]:
    """The largest ln P(|z| >= t) + t^2/(16 sigma^2) over t = |z_i|, and the logarithm of the bound
    at t = 0.
    """
    (p,) = populations
    values = np.log(_reached(p)) + FALL(p.squares / p.sigma2)
    return np.maximum.reduce(list(values)), 0 * p.sigma2 + AT_ZERO(p.nodes.shape[1])


@cache
def cited(c: Fraction) -> Callable[[Any, Any], tuple[Any, Any]]:
    """The largest P(|z| >= t) e^{(t - c sqrt(d))^2/8} over t = |z_i| > c sqrt(d), for sigma = 1,
    and 1.
    """

    def sides(populations: Any, _: Any) -> tuple[Any, Any]:
        (p,) = populations
        shift = (
            c.numerator * np.sqrt(p.nodes.shape[1] * (0 * p.sigma2 + 1)) * np.sqrt(p.sigma2) / c.denominator
        )
        above = np.maximum(np.sqrt(p.squares) - shift, 0 * p.squares)
        values = np.where(above > 0, _reached(p) * np.exp(above * above / (8 * p.sigma2)), 0 * above)
        return np.maximum.reduce(list(values)), 0 * p.sigma2 + 1

    return sides


@cache
def lengths() -> list[tuple[str, Any, Any]]:
    """Laws whose norm takes few values, exactly, and the Gaussian norm, exact at the thresholds of
    a grid.
    """
    return list(_lengths())


def _lengths() -> Iterator[tuple[str, Any, Any]]:
    from scipy.stats import chi2

    for n in DIMENSIONS:
        for law in hostile_laws(n):
            if law.sigma2 and (law.atoms or law.name == "sphere"):
                yield f"{law.name} in d = {n}", (_by_length(law.weighted_nodes),), ()
    for n in (1, 2, 3, 10, 100, 1000):
        r = np.sqrt(n) + np.linspace(-min(6.0, np.sqrt(n)), 12, 100)
        above = np.append(chi2.sf(r**2, n), 0.0)
        nodes = np.zeros((100, n))
        nodes[:, 0] = r
        yield f"Gaussian in d = {n}", (WeightedNodes(nodes, above[:-1] - above[1:], 1.0),), ()


def _by_length(p: WeightedNodes) -> WeightedNodes:
    """The law with one node for each length, since rounding may tear nodes apart."""
    squares = np.round(p.squares, 12)
    values = np.unique(squares)
    nodes = np.zeros((len(values), p.nodes.shape[1]))
    nodes[:, 0] = np.sqrt(values)
    return WeightedNodes(nodes, np.array([p.masses[squares == v].sum() for v in values]), p.sigma2)


@cached
def _beyond_the_edge(c: int | Fraction) -> Evidence:
    edge, domain = 4 * sqrt(d), {t: (0, oo), d: Integers(1, oo)}
    return forall(
        exp(-((t - edge) ** 2) / 8), "<=", tail_d2(t, d, Rational(c)), domain, where=[(t, ">", edge)]
    )


def tried_at_every_threshold(c: int | Fraction) -> Evidence:
    """Try P(|z| >= t) <= e^{c d - t^2/16} on laws with few atoms, spheres and Gaussian norms."""
    checked = r"\mathbb{P}(\|z_1\| \ge t) \le " + sp.latex(tail_d2(t, d, Rational(c)))
    return all_of(
        worst_law(exponent, Fraction(c, 2), checked=checked, laws=("two atoms",), dimensions=PRODUCTS),
        worst_law(exponent, Fraction(c, 2), checked=checked, laws=("three atoms",), cases=lengths),
    )


@claim(
    "BB:LD.2.1.a",
    control=(dict(half=Fraction(3, 5)), dict(c=Fraction(3, 2)), dict(reach=6), dict(two=Fraction(1, 32))),
)
def from_the_shifted_square(
    *, half: Fraction = Fraction(1, 2), c: int | Fraction = 2, reach: int = 4, two: int | Fraction = 2
) -> Evidence:
    r"""Proved, $e^{-(t-4\sqrt d)^2/8}\leq e^{2d-t^2/16}$ for $t>4\sqrt d$, with `half`, `c`,
    `reach` and `two` for $\frac12$, 2, 4 and the 2 of the last part. That the bound $e^{2d-t^2/16}$
    bounds the probability is derived, and tried as in LD.2.1.
    """
    a, b, x = sp.symbols("a b x", nonnegative=True)
    square = forall((a - b) ** 2, ">=", Rational(half) * a**2 - b**2, {a: Closed(0, oo), b: Closed(0, oo)})
    below = forall(tail_d2(x * sqrt(d), d), ">=", 1, {x: Closed(0, reach), d: Integers(1, oo)})
    return all_of(
        square, _beyond_the_edge(c), below, derivation("BB:LD.2.1.a", tried_at_every_threshold(two), two=two)
    )


@claim("BB:LD.2.1.RH", control=dict(c=Fraction(1, 2)), needs=("BB:LD.2.1.RH/rewrite",))
def cited_tail(*, c: int | Fraction = 4) -> Evidence:
    """The cited theorem is derived from our tail $2^{d/2}e^{-t^2/4}$, and tried on instances; `c`
    stands for the 4.
    """
    checked = rf"\mathbb{{P}}(\|z_1\| \ge t) \le e^{{-(t - {sp.latex(Rational(c))}\sqrt{{d}})^2/8}}"
    sides = cited(Fraction(c))
    return derivation(
        "BB:LD.2.1.RH", worst_law(sides, 1, checked=checked, cases=lengths, dimensions=PRODUCTS), c=c
    )


@claim("BB:LD.2.1.RH/rewrite", control=(dict(two=3), dict(shift=-1)))
def threshold_as_a_function_of_delta(*, two: int = 2, shift: int = 0) -> Evidence:
    r"""At $\delta=e^{-y}$ with $y>0$ the threshold $t=4\sqrt d+2\sqrt{2\ln(1/\delta)}$ gives
    $e^{-(t-4\sqrt d)^2/8}=\delta$, and $t>4\sqrt d$. Here `two` stands for the factor 2, and
    `shift` is added to $t$ in the second part.
    """
    y = sp.Symbol("y", positive=True)
    with sp.evaluate(False):
        threshold = 4 * sqrt(d) + two * sqrt(2 * sp.log(1 / exp(-y)))
        value = exp(-((threshold - 4 * sqrt(d)) ** 2) / 8)
    above = forall(threshold + shift, ">", 4 * sqrt(d), {y: (0, oo), d: Integers(1, oo)})
    return all_of(identity(value, exp(-y)), above)


@claim("BB:LD.2.1", dial="c")
def tail_of_the_norm(*, c: int | Fraction = 2) -> Evidence:
    r"""Derived by Markov's inequality for $e^{\|z\|^2/4}$, with `c` for the 2. It is tried at every
    threshold on laws with few atoms at their exact constant, on spheres and on Gaussian norms.
    """
    return derivation("BB:LD.2.1", tried_at_every_threshold(c), c=c)
