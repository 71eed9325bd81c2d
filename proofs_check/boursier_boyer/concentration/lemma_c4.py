"""Lemma C.4 of Boursier & Boyer, a bound on the mean squared error at a fixed query, which as
printed, with C_f to the first power, fails for one token, and the displays of its proof. Each
display is evaluated exactly on laws with few atoms, and each inference is proved or refuted on its
own.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import sympy as sp
from sympy import Max, exp, log, oo, sqrt

from numerics.attention.exact.softmax_average import error_squared, symbol
from numerics.counterexamples.worst_case.families import THREE_ATOMS, TWO_ATOMS, Point, on_line
from numerics.counterexamples.worst_case.statement import Mean
from numerics.counterexamples.worst_case.tails import (
    ERROR,
    LIMIT,
    MAXIMUM_TAIL,
    OWN_TAIL,
    TOKEN_TAIL,
    increasing,
)
from numerics.counterexamples.worst_case.worst_average import at_point, worst_ratio
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, computed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from theory.bounds.concentration import C, delta_0, lemma_c4, second_moment_R1
from theory.bounds.concentration_moments import tail_integral, threshold_c4

L, a2, F4, sigma2, d, Z8 = (symbol(name) for name in ("L", "a2", "F4", "sigma2", "d", "Z8"))
C_f = {1: symbol("C_f"), 2: symbol("C_f2")}
HALF = Fraction(1, 2)
ONE_TOKEN = (replace(TWO_ATOMS, lengths=(1,)), replace(THREE_ATOMS, lengths=(1,)))
SEARCHED = (replace(TWO_ATOMS, lengths=(1, 2, 3, 10, 100)), replace(THREE_ATOMS, lengths=(1, 2)))
# Rademacher tokens at U = 0 and f(z) = 244 z, the least multiple of z that breaks the printed bound
SCALED = Point(on_line((1, -1), (HALF, HALF)), Fraction(0), (Fraction(244), Fraction(-244)))


@claim(
    "BB:LC.4",
    false="edge",
    at="L = 1",
    costs="constants",
    repair=dict(power=2),
    sharp="c",
    control=(dict(power=1), dict(square=Fraction(1, 2000))),
    hypotheses=("L in Integers", "L >= 1"),
    reference={},
)
def mean_square_at_a_fixed_query(
    *, power: int = 1, c: int | Fraction = 1, square: int | Fraction = 1
) -> Evidence:
    r"""The mean $\mathbb{E}\|R_L/S_L-R/S\|^2$ is at most `c` = 1 times the bound of the lemma for
    $p=1$ and `square` = 1 times that for $p=2$. Printed with $C_f$ to the `power` 1, it is refuted
    by one token; repaired, the power is 2, and the bound is derived. Its first term is above R1 for
    $L\geq2$, and its second one above $2(1+e^{2\sigma^2\|Uz\|^2})\sqrt{\mathbb{E}\|f\|^4}$ for
    $L=1$.
    """
    common = (L, a2, F4, sigma2)
    linear = sp.Rational(c) * lemma_c4(*common, C_f[1], d, power=power)
    quadratic = sp.Rational(square) * lemma_c4(*common, C_f[2], d, p=2, Z8=Z8, power=power)
    scaled = at_point(SCALED, 1, Mean(error_squared), linear)
    if power == 1:
        return scaled
    first, second = (
        worst_ratio(Mean(error_squared), "<=", bound, families=SEARCHED) for bound in (linear, quadratic)
    )
    return derivation("BB:LC.4", all_of(scaled, first), second, c=c, square=square)


@claim("BB:LC.4/one-token", sharp="two", control=(dict(c=Fraction(1, 6)), dict(square=Fraction(5, 6))))
def one_token(*, two: int | Fraction = 2, c: int | Fraction = 1, square: int | Fraction = 1) -> Evidence:
    r"""At $L=1$ the mean squared error is at most $2(1+e^{2\sigma^2\|Uz\|^2})K$ with
    $K=\sqrt{\mathbb{E}\|f\|^4}$, and with $C_f^2$ this is at most `c` = 1 times the second term for
    $p=1$ and `square` = 1 times that for $p=2$, for any positive numbers in place of $C_f$ and of
    $\mathbb{E}\|Z\|^8$; `two` stands for the first 2. All are derived. The second route tries one
    token, and compares the last two for $K$ written as $(16\sigma^2)^pC_f^2v^p$.
    """
    a = sp.Symbol("a2", nonnegative=True)
    v, w, s, g, m = sp.symbols("v w sigma2 C_f Z8", positive=True)
    bound = sp.Rational(two) * (1 + exp(2 * a2)) * F4
    # The examples of its property test have longer prompts.
    parts = [worst_ratio(Mean(error_squared), "<=", bound, families=ONE_TOKEN).replace(sides=())]
    for p, factor in ((1, c), (2, square)):
        K = (16 * s) ** p * g**2 * v**p
        second = lemma_c4(sp.S.One, a, K, s, g, sp.S.One, p=p, Z8=m, power=2)
        growth = 1 if p == 1 else 1 + sqrt(sqrt(m)) / (22 * s)
        unit = 2 * (16 * s) ** p * g**2
        rate = exp(2 * a / p) - (sp.Rational(1, 2) if p == 1 else 1 / sqrt(2))
        reduced = identity(second / unit, p * exp(2) * growth * exp(rate * v))
        right = sp.Rational(factor) * p * exp(2) * exp(rate * v)
        domain = {v: (0, oo), a: Closed(0, oo)}
        below = forall((1 + exp(2 * a)) * v**p, "<=", right, domain, via={w: exp(2 * a / p)})
        parts.append(all_of(reduced, below))
    return derivation("BB:LC.4/one-token", *parts, two=two, c=c, square=square)


def divisor_is_positive(power: int, closed: bool) -> Evidence:
    """Decide whether 16 sigma^2 C_f^power > 0 for every C_f > 0, or C_f >= 0 if `closed`."""
    g = sp.Symbol("C_f", nonnegative=True) if closed else sp.Symbol("C_f", positive=True)
    s = sp.Symbol("sigma2", positive=True)
    return forall(16 * s * g**power, ">", 0, {g: Closed(0, oo) if closed else (0, oo), s: (0, oo)})


@claim(
    "BB:LC.4/zero",
    false="edge",
    at="f = 0",
    costs="nothing",
    repair=dict(closed=False),
    control=(dict(closed=True), dict(closed=False, share=Fraction(1, 2000))),
    # The bound is that of the repair of BB:LC.4, of which this is a part.
    hypotheses=("C_f >= 0", "sigma2 > 0"),
)
def the_exponent_is_defined(*, closed: bool = True, share: int | Fraction = 1) -> Evidence:
    r"""The divisor $16\sigma^2C_f^{2/p}$, $p=1,2$, is positive for every $C_f$ that the lemma
    admits. Printed, it admits $C_f=0$ (`closed`), which is refuted; the repair asks for $C_f>0$,
    with which the bounds of the lemma, with $C_f^2$, are derived. Here `share` multiplies them.
    """
    bounds = mean_square_at_a_fixed_query(power=2, c=share, square=share)
    return all_of(*(divisor_is_positive(2 // p, closed) for p in (1, 2)), bounds)


t, r = sp.symbols("t r", positive=True)
LENGTH, SIZE = sp.Symbol("L", integer=True, positive=True), sp.Symbol("a2", nonnegative=True)
DOMAIN = {LENGTH: Integers(1, oo), SIZE: Closed(0, oo)}
RATIO = threshold_c4(LENGTH, SIZE, r) * LENGTH / C(SIZE, r)  # t_0 L/C
LARGEST_DELTA_0 = Fraction(16, 27)
SCALED_BY_237 = Point(on_line((1, -1), (HALF, HALF)), Fraction(0), (Fraction(237), Fraction(-237)))
HYPOTHESES = ("L in Integers", "L >= 1")


def first_terms(constant: int | Fraction = 108) -> sp.Expr:
    """C (1 + ln(t_0 L/C))/L, with another number for the 108 of C outside the logarithm."""
    return C(a2, F4, sp.Rational(constant)) / L * (1 + log(threshold_c4(L, a2, F4) * L / C(a2, F4)))


def admitted(at_most: Fraction | None) -> tuple[sp.Expr, Fraction] | None:
    """The hypothesis delta_0 <= at_most; the paper has none."""
    return None if at_most is None else (delta_0(L, a2), at_most)


@claim(
    "BB:LC.4.int",
    false="gap",
    costs="nothing",
    repair=dict(at_most=LARGEST_DELTA_0),
    control=(dict(at_most=Fraction(1)), dict(constant=Fraction(4, 5)), dict(whole=Fraction(9, 10))),
    needs=("BB:CC.3", "OURS:R1.CC3", "BB:LC.4.impl", "BB:LC.4.int/split", "BB:LC.4.t0"),
    hypotheses=HYPOTHESES,
)
def split_of_the_mean(
    *, at_most: Fraction | None = None, constant: int | Fraction = 108, whole: int | Fraction = 1
) -> Evidence:
    r"""The line $\mathbb{E}\|\frac{R_L}{S_L}-\frac RS\|^2\leq\frac CL+\int_{C/L}^{t_0}\frac
    C{Lt}dt+\int_{t_0}^\infty\mathbb{P}(\max_\ell\|f(z_\ell)\|^2\geq\frac t2-\|\frac RS\|^2)dt$ is
    refuted as printed by one Rademacher token. The repair asks for $\delta_0\leq\frac{16}{27}$
    (`at_most`), where $C/L\leq t_0$.

    Repaired, it is derived, with the integral of $\mathbb{P}(\|\frac{R_L}{S_L}-\frac RS\|^2\geq
    t)$ over all levels for the mean, where an integral over levels t is the mean of $e^T$ times the
    integrand at T with the density $e^{-t}$; that C/L <= t_0 is proved for every L and a2. The
    second route are exact cases. Where $t_0<C/L$ the integral of the derivation is 0, and only the
    condition refutes. `constant` is the 108 in front of the first two terms, and `whole`
    multiplies the mean that is an integral.
    """
    given = admitted(at_most and LARGEST_DELTA_0)
    cases = [
        increasing(ERROR, first_terms(constant) + MAXIMUM_TAIL, order=2, growth=p, admitted=given)
        for p in (1, 2)
    ]
    if at_most is None:
        return all_of(*cases)
    most = sp.Rational(at_most)
    right = threshold_c4(LENGTH, SIZE, 1)
    order = forall(C(SIZE, 1) / LENGTH, "<=", right, DOMAIN, where=[(delta_0(LENGTH, SIZE), "<=", most)])
    found = derivation("BB:LC.4.int", two_atoms(whole), all_of(*cases), constant=constant, whole=whole)
    return all_of(found, order)


def two_atoms(whole: int | Fraction) -> Evidence:
    """The integral of P(X >= t) for X = x or x + y with probabilities 1 - q and q, against E X."""
    x, y, q = sp.symbols("x y q", positive=True)
    return identity(x + q * y, sp.Rational(whole) * ((1 - q) * x + q * (x + y)))


@claim(
    "BB:LC.4.int/split", control=(dict(sixteen=15), dict(times=Fraction(9, 10)), dict(times=Fraction(11, 10)))
)
def integral_of_the_capped_tail(*, sixteen: int | Fraction = 16, times: int | Fraction = 1) -> Evidence:
    r"""For $C/L\leq t_0$, $\int_0^{t_0}\min(1,\frac C{Lt})\,dt=\frac CL+\frac CL\ln\frac{t_0L}C$,
    and $\frac{t_0L}C=\frac{16}{27\delta_0}$ with `sixteen` = 16. The integrals from $0$ to $C/L$
    and from there to $t_0$ are derived as functions of their upper ends; the second route is the
    derivative of the second one. Here `times` multiplies the logarithm.
    """
    c = sp.Symbol("c", positive=True)  # C/L
    slope = computed(r"\frac{d}{dt}", sp.diff(c + sp.Rational(times) * c * log(t / c), t))
    positive = dict.fromkeys((c, t), (0, oo))
    faster, slower = forall(c / t, "<=", slope, positive), forall(slope, "<=", c / t, positive)
    ratio = identity(computed(r"t_0L/C", RATIO), sp.Rational(sixteen) / (27 * delta_0(LENGTH, SIZE)))
    return all_of(derivation("BB:LC.4.int/split", faster, slower, times=times), ratio)


@claim(
    "BB:LC.4.union",
    false="gap",
    follows="BB:LC.4.int",
    costs="nothing",
    repair=dict(at_most=LARGEST_DELTA_0),
    control=dict(tail=Fraction(9, 10), constant=Fraction(9, 10)),
    needs=(
        "BB:LC.4.int",
        "BB:LC.4.union/inference",
        "BB:LC.4.union/max",
        "BB:LC.4.union/variables",
        "BB:LD.2.1",
    ),
    hypotheses=HYPOTHESES,
)
def chain_of_the_union_bound(
    *, at_most: Fraction | None = None, tail: int | Fraction = 1, constant: int | Fraction = 1
) -> Evidence:
    r"""The chain leads from $\frac CL(1+\ln\frac{t_0L}C)+2L\int\mathbb{P}(C_f^2\|z\|^{2p}\geq
    t)\,dt$ to $\frac CL(1-\ln\delta_0)+2Lpe^{2d}$ times the last integral, and bounds
    $\mathbb{E}\|\frac{R_L}{S_L}-\frac RS\|^2$. As printed it is refuted; the witness names the
    `link` that fails, and the repair asks for $\delta_0\leq\frac{16}{27}$.

    `constant` and `tail` scale the two terms of the last bound.
    """
    parts = []
    for p in (1, 2):
        scale = 16 * sigma2 * C_f[p] ** sp.Rational(2, p)
        rest = p * exp(2 * d) * tail_integral(LIMIT ** sp.Rational(1, p), scale, p)
        second = first_terms() + 2 * L * TOKEN_TAIL
        third = C(a2, F4) * (1 - log(delta_0(L, a2)) + log(LARGEST_DELTA_0)) / L + 2 * L * rest
        fourth = (
            sp.Rational(constant) * C(a2, F4) * (1 - log(delta_0(L, a2))) / L
            + sp.Rational(tail) * 2 * L * rest
        )
        parts.append(increasing(ERROR, second, third, fourth, order=2, growth=p, admitted=admitted(at_most)))
    return all_of(*parts)


@claim(
    "BB:LC.4.union/inference",
    false="gap",
    costs="nothing",
    repair=dict(at_most=Fraction(16)),
    control=(dict(at_most=Fraction(17)), dict(two=Fraction(9, 5))),
    needs=("BB:LC.4.t0", "BB:LC.4.union/max"),
    hypotheses=HYPOTHESES,
)
def integral_of_the_maximum(*, at_most: Fraction | None = None, two: int | Fraction = 2) -> Evidence:
    r"""The step $\int_{t_0}^\infty\mathbb{P}(\max_\ell\|f(z_\ell)\|^2\geq\frac t2-\|\frac
    RS\|^2)\,dt\leq2L\int_s^\infty\mathbb{P}(\|f\|^2\geq t)\,dt$ with $s=(\frac{t_0}2-\|\frac
    RS\|^2)_+$ is refuted as printed. The repair asks for $\delta_0\leq16$, which gives
    $t_0/2\geq\|\frac RS\|^2$ for every $L$ and $\|Uz\|$; with it the step is derived, where an
    integral over levels $t$ is the mean of $e^T$ times the integrand at $T$ with the density
    $e^{-t}$. The second route are laws on few atoms; `two` stands for the 2 on the right.
    """
    bound = sp.Rational(two) * L * OWN_TAIL
    cases = [increasing(MAXIMUM_TAIL, bound, order=2, growth=p, admitted=admitted(at_most)) for p in (1, 2)]
    if at_most is None:
        return all_of(*cases)
    given = [(delta_0(LENGTH, SIZE), "<=", sp.Rational(at_most))]
    enough = forall(threshold_c4(LENGTH, SIZE, 1) / 2, ">=", exp(2 * SIZE), DOMAIN, where=given)
    return derivation("BB:LC.4.union/inference", all_of(*cases, enough), two=two, at_most=at_most)


@claim("BB:LC.4.union/max", control=dict(c=Fraction(9, 10)))
def union_bound(*, c: int | Fraction = 1) -> Evidence:
    r"""The bound $\mathbb{P}(\max_\ell\|f(z_\ell)\|^2\geq u)\leq c\,L\,\mathbb{P}(\|f(z_1)\|^2\geq
    u)$ with `c` = 1 is derived; the event is that some token reaches $u$. The second route is
    $1-(1-q)^L\leq c\,Lq$ for $q=1-e^{-x}$.
    """
    x = sp.Symbol("x", nonnegative=True)
    domain = {LENGTH: Integers(1, oo), x: Closed(0, oo)}
    search = forall(1 - exp(-LENGTH * x), "<=", sp.Rational(c) * LENGTH * (1 - exp(-x)), domain)
    return derivation("BB:LC.4.union/max", search, c=c)


@claim(
    "BB:LC.4.union/variables",
    control=(dict(two=3), dict(level=Fraction(11, 10)), dict(level=Fraction(9, 10)), dict(sixteen=3)),
)
def change_of_variables(
    *, two: int | Fraction = 2, level: int | Fraction = 1, sixteen: int | Fraction = 16
) -> Evidence:
    r"""For $p=1,2$ and $t>0$ it is derived that $\mathbb{P}(\|f\|^2\geq
    t)\leq\mathbb{P}(C_f^2\|z\|^{2p}\geq t)=\mathbb{P}(\|z\|^2\geq t^{1/p}/C_f^{2/p})\leq
    e^{2d}e^{-t^{1/p}/(16\sigma^2C_f^{2/p})}$. The substitution $t=2(u+\|R/S\|^2)$ has $dt=2\,du$,
    $t=u^p$ has $dt=pu^{p-1}du$, and $\ln\frac{t_0L}C=-\ln\delta_0+\ln\frac{16}{27}$.

    `level` multiplies the second and third of these levels t, and `sixteen` stands for the 16 of
    the exponent. The second route are the events for one token, and our tail that is below the
    exponential.
    """
    u, q, n, c = sp.symbols("u q n c", positive=True)  # n = |z|^2 and c = C_f^{2/p}
    theta, y = sp.symbols("theta y", nonnegative=True)
    positive, unit, times = dict.fromkeys((n, c), (0, oo)), {theta: Closed(0, 1)}, sp.Rational(level)
    domain = {d: Closed(1, oo), y: Closed(0, oo)}
    tail = forall(2 ** (d / 2) * exp(-y / 4), "<=", exp(2 * d - y / sp.Rational(sixteen)), domain)
    searches = []
    for p in (1, 2):
        root = sp.Rational(1, p)
        larger = forall(times * theta * (c * n) ** p, "<=", (c * n) ** p, {**positive, **unit})
        inside = forall((times * theta) ** root * n, "<=", n, {**positive, **unit})
        outside = forall(c**p, "<=", ((1 + y) * times**root) ** p * c**p, {c: (0, oo), y: Closed(0, oo)})
        searches += [larger, inside, outside, tail]
    derived = derivation("BB:LC.4.union/variables", *searches, level=level, sixteen=sixteen)
    turned = [
        identity(sp.Derivative(sp.Rational(two) * (u + q), u), 2),
        *(identity(sp.Derivative(u**p, u), p * u ** (p - 1)) for p in (1, 2)),
    ]
    known = identity(
        computed(r"\ln(t_0L/C)", log(RATIO)), -log(delta_0(LENGTH, SIZE)) + log(sp.Rational(16, 27))
    )
    return all_of(derived, *turned, known)


@claim(
    "BB:LC.4.subadd/display",
    false="edge",
    at="L = 1",
    follows="BB:LC.4",
    costs="constants",
    repair=dict(power=2, shortest=2),
    control=(dict(shortest=1), dict(two=Fraction(3, 5))),
    needs=(
        "OURS:R1.LC4",
        "BB:LC.4.int",
        "BB:LC.4.union",
        "BB:LC.4.lo",
        "BB:LC.4.up",
        "BB:LC.4.sub",
        "BB:LC.4.Gam",
    ),
    hypotheses=HYPOTHESES,
)
def last_display_but_one(*, power: int = 1, shortest: int = 1, two: int | Fraction = 2) -> Evidence:
    r"""The bound of $\mathbb{E}\|\frac{R_L}{S_L}-\frac RS\|^2$ by $\frac{2C\ln L}L$ and a second
    term, with $(\frac L2-e^{2\sigma^2\|Uz\|^2})_+^{1/p}$ in its exponent, is printed for $L\geq1$
    and with $C_f$ to the `power` 1. It is refuted at $L=1$; the repair puts $C_f^2$ and asks for
    $L\geq2$, for which it is derived for $p=1,2$: the first term is above OURS:R1, and the second
    is not negative. The second route compares the first term with R1; `two` is the 2 in it.
    """
    if power == 1:
        bound = lemma_c4(L, a2, F4, sigma2, C_f[1], d, positive_part=True).subs(
            Max(0, L / 2 - exp(2 * a2)), 0
        )  # at U = 0 and L = 1
        return at_point(SCALED_BY_237, 1, Mean(error_squared), bound)
    if (
        shortest == 1
    ):  # one token N(0, 1), f(z) = z: its mean square about the tilted mean u is 1 + u^2, and K = sqrt(3)
        one, u = sp.S.One, sp.Symbol("Uz", positive=True)
        bound = lemma_c4(one, u**2, sqrt(3), one, one, one, power=power, positive_part=True)
        bound = bound.subs(Max(0, sp.Rational(1, 2) - exp(2 * u**2)), 0)
        return forall(1 + u**2, "<=", bound, {u: (0, oo)})
    domain = {LENGTH: Integers(shortest, oo), SIZE: Closed(0, oo), r: (0, oo)}
    first = sp.Rational(two) * C(SIZE, r) * log(LENGTH) / LENGTH
    above = forall(second_moment_R1(LENGTH, SIZE, r), "<=", first, domain)
    return derivation("BB:LC.4.subadd/display", above, above, two=two)
