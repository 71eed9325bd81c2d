"""Lemma C.1 of Boursier & Boyer, the proof: the probabilistic steps about the weights exp(z'Uz),
which are moments, concentration of the normaliser, and the distance of R_L from R. Inequalities
between moments are proved; probabilities are computed exactly on the laws at which they are
tightest.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import exp, oo, sqrt

from numerics.attention.softmax_average import deviation_R, deviation_S, normaliser, symbol
from numerics.evidence import Evidence, all_of, confirmed
from numerics.provers import Closed, forall, identity
from numerics.search.families import RARE_ATOMS, THREE_ATOMS, TWO_ATOMS
from numerics.search.statement import Tail
from numerics.search.worst_average import worst_ratio
from proofs_check.core.claim import MEANS, claim
from proofs_check.instances.reference import RADEMACHER
from theory.bounds.concentration import alpha_plus

L, a2, F2, K, S, EM2, EQ2, RS = (symbol(name) for name in ("L", "a2", "F2", "F4", "S", "EM2", "EQ2", "RS"))
delta, alpha = sp.symbols("delta alpha", positive=True)
#: For bounds that put an exponential of sigma^2 |Uz|^2 in place of E M^2.
FAMILIES = (TWO_ATOMS, THREE_ATOMS, RARE_ATOMS)
HYPOTHESES = ("L in Integers", "L >= 1", "0 < delta", "delta < 1")
#: Inequalities hold pointwise, for a weight w = e^{x} > 0, a square F = |f|^2 and any t > 0.
w, F, t = sp.Symbol("w", positive=True), sp.Symbol("F", nonnegative=True), sp.Symbol("t", positive=True)
p, q = sp.symbols("p q", positive=True)  # two expectations
b = sp.Symbol("a2", nonnegative=True)  # sigma^2 |Uz|^2, 0 included
WEIGHT_DOMAIN, SQUARE_DOMAIN, FACTOR_DOMAIN = {w: (0, oo)}, {F: Closed(0, oo)}, {t: (0, oo)}


def moment(k: int, *, half: Fraction = Fraction(1, 2), root: bool = False) -> sp.Expr:
    """Return the bound of E M^k that the definition of sub-Gaussian gives at v = kUz, or its square
    root, as it is written before SymPy simplifies it.
    """
    with sp.evaluate(False):
        bound = exp(sp.Integer(k) ** 2 * b * sp.Rational(half))
        return sqrt(bound) if root else bound


def best_of_young() -> sp.Expr:
    """Return t p + q/t at its least, t = sqrt(q/p), as it is written before SymPy simplifies it."""
    return sp.Subs(t * p + q / t, t, sqrt(q / p))


def searched(proof: Evidence, search: Evidence) -> Evidence:
    """Join a proof in scalars, which holds for every dimension, with the search for the worst law,
    which is its second route and gives the slack.
    """
    assumed = (*proof.assumes, "E e^{u'Z} <= e^{sigma^2 |u|^2/2} for every u", MEANS)
    joined = confirmed(proof.replace(assumes=assumed), search).replace(dimension="every d")
    return joined.replace(slack=search.slack, tightest=search.tightest, sides=search.sides) if proof.verdict.accepted else joined


@claim(
    "BB:LC.1.M",
    control=(dict(first=Fraction(49, 100)), dict(second=Fraction(49, 25)), dict(least=Fraction(11, 10))),
    needs=("BB:LC.1.M/jensen", "BB:LC.1.M/exponents"),
    argument="The first two are the definition of sub-Gaussian at $Uz$ and at $2Uz$; the third is the expectation of "
    r"$e^x\geq1+x$.",
    reference={},
)
def moments_of_a_weight(*, first: Fraction = Fraction(1, 2), second: int | Fraction = 2, least: int | Fraction = 1) -> Evidence:
    r"""For $M=e^{Z_1^{\top}Uz}$ the definition of sub-Gaussian gives
    $\mathbb{E}M\leq e^{\sigma^2\|Uz\|^2/2}$ and $\mathbb{E}M^2\leq e^{2\sigma^2\|Uz\|^2}$, and
    $e^x\geq1+x$ at a centred score gives $S\geq L$.

    The second route is the worst of the laws with their exact sub-Gaussian constant.
    """
    x = sp.Symbol("x", real=True)
    proof = all_of(
        forall(moment(1), "<=", exp(first * b), {b: Closed(0, oo)}),
        forall(moment(2), "<=", exp(second * b), {b: Closed(0, oo)}),
        forall(L * exp(x), ">=", L * (sp.Rational(least) + x), {L: Closed(1, oo), x: (-oo, oo)}),
    )
    search = all_of(
        worst_ratio(S, "<=", L * exp(first * a2)),
        worst_ratio(EM2, "<=", exp(second * a2)),
        worst_ratio(least * L, "<=", S),
    )
    return searched(proof, search)


@claim("BB:LC.1.M/jensen", dial="c")
def exponential_above_its_tangent(*, c: int | Fraction = 1) -> Evidence:
    r"""For every score $x$, $e^x\geq c+x$ with `c` = 1.

    The mean of the right side is 1 for a centred score: BB:LC.1.M has E M >= 1 and S >= L from it.
    """
    x = sp.Symbol("x", real=True)
    return forall(exp(x), ">=", sp.Rational(c) + x, {x: (-oo, oo)})


@claim("BB:LC.1.M/exponents", control=dict(half=Fraction(1, 3)))
def exponents_of_the_moments(*, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""The definition of sub-Gaussian at $kUz$ gives $\mathbb{E}M^k\leq e^{k^2\sigma^2\|Uz\|^2/2}$.
    Its exponents are checked for $k=2$ and, after a square root, for $k=4$ and $k=2$.
    """
    return all_of(
        identity(moment(2, half=half), exp(2 * b)),
        identity(moment(4, half=half, root=True), exp(4 * b)),
        identity(moment(2, half=half, root=True), exp(b)),
    )


