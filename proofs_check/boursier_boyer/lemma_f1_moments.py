"""Lemma F.1 (iii) of Boursier & Boyer: the moments of the tilted law of a Gaussian token, step by
step. Identities hold for matrices of every dimension; each inequality is proved or refuted over its
whole domain.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from sympy import Max, Rational, oo

from numerics.evidence import Contradiction, Evidence, Verdict, all_of, confirmed
from numerics.provers import Closed, forall, identity, trace_identity
from numerics.seeds import current_seed, generator
from proofs_check.boursier_boyer.lemma_2_1 import GENERATING_FUNCTION
from proofs_check.core.claim import MEANS, claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import refuted_exactly, supported
from theory.symbolic.algebra import Algebra

ALGEBRA = Algebra(general=["U"], symmetric=["Gamma"], vectors=["b", "z"])
Gamma, U, b, z = (ALGEBRA[name] for name in ("Gamma", "U", "b", "z"))
alpha, beta, A, B, x = sp.symbols("alpha beta A B x", nonnegative=True)


@claim("BB:29", control={"half": Fraction(1, 3)}, cites=(GENERATING_FUNCTION,))
def law_of_the_tilted_token(*, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""Derived for $\Gamma$ of any rank and every $d$ as $\mathbb{E}_{\mu_z}e^{b^\top
    Z}=e^{b^\top\Gamma Uz+\frac12b^\top\Gamma b}$ for every $b$; `half` stands for the $\frac12$.
    The second route compares the logarithms of the two generating functions of the quotient.
    """
    score = U * z
    exponent = (b + score).T * Gamma * (b + score) / 2 - score.T * Gamma * score / 2
    return derivation(
        "BB:29", trace_identity(exponent, b.T * (Gamma * score) + half * (b.T * Gamma * b)), half=half
    )


@claim("BB:LF.1.iii.a/convexity", control={"two": 3})
def power_of_a_sum(*, two: int = 2) -> Evidence:
    r"""The step from $p$ to $p+1$ of $(\alpha+\beta)^p\leq2^{p-1}(\alpha^p+\beta^p)$ rests on
    $2(\alpha A+\beta B)-(\alpha+\beta)(A+B)=(\alpha-\beta)(A-B)$ with $A=\alpha^p$ and $B=\beta^p$;
    `two` stands for the first 2 of the identity.
    """
    return identity(two * (alpha * A + beta * B) - (alpha + beta) * (A + B), (alpha - beta) * (A - B))


@claim("BB:LF.1.iii.a/root", control={"k": Fraction(1, 2)})
def norm_of_the_root(*, k: Fraction = Fraction(1)) -> Evidence:
    r"""The second step is $gy^2\leq\|\Gamma\|_{\rm op}\,y^2$ for each eigenvalue
    $g\leq\|\Gamma\|_{\rm op}$ of $\Gamma$; `k` multiplies the right side.
    """
    g, top, y = sp.symbols("g Gamma y", nonnegative=True)
    ranges = dict.fromkeys((g, top, y), Closed(0, oo))
    return forall(g * y**2, "<=", Rational(k) * top * y**2, ranges, where=[(g, "<=", top)])


@claim("BB:LF.1.iii.a/maximum", control={"k": Fraction(1, 2)})
def both_powers_below_the_maximum(*, k: Fraction = Fraction(1)) -> Evidence:
    r"""The last step is $x\leq\max(1,x^2)$ and $x^2\leq\max(1,x^2)$ for $x=\|\Gamma\|_{\rm
    op}^{p/2}$; `k` multiplies the right sides.
    """
    bound = Rational(k) * Max(1, x**2)
    ranges = {x: Closed(0, oo)}
    return all_of(forall(x, "<=", bound, ranges), forall(x**2, "<=", bound, ranges))


def gaussian_power(scale: Any, p: int) -> Any:
    """E (scale g)^p for a standard normal g."""
    return scale**p * sp.factorial2(p - 1) if p % 2 == 0 else sp.Integer(0)


def sampled_chain(prompts: int = 40_000, sigmas: float = 7.0) -> Evidence:
    """Compare the four members of the display in R^3 at two covariances, by samples of Y."""
    rng = generator(5)
    for Gamma in (np.diag([2.0, 0.5, 0.1]), np.outer([1.0, 1.0, 0.5], [1.0, 1.0, 0.5])):
        values, vectors = np.linalg.eigh(Gamma)
        root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
        M, at = rng.standard_normal((3, 3)), rng.standard_normal(3)
        Y = rng.standard_normal((prompts, 3))
        shift, top = Gamma @ M @ at, values[-1]
        for p in (1, 4, 8):
            norms = np.linalg.norm(shift + Y @ root, axis=1) ** p
            C = float((np.linalg.norm(Y, axis=1) ** p).mean())
            own = float((np.linalg.norm(Y @ root, axis=1) ** p).mean())
            drift = np.linalg.norm(shift) ** p
            last = max(1, top**p) * ((np.linalg.norm(M, 2) * np.linalg.norm(at)) ** p + C)
            chain = [float(norms.mean()) / 2 ** (p - 1), drift + own, drift + top ** (p / 2) * C, last]
            noise = sigmas * float(norms.std()) / np.sqrt(prompts) / 2 ** (p - 1)
            if not (
                chain[0] <= chain[1] + noise and chain[1] <= chain[2] * (1 + 1e-12) and chain[2] <= chain[3]
            ):
                raise Contradiction(f"the display fails on samples at p = {p}: {chain}")
    covered = "R^3, Gamma of rank 1 and 3, p = 1, 4, 8"
    return supported("Monte Carlo", covered, samples=6 * prompts, seed=current_seed(), error=1e-6)


