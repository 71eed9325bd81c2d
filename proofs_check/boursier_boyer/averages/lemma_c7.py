"""Lemma C.7 of Boursier & Boyer (Appendix C.4): a bound on the fourth moment of the error at a
fixed query, the split of the integral at t_0, the union bound with the term that it drops, and the
limits of the Gamma integral. Bounds on means are also evaluated exactly on laws with few atoms.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import Max, exp, oo, sqrt

from numerics.attention.exact.softmax_average import error_fourth, symbol
from numerics.counterexamples.worst_case.statement import Mean
from numerics.counterexamples.worst_case.tails import (
    ERROR,
    LIMIT,
    MAXIMUM_TAIL,
    OWN_TAIL,
    TOKEN_TAIL,
    increasing,
)
from numerics.counterexamples.worst_case.worst_average import worst_ratio
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, computed, forall, identity
from proofs_check.boursier_boyer.concentration.lemma_c4 import SEARCHED, divisor_is_positive, two_atoms
from proofs_check.boursier_boyer.concentration.lemma_c4_steps import (
    PROMPT_DOMAIN,
    UNIT_INTERVAL,
    L,
    a2,
    theta,
)
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from theory.bounds.concentration import C, delta_0
from theory.bounds.concentration_moments import lemma_c7, tail_integral, threshold_c7


@claim("BB:LC.7", sharp="c", hypotheses=("L in Integers", "L >= 1"), reference=dict(Z4=1))
def fourth_moment_at_a_fixed_query(*, c: int | Fraction = 1) -> Evidence:
    r"""The mean $\mathbb{E}\|R_L/S_L-R/S\|^4$ is at most `c` = 1 times the bound of the lemma,
    where $C_f>0$. This is derived by the steps of the paper, with R1 in place of Corollary C.3 and
    with the part of the integral that they drop; it is also tried on the worst laws that a search
    finds.
    """
    L, a2, F4, sigma2, C_f, d, Z4 = (symbol(name) for name in ("L", "a2", "F4", "sigma2", "C_f", "d", "Z4"))
    bound = c * lemma_c7(L, a2, F4, sigma2, C_f, d, Z4)
    return derivation("BB:LC.7", worst_ratio(Mean(error_fourth), "<=", bound, families=SEARCHED), c=c)


@claim(
    "BB:LC.7/zero",
    false="edge",
    at="f = 0",
    follows="BB:LC.4/zero",
    repair=dict(closed=False),
    control=(dict(closed=True), dict(closed=False, share=Fraction(1, 20000))),
    costs="nothing",
    hypotheses=("C_f >= 0", "sigma2 > 0"),
)
def the_exponent_is_defined(*, closed: bool = True, share: int | Fraction = 1) -> Evidence:
    r"""The divisor $16\sigma^2C_f^2$ is positive for every $C_f$ that the lemma admits. Printed, it
    admits $C_f=0$ (`closed`), which is refuted; the repair asks for $C_f>0$, with which the bound
    of the lemma is derived. Here `share` multiplies it.
    """
    return all_of(divisor_is_positive(2, closed), fourth_moment_at_a_fixed_query(c=share))


# K = sqrt(E|f|^4), m = sqrt(E|Z|^4)
K, sigma2, C_f, m, t, u, x, h, w = sp.symbols("K sigma2 C_f m t u x h w", positive=True)
SCALE = 16 * sigma2 * C_f**2
#: The same quantities of a softmax average on exact laws.
L_, a2_, K_ = symbol("L"), symbol("a2"), symbol("F4")
FIRST_TERM = 2 * C(a2_, K_) * K_ / sqrt(L_)
HYPOTHESES = ("L in Integers", "L >= 1")


@claim(
    "BB:LC.7.int",
    control=(
        dict(c=Fraction(7, 4)),
        dict(part=Fraction(16, 29)),
        dict(front=Fraction(1, 4000)),
        dict(whole=Fraction(9, 10)),
    ),
)
def split_of_the_mean(
    *,
    c: int | Fraction = 1,
    part: Fraction = Fraction(16, 27),
    front: Fraction = Fraction(1),
    whole: int | Fraction = 1,
) -> Evidence:
    r"""For $t=\theta t_0$ with $\theta\leq1$, $\delta=\frac C{L\sqrt t}\geq c\,\delta_0$ with `c` =
    1. The integral of $\frac C{L\sqrt t}$ from $0$ to $t_0$ is $\frac{2C\sqrt{t_0}}L$, and
    $t_0=(\frac{16}{27})^2\frac{C^2}{\delta_0^2L^3}$ is $LK^2$ with
    $K=\sqrt{\mathbb{E}\|f(Z_1)\|^4}$.

    Unlike in Lemma C.4 the integral starts at 0, so that nothing is asked of L. Both lines are
    derived, as in BB:LC.4.int, and the sum, with `front` times the first integral, is also compared
    on exact laws; `whole` multiplies the mean that is an integral.
    """
    level = C(a2, K) / (L * sqrt(theta * L * K**2))
    domain = {**PROMPT_DOMAIN, K: (0, oo), theta: sp.Interval.Lopen(0, 1)}
    constant, least = computed("C", C(a2, K)), computed(r"\delta_0", delta_0(L, a2))
    slope = sp.Derivative(2 * C(a2, K) * sqrt(t) / L, t)
    threshold = sp.Rational(part) ** 2 * constant**2 / (least**2 * L**3)
    return all_of(
        forall(level, ">=", sp.Rational(c) * delta_0(L, a2), domain),
        identity(slope, C(a2, K) / (L * sqrt(t))),
        identity(threshold, L * K**2),
        derivation(
            "BB:LC.7.int",
            two_atoms(whole),
            increasing(ERROR, sp.Rational(front) * FIRST_TERM + MAXIMUM_TAIL, order=4),
            front=front,
            whole=whole,
        ),
    )


@claim("BB:LC.7.8", control=(dict(c=Fraction(15, 2)), dict(front=Fraction(1, 4000))), needs=("BB:LC.4.hull",))
def fourth_powers_and_the_tail(*, c: int | Fraction = 8, front: Fraction = Fraction(1)) -> Evidence:
    r"""For every $t\leq(\|a\|+\|b\|)^4$, $c\|a\|^4+c\|b\|^4\geq t$ with `c` = 8. The substitutions
    $t=8(u+x)$, $t=u^2$ and $u=16\sigma^2C_f^2v$ and the closed form of the tail integral are proved
    as well.

    The bounds on E|err|^4 that are displayed are derived, with $\mathbb{E}(Y-s)_+$ for the integral
    of $\mathbb{P}(Y\geq t)$ from $s$ on, and compared on exact laws.

    $C_f$ may be any positive number that bounds the quotient, so that $f=0$ is admitted; at $C_f=0$
    the line divides by 0 (BB:LC.7/zero).
    """
    a, b = sp.symbols("u v", nonnegative=True)
    v, factor = sp.Symbol("v", positive=True), sp.Rational(c)
    domain = {a: Closed(0, oo), b: Closed(0, oo), theta: UNIT_INTERVAL}
    event = forall(factor * (a**4 + b**4), ">=", theta * (a + b) ** 4, domain)
    integrand = u * exp(-u / SCALE)
    shifted = (sp.Derivative(8 * (u + x), u), factor)
    squared = (sp.Subs(8 * exp(-sqrt(t) / SCALE), t, u**2) * sp.Derivative(u**2, u), 16 * integrand)
    scaled = (sp.Subs(integrand, u, SCALE * v) * sp.Derivative(SCALE * v, v), SCALE**2 * v * exp(-v))
    slope = sp.Derivative(-tail_integral(x, SCALE, 2), x)
    closed = identity(
        tail_integral(x, SCALE, 2), 16**2 * sigma2**2 * C_f**4 * (1 + x / SCALE) * exp(-x / SCALE)
    )
    turned = [identity(*sides) for sides in (shifted, squared, scaled, (slope, x * exp(-x / SCALE)))]
    scale, d, first = 16 * symbol("sigma2") * symbol("C_f") ** 2, symbol("d"), sp.Rational(front) * FIRST_TERM
    token, last = (
        first + 8 * L_ * TOKEN_TAIL,
        first + 16 * L_ * exp(2 * d) * tail_integral(sqrt(LIMIT), scale, 2),
    )
    searches = (increasing(ERROR, token, order=4), increasing(ERROR, token, last, order=4))
    return all_of(event, *turned, closed, derivation("BB:LC.7.8", *searches, front=front))


@claim(
    "BB:LC.7.8/inference",
    false="gap",
    follows="BB:LC.4.union/inference",
    repair=dict(at_most=Fraction(1, 8)),
    control=(dict(at_most=Fraction(1, 7)), dict(eight=4)),
    costs="nothing",
    needs=("BB:LC.4.t0", "BB:LC.4.union/max"),
    hypotheses=HYPOTHESES,
)
def integral_of_the_maximum(*, at_most: Fraction | None = None, eight: int = 8) -> Evidence:
    r"""The step $\int_{t_0}^\infty\mathbb{P}(\max_\ell\|f(z_\ell)\|^4\geq\frac t8-\|\frac
    RS\|^4)\,dt\leq8L\int_s^\infty\mathbb{P}(\|f\|^4\geq t)\,dt$ with $s=(\frac{t_0}8-\|\frac
    RS\|^4)_+$ is refuted as printed. The repair asks for $L\geq8e^{4\sigma^2\|Uz\|^2}$, which gives
    $t_0/8\geq\|\frac RS\|^4$; with it the step is derived as in Lemma C.4. The second route are
    laws on few atoms; `eight` stands for the 8 on the right.
    """
    hypothesis = None if at_most is None else (exp(4 * a2_) / L_, at_most)
    cases = increasing(MAXIMUM_TAIL, eight * L_ * OWN_TAIL, order=4, admitted=hypothesis)
    if at_most is None:
        return cases
    given = [(exp(4 * a2) / L, "<=", sp.Rational(at_most))]
    enough = forall(threshold_c7(L, a2, sp.S.One) / 8, ">=", exp(4 * a2), PROMPT_DOMAIN, where=given)
    return derivation("BB:LC.7.8/inference", all_of(cases, enough), eight=eight, at_most=at_most)


@claim("BB:LC.7.8/dropped", control=(dict(c=77), dict(front=Fraction(1, 600))))
def what_is_dropped_is_below_the_first_term(*, c: int = 8, front: Fraction = Fraction(1)) -> Evidence:
    r"""Where $t_0/8\leq\|\frac RS\|^4$, $c\,\|\frac
    RS\|^4\leq\frac{2C\sqrt{t_0}}L=216e^{4\sigma^2\|Uz\|^2}\frac{K^2}{\sqrt L}$ with `c` = 8 and
    $K=\sqrt{\mathbb{E}\|f(Z_1)\|^4}$. So $s=0$ and the bound that is displayed,
    $\mathbb{E}\|\mathrm{err}\|^4\leq\frac{2C\sqrt{t_0}}L+8L\,\mathbb{E}\|f\|^4$, holds. Both are
    derived; the first is also proved for every real $L$ from $\|\frac RS\|^2=\theta
    e^{\frac43\sigma^2\|Uz\|^2}K$ and $\frac{t_0}8=\varphi\|\frac RS\|^4$ with
    $\theta,\varphi\leq1$, and the second, `front` times, compared on exact laws.
    """
    part, phi = sp.symbols("theta phi", positive=True)
    ratio = part**2 * exp(8 * a2 / 3)
    first = 2 * C(a2, sp.S.One) / sqrt(8 * phi * ratio)
    below_one = sp.Interval.Lopen(0, 1)
    size = forall(c * ratio, "<=", first, {a2: Closed(0, oo), part: below_one, phi: below_one})
    displayed = sp.Rational(front) * (FIRST_TERM + 8 * L_ * OWN_TAIL)
    error = increasing(ERROR, displayed, order=4, admitted=(LIMIT, Fraction(0)))
    return derivation("BB:LC.7.8/dropped", size, error, c=c, front=front)


@claim("BB:LC.7.8/holder", control=dict(c=Fraction(9, 10)))
def size_of_the_limit_by_hoelder(*, c: int | Fraction = 1) -> Evidence:
    r"""With `c` = 1, $\|R/S\|\leq c\,e^{\frac23\sigma^2\|Uz\|^2}(\mathbb{E}\|f(Z_1)\|^4)^{1/4}$;
    the exponent is smaller than that which (15) has for the second moment. This is derived by
    Young's inequality with the exponents $\frac43$ and 4, and tried on the worst laws that a search
    finds.
    """
    search = worst_ratio(symbol("RS"), "<=", sp.Rational(c) * exp(2 * a2_ / 3) * sqrt(K_))
    return derivation("BB:LC.7.8/holder", search, c=c)


@claim(
    "BB:LC.7.lim",
    control=(dict(c=Fraction(9, 10)), dict(two=3), dict(rate=33), dict(least=Fraction(11, 10))),
    reference=dict(theta=sp.tanh(sp.Rational(1, 2)) ** 4 / sp.E),
)
def limits_of_the_gamma_integral(
    *, c: int | Fraction = 1, two: int = 2, rate: int = 32, least: Fraction = Fraction(1)
) -> Evidence:
    r"""With $w=e^{2\sigma^2\|Uz\|^2}$, `c` = 1 and $\theta\leq1$, $(\frac L8-\theta
    w^2)_+\geq(\frac L8-c\,w^2)_+$. The lower and the upper limit of the Gamma integral and $(\frac
    L8-w^2)_+^{1/2}\geq\sqrt{L/8}-w$ are derived for $R/S$ itself; the second routes have
    $t_0=LK^2$, $\|R/S\|^4=\theta w^2K^2$ and $K=\theta C_f^2\sqrt{\mathbb{E}\|Z\|^4}$. Here `two`,
    `rate` and `least` stand for the 2 in $2\sqrt2$, 32 and 1.

    $C_f$ may be any positive number that bounds the quotient, so that $f=0$ is admitted; at $C_f=0$
    the line divides by 0 (BB:LC.7/zero).
    """
    smaller, larger = (Max(L / 8 - e * exp(4 * a2), 0) for e in (sp.Rational(c), theta))
    below = forall(larger, ">=", smaller, {**PROMPT_DOMAIN, theta: UNIT_INTERVAL})
    g = sp.Symbol("g", nonnegative=True)  # either positive part
    with sp.evaluate(False):
        scaled = (sqrt(K**2 * g) / SCALE, sqrt(g) * K / SCALE)
        half = (sqrt(L * K**2 / 8) / SCALE, sqrt(L * K**2) / (2 * sqrt(2)) / SCALE)
        upper = sqrt(L * (theta * C_f**2 * m) ** 2) / (2 * sqrt(2)) / SCALE
        root = (sqrt(L / 8), sqrt(L) / (2 * sqrt(2)))
    domain = {L: PROMPT_DOMAIN[L], theta: UNIT_INTERVAL, **dict.fromkeys((C_f, m, sigma2), (0, oo))}
    above = forall(upper, "<=", sqrt(L) * m / (rate * sqrt(2) * sigma2), domain)
    inside = identity((w + h) ** 2 - w**2, h * (h + 2 * w))
    apart = forall(sqrt(h * (h + 2 * w)), ">=", sp.Rational(least) * h, {h: (0, oo), w: (0, oo)})
    middle = forall(larger, "<=", L / (2 * two**2), {**PROMPT_DOMAIN, theta: UNIT_INTERVAL})
    searches = (
        all_of(below, identity(*scaled)),
        all_of(middle, identity(*half)),
        above,
        all_of(inside, apart, identity(*root)),
    )
    return derivation("BB:LC.7.lim", *searches, c=c, two=two, rate=rate, least=least)


@claim(
    "BB:LC.7.lim/display", control=(dict(power=2), dict(one=Fraction(9, 10)), dict(front=Fraction(1, 15000)))
)
def last_display(*, power: int = 4, one: Fraction = Fraction(1), front: Fraction = Fraction(1)) -> Evidence:
    r"""For $x\leq y\leq h$, $(1+y)\,e^{-y}\leq(1+h)\,e^{-x}$. Where $t_0/8\leq\|\frac RS\|^4$,
    $(\frac L8-e^{k\sigma^2\|Uz\|^2})_+=0$ with `power` $k=4$.

    The bound displayed is derived, and compared on exact laws. Here `one` is the 1 in $1+h$, and
    `front` a factor of the bound.
    """
    low, up, over = sp.symbols("x u v", nonnegative=True)  # y = x + u, h = x + u + v
    smaller, larger = (1 + low + up) * exp(-low - up), (sp.Rational(one) + low + up + over) * exp(-low)
    between = forall(smaller, "<=", larger, dict.fromkeys((low, up, over), Closed(0, oo)))
    part, phi = sp.symbols("theta phi", positive=True)
    length = 8 * phi * part**2 * exp(8 * a2 / 3)
    unit = sp.Interval.Lopen(0, 1)
    vanishes = forall(length / 8, "<=", exp(power * a2), {a2: Closed(0, oo), part: unit, phi: unit})
    s2, c_f, m4, d = (symbol(name) for name in ("sigma2", "C_f", "Z4", "d"))
    rate = sqrt(Max(L_ / 8 - exp(power * a2_), 0)) * K_ / (16 * s2 * c_f**2)
    second = 16**3 * s2**2 * L_ * c_f**4 * exp(2 * d) * (1 + sqrt(L_ / 2) * sqrt(m4) / (32 * s2)) * exp(-rate)
    search = all_of(between, vanishes, increasing(ERROR, sp.Rational(front) * (FIRST_TERM + second), order=4))
    return derivation("BB:LC.7.lim/display", search, power=power, one=one, front=front)
