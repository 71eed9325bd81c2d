"""R3: bounds on the moments of the tilted law, on the tail and on the largest norm of sub-Gaussian
vectors, from which Assumption 3.3 of Boursier & Boyer follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy as sp
from sympy import Rational, exp, log, oo, sqrt

from numerics.counterexamples.worst_case.worst_law import worst_law
from numerics.evidence import Evidence, all_of, confirmed
from numerics.provers import Closed, computed, forall, identity, integral_evidence
from numerics.token_laws import TokenLaw
from numerics.token_laws.edge_cases import DIMENSIONS, edge_case_laws, matrices
from numerics.token_laws.weighted_nodes import WeightedNodes
from proofs_check.core.claim import claim
from proofs_check.derivations.lemmas_c6_and_c9.queries import POWERS, constant_of_the_query
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.largest_norm import PRODUCTS, largest, norms, vectors
from proofs_check.instances.tilted_moments import averaged, bound_of_R3
from theory.bounds.sub_gaussian import M_R3, maximum_R3, tail_d2, tail_R3, tilted_moment_R3

sigma, a, d, p, L, t = sp.symbols("sigma a d p L t", positive=True)
theta = sp.Symbol("theta", positive=True)
g = sp.Symbol("g", real=True)
#: A product over all nodes of mu and nu stays below this size.
MAX_PRODUCT_NODES = 300


@cache
def tilted(power: int) -> Callable[[Any, Any], tuple[Any, Any]]:
    """A function of the law with the two sides: E|Z|^p under the law tilted by a, and the
    bound of R3.
    """

    def sides(populations: Any, numbers: Any) -> tuple[Any, Any]:
        (mu,) = populations
        n = mu.nodes.shape[1]
        score = numbers.reshape((n, *numbers.shape[1:]))
        bound = bound_of_R3(power)(mu.sigma2, (score * score).sum(0), 0 * mu.sigma2 + n)
        norms = mu.squares ** (power // 2) if power % 2 == 0 else np.sqrt(mu.squares) ** power
        return mu.tilted(score).mean(norms), bound

    return sides


@cache
def uniform(power: int, of_query: int) -> Callable[[Any, Any], tuple[Any, Any]]:
    """The same left side and the constant that serves every law, a polynomial in |U|^2 for each
    dimension of the tokens.
    """

    def sides(populations: Any, numbers: Any) -> tuple[Any, Any]:
        left, _ = averaged(power, of_query)(populations, numbers)
        mu = populations[0]
        n = mu.nodes.shape[1]
        U = numbers.reshape((n, n, *numbers.shape[1:]))
        norm2 = U[0, 0] * U[0, 0] if n == 1 else np.linalg.norm(U, 2) ** 2
        right: Any = 0
        for j, coefficient in enumerate(_coefficients(power, of_query, n)):
            right = right + coefficient * norm2**j
        return left, mu.sigma2**power * right

    return sides


@cache
def _coefficients(power: int, of_query: int, n: int) -> list[float]:
    u2 = sp.Symbol("u2", positive=True)
    return [
        float(c) for c in reversed(sp.Poly(M_R3(power, of_query, sqrt(u2), sp.Integer(n)), u2).all_coeffs())
    ]


def exponential(populations: Any, _: Any) -> tuple[Any, Any]:
    """The two sides E exp(|Z|^2/(4 sigma^2)) and 2^{d/2}, the tail of R3 at t = 0."""
    (z,) = populations
    return z.mean(np.exp(z.squares / (4 * z.sigma2))), 0 * z.sigma2 + tail_R3(0, z.nodes.shape[1])


def tail(populations: Any, _: Any) -> tuple[Any, Any]:
    """The largest P(|Z| >= t) e^{t^2/(4 sigma^2)} over the thresholds t = |Z_i|, and the tail of R3
    at t = 0.
    """
    (z,) = populations
    reached = [np.where(z.squares >= square, z.masses, 0 * z.masses).sum(0) for square in z.squares]
    values = [share * np.exp(square / (4 * z.sigma2)) for share, square in zip(reached, z.squares)]
    return np.maximum.reduce(values), 0 * z.sigma2 + tail_R3(0, z.nodes.shape[1])


@cache
def maximum(length: int, power: Fraction) -> Callable[[Any, Any], tuple[Any, Any]]:
    """A function of the law with the two sides: E max |Z_l|^p, and the bound of R3.max."""

    def sides(populations: Any, _: Any) -> tuple[Any, Any]:
        (z,) = populations
        scale = np.sqrt(np.sqrt(0 * z.sigma2 + z.sigma2)) ** int(2 * power)
        return largest(z, length, power), scale * maximum_R3(length, z.nodes.shape[1], float(power))

    return sides


def _unit(law: TokenLaw, factor: float = 1.0) -> WeightedNodes:
    """The law at sigma = factor."""
    return law.weighted_nodes.scaled(factor * law.sigma2**-0.5)


@cache
def tilts() -> list[tuple[str, Any, Any]]:
    """Hostile laws at sigma = 1 and 3 with scores of several lengths."""
    rows = []
    for n in DIMENSIONS:
        direction = np.arange(1, n + 1) / np.linalg.norm(np.arange(1, n + 1))
        for law in edge_case_laws(n):
            for factor in (1.0, 3.0) if law.sigma2 else ():
                rows += [
                    (
                        f"{law.name} at sigma = {factor:g}, |a| = {r:g}, d = {n}",
                        (_unit(law, factor),),
                        tuple(r * direction),
                    )
                    for r in (1e-3, 0.3, 1.0, 3.0)
                ]
    return rows


@cache
def pairs() -> list[tuple[str, Any, Any]]:
    """Tokens at sigma = 1 and 3, queries at constant 1, and matrices U, zero included."""
    return list(_pairs())


def _pairs() -> Iterator[tuple[str, Any, Any]]:
    for n in DIMENSIONS:
        spread = [law for law in edge_case_laws(n) if law.sigma2]
        for mu in spread:
            for nu in spread:
                if len(mu.weighted_nodes.nodes) * len(nu.weighted_nodes.nodes) <= MAX_PRODUCT_NODES:
                    for name, U in matrices(n).items():
                        for factor in (1.0, 3.0):
                            case = f"{mu.name} at sigma = {factor:g}, query {nu.name}, U = {name}, d = {n}"
                            yield case, (_unit(mu, factor), _unit(nu)), tuple(U.ravel())


def joint() -> Iterator[tuple[str, Any, Any]]:
    """Tokens (x, y) in R^2 with sigma = 1 and 3, and queries (x_q, 0) with the law of x, as in
    Assumption 4.2 (iii) for d = 1.
    """
    for law in edge_case_laws(2):
        if law.sigma2 and len(law.weighted_nodes.nodes) <= 100:
            unit = _unit(law)
            query = WeightedNodes(unit.nodes * np.array([1.0, 0.0]), unit.masses, 1.0)
            for factor in (1.0, 3.0):
                mu = WeightedNodes(unit.nodes * np.array([1.0, factor]), unit.masses, factor**2)
                for name, U in matrices(2).items():
                    yield (
                        f"(x, y) = {law.name}, sigma = {factor:g}, U = {name}",
                        (mu, query),
                        tuple(U.ravel()),
                    )


def _of_every_power(parts: Iterable[tuple[str, Evidence]]) -> Evidence:
    """Join instances of one statement, each of which is named in what was covered."""
    return all_of(*(e.replace(covered=f"{name}: {e.covered}") if e.covered else e for name, e in parts))


@claim(
    "OURS:R3",
    control=(dict(share=Fraction(1, 4)), dict(least=Fraction(1, 4))),
    hypotheses=("d in Integers", "d >= 1"),
    reference={},
)
def moment_of_the_tilted_law(*, share: int | Fraction = 1, least: int | Fraction = 1) -> Evidence:
    r"""The bound is derived for every real $q=\frac p2=1+r\geq1$; for $p=0$ both sides are 1. The
    exponential moment at $\theta=\frac12$, the tangent of the concave function and $\mathbb{E}_\mu
    e^{a^\top Z}\geq1$ give the bound OURS:QA.tilt, which is smaller for $\sigma\geq1$. The second
    route: the bound is tried for $p=2,3,4,8$ on laws with few atoms at every score and on hostile
    laws at $\sigma=1$ and 3. Here `share` multiplies it, and `least` stands for the least $\sigma$,
    below which tokens $\pm\sigma$ refute it at $p=2$ and a query of 0.
    """
    if least < 1:
        signs = tilted_moment_R3(sigma, sp.S.Zero, sp.S.One, sp.Integer(2))
        return forall(sigma**2, "<=", signs, {sigma: Closed(Rational(least), oo)})
    checked = r"\mathbb{E}_{\mu_z}|Z|^p \le " + sp.latex(tilted_moment_R3(sigma, a, d, p))
    search: dict[str, Any] = dict(numbers=((0.001, 10.0),), cases=tilts)
    found = _of_every_power(
        (f"p = {power}", worst_law(tilted(power), share, checked=checked, laws=(family,), **search))
        for power in (2, 3, 4, 8)
        for family in ("two atoms", "three atoms")
    )
    return derivation("OURS:R3", found, share=share)


@claim("OURS:R3/exponential", control=dict(two=3))
def exponential_moment_of_the_squared_norm(*, two: int = 2) -> Evidence:
    r"""For $\theta=2\lambda\sigma^2<1$, $\mathbb{E}e^{a^\top
    Z+\lambda|Z|^2}\leq(1-\theta)^{-d/2}\exp(\frac{\sigma^2|a|^2}{2(1-\theta)})$; `two` stands for
    the 2 in the last denominator.

    It is derived from the definition of sub-Gaussian at $a+\sqrt{2\lambda}\,g$, averaged over a
    standard Gaussian $g$. The second route is the square $\frac{\sigma^2}2(a+\sqrt\theta
    g/\sigma)^2-\frac12g^2=\frac{\sigma^2a^2}{2(1-\theta)} -\frac12(1-\theta)(g-m)^2$ of one
    coordinate with its shift $m$, and its integral at $\theta=\frac14$.
    """
    shift = sqrt(theta) * sigma * a / (1 - theta)
    square = sigma**2 / 2 * (a + sqrt(theta) / sigma * g) ** 2 - g**2 / 2
    search = confirmed(
        identity(square, sigma**2 * a**2 / (two * (1 - theta)) - (1 - theta) / 2 * (g - shift) ** 2),
        integral_evidence(
            exp(-3 * g**2 / 8) / sqrt(2 * sp.pi), g, (-oo, oo), "==", 2 / sqrt(3), tail=exp(-3 * g**2 / 8)
        ),
    )
    return derivation("OURS:R3/exponential", search, two=two)


@claim("OURS:R3/concave", control=dict(start=Fraction(1, 2)))
def the_power_of_the_logarithm_is_concave(*, start: int | Fraction = 1) -> Evidence:
    r"""The second derivative of $(\ln y)^q$, $q(\ln y)^{q-2}(q-1-\ln y)/y^2$ with $q=p/2$, is not
    positive from $\ln y=q-1$ on; `start` multiplies $q-1$.
    """
    y, q, ell = sp.symbols("y q ell", positive=True)
    second = lambda l: q * l ** (q - 2) * exp(-2 * l) * (q - 1 - l)
    formula = identity(sp.diff(log(y) ** q, y, 2), second(log(y)))
    domain = {q: Closed(1, oo), ell: (0, oo)}
    return all_of(
        formula, forall(second(ell), "<=", 0, domain, where=[(ell, ">=", Rational(start) * (q - 1))])
    )


@claim("OURS:R3/sum", control=dict(share=Fraction(3, 5)))
def the_terms_add_up(*, share: Fraction = Fraction(1)) -> Evidence:
    r"""For $\sigma\geq1$ and $p\geq2$, $\frac p2+\frac
    d2\ln\frac43+\frac23\sigma^2a^2\leq\sigma^2(a^2+\frac d5+\frac p2)$, and
    $\lambda^{-p/2}\sigma^p=8^{p/2}\sigma^{2p}$ at $\lambda=1/(8\sigma^2)$; `share` multiplies the
    bound.
    """
    a = sp.Symbol("a", nonnegative=True)  # U or the query may be 0
    domain = {sigma: Closed(1, oo), d: Closed(1, oo), p: Closed(2, oo), a: Closed(0, oo)}
    left = p / 2 + d / 2 * log(Rational(4, 3)) + Rational(2, 3) * sigma**2 * a**2
    terms = forall(left, "<=", Rational(share) * sigma**2 * (a**2 + d / 5 + p / 2), domain)
    factor = identity(
        (1 / (8 * sigma**2)) ** (-p / 2) * sigma**p, sp.Integer(8) ** (p / 2) * sigma ** (2 * p)
    )
    return all_of(terms, factor)


@claim(
    "OURS:R3.A33",
    control=(dict(share=Fraction(1, 15)), dict(least=Fraction(1, 5))),
    needs=("OURS:R3", "OURS:R3.A33/uniform"),
    hypotheses=("d in Integers", "d >= 1"),
    reference={},
)
def assumption_33_holds(*, share: int | Fraction = 1, least: int | Fraction = 1) -> Evidence:
    r"""The bound $\mathbb{E}_\nu[\mathbb{E}_{\mu_z}|Z_1|^p\,|Z|^{p'}]\leq\sigma^{2p}M_{p,p'}$ is
    derived for $p,p'\in\{0,4,8\}$, not both 0: R3 at every query, where $|Uz|\leq|U||z|$, times
    $|z|^{p'}$. That $M_{p,p'}$ is finite is OURS:R3.A33/uniform. The second route of all parts
    together: the bound is tried on skewed laws with every $U$ for $(p,p')=(4,0),(4,4),(8,4),(8,8)$.
    Here `share` multiplies it, and `least` stands for the least $\sigma$, below which tokens
    $\pm\sigma$ refute it at $(4,0)$ and $U=0$.
    """
    if least < 1:
        signs = sigma**8 * M_R3(4, 0, sp.S.Zero, sp.S.One)
        return forall(sigma**4, "<=", signs, {sigma: Closed(Rational(least), oo)})
    checked = r"\mathbb{E}_\nu\mathbb{E}_{\mu_Z}|Z_1|^{p}|Z|^{p'} \le \sigma^{2p} M_{p,p'}"
    search: dict[str, Any] = dict(
        checked=checked, laws=("two atoms", "two atoms"), numbers=((0.001, 6.0),), cases=pairs
    )
    found = _of_every_power(
        (f"(p, p') = {powers}", worst_law(averaged(*powers), share, **search))
        for powers in ((4, 0), (4, 4), (8, 4), (8, 8))
    )
    return derivation("OURS:R3.A33", *[found] * len(POWERS), share=share)


@claim(
    "OURS:R3.A33/ball",
    control=dict(share=Fraction(1, 160)),
    needs=("OURS:R3", "OURS:R3.A33/uniform"),
    reference={},
)
def assumption_42_iii_holds(*, share: int | Fraction = 1) -> Evidence:
    r"""With constants that do not depend on $\nu$ the bound of the tilted moments is derived for
    $|U|\leq2\rho'$ and tokens of every dimension, which is $d+1$ for those of Assumption 4.2. The
    second route of all parts together: for $(p,p')=(4,0),(4,4),(8,8)$ it is tried also for tokens
    $(x,y)$ and queries $(x_{\rm q},0)$ with the law of $x$. Here `share` multiplies it.
    """
    checked = r"\mathbb{E}_\nu\mathbb{E}_{\mu_Z}|Z_1|^{p}|Z|^{p'} \le \sigma^{2p}\sup_\nu M_{p,p'}"
    search: dict[str, Any] = dict(
        checked=checked, laws=("three atoms", "two atoms"), numbers=((0.001, 6.0),), cases=joint
    )
    found = _of_every_power(
        (f"(p, p') = {powers}", worst_law(uniform(*powers), share, **search))
        for powers in ((4, 0), (4, 4), (8, 8))
    )
    return derivation("OURS:R3.A33/ball", *[found] * len(POWERS), share=share)


@claim("OURS:R3.A33/uniform", control=dict(four=Fraction(7, 2)))
def constants_free_of_the_laws(*, four: int | Fraction = 4) -> Evidence:
    r"""For $p,p'=0,4,8$, not both 0, it is derived that $M_{p,p'}$ is at most a polynomial in
    $|U|^2$ in which $(4(\frac d2\ln2+n-1))^n$ stands for the moment of order $2n$ of $\nu$; `four`
    stands for the 4. The second route is that the constants of the code are no larger.
    """
    u = sp.Symbol("u", nonnegative=True)
    domain, searches = {u: Closed(0, oo), d: Closed(1, oo)}, []
    for p, q in POWERS:
        code = computed(rf"M_{{{p},{q}}}", M_R3(p, q, u, d))
        searches.append(forall(code, "<=", constant_of_the_query(p, q, four, u, d), domain))
    return derivation("OURS:R3.A33/uniform", *searches, four=four)


@claim("OURS:R3.tail", control=(dict(share=Fraction(4, 5)), dict(two=3)), reference={})
def exponential_moment_and_tail(*, share: int | Fraction = 1, two: int = 2) -> Evidence:
    r"""The bounds $\mathbb{E}e^{|Z|^2/(4\sigma^2)}\leq2^{d/2}$, with equality for
    $\mathcal{N}(0,\sigma^2I)$, and $\mathbb{P}(|Z|\geq t)\leq2^{d/2}e^{-t^2/(4\sigma^2)}$ for every
    $t\geq0$ are derived, and tried on laws with two and three atoms; the first is also tried on
    hostile laws in $d=1,2,3$. Here `share` multiplies both bounds, and `two` stands for the 2 of
    the equality, whose second route is the integral of one coordinate.
    """
    checked = r"\mathbb{E}e^{|Z|^2/(4\sigma^2)} \le 2^{d/2}"
    search = all_of(
        worst_law(exponential, share, checked=checked, laws=("two atoms",), dimensions=PRODUCTS),
        worst_law(
            exponential, share, checked=checked, laws=("three atoms",), cases=vectors, dimensions=PRODUCTS
        ),
    )
    rate = exp(-(g**2) / 4)
    equality = integral_evidence(rate / sqrt(2 * sp.pi), g, (-oo, oo), "==", sqrt(two), tail=rate)
    reached = r"\mathbb{P}(|Z| \ge t) \le 2^{d/2}e^{-t^2/(4\sigma^2)}"
    thresholds = all_of(
        worst_law(tail, share, checked=reached, laws=("two atoms",), dimensions=PRODUCTS),
        worst_law(tail, share, checked=reached, laws=("three atoms",)),
    )
    return derivation("OURS:R3.tail", search, equality, thresholds, share=share, two=two)


@claim("OURS:R3.tail/D.2", sharp="c", needs=("OURS:R3.tail",))
def sharper_than_lemma_d2(*, c: int | Fraction = 2) -> Evidence:
    r"""For every $t>0$ and $d\geq1$, $2^{d/2}e^{-t^2/4}\leq e^{2d-t^2/16}$: our tail is below that
    of Lemma D.2, item 1. Here `c` stands for the 2 in $2d$.
    """
    return forall(tail_R3(t, d), "<=", tail_d2(t, d, Rational(c)), {t: (0, oo), d: Closed(1, oo)})


@claim("OURS:R3.tail/RH", control=dict(c=1), needs=("OURS:R3.tail",))
def sharper_than_the_cited_tail(*, c: int | Fraction = 4) -> Evidence:
    r"""For $t>4\sqrt d$ and $d\geq1$, $2^{d/2}e^{-t^2/4}\leq e^{-(t-4\sqrt d)^2/8}$: our tail is
    below that of Theorem 1.19, which Lemma D.2 cites. Here `c` stands for the 4.
    """
    shift = Rational(c) * sqrt(d)
    domain = {t: (0, oo), d: Closed(1, oo)}
    return forall(tail_R3(t, d), "<=", exp(-((t - shift) ** 2) / 8), domain, where=[(t, ">", shift)])


@claim(
    "OURS:R3.max", control=(dict(share=Fraction(1, 2)), dict(least=Fraction(3, 2))), needs=("OURS:R3.tail",)
)
def largest_norm(*, share: int | Fraction = 1, least: int | Fraction = 2) -> Evidence:
    r"""The bound $\mathbb{E}\max_\ell|Z_\ell|^p\leq\sigma^p(4(\ln L+\frac d2\ln2+\frac
    p2-1))^{p/2}$ is derived for every real $q=\frac p2=1+r\geq1$. The second route: it is tried for
    $p=2,\frac52,4,8$ and $L=1,2,10,1000$. Here `share` multiplies it, and `least` stands for the
    least $p$, below which one token $\pm1$ refutes it.
    """
    if least < 2:
        return forall(1, "<=", maximum_R3(sp.S.One, sp.S.One, p), {p: Closed(Rational(least), 2)})
    checked = r"\mathbb{E}\max_\ell|Z_\ell|^p \le " + sp.latex(maximum_R3(L, d, p, sigma))
    found = _of_every_power(
        (
            f"p = {power}, L = {length}",
            worst_law(maximum(length, power), share, checked=checked, cases=norms, dimensions=PRODUCTS),
        )
        for power in (Fraction(2), Fraction(5, 2), Fraction(4), Fraction(8))
        for length in (1, 2, 10, 1000)
    )
    return derivation("OURS:R3.max", found, share=share)
