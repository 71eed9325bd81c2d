"""Lemma C.1 of Boursier & Boyer, the statement, whose printed condition on delta lacks a factor of
the proof, and every deterministic step, from the triangle inequality (14) to the constant 27. What
speaks of a probability is tried on the laws at which a search finds the largest one of failure.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import Abs, Max, exp, log, oo, sqrt

from numerics.attention.exact.softmax_average import error_squared, normaliser, symbol
from numerics.counterexamples.worst_case.statement import Tail
from numerics.counterexamples.worst_case.worst_average import worst_ratio
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, forall, identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO
from theory.bounds.concentration import alpha_minus, alpha_plus, beta, delta_min

delta = sp.Symbol("delta", positive=True)


@claim(
    "BB:LC.1",
    control=dict(c=Fraction(1, 16)),
    hypotheses=(
        "L in Integers",
        "L >= 1",
        "0 < delta",
        "delta < 1",
        "delta >= exp(-L * exp(-2 * Uz**2) / 8)",
    ),
    reference={},
)
def error_of_the_softmax_average(*, c: int | Fraction = 27) -> Evidence:
    r"""The bound $\mathbb{P}(\|R_L/S_L-R/S\|^2>27\beta^2)<4\delta$ is derived for every $\delta$ in
    $(0,1)$, from our bound R1 of the second moment and Markov's inequality. It is also tried for
    every $\delta\geq\exp(-\frac{L}{8}e^{-2\|Uz\|^2})$, the condition that is printed without
    $\sigma^2$.
    """
    L, a2, K, sigma2 = (symbol(name) for name in ("L", "a2", "F4", "sigma2"))
    tail = Tail(
        error_squared, ">", c * beta(L, a2, delta, K, c=1) ** 2, delta, least=delta_min(L, a2 / sigma2)
    )
    return derivation("BB:LC.1", worst_ratio(tail, "<=", 4 * delta), c=c)


@claim(
    "BB:LC.1/inference",
    **TYPO,
    repair=dict(power=2),
    control=(dict(power=1), dict(half=Fraction(9, 20))),
    hypotheses=(
        "L in Integers",
        "L >= 1",
        "sigma > 0",
        "n >= 0",
        "0 < delta",
        "delta < 1",
        "delta >= exp(-L * exp(-2 * n**2) / 8)",
    ),
)
def printed_condition_on_delta_gives_a_half(*, power: int = 0, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""Every $\delta<1$ that is at least $\exp(-\frac{L}{8}e^{-2\sigma^k\|Uz\|^2})$ gives
    $\alpha_-\leq\frac12$. The `power` $k$ is printed as $0$, which is refuted; it is $2$ in the
    proof, and with that the inequality is certified; `half` stands for the bound.
    """
    L, sigma = sp.Symbol("L", integer=True, positive=True), sp.Symbol("sigma", positive=True)
    n = sp.Symbol("n", nonnegative=True)
    least = exp(-L / 8 * exp(-2 * sigma**power * n**2))
    domain = {L: Integers(1, oo), sigma: (0, oo), n: Closed(0, oo), delta: (0, 1)}
    left = alpha_minus(L, sigma**2 * n**2, delta)
    return forall(left, "<=", sp.Rational(half), domain, where=[(delta, ">=", least)])


L = sp.Symbol("L", integer=True, positive=True)
a2 = sp.Symbol("a2", nonnegative=True)  # sigma^2 |Uz|^2
K = sp.Symbol("K", positive=True)  # sqrt(E|f|^4)
PROMPT_DOMAIN = {L: Integers(1, oo), a2: Closed(0, oo), delta: (0, 1)}
m, p = sp.Symbol("alpha_-", nonnegative=True), sp.Symbol("alpha_+", positive=True)
y, k = sp.symbols("y k", positive=True)  # S_L / S and S / L
HALF_OPEN_UNIT_INTERVAL = sp.Interval.Ropen(0, 1)
HYPOTHESES = ("L in Integers", "L >= 1", "0 < delta", "delta < 1")


