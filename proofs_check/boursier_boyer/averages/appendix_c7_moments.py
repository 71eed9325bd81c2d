"""Appendix C.7 of Boursier & Boyer, equations (20) and (21) and the moments between them, from
which the rate of the product term of the gradient in U follows. The inequalities are proved
pointwise, and the rate is compared with exact sums over all prompts.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy as sp
from sympy import Rational, cosh, oo, tanh

from numerics.evidence import Contradiction, Evidence, Verdict, all_of
from numerics.provers import Closed, forall, identity
from numerics.provers.enclosures.balls import value
from numerics.token_laws.edge_cases import edge_case_laws
from proofs_check.boursier_boyer.averages.appendix_c7_gradients import RATE, gradient_errors, rate, rate_holds
from proofs_check.core.claim import MEANS, claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, refuted_exactly, supported, undecided
from theory.symbolic.algebra import Algebra

ALGEBRA = Algebra(vectors=["v", "x", "z"])
HYPOTHESES = ("L in Integers", "L >= 1", "d in Integers", "d >= 1")
m, M4, W, r, M = sp.symbols("m M4 W r M", nonnegative=True)
X, Y, hat_X, hat_Y = sp.symbols("X Y Xh Yh", real=True)
sigma = sp.Symbol("sigma", positive=True)


#: A side of an inequality at the size s of the tokens, the row v and U.
Side = Callable[[int, int, int], sp.Expr]


def _at_signs(left: Side, right: Side) -> Evidence:
    """Compare two sides for tokens s and -s, queries 1 and -1 and a row v on the line: the tilted
    mean is s tanh(sU) in size, |Z| = s, and the least M_{p,p'} is s^{-p}.
    """
    for s, v, U in product((1, 2), (1, 2), (0, 1, 9)):
        at = [sp.sympify(side(s, v, U)) for side in (left, right)]
        if value(at[0] - at[1]).real > 0:
            numbers = {"d": 1, "sigma": s, "mu": f"{s}, -{s}", "nu": "1, -1", "U": U, "v": v}
            numbers |= {name: float(x) for name, x in zip(("left", "right"), at)}
            return Evidence(
                verdict=Verdict.REFUTED, engine="interval arithmetic", witness=numbers, witness_by="Arb"
            )
    covered = (
        "tokens s and -s, queries 1 and -1, d = 1: s and v in {1, 2}, U in {0, 1, 9}, with the least "
        "constants"
    )
    return supported("interval arithmetic", covered, dimension="d = 1")


def _mean(s: int, U: int) -> sp.Expr:
    """The size of the tilted mean of the tokens s and -s."""
    return s * tanh(s * U)


@claim(
    "BB:20",
    **TYPO,
    assumes=(MEANS,),
    repair=dict(power=1),
    control=(dict(power=2), dict(c=Fraction(9, 10))),
    hypotheses=("d in Integers", "d >= 1", "sigma >= 1"),
)
def fourth_power_of_the_tilted_mean(*, power: int = 4, c: int | Fraction = 1) -> Evidence:
    r"""With $w=e^{Z_1^{\top}UZ}$, the mean over $Z$ of $\|\mathbb{E}[wZ_1]\|^4/\mathbb{E}[w]^4$ is
    at most that of $\mathbb{E}[w\|Z_1\|^4]/\mathbb{E}[w]^k$ for `power` $k=1$, and this at most
    $\sigma^8M_{4,0}$: both are derived from Assumption 3.3. As printed, with $k=4$, Rademacher
    tokens and queries refute the first. `c` multiplies the right sides.
    """
    if power == 1:
        c = Rational(c)
        first = _at_signs(lambda s, v, U: _mean(s, U) ** 4, lambda s, v, U: c * s**4)
        second = _at_signs(lambda s, v, U: s**4, lambda s, v, U: c * s**8 / s**4)
        return derivation("BB:20", first, second, c=c)
    for U in range(1, 10):  # both sides do not depend on the query, 1 or -1
        left, right = value(tanh(U) ** 4).real, value(cosh(U) ** (1 - power)).real
        if left > right:
            at = {"d": 1, "sigma": 1, "mu": "Rademacher", "nu": "Rademacher", "U": U}
            witness = {**at, "left": float(left), "right": float(right)}
            return Evidence(
                verdict=Verdict.REFUTED, engine="interval arithmetic", witness=witness, witness_by="Arb"
            )
    return undecided("interval arithmetic", "no U up to 9 breaks it for Rademacher tokens")


@claim("BB:20/end", control=dict(c=Fraction(9, 10)))
def end_of_equation_20(*, c: int | Fraction = 1) -> Evidence:
    r"""With $w=e^{Z_1^{\top}UZ}$, the mean over $Z$ of $\mathbb{E}[w\|Z_1\|^4]/\mathbb{E}[w]^4$ is
    at most $c\,\sigma^8M_{4,0}$ with `c` = 1: the last inequality of (20) as printed. This is
    derived from Assumption 3.3, as $\mathbb{E}w\geq1$ for centred tokens.
    """
    c = Rational(c)
    search = _at_signs(lambda s, v, U: s**4 / cosh(s * U) ** 3, lambda s, v, U: c * s**8 / s**4)
    return derivation("BB:20/end", search, c=c)


@claim(
    "BB:C.7.M84",
    **TYPO,
    repair=dict(power=4),
    control=(dict(power=3), dict(scale=Fraction(1, 2))),
    hypotheses=("d in Integers", "d >= 1", "sigma >= 1"),
)
def moment_of_the_first_term(*, power: int = 0, scale: int | Fraction = 1) -> Evidence:
    r"""The left side is at most $\|v_i\|^4$ times the tilted moment, and this at most
    $\|v_i\|^k\sigma^{16}M_{8,4}$ for `power` $k=4$: both are derived from Assumption 3.3, where
    `scale` = 1 multiplies the right sides. The latter is printed with $k=0$ and refuted at $v_i=2$,
    where Rademacher tokens and queries with $U=0$ have $M_{8,4}=1$ and the left side $16$.
    """
    if power != 4:  # Rademacher tokens and queries: (v z) z z' has the fourth power v^4
        at = {"d": 1, "sigma": 1, "mu": "Rademacher", "nu": "Rademacher", "U": 0, "v": 2, "M_84": 1}
        witness = {**at, "left": 2**4, "right": 2**power}
        return refuted_exactly(witness)
    last = _at_signs(lambda s, v, U: v**4 * s**8, lambda s, v, U: Rational(scale) * v**power * s**8)
    return derivation("BB:C.7.M84", _first_term(scale), last, power=power, scale=scale)


def _first_term(scale: int | Fraction) -> Evidence:
    """Compare the fourth power of (v.Z) Z y', tilted, with that of |v||Z|^2|y|."""
    return _at_signs(lambda s, v, U: (v * s**2) ** 4, lambda s, v, U: Rational(scale) * v**4 * s**8)


@claim("BB:C.7.M84/jensen", control=dict(scale=Fraction(1, 2)))
def first_inequality_of_the_moment(*, scale: int | Fraction = 1) -> Evidence:
    r"""The left side of Assumption C.5 (ii) for $f(z)=(v_i^{\top}z)z$ and $g(z)=z^{\top}$ is at
    most `scale` = 1 times $\|v_i\|^4$ times the tilted moment of order $(8,4)$. This is derived,
    from the Cauchy-Schwarz inequality.
    """
    return derivation("BB:C.7.M84/jensen", _first_term(scale), scale=scale)


@claim("BB:21", control=(dict(c=Fraction(79, 10)), dict(two=Fraction(19, 10)), dict(one=Fraction(9, 10))))
def three_lines_of_equation_21(
    *, c: int | Fraction = 8, two: int | Fraction = 2, one: int | Fraction = 1
) -> Evidence:
    r"""The three lines of (21) are derived, in which `two` stands for the first 2, `one` multiplies
    the third expression and `c` stands for the 8. The inequality behind each is tried: BB:21/one,
    BB:21/two and $\hat X^4\leq c\,(X^4+(\hat X-X)^4)$.
    """
    power = forall(hat_X**4, "<=", Rational(c) * (X**4 + (hat_X - X) ** 4), {X: (-oo, oo), hat_X: (-oo, oo)})
    return derivation("BB:21", _square_of_a_sum(two), _weighted_product(one), power, c=c, two=two, one=one)


@claim("BB:21/one", sharp="c")
def product_of_two_errors(*, c: int | Fraction = 2) -> Evidence:
    r"""The error of the product is $\hat X\hat Y-XY=\hat X(\hat Y-Y)+Y(\hat X-X)$, and $(a+b)^2\leq
    c\,(a^2+b^2)$ with `c` = 2.
    """
    split = identity(hat_X * hat_Y - X * Y, hat_X * (hat_Y - Y) + Y * (hat_X - X))
    return all_of(split, _square_of_a_sum(c))


def _square_of_a_sum(c: int | Fraction) -> Evidence:
    a, b = sp.symbols("a b", real=True)
    return forall((a + b) ** 2, "<=", Rational(c) * (a**2 + b**2), {a: (-oo, oo), b: (-oo, oo)})


@claim("BB:21/two", control=dict(c=Fraction(9, 10)))
def cauchy_schwarz_for_the_errors(*, c: int | Fraction = 1) -> Evidence:
    r"""The second line of (21) is derived, where `c` = 1 multiplies the right side. Tried is
    $2ab\leq c\,(ka^2+b^2/k)$ for $a=\hat X^2$, $b=\|\hat Y-Y\|^2$ and every $k>0$.
    """
    return derivation("BB:21/two", _weighted_product(c), c=c)


def _weighted_product(c: int | Fraction) -> Evidence:
    a, b, k = sp.symbols("a b k", positive=True)
    return forall(2 * a * b, "<=", Rational(c) * (k * a**2 + b**2 / k), dict.fromkeys((a, b, k), (0, oo)))


@claim("BB:C.7.moments", control=(dict(c=Fraction(9, 10)), dict(of_4=7, of_8=15)))
def moments_of_the_limits(*, c: int | Fraction = 1, of_4: int = 8, of_8: int = 16) -> Evidence:
    r"""With $X=v_i^{\top}m$ and $Y=mz^{\top}$ for the tilted mean $m$, the bounds on
    $\mathbb{E}X^4$, $\mathbb{E}\|Y\|^4$, on $\mathbb{E}X^8$ in two steps and on $\mathbb{E}\|Y\|^8$
    are derived from Assumption 3.3. Here `c` multiplies them, and `of_4` and `of_8` are the powers
    of $\sigma$.
    """
    c = Rational(c)
    X, Y = (lambda n: lambda s, v, U: (v * _mean(s, U)) ** n), (lambda n: lambda s, v, U: _mean(s, U) ** n)
    searches = (
        _at_signs(X(4), lambda s, v, U: c * v**4 * Rational(s) ** (of_4 - 4)),
        _at_signs(Y(4), lambda s, v, U: c * Rational(s) ** (of_4 - 4)),
        _at_signs(X(8), lambda s, v, U: c * v**8 * s**8),
        _at_signs(lambda s, v, U: v**8 * s**8, lambda s, v, U: c * v**8 * Rational(s) ** (of_8 - 8)),
        _at_signs(Y(8), lambda s, v, U: c * Rational(s) ** (of_8 - 8)),
    )
    return derivation("BB:C.7.moments", *searches, c=c, of_4=of_4, of_8=of_8)


@claim(
    "BB:C.7.fin",
    false="edge",
    at="L = 1",
    follows="BB:LC.9",
    costs="nothing",
    repair=dict(shortest=2),
    control=(dict(shortest=1), dict(c=Fraction(1, 55000))),
    hypotheses=(*HYPOTHESES, "sigma >= 1"),
)
def rate_of_the_product(*, shortest: int = 1, c: Fraction = Fraction(1), power: int = 12) -> Evidence:
    r"""The bound $\mathbb{E}\|\hat X\hat Y-XY\|_F^2\leq c_1\sigma^{12}\ln(L)^2/L^{c_2/\sigma^2}$ is
    meant for every $L\geq$ `shortest`, with $c_1,c_2$ that depend on $d,\|U\|_{\rm op},\|v_i\|$.
    Printed for $L=1$ too, it is refuted there for all constants; for $L\geq2$ it is derived with
    explicit constants, and tried on instances. Here `c` multiplies the bound, and `power` is the
    exponent of $\sigma$.

    The constants are those of P3.4.U with $\|v_i\|$ in place of $\|V\|_{\rm op}$. The derivation
    uses R1 and R2 for the mean token, in place of (21), and needs no Assumption 3.3.
    """
    checked = r"\mathbb{E}\|\hat X\hat Y-XY\|_F^2 \le " + RATE
    if shortest == 1:
        signs = edge_case_laws(1)[2].weighted_nodes
        _, error = gradient_errors(signs, signs, np.zeros((1, 1)), np.ones(1), 1)
        if error != 1:
            raise Contradiction(f"with one Rademacher token X^Y^ = z_1^2 z, of mean square 1, not {error}")
        at = {"L": 1, "d": 1, "sigma": 1, "U": 0, "v": 1, "mu": "Rademacher", "nu": "Rademacher"}
        witness = {**at, "left": 1, "right": 0}
        sides = (rate(1, shortest),)
        common: dict[str, Any] = {"checked": checked, "sides": sides}
        return refuted_exactly(witness, **common)
    return derivation("BB:C.7.fin", rate_holds(1, shortest, checked, c, power), c=c, power=power)


@claim("BB:C.7.fin/powers", control=dict(power=19), needs=("BB:LC.9", "BB:C.7.moments"))
def powers_of_sigma_and_the_logarithm(*, power: int = 24) -> Evidence:
    r"""The conclusions of C.7.moments, $\mathbb{E}X^4\leq A_X\sigma^8$ and $\mathbb{E}\|Y\|^4\leq
    A_Y\sigma^8$, and of Lemma C.9 for $X$ and $Y$ give $\mathbb{E}\|\hat X\hat Y-XY\|_F^2\leq
    c_1\sigma^{12}\ln(L)^2L^{-c_2/(2\sigma^2)}$ for $L\geq2$ and $\sigma\geq1$, with an explicit
    $c_1$ and half the $c_2$ of Lemma C.9. This is derived by the three lines of (21). The power of
    $\sigma$ is half of `power` $k=24$.

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
