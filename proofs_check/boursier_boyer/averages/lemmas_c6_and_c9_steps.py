"""Lemmas C.6 and C.9 of Boursier & Boyer, the proofs: the split of the query at |z| = B and the
three terms that it leaves. Inequalities are proved or refuted over their whole domain, and the
split is evaluated exactly for queries of few values.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import cbrt, exp, log, oo, sqrt

from numerics.counterexamples.by_sequences import defeated
from numerics.counterexamples.worst_case.query_average import tightest
from numerics.counterexamples.worst_case.query_average_bound import QueryAverageBound
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, computed, forall
from proofs_check.boursier_boyer.averages import average_steps as shared
from proofs_check.boursier_boyer.averages.average_statements import c1, c2, k
from proofs_check.boursier_boyer.averages.average_steps import (
    BALL,
    IN_THE_BALL,
    C_f,
    G,
    K,
    L,
    score_in_the_ball,
    written,
)
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.random_query.average_split import Bound, instances, products, split
from theory.bounds.concentration import lemma_c4
from theory.bounds.concentration_moments import lemma_c7

q = sp.Symbol("q", nonnegative=True)  # the factor of the exponent in Term 2
P = (1, 2)


def _bound_c4(power: int) -> Bound:
    """The bound of Lemma C.4 with C_f to a power in front of its second term."""
    return lambda L, a2, F4, sigma2, C_f, d, Z4: lemma_c4(L, a2, F4, sigma2, C_f, d, power=power)


@claim(
    "BB:LC.6.split",
    false="edge",
    at="L = 1",
    follows="BB:LC.4",
    costs="nothing",
    repair=dict(power=2),
    control=(dict(power=1), dict(outside=Fraction(1, 2))),
    needs=("BB:LC.4", "BB:LC.4.hull", "BB:LC.6.split/square", "BB:LC.6.split/product"),
    hypotheses=("L in Integers", "L >= 1", "sigma >= 1", "d >= 1", "B >= 0"),
)
def split_at_the_ball(*, power: int = 1, outside: Fraction = Fraction(2)) -> Evidence:
    r"""Every line is evaluated for queries of signs and $p=1$: with $B=1$ and $f(z)=244z$, where
    all queries are inside, and with $B=\frac12$ and $f(z)=z$, where all are outside. Printed with
    $C_f$ to the `power` 1, the second line is refuted; the repair puts $C_f^2$.
    """
    checked = (
        r"\mathbb{E}\|R_L/S_L-R/S\|^2\le\text{LC.4}\ (|z|\le B),\quad\le "
        r"2\,\mathbb{E}(\|R_L/S_L\|^2+\|R/S\|^2)\ (|z|>B)"
    )
    covered = "tokens of two and three atoms, queries of signs, g = 1, L = 1, 2, 3, 10, sigma^2|Uz|^2 <= 4"
    meant = split(2, _bound_c4(power), Fraction(outside))
    return tightest(instances(meant), checked=checked, covered=covered, statement=meant)


@claim("BB:LC.6.split/square", sharp="c")
def square_of_a_sum(*, c: int | Fraction = 2) -> Evidence:
    r"""For $a,b\geq0$, $(a+b)^2\leq c\,(a^2+b^2)$ with `c` = 2."""
    a, b = sp.symbols("a b", nonnegative=True)
    return forall((a + b) ** 2, "<=", sp.Rational(c) * (a**2 + b**2), {a: Closed(0, oo), b: Closed(0, oo)})


@claim(
    "BB:LC.6.split/product",
    control=(dict(through="|f| |g|"), dict(power=1)),
    needs=("BB:LC.4",),
    hypotheses=("L in Integers", "L >= 1", "sigma >= 1"),
)
def split_for_any_product(*, through: str = "f(z_1) g(z)", power: int = 2) -> Evidence:
    r"""Inside the ball Lemma C.4 may be applied at each query $z$ to $z_1\mapsto f(z_1)g(z)$, with
    $C_f\|g(z)\|$ for $C_f$, whose square is meant: then $\|fg\|\leq\|f\|\|g\|$ is needed for the
    values of $f$ only. In the exponential $\mathbb{E}\|f(Z_1)g(z)\|^4$ stands for
    $\mathbb{E}\|f(Z_1)\|^4$; where $g(z)=0$ there is nothing to show.

    The first control is the first line of the split, $\mathbb{E}\|(\frac{R_L}{S_L}-\frac
    RS)g\|^2\leq \mathbb{E}\|\frac{R_L}{S_L}-\frac RS\|^2\|g\|^2$, for products that are none of
    matrices: for $f(z)=(z_+,z_-)$ and the product $(f_1-f_2)g$ the left side is twice the right
    one. For products of matrices that line is true.
    """
    covered = (
        "three products on tokens of two to four atoms, queries of one length, L = 1, 2, 3, 10, "
        "sigma^2|Uz|^2 <= 4"
    )
    if through == "|f| |g|":
        checked = r"\mathbb{E}\|(R_L/S_L-R/S)g\|^2\le\mathbb{E}\|R_L/S_L-R/S\|^2\|g\|^2"
        return tightest(instances(products(2)), checked=checked, covered=covered)
    checked = r"\mathbb{E}\|(R_L/S_L-R/S)g\|^2\le\text{LC.4 for }z_1\mapsto f(z_1)g(z)"
    meant = products(2, _bound_c4(power))
    return tightest(instances(meant), checked=checked, covered=covered, statement=meant)


@claim(
    "BB:17",
    needs=("BB:17/B",),
    control=dict(share=5),
    reference=dict(u=sp.Rational(1, 2), tau=1, rho=sqrt(6 / log(100)) / 2, G=1),
)
def term_1(*, share: int = 6) -> Evidence:
    r"""For $B=\sqrt{\ln(L)/6}/(\sigma\|U\|_{\rm op})$, $\sigma^2\|U\|_{\rm op}^2B^2=\frac{\ln L}6$.
    Where $\|z\|\leq B$, $\sigma^2\|Uz\|^2\leq\frac{\ln L}6$ and
    $C(z)=108e^{4\sigma^2\|Uz\|^2}K\leq108e^{\frac23\ln L}K$, with
    $K=\sqrt{\mathbb{E}\|f(Z_1)\|^4}$. These and (17), the mean over the query, are derived; the
    second routes are the inequalities at one query in the ball.

    $\|U\|_{\rm op}$ may be any positive number that bounds the norm, so that $U=0$ is admitted with
    any ball; the printed radius divides by 0 there (BB:17/B).
    """
    a2, of_f = score_in_the_ball(share), {**BALL, K: Closed(0, oo)}
    with sp.evaluate(False):
        constant, largest = (written(108, K, e) for e in (exp(4 * a2), exp(2 * log(L) / 3)))
    term = written(2, computed("C(z)", constant), log(L) / L, G)
    displayed = 216 * K * G * log(L) / cbrt(L)
    return derivation(
        "BB:17",
        shared.square_of_the_radius(share, 6),
        forall(a2, "<=", log(L) / 6, BALL, via=IN_THE_BALL),
        forall(constant, "<=", largest, of_f, via=IN_THE_BALL),
        forall(term, "<=", displayed, {**of_f, G: Closed(0, oo)}, via=IN_THE_BALL),
        share=share,
    )


radius_of_the_ball = shared.radius_of_the_ball("BB:17/B", 6)


@claim("BB:LC.6.T2", control=dict(share=5), needs=("BB:17/B",))
def exponent_of_term_2(*, share: int = 6) -> Evidence:
    r"""For $\|z\|\leq B=\sqrt{\ln(L)/6}/(\sigma\|U\|_{\rm op})$ and $p=1,2$, $\exp(-((\frac
    L2)^{1/p}-e^{\frac2p\sigma^2\|Uz\|^2})\,q)\leq\exp(-((\frac L2)^{1/p}-L^{\frac1{3p}})\,q)$ with
    $q=K^{1/p}/(16\sigma^2C_f^{2/p})$ and $K=\sqrt{\mathbb{E}\|f(Z_1)\|^4}$. The display, which has
    the indicator of this ball on the left, is derived; the second route is a query in the ball.

    $\|U\|_{\rm op}$ may be any positive number that bounds the norm, so that $U=0$ is admitted with
    any ball; the printed radius divides by 0 there (BB:17/B). $C_f$ may be any positive number that
    bounds the quotient, so that $f=0$ is admitted; at $C_f=0$ the line divides by 0 (BB:LC.4/zero).
    """
    a2, parts = score_in_the_ball(share), []
    domain = {**BALL, K: Closed(0, oo), C_f: (0, oo)}
    for p in P:
        rate = K ** sp.Rational(1, p) / (16 * shared.sigma**2 * C_f ** sp.Rational(2, p))
        half, limit = (
            (L / 2) ** sp.Rational(1, p),
            exp(written(2, *a2.args) if p == 1 else a2, evaluate=False),
        )
        left = exp(written(limit - half, rate), evaluate=False)
        right = exp((L ** sp.Rational(1, 3 * p) - half) * rate)
        parts.append(forall(left, "<=", right, domain, via={**IN_THE_BALL, q: rate}))
    return derivation("BB:LC.6.T2", *parts, share=share)


@claim(
    "BB:LC.6.T2c",
    false="gap",
    costs="constants",
    repair=dict(depends="on a lower bound"),
    control=dict(c=Fraction(1, 2)),
    needs=("BB:LC.6.T2", "OURS:QA.tilt"),
    hypotheses=("L in Integers", "L >= 1", "sigma >= 1", "d >= 1", "epsilon > 0"),
)
def constants_of_term_2(*, depends: str = "on f and d", c: int | Fraction = 1) -> Evidence:
    r"""For tokens $\pm\frac1k$, query $0$, $f(z)=z$, $p=1$ and $L=k^2$, Term 2 is at least
    $32k^2e^{2-1/32}$ and exceeds the printed $c_1k^3e^{-c_2k^2}$ for some $k$, whatever $c_1,c_2$.
    The repair lets the constants depend on a lower bound of $\mathbb{E}\|f(Z_1)\|^4$.

    Repaired, at a fixed lower bound: (L/2)^{1/p} - L^{1/(3p)} >= L^{1/p}/4 - c, p = 1, 2, c = 1.
    """
    if depends == "on f and d":
        left = 32 * k**2 * exp(2) * exp(-(k**2 / 2 - 1) / (16 * k**2))  # Term 2 itself, where e^{2 a2} = 1
        at = {"d": 1, "sigma": 1, "U": 1, "query": 0, "f": "z", "g": 1, "p": 1}
        where = {**at, "tokens": "epsilon, -epsilon with 1/2 each"}
        return defeated(left, c1 * k**3 * exp(-c2 * k**2), k, at={"L": k**2, "epsilon": 1 / k}, where=where)
    parts = []
    for p in P:
        left = L ** sp.Rational(1, 3 * p) - (L / 2) ** sp.Rational(1, p)
        parts.append(forall(left, "<=", sp.Rational(c) - L ** sp.Rational(1, p) / 4, {L: Integers(1, oo)}))
    return all_of(*parts)


@claim("BB:LC.6.5x", control=(dict(c=4), dict(c=Fraction(1, 2), powers=(1,))))
def exponential_below_a_power(*, c: int | Fraction = 5, powers: tuple[int, ...] = P) -> Evidence:
    r"""For $x>0$ and $p=1,2$, $e^{-x}\leq c\,x^{-2p}$ with `c` = 5. The display is this at
    $x=c_2L^{1/p}/\sigma^2$, for any real $L>0$.
    """
    (x, L), p = sp.symbols("x L", positive=True), sp.Symbol("p", integer=True, positive=True)
    s = shared.sigma
    of = {**dict.fromkeys((c1, c2, s, L), (0, oo)), G: Closed(0, oo)}
    parts = [
        forall(
            exp(-x), "<=", sp.Rational(c) * x ** (-2 * p), {x: (0, oo), p: Integers(powers[0], powers[-1])}
        )
    ]
    for power in powers:
        argument = c2 / s**2 * L ** sp.Rational(1, power)
        front = c1 * s ** (2 * power) * G * L ** sp.Rational(3, 2)
        right = written(sp.Rational(c), *front.args, sp.Pow(argument, -2 * power, evaluate=False))
        parts.append(forall(front * exp(-argument), "<=", right, of, via={x: argument}))
    return all_of(*parts)


term_2_simplified = shared.term_2_simplified("BB:LC.6.T2b", P, 2, needs=("BB:LC.6.T2c", "BB:LC.6.5x"))
term_3 = shared.term_3("BB:LC.6.T3", 6, 2, ("BB:17/B", "BB:LC.6.T3/maximum"))
scale_of_the_maximum = shared.scale_of_the_maximum("BB:LC.6.T3/maximum", P, 4)
logarithm_absorbs_the_dimension = shared.logarithm_absorbs_the_dimension(
    "BB:LC.6.T3/conclude", P, ("BB:LC.6.T3",)
)


@claim(
    "BB:LC.9.split",
    control=(dict(through="|f| |g|"), dict(outside=Fraction(7, 2)), dict(times=Fraction(1, 15000))),
    needs=("BB:LC.7", "BB:LC.4.hull", "BB:LC.9.split/power"),
    hypotheses=("L in Integers", "L >= 1", "sigma >= 1", "d >= 1"),
)
def split_at_the_ball_of_c9(
    *, through: str = "f(z_1) g(z)", outside: Fraction = Fraction(8), times: Fraction = Fraction(1)
) -> Evidence:
    r"""Every line is tried for queries of signs: with $B=1$ and $f(z)=244z$, where all queries are
    inside, and with $B=\frac12$ and $f(z)=z$, where all are outside. That the left side is at most
    the bound of Lemma C.7 is also tried for $z_1\mapsto f(z_1)g(z)$, for which
    $\|fg\|\leq\|f\|\|g\|$ is needed for the values of $f$ only.

    The first control is the first line, $\mathbb{E}\|(\frac{R_L}{S_L}-\frac RS)g\|^4\leq
    \mathbb{E}\|\frac{R_L}{S_L}-\frac RS\|^4\|g\|^4$, for products that are none of matrices: for
    $f(z)=(z_+,z_-)$ and the product $(f_1-f_2)g$ the left side is four times the right one.
    """
    three = "three products on tokens of two to four atoms, queries of one length"
    reach = "L = 1, 2, 3, 10, sigma^2|Uz|^2 <= 4"
    if through == "|f| |g|":
        first = r"\mathbb{E}\|(R_L/S_L-R/S)g\|^4\le\mathbb{E}\|R_L/S_L-R/S\|^4\|g\|^4"
        return tightest(instances(products(4)), checked=first, covered=f"{three}; {reach}")
    factor = lambda like: sp.Rational(times) if isinstance(like, sp.Basic) else float(times)
    bound = lambda *at: factor(at[0]) * lemma_c7(*at)
    every = r"\mathbb{E}\|(R_L/S_L-R/S)g\|^4\le\text{LC.7 for }z_1\mapsto f(z_1)g(z)\ (|z|\le B),\quad"
    every += r"\le 8\,\mathbb{E}(\|R_L/S_L\|^4+\|R/S\|^4)\ (|z|>B)"
    covered = f"{three}, and g = 1 with tokens of two and three atoms and queries of signs; {reach}"
    meant = QueryAverageBound(
        (*products(4, bound).terms, *split(4, bound, Fraction(outside)).terms), d=(1, 2)
    )
    return tightest(instances(meant), checked=every, covered=covered, statement=meant)


@claim("BB:LC.9.split/power", sharp="c")
def fourth_power_of_a_sum(*, c: int | Fraction = 8) -> Evidence:
    r"""For $a,b\geq0$, $(a+b)^4\leq c\,(a^4+b^4)$ with `c` = 8, which is sharp at $a=b$."""
    a, b = sp.symbols("a b", nonnegative=True)
    return forall((a + b) ** 4, "<=", sp.Rational(c) * (a**4 + b**4), {a: Closed(0, oo), b: Closed(0, oo)})


@claim(
    "BB:19",
    needs=("BB:19/B",),
    control=dict(share=10),
    reference=dict(u=sp.Rational(1, 2), tau=1, rho=sqrt(12 / log(100)) / 2, G=1),
)
def term_1_of_c9(*, share: int = 12) -> Evidence:
    r"""For $B=\sqrt{\ln(L)/12}/(\sigma\|U\|_{\rm op})$, $\sigma^2\|U\|_{\rm op}^2B^2=\frac{\ln
    L}{12}$. Where $\|z\|\leq B$, $\sigma^2\|Uz\|^2\leq\frac{\ln L}{12}$ and
    $C(z)=108e^{4\sigma^2\|Uz\|^2}K\leq108e^{\frac13\ln L}K$, with
    $K=\sqrt{\mathbb{E}\|f(Z_1)\|^4}$. These and (19), the mean over the query, are derived; the
    second routes are the inequalities at one query in the ball.

    $\|U\|_{\rm op}$ may be any positive number that bounds the norm, so that $U=0$ is admitted with
    any ball; the printed radius divides by 0 there (BB:19/B).
    """
    a2, of_f = score_in_the_ball(share), {**BALL, K: Closed(0, oo)}
    with sp.evaluate(False):
        constant, largest = (written(108, K, e) for e in (exp(4 * a2), exp(log(L) / 3)))
    term = written(2, computed("C(z)", constant), K / sqrt(L), G)
    displayed = 216 * K**2 * G * L ** sp.Rational(-1, 6)
    return derivation(
        "BB:19",
        shared.square_of_the_radius(share, 12),
        forall(a2, "<=", log(L) / 12, BALL, via=IN_THE_BALL),
        forall(constant, "<=", largest, of_f, via=IN_THE_BALL),
        forall(term, "<=", displayed, {**of_f, G: Closed(0, oo)}, via=IN_THE_BALL),
        share=share,
    )


radius_of_the_ball_of_c9 = shared.radius_of_the_ball("BB:19/B", 12, follows="BB:17/B")


@claim("BB:LC.9.T2/display", control=dict(share=10), needs=("BB:19", "BB:19/B"))
def exponent_of_term_2_of_c9(*, share: int = 12) -> Evidence:
    r"""For $\|z\|\leq B=\sqrt{\ln(L)/12}/(\sigma\|U\|_{\rm op})$, $\exp(-(\sqrt{\frac
    L8}-e^{2\sigma^2\|Uz\|^2})\,q)\leq\exp(-(\sqrt{\frac L8}-L^{1/6})\,q)$ with
    $q=K/(16\sigma^2C_f^2)$ and $K=\sqrt{\mathbb{E}\|f(Z_1)\|^4}$. The display, which has the
    indicator of this ball on the left, is derived; the second route is a query in the ball.

    $\|U\|_{\rm op}$ may be any positive number that bounds the norm, so that $U=0$ is admitted with
    any ball; the printed radius divides by 0 there (BB:19/B). $C_f$ may be any positive number that
    bounds the quotient, so that $f=0$ is admitted; at $C_f=0$ the line divides by 0 (BB:LC.7/zero).
    """
    a2 = score_in_the_ball(share)
    rate = K / (16 * shared.sigma**2 * C_f**2)
    half = sqrt(L) / (2 * sqrt(2))
    left = exp(written(exp(written(2, *a2.args), evaluate=False) - half, rate), evaluate=False)
    right = exp((L ** sp.Rational(1, 6) - half) * rate)
    domain = {**BALL, K: Closed(0, oo), C_f: (0, oo)}
    search = forall(left, "<=", right, domain, via={**IN_THE_BALL, q: rate})
    return derivation("BB:LC.9.T2/display", search, share=share)


@claim(
    "BB:LC.9.T2",
    false="gap",
    follows="BB:LC.6.T2c",
    costs="constants",
    repair=dict(depends="on a lower bound"),
    control=dict(c=Fraction(1, 2)),
    needs=("BB:LC.9.T2/display", "BB:LC.9.T2/g", "BB:LC.6.5x", "OURS:QA.tilt"),
    hypotheses=("L in Integers", "L >= 1", "sigma >= 1", "d >= 1", "epsilon > 0"),
)
def constants_of_term_2_of_c9(*, depends: str = "on f and d", c: int | Fraction = 1) -> Evidence:
    r"""For tokens $\pm\frac1k$, query $0$, $f(z)=z$ and $L=k^4$, where
    $\sqrt{\mathbb{E}\|f(Z_1)\|^4}=1/k^2$, Term 2 exceeds the printed $c_1k^6e^{-c_2k^2}$ for some
    $k$, whatever $c_1,c_2$. The repair lets the constants depend on a lower bound of
    $\mathbb{E}\|f(Z_1)\|^4$.

    Repaired, at a fixed lower bound: sqrt(L/8) - L^{1/6} >= sqrt(L)/8 - c, c = 1.
    """
    if depends == "on f and d":
        front = 16**3 * k**4 * exp(2) * (1 + k**2 / (32 * sqrt(2)) / k**2)
        left = front * exp(-(k**2 / sqrt(8) - 1) / (16 * k**2))  # Term 2 itself, where e^{2 a2} = 1
        at = {"d": 1, "sigma": 1, "U": 1, "query": 0, "f": "z", "g": 1}
        where = {**at, "tokens": "epsilon, -epsilon with 1/2 each"}
        return defeated(left, c1 * k**6 * exp(-c2 * k**2), k, at={"L": k**4, "epsilon": 1 / k}, where=where)
    left = L ** sp.Rational(1, 6) - sqrt(L / 8)
    return forall(left, "<=", sp.Rational(c) - sqrt(L) / 8, {L: Integers(1, oo)})


term_2_simplified_of_c9 = shared.term_2_simplified(
    "BB:LC.9.T2/g", (1,), 4, follows="BB:LC.6.T2b", needs=("BB:LC.6.5x",)
)
term_3_of_c9 = shared.term_3("BB:LC.9.T3", 12, 1, ("BB:19/B", "BB:LC.9.T3/maximum"))
scale_of_the_maximum_of_c9 = shared.scale_of_the_maximum("BB:LC.9.T3/maximum", (1,), 8)
logarithm_absorbs_the_dimension_of_c9 = shared.logarithm_absorbs_the_dimension(
    "BB:LC.9.T3/conclude", (2,), ("BB:LC.9.T3",)
)
