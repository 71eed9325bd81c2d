"""The steps behind our bounds on errors averaged over the query: moments of tilted laws, weighted
moments of the query, and the smaller of two bounds. Inequalities are proved over their whole
domain, and bounds on laws are tried on instances.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import numpy as np
import sympy as sp
from sympy import Max, Min, exp, log, oo, sqrt

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, forall, identity
from numerics.search.query_average import Instance, tightest
from numerics.token_laws.hostile import hostile_laws
from proofs_check.core.claim import MEANS, claim
from theory.bounds.query_average import tilted_moment, weighted_query_moment

GAUSS = "for a standard Gaussian vector g, e^{lambda |v|^2} = E e^{sqrt(2 lambda) g.v}"


@claim("OURS:QA.tilt/jensen", argument="(ln y)^q is concave where its second derivative is not positive, from y = e^{q-1} on")
def powers_of_the_logarithm_are_concave() -> Evidence:
    """y^2 ((ln y)^q)'' = q (ln y)^{q-2} (q - 1 - ln y), which is at most 0 for ln y >= q - 1; q =
    1, 2, 4 are used.
    """
    y, v = sp.symbols("y v", positive=True)
    parts = []
    for q in (1, 2, 4):
        second = sp.diff(log(y) ** q, y, 2)
        parts.append(identity(y**2 * second, q * log(y) ** (q - 2) * (q - 1 - log(y))))
        below = forall(q * (q - 1 + v) ** (q - 2) * -v, "<=", 0, {v: (0, oo)})
        parts.append(below.replace(control=forall(q * (q - 1 + v) ** (q - 2) * (sp.Rational(1, 10) - v), "<=", 0, {v: (0, oo)})))
    return all_of(*parts)


@claim(
    "OURS:QA.tilt/square",
    cites=("Gaussian integral",),
    argument=f"{GAUSS}; each coordinate integrates to sqrt(2) e^{{sigma^2 a^2}}",
)
def completing_the_square() -> Evidence:
    """(sigma^2/2)(a + g/(sqrt(2) sigma))^2 - g^2/2 = sigma^2 a^2 - (g - sqrt(2) sigma a)^2/4:
    lambda = 1/(4 sigma^2).
    """
    a, g = sp.symbols("a g", real=True)
    sigma = sp.Symbol("sigma", positive=True)
    left = sigma**2 / 2 * (a + g / (sqrt(2) * sigma)) ** 2 - g**2 / 2
    return identity(left, sigma**2 * a**2 - (g - sqrt(2) * sigma * a) ** 2 / 4)


def _largest(c: Fraction) -> Iterator[Instance]:
    """Return E max|z_k|^{2q} of L tokens from the distribution function, for the laws that are
    discrete or bounded.
    """
    for d in (1, 2):
        for law in hostile_laws(d):
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
        for law in hostile_laws(d):
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


@claim(
    "OURS:QA.tilt",
    control=dict(c=Fraction(7, 10)),
    needs=("OURS:QA.tilt/jensen", "OURS:QA.tilt/square"),
    argument="Jensen's inequality for (ln y)^q at y = e^{|Z|^2/(4 sigma^2) + q - 1}; ln E_{mu_z} e^{|Z|^2/(4 sigma^2)} <= h + a2, "
    "since E e^{a.Z} >= 1; the largest of L tokens: a sum of L exponentials in place of one",
)
def moments_of_tilted_tokens(*, c: Fraction = Fraction(1)) -> Evidence:
    """E_{mu_z}|Z|^{2q} <= (4 sigma^2)^q (q - 1 + h + a2)^q, q = 1, 2, 4, and E max|z_k|^{2q} with
    ln L for a2; signs: c > 7/10.
    """
    signs = Instance(
        {"tokens": "1, -1", "d": 1, "sigma": 1, "Uz": 0, "q": 1},
        1.0,
        float(c) * tilted_moment(1, 0, 1, 1),
        lambda: (sp.S.One, sp.Rational(c) * tilted_moment(sp.S.One, sp.S.Zero, sp.S.One, 1)),
    )
    covered = "hostile laws in d = 1, 2 by cubature, sigma |Uz| = 0, 0.1, 1, 2; L = 1, 2, 10, 1000 for the largest; q = 1, 2, 4"
    checked = r"\mathbb{E}_{\mu_z}\|Z\|^{2q}\le(4\sigma^2)^q(q-1+h+\sigma^2\|Uz\|^2)^q"
    checked += r",\quad\mathbb{E}\max\|z_k\|^{2q}\le(4\sigma^2)^q(q-1+h+\ln L)^q"
    return tightest([signs, *_tilted(c), *_largest(c)], checked=checked, covered=covered)


@claim("OURS:QA.weight/power", control=dict(c=Fraction(99, 100)), argument="t^j e^{-eta t} is largest at t = j/eta")
def powers_below_exponentials(*, c: int | Fraction = 1) -> Evidence:
    """s^j e^{-s} <= c (j/e)^j for s = eta t > 0 and j = 1, 2, 3, 4."""
    s = sp.Symbol("s", positive=True)
    bounds = (sp.Rational(c) * (j / sp.E) ** j for j in (sp.Integer(k) for k in (1, 2, 3, 4)))
    return all_of(*(forall(s**j * exp(-s), "<=", b, {s: (0, oo)}) for j, b in zip((1, 2, 3, 4), bounds)))


@claim("OURS:QA.weight/root", argument="(1 + j/d)^{d/2} <= e^{j/2} is ln(1 + y) <= y at y = j/d")
def dimension_leaves_a_constant() -> Evidence:
    """eta = (1 - 2 lambda) j/(2(d+j)): 1 - 2 lambda - 2 eta = (1 - 2 lambda) d/(d+j); j/(e eta) =
    2(d+j)/(e(1 - 2 lambda)).
    """
    r, d, j, y = sp.symbols("r d j y", positive=True)  # r = 1 - 2 lambda
    eta = r * j / (2 * (d + j))
    rest, root = identity(r - 2 * eta, r * d / (d + j)), identity(j / (sp.E * eta), 2 * (d + j) / (sp.E * r))
    tangent = forall(log(1 + y), "<=", y, {y: (0, oo)})
    return all_of(rest, root, tangent.replace(control=forall(log(1 + y), "<=", sp.Rational(9, 10) * y, {y: (0, oo)})))


def _weighted(c: Fraction) -> Iterator[Instance]:
    """List weighted moments of queries: exactly for standard Gaussian ones, which tilt to N(0, 2 I)
    and give 2^{d/2} E|N(0, 2I)|^{2j}, then for laws on few values.
    """
    for d in (1, 2, 3, 10):
        for j in (0, 1, 2, 3, 4):
            moment = sp.Integer(2) ** sp.Rational(d, 2) * sp.prod([2 * sp.Integer(d + 2 * i) for i in range(j)])
            bound = sp.Rational(c) * weighted_query_moment(sp.Integer(d), j)
            where = {"query": "N(0, I)", "d": d, "j": j, "lambda": "1/4"}
            yield Instance(where, float(moment), float(bound), partial(tuple, (moment, bound)))
    for d in (1, 2, 3):
        for law in hostile_laws(d):
            if not law.sigma2 or "Gaussian" in law.name:
                continue
            mu = law.weighted_nodes
            size = (mu.nodes**2).sum(axis=1) / law.sigma2
            for j in (0, 1, 2, 3, 4):
                moment = float(mu.masses @ (size**j * np.exp(size / 4)))
                yield Instance({"law": law.name, "d": d, "j": j}, moment, float(c) * weighted_query_moment(d, j))


@claim(
    "OURS:QA.weight",
    control=dict(c=Fraction(99, 100)),
    needs=("OURS:QA.weight/power", "OURS:QA.weight/root"),
    argument=f"{GAUSS}, so E e^{{lambda |z|^2}} <= (1 - 2 lambda)^{{-d/2}}; a power of |z|^2 costs a little more lambda",
)
def weighted_moments_of_the_query(*, c: Fraction = Fraction(1)) -> Evidence:
    """E |z|^{2j} e^{|z|^2/4} <= 2^{d/2} (4 (d+j)/sqrt(e))^j for 1-sub-Gaussian queries, j = 0, ...,
    4; equality for j = 0.
    """
    checked = r"\mathbb{E}\|z\|^{2j}e^{\|z\|^2/4}\le 2^{d/2}\big(4(d+j)/\sqrt{e}\big)^j"
    covered = (
        "standard Gaussian queries, d = 1, 2, 3, 10, exactly; hostile laws in d = 1, 2, 3 scaled to the constant 1; j = 0, ..., 4"
    )
    return tightest(_weighted(Fraction(c)), checked=checked, covered=covered)


@claim(
    "OURS:QA.min",
    control=dict(top=Fraction(11, 10)),
    argument="x = e^y: for y <= 0 the first is at most A e^{theta y}, for y >= 0 the second at most B e^{theta y}",
)
def smaller_of_two_bounds(*, top: int | Fraction = 1) -> Evidence:
    """min(A x, B) <= max(A, B) x^theta for x > 0, 0 <= theta <= top = 1."""
    y, theta = sp.Symbol("y", real=True), sp.Symbol("theta", nonnegative=True)
    range_of_theta = Closed(0, sp.Rational(top))
    below = forall(exp(y), "<=", exp(theta * y), {y: sp.Interval(-oo, 0), theta: range_of_theta})
    above = forall(1, "<=", exp(theta * y), {y: Closed(0, oo), theta: range_of_theta})
    return all_of(below, above)


@claim(
    "OURS:QA.min/theta",
    assumes=(MEANS,),
    control=dict(c=Fraction(15)),
    argument="then e^{4 a2 theta} <= e^{|z|^2/4}, whose average is at most 2^{d/2} by QA.weight; 32 is for LC.9, where x = "
    "e^{16 a2}/L^2 and the Cauchy-Schwarz inequality doubles the weight",
)
def exponent_that_the_query_can_bear(*, c: int | Fraction = 16) -> Evidence:
    """4 kappa theta <= 1/4 and 0 <= theta <= 1 for theta = min(1, 1/(16 kappa)); the same for 8
    with 32, and 32 with 128.
    """
    kappa = sp.Symbol("kappa", positive=True)
    domain = {kappa: (0, oo)}
    ladder = [forall(k * kappa * Min(1, 1 / (sp.Rational(c) * k / 4 * kappa)), "<=", sp.Rational(1, 4), domain) for k in (4, 8, 32)]
    return all_of(*ladder)


@claim("OURS:P3.1/bracket", control=dict(c=Fraction(15)), needs=("OURS:QA.tilt",))
def larger_of_the_two_constants(*, c: int | Fraction = 300) -> Evidence:
    """In units of |V|^2 sigma^2, max(300 (1 + h), 8 ln L + 8 h + 8 h + 8 a2) <= 300 (1 + h) + 8 ln
    L + 8 a2.
    """
    h, a2, l = sp.symbols("h a2 l", nonnegative=True)  # l = ln L
    domain = {h: Closed(0, oo), a2: Closed(0, oo), l: Closed(0, oo)}
    both = Max(sp.Rational(c) * (1 + h), 8 * l + 16 * h + 8 * a2)
    return forall(both, "<=", sp.Rational(c) * (1 + h) + 8 * l + 8 * a2, domain)


def exponents_compared() -> Evidence:
    """Prove sigma^2 theta >= c2, where sigma^2 theta = min(s, v) and c2 = min(1, v) with s =
    sigma^2 >= 1 and v = 1/(c |U|^2), for any c.
    """
    s, v = sp.symbols("s v", positive=True)
    domain = {s: Closed(1, oo), v: (0, oo)}
    return forall(Min(1, v), "<=", Min(s, v), domain).replace(control=forall(Min(1, v) * s, "<=", Min(s, v), domain))


@claim("OURS:P3.1/form", argument="r = ln L / ln 2 >= 1 for L >= 2; every term of the difference is >= 0")
def the_form_of_the_paper() -> Evidence:
    """sigma >= 1, L = 2^r >= 2: A + D ln L + B sigma^2 <= sigma^2 ln(L) ((A + B)/ln 2 + D), and
    theta >= c2/sigma^2.

    For L >= 1 the same with 1 + ln L in place of ln L; here D = 8, B = 20 (d + 1) |U|^2.
    """
    return all_of(exponents_compared(), from_two_tokens(1), from_one_token(1))


def from_two_tokens(p: int) -> Evidence:
    """Prove A + D l^p + B s <= s l^p ((A + B)/ln(2)^p + D) for s = sigma^{2p} >= 1, l = ln L >= ln
    2 and A, B, D >= 0.
    """
    A, B, D = sp.symbols("A B D", positive=True)
    x, y = sp.symbols("x y", nonnegative=True)  # s = 1 + x, (l/ln 2)^p = 1 + y
    power = (1 + y) * log(2) ** p
    left, right = A + D * power + B * (1 + x), (1 + x) * power * ((A + B) / log(2) ** p + D)
    excess = A * (x + y + x * y) + B * (1 + x) * y + D * power * x
    return identity(right - left, excess).replace(assumes=("every term of the right side is >= 0",))


def from_one_token(p: int) -> Evidence:
    """Prove A + D l^p + B s <= s (1 + l)^p ((A + B)/ln(2)^p + D) for s = sigma^{2p} >= 1, l = ln L
    >= 0 and A, B, D >= 0.

    With s = 1 + x and 1/ln(2)^p = 1 + w the coefficients of A, B and D in the difference are
    nonnegative.
    """
    A, B, D = sp.symbols("A B D", positive=True)
    x, l, w = sp.symbols("x l w", nonnegative=True)
    grown = (1 + l) ** p
    left, right = A + D * l**p + B * (1 + x), (1 + x) * grown * ((A + B) * (1 + w) + D)
    of_A, of_B, of_D = (1 + x) * grown * (1 + w) - 1, (1 + x) * (grown * (1 + w) - 1), (1 + x) * grown - l**p
    domain = {x: Closed(0, oo), l: Closed(0, oo), w: Closed(0, oo)}
    spoiled = forall(of_A - 1, ">=", 0, domain)
    signs = [forall(coefficient, ">=", 0, domain).replace(control=spoiled) for coefficient in (of_A, of_B, of_D)]
    return all_of(identity(right - left, A * of_A + B * of_B + D * of_D), *signs)
