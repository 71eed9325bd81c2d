"""The concentration of prompts, eq. (9) of Li, Duan & Liang, and the balance that is inferred from
it (Section 4 and Appendix D.1).
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import sympy as sp
from sympy import exp, oo

from numerics.evidence import Evidence, Verdict, all_of, confirmed
from numerics.provers import Integers, forall
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging
from proofs_check.instances.class_counts import all_within, balanced
from proofs_check.li_duan_liang.setting.witnessed import along

n = Diverging.n
K, x = sp.Symbol("K", integer=True, positive=True), sp.Symbol("x", positive=True)
#: Classes and tokens at which the probability of (9) is computed exactly, delta at its floor.
SIZES = ((2, 41), (2, 200), (3, 61), (3, 200), (4, 100), (5, 150), (6, 130), (6, 200))
#: The number of tokens from which on K classes are balanced with probability 99/100.
LEAST = {2: 26, 3: 68, 4: 110, 5: 157}
HYPOTHESES = ("K in Integers", "K >= 2", "N >= K**3", "delta**2*N >= 20*K", "0 < delta < 1")


def floor_of_delta(K: int, N: int) -> Fraction:
    """Return the root of 20 K/N, rounded up to six digits."""
    return Fraction(isqrt(20 * K * 10**12 // N) + 1, 10**6)


def exactly(c: Fraction) -> Evidence:
    """Compare the exact probability of (9) with its bound for equally and unequally likely classes,
    with delta at its floor.
    """
    for K, N in SIZES:
        for p in ([Fraction(1, K)] * K, [Fraction(1, 2 * K)] + [Fraction(2 * K - 1, 2 * K * (K - 1))] * (K - 1)):
            delta = floor_of_delta(K, N)
            missed, bound = 1 - all_within(p, N, delta), 3 * exp(-(delta**2) * N / c)
            if missed > bound:
                witness = {"K": K, "N": N, "delta": delta, "missed": missed, "bound": float(bound)}
                return Evidence(verdict=Verdict.REFUTED, engine="enumeration", witness=witness, witness_by="exact")
    covered = f"exact multinomial probabilities at (K, N) = {', '.join(map(str, SIZES))}, delta at its floor, two laws each"
    return Evidence(verdict=Verdict.SUPPORTED, engine="enumeration", covered=covered)


@claim(
    "LDL:eq9",
    control=dict(c=Fraction(1, 2)),
    needs=("LDL:3.1.pk",),
    cites=("Hoeffding 1963, Theorem 1",),
    argument=r"By Hoeffding's inequality each share leaves $p_k\pm\delta$ with probability at most $2e^{-2x}$, $x=\delta^2N$, and "
    r"(9) fails with at most $K$ times that; $\delta\geq\sqrt{20K/N}$ says that $x\geq20K$.",
    hypotheses=("K >= 2", "x >= 20*K"),
)
def concentration_of_the_shares(*, c: int | Fraction = 25) -> Evidence:
    r"""For $x=\delta^2N\geq20K$ the sum of the tails, $2Ke^{-2x}$, is at most $3e^{-x/c}$ with
    `c` = 25. The lemma that the constants are from is about the sum of the deviations, which
    exceeds their maximum.

    The sizes N and K^3, and epsilon, play no part. With delta < 1 it takes N > 20 K, and delta
    exceeds every p_k = 1/K unless N >= 20 K^3: then (9) bounds no class from below. The second
    route are exact probabilities.
    """
    proof = forall(2 * K * exp(-2 * x), "<=", 3 * exp(-x / c), {K: Integers(2, oo), x: (0, oo)}, where=[(x, ">=", 20 * K)])
    return confirmed(proof, exactly(Fraction(c))) if proof.verdict.accepted else proof


@claim("LDL:eq9/vacuous", control=dict(edge=21), needs=("LDL:eq9",))
def nothing_is_said_from_below(*, edge: int = 20) -> Evidence:
    r"""At $p_k=1/K$ and $N\leq\mathrm{edge}\,K^3$ with `edge` = 20 every admitted
    $\delta\geq\sqrt{20K/N}$ is at least $p_k$: a prompt of $\mathcal{E}^*$ may lack a class.
    """
    N = sp.Symbol("N", positive=True)
    return forall(1 / K, "<=", sp.sqrt(20 * K / N), {K: Integers(2, oo), N: (0, oo)}, where=[(N, "<=", edge * K**3)])


LARGE_DELTA = Diverging(
    point={"C": Fraction(21)},
    hypotheses=HYPOTHESES,
    sequence=lambda k, C: {"K": k + 1, "N": C * (k + 1) ** 3, "delta": 1 / sp.sqrt(k + 1)},
    ratio=lambda K, N, delta: K * (1 / K + delta),  # U_k
    exceeds=sp.sqrt(n),
)


@claim(
    "LDL:eq9-u",
    false="gap",
    why=r"(9) allows every $\delta\geq\sqrt{20K/N}$, and $\delta$ of a larger order than $1/K$ makes $u_k$ negative and $U_k$ "
    r"unbounded: at $p_k=1/K$, $\delta=1/\sqrt{K}$ they are $1\mp\sqrt{K}$.",
    details=r"Even at the floor, with $N=CK^3$, $u_k=1-\sqrt{20/C}$ is negative for $C<20$: $\delta$ exceeds $p_k$, and (9) says "
    r"nothing about the least share. The proofs take $\delta=o(1)$ and let $\delta$ be of any such order.",
    instead=r"With $c_1/K\leq p_k\leq c_2/K$ and $\delta\leq c_1/(2K)$, which takes $N\geq80K^3/c_1^2$, $u_k\geq c_1/2$ and "
    r"$U_k\leq c_2+c_1/2$. Then $\delta K$ is a constant, and all orders in $\delta$ are orders in $1/K$.",
    costs="a hypothesis",
    repair=dict(share=Fraction(1, 2)),
    control=(dict(least=Fraction(3, 5)), dict(most=Fraction(2, 5))),
    needs=("LDL:eq9", "LDL:3.1.pk"),
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
    control=dict(C=12),
    needs=("LDL:3.1.pk",),
    cites=("Chernoff's bound for binomial laws, multiplicative form",),
    argument=r"Each $|\mathcal{V}_k|$ is binomial with mean $Np_k\geq\frac12CK^2$ and leaves half to three halves of it with "
    r"probability at most $2e^{-Np_k/12}$; the sum over $K$ classes is what is bounded.",
    hypotheses=("K >= 2",),
)
def prompts_are_balanced(*, C: int = 24) -> Evidence:
    r"""For $p_k\geq\frac1{2K}$ and $N\geq CK^3$ with `C` = 24 the probability that some class has
    less than half or more than three halves of its mean is at most $2Ke^{-CK^2/24}\leq1/K$, which
    tends to 0 with $K$, as it does for every $C$.

    This uses Chernoff's bound, and not (9).
    """
    return forall(2 * K * exp(-C * K**2 / 24), "<=", 1 / K, {K: Integers(2, oo)})


@claim(
    "LDL:eq9.bal/inference",
    false="gap",
    follows="LDL:eq9-u",
    why=r"(9) leaves the shares in $p_k\pm\delta$, and where $\delta$ exceeds $p_k$, as it may, a class may be empty.",
    instead=r"The balance follows from Chernoff's bound, for $N\geq CK\log K$ already; from (9) where $\delta\leq p_k/2$.",
    costs="nothing",
    needs=("LDL:eq9", "LDL:eq9-u"),
    hypotheses=HYPOTHESES,
)
def balance_does_not_follow() -> Evidence:
    r"""With $\delta=1/\sqrt{K}$ and $N=21K^3$ a prompt in which one class has the share
    $p_k+\delta$ lies in $\mathcal{E}^*$, and its share is not $\mathcal{O}(1/K)$.
    """
    return along(LARGE_DELTA)


@claim("LDL:eq9.bal/least", control=dict(level=Fraction(199, 200)))
def least_lengths(*, level: Fraction = Fraction(99, 100)) -> Evidence:
    r"""For equally likely classes the least $N$ that leaves $|\mathcal{V}_k|$ in
    $[\frac{N}{2K},\frac{3N}{2K}]$ for all $k$ with probability `level` = 99/100, from there to
    $N=200$, is 26, 68, 110 and 157 for $K=2,3,4,5$, by exact multinomial probabilities.
    """
    parts = []
    for classes, least in LEAST.items():
        worst = min(balanced(classes, N) for N in range(least, 201))
        parts += [forall(worst, ">=", level, {}), forall(balanced(classes, least - 1), "<", level, {})]
    checked = r"\mathbb P(|\mathcal V_k|\in[N/2K,3N/2K]\ \forall k)\ge 99/100\text{ from the least }N\text{ on}"
    return all_of(*(part.replace(checked=checked) for part in parts), checked=checked)
