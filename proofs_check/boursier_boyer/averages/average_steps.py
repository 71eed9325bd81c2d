"""Checks shared by the proofs of Lemmas C.6 and C.9 of Boursier & Boyer, which split the average
over the query at |z| = B: the radius B, the scores inside that ball, and the tail of the query
outside it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import sympy as sp
from sympy import exp, log, oo, sqrt

from numerics.counterexamples.by_sequences import vanishing
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, forall, identity
from proofs_check.boursier_boyer.averages.average_statements import AT_ONE_TOKEN, HYPOTHESES
from proofs_check.core.claim import Claim, claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, refuted_exactly

L = sp.Symbol("L", integer=True, positive=True)
theta = sp.Symbol("theta", nonnegative=True)
sigma, u, d = sp.symbols("sigma u d", positive=True)  # u >= |U|
C_f = sp.Symbol("C_f", positive=True)  # the constant of (i)
K, G = sp.symbols("K G", nonnegative=True)  # sqrt(E|f|^4) and a power of |g|; f and g may be 0
tau, rho = sp.symbols("tau rho", nonnegative=True)  # |Uz| = tau |U||z| and |z| = rho B
#: Every query in the ball |z| <= B, where u > 0 is at least |U|, and how the provers are to look at
#: it.
BALL = {L: Integers(1, oo), **dict.fromkeys((sigma, u), (0, oo)), **dict.fromkeys((tau, rho), Closed(0, 1))}
IN_THE_BALL = {theta: tau**2 * rho**2}
#: A product as it is written down.
written = partial(sp.Mul, evaluate=False)


def radius(share: int, norm: sp.Expr) -> sp.Expr:
    """B = sqrt(ln(L)/share)/(sigma norm), as it is written."""
    with sp.evaluate(False):
        return sqrt(log(L) / share) / (sigma * norm)


def score_in_the_ball(share: int) -> sp.Expr:
    """sigma^2 |Uz|^2 as it is written, where |Uz| = tau |U||z| and |z| = rho B."""
    B = radius(share, u)
    return written(sigma**2, sp.Pow(written(tau, u, rho, B), 2, evaluate=False))


def square_of_the_radius(share: int, printed: int) -> Evidence:
    """Decide sigma^2 |U|^2 B^2 = ln(L)/printed for B = sqrt(ln(L)/share)/(sigma |U|)."""
    B = radius(share, u)
    return identity(written(sigma**2, u**2, sp.Pow(B, 2, evaluate=False)), log(L) / printed)


def radius_of_the_ball(id: str, printed: int, **declared: Any) -> Claim:
    """The choice of B, by which a norm that may be 0 is divided."""
    equation = rf"\sigma^2\|U\|^2B^2=\tfrac{{\ln L}}{{{printed}}}"

    @claim(
        id,
        false="edge",
        at="U = 0",
        why=rf"Where $U=0$ the radius $B=\sqrt{{\ln(L)/{printed}}}/(\sigma\|U\|_{{\rm op}})$ divides by "
        r"zero, and no $B$ "
        r"meets the equation.",
        instead=rf"Take any $B$ with $\sigma^{{2}}\|U\|_{{\rm op}}^{{2}}B^{{2}}\leq\ln(L)/{printed}$; "
        r"where $U=0$ every $B$ "
        r"serves, and no split is needed.",
        costs="nothing",
        repair=dict(norm="n >= |U|, n > 0"),
        control=dict(share=printed - 1),
        hypotheses=HYPOTHESES,
        **declared,
    )
    def radius_of_the_ball(*, norm: str = "|U|", share: int = printed) -> Evidence:
        r"""As printed, some $B$ meets the equation for every $U$, which is refuted at $U=0$.
        Repaired, with any $n\geq\|U\|_{\rm op}$, $n>0$, in place of the `norm` in $B$, its left
        side is at most the right one; `share` stands for the number by which $\ln L$ is divided.
        """
        if norm == "|U|":
            wanted = log(2) / printed
            if not wanted.is_positive:
                raise ValueError(f"ln(2)/{printed} is not positive: nothing is refuted")
            sides = {
                "sigma^2|U|^2 B^2": sp.S.Zero,
                f"ln(L)/{printed}": str(wanted),
            }  # sigma^2 * 0 * B^2, for every B
            return refuted_exactly({"L": 2, "d": 1, "sigma": 1, "U": 0, **sides}, checked=equation)
        n = sp.Symbol("n", positive=True)
        tau = sp.Symbol("tau", nonnegative=True)  # |U| = tau n
        left = written(sigma**2, (tau * n) ** 2, sp.Pow(radius(share, n), 2, evaluate=False))
        domain = {L: Integers(1, oo), tau: Closed(0, 1), sigma: Closed(1, oo), n: (0, oo)}
        return forall(left, "<=", log(L) / printed, domain)

    return radius_of_the_ball


def term_2_simplified(id: str, powers: tuple[int, ...], order: int, **declared: Any) -> Claim:
    """Term 2 once the exponential is bounded by a power."""
    half, hypotheses = order // 2, ("L in Integers", "L >= 1", "sigma >= 1", "G > 0")

    @claim(
        id,
        **TYPO,
        repair=dict(moment=1),
        control=dict(power=3 * order - 1),
        hypotheses=hypotheses,
        **declared,
    )
    def term_2_simplified(*, moment: int = 0, power: int = 3 * order) -> Evidence:
        r"""The bound
        $5c_1\sigma^{mp}GL^{3/2}(c_2L^{1/b}/\sigma^2)^{-mp}\leq5c_1c_2^{-mp}\sigma^{kp}G^nL^{-1/2}$,
        $m$ the order, $b=mp/2$, `power` $k=3m$, with $G=\mathbb{E}\|g\|^m$ is printed with the
        `moment` $n=0$, which is refuted. With $n=1$ the two sides are equal.
        """
        exponents = lambda p: (2 * half * p, half * p, -2 * half * p, power * p)
        return second_term_simplified(powers, exponents, moment)

    return term_2_simplified


def second_term_simplified(
    powers: tuple[int, ...], exponents: Callable[[int], tuple[int, int, int, int]], moment: int
) -> Evidence:
    """Decide 5 c1 sigma^a G L^{3/2} (c2 L^{1/b}/sigma^2)^c <= 5 c1 c2^c sigma^e G^moment L^{-1/2}
    for each p in `powers`, where `exponents` maps p to (a, b, c, e); equality for moment 1.
    """
    c1, c2 = sp.symbols("c1 c2", positive=True)
    sides = []
    for p in powers:
        a, b, c, e = exponents(p)
        power = sp.Pow(c2 * L ** sp.Rational(1, b) / sigma**2, c, evaluate=False)
        left = written(5, c1, sigma**a, G, L ** sp.Rational(3, 2), power)
        sides.append((left, 5 * c1 * c2**c * sigma**e * G**moment / sqrt(L)))
    if moment == 0:
        domain = {L: Integers(1, oo), sigma: Closed(1, oo), **dict.fromkeys((c1, c2, G), (0, oo))}
        return forall(sides[0][0], "<=", sides[0][1], domain)
    return all_of(*(identity(left, right) for left, right in sides))


def term_3(id: str, share: int, searches: int, needs: tuple[str, ...]) -> Claim:
    """Outside the ball B = sqrt(ln(L)/share)/(sigma |U|)."""

    @claim(
        id,
        control=(dict(twice=1), dict(factor=Fraction(9, 10)), dict(half=31), dict(rate=32 * share - 1)),
        needs=needs,
    )
    def term_3(
        *, twice: int = 2, factor: Fraction = Fraction(1), half: int = 32, rate: int = 32 * share
    ) -> Evidence:
        r"""Every line is derived, for any product with $\|f(z_\ell)g\|\leq\|f(z_\ell)\|\|g\|$ and
        with the $C_{4p}$ or $C_8$ that the proof of Lemma D.2 gives. The second route are its
        steps, $(A+D)^2\leq2A^2+2D^2$, $\sqrt{2x+2y}\leq\sqrt{2x}+\sqrt{2y}$, to which `factor`
        belongs, $\sqrt{e^{2d-B^2/16}}=e^{d-B^2/32}$ and the exponent at the printed $B$, where
        `twice`, `half` and `rate` stand for the first 2, the 32 and the number beside
        $\sigma^2\|U\|_{\rm op}^2$. $\|U\|_{\rm op}$ may be any positive number that bounds the
        norm, so that $U=0$ is admitted with any ball; the printed radius divides by 0 there
        (BB:17/B and BB:19/B).
        """
        A, D, x, y, B = sp.symbols("A D x y B", nonnegative=True)
        chosen = radius(share, u)
        with sp.evaluate(False):
            root = sqrt(exp(2 * d - B**2 / 16))
            tail, tail_at_radius = exp(d - B**2 / half), exp(d - chosen**2 / 32)
            printed = exp(d - log(L) / (rate * sigma**2 * u**2))
        right = sp.Rational(factor) * (sqrt(2 * x) + sqrt(2 * y))
        sum_of_roots = forall(sqrt(2 * x + 2 * y), "<=", right, dict.fromkeys((x, y), Closed(0, oo)))
        size = dict.fromkeys((d, sigma, u), (0, oo))
        at_radius = forall(tail_at_radius, "<=", printed, {**size, L: Integers(1, oo)})
        squares = twice * A**2 + twice * D**2
        square = forall((A + D) ** 2, "<=", squares, dict.fromkeys((A, D), Closed(0, oo)))
        tail_at_B = all_of(sum_of_roots, forall(root, "<=", tail, {d: (0, oo), B: Closed(0, oo)}))
        search = [square, tail_at_B, at_radius, at_radius, at_radius] * searches
        return derivation(id, *search, twice=twice, factor=factor, half=half, rate=rate)

    return term_3


def scale_of_the_maximum(id: str, powers: tuple[int, ...], order: int) -> Claim:
    """The powers of sigma in Term 3."""

    @claim(id, control=(dict(grows=order - 1), dict(root=order // 2 - 1), dict(scale=order - 1)))
    def scale_of_the_maximum(*, grows: int = order, root: int = order // 2, scale: int = order) -> Evidence:
        r"""For $m=4$ or 8 it is derived that $\mathbb{E}\max\|f\|^m\leq
        C_f^m\,\mathbb{E}\max\|z\|^{mp}$, `grows` $m$, that
        $\sqrt{2\mathbb{E}\|g\|^m\,\mathbb{E}\max\|f\|^m}\leq\sigma^{mp/2}
        \sqrt{2\mathbb{E}\|g\|^mC_f^mC_{mp}M}$, `root` $m/2$, with $M=d^{mp/2}+\ln(L)^{mp/2}$, and
        that the root of Assumption (ii) is at most $\sigma^{mp}\sqrt{c(f,g,U)}$, `scale` $m$. In
        the second route $\|f\|=\theta C_f\|z\|^p$ with $\theta\leq1$, and $CM$ bounds the maximum
        at $\sigma=1$.
        """
        r, g, C, M, c = sp.symbols("r g C M c", positive=True)
        positive, unit, parts = dict.fromkeys((C_f, r), (0, oo)), {theta: Closed(0, 1)}, []
        for p in powers:
            with sp.evaluate(False):
                of_f = (theta * C_f * r**p) ** order
                left = sqrt(written(2, g, C_f**order, C, M, sigma ** (order * p)))
                right = sigma ** (root * p) * sqrt(written(2, g, C_f**order, C, M))
                limit = sqrt(written(theta, sigma ** (2 * order * p), c))
            parts.append(forall(of_f, "<=", C_f**grows * r ** (order * p), {**positive, **unit}))
            parts.append(identity(left, right))
            larger = {c: (0, oo), **unit, sigma: Closed(1, oo)}
            parts.append(forall(limit, "<=", sigma ** (scale * p) * sqrt(c), larger))
        return derivation(id, *parts, grows=grows, root=root, scale=scale)

    return scale_of_the_maximum


def logarithm_absorbs_the_dimension(id: str, powers: tuple[int, ...], needs: tuple[str, ...]) -> Claim:
    """The last step, from d^{2p} + ln(L)^{2p} to ln(L)^{2p}."""

    @claim(id, **AT_ONE_TOKEN, control=dict(c=Fraction(9, 10)), needs=needs, hypotheses=HYPOTHESES)
    def logarithm_absorbs_the_dimension(*, least: int = 1, c: int | Fraction = 1) -> Evidence:
        r"""That $\sqrt{d^{2p}+\ln(L)^{2p}}$ is at most $1+d^p/\ln(2)^p$ times $\ln(L)^p$ is refuted
        for $L\geq1$, as printed, and certified for $L\geq$ `least` = 2 and every $d$, by the
        squares of both sides; `c` multiplies the right one.
        """
        constant, dimension = sp.Symbol("c", positive=True), sp.Symbol("d", integer=True, positive=True)
        length = sp.Symbol("L", integer=True, positive=True)
        parts = []
        for p in powers:
            if least == 1:
                parts.append(vanishing(sp.S.One, constant * log(1) ** p, where={"L": 1, "d": 1, "sigma": 1}))
                continue
            factor = sp.Rational(c) * (1 + dimension**p / log(2) ** p)
            domain = {length: Integers(least, oo), dimension: Integers(1, oo)}
            left = dimension ** (2 * p) + log(length) ** (2 * p)
            parts.append(forall(left, "<=", factor**2 * log(length) ** (2 * p), domain))
        return parts[0] if len(parts) == 1 else all_of(*parts)

    return logarithm_absorbs_the_dimension
