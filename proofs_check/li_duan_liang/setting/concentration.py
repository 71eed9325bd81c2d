"""The concentration of prompts, eq. (9) of Li, Duan & Liang, and the balance that is inferred from
it (Section 4 and Appendix D.1).
"""

from __future__ import annotations

import math
from fractions import Fraction

import sympy as sp
from sympy import exp, log, oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, forall
from numerics.provers.remembered import cached
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging
from proofs_check.core.witnessed import along
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.features.class_counts import all_within, balanced, within
from proofs_check.instances.outcomes import charge, refuted_exactly, supported

n = Diverging.n
K = sp.Symbol("K", integer=True, positive=True)
x = sp.Symbol("x", positive=True)
#: Classes and tokens at which the probability of (9) is computed exactly.
SIZES = [(classes, tokens) for classes in range(2, 7) for tokens in (50, 100, 150, 200)]
#: By the number of classes, the number of tokens from which on they are balanced with probability
#: 99/100, and with probability 1 - 1/K.
LEAST = {2: 26, 3: 68, 4: 110, 5: 157, 6: 200}
LIKELY = {3: 16, 4: 38, 5: 64, 6: 92, 7: 131}
HYPOTHESES = ("K in Integers", "K >= 2", "N >= K**3", "delta**2*N >= 20*K", "0 < delta < 1")


def tails(mean: sp.Expr, twelve: int | Fraction = 12) -> sp.Expr:
    """Chernoff's bound, summed over K binomial counts, for less than half or more than three halves
    of their mean.
    """
    return 2 * K * exp(-mean / sp.Rational(twelve))


def laws(K: int) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """Equal probabilities, and others of which the first is 1/(2K)."""
    return (Fraction(1, K),) * K, (Fraction(1, 2 * K),) + (Fraction(2 * K - 1, 2 * K * (K - 1)),) * (K - 1)


@cached
def chernoff(twelve: int | Fraction) -> Evidence:
    """The exact probability that some class is unbalanced beside Chernoff's bound, at sizes at
    which the rate of the bound is within a factor 2 of the true one.
    """
    for classes, N in (*SIZES, (5, 1000)):
        for p in laws(classes):
            missed = 1 - within(p, N, [(share * N / 2, 3 * share * N / 2) for share in p])
            most = tails(sp.Rational(min(p)) * N, twelve).subs(K, classes)
            if missed > most:
                witness = {
                    "K": classes,
                    "N": N,
                    "c_1": classes * min(p),
                    "missed": missed,
                    "bound": float(most),
                }
                return refuted_exactly(witness, "enumeration")
    covered = (
        "exact multinomial probabilities at K = 2..6, N = 50, 100, 150, 200, and K = 5, N = 1000, "
        "two laws each"
    )
    return supported("enumeration", covered)


def floor_of_delta(K: int, N: int, floor: int | Fraction = 20) -> Fraction:
    """The root of 20 K/N, rounded up to six digits; `floor` stands for the 20."""
    return Fraction(math.isqrt(math.floor(floor * K * 10**12 / Fraction(N))) + 1, 10**6)


def exactly(times: tuple[Fraction, ...], bound: sp.Expr, floor: int | Fraction = 20) -> Evidence:
    """The exact probability that (9) fails beside a bound in x, for equally and unequally likely
    classes, at multiples of the least admitted delta.
    """
    points = [(K, N, r * floor_of_delta(K, N, floor)) for K, N in SIZES for r in times]
    for K, N, delta in points:
        for p in laws(K):
            missed, most = 1 - all_within(p, N, delta), bound.subs(x, delta**2 * N)
            if missed > most:
                witness = {"K": K, "N": N, "delta": delta, "missed": missed, "bound": float(most)}
                return refuted_exactly(witness, "enumeration")
    said = f"delta = {', '.join(map(str, times))} times its floor (where it is below 1)"
    covered = f"exact multinomial probabilities at K = 2..6, N = 50, 100, 150, 200, {said}, two laws each"
    return supported("enumeration", covered)


