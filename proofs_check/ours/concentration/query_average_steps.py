"""The steps behind our bounds on errors averaged over the query: moments of tilted laws, weighted
moments of the query, and the smaller of two bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import numpy as np
import sympy as sp
from sympy import Max, Min, exp, log, oo

from numerics.counterexamples.worst_case.query_average import Instance, PromptAndQuery, tightest
from numerics.counterexamples.worst_case.query_average_bound import QueryAverageBound, Term
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, forall, identity, integral_evidence
from numerics.token_laws import atoms
from numerics.token_laws.edge_cases import edge_case_laws
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.random_query.average_split import expected_maximum
from proofs_check.instances.random_query.weighted_queries import WeightedQueries
from theory.bounds.query_average import tilted_moment, weighted_query_moment


def _largest(c: Fraction) -> Iterator[Instance]:
    """E max|z_k|^{2q} of L tokens from the distribution function, for discrete or bounded laws."""
    for d in (1, 2):
        for law in edge_case_laws(d):
            if not law.sigma2 or "Gaussian" in law.name:
                continue
            mu = law.weighted_nodes
            sizes, place = np.unique((mu.nodes**2).sum(axis=1), return_inverse=True)
            below = np.minimum(np.cumsum(np.bincount(place.ravel(), mu.masses)), 1)
            for L in (1, 2, 10, 1000):
                steps = np.diff(below**L, prepend=0)
                for q in (1, 2, 4):
                    bound = float(c) ** q * tilted_moment(math.sqrt(law.sigma2), math.log(L), d, q)
                    yield Instance({"law": law.name, "d": d, "L": L, "q": q}, float(steps @ sizes**q), bound)


def _tilted(c: Fraction) -> Iterator[Instance]:
    for d in (1, 2):
        for law in edge_case_laws(d):
            if not law.sigma2:
                continue
            mu = law.weighted_nodes
            for size in (0.0, 0.1, 1.0, 2.0):
                a = size / math.sqrt(law.sigma2) * np.arange(1, d + 1) / np.linalg.norm(np.arange(1, d + 1))
                w = np.exp(mu.nodes @ a)
                for q in (1, 2, 4):
                    moment = (mu.masses * w * (mu.nodes**2).sum(axis=1) ** q).sum() / (mu.masses * w).sum()
                    bound = float(c) ** q * tilted_moment(math.sqrt(law.sigma2), size**2, d, q)
                    yield Instance({"law": law.name, "d": d, "sigma|Uz|": size, "q": q}, float(moment), bound)


#: Tokens that are 9 or -9 with a probability of 2^-61 each, and otherwise 0; 1 is a sub-Gaussian
#: constant of them.
RARE = PromptAndQuery(
    atoms(
        [[9], [0], [-9]], [Fraction(1, 2**61), 1 - Fraction(1, 2**60), Fraction(1, 2**61)], sigma2=Fraction(1)
    ),
    atoms([[1], [-1]], [Fraction(1, 2), Fraction(1, 2)]),
    Fraction(5),
    "rare tokens",
)


def _moments(c: sp.Rational, q: int) -> Iterator[Term]:
    """Both inequalities for every law of tokens: at a fixed query, and for the largest token."""
    factor = lambda at: (c if isinstance(at.L, sp.Basic) else float(c)) ** q
    ln = lambda L: sp.log(L) if isinstance(L, sp.Basic) else np.log(L)
    moment = lambda at: at.tilted(lambda tokens: (tokens * tokens).sum(1) ** q)
    yield Term(
        moment, lambda at: factor(at) * tilted_moment(at.sigma, at.a2, at.d, q), {"q": q, "mean": "tilted"}
    )
    largest = lambda at: expected_maximum(at, 2 * q)
    yield Term(
        largest,
        lambda at: factor(at) * tilted_moment(at.sigma, ln(at.L), at.d, q),
        {"q": q, "mean": "of the largest"},
    )


@claim("OURS:QA.tilt", control=dict(c=Fraction(7, 10)), needs=("OURS:R3/exponential",))
def moments_of_tilted_tokens(*, c: Fraction = Fraction(1)) -> Evidence:
    r"""With $a_2=\sigma^2|Uz|^2$, $\mathbb{E}_{\mu_z}|Z|^{2q}\leq(4\sigma^2)^q(q-1+h+a_2)^q$ is
    derived for every real $q=1+r\geq1$, and so is the bound of $\mathbb{E}\max_k|z_k|^{2q}$ with
    $\ln L$ in place of $a_2$. Both are tried for $q=1,2,4$. Here `c` multiplies $4\sigma^2$ in both
    bounds, and tokens $\pm1$ refute $c=\frac7{10}$.
    """
    signs = Instance(
        {"tokens": "1, -1", "d": 1, "sigma": 1, "Uz": 0, "q": 1},
        1.0,
        float(c) * tilted_moment(1, 0, 1, 1),
        lambda: (sp.S.One, sp.Rational(c) * tilted_moment(sp.S.One, sp.S.Zero, sp.S.One, 1)),
    )
    terms = [term for q in (1, 2, 4) for term in _moments(sp.Rational(c), q)]
    covered = (
        "hostile laws in d = 1, 2 by cubature, sigma |Uz| = 0, 0.1, 1, 2; L = 1, 2, 10, 1000 for the "
        "largest; q = 1, 2, 4; "
    )
    covered += "rare large tokens, exactly"
    checked = r"\mathbb{E}_{\mu_z}\|Z\|^{2q}\le(4\sigma^2)^q(q-1+h+\sigma^2\|Uz\|^2)^q"
    checked += r",\quad\mathbb{E}\max\|z_k\|^{2q}\le(4\sigma^2)^q(q-1+h+\ln L)^q"
    meant = QueryAverageBound(tuple(terms), unit=False)
    rows = [signs, *_tilted(c), *_largest(c), *meant.instances([RARE], lambda x: (1,))]
    found = tightest(rows, checked=checked, covered=covered, statement=meant)
    return derivation("OURS:QA.tilt", found, found, c=c)


@claim("OURS:QA.tilt/second", control=dict(c=Fraction(7, 10)))
def second_and_fourth_moment_of_tilted_tokens(*, c: Fraction = Fraction(1)) -> Evidence:
    r"""For $q=1$ and 2, $\mathbb{E}_{\mu_z}|Z|^{2q}\leq(4\sigma^2)^q(q-1+h+a_2)^q$ is derived for
    every sub-Gaussian law of the tokens, and tried in hostile cases; `c` multiplies $4\sigma^2$,
    and tokens $\pm1$ refute $c=\frac7{10}$.
    """
    search = moments_of_tilted_tokens(c=c)
    return derivation("OURS:QA.tilt/second", search, search, c=c)


@claim("OURS:QA.weight/power", control=dict(c=Fraction(99, 100)))
def powers_below_exponentials(*, c: int | Fraction = 1) -> Evidence:
    r"""For every $s>0$ and $j>0$, $s^je^{-s}\leq(j/e)^j$; `c` multiplies the right side."""
    s, j = sp.symbols("s j", positive=True)
    return forall(s**j * exp(-s), "<=", sp.Rational(c) * (j / sp.E) ** j, {s: (0, oo), j: (0, oo)})


@claim("OURS:QA.weight/root", control=dict(two=3))
def dimension_leaves_a_constant(*, two: int = 2) -> Evidence:
    r"""With $r=1-2\lambda$ and $\eta=\frac{rj}{2(d+j)}$, $r-2\eta=\frac{rd}{d+j}$ and $\frac
    j{e\eta}=\frac{2(d+j)}{er}$; moreover $(1+j/d)^{d/2}\leq e^{j/2}$, in logarithms. Here `two`
    stands for the 2 of $\eta$ and of $e^{j/2}$.
    """
    r, d, j, eta = sp.symbols("r d j eta", positive=True)
    chosen = sp.Eq(two * (d + j) * eta, r * j)
    rest = identity(r - 2 * eta, r * d / (d + j), given=[chosen])
    root = identity(j / (sp.E * eta), 2 * (d + j) / (sp.E * r), given=[chosen])
    return all_of(
        rest, root, forall(d * log(1 + j / d) / 2, "<=", j / sp.Integer(two), {d: (0, oo), j: (0, oo)})
    )


def _weighted(c: Fraction) -> Iterator[Instance]:
    """Weighted moments of queries: exactly for standard Gaussian ones, which tilt to N(0, 2 I) and
    give 2^{d/2} E|N(0, 2I)|^{2j}, then for laws on few values.
    """
    for d in (1, 2, 3, 10):
        for j in (0, 1, 2, 3, 4):
            moment = sp.Integer(2) ** sp.Rational(d, 2) * sp.prod(
                [2 * sp.Integer(d + 2 * i) for i in range(j)]
            )
            bound = sp.Rational(c) * weighted_query_moment(sp.Integer(d), j)
            where = {"query": "N(0, I)", "d": d, "j": j, "lambda": "1/4"}
            yield Instance(where, float(moment), float(bound), partial(tuple, (moment, bound)))
    for d in (1, 2, 3):
        for law in edge_case_laws(d):
            if not law.sigma2 or "Gaussian" in law.name:
                continue
            mu = law.weighted_nodes
            size = (mu.nodes**2).sum(axis=1) / law.sigma2
            for j in (0, 1, 2, 3, 4):
                moment = float(mu.masses @ (size**j * np.exp(size / 4)))
                yield Instance(
                    {"law": law.name, "d": d, "j": j}, moment, float(c) * weighted_query_moment(d, j)
                )


@claim("OURS:QA.weight", control=(dict(c=Fraction(99, 100)), dict(half=Fraction(1, 3))))
def weighted_moments_of_the_query(*, c: Fraction = Fraction(1), half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""For 1-sub-Gaussian queries and $r=1-2\lambda$, $\mathbb{E}e^{\lambda|z|^2}\leq r^{-d/2}$,
    with equality for Gaussian queries, and $\mathbb{E}|z|^{2j}e^{\lambda|z|^2}\leq
    r^{-d/2}(\frac{2(d+j)}{r\sqrt e})^j$ are derived for every $\lambda$ in $[0,\frac12)$ and real
    $j>0$, and tried on hostile laws for $\lambda=\frac14$ and $j=0,\ldots,4$. Here `c` multiplies
    the bounds, and `half` stands for the $\frac12$ in the equality, whose second route is the
    integral of one coordinate.
    """
    checked = r"\mathbb{E}\|z\|^{2j}e^{\|z\|^2/4}\le 2^{d/2}\big(4(d+j)/\sqrt{e}\big)^j"
    covered = (
        "lambda = 1/4 and j = 0, ..., 4: standard Gaussian queries, d = 1, 2, 3, 10, exactly; "
        "hostile laws in d = 1, 2, 3 "
    )
    covered += "scaled to the constant 1"
    meant = WeightedQueries(
        lambda d, j: (sp.Rational(c) if isinstance(d, sp.Basic) else float(c)) * weighted_query_moment(d, j)
    )
    search = tightest(_weighted(Fraction(c)), checked=checked, covered=covered, statement=meant)
    g = sp.Symbol("g", real=True)
    rate = exp(-(g**2) / 4)
    equality = integral_evidence(
        rate / sp.sqrt(2 * sp.pi), g, (-oo, oo), "==", 2 ** sp.Rational(half), tail=rate
    )
    return derivation("OURS:QA.weight", search, equality, search, c=c, half=half)


