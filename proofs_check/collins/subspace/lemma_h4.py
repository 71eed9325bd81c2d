"""Lemma H.4 of Collins et al.: for two tokens the noise term grows with the larger weight that the
spurious directions give. The lemma is true; (59) of its proof counts the diagonal, a null set.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, computed, forall, identity
from proofs_check.collins.subspace.lemma_h1 import UNDER_THE_MEAN
from proofs_check.core.claim import claim
from proofs_check.core.witnessed import fails_at
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, charge
from theory.attention.window.low_rank import d_ab, h_ab, noise_of_signs, polynomial_66

p, q, first, second, E, y = sp.symbols("p q alpha_1 alpha_2 E y", positive=True)  # p = e^{ca}, q = e^{cb}
alpha = sp.Symbol("alpha", positive=True)
X, Y = sp.symbols("p_a p_b", nonnegative=True)  # the densities
UNIT = {alpha: sp.Interval.Lopen(0, 1)}
A4 = 1 + 7 * alpha + 7 * alpha**2 + 17 * alpha**3 + 7 * alpha**4 + 7 * alpha**5 + alpha**6
A5 = alpha + alpha**2 + 6 * alpha**3 + alpha**4 + alpha**5
A3 = 1 + 6 * alpha + 33 * alpha**2 + 36 * alpha**3 + 33 * alpha**4 + 6 * alpha**5 + alpha**6


def H_AB(sign: int) -> list[Evidence]:
    """H_{a,b} of (60), times `sign`, for alpha_1 = 1, alpha_2 = alpha, e^{cb} = 1 and e^{ca} = y,
    where the density at a, or that at b, is positive.
    """
    both = h_ab(y, 1, 1, alpha) + h_ab(1, y, 1, alpha)
    value = X * Y * both + (X**2 * h_ab(y, y, 1, alpha) + Y**2 * h_ab(1, 1, 1, alpha)) / 2
    inside = {y: Closed(Fraction(2, 15), Fraction(15, 2)), alpha: (0, 1)}
    densities = [{one: (0, oo), other: Closed(0, oo)} for one, other in ((X, Y), (Y, X))]
    return [forall(sp.together(sign * value), ">", 0, {**inside, **at}) for at in densities]


@claim("COL:H.4a", control=dict(factor=1))
def derivative_of_the_noise_term(*, factor: int = 2) -> Evidence:
    r"""The derivative in $\alpha_1$ of what is averaged in $H_{\rm noise}$ is `factor` = 2 times
    $\alpha_2$ times what is averaged in $N$.
    """
    noise = (p**2 * first**2 + q**2 * second**2) / d_ab(p, q, first, second) ** 2
    return identity(
        computed(r"\partial_{\alpha_1}", sp.diff(noise, first)), factor * second * h_ab(p, q, first, second)
    )


@claim("COL:H.4b", control=dict(power=5))
def value_on_the_diagonal(*, power: int = 3) -> Evidence:
    r"""(63) and (64): $h_{a,a}=(\alpha_1-\alpha_2)/(\alpha_1+\alpha_2)^3$, with the exponent
    `power` = 3, whatever $a$ is; it is positive.
    """
    value = (first - second) / (first + second) ** power
    h = h_ab(p, p, first, second)
    domain = dict.fromkeys((p, first, second), (0, oo))
    left = computed("h_{a,a}h_{b,b}", h * h.subs(p, q))
    return all_of(
        identity(computed("h_{a,a}", h), value),
        identity(left, (first - second) ** 2 / (first + second) ** (2 * power)),
        forall(h if power == 3 else -h, ">=", 0, domain, where=[(first, ">=", second)]),
    )


@claim("COL:H.4c/65", control=dict(sign=-1))
def common_denominator(*, sign: int = 1) -> Evidence:
    r"""(65): the left side of (61) times the denominators is $e^{c(a+b)}P$, with $\alpha_1=1$."""
    ab, ba = d_ab(p, q, 1, alpha), d_ab(q, p, 1, alpha)
    root = (1 - alpha) / (1 + alpha) ** 3
    left = (h_ab(p, q, 1, alpha) + h_ab(q, p, 1, alpha) + sign * root) * ab**3 * ba**3 * (1 + alpha) ** 3
    P = p * q * ((p - q * alpha) * ba**3 + (q - p * alpha) * ab**3) * (1 + alpha) ** 3 + ab**3 * ba**3 * (
        1 - alpha
    )
    return identity(left, P)


@claim("COL:H.4c/expanded", control=dict(middle=35))
def expansion_in_the_exponentials(*, middle: int = 36) -> Evidence:
    r"""The first expansion of $P$, times $e^{c(a+b)}$ so that it is a polynomial in $e^{ca}$ and
    $e^{cb}$; its term $e^{2ca+2cb}$ is $1-\alpha$ times the coefficient with `middle` = 36.
    """
    ab, ba = d_ab(p, q, 1, alpha), d_ab(q, p, 1, alpha)
    P = p * q * ((p - q * alpha) * ba**3 + (q - p * alpha) * ab**3) * (1 + alpha) ** 3 + ab**3 * ba**3 * (
        1 - alpha
    )
    printed = (
        (p**6 + q**6) * alpha**3 * (1 - alpha)
        + (p**5 * q + q**5 * p) * (-alpha - 5 * alpha**3 + 5 * alpha**4 + alpha**6)
        + (p**4 * q**2 + q**4 * p**2)
        * (1 + 6 * alpha + 10 * alpha**3 - 10 * alpha**4 - 6 * alpha**6 - alpha**7)
        + p**3 * q**3 * (1 - alpha) * (A3 + (middle - 36) * alpha**3)
    )
    last = (
        1 + 5 * alpha + 27 * alpha**2 + 3 * alpha**3 - 3 * alpha**4 - 27 * alpha**5 - 5 * alpha**6 - alpha**7
    )
    return all_of(identity(P, printed), identity((1 - alpha) * (A3 + (middle - 36) * alpha**3), last))


@claim("COL:H.4c/66", control=dict(middle=35))
def polynomial_in_one_ratio(*, middle: int = 36) -> Evidence:
    r"""(66): after division by $1-\alpha$ and an exponential, $P$ is the palindromic polynomial of
    degree six in $y=e^{c(a-b)}$ whose middle coefficient holds `middle` = 36.
    """
    printed = (
        (y**6 + 1) * alpha**3 - (y**5 + y) * A5 + (y**4 + y**2) * A4 + y**3 * (A3 + (middle - 36) * alpha**3)
    )
    return identity(computed(r"\frac{P\,y}{1-\alpha}", polynomial_66(alpha, y)), printed)


@claim("COL:H.4d/terms", control=(dict(least=48), dict(share=Fraction(8)), dict(a3=49)))
def comparisons_of_coefficients(
    *, least: int = 32, share: Fraction = Fraction(15, 2), a3: int = 47
) -> Evidence:
    r"""For $\alpha\in(0,1]$: `least` = 32 times $a_6$ is at most $a_4$, and $a_5-4a_6$ at most
    $a_4$ over `share` = 7.5; the terms of (66) of degree at most three exceed $y$ times the printed
    polynomial, whose coefficient of $\alpha^3$ is `a3` = 47, for $y\geq1$.
    """
    a6 = alpha**3
    tail = y**3 * A3 + y**2 * A4 - y * A5 + a6
    printed = y * (2 + 12 * alpha + 39 * alpha**2 + a3 * alpha**3 + 39 * alpha**4 + 12 * alpha**5 + alpha**6)
    return all_of(
        forall(least * a6, "<=", A4, UNIT),
        forall(A5 - 4 * a6, "<=", A4 / share, UNIT),
        forall(tail, ">=" if a3 == 47 else "<", printed, {**UNIT, y: Closed(1, oo)}),
    )


@claim("COL:H.4d/chain", control=dict(cap=9), needs=("COL:H.4d/terms",))
def highest_terms_are_positive(*, cap: int | Fraction = Fraction(15, 2)) -> Evidence:
    r"""With $y\leq e^2<{}$`cap` = 7.5 the terms of degree four to six of (66), over $y^4a_6$, are
    at least $y^2-\frac{62}{7.5}y+32$, of which the minimum over all $y$ is positive.
    """
    square = y**2 - sp.Rational(124, 15) * y + 32
    a4 = sp.Symbol("a_4", positive=True)  # over a_6: at least 32
    terms = y**2 - 4 * y - y * a4 / sp.Rational(15, 2) + a4
    domain = {y: (0, oo)}
    return all_of(
        forall(sp.exp(2), "<", cap if cap == Fraction(15, 2) else 7, {}),
        forall(terms, ">=", square, {y: Closed(1, cap), a4: Closed(32, oo)}),
        forall(
            square, ">=" if cap == Fraction(15, 2) else "<", 32 - sp.Rational(62 * 2, 15) ** 2 / 4, domain
        ),
    )


@claim(
    "COL:H.4e",
    **charge(false="edge", at="p_a p_b = 0", follows="COL:H.4.pab", costs="nothing"),
    repair=dict(positive=True),
    control=dict(positive=True, factor=1),
    needs=("COL:H.4b",),
    hypotheses=("p_a >= 0", "p_b >= 0", "p_a <= 1", "p_b <= 1"),
)
def square_is_completed(*, positive: bool = False, factor: int = 2) -> Evidence:
    r"""(62), with $h_{a,b}+h_{b,a}=t-r_ar_b$ and $t>0$, for roots $r_a,r_b$ of
    $h_{a,a},h_{b,b}$: $H_{a,b}$ exceeds the square of $p_ar_a-p_br_b$ over `factor` = 2. Printed,
    one of $p_a,p_b$ may be 0.
    """
    r, s = sp.symbols("r_a r_b", nonnegative=True)
    t = sp.Symbol("t", positive=True)
    value = X * Y * (t - r * s) + (X**2 * r**2 + Y**2 * s**2) / 2
    roots = {r: Closed(0, oo), s: Closed(0, oo), t: (0, oo)}
    square = (X * r - Y * s) ** 2 / factor
    if not positive:
        one = {s: r}  # by (64)
        inside = {X: Closed(0, 1), Y: sp.Interval.Lopen(0, 1), r: (0, oo), t: (0, oo)}
        return forall(value.subs(one), ">", square.subs(one), inside)
    return all_of(
        forall(value, ">", square, {X: (0, oo), Y: (0, oo), **roots}),
        forall(value, ">=", square, {X: Closed(0, oo), Y: Closed(0, oo), **roots}),
    )


@claim(
    "COL:H.4.pab",
    **charge(false="edge", at="p_a = p_b = 0", costs="nothing"),
    repair=dict(zero=False),
    control=dict(sign=-1),
    hypotheses=("p_a >= 0", "p_b >= 0", "p_a <= 1", "p_b <= 1"),
)
def H_is_positive(*, zero: bool = True, sign: int = 1) -> Evidence:
    r"""Printed, $H_{a,b}$ is positive on the whole square of $(p_a,p_b)$; at the origin it is not.
    Off the origin it is, times `sign` = 1, derived from the definition of $h_{a,b}$ for
    $a,b\in[-1,1]$, $0<c\leq1$ and $\alpha_1>\alpha_2>0$, and tried with $\alpha_1=e^{cb}=1$.
    """
    if zero:
        value = X * Y * (h_ab(p, q, 2, 1) + h_ab(q, p, 2, 1)) + (X**2 + Y**2) * h_ab(p, p, 2, 1) / 2
        square, inside = dict.fromkeys((X, Y), Closed(0, 1)), dict.fromkeys((p, q), Closed(1, 2))
        return forall(sp.together(value), ">", 0, {**square, **inside})
    return derivation("COL:H.4.pab", *H_AB(sign), sign=sign)


@claim(
    "COL:H.4.pab/density",
    **TYPO,
    repair=dict(any_size=True),
    control=dict(any_size=True, sign=-1),
    hypotheses=("a >= -1", "a <= 1"),
)
def densities_may_exceed_one(*, any_size: bool = False, sign: int = 1) -> Evidence:
    r"""The density of $u_1^\top u$ on the circle exceeds 1 near the ends; $H_{a,b}$, times `sign` =
    1, is positive for densities of any size of which one is positive.
    """
    if any_size:
        return derivation("COL:H.4.pab/density", *H_AB(sign), sign=sign)
    a = sp.Rational(99, 100)
    return fails_at({"k": 2, "a": a}, 1 / (sp.pi * sp.sqrt(1 - a**2)) - 1, r"p_a\le 1")


@claim(
    "COL:H.4/diagonal",
    **charge(false="gap", costs="nothing"),
    repair=dict(off_the_diagonal=True),
    control=dict(off_the_diagonal=True, sign=-1),
    hypotheses=("k in Integers", "k >= 2", "c > 0", "c <= 1", "alpha_1 > alpha_2", "alpha_2 > 0"),
)
def diagonal_is_a_null_set(*, off_the_diagonal: bool = False, sign: int = 1) -> Evidence:
    r"""For $k=3$ both are elementary, as $u_i^\top u$ is uniform: $N$ without the diagonal, from
    the triangular law of $u_1^\top u-u_2^\top u$, and what (59) adds to it. Repaired: $N$ without
    the diagonal, times `sign` = 1, is positive for every $k\geq2$ and $c\leq1$; $k=3$ is tried.
    """
    if off_the_diagonal:
        return derivation("COL:H.4/diagonal", slope_on_the_sphere(sign), sign=sign)
    half = sp.log(2) / 2
    true = (2 * sp.tanh(half) - sp.tanh(half - 1) - sp.tanh(half + 1)) / 4
    added = sp.Rational(1, 2) * sp.Rational(1, 2) / sp.Rational(3, 2) ** 3
    point = {
        "k": 3,
        "c": 1,
        "alpha_1": 1,
        "alpha_2": sp.Rational(1, 2),
        "N": float(true),
        "printed": float(true + added),
    }
    violation = sp.expand((true + added).rewrite(sp.exp) - true.rewrite(sp.exp))
    return fails_at(point, violation, r"N=\text{the right side of (59)}", equality=True)


def slope_on_the_sphere(sign: int = 1, least: int | Fraction = 1) -> Evidence:
    """For k = 3 the derivative of the noise term in r is a positive number times this, in x = e^r
    and z = e^{2c}.
    """
    x, z = sp.symbols("x z", positive=True)
    tanh = lambda y: (y - 1) / (y + 1)  # of half the logarithm of y
    return forall(sign * (2 * tanh(x) - tanh(x / z) - tanh(x * z)), ">", 0, {x: (least, oo), z: (1, oo)})


@claim(
    "COL:H.4",
    control=(dict(E_max=50), dict(sign=-1), dict(least=Fraction(1, 2))),
    needs=("COL:H.4a",),
    cites=UNDER_THE_MEAN,
)
def noise_grows_with_the_larger_weight(
    *, E_max: int | Fraction = Fraction(37, 5), sign: int = 1, least: int | Fraction = 1
) -> Evidence:
    r"""For $k=1$ the derivative of $H_{\rm noise}$ is positive for $1<e^{2c}\leq{}$`E_max` = 37/5
    and $\alpha_1$ larger than `least` = 1 times $\alpha_2$; $e^2<\frac{37}5$. For every $k\geq2$ it
    is positive for $c\leq1$, as $2-\cosh X$ is on average, $X=c(u_1-u_2)^\top u$; $k=3$ is tried.
    """
    slope = sp.factor(sp.diff(sp.cancel(noise_of_signs([first, second], sp.sqrt(E))), first))
    domain = {first: (0, oo), second: (0, oo), E: sp.Interval.Lopen(1, E_max)}
    on_signs = all_of(
        forall(sp.exp(2), "<", sign * sp.Rational(37, 5), {}),
        forall(sign * slope, ">", 0, domain, where=[(first, ">", least * second)]),
    )
    return all_of(on_signs, derivation("COL:H.4", slope_on_the_sphere(sign, least), sign=sign, least=least))