@claim("LDL:eq9", control=dict(c=Fraction(1, 3)), hypotheses=HYPOTHESES)
def concentration_of_the_shares(*, c: int | Fraction = 25, three: int = 3, floor: int = 20) -> Evidence:
    r"""For $\delta\geq\sqrt{\mathrm{floor}\cdot K/N}$ with `floor` = 20 some class leaves the
    shares $p_k\pm\delta$ with probability at most $3e^{-x/c}$, where `c` = 25, $x=\delta^2N$, and
    `three` stands for the 3. It is derived for independent tokens, and exact probabilities at
    multiples of the floor are tried.

    The sizes N and K^3, and epsilon, play no part, nor does the floor (see eq9/floor). With delta <
    1 it takes N > 20 K, and delta exceeds every p_k = 1/K unless N >= 20 K^3: then (9) bounds no
    class from below.
    """
    tried = exactly((Fraction(1), Fraction(5, 4)), three * exp(-x / c), floor)
    return derivation("LDL:eq9", tried, c=c, three=three, floor=floor)


@claim("LDL:eq9/floor", control=dict(c=Fraction(1, 3)), hypotheses=("K in Integers", "K >= 2", "delta > 0"))
def floor_of_delta_is_not_needed(*, c: int | Fraction = 25, three: int = 3) -> Evidence:
    r"""The bound of (9) holds below the floor as well, for every $\delta>0$, $N$, $K$ and $p$: some
    class leaves the shares with probability at most $3e^{-x/c}$, $x=\delta^2N$, with `c` = 25 and
    `three` for the 3. It is derived with the sum over the classes of
    $\cosh(\delta(|\mathcal{V}_k|-Np_k))-1$, whose mean no number of classes enters. A $\delta$
    below $\sqrt{20K/N}$, such as $p_k/2$ at $N<80K^3$, is as good as one above.
    """
    tried = exactly((Fraction(1, 8), Fraction(1, 4), Fraction(1, 2)), three * exp(-x / c))
    return derivation("LDL:eq9/floor", tried, c=c, three=three)


@claim("LDL:eq9/vacuous", control=(dict(edge=21), dict(certain=21)), needs=("LDL:eq9",))
def nothing_is_said_from_below(*, edge: int = 20, certain: int = 20) -> Evidence:
    r"""At $p_k=1/K$ and $N\leq\mathrm{edge}\,K^3$ with `edge` = 20 every admitted
    $\delta\geq\sqrt{20K/N}$ is at least $p_k$: a prompt of $\mathcal{E}^*$ may lack a class. At
    $N\leq\mathrm{certain}\,K^3/(K-1)^2$ with `certain` = 20 it is at least $1-p_k$, and every
    prompt is in $\mathcal{E}^*$.

    For K = 2, ..., 6 the first is up to 160, 540, 1280, 2500 and 4320 tokens, the second up to 160,
    135, 142, 156 and 172.
    """
    N = sp.Symbol("N", positive=True)
    domain = {K: Integers(2, oo), N: (0, oo)}
    lacking = forall(1 / K, "<=", sp.sqrt(20 * K / N), domain, where=[(N, "<=", edge * K**3)])
    return all_of(
        lacking,
        forall(N * (1 - 1 / K) ** 2, "<=", 20 * K, domain, where=[(N, "<=", certain * K**3 / (K - 1) ** 2)]),
    )


LARGE_DELTA = Diverging(
    point={"C": Fraction(21)},
    hypotheses=HYPOTHESES,
    sequence=lambda k, C: {"K": k + 1, "N": C * (k + 1) ** 3, "delta": 1 / sp.sqrt(k + 1)},
    ratio=lambda K, N, delta: K * (1 / K + delta),  # U_k
    exceeds=sp.sqrt(n),
)