def bearable(k: int, c: int | Fraction) -> Evidence:
    """Prove k kappa theta <= 1/4 for theta = min(1, 1/(c kappa)) and every kappa > 0."""
    kappa = sp.Symbol("kappa", positive=True)
    return forall(k * kappa * Min(1, 1 / (sp.Rational(c) * kappa)), "<=", sp.Rational(1, 4), {kappa: (0, oo)})


@claim("OURS:QA.min", control=(dict(top=Fraction(11, 10)), dict(bottom=Fraction(-1, 10)), dict(c=15)))
def smaller_of_two_bounds(*, bottom: int | Fraction = 0, top: int | Fraction = 1, c: int = 16) -> Evidence:
    r"""For $x>0$, $A,B\geq0$ and $0\leq\theta\leq1$, $\min(Ax,B)\leq\max(A,B)x^\theta$; for
    $\theta=\min(1,\frac1{16\kappa})$, $4\kappa\theta\leq\frac14$, and $x^\theta\leq
    e^{|z|^2/4}/L^\theta$ at $x=e^{4\sigma^2|Uz|^2}/L$. All three are derived. In the second route
    $x=e^y$ with either sign of $y$; `bottom` and `top` bound $\theta$, and `c` stands for the 16.
    """
    y, theta = sp.symbols("y theta", real=True)
    range_of_theta = Closed(sp.Rational(bottom), sp.Rational(top))
    below = forall(exp(y), "<=", exp(theta * y), {y: sp.Interval(-oo, 0), theta: range_of_theta})
    above = forall(1, "<=", exp(theta * y), {y: Closed(0, oo), theta: range_of_theta})
    light = bearable(4, c)
    return derivation("OURS:QA.min", all_of(below, above), light, light, bottom=bottom, top=top, c=c)


