"""Lemma E.2 of Boursier & Boyer, its proof step by step; each inequality is derived, or proved or
refuted over its whole domain. A = |a|, B = |b|, Y = |y| and P = a.b stand for vectors of every
dimension.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import Max, Rational, oo, sqrt

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import refuted_exactly

A, B, Y, x, t, m = sp.symbols("A B Y x t m", nonnegative=True)
a, b, y, P = sp.symbols("a b y P", real=True)
w = sp.Symbol("w", positive=True)
HALF_LINE, REALS = Closed(0, oo), (-oo, oo)


@claim("BB:LE.2.smooth", control=({"factor": Fraction(99, 100)}, {"smooth": "in the output alone"}))
def smooth_loss_on_a_segment(*, factor: int | Fraction = 1, smooth: str = "jointly") -> Evidence:
    r"""Along the segment from $b$ to $a$ the slope $\nabla_1\ell(c,y)^\top(a-b)$ of the loss is at
    most $\|(c,y)\|\|a-b\|$ by joint 1-smoothness and $\nabla_1\ell(0,0)=0$. From this the
    inequality is derived on average over the outcomes, each of which has a segment of its own, at
    every time $t\leq1$; take $t=1$ for the end. So is $|\mathbb{E}X|\leq\mathbb{E}|X|$ for the
    difference $X$ of the losses. In the formulas below $\mu$ is a whole outcome: task, prompt,
    query and label. A second route is that on the segment $c=sa+(1-s)b$ the square
    $\|c\|^2=sA^2+(1-s)B^2-s(1-s)\|a-b\|^2$ is at most $\max(A,B)^2$ for $A=\|a\|$ and $B=\|b\|$.
    Here `factor` multiplies the squares of the right sides; `smooth` in the output alone drops the
    hypothesis on the label, and $\ell=10\,\hat z_{d+1}y$ breaks the inequality.
    """
    if smooth != "jointly":
        slope, reals = 10 * y, dict.fromkeys((a, b, y), REALS)
        return forall((slope * (a - b)) ** 2, "<=", (Max(a**2, b**2) + y**2) * (a - b) ** 2, reals)
    s = sp.Symbol("s", nonnegative=True)
    square = s**2 * A**2 + 2 * s * (1 - s) * P + (1 - s) ** 2 * B**2
    convex = s * A**2 + (1 - s) * B**2
    segment = identity(square, convex - s * (1 - s) * (A**2 - 2 * P + B**2))
    larger, smaller = sp.symbols("A2 B2", nonnegative=True)  # the squares of A and B
    domain = {s: Closed(0, 1), larger: HALF_LINE, smaller: HALF_LINE}
    mean = s * larger + (1 - s) * smaller
    largest = forall(mean, "<=", Rational(factor) * larger, domain, where=[(smaller, "<=", larger)])
    search = all_of(segment, largest).replace(
        assumes=("|a - b|^2 >= 0", "B <= A, otherwise exchange a and b")
    )
    return derivation("BB:LE.2.smooth", search, search, factor=factor)


@claim(
    "BB:4.loss/segment",
    false="gap",
    follows="BB:4.loss",
    costs="constants",
    repair={"square": 2},
    control={"square": Fraction(3, 2)},
    hypotheses=("a in Reals", "b in Reals", "y in Reals"),
)
def squared_loss_on_a_segment(*, square: int | Fraction = 1) -> Evidence:
    r"""For the squared loss, $|a+b-2y|\leq2\max(\|(a,y)\|,\|(b,y)\|)$, as printed, is refuted;
    repaired, the right side carries $\sqrt2$, and the difference of the losses is derived to be at
    most $\sqrt2\,\max(\|(a,y)\|,\|(b,y)\|)\,\|a-b\|$. A second route are
    $(a+b-2y)^2\leq4(a^2+b^2+2y^2)$ and, where $|b|\leq|a|$, $a^2+b^2+2y^2\leq2(a^2+y^2)$, whose
    factor 2 is `square`.
    """
    reals, smaller = dict.fromkeys((a, b, y), REALS), [(b**2, "<=", a**2)]
    if square == 1:
        return forall((a + b - 2 * y) ** 2, "<=", 4 * (a**2 + y**2), reals, where=smaller)
    squares = (a - b) ** 2 + 2 * (a + y) ** 2 + 2 * (b + y) ** 2
    mean = identity(4 * (a**2 + b**2 + 2 * y**2) - (a + b - 2 * y) ** 2, squares)
    larger = forall(a**2 + b**2 + 2 * y**2, "<=", Rational(square) * (a**2 + y**2), reals, where=smaller)
    return derivation("BB:4.loss/segment", all_of(mean, larger), square=square)


@claim(
    "BB:LE.2.prod",
    false="gap",
    follows="BB:LE.2",
    costs="constants",
    repair={"join": "sum"},
    control={"share": Fraction(9, 10)},
    hypotheses=("A >= 0", "B >= 0", "Y >= 0", "D >= 0", "D <= A + B", "A <= B + D", "B <= A + D"),
)
def maximum_against_product(*, join: str = "product", share: Fraction = Fraction(1)) -> Evidence:
    r"""Printed is $\max(\|(a,y)\|,\|(b,y)\|)\,\|a-b\|\leq\|y\|(\|a\|+\|b\|)\,\|a-b\|$, which is
    refuted; repaired, the sum $\|y\|+\|a\|+\|b\|$ stands in place of the product, which is derived
    on average, with the Cauchy-Schwarz inequality that follows it; `share` multiplies the sum.
    """
    D = sp.Symbol("D", positive=True)
    right = Y * (A + B) if join == "product" else Rational(share) * (Y + A + B)
    left = Max(sqrt(A**2 + Y**2), sqrt(B**2 + Y**2))
    domain = {**dict.fromkeys((A, B, Y), HALF_LINE), D: (0, oo)}
    triangle = [(D, "<=", A + B), (A, "<=", B + D), (B, "<=", A + D)]
    pointwise = forall(left * D, "<=", right * D, domain, where=triangle)
    if join == "product":
        return pointwise
    return derivation("BB:LE.2.prod", pointwise, young(share), share=share)


@claim("BB:LE.2.prod/holder", control={"power": 3})
def cauchy_schwarz_twice(*, power: int = 4) -> Evidence:
    r"""Hölder's inequality with $\frac14+\frac14+\frac12=1$ for $Y=\|y\|$, $s=\|a\|+\|b\|$ and
    $D=\|a-b\|$ is derived from the Cauchy-Schwarz inequality, applied twice. For numbers it is
    $\frac14Y^4+\frac14s^4+\frac12D^2-YsD=\frac12(D-Ys)^2+\frac14(Y^2-s^2)^2$, whose right side is
    not negative; `power` stands for the 4.
    """
    s, D = sp.symbols("s D", nonnegative=True)
    gap = Y**power / power + s**power / power + D**2 / 2 - Y * s * D
    search = identity(gap, (D - Y * s) ** 2 / 2 + (Y**2 - s**2) ** 2 / 4)
    return derivation("BB:LE.2.prod/holder", search, power=power)


def skewed_token(on_D: int, on_T: int) -> tuple[Fraction, Fraction]:
    """Both sides of the second line for one token x, which is 8/5 with probability 1/5 and -2/5
    with 4/5, and a query of the same law. With y = 0 the task is 1-sub-Gaussian: these atoms have
    the variance proxy 2^2 (3/5)/(2 ln 4) = 0.87. At U = -(5/4) ln(2) the weights e^{x_q U x} of the
    two atoms are in the ratio 2^-4 for x_q = 8/5 and 2 for x_q = -2/5: every quantity is rational.
    """
    law = {Fraction(8, 5): Fraction(1, 5), Fraction(-2, 5): Fraction(4, 5)}
    first, second = law
    left = right = Fraction(0)
    for (_, mass), ratio in zip(law.items(), (Fraction(1, 16), Fraction(2))):
        share = law[first] * ratio / (law[first] * ratio + law[second])
        T = share * first + (1 - share) * second
        fourth, error = (
            sum((p * (z - c) ** 4 for z, p in law.items()), Fraction(0)) for c in (Fraction(0), T)
        )
        left += mass * (8 * fourth + 8 * T**4)
        right += mass * (on_D * error + on_T * T**4)
    return left, right


@claim(
    "BB:LE.2.4",
    false="gap",
    costs="constants",
    repair={"on_D": 64, "on_T": 72},
    control=({"on_T": 71}, {"eight": Fraction(15, 2)}, {"share": Fraction(9, 10)}),
    needs=("BB:LC.9", "BB:P3.1"),
    hypotheses=("L in Integers", "L >= 1", "d in Integers", "d >= 1", "sigma_mu >= 1"),
)
def fourth_moments(
    *, on_D: int = 8, on_T: int = 16, eight: int | Fraction = 8, share: int | Fraction = 1
) -> Evidence:
    r"""Printed is $8\,\mathbb{E}\|T_L\|^4+8\,\mathbb{E}\|T\|^4\leq8\,\mathbb{E}\|T_L-T\|^4+16\,
    \mathbb{E}\|T\|^4$, which a skewed token refutes. Repaired, the constants on the right, `on_D`
    and `on_T`, are 64 and 72. All lines are derived, with Lemma C.9 and Proposition 3.1 at every
    task for what is left; `eight` stands for the 8 of the first line, and `share` multiplies the
    right side of the last display. A second route are the inequalities between numbers $t=\|T\|$,
    $x=\|T_L-T\|$ and $\|T_L\|\leq x+t$.
    """
    left, right = skewed_token(on_D, on_T)
    if left > right:
        at = {"L": 1, "d": 1, "sigma_mu": 1, "x and x_q": "8/5 or -2/5", "P(x = 8/5)": "1/5", "y": 0}
        witness = {**at, "U": "-(5/4) ln(2) e1 e1'", "last row of V": "(1, 0)"}
        return refuted_exactly({**witness, "left": left, "right": right}, "enumeration")
    numbers, r = {x: HALF_LINE, t: HALF_LINE}, sp.Symbol("r", nonnegative=True)
    power = forall((x + t) ** 4, "<=", Rational(eight) * (x**4 + t**4), numbers)
    lines = forall(8 * (x + t) ** 4 + 8 * t**4, "<=", on_D * x**4 + on_T * t**4, numbers)
    root = forall(sqrt(r), "<=", Rational(share) * sqrt(r), {r: HALF_LINE})
    return derivation("BB:LE.2.4", power, lines, lines, root, on_D=on_D, on_T=on_T, eight=eight, share=share)


@claim("BB:LE.2.4/power", sharp="k")
def fourth_power_of_a_sum(*, k: int | Fraction = 8) -> Evidence:
    r"""For all $x,t\geq0$, $(x+t)^4\leq8x^4+8t^4$; `k` stands for the 8."""
    return forall((x + t) ** 4, "<=", Rational(k) * (x**4 + t**4), {x: HALF_LINE, t: HALF_LINE})


@claim("BB:LE.2.4/root", control=({"k": Fraction(19, 10)}, {"k": Fraction(37, 20)}))
def fourth_root_of_the_sum(*, k: int | Fraction = 2) -> Evidence:
    r"""For the two moments $x^4$ and $t^4$, $8x^4+16t^4\leq(2(x+t))^4$, with the factor 2 of the
    lemma, and $64x^4+72t^4\leq(\frac32\cdot2(x+t))^4$ after the repair; `k` stands for the 2 in
    both.
    """
    domain = {x: HALF_LINE, t: HALF_LINE}
    printed = forall(8 * x**4 + 16 * t**4, "<=", Rational(k) ** 4 * (x + t) ** 4, domain)
    repaired = forall(64 * x**4 + 72 * t**4, "<=", (Rational(3, 2) * Rational(k)) ** 4 * (x + t) ** 4, domain)
    return all_of(printed, repaired)


def young(share: int | Fraction) -> Evidence:
    """Judge xy <= share (x^2 + y^2)/2."""
    x, y = sp.symbols("x y", nonnegative=True)
    return forall(x * y, "<=", Rational(share) * (x**2 + y**2) / 2, {x: HALF_LINE, y: HALF_LINE})