@claim(
    "LDL:eq9-u",
    **charge(false="gap", costs="a hypothesis"),
    repair=dict(share=Fraction(1, 2)),
    control=(dict(least=Fraction(3, 5)), dict(most=Fraction(2, 5))),
    needs=("LDL:eq9",),
    hypotheses=HYPOTHESES,
)
def constants_of_the_concentration(
    *, share: Fraction | None = None, least: Fraction = Fraction(1, 2), most: Fraction = Fraction(1, 2)
) -> Evidence:
    r"""Printed, $\delta=1/\sqrt{K}$ and $N=21K^3$ defeat every constant in $U_k=\mathcal{O}(1)$,
    and $u_k<0$. With $\delta$ at most `share` = 1/2 times $c_1/K$, $u_k$ is at least `least` = 1/2
    times $c_1$, and $U_k\leq c_2+\mathrm{most}\cdot c_1$ with `most` = 1/2.
    """
    if share is None:
        return along(LARGE_DELTA)
    p, delta, c_1, c_2 = sp.symbols("p_k delta c_1 c_2", positive=True)
    given = [(p, ">=", c_1 / K), (p, "<=", c_2 / K), (delta, "<=", share * c_1 / K), (c_1, "<=", c_2)]
    domain = {K: Integers(2, oo), p: (0, 1), delta: (0, 1), c_1: (0, 1), c_2: (0, oo)}
    below = forall(K * (p - delta), ">=", least * c_1, domain, where=given)
    return all_of(below, forall(K * (p + delta), "<=", c_2 + most * c_1, domain, where=given))


@claim(
    "LDL:eq9.bal",
    control=(dict(twelve=6), dict(nine=8)),
    hypotheses=("K in Integers", "K >= 2"),
)
def prompts_are_balanced(*, twelve: int = 12, nine: int = 9) -> Evidence:
    r"""For $p_k\geq\frac{c_1}K$ and $N\geq CK^3$ the probability that some class has less than half
    or more than three halves of its mean is at most $2Ke^{-c_1CK^2/12}\leq\frac9{c_1CK}$, whatever
    the constants $c_1$ and $C$ are, so that it tends to 0 with $K$. Here `twelve` and `nine` stand
    for the 12 and the 9.

    The first bound is derived by Chernoff's method, and not from (9); exact probabilities are
    tried.
    """
    z = sp.Symbol("z", positive=True)  # c_1 C
    found = derivation("LDL:eq9.bal", chernoff(twelve), twelve=twelve)
    return all_of(
        found, forall(tails(z * K**2, twelve), "<=", nine / (z * K), {K: Integers(2, oo), z: (0, oo)})
    )


@claim(
    "LDL:eq9.bal/inference",
    **charge(false="gap", follows="LDL:eq9-u", costs="nothing"),
    repair=dict(share=Fraction(1, 2)),
    control=(dict(least=Fraction(3, 5)), dict(most=Fraction(7, 5)), dict(times=20)),
    needs=("LDL:eq9", "LDL:eq9-u", "LDL:eq9.bal/log"),
    hypotheses=HYPOTHESES,
)
def balance_does_not_follow(
    *,
    share: Fraction | None = None,
    least: Fraction = Fraction(1, 2),
    most: Fraction = Fraction(3, 2),
    times: int = 24,
) -> Evidence:
    r"""With $\delta=1/\sqrt{K}$ and $N=21K^3$ a prompt in which one class has the share
    $p_k+\delta$ lies in $\mathcal{E}^*$, and its share is not $\mathcal{O}(1/K)$. Repaired, with
    $\delta$ at most `share` = 1/2 times $p_k$, the shares are between `least` = 1/2 and `most` =
    3/2 times $p_k$; and Chernoff's bound is at most $\frac1{2K}$ at $N=24K\log(2K)$, with `times`
    for the 24.
    """
    if share is None:
        return along(LARGE_DELTA)
    p, delta, more = sp.symbols("p_k delta m", positive=True)
    box, given = {p: (0, 1), delta: (0, 1)}, [(delta, "<=", share * p)]
    likely = forall(tails(times * log(2 * K) + more), "<=", 1 / (2 * K), {K: Integers(2, oo), more: (0, oo)})
    return all_of(
        forall(p - delta, ">=", least * p, box, where=given),
        forall(p + delta, "<=", most * p, box, where=given),
        likely,
    )


