"""Lemma C.9 of Boursier & Boyer, the proof: the split of the query at |z| = B and the three terms
that it leaves. Inequalities are proved or refuted over their whole domain, and the split is
evaluated exactly for queries of few values.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import exp, log, oo, sqrt

from numerics.evidence import Evidence
from numerics.provers import Closed, Integers, computed, forall
from numerics.refutation import defeated
from numerics.search.query_average import tightest
from numerics.search.query_average_bound import QueryAverageBound
from proofs_check.boursier_boyer import average_steps as shared
from proofs_check.boursier_boyer.average_statements import c1, c2, k
from proofs_check.boursier_boyer.average_steps import (
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
from proofs_check.instances.random_query.average_split import instances, products, split
from theory.bounds.concentration_moments import lemma_c7

q = sp.Symbol("q", nonnegative=True)  # the factor of the exponent in Term 2


@claim(
    "BB:LC.9.split",
    control=(dict(through="|f| |g|"), dict(outside=Fraction(7, 2)), dict(times=Fraction(1, 15000))),
    needs=("BB:LC.7", "BB:LC.4.hull", "BB:LC.9.split/power"),
    hypotheses=("L in Integers", "L >= 1", "sigma >= 1", "d >= 1"),
)
def split_at_the_ball(
    *, through: str = "f(z_1) g(z)", outside: Fraction = Fraction(8), times: Fraction = Fraction(1)
) -> Evidence:
    r"""For queries of signs every line is tried with $B=1$ and $f(z)=244z$, where all queries are
    inside, and with $B=\frac12$ and $f(z)=z$, where all are outside; the bound of Lemma C.7 also
    for $z_1\mapsto f(z_1)g(z)$, for which $\|fg\|\leq\|f\|\|g\|$ is needed for the values of $f$
    only. The first control is the first line for products that are none of matrices: for
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


@claim("BB:LC.9.split/power", dial="c")
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
def term_1(*, share: int = 12) -> Evidence:
    r"""These and (19), the mean over the query, are derived for any positive number in place of
    $\|U\|_{\rm op}$ that bounds it, so that $U=0$ is admitted; the printed radius, whose 12 is
    `share`, divides by 0 there (BB:19/B). The second routes are the inequalities at one query in
    the ball, $\sigma^2\|Uz\|^2\leq\frac{\ln L}{12}$ among them.
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


radius_of_the_ball = shared.radius_of_the_ball("BB:19/B", 12, follows="BB:17/B")


@claim("BB:LC.9.T2/display", control=dict(share=10), needs=("BB:19", "BB:19/B"))
def exponent_of_term_2(*, share: int = 12) -> Evidence:
    r"""The first bound, which has the indicator of the ball on the left, is derived for any
    positive numbers in place of $\|U\|_{\rm op}$ and of $C_f$ that bound the norm and the quotient;
    $U=0$ and $f=0$ are admitted then, where the printed line divides by 0 (BB:19/B, BB:LC.7/zero).
    The second route is a query in the ball; `share` stands for the 12 in $B$.
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
def constants_of_term_2(*, depends: str = "on f and d", c: int | Fraction = 1) -> Evidence:
    r"""For tokens $\pm\frac1k$, query $0$, $f(z)=z$ and $L=k^4$, where
    $\sqrt{\mathbb{E}\|f(Z_1)\|^4}=1/k^2$, Term 2 exceeds the printed $c_1k^6e^{-c_2k^2}$ for some
    $k$, whatever $c_1,c_2$. The repair lets the constants depend on a lower bound of
    $\mathbb{E}\|f(Z_1)\|^4$: $\sqrt{L/8}-L^{1/6}\geq\frac18\sqrt L-c$ with `c` = 1.
    """
    if depends == "on f and d":
        front = 16**3 * k**4 * exp(2) * (1 + k**2 / (32 * sqrt(2)) / k**2)
        left = front * exp(-(k**2 / sqrt(8) - 1) / (16 * k**2))  # Term 2 itself, where e^{2 a2} = 1
        at = {"d": 1, "sigma": 1, "U": 1, "query": 0, "f": "z", "g": 1}
        where = {**at, "tokens": "epsilon, -epsilon with 1/2 each"}
        return defeated(left, c1 * k**6 * exp(-c2 * k**2), k, at={"L": k**4, "epsilon": 1 / k}, where=where)
    left = L ** sp.Rational(1, 6) - sqrt(L / 8)
    return forall(left, "<=", sp.Rational(c) - sqrt(L) / 8, {L: Integers(1, oo)})


shared.term_2_simplified("BB:LC.9.T2/g", (1,), 4, follows="BB:LC.6.T2b", needs=("BB:LC.6.5x",))


term_3 = shared.term_3("BB:LC.9.T3", 12, 1, ("BB:19/B", "BB:AC.8", "BB:LC.9.T3/maximum"))


shared.scale_of_the_maximum("BB:LC.9.T3/maximum", (1,), 8)


shared.logarithm_absorbs_the_dimension("BB:LC.9.T3/conclude", (2,), ("BB:LC.9.T3",))