@claim("OURS:QA.min/theta", control=dict(share=Fraction(15, 16)))
def exponents_that_the_query_can_bear(*, share: int | Fraction = 1) -> Evidence:
    r"""For $\theta=\min(1,\frac1{32\kappa})$, $8\kappa\theta\leq\frac14$, and for
    $\theta=\min(1,\frac1{128\kappa})$, $32\kappa\theta\leq\frac14$; `share` multiplies 32 and 128
    in $\theta$.

    The first is for P3.4.U and LC.6. The second is for LC.9, where $x=e^{16a_2}/L^2$ and the
    Cauchy-Schwarz inequality doubles the weight.
    """
    return all_of(bearable(8, 32 * Fraction(share)), bearable(32, 128 * Fraction(share)))


@claim("OURS:P3.1/bracket", control=dict(c=Fraction(15)), needs=("OURS:QA.tilt",))
def larger_of_the_two_constants(*, c: int | Fraction = 300) -> Evidence:
    r"""In units of $|V|^2\sigma^2$, $\max(300(1+h),\,8\ln L+16h+8a_2)\leq300(1+h)+8\ln L+8a_2$; `c`
    stands for 300 on both sides.
    """
    h, a2, l = sp.symbols("h a2 l", nonnegative=True)  # l = ln L
    domain = {h: Closed(0, oo), a2: Closed(0, oo), l: Closed(0, oo)}
    both = Max(sp.Rational(c) * (1 + h), 8 * l + 16 * h + 8 * a2)
    return forall(both, "<=", sp.Rational(c) * (1 + h) + 8 * l + 8 * a2, domain)


