"""Lemma C.1 of Boursier & Boyer, the proof: the probabilistic steps about the weights exp(z'Uz),
which are moments, concentration of the normaliser, and the distance of R_L from R. Inequalities
between moments are proved; probabilities are computed exactly on the laws at which they are
tightest.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import exp, oo, sqrt

from numerics.attention.exact.softmax_average import deviation_R, deviation_S, normaliser, symbol
from numerics.counterexamples.worst_case.families import RARE_ATOMS, THREE_ATOMS, TWO_ATOMS
from numerics.counterexamples.worst_case.statement import Tail
from numerics.counterexamples.worst_case.worst_average import worst_ratio
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.reference import RADEMACHER
from theory.bounds.concentration import alpha_plus

L, a2, F2, K, S, EM2, EQ2, RS = (symbol(name) for name in ("L", "a2", "F2", "F4", "S", "EM2", "EQ2", "RS"))
delta, alpha = sp.symbols("delta alpha", positive=True)
#: For bounds that put an exponential of sigma^2 |Uz|^2 in place of E M^2.
FAMILIES = (TWO_ATOMS, THREE_ATOMS, RARE_ATOMS)
HYPOTHESES = ("L in Integers", "L >= 1", "0 < delta", "delta < 1")
#: Inequalities hold pointwise, for a weight w = e^{x} > 0, a square F = |f|^2 and any t > 0.
w, F, t = sp.Symbol("w", positive=True), sp.Symbol("F", nonnegative=True), sp.Symbol("t", positive=True)
b = sp.Symbol("a2", nonnegative=True)  # sigma^2 |Uz|^2, 0 included
WEIGHT_DOMAIN, SQUARE_DOMAIN, FACTOR_DOMAIN = {w: (0, oo)}, {F: Closed(0, oo)}, {t: (0, oo)}


def moment(k: int, *, half: Fraction = Fraction(1, 2), root: bool = False) -> sp.Expr:
    """The sub-Gaussian bound of E M^k at v = kUz, or its root, unsimplified."""
    with sp.evaluate(False):
        bound = exp(sp.Integer(k) ** 2 * b * sp.Rational(half))
        return sqrt(bound) if root else bound


@claim(
    "BB:LC.1.M",
    control=(dict(first=Fraction(49, 100)), dict(second=Fraction(49, 25)), dict(least=Fraction(11, 10))),
    reference={},
)
def moments_of_a_weight(
    *, first: Fraction = Fraction(1, 2), second: int | Fraction = 2, least: int | Fraction = 1
) -> Evidence:
    r"""For $M=e^{Z_1^{\top}Uz}$ the definition of sub-Gaussian gives $\mathbb{E}M\leq
    e^{\sigma^2\|Uz\|^2/2}$ and $\mathbb{E}M^2\leq e^{2\sigma^2\|Uz\|^2}$, and $e^x\geq1+x$ at a
    centred score gives $S\geq L$.

    The second route is the worst of the laws with their exact sub-Gaussian constant.
    """
    searches = (
        worst_ratio(S, "<=", L * exp(first * a2)),
        worst_ratio(EM2, "<=", exp(second * a2)),
        worst_ratio(least * L, "<=", S),
    )
    return derivation("BB:LC.1.M", *searches, first=first, second=second, least=least)


@claim("BB:LC.1.M/jensen", sharp="c")
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
    sharp="c",
    control=dict(second=Fraction(1, 2)),
    hypotheses=("L in Integers", "L >= 1", "0 < alpha", "alpha < 1"),
    reference=dict(alpha=RADEMACHER.values["alpha_-"]),
)
def lower_tail_of_the_sum_of_weights(*, c: int | Fraction = 2, second: int | Fraction = 2) -> Evidence:
    r"""For $0<\alpha<1$,
    $\mathbb{P}(S_L\leq(1-\alpha)S)\leq\exp(-\frac{\alpha^2S^2}{cL\,\mathbb{E}M^2})\leq\exp(-\frac{\alpha^2L}ke^{-2\sigma^2\|Uz\|^2})$
    with `c` = 2 and `second` $k=2$. This is derived by Chernoff's method, and cites no theorem; the
    search compares the sides by their exponents.
    """
    tail = Tail(normaliser, "<=", (1 - alpha) * S, alpha)
    inner = worst_ratio(tail, "<=", exp(-(alpha**2) * S**2 / (c * L * EM2)), exponents=True)
    outer = worst_ratio(
        tail, "<=", exp(-(alpha**2) * L * exp(-2 * a2) / second), families=FAMILIES, exponents=True
    )
    return derivation("BB:LC.1.CL", inner, outer, c=c, second=second)


@claim("BB:LC.1.CL/laplace", sharp="c")
def exponential_below_its_parabola(*, c: Fraction = Fraction(1, 2)) -> Evidence:
    r"""For $y\geq0$, $e^{-y}\leq1-y+\frac{y^2}2$; this is applied to $y=tM$."""
    y = sp.Symbol("y", nonnegative=True)
    return forall(exp(-y), "<=", 1 - y + sp.Rational(c) * y**2, {y: Closed(0, oo)})


@claim("BB:LC.1.CL/exponent", control=dict(c=3))
def exponent_at_the_best_t(*, c: int = 2) -> Evidence:
    r"""At $t=\frac{\alpha S}{L\,\mathbb{E}M^2}$ the exponent $-t\alpha
    S+\frac12t^2L\,\mathbb{E}M^2$ is $-\frac{\alpha^2S^2}{cL\,\mathbb{E}M^2}$ with `c` = 2.
    """
    best = sp.Subs(-t * alpha * S + t**2 * L * EM2 / 2, t, alpha * S / (L * EM2))
    return identity(best, -(alpha**2) * S**2 / (c * L * EM2))


@claim("BB:LC.1.BCL", sharp="c", control=dict(second=Fraction(1, 2)), hypotheses=HYPOTHESES, reference={})
def upper_tail_of_the_sum_of_weights(*, c: int | Fraction = 3, second: int | Fraction = 3) -> Evidence:
    r"""Both $\mathbb{P}(S_L\geq S+\sqrt{cL\,\mathbb{E}M^2/\delta})<\delta$ and
    $\mathbb{P}(S_L\geq(1+\alpha_+)S)<\delta$ are derived with `c` = 3 and with `second` = 3 under
    the root of $\alpha_+$, by Chebyshev's inequality. In the search the thresholds are squared
    about $S$.
    """
    inner = worst_ratio(Tail(deviation_S, ">=", c * L * EM2 / delta, delta), "<=", delta)
    outer = worst_ratio(
        Tail(deviation_S, ">=", (alpha_plus(L, a2, delta, c=second) * S) ** 2, delta),
        "<=",
        delta,
        families=FAMILIES,
    )
    return derivation("BB:LC.1.BCL", inner, outer, c=c, second=second)


@claim("BB:LC.1.Q2", control=(dict(exponent=Fraction(39, 10)), dict(c=Fraction(9, 10))), reference={})
def second_moment_of_a_weighted_value(*, exponent: int | Fraction = 4, c: int | Fraction = 1) -> Evidence:
    r"""With $M=e^{Z_1^{\top}Uz}$, $\mathbb{E}\|Mf\|^2\leq
    c\,\sqrt{\mathbb{E}M^4\,\mathbb{E}\|f\|^4}$ with `c` = 1, and $\mathbb{E}\|Mf\|^2\leq
    e^{4\sigma^2\|Uz\|^2}\sqrt{\mathbb{E}\|f\|^4}$; `exponent` stands for the 4. The second routes
    are the pointwise inequality at the best factor, and the worst of the laws with their exact
    sub-Gaussian constant.
    """
    domain = {**WEIGHT_DOMAIN, **SQUARE_DOMAIN, **FACTOR_DOMAIN}
    pointwise = forall(2 * w**2 * F, "<=", sp.Rational(c) * (t * w**4 + F**2 / t), domain)
    second = worst_ratio(EQ2, "<=", exp(exponent * a2) * K)
    return derivation("BB:LC.1.Q2", pointwise, second, c=c, exponent=exponent)


@claim("BB:LC.1.15", control=(dict(exponent=Fraction(4, 5)), dict(c=Fraction(9, 10))), reference={})
def size_of_the_limit(*, exponent: int | Fraction = 1, c: int | Fraction = 1) -> Evidence:
    r"""With $M=e^{Z_1^{\top}Uz}$, $\|R/S\|\leq c\,\sqrt{\mathbb{E}M^2\,\mathbb{E}\|f\|^2}$ with `c`
    = 1, and $\|R/S\|\leq e^{\sigma^2\|Uz\|^2}\sqrt{\mathbb{E}\|f\|^2}$; `exponent` multiplies
    $\sigma^2\|Uz\|^2$. The second route is the worst of the laws with their exact sub-Gaussian
    constant.
    """
    first = worst_ratio(RS, "<=", sp.Rational(c) * sqrt(EM2 * F2))
    second = worst_ratio(RS, "<=", exp(exponent * a2) * sqrt(F2))
    return derivation("BB:LC.1.15", first, second, c=c, exponent=exponent)


@claim("BB:LC.1.RL", sharp="c", hypotheses=HYPOTHESES, reference={})
def deviation_of_the_numerator(*, c: int | Fraction = 3) -> Evidence:
    r"""The bound $\mathbb{P}(\|R_L-R\|^2>\frac c\delta
    Le^{4\sigma^2\|Uz\|^2}\sqrt{\mathbb{E}\|f\|^4})<2\delta$ is derived with `c` = 3, as in Lemma
    C.2 for $Q_i=e^{z_i^{\top}Uz}f(z_i)$.
    """
    search = worst_ratio(Tail(deviation_R, ">", c * L * exp(4 * a2) * K / delta, delta), "<=", 2 * delta)
    return derivation("BB:LC.1.RL", search, c=c)