@claim(
    "BB:LC.1.CL",
    dial="c",
    control=dict(second=Fraction(1, 2)),
    needs=("BB:LC.1.M", "BB:LC.1.CL/laplace", "BB:LC.1.CL/exponent"),
    cites=("Chung and Lu 2006, Theorem 7",),
    argument=r"The first bound follows from $\mathbb{E}e^{-tM}\leq e^{-t\mathbb{E}M+t^2\mathbb{E}M^2/2}$, independence and "
    r"Markov's inequality, the second from $S\geq L$ and $\mathbb{E}M^2\leq e^{2\sigma^2\|Uz\|^2}$.",
    hypotheses=("L in Integers", "L >= 1", "0 < alpha", "alpha < 1"),
    reference=dict(alpha=RADEMACHER.values["alpha_-"]),
)
def lower_tail_of_the_sum_of_weights(*, c: int | Fraction = 2, second: int | Fraction = 2) -> Evidence:
    r"""For $0<\alpha<1$,
    $\mathbb{P}(S_L\leq(1-\alpha)S)\leq\exp(-\frac{\alpha^2S^2}{cL\,\mathbb{E}M^2})\leq\exp(-\frac{\alpha^2L}ke^{-2\sigma^2\|Uz\|^2})$
    with `c` = 2 and `second` $k=2$. The sides are compared by their exponents.
    """
    tail = Tail(normaliser, "<=", (1 - alpha) * S, alpha)
    inner = worst_ratio(tail, "<=", exp(-(alpha**2) * S**2 / (c * L * EM2)), exponents=True)
    outer = worst_ratio(tail, "<=", exp(-(alpha**2) * L * exp(-2 * a2) / second), families=FAMILIES, exponents=True)
    return all_of(inner, outer)


@claim("BB:LC.1.CL/laplace", dial="c")
def exponential_below_its_parabola(*, c: Fraction = Fraction(1, 2)) -> Evidence:
    r"""For $y\geq0$, $e^{-y}\leq1-y+\frac{y^2}2$; this is applied to $y=tM$."""
    y = sp.Symbol("y", nonnegative=True)
    return forall(exp(-y), "<=", 1 - y + sp.Rational(c) * y**2, {y: Closed(0, oo)})


@claim("BB:LC.1.CL/exponent", control=dict(c=3))
def exponent_at_the_best_t(*, c: int = 2) -> Evidence:
    r"""At $t=\frac{\alpha S}{L\,\mathbb{E}M^2}$ the exponent
    $-t\alpha S+\frac12t^2L\,\mathbb{E}M^2$ is $-\frac{\alpha^2S^2}{cL\,\mathbb{E}M^2}$ with
    `c` = 2.
    """
    best = sp.Subs(-t * alpha * S + t**2 * L * EM2 / 2, t, alpha * S / (L * EM2))
    return identity(best, -(alpha**2) * S**2 / (c * L * EM2))


@claim(
    "BB:LC.1.BCL",
    dial="c",
    control=dict(second=Fraction(1, 2)),
    needs=("BB:LC.1.M", "BB:LC.2/variance"),
    cites=("Bubeck et al. 2013, Lemma 3",),
    argument=r"Chebyshev's inequality alone gives $c=1$; the second threshold is larger, since $S\geq L$ and "
    r"$\mathbb{E}M^2\leq e^{2\sigma^2\|Uz\|^2}$.",
    hypotheses=HYPOTHESES,
    reference={},
)
def upper_tail_of_the_sum_of_weights(*, c: int | Fraction = 3, second: int | Fraction = 3) -> Evidence:
    r"""Both $\mathbb{P}(S_L\geq S+\sqrt{cL\,\mathbb{E}M^2/\delta})\leq\delta$ and
    $\mathbb{P}(S_L\geq(1+\alpha_+)S)\leq\delta$ are tried with `c` = 3 and with `second` = 3 under
    the root of $\alpha_+$. The thresholds are squared about $S$.
    """
    inner = worst_ratio(Tail(deviation_S, ">=", c * L * EM2 / delta, delta), "<=", delta)
    outer = worst_ratio(
        Tail(deviation_S, ">=", (alpha_plus(L, a2, delta, c=second) * S) ** 2, delta), "<=", delta, families=FAMILIES
    )
    return all_of(inner, outer)