@claim(
    "LDL:eq9.bal/log",
    control=(dict(twelve=6), dict(few=Fraction(3, 2))),
    cites=("Joag-Dev and Proschan 1983: multinomial counts are negatively associated",),
    hypotheses=("K in Integers", "K >= 2"),
)
def order_of_the_least_length(*, twelve: int = 12, few: Fraction = Fraction(3, 4)) -> Evidence:
    r"""From $N=CK\log(2K)$ on some of equally likely classes is unbalanced with probability at most
    $2K(2K)^{-C/12}$, such as $\frac1{2K}$ at $C=24$, where `twelve` stands for the 12: this is
    derived for every $C$, and for $c_1C$ in the place of $C$ where $p_k\geq\frac{c_1}K$. Up to
    $N=\mathrm{few}\cdot K\log K$, with `few` = 3/4, one of equally likely classes is empty with
    probability at least 1/2. The order of the least $N$ is $K\log K$, and not $K^3$.
    """
    above = derivation("LDL:eq9.bal/log", chernoff(twelve), twelve=twelve)
    return all_of(above, forall(K * exp(-few * K * log(K) / (K - 1)), ">=", log(2), {K: Integers(2, oo)}))


@claim(
    "LDL:eq9.bal/least",
    control=(dict(level=Fraction(199, 200)), dict(missed=Fraction(1, 2)), dict(times=80), dict(twelve=6)),
)
def least_lengths(
    *, level: Fraction = Fraction(99, 100), missed: int | Fraction = 1, times: int = 75, twelve: int = 12
) -> Evidence:
    r"""The least $N$ from which on equally likely classes have $|\mathcal{V}_k|$ in
    $[\frac{N}{2K},\frac{3N}{2K}]$ for all $k$ with probability `level` = 99/100 is 26, 68, 110, 157
    and 200 for $K=2,\dots,6$, by exact multinomial probabilities. With probability
    $1-\mathrm{missed}/K$, `missed` = 1, it is 16, 38, 64, 92 and 131 for $K=3,\dots,7$, and at most
    $K^3$ for all $K\geq3$.

    Every N is computed up to where Chernoff's bound 2K exp(-N/(12K)) is below what may be missed,
    and stays there; it is derived for every N, and `twelve` stands for the 12. With the widest
    delta that gives this balance, 1/(2K), the bound of (9) reaches 99/100 only at more than `times`
    = 75 times as many tokens, and the floor of delta allows it from 80 K^3 on.
    """
    wanted = [(classes, least, level) for classes, least in LEAST.items()]
    wanted += [(classes, least, 1 - Fraction(missed) / classes) for classes, least in LIKELY.items()]
    tokens = sp.Symbol("N", positive=True)
    bound = lambda mean: tails(mean, twelve)
    parts = [derivation("LDL:eq9.bal/least", chernoff(twelve), twelve=twelve)]
    domain = {K: Integers(8, oo), tokens: (0, oo)}
    parts.append(forall(bound(tokens / K), "<=", missed / K, domain, where=[(tokens, ">=", K**3)]))
    parts += [forall(least, "<=", classes**3, {}) for classes, least in LIKELY.items()]
    for classes, least, often in wanted:
        last = math.ceil(twelve * classes * math.log(2 * classes / (1 - often)))
        worst = min(balanced(classes, N) for N in range(least, last + 1))
        parts += [forall(worst, ">=", often, {}), forall(balanced(classes, least - 1), "<", often, {})]
        parts.append(
            forall(bound(tokens / classes).subs(K, classes), "<=", 1 - often, {tokens: Closed(last, oo)})
        )
    for classes, least in LEAST.items():  # what (9) leaves open at delta = 1/(2K)
        parts.append(forall(3 * exp(-sp.Rational(times * least, 100 * classes**2)), ">", 1 - level, {}))
    checked = (
        r"\mathbb P(|\mathcal V_k|\in[N/2K,3N/2K]\ \forall k)\ge 99/100,\ 1-1/K\text{ from the least "
        r"}N\text{ on}"
    )
    return all_of(*(part.replace(checked=checked) for part in parts), checked=checked)