def tail_beyond(limit: int | Fraction, rest: sp.Expr | int | Fraction, three: int | Fraction) -> Evidence:
    """Check P(|err| > sqrt(three/(delta L)) (limit e^{a2} |R/S| + rest e^{2 a2} (E|f|^4)^{1/4})) <
    4 delta, namely <= 3.99 delta, on the worst laws, for every delta in (0, 1); both sides of the
    event are squared.
    """
    length, size, ratio, fourth = (symbol(name) for name in ("L", "a2", "RS", "F4"))
    sum_of_terms = sp.Rational(limit) * exp(size) * ratio + sp.sympify(rest) * exp(2 * size) * sqrt(fourth)
    threshold = sp.Rational(three) * sum_of_terms**2 / (delta * length)
    return worst_ratio(Tail(error_squared, ">", threshold, delta), "<=", sp.Rational(399, 100) * delta)


@claim("BB:LC.1.13-14", control=dict(factor=Fraction(9, 10)))
def error_splits_into_two_terms(*, factor: int | Fraction = 1) -> Evidence:
    r"""The inequality (14) is derived by the triangle inequality for vectors. The second route is
    the identity $\frac{R_L}{S_L}-\frac RS=\frac{R_L-R}{S_L}+R\,(\frac1{S_L}-\frac1S)$ of one
    coordinate; `factor` multiplies its last term.
    """
    R_L, R = sp.symbols("R_L R", real=True)
    S_L, S = sp.symbols("S_L S", positive=True)
    coordinate = identity(R_L / S_L - R / S, (R_L - R) / S_L + sp.Rational(factor) * R * (1 / S_L - 1 / S))
    return derivation("BB:LC.1.13-14", coordinate, factor=factor)


@claim("BB:LC.1.am/choice", control=dict(c=3))
def alpha_minus_makes_the_tail_delta(*, c: int = 2) -> Evidence:
    r"""With $\alpha_-=e^{\sigma^2\|Uz\|^2}\sqrt{2\ln(1/\delta)/L}$ the Chung-Lu bound
    $\exp(-\frac12\alpha_-^2Le^{-2\sigma^2\|Uz\|^2})$ is $\delta$.
    """
    with sp.evaluate(False):  # so that the engine computes the bound, and not SymPy before it
        bound = exp(-(alpha_minus(L, a2, delta) ** 2) * L * exp(-2 * a2) / c)
    return identity(bound, delta)


@claim("BB:LC.1.inv", control=(dict(c=Fraction(99, 100)), dict(share=Fraction(2, 5))))
def distance_of_the_inverses(*, c: int | Fraction = 1, share: int | Fraction = 1) -> Evidence:
    r"""On the event $(1-\alpha_-)S\leq S_L\leq(1+\alpha_+)S$ with $\alpha_-<1$ both printed bounds
    of $1/S_L$ and both of $1/S_L-1/S$ hold, and $|\frac1{S_L}-\frac1S|\leq
    c\max(\alpha_+,\frac{\alpha_-}{1-\alpha_-})\frac1S$ with `c` = 1. The event, and so the last
    inequality, has at least the probability $1-2\delta$. All of this is derived.

    A factor c other than 1 stands in front of each bound, and `share` multiplies $2\delta$. The
    second route are the inequalities for $y=S_L/S$. The event fails where $S_L<(1-\alpha_-)S$, and
    even $\mathbb{P}(S_L\leq(1-\alpha_-)S)$ is compared with $2\delta$ on the worst laws, at the
    $\delta$ of each $\alpha_-=\alpha$.
    """
    domain = {y: (0, oo), m: HALF_OPEN_UNIT_INTERVAL, p: (0, oo)}
    event = [(y, ">=", 1 - m), (y, "<=", 1 + p)]
    factor = sp.Rational(c)
    alpha, length, size = sp.Symbol("alpha", positive=True), symbol("L"), symbol("a2")
    failure = Tail(normaliser, "<=", (1 - alpha) * symbol("S"), alpha)
    tails = worst_ratio(
        failure, "<=", 2 * sp.Rational(share) * exp(-(alpha**2) * length * exp(-2 * size) / 2)
    )
    return derivation(
        "BB:LC.1.inv",
        forall(1 / (1 + p), "<=", factor / y, domain, where=event),
        forall(1 / y, "<=", factor / (1 - m), domain, where=event),
        forall(-factor * p / (1 + p), "<=", 1 / y - 1, domain, where=event),
        forall(1 / y - 1, "<=", factor * m / (1 - m), domain, where=event),
        forall(Abs(1 / y - 1), "<=", factor * Max(p, m / (1 - m)), domain, where=event),
        tails,
        tails,
        c=c,
        share=share,
    )


