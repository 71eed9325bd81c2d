"""Lemma F.1 of Boursier & Boyer, the statement and part (i): in-context linear regression with
Gaussian tasks and covariates satisfies Assumption 4.2, and the sub-Gaussian constants of its tokens
and queries. They are derived for every dimension, and each part is tried by another engine.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Any

import sympy as sp
from sympy import Max, Rational, exp, oo

from numerics.evidence import Evidence, Verdict, all_of
from numerics.provers import Closed, Integers, forall, trace_identity
from proofs_check.boursier_boyer.lemma_f1_tasks import decay
from proofs_check.core.claim import claim
from proofs_check.derivations.gaussian.tilted_tokens import LARGEST, ORDERS
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, refuted_exactly, supported
from proofs_check.instances.quadratic_form import Sigma, a, b, quadratic_form, w
from theory.symbolic.regression_moments import DATA, token_moments


@claim(
    "BB:LF.1.corner",
    **TYPO,
    needs=("BB:12",),
    hypotheses=("d in Integers", "d >= 1", "Sigma > 0", "Sigma <= 1"),
    repair={"norm": "Sigma"},
    control={"norm": "2"},
)
def corner_of_the_token_covariance(*, norm: str = "2") -> Evidence:
    r"""For every $d$ the blocks are $\mathbb{E}xx^\top=\Sigma$, $\mathbb{E}xy=\Sigma w$ and
    $\mathbb{E}y^2=w^\top\Sigma w$. Printed is $w^\top w$ (`norm`) for the last one, which is
    another number in $d=1$ already.
    """
    w, S = DATA["w"], DATA["S"]
    square, column, corner = token_moments(noise=False)
    claimed = {"Sigma": w.T * S * w, "2": w.T * w}[norm]
    at = {"w": sp.Matrix([1]), "S": sp.Matrix([Rational(1, 2)])}
    if corner.evaluate(at) == claimed.evaluate(at):
        return all_of(
            trace_identity(square, S), trace_identity(column, S * w), trace_identity(corner, claimed)
        )
    law = {"d": 1, "Sigma": Rational(1, 2), "w": 1}
    witness = {**law, "E y^2": corner.evaluate(at), "printed corner": claimed.evaluate(at)}
    return refuted_exactly(witness)


PARAMETERS = {"printed": lambda k: Max(1, Sigma, w**2), "repaired": lambda k: Max(1, k * Sigma * (1 + w**2))}


@claim(
    "BB:LF.1.i",
    false="gap",
    costs="constants",
    hypotheses=("d in Integers", "d >= 1", "Sigma > 0", "Sigma <= 1"),
    needs=("BB:LF.1.corner", "BB:LF.1.i/query"),
    repair={"parameter": "repaired"},
    control={"k": Fraction(9, 10)},
)
def sub_gaussian_parameter_of_tokens(*, parameter: str = "printed", k: Fraction = Fraction(1)) -> Evidence:
    r"""With $\sigma_\mu^2=\max(1,\|\Sigma\|_{\rm op}(1+\|w\|^2))$, where `k` multiplies
    $\|\Sigma\|_{\rm op}$, it is derived that a token is $\sigma_\mu$-sub-Gaussian at every task.
    With the printed `parameter`, it is not. The second route is $\|\Sigma\|_{\rm
    op}(\|a\|+|b|\,\|w\|)^2\leq\sigma_\mu^2(\|a\|^2+b^2)$ for every $v=(a,b)$, which is necessary in
    $d=1$.
    """
    bound = PARAMETERS[parameter](Rational(k)) * (a**2 + b**2)
    ranges = {Sigma: sp.Interval.Lopen(0, 1), w: Closed(0, oo), a: Closed(0, oo), b: Closed(0, oo)}
    found = forall(Sigma * (a + b * w) ** 2, "<=", bound, ranges)
    if found.verdict is Verdict.REFUTED or parameter == "printed":
        return found.replace(witness={"d": 1, **found.witness})
    return derivation("BB:LF.1.i", found, k=k)


@claim("BB:LF.1.i/form", control={"shifts": 2})
def exponent_of_the_generating_function(*, shifts: int = 1) -> Evidence:
    r"""For $v=(a,b)$, $v^\top\Gamma_wv=(a+bw)^\top\Sigma(a+bw)$, the square of a sum and not of the
    larger part; `shifts` multiplies $bw$.
    """
    return quadratic_form(noise=False, shifts=shifts)


@claim("BB:LF.1.i/query", control={"c": Fraction(9, 10)})
def the_query_is_sub_gaussian(*, c: Fraction = Fraction(1)) -> Evidence:
    r"""For the query, $\mathbb{E}e^{v^\top x}\leq e^{\|v\|^2/2}$ is derived for every $v$; `c`
    multiplies the $\|v\|^2$. The second route is $\|\Sigma\|_{\rm op}\|v\|^2\leq\|v\|^2$.
    """
    search = forall(Sigma * a**2, "<=", Rational(c) * a**2, {Sigma: Closed(0, 1), a: Closed(0, oo)})
    return derivation("BB:LF.1.i/query", search, c=c)


#: Above (ln 2)/2.
HALF_LOG = Fraction(34658, 100000)


@claim(
    "BB:LF.1",
    control=(
        {"k": Fraction(9, 10)},
        {"share": Fraction(1, 2)},
        {"rate": Fraction(4, 5)},
        {"growth": Fraction(3, 4)},
        {"own": Fraction(9, 10)},
    ),
    hypotheses=("d in Integers", "d >= 1", "Sigma > 0", "Sigma <= 1"),
)
def the_linear_model_satisfies_the_assumption(
    *,
    k: int | Fraction = 1,
    share: int | Fraction = 1,
    rate: int | Fraction = 1,
    growth: int | Fraction = 1,
    own: int | Fraction = 1,
) -> Evidence:
    r"""With $\sigma_\mu^2=\max(1,\|\Sigma\|_{\rm op}(1+\|w\|^2))$ all parts of the assumption are
    derived, for $\Sigma$ of any rank: (i) at every task, with `k` before $\sigma_\mu^2$ and before
    the 1 of the query; (ii) $\mathbb{E}\sigma_\mu^{12}\leq(24/e)^6e^{1/4}2^{d/2}$, times `share`,
    and $\mathbb{E}\ln(L)^4L^{-c/\sigma_\mu^2}\leq\varepsilon$ as soon as $\sqrt{c\ln
    L}\geq48000e^{1/4}2^{d/2}/(c^4\varepsilon)$, where `rate` multiplies $c/\sigma_\mu^2$; (iii) at
    every task, for every $U$ and $p,p'\in\{0,4,8\}$, with a number $M_{p,p'}$ in which the task
    does not occur, where `growth` multiplies the exponent $2p$ of $\sigma_\mu$, and `own` the
    $M_{0,p'}$.
    """
    searches = (*sub_gaussian(Rational(k)), twelfth_moment(Rational(share)), decay(rate))
    moments = (
        tilted_moment(p, r, Fraction(growth), Fraction(own) if p == 0 else Fraction(1)) for p, r in ORDERS
    )
    return derivation("BB:LF.1", *searches, *moments, k=k, share=share, rate=rate, growth=growth, own=own)


def sub_gaussian(k: sp.Rational) -> tuple[Evidence, ...]:
    """Compare the exponents of the generating functions of query and token with those of
    sub-Gaussian laws, through the norms of the blocks of v = (a, b).
    """
    proxy = Max(1, Sigma * (1 + w**2))
    ranges = {Sigma: sp.Interval.Lopen(0, 1), w: Closed(0, oo), a: Closed(0, oo), b: Closed(0, oo)}
    only = lambda *names: {name: ranges[name] for name in names}
    return (
        forall(Sigma * a**2, "<=", k * a**2, only(Sigma, a)),
        forall(Sigma * (a + b * w) ** 2, "<=", k * proxy * (a**2 + b**2), ranges),
        forall(1, "<=", k * proxy, only(Sigma, w)),
    )


def twelfth_moment(share: sp.Rational) -> Evidence:
    """Compare E (1 + zeta)^6, a polynomial in d, with its bound; here |Sigma| = 1."""
    d = sp.Symbol("d", integer=True, positive=True)
    moment = sum(comb(6, n) * prod(d + 2 * j for j in range(n)) for n in range(7))
    return forall(
        sp.expand(moment), "<=", share * 24**6 * exp(-Rational(23, 4)) * 2 ** (d / 2), {d: Integers(1, oo)}
    )


def gaussian(p: int) -> int:
    """E g^p for a standard normal g and an even p."""
    return prod(range(1, p, 2))


def tilted_moment(k: int, r: int, growth: Fraction, own: Fraction) -> Evidence:
    """Compare both sides of (iii) for p = 2k and p' = 2r in dimension 1 at Sigma = 1, exactly.
    Given the query x, the tilted token is (1, w) times a normal variable with the mean (u + v w) x
    and the variance 1, where (u, v) is the first column of U.
    """
    slack, where = math.inf, dict[str, Any]()
    columns = [(Fraction(u), Fraction(v)) for u, v in ((0, 0), (1, 0), (0, 1), (1, 1), ("1/4", "1/4"))]
    for w_, (u, v) in product((0, 1, 10, 10**8), columns):
        s, drift = 1 + w_**2, u + v * w_
        terms = (
            comb(2 * k, n) * drift**n * gaussian(n + 2 * r) * gaussian(2 * k - n)
            for n in range(0, 2 * k + 1, 2)
        )
        left = s**k * Fraction(sum(terms))
        squares = gaussian(2 * r), (u**2 + v**2) ** k * gaussian(2 * k + 2 * r)
        flat = (
            2 ** (k - 1) * (HALF_LOG**k * squares[0] + squares[1]) + LARGEST[k] * squares[0]
            if k
            else Fraction(squares[0])
        )
        M = 4**k * 2 ** (k - 1) * flat if k else flat
        right = own * s ** int(growth * 2 * k) * M
        witness = {"d": 1, "Sigma": 1, "w": w_, "U": f"first column ({u}, {v})", "p": 2 * k, "p'": 2 * r}
        if left > right:
            witness |= {"left": str(left), "right": str(right)}
            return refuted_exactly(witness)
        if right / left < slack:
            slack, where = float(right / left), witness
    covered = "d = 1, Sigma = 1, w = 0, 1, 10, 1e8, five matrices U"
    return supported("exact arithmetic", covered, slack=slack, tightest=where)