@claim(
    "BB:LC.1.Q2",
    control=(dict(exponent=Fraction(39, 10)), dict(twice=Fraction(21, 10))),
    needs=("BB:LC.1.M/exponents",),
    argument=r"The first bound is the expectation of $2M^2\|f\|^2\leq tM^4+\|f\|^4/t$ at the best $t>0$, which exists unless "
    "$f=0$ almost surely; the second is the definition of sub-Gaussian at $4Uz$.",
    reference={},
)
def second_moment_of_a_weighted_value(*, exponent: int | Fraction = 4, twice: int | Fraction = 2) -> Evidence:
    r"""With $M=e^{Z_1^{\top}Uz}$,
    $\mathbb{E}\|Mf\|^2\leq\sqrt{\mathbb{E}M^4\,\mathbb{E}\|f\|^4}\leq
    e^{4\sigma^2\|Uz\|^2}\sqrt{\mathbb{E}\|f\|^4}$. Proved are the pointwise inequality for every
    $t$, its value at the best $t$, and $\sqrt{\mathbb{E}M^4}\leq e^{4\sigma^2\|Uz\|^2}$.

    The second route is the worst of the laws with their exact sub-Gaussian constant.
    """
    double = sp.Rational(twice)
    pointwise = forall(double * w**2 * F, "<=", t * w**4 + F**2 / t, {**WEIGHT_DOMAIN, **SQUARE_DOMAIN, **FACTOR_DOMAIN})
    best = identity(best_of_young(), double * sqrt(p) * sqrt(q))
    weight = forall(moment(4, root=True), "<=", exp(exponent * b), {b: Closed(0, oo)})
    return searched(all_of(pointwise, best, weight), worst_ratio(EQ2, "<=", exp(exponent * a2) * K))


@claim(
    "BB:LC.1.15",
    control=(dict(exponent=Fraction(4, 5)), dict(twice=Fraction(21, 10)), dict(least=Fraction(9, 10))),
    needs=("BB:LC.1.M",),
    argument=r"The first bound is, for each unit $v$, the expectation of $2Mv^{\top}f\leq tM^2+\|f\|^2/t$ at the best $t>0$, "
    r"where $\|f\|^2=(v^{\top}f)^2+r^2$, divided by $\mathbb{E}M\geq1$; the second is the definition of sub-Gaussian at $2Uz$.",
    reference={},
)
def size_of_the_limit(*, exponent: int | Fraction = 1, twice: int | Fraction = 2, least: int | Fraction = 1) -> Evidence:
    r"""With $M=e^{Z_1^{\top}Uz}$, $\|R/S\|\leq\sqrt{\mathbb{E}M^2\,\mathbb{E}\|f\|^2}\leq
    e^{\sigma^2\|Uz\|^2}\sqrt{\mathbb{E}\|f\|^2}$. Proved are the pointwise inequality for every
    $t$, its value at the best $t$, the division by $\mathbb{E}M\geq1$, and the exponent.

    The second route is the worst of the laws with their exact sub-Gaussian constant.
    """
    double = sp.Rational(twice)
    s, r = sp.symbols("s r", real=True)  # v.f, and the length of the rest of f
    pointwise = forall(
        double * w * s, "<=", t * w**2 + (s**2 + r**2) / t, {**WEIGHT_DOMAIN, s: (-oo, oo), r: (-oo, oo), **FACTOR_DOMAIN}
    )
    best = identity(best_of_young(), double * sqrt(p) * sqrt(q))
    divided = forall(q / p, "<=", q, {p: Closed(least, oo), q: (0, oo)})
    weight = forall(moment(2, root=True), "<=", exp(exponent * b), {b: Closed(0, oo)})
    search = all_of(worst_ratio(RS, "<=", sqrt(EM2 * F2)), worst_ratio(RS, "<=", exp(exponent * a2) * sqrt(F2)))
    return searched(all_of(pointwise, best, divided, weight), search)


@claim(
    "BB:LC.1.RL",
    dial="c",
    needs=("BB:LC.2", "BB:LC.1.Q2"),
    argument=r"It is Lemma C.2 for $Q_i=e^{z_i^{\top}Uz}f(z_i)$ with $u=e^{4\sigma^2\|Uz\|^2}\sqrt{\mathbb{E}\|f\|^4}$.",
    hypotheses=HYPOTHESES,
    reference={},
)
def deviation_of_the_numerator(*, c: int | Fraction = 3) -> Evidence:
    r"""The bound $\mathbb{P}(\|R_L-R\|^2>\frac c\delta
    Le^{4\sigma^2\|Uz\|^2}\sqrt{\mathbb{E}\|f\|^4})\leq2\delta$ is tried with `c` = 3.
    """
    return worst_ratio(Tail(deviation_R, ">", c * L * exp(4 * a2) * K / delta, delta), "<=", 2 * delta)