@claim("BB:LC.1.glue.a", sharp="factor")
def the_sum_of_weights_is_at_least_L_in_the_mean(*, factor: int | Fraction = 1) -> Evidence:
    r"""The sum of the weights has the mean $S\geq L$, by the definition of sub-Gaussian alone; the
    second route is $Le^x\geq L(1+x)$ for every score $x$.
    """
    x = sp.Symbol("x", real=True)
    tangent = forall(L * exp(x), ">=", L * (sp.Rational(factor) + x), {L: Integers(1, oo), x: (-oo, oo)})
    return derivation("BB:LC.1.glue.a", tangent, factor=factor)


@claim(
    "BB:LC.1.glue.b",
    control=(dict(three=Fraction(1, 5)), dict(one=Fraction(11, 10))),
    hypotheses=HYPOTHESES,
    reference={},
)
def gluing_the_two_terms(*, three: int | Fraction = 3, one: int | Fraction = 1) -> Evidence:
    r"""The bound $\mathbb{P}(\|R_L/S_L-R/S\|>\max(\alpha_+,\frac{\alpha_-}{1-\alpha_-})\|R/S\|
    +\frac{\beta}{1-\alpha_-})<4\delta$ is derived for every $\delta$ in $(0,1)$ with $\alpha_-<1$;
    where the cap makes $\alpha_-=1$ the bound of the error is infinite. The second route tries it
    with $\alpha_+\|R/S\|+\beta$, which is proved to be smaller, and $3.99\,\delta$.

    `three` is the number under the roots of alpha_+ and beta, and `one` the 1 of 1 - alpha_-.
    """
    r, b, gap = sp.Symbol("RS", nonnegative=True), sp.Symbol("beta", positive=True), sp.Rational(one) - m
    domain = {m: HALF_OPEN_UNIT_INTERVAL, p: (0, oo), r: Closed(0, oo), b: (0, oo)}
    larger = forall(p * r + b, "<=", Max(p, m / gap) * r + b / gap, domain)
    return derivation("BB:LC.1.glue.b", all_of(tail_beyond(1, 1, three), larger), three=three, one=one)


@claim("BB:LC.1.glue.b/weights", sharp="c")
def error_of_the_numerator_over_the_normaliser(*, c: int | Fraction = 1) -> Evidence:
    r"""If $\|R_L-R\|\leq e^{2\sigma^2\|Uz\|^2}(\mathbb{E}\|f\|^4)^{1/4}\sqrt{3L/\delta}$, then
    $\|R_L-R\|/S_L\leq c\,\beta/(1-\alpha_-)$ with `c` = 1, because $S\geq L$ and
    $S_L\geq(1-\alpha_-)S$.
    """
    K = sp.Symbol("K", nonnegative=True)  # f may be 0
    with sp.evaluate(False):  # so that the engine divides, and not SymPy before it
        quotient = exp(2 * a2) * sqrt(K) * sqrt(3 * L / delta) / (L * k * y)
    domain = {**PROMPT_DOMAIN, K: Closed(0, oo), k: Closed(1, oo), y: (0, oo), m: HALF_OPEN_UNIT_INTERVAL}
    right = sp.Rational(c) * beta(L, a2, delta, K) / (1 - m)
    return forall(quotient, "<=", right, domain, where=[(y, ">=", 1 - m)])


@claim("BB:LC.1.dmin", control=dict(c=9))
def alpha_minus_below_a_half(*, c: int | Fraction = 8) -> Evidence:
    r"""Both directions of $\alpha_-\leq\frac12\Leftrightarrow\delta\geq\delta_{\min}$ are derived,
    with `c` = 8 in $\delta_{\min}$. The second route is the identity
    $\alpha_-^2-\frac14=\frac2Le^{2\sigma^2\|Uz\|^2}(\ln\frac1\delta-\ln\frac1{\delta_{\min}})$.
    """
    difference = log(1 / delta) - log(1 / delta_min(L, a2, c))
    search = identity(alpha_minus(L, a2, delta) ** 2 - sp.Rational(1, 4), 2 * exp(2 * a2) / L * difference)
    return derivation("BB:LC.1.dmin", search, search, c=c)


