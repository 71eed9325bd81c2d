"""Checks shared by the statements of Appendices C.3 and C.5 of Boursier & Boyer, which bound errors
averaged over the query: the class of functions f and g, the bounds with explicit constants, and a
family of queries that are rarely very large and defeat every constant.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from sympy import exp, log, oo

from numerics.counterexamples.by_sequences import defeated
from numerics.counterexamples.worst_case.query_average import tightest
from numerics.counterexamples.worst_case.query_average_bound import QueryAverageBound, Term
from numerics.counterexamples.worst_case.query_average_instances import discrete
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, forall, identity
from proofs_check.core.claim import Claim, claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO
from proofs_check.instances.random_query.query_average import general, times

HYPOTHESES = ("L in Integers", "L >= 1", "sigma >= 1", "d >= 1")
#: The keywords of a claim that fails for one token only, as Lemma C.6 does.
AT_ONE_TOKEN: dict[str, Any] = dict(
    false="edge", at="L = 1", follows="BB:LC.6", costs="nothing", repair=dict(least=2)
)
UNPROVED = (
    "Every sub-Gaussian law of tokens and queries is meant; the bound is tried on instances with explicit "
    "constants."
)


#: (L, sigma, |U|, d, p, root of the moment of g) to the right side for C_f = 1.
RightSide = Callable[[Any, Any, Any, Any, int, Any], Any]
k, c1, c2, c3, c4 = sp.symbols("k c1 c2 c3 c4", positive=True)


def supremum_of_a_ratio(id: str, lemma: int, power: str, **declared: Any) -> Claim:
    """Condition (i), with the ratio at a token as printed."""

    @claim(
        id,
        **TYPO,
        why=r"The supremum runs over $z$, but the ratio under it contains the token $z_{1}$: as printed it "
        r"is no "
        r"condition on $f$.",
        instead=(
            rf"Ask for $\sup_{{z\neq 0}}\|f(z)\|/\|z\|{power}\leq C_{{f}}$ and $f(0)=0$, as in Lemma "
            rf"C.{lemma}."
        ),
        repair=dict(argument="z"),
        control=dict(c=Fraction(9, 10)),
        hypotheses=("x > 0", "z_1 > 0", "C_f > 0", "z_1 <= C_f"),
        **declared,
    )
    def supremum_of_a_ratio(*, argument: str = "z_1", c: Fraction = Fraction(1)) -> Evidence:
        r"""With the ratio at $z$, (i) bounds $\|f(x)\|$ for every $x\neq0$, with $F=\|f(x)\|$ and
        the power $r$ of $\|x\|$. Printed, its `argument` is the token $z_1$, which is refuted by
        $f(x)=x^2$, $p=1$.
        """
        if argument == "z":
            r, (F, C_f) = sp.Symbol("r", positive=True), sp.symbols("F C_f", nonnegative=True)
            domain = {r: (0, oo), F: Closed(0, oo), C_f: Closed(0, oo)}
            return forall(F, "<=", sp.Rational(c) * C_f * r, domain, where=[(F / r, "<=", C_f)])
        x, z_1, C_f = sp.symbols("x z_1 C_f", positive=True)
        with sp.evaluate(False):
            ratio = z_1**2 / z_1
        domain = dict.fromkeys((x, z_1, C_f), (0, oo))
        return forall(x**2, "<=", sp.Rational(c) * C_f * x, domain, where=[(ratio, "<=", C_f)])

    return supremum_of_a_ratio


def _infinite_prompt(order: int, scaling: int) -> QueryAverageBound:
    """Condition (ii) for f = z and g = 1, from |T| <= 2 sigma^2 |U| |z|; 0 <= 0 for U = 0."""

    def power(c: Any, z: Any) -> Any:
        return ((c.R / c.S) * (c.R / c.S)).sum(0) ** (order // 2)

    def right(at: Any) -> Any:
        return (
            at.sigma**scaling
            * (2 * at.u) ** order
            * at.over_queries(lambda z: (z * z).sum(0) ** (order // 2))
        )

    return QueryAverageBound((Term(lambda at: at.mean(power), right),), lengths=(1,), nonzero=True)


def left_side_without_g(id: str, order: int, lemma: int, **declared: Any) -> Claim:
    """The display (16) or (18), in which the factor g(z) is missing."""

    @claim(
        id,
        **TYPO,
        why=rf"The factor $g(z)$ of Lemma C.{lemma} is missing on the left side, though the proof bounds the "
        r"error times $g$: where $\|g\|$ is not at most 1 the lemma would not follow.",
        instead=(
            r"Write $f(z_{k})g(z)$ and $f(Z_{1})g(z)$ in place of $f(z_{k})$ and $f(Z_{1})$ in the same "
            r"display."
        ),
        repair=dict(moment=1),
        control=dict(power=order - 1),
        hypotheses=("G > 0", "e > 0"),
        **declared,
    )
    def left_side_without_g(*, moment: int = 0, power: int = order) -> Evidence:
        r"""Where $\|g\|=G$ is constant, the left side of the lemma is $G^ke$, `power` $k$, with the
        error $e$ without $g$. The left side of the display is printed as $e$, and $G^ke\leq e$ is
        refuted; with the factor $g$ it is $G^ke$ too, at every prompt of two tokens on the line.
        """
        G, e, w_1, w_2 = sp.symbols("G e w_1 w_2", positive=True)
        if not moment:
            return forall(G**order * e, "<=", e, dict.fromkeys((G, e), (0, oo)))
        f_1, f_2, limit = sp.symbols("f_1 f_2 r", real=True)
        with sp.evaluate(False):
            left = ((w_1 * (f_1 * G) + w_2 * (f_2 * G)) / (w_1 + w_2) - limit * G) ** order
            right = G**power * ((w_1 * f_1 + w_2 * f_2) / (w_1 + w_2) - limit) ** order
        return identity(left, right)

    return left_side_without_g


def class_is_not_empty(id: str, order: int, **declared: Any) -> Claim:
    """The assumption on f and g."""

    @claim(id, control=(dict(power=2), dict(scaling=order)), **declared)
    def class_is_not_empty(*, power: int = 1, scaling: int = 2 * order) -> Evidence:
        r"""For $p=1$ the class contains $f(z)=v^{\top}z$ and $g=1$: (i) holds with $C_f=\|v\|$,
        (ii) with the printed power of $\sigma$, `scaling`, and an explicit $c(f,g,U)$, tried for
        the larger $f(z)=z$, and (iii) holds. With $\|z_1\|^2$ in (i), `power` 2, this $f$ is
        outside, since it is not small at $0$.
        """
        a, b, x, y = names = sp.symbols("a b x y", real=True)
        squares = (a**2 + b**2) * (x**2 + y**2) ** power
        grows = forall((a * x + b * y) ** 2, "<=", squares, dict.fromkeys(names, (-oo, oo)))
        checked = rf"\mathbb{{E}}_z\|R/S\|^{{{order}}}\le\sigma^{{{scaling}}}c(f,g,U)"
        covered = "f = z, g = 1; discrete tokens and queries"
        meant = _infinite_prompt(order, scaling)
        rows = meant.instances([x for x in discrete() if x.u], lambda x: meant.lengths)
        return all_of(grows, tightest(rows, checked=checked, covered=covered, statement=meant))

    return class_is_not_empty


def explicit(right: RightSide, order: int, c: Fraction, checked: str, *, nonzero: bool = False) -> Evidence:
    """Compare the averaged error with c times an explicit right side on instances with L >= 2."""
    return general(
        times(c, right),
        order,
        checked=checked,
        given="explicit constants; ",
        least=2,
        unit=True,
        nonzero=nonzero,
    )


def power_of_L(L: Any, s: Any, u: Any, share: int) -> Any:
    """L^{-1/(share sigma^2 |U|^2)}, which is 0 for U = 0 and L >= 2."""
    if isinstance(L, sp.Basic):
        return L ** (-1 / (share * s**2 * u**2)) if u else sp.S.Zero
    with np.errstate(divide="ignore", under="ignore"):
        return L ** -np.divide(1, share * s**2 * np.square(u))


def ln(x: Any) -> Any:
    """The logarithm in the kind of its argument."""
    return sp.log(x) if isinstance(x, sp.Basic) else np.log(x)


def moment_of_term_1(p: int, root: int, power: int) -> Evidence:
    """Decide 216 (E|f|^4)^{1/root} <= 216 (C_f^4 (4^p (2p - 1 + h)^p)^2)^{1/root} sigma^power for
    E|f|^4 = theta C_f^4 E|Z|^{4p} and E|Z|^{4p} = mu (4 sigma^2)^{2p} (2p - 1 + h)^{2p}.
    """
    sigma, C_f = sp.symbols("sigma C_f", positive=True)
    theta, mu, h = sp.symbols("theta mu h", nonnegative=True)
    taken = sp.Rational(1, root)
    with sp.evaluate(False):
        tokens = mu * (4 * sigma**2) ** (2 * p) * (2 * p - 1 + h) ** (2 * p)
        left = 216 * (theta * C_f**4 * tokens) ** taken
        right = 216 * (C_f**4 * (4**p * (2 * p - 1 + h) ** p) ** 2) ** taken * sigma**power
    domain = {sigma: Closed(1, oo), C_f: (0, oo), h: Closed(0, oo), theta: Closed(0, 1), mu: Closed(0, 1)}
    return forall(left, "<=", right, domain)


def free_of_the_query(
    id: str, order: int, right: RightSide, c: Fraction, checked: str, searches: int, **declared: Any
) -> Claim:
    """The lemma with constants that are free of the law of the query; the control has `c`."""

    @claim(
        id,
        **TYPO,
        why=r"The objects on which the constants may depend do not include the law $\nu$ of the query, but "
        r"the error "
        rf"may grow with $\mathbb{{E}}_{{\nu}}\|g\|^{{{2 * order}}}$ while they stay the same.",
        details=r"Presumably $g$ is meant fixed together with $\nu$; for the $g$ used in the paper, $1$ "
        r"and $z$, these "
        r"moments are bounded over all 1-sub-Gaussian $\nu$ and nothing changes.",
        repair=dict(law=f"through E|g|^{2 * order}"),
        control=dict(c=c),
        hypotheses=HYPOTHESES,
        reference={},
        **declared,
    )
    def free_of_the_query(*, law: str = "not at all", c: Fraction = Fraction(1)) -> Evidence:
        r"""For $g(z)=e^{z^2}$ and rare queries $\pm n$ the error at $L=2$ is unbounded in $n$,
        which refutes constants that do not depend on $\nu$; repaired, the `law` of the query enters
        through a moment of $g$, and the bound is derived as for the lemma.
        """
        if law == "not at all":
            return rare_large_queries(order)
        return derivation(id, *[explicit(right, order, c, checked)] * searches, c=c)

    return free_of_the_query


def rare_large_queries(order: int) -> Evidence:
    """Judge the averaged error for queries n and -n with probability q/2 each, q = e^{-n^2}/n^2,
    and 0 otherwise, which is half of E|g|^order, g(z) = e^{z^2}. The query is 1-sub-Gaussian: q
    (cosh(nt) - 1) <= q (n^2 t^2/2) e^{n|t|} <= (t^2/2) e^{t^2/4} <= e^{t^2/2} - 1, because t^2/4 -
    n|t| >= -n^2.
    """
    q = exp(-(k**2)) / k**2
    moment = q * exp(order * k**2) + 1 - q
    where = {"L": 2, "d": 1, "sigma": 1, "U": 0, "f": "z", "g": "exp(z^2)", "tokens": "1, -1 with 1/2 each"}
    at = {"query": k, "mass of query and -query": q}
    return defeated(moment / 2, c1 * log(2) ** (order // 2) / 2**c2, k, at=at, where=where)
