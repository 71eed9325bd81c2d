"""Appendix C.7 of Boursier & Boyer, equations (20) and (21) and the moments between them, from
which the rate of the product term of the gradient in U follows. The inequalities are proved
pointwise, and the rate is compared with exact sums over all prompts.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy as sp
from sympy import Rational, cosh, oo, sqrt, tanh

from numerics.evidence import Contradiction, Evidence, Verdict, all_of
from numerics.provers import Closed, forall, identity, trace_identity
from numerics.provers.enclosures.balls import value
from numerics.token_laws.hostile import hostile_laws
from proofs_check.boursier_boyer.appendix_c7_gradients import RATE, UNPROVED, gradient_errors, rate, rate_holds
from proofs_check.core.claim import MEANS, claim
from proofs_check.derivations.proofs import derivation
from theory.bounds.gradients import product_constants
from theory.symbolic.algebra import Algebra

ALGEBRA = Algebra(vectors=["v", "x", "z"])
HYPOTHESES = ("L in Integers", "L >= 1", "d in Integers", "d >= 1")
m, M4, W, r, M = sp.symbols("m M4 W r M", nonnegative=True)
X, Y, hat_X, hat_Y = sp.symbols("X Y Xh Yh", real=True)
sigma = sp.Symbol("sigma", positive=True)


@cache
def _jensen(power: int, tangent: Fraction = Fraction(1)) -> Evidence:
    """Decide r^p >= m^p + `tangent` p m^{p-1} (r - m); with 1 its mean under the tilted law, at m =
    E r, is (E r)^p <= E r^p.
    """
    slope = Rational(tangent) * power * m ** (power - 1)
    return forall(r**power, ">=", m**power + slope * (r - m), {r: Closed(0, oo), m: Closed(0, oo)})


@claim(
    "BB:20",
    assumes=(MEANS,),
    false="typo",
    why="Jensen's inequality under the tilted law leaves $\\mathbb{E}[e^{Z_1^\\top UZ}]$ in the denominator, not its fourth power, "
    "which is larger.",
    instead=r"Put $\mathbb{E}[e^{Z_1^\top UZ}]$ to the first power under $\mathbb{E}[e^{Z_1^\top UZ}\|f(Z_1)\|^4]$; the "
    r"conclusion $\le\sigma^8M_{4,0}$ is true.",
    costs="nothing",
    repair=dict(power=1),
    control=dict(power=2),
    needs=("BB:A3.3", "BB:20/end"),
    argument=r"Jensen's inequality under the law tilted by $e^{Z_1^{\top}UZ}$ is the mean of the tangent line; in the second line "
    "$f$ is the identity.",
    hypotheses=("d in Integers", "d >= 1", "sigma >= 1"),
)
def fourth_power_of_the_tilted_mean(*, power: int = 4) -> Evidence:
    r"""With $w=e^{Z_1^{\top}UZ}$,
    $\|\mathbb{E}[wf(Z_1)]\|^4/\mathbb{E}[w]^4\leq\mathbb{E}[w\|f(Z_1)\|^4]/\mathbb{E}[w]^k$ is
    proved for `power` $k=1$ by a tangent line. As printed, with $k=4$, Rademacher tokens and
    queries refute it.
    """
    if power == 1:
        return _jensen(4)
    for U in range(1, 10):  # both sides do not depend on the query, 1 or -1
        left, right = value(tanh(U) ** 4).real, value(cosh(U) ** (1 - power)).real
        if left > right:
            witness = {
                "d": 1,
                "sigma": 1,
                "mu": "Rademacher",
                "nu": "Rademacher",
                "U": U,
                "left": float(left),
                "right": float(right),
            }
            return Evidence(verdict=Verdict.REFUTED, engine="interval arithmetic", witness=witness, witness_by="Arb")
    return Evidence(verdict=Verdict.OPEN, engine="interval arithmetic", reason="no U up to 9 breaks it for Rademacher tokens")


@claim(
    "BB:20/end",
    dial="c",
    needs=("BB:A3.3", "BB:LC.1.M"),
    argument=r"For centred tokens $\mathbb{E}[e^{Z_1^{\top}UZ}]\geq1$, so that the printed power only helps here; $M_4$ is "
    "bounded by Assumption 3.3.",
)
def end_of_equation_20(*, c: int | Fraction = 1) -> Evidence:
    r"""For the tilted moment $M_4$ and $W=\mathbb{E}[e^{Z_1^{\top}UZ}]\geq1$, $M_4W/W^4\leq cM_4$
    with `c` = 1. This is the last inequality of (20) as printed.
    """
    return forall(M4 / W**3, "<=", Rational(c) * M4, {M4: Closed(0, oo), W: Closed(1, oo)})


@cache
def _length_of_the_gradient_term() -> Evidence:
    """Prove |(v.x) x z'|_F^2 = (v.x)^2 |x|^2 |z|^2 and (v.x)^2 <= |v|^2 |x|^2, the latter by
    Lagrange's identity in two coordinates.
    """
    v, x, z = (ALGEBRA[name] for name in ("v", "x", "z"))
    outer = (v.T * x) * x * z.T
    inner, square = v.T * x, x.T * x
    a, b, c, e = sp.symbols("a b c e", real=True)
    return all_of(
        trace_identity((outer * outer.T).tr(), inner * inner * square * (z.T * z)),
        identity((a**2 + b**2) * (c**2 + e**2) - (a * c + b * e) ** 2, (a * e - b * c) ** 2),
    )


@claim(
    "BB:C.7.M84",
    false="typo",
    why="The factor $\\|v_i\\|^4$ of the second expression is missing in the third.",
    instead=r"Write $\|v_i\|^4\sigma^{16}M_{8,4}$ for the third expression; the constants may depend on $V$, so that nothing else "
    "changes.",
    costs="nothing",
    repair=dict(power=4),
    control=dict(power=3),
    needs=("BB:A3.3", "BB:20", "BB:C.7.M84/jensen"),
    argument="The tilted moment $M_4$ of the second expression is bounded by Assumption 3.3; the first inequality is "
    "C.7.M84/jensen.",
    hypotheses=("d in Integers", "d >= 1", "sigma >= 1"),
)
def moment_of_the_first_term(*, power: int = 0) -> Evidence:
    r"""The inequality $\|v_i\|^4\sigma^{16}M\leq\|v_i\|^k\sigma^{16}M$ is proved for every $v_i$
    with `power` $k=4$. It is printed with $k=0$ and refuted at $v_i=2$, where Rademacher tokens and
    queries with $U=0$ have $M_{8,4}=1$ and the left side $16$.
    """
    v = sp.Symbol("v", nonnegative=True)
    if power != 4:  # Rademacher tokens and queries: (v z) z z' has the fourth power v^4
        witness = {
            "d": 1,
            "sigma": 1,
            "mu": "Rademacher",
            "nu": "Rademacher",
            "U": 0,
            "v": 2,
            "M_84": 1,
            "left": 2**4,
            "right": 2**power,
        }
        return Evidence(verdict=Verdict.REFUTED, engine="exact arithmetic", witness=witness, witness_by="exact")
    domain = {v: Closed(0, oo), M: Closed(0, oo), M4: Closed(0, oo), sigma: Closed(1, oo)}
    return forall(v**4 * M4, "<=", v**power * sigma**16 * M, domain, where=[(M4, "<=", sigma**16 * M)])


@claim(
    "BB:C.7.M84/jensen",
    assumes=(MEANS,),
    control=(dict(scale=Fraction(1, 2)), dict(tangent=Fraction(9, 8)), dict(power=7)),
    argument="Lagrange's identity over all pairs of coordinates is the Cauchy-Schwarz inequality, for every $d$; the mean of the "
    "tangent line is Jensen's inequality.",
)
def first_inequality_of_the_moment(*, scale: int | Fraction = 1, tangent: Fraction = Fraction(1), power: int = 8) -> Evidence:
    r"""The length is bounded by $\|(v^{\top}x)xz^{\top}\|_F\leq\|v\|\|x\|^2\|z\|$, and the fourth
    power lies above its tangent line.
    """
    v, x, z, t, s = sp.symbols("v x z t s", nonnegative=True)  # t = |v.x| <= s = |v||x|
    length = forall(t**4, "<=", Rational(scale) * s**4, {t: Closed(0, oo), s: Closed(0, oo)}, where=[(t, "<=", s)])
    with sp.evaluate(False):
        size = (v * x**2 * z) ** 4
    fourth = identity(size, v**4 * x**power * z**4)
    return all_of(_length_of_the_gradient_term(), _jensen(4, tangent), length, fourth)


@claim(
    "BB:21",
    assumes=(MEANS,),
    dial="c",
    argument=r"The first line holds entry by entry, the second is the mean of $2ab\leq ka^2+b^2/k$ at the best $k$, and the third "
    "holds pointwise.",
    needs=("BB:21/one", "BB:21/two"),
)
def three_lines_of_equation_21(*, c: int | Fraction = 8) -> Evidence:
    r"""The third line of (21) rests on $\hat X^4\leq c\,(X^4+(\hat X-X)^4)$ with `c` = 8; the first
    two lines are the parts BB:21/one and BB:21/two.
    """
    return forall(hat_X**4, "<=", Rational(c) * (X**4 + (hat_X - X) ** 4), {X: (-oo, oo), hat_X: (-oo, oo)})


@claim("BB:21/one", dial="c")
def product_of_two_errors(*, c: int | Fraction = 2) -> Evidence:
    r"""The error of the product is $\hat X\hat Y-XY=\hat X(\hat Y-Y)+Y(\hat X-X)$, and
    $(a+b)^2\leq c\,(a^2+b^2)$ with `c` = 2.
    """
    a, b = sp.symbols("a b", real=True)
    split = identity(hat_X * hat_Y - X * Y, hat_X * (hat_Y - Y) + Y * (hat_X - X))
    return all_of(split, forall((a + b) ** 2, "<=", Rational(c) * (a**2 + b**2), {a: (-oo, oo), b: (-oo, oo)}))


@claim("BB:21/two", dial="c", argument=r"If $\mathbb{E}a^2=0$, then $a=0$ almost surely and both sides vanish.")
def cauchy_schwarz_for_the_errors(*, c: int | Fraction = 1) -> Evidence:
    r"""For $a=\hat X^2$, $b=\|\hat Y-Y\|^2$ and every $k>0$, $2ab\leq c\,(ka^2+b^2/k)$ with
    `c` = 1. At $k=\sqrt{\mathbb{E}b^2/\mathbb{E}a^2}$ the mean of the bracket is
    $2\sqrt{\mathbb{E}a^2\,\mathbb{E}b^2}$.
    """
    a, b, k, A, B = sp.symbols("a b k A B", positive=True)
    pairs = forall(2 * a * b, "<=", Rational(c) * (k * a**2 + b**2 / k), dict.fromkeys((a, b, k), (0, oo)))
    with sp.evaluate(False):
        at_best = (sqrt(B / A) * A + B / sqrt(B / A), 2 * sqrt(A * B))
    return all_of(pairs, identity(*at_best))


@claim(
    "BB:C.7.moments",
    assumes=(MEANS,),
    control=(dict(c=Fraction(9, 10)), dict(tangent=Fraction(9, 8)), dict(of_4=7, of_8=15)),
    needs=("BB:A3.3", "BB:20"),
    argument=r"The means of the tangent lines under the tilted law are Jensen's inequality; $|v^{\top}x|\leq\|v\|\|x\|$ and "
    r"$\|xz^{\top}\|_F=\|x\|\|z\|$; Assumption 3.3 with $p=4$ and $8$ bounds the tilted moment, which is $\theta\sigma^{2p}M$ "
    r"with $\theta\leq1$.",
)
def moments_of_the_limits(*, c: int | Fraction = 1, tangent: Fraction = Fraction(1), of_4: int = 8, of_8: int = 16) -> Evidence:
    r"""Jensen's inequality for the powers $4$ and $8$, $|v^{\top}x|^p\leq(\|v\|\|x\|)^p$ and
    $\|xz^{\top}\|_F^2=\|x\|^2\|z\|^2$ are proved. With Assumption 3.3 they give
    $\|v_i\|^4\sigma^8M$ and $\|v_i\|^8\sigma^{16}M$ for $p=4,8$.
    """
    s, t = sp.symbols("s t", nonnegative=True)  # t = |v.x| <= s = |v||x|
    domain = {s: Closed(0, oo), t: Closed(0, oo)}
    X_, Z = ALGEBRA["x"], ALGEBRA["z"]
    rank_one = trace_identity((X_ * Z.T * (X_ * Z.T).T).tr(), (X_.T * X_) * (Z.T * Z))
    powers = [forall(t**p, "<=", Rational(c) * s**p, domain, where=[(t, "<=", s)]) for p in (4, 8)]
    v, theta = sp.symbols("v theta", nonnegative=True)
    assumed = {v: Closed(0, oo), M: Closed(0, oo), sigma: Closed(1, oo), theta: Closed(0, 1)}
    sizes = []
    for p, printed in ((4, of_4), (8, of_8)):
        with sp.evaluate(False):
            left = v**p * (theta * (sigma ** (2 * p) * M))
        sizes.append(forall(left, "<=", v**p * sigma**printed * M, assumed))
    return all_of(_jensen(4, tangent), _jensen(8, tangent), rank_one, *powers, *sizes)


@claim(
    "BB:C.7.fin",
    false="edge",
    at="L = 1",
    follows="BB:LC.9",
    why="At $L=1$ the right side is 0 for every choice of the constants, because of $\\ln(L)^2$, and the left side is not.",
    details="That the constants depend on $d,V,U$ only, not on the $M_{p,p'}$, is true for $\\sigma\\ge1$: the moments of "
    "Assumption 3.3 are bounded uniformly in $\\mu,\\nu$.",
    instead=r"Ask for $L\geq2$, or put $1+\ln L$ in place of $\ln L$; then the bound holds.",
    costs="nothing",
    repair=dict(shortest=2),
    control=dict(shortest=1),
    needs=("BB:21", "BB:LC.9", "BB:C.7.moments", "BB:C.7.fin/powers", "OURS:R2", "OURS:R3.A33", "OURS:R3.tail", "OURS:R3.max"),
    argument=r"R2 is used for $\|z\|\leq r$, where $r^2=\ln L/(16\sigma^2\|U\|_{\rm op}^2)$, and beyond $r$ the hull and R3.tail; "
    "both are inserted into (21) with R3.A33.",
    hypotheses=(*HYPOTHESES, "sigma >= 1"),
    unproved=UNPROVED,
)
def rate_of_the_product(*, shortest: int = 1) -> Evidence:
    r"""The bound $\mathbb{E}\|\hat X\hat Y-XY\|_F^2\leq c_1\sigma^{12}\ln(L)^2/L^{c_2/\sigma^2}$ is
    meant for every $L\geq$ `shortest`, with $c_1,c_2$ that depend on $d,\|U\|_{\rm op},\|v_i\|$.
    Printed for $L=1$ too, it is refuted there for all constants; for $L\geq2$ it holds on the
    instances with explicit constants.
    """
    checked = r"\mathbb{E}\|\hat X\hat Y-XY\|_F^2 \le " + RATE
    if shortest == 1:
        signs = hostile_laws(1)[2].weighted_nodes
        _, error = gradient_errors(signs, signs, np.zeros((1, 1)), np.ones(1), 1)
        if error != 1:
            raise Contradiction(f"with one Rademacher token X^Y^ = z_1^2 z, of mean square 1, not {error}")
        witness = {"L": 1, "d": 1, "sigma": 1, "U": 0, "v": 1, "mu": "Rademacher", "nu": "Rademacher", "left": 1, "right": 0}
        sides = (rate(1, product_constants, shortest),)
        common: dict[str, Any] = {"checked": checked, "sides": sides}
        return Evidence(verdict=Verdict.REFUTED, engine="exact arithmetic", witness=witness, witness_by="exact", **common)
    return rate_holds(1, product_constants, shortest, checked)


@claim(
    "BB:C.7.fin/powers",
    control=dict(power=19),
    needs=("BB:LC.9", "BB:C.7.moments"),
)
def powers_of_sigma_and_the_logarithm(*, power: int = 24) -> Evidence:
    r"""The conclusions of C.7.moments, $\mathbb{E}X^4\leq A_X\sigma^8$ and
    $\mathbb{E}\|Y\|^4\leq A_Y\sigma^8$, and of Lemma C.9 for $X$ and $Y$ give
    $\mathbb{E}\|\hat X\hat Y-XY\|_F^2\leq c_1\sigma^{12}\ln(L)^2L^{-c_2/(2\sigma^2)}$ for
    $L\geq2$ and $\sigma\geq1$, with an explicit $c_1$ and half the $c_2$ of Lemma C.9. This is
    derived by the three lines of (21). The power of $\sigma$ is half of `power` $k=24$.

    The second route is $(A\sigma^8+B\sigma^{12}h^2q^2)\,\sigma^{12}h^2q^2\leq(A+B)\,\sigma^kh^4q^2$
    for $h=\ln L/\ln2\geq1$ and $0<q\leq1$, for the terms of $A$ and of $B$.
    """
    A, B = sp.symbols("A B", nonnegative=True)
    h, q = sp.symbols("h q", positive=True)
    domain = {sigma: Closed(1, oo), h: Closed(1, oo), q: sp.Interval.Lopen(0, 1)}
    square = (A * sigma**8 + B * sigma**12 * h**2 * q**2) * sigma**12 * h**2 * q**2
    bound = sigma**power * h**4 * q**2
    search = all_of(
        identity(square, A * sigma**20 * h**2 * q**2 + B * sigma**24 * h**4 * q**4),
        forall(sigma**20 * h**2 * q**2, "<=", bound, domain),
        forall(sigma**24 * h**4 * q**4, "<=", bound, domain),
    )
    return derivation("BB:C.7.fin/powers", search, power=power)