@claim(
    "BB:LC.1.half",
    control=(dict(three=Fraction(1, 17)), dict(c=Fraction(19, 10))),
    hypotheses=HYPOTHESES,
    reference={},
)
def the_inverse_is_at_most_two(*, three: int | Fraction = 3, c: int | Fraction = 2) -> Evidence:
    r"""For $\delta\geq\delta_{\min}$, $\frac1{1-\alpha_-}\leq c$ with `c` = 2, and
    $\mathbb{P}(\|R_L/S_L-R/S\|>\max(\alpha_+,c\alpha_-)\|R/S\|+c\beta)<4\delta$. Both are derived;
    the second route tries the latter with $\alpha_+$ for the maximum, as in BB:LC.1.a2a, for every
    $\delta$ in $(0,1)$, and with $3.99\,\delta$ on the right.

    `three` is the number under the roots of alpha_+ and beta.
    """
    inverse = forall(1 / (1 - m), "<=", c, {m: Closed(0, sp.Rational(1, 2))})
    return derivation("BB:LC.1.half", inverse, tail_beyond(1, c, three), three=three, c=c)


@claim("BB:LC.1.a2a", control=dict(c=Fraction(29, 10)), reference={})
def alpha_plus_is_twice_alpha_minus(*, c: int | Fraction = 3) -> Evidence:
    r"""Both $\alpha_+\geq2\alpha_-$ and
    $\max(\alpha_+,2\alpha_-)\|R/S\|+2\beta\leq\alpha_+\|R/S\|+2\beta$ are proved with the printed
    `c` = 3 under the root of $\alpha_+$. They hold from $c=8/e$ on.

    Here alpha_- is not capped at 1: the row speaks of delta >= delta_min, for which it is at most
    1/2, and a cap would only make it smaller.
    """
    r, K = sp.symbols("RS K", nonnegative=True)  # f may be 0
    plus, twice = alpha_plus(L, a2, delta, c=c), 2 * alpha_minus(L, a2, delta)
    rest, of_f = 2 * beta(L, a2, delta, K), {r: Closed(0, oo), K: Closed(0, oo)}
    larger = forall(plus, ">=", twice, PROMPT_DOMAIN)
    return all_of(
        larger, forall(Max(plus, twice) * r + rest, "<=", r * plus + rest, {**PROMPT_DOMAIN, **of_f})
    )


@claim("BB:LC.1.fin", control=dict(three=Fraction(1, 37)), hypotheses=HYPOTHESES, reference={})
def both_lines_of_the_last_display(*, three: int | Fraction = 3) -> Evidence:
    r"""For $\delta\geq\delta_{\min}$ the error $\|R_L/S_L-R/S\|$ exceeds either line of the last
    display with probability less than $4\delta$. This is derived, and tried for every $\delta$ in
    $(0,1)$ with $3.99\,\delta$; `three` is the number under the roots.
    """
    second, fourth = symbol("F2"), symbol("F4")
    tails = tail_beyond(0, sqrt(second / fourth) + 2, three), tail_beyond(0, 3, three)
    return derivation("BB:LC.1.fin", *tails, three=three)


@claim("BB:LC.1.fin/sum", control=(dict(c=Fraction(29, 10)), dict(c=Fraction(31, 10))), reference=dict(F=1))
def the_sum_and_its_square(*, c: int | Fraction = 3) -> Evidence:
    r"""The sum of both terms is at most
    $c\,e^{2\sigma^2\|Uz\|^2}(\mathbb{E}\|f\|^4)^{1/4}\sqrt{3/(\delta L)}$ with `c` = 3, and the
    square of that is at most the bound of the lemma, with the $27$. Jensen's inequality for the
    moments of $f$ is derived with it, and a premise of the second route.
    """
    F2 = sp.Symbol("F2", nonnegative=True)  # sqrt(E|f|^2)
    F = sp.Symbol("F", positive=True)  # (E|f|^4)^{1/4}
    common = exp(2 * a2) * sqrt(3 / (delta * L))
    domain = {F2: Closed(0, oo), F: (0, oo), **PROMPT_DOMAIN}
    total = forall(common * (F2 + 2 * F), "<=", c * common * F, domain, where=[(F2, "<=", F)])
    with sp.evaluate(False):  # so that the engine squares, and not SymPy before it
        square = (c * exp(2 * a2) * F * sqrt(3 / (delta * L))) ** 2
    lemma = 27 * beta(L, a2, delta, F**2, c=1) ** 2
    second = forall(square, "<=", lemma, {F: (0, oo), **PROMPT_DOMAIN})
    return derivation("BB:LC.1.fin/sum", total, second, c=c)
