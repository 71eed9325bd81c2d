"""Checks shared by the statements of Appendices C.3 and C.5 of Boursier & Boyer, which bound errors
averaged over the query: the class of functions f and g, the bounds with explicit constants, and a
family of queries that are rarely very large and defeat every constant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy import exp, log, oo

from numerics.evidence import Evidence, all_of
from numerics.provers import forall, identity
from numerics.refutation import defeated
from numerics.search.query_average import Instance, tightest
from numerics.search.query_average_instances import discrete
from proofs_check.instances.query_average import general, times
from theory.bounds.query_average import tilted_moment

HYPOTHESES = ("L in Integers", "L >= 1", "sigma >= 1", "d >= 1")
UNPROVED = "every sub-Gaussian law of tokens and queries is meant; the bound is tried on instances with explicit constants"
SUPREMUM_WHY = (
    r"The supremum runs over $z$, but the ratio under it contains the token $z_{1}$: as printed it is no condition on $f$."
)
SUPREMUM_INSTEAD = r"$\sup_{z\neq 0}\|f(z)\|/\|z\|%s\leq C_{f}$ and $f(0)=0$, as in Lemma C.%d."
NU_WHY = (
    r"The list of objects on which the constants may depend lacks the law $\nu$ of the query, but the error may grow with "
    r"$\mathbb{E}_{\nu}\|g\|^{%d}$ while the listed objects stay the same. Presumably $g$ is meant fixed together with $\nu$; for "
    r"the $g$ used in the paper, $1$ and $z$, these moments are bounded over all 1-sub-Gaussian $\nu$ and nothing changes."
)
G_WHY = (
    r"The factor $g(z)$ of Lemma C.%d is missing on the left side, though the constants depend on $g$ and the proof bounds the "
    r"error times $g$: where $\|g\|$ is not at most 1 the lemma would not follow."
)
G_INSTEAD = r"The same display with $f(z_{k})g(z)$ and $f(Z_{1})g(z)$ in place of $f(z_{k})$ and $f(Z_{1})$."
#: (L, sigma, |U|, d, p, root of the moment of g) to the right side for C_f = 1.
RightSide = Callable[[Any, Any, Any, Any, int, Any], Any]
k, c1, c2, c3, c4 = sp.symbols("k c1 c2 c3 c4", positive=True)


def printed_supremum(argument: str, c: Fraction) -> Evidence:
    """Decide for f(x) = x^2 and p = 1 whether |f(w)|/|w| <= C_f at w = `argument` gives |f(x)| <= c
    C_f |x| for every x.
    """
    x, z_1, C_f = sp.symbols("x z_1 C_f", positive=True)
    w = z_1 if argument == "z_1" else x
    domain = dict.fromkeys((x, w, C_f), (0, oo))
    return forall(x**2, "<=", sp.Rational(c) * C_f * x, domain, where=[(w, "<=", C_f)])


def _infinite_prompt(order: int) -> Iterator[Instance]:
    """List instances of condition (ii) for f = z and g = 1 with an explicit c(f, g, U): |T| <= 2
    sigma^2 |U| |z|, and the query has the moment.
    """
    for x in discrete():
        if not x.u:
            continue  # both sides are 0
        at = [[float(v) for v in atom] for atom in x.tokens.atoms]
        total = 0.0
        for z, mass in zip(x.query.atoms, x.query.weights):
            scores = [float(x.u) * sum(a * float(q) for a, q in zip(atom, z)) for atom in at]
            w = [float(p) * math.exp(s) for s, p in zip(scores, x.tokens.weights)]
            means = [sum(p * atom[i] for p, atom in zip(w, at)) / sum(w) for i in range(x.d)]
            total += float(mass) * sum(m * m for m in means) ** (order // 2)
        right = (2 * float(x.tokens.sigma2) * float(x.u)) ** order * tilted_moment(1, 0, x.d, order // 2)
        yield Instance(x.describe(), total, right)


def error_without_g(order: int, moment: int) -> Evidence:
    """Decide for a constant |g| = G whether E|err g|^order, which is G^order e, is at most the left
    side of the display, G^{order moment} e.
    """
    G, e = sp.symbols("G e", positive=True)
    left, right = G**order * e, G ** (order * moment) * e
    return forall(left, "<=", right, dict.fromkeys((G, e), (0, oo))) if moment == 0 else identity(left, right)


def class_is_not_empty(order: int, power: int) -> Evidence:
    """Check for f = z^power, g = 1 and p = 1 condition (i) with C_f = 1, which reads z^power <= z,
    then (ii) on instances; (iii) says 1 < oo.
    """
    z = sp.Symbol("z", positive=True)
    grows = forall(z**power, "<=", z, {z: (0, oo)})
    if not grows.verdict.accepted:
        return grows
    checked = rf"\mathbb{{E}}_z\|R/S\|^{{{order}}}\le\sigma^{{{2 * order}}}c(f,g,U)"
    return all_of(grows, tightest(_infinite_prompt(order), checked=checked, covered="f = z, g = 1; discrete tokens and queries"))


def explicit(right: RightSide, order: int, c: Fraction, checked: str) -> Evidence:
    """Compare the averaged error to the power `order` with c times an explicit right side, on the
    instances with L >= 2.
    """
    return general(times(c, right), order, checked=checked, given="explicit constants; ", least=2)


def ln(x: Any) -> Any:
    """Return the logarithm in the kind of its argument."""
    return sp.log(x) if isinstance(x, sp.Basic) else math.log(x)


def rare_large_queries(order: int) -> Evidence:
    """Judge the averaged error for queries n and -n with probability q/2 each, q = e^{-n^2}/n^2,
    and 0 otherwise; here g(z) = e^{z^2}, f = z, tokens are 1 and -1, U = 0 and L = 2.

    The query is 1-sub-Gaussian: q (cosh(nt) - 1) <= q (n^2 t^2/2) e^{n|t|} <= (t^2/2) e^{t^2/4} <=
    e^{t^2/2} - 1, because t^2/4 - n|t| >= -n^2. The error is half of E|g|^order, which tends to
    infinity with n.
    """
    q = exp(-(k**2)) / k**2
    moment = q * exp(order * k**2) + 1 - q
    where = {"L": 2, "d": 1, "sigma": 1, "U": 0, "f": "z", "g": "exp(z^2)", "tokens": "1, -1 with 1/2 each"}
    at = {"query": k, "mass of query and -query": q}
    return defeated(moment / 2, c1 * log(2) ** (order // 2) / 2**c2, k, at=at, where=where)