def exponents_compared(c: int, c2: int | Fraction) -> Evidence:
    """Prove theta >= c_2/sigma^2 for theta = min(1, 1/(c sigma^2 |U|^2)), c_2 = min(1, 1/(c2
    |U|^2)) and sigma >= 1.
    """
    s, u2 = sp.symbols("s u2", nonnegative=True)  # sigma^2 and |U|^2
    domain = {s: Closed(1, oo), u2: Closed(0, oo)}
    return forall(1 / Max(1, sp.Rational(c2) * u2), "<=", s / Max(1, c * s * u2), domain)


def form_of_the_paper(p: int, base: int) -> Evidence:
    """Prove A + D l^p + B s <= s l^p ((A + B)/ln(base)^p + D) for l = ln L >= ln 2, and the same
    with m = 1 + l in the place of l on the right side for l >= 0; s = sigma^{2p} >= 1, A and D
    > 0, and B >= 0, which is 0 where U is.
    """
    A, D, s, m = sp.symbols("A D s m", positive=True)
    B, y = sp.symbols("B y", nonnegative=True)
    signs = {A: (0, oo), B: Closed(0, oo), D: (0, oo), s: Closed(1, oo)}
    power, constant = (1 + y) * log(2) ** p, (A + B) / log(base) ** p + D  # l^p = (1 + y) ln(2)^p
    return all_of(
        forall(A + D * power + B * s, "<=", s * power * constant, {**signs, y: Closed(0, oo)}),
        forall(A + D * (m - 1) ** p + B * s, "<=", s * m**p * constant, {**signs, m: Closed(1, oo)}),
    )


@claim("OURS:P3.1/form", control=dict(base=3, c2=15))
def the_form_of_the_paper(*, base: int = 2, c2: int | Fraction = 16) -> Evidence:
    r"""For $\sigma\geq1$ and $L\geq2$, $A+D\ln L+B\sigma^2\leq\sigma^2\ln(L)((A+B)/\ln2+D)$, and
    $\min(1,\frac1{16\sigma^2|U|^2})\geq\min(1,\frac1{16|U|^2})/\sigma^2$, which is the form of the
    paper. Here `base` stands for the 2 of $\ln2$ and `c2` for the second 16.

    For $L\geq1$ the same holds with $1+\ln L$ in place of $\ln L$; in P3.1 $A=300(1+h)$, $D=8$ and
    $B=20(d+1)|U|^2$.
    """
    return all_of(exponents_compared(16, c2), form_of_the_paper(1, base))
