"""Lemma C.4 of Boursier & Boyer, the proof: every deterministic step, from the inclusion of one
event in another to the last exponent, proved or refuted over its whole domain.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import Max, exp, log, oo, sqrt

from numerics.evidence import Contradiction, Evidence, all_of, confirmed
from numerics.provers import Closed, Integers, computed, forall, identity, integral_evidence
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.one_token_more import larger_of_two, with_one_token_more
from proofs_check.instances.outcomes import TYPO, refuted_exactly
from theory.attention.layer import softmax_attention
from theory.bounds.concentration import delta_0
from theory.bounds.concentration_moments import tail_integral, threshold_c4, threshold_c7

L = sp.Symbol("L", integer=True, positive=True)
a2 = sp.Symbol("a2", nonnegative=True)  # sigma^2 |Uz|^2
K, sigma2, C_f = sp.symbols("K sigma2 C_f", positive=True)  # K = sqrt(E|f|^4)
u, x, h = sp.symbols("u x h", positive=True)
# in [0, 1]: how far an inequality that is used is from equality
theta, rho = sp.symbols("theta rho", nonnegative=True)
UNIT_INTERVAL = Closed(0, 1)
q = sp.Symbol("q", nonnegative=True)  # |R/S|^2
m = sp.Symbol("m", positive=True)  # sqrt(E|Z|^(4p))
PROMPT_DOMAIN = {L: Integers(1, oo), a2: Closed(0, oo)}
SCALE = {1: 16 * sigma2 * C_f**2, 2: 16 * sigma2 * C_f}  # 16 sigma^2 C_f^(2/p)


@claim(
    "BB:LC.4.impl",
    **TYPO,
    repair=dict(sign=">="),
    control=(dict(c=Fraction(19, 10)), dict(half=Fraction(3, 5)), dict(most=Fraction(9, 10))),
    needs=("BB:LC.4.hull",),
    hypotheses=("u >= 0", "v >= 0", "theta > 0", "theta * (u + v)**2 > 0"),
)
def the_event_moves_to_the_largest_token(
    *,
    sign: str = "<=",
    c: int | Fraction = 2,
    half: int | Fraction = Fraction(1, 2),
    most: int | Fraction = 1,
) -> Evidence:
    r"""If the error is at least $t$, then $c\,\|\frac{R_L}{S_L}\|^2+c\,\|\frac RS\|^2\geq t$ with
    `c` = 2; the `sign` is printed as $\leq$, which is refuted. If $2\|\frac{R_L}{S_L}\|^2+2\|\frac
    RS\|^2\geq t$, then $\|\frac{R_L}{S_L}\|^2\geq\frac t2-\|\frac RS\|^2$, and so is the largest
    $\|f(z_\ell)\|^2$, which `most` multiplies. All three are derived for vectors; the second routes
    are the first two for their norms.

    With theta in (0, 1], t = theta (|u| + |v|)^2 runs through the values that the error |u - v|^2
    can reach, and t = theta (2|u|^2 + 2|v|^2) through those that the second line admits.
    """
    b, a = sp.symbols("v u", nonnegative=True)
    domain = {b: Closed(0, oo), a: Closed(0, oo), theta: sp.Interval.Lopen(0, 1)}
    first = forall(c * (a**2 + b**2), sign, theta * (a + b) ** 2, domain)
    second = forall(a**2, ">=", sp.Rational(half) * theta * (2 * a**2 + 2 * b**2) - b**2, domain)
    if sign != ">=":
        return first
    return derivation("BB:LC.4.impl", first, second, larger_of_two(most), c=c, half=half, most=most)


#: The largest point of the hull of the values that are averaged, for one token z = 1 and f(z) = 2z.
LARGEST_POINT_OF_HULL = {"z_k": 1, "f(z_k)": 2}


@claim(
    "BB:LC.4.hull",
    **TYPO,
    follows="BB:P3.1.conv",
    repair=dict(hull="f(z_k)"),
    control=(dict(total=Fraction(9, 10)), dict(least=1), dict(most=Fraction(9, 10))),
    hypotheses=("d in Integers", "d >= 1", "L in Integers", "L >= 1"),
)
def average_lies_in_a_convex_hull(
    *, hull: str = "z_k", total: int | Fraction = 1, least: int = 0, most: int | Fraction = 1
) -> Evidence:
    r"""The average $R_L/S_L$ is derived to be the sum of the $f(z_k)$ times numbers that are at
    `least` = 0 and have the sum `total` = 1, which puts it into the hull of the $f(z_k)$, and its
    square to be at most `most` = 1 times that of a number that is at least every $\|f(z_k)\|$.
    Printed is the `hull` of the tokens, which is refuted by one token; repaired, it is that of the
    $f(z_k)$.

    The second route goes token by token: what stands for the tokens so far, and one token more.
    """
    average = softmax_attention([[1.0]], [0.0], [[0.0]], [[2.0]])[0]  # f(z) = 2z at the only token 1
    if average != 2:
        raise Contradiction(f"one token z = 1 with f(z) = 2z has the average {average}, not 2")
    if (largest := LARGEST_POINT_OF_HULL[hull]) < average:
        witness = {"d": 1, "L": 1, "z_1": 1, "f(z_1)": 2, "R_L/S_L": 2, "largest point of the hull": largest}
        return refuted_exactly(witness)
    searches = with_one_token_more(total, least, most)
    return derivation("BB:LC.4.hull", *searches, total=total, least=least, most=most)


@claim("BB:LC.4.log", control=(dict(c=Fraction(5, 2)), dict(six=7)), reference={})
def logarithm_of_delta_0(*, c: int | Fraction = 64, six: int = 6) -> Evidence:
    r"""With `six` = 6, $1-\ln\delta_0=1+2\ln L-6\ln2-4\sigma^2\|Uz\|^2$. With `c` = 64 in
    $\delta_0$, and with every $c\geq e$, $1-\ln\delta_0\leq2\ln L$.
    """
    return all_of(
        identity(1 - log(delta_0(L, a2)), 1 + 2 * log(L) - six * log(2) - 4 * a2),
        forall(1 - log(delta_0(L, a2, c)), "<=", 2 * log(L), PROMPT_DOMAIN),
    )


@claim("BB:LC.4.t0", control=(dict(exponent=Fraction(9, 10)), dict(power=2)))
def thresholds_and_limit(*, exponent: int | Fraction = 1, power: int = 1) -> Evidence:
    r"""With $K=\sqrt{\mathbb{E}\|f(Z_1)\|^4}$ and `power` $k=1$, $t_0=L^kK$ and, for Lemma C.7,
    $t_0=L^kK^2$. Moreover $\|R/S\|^2\leq e^{2\sigma^2\|Uz\|^2}K$ and $\|R/S\|^4\leq
    e^{4\sigma^2\|Uz\|^2}K^2$. All of this is derived, the bounds of the limit from (15) and
    Jensen's inequality; in the second route $\rho$ and $\theta$ say how far these are from
    equality.
    """
    ratio = rho * exp(a2) * sqrt(theta * K)
    domain = {rho: UNIT_INTERVAL, theta: UNIT_INTERVAL, K: (0, oo), a2: Closed(0, oo)}
    return derivation(
        "BB:LC.4.t0",
        identity(computed(r"16C/(27\delta_0L)", threshold_c4(L, a2, K)), L**power * K),
        identity(computed(r"16^2C^2/(27^2\delta_0^2L^3)", threshold_c7(L, a2, K)), L**power * K**2),
        forall(ratio**2, "<=", exp(2 * sp.Rational(exponent) * a2) * K, domain),
        forall(ratio**4, "<=", exp(4 * sp.Rational(exponent) * a2) * K**2, domain),
        exponent=exponent,
        power=power,
    )


@claim(
    "BB:LC.4.lo",
    control=dict(c=Fraction(9, 10)),
    reference=dict(theta=sp.tanh(sp.Rational(1, 2)) ** 2 / exp(sp.Rational(1, 2))),
)
def lower_limit_from_below(*, c: int | Fraction = 1) -> Evidence:
    r"""For $p=1,2$ and $K=\sqrt{\mathbb{E}\|f(Z_1)\|^4}$, $(\frac{t_0}2-\|\frac
    RS\|^2)_+^{1/p}/(16\sigma^2C_f^{2/p})\geq(\frac
    L2-c\,e^{2\sigma^2\|Uz\|^2})_+^{1/p}K^{1/p}/(16\sigma^2C_f^{2/p})$ is derived, with `c` = 1. The
    second route is this without the root, in units of $K$.

    $C_f$ may be any positive number that bounds the quotient, so that $f=0$ is admitted; at $C_f=0$
    the line divides by 0 (BB:LC.4/zero).
    """
    positive, least = (Max(L / 2 - e * exp(2 * a2), 0) for e in (theta, sp.Rational(c)))
    search = forall(positive, ">=", least, {**PROMPT_DOMAIN, theta: UNIT_INTERVAL})
    return derivation("BB:LC.4.lo", search, search, c=c)


@claim(
    "BB:LC.4.up",
    control=(dict(c=23), dict(four=5), dict(grows=3)),
    reference=dict(m=1, theta=1, q=sp.tanh(sp.Rational(1, 2)) ** 2),
)
def lower_limit_from_above(*, c: int | Fraction = 22, four: int | Fraction = 4, grows: int = 4) -> Evidence:
    r"""With $m=\sqrt{\mathbb{E}\|Z_1\|^{4p}}$ and $p=1,2$, $\mathbb{E}\|f\|^4\leq C_f^4m^2$ and
    $(\frac{t_0}2-\|\frac RS\|^2)_+^{1/p}/(16\sigma^2C_f^{2/p})\leq
    L^{1/p}m^{1/p}/(2^{4+1/p}\sigma^2)$ are derived. For $p=2$ the right side is at most
    $\sqrt{Lm}/(22\sigma^2)$. The second route is the $p$-th power of this; `c`, `four` and `grows`
    stand for the 22, the 4 of $2^4$ and that of $C_f^4$.

    $C_f$ may be any positive number that bounds the quotient, so that $f=0$ is admitted; at $C_f=0$
    the line divides by 0 (BB:LC.4/zero).
    """
    base = 2 ** sp.Rational(four)
    positive = dict.fromkeys((m, sigma2, C_f), (0, oo))
    domain = {L: Integers(1, oo), q: Closed(0, oo), theta: UNIT_INTERVAL, **positive}
    limit = Max(L * theta * C_f**2 * m / 2 - q, 0)
    limits = [forall(limit / SCALE[p] ** p, "<=", L * m / (2 * (base * sigma2) ** p), domain) for p in (1, 2)]
    root = sqrt(L * m) / (base * sqrt(2) * sigma2)
    ranges = {L: Integers(1, oo), m: (0, oo), sigma2: (0, oo)}
    lemma = forall(root, "<=", sqrt(L * m) / (sp.Rational(c) * sigma2), ranges)
    r = sp.Symbol("r", positive=True)  # |z|^p
    numbers = {theta: UNIT_INTERVAL, C_f: (0, oo), r: (0, oo)}
    growth = forall((theta * C_f * r) ** 4, "<=", C_f**grows * r**4, numbers)
    return derivation("BB:LC.4.up", growth, limits[0], growth, limits[1], lemma, c=c, four=four, grows=grows)


def _substituted(p: int, power: int) -> sp.Expr:
    """16^p sigma^(2p) C_f^power Gamma(p, x/(16 sigma^2 C_f^(2/p)))."""
    return 16**p * sigma2**p * C_f**power * sp.uppergamma(p, x / SCALE[p])


@claim(
    "BB:LC.4.sub",
    false="gap",
    follows="BB:LC.4",
    costs="constants",
    repair=dict(power=2),
    control=dict(power=1),
    needs=("BB:LC.4.sub/closed", "BB:LC.4.Gam"),
    hypotheses=("C_f >= 0", "sigma2 > 0"),
)
def substitution_in_the_tail(*, power: int = 1) -> Evidence:
    r"""For $p=1,2$, $\int_x^\infty
    u^{p-1}e^{-u/(16\sigma^2C_f^{2/p})}du=16^p\sigma^{2p}C_f^k\,\Gamma(p,\frac{x}{16\sigma^2C_f^{2/p}})$
    with `power` $k=2$. Printed is $k=1$, which is refuted.
    """
    name = r"\int_x^\infty u^{p-1}e^{-u/(16\sigma^2C_f^{2/p})}du"
    domain = {C_f: (0, oo), sigma2: (0, oo)}
    at_zero = forall(computed(name, tail_integral(0, SCALE[1], 1)), "<=", 16 * sigma2 * C_f**power, domain)
    if not at_zero.verdict.accepted:  # the same at x = 0, where the witness is shortest
        return at_zero
    return all_of(
        *(identity(computed(name, tail_integral(x, SCALE[p], p)), _substituted(p, power)) for p in (1, 2))
    )


@claim("BB:LC.4.sub/closed", control=dict(rate=Fraction(9, 10)))
def closed_form_of_the_tail(*, rate: int | Fraction = 1) -> Evidence:
    r"""The integral $\int_x^\infty u^{p-1}e^{-u/s}du$ is $se^{-x/s}$ for $p=1$ and
    $(s^2+sx)\,e^{-x/s}$ for $p=2$. It is derived that the integral from $x$ to $x+t$ is the
    difference of the closed forms at both ends, and that the one at $x+t$ is at most $2s^{p+1}/t$.
    The second routes are the derivative and, once, a quadrature; `rate` multiplies the exponent.
    """
    s = sp.Symbol("s", positive=True)
    closed = [computed(rf"\int_x^\infty u^{{{p - 1}}}e^{{-u/s}}du", tail_integral(x, s, p)) for p in (1, 2)]
    parts = [
        identity(-sp.Derivative(closed[p - 1], x), x ** (p - 1) * exp(-sp.Rational(rate) * x / s))
        for p in (1, 2)
    ]
    tail = integral_evidence(
        u * exp(-u), u, (1, oo), "==", tail_integral(sp.S.One, sp.S.One, 2), tail=8 * exp(-u / 2)
    )
    found = derivation("BB:LC.4.sub/closed", *(part for part in parts for _ in range(2)), rate=rate)
    return confirmed(found, tail) if rate == 1 else found


@claim("BB:LC.4.Gam", control=dict(one=Fraction(9, 10)), cites=("Pinelis 2020",))
def incomplete_gamma_function(*, one: int | Fraction = 1) -> Evidence:
    r"""For every $x\geq0$ and $p=1,2$, $\Gamma(p,x)\leq(1+x\mathbb{1}_{p=2})\,e^{-x}$, in fact with
    equality. Quadrature of the integral for $p=2$ at $x=0$ and $x=2$ is the second route.
    """
    at = sp.Symbol("x", nonnegative=True)
    with sp.evaluate(False):  # so that the engine evaluates the function, and not SymPy before it
        gamma = [sp.uppergamma(p, at) for p in (1, 2)]
    bound = [(sp.Rational(one) + at * k) * exp(-at) for k in (0, 1)]
    looks = [
        integral_evidence(u * exp(-u), u, (n, oo), "==", (1 + n) * exp(-n), tail=8 * exp(-u / 2))
        for n in map(sp.Integer, (0, 2))
    ]
    return confirmed(
        all_of(*(forall(left, "<=", right, {at: Closed(0, oo)}) for left, right in zip(gamma, bound))), *looks
    )


@claim("BB:LC.4.subadd", control=dict(c=Fraction(9, 10)))
def subadditivity_of_the_root(*, c: int | Fraction = 1) -> Evidence:
    r"""For $p=1,2$, $(\frac L2-e^{2\sigma^2\|Uz\|^2})_+^{1/p}\geq(\frac
    L2)^{1/p}-c\,e^{\frac2p\sigma^2\|Uz\|^2}$ with `c` = 1, and the exponential of the display with
    the left side is at most that with the right one; both are derived. That the first bound of the
    display holds is BB:LC.4.subadd/display. In the second route for $p=2$, $w=e^{\sigma^2\|Uz\|^2}$
    and $\sqrt{L/2}=w+h$.

    $C_f$ may be any positive number that bounds the quotient, so that $f=0$ is admitted; at $C_f=0$
    the line divides by 0 (BB:LC.4/zero).
    """
    factor, w = sp.Rational(c), sp.Symbol("w", positive=True)
    linear = forall(Max(L / 2 - exp(2 * a2), 0), ">=", L / 2 - factor * exp(2 * a2), PROMPT_DOMAIN)
    root = forall(sqrt(h * (h + 2 * w)), ">=", (w + h) - factor * w, {h: (0, oo), w: (0, oo)})
    return derivation("BB:LC.4.subadd", linear, linear, root, root, c=c)