@claim(
    "BB:LF.1.iii.a",
    control={"power": 3},
    needs=("BB:29", "BB:LF.1.iii.a/convexity", "BB:LF.1.iii.a/root", "BB:LF.1.iii.a/maximum"),
)
def moments_of_the_tilted_token(*, power: int = 2) -> Evidence:
    r"""The last member of the display less the third one is $(m-x^2)a+(x^2a-b)+(m-x)C$ with
    $x=\|\Gamma\|_{\rm op}^{p/2}$, $m=\max(1,x^2)$, $a=\|U\|_{\rm op}^p\|z\|^p$, $b=\|\Gamma
    Uz\|^p\leq x^2a$ and $C=\mathbb{E}\|Y\|^p$, and no term is negative; `power` stands for the 2 in
    $m-x^2$.
    """
    a, c, C, m = sp.symbols("a b C m", nonnegative=True)
    regrouped = identity(m * (a + C) - (c + x * C), (m - x**power) * a + (x**2 * a - c) + (m - x) * C)
    return confirmed(regrouped, sampled_chain())


# -- the last display ------------------------------------------------------------------------------


def in_one_dimension(
    s: Rational, w: Rational, first: Rational, second: Rational, p: int
) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """For d = 1, q = 0 and U with the first column (first, second): the left side, |U|^p E|x|^p +
    C_{1,p}, and max(1, Sigma, w^2)^p. The token is (1, w) times a normal variable of variance
    Sigma, and the query is an independent one: given x, the tilted token is (1, w)(Sigma (first + w
    second) x + g). C_{1,p} = E|Y|^p for Y in R^2 is 2^{p/2} (p/2)!.
    """
    stretch = s * (first + w * second)
    left = (1 + w**2) ** Rational(p, 2) * gaussian_power(sp.sqrt(s * (1 + stretch**2)), p)
    right = (first**2 + second**2) ** Rational(p, 2) * gaussian_power(sp.sqrt(s), p) + 2 ** Rational(
        p, 2
    ) * sp.factorial(p // 2)
    return sp.nsimplify(left), sp.nsimplify(right), Max(1, s, w**2) ** p


@claim(
    "BB:LF.1.iii",
    assumes=(MEANS,),
    false="gap",
    follows="BB:LF.1.i",
    costs="constants",
    needs=("BB:LF.1.iii.a", "BB:LF.1.i"),
    hypotheses=(
        "d in Integers",
        "d >= 1",
        "Sigma > 0",
        "Sigma <= 1",
        "p in Integers",
        "p >= 0",
        "q in Integers",
        "q >= 0",
    ),
    repair={"parameter": "repaired"},
    control={"k": Fraction(3, 4)},
)
def moments_with_the_parameter(*, parameter: str = "printed", k: Fraction = Fraction(1)) -> Evidence:
    r"""For $\max(1,\|\Gamma_w\|_{\rm op})\leq\sigma_\mu^2$ one needs $\max(\|v\|^2,\|\Sigma\|_{\rm
    op}(\|a\|+|b|\,\|w\|)^2)\leq\sigma_\mu^2\|v\|^2$ for $v=(a,b)$. With the printed $\sigma_\mu^2$,
    the `parameter`, this fails, and so does the display at $d=1$; with the repaired one it holds,
    and both sides are raised to the power $p$.
    """
    top, w, a, b = sp.symbols("Sigma w a b", nonnegative=True)
    ranges = {top: sp.Interval.Lopen(0, 1), **dict.fromkeys((w, a, b), Closed(0, oo))}
    sigma2 = {"printed": Max(1, top, w**2), "repaired": Max(1, Rational(k) * top * (1 + w**2))}[parameter]
    square = a**2 + b**2
    found = forall(Max(square, top * (a + b * w) ** 2), "<=", sigma2 * square, ranges)
    if found.verdict is not Verdict.REFUTED or parameter != "printed":
        return found
    left, bracket, power = in_one_dimension(*(sp.Integer(1),) * 4, p=4)
    right = 8 * power * bracket
    if not left > right:
        raise Contradiction(f"the step fails, but the display does not at d = 1: {left} <= {right}")
    at = {"d": 1, "Sigma": 1, "w": 1, "U": "[[1, 0], [1, 0]]", "p": 4, "q": 0}
    witness = {**at, "left": left, "right": right}
    return refuted_exactly(witness, checked=found.checked)
