"""The last display in the proof of Lemma 2 of Li, Duan & Liang (Appendix C): two inequalities that
are printed as equations.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, forall
from proofs_check.core.claim import claim
from proofs_check.core.robust import Robust
from proofs_check.core.witnessed import at_point
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import charge

a, b = sp.symbols("a b", real=True)
p, S = sp.Symbol("p", nonnegative=True), sp.Symbol("s", nonnegative=True)
EVERYWHERE = {a: (-oo, oo), b: (-oo, oo), p: Closed(0, 1)}


def errors(*f: Fraction) -> tuple[Fraction, Fraction]:
    """f_1 - yhat and f_2 - yhat at Q = 0 for K = 3 classes of one mass."""
    mean = sum(f, Fraction(0)) / 3
    return f[0] - mean, f[1] - mean


def of_two_tasks(top: Fraction, middle: Fraction) -> Fraction:
    """The modulus of g_{1,2} less the mean of the moduli, for the tasks (top, top, 0) and (0, 1,
    middle), in units of p_1 Attn_2 = 1/9.
    """
    products = [x * y for x, y in (errors(top, top, Fraction(0)), errors(Fraction(0), Fraction(1), middle))]
    return (abs(sum(products, Fraction(0))) - sum(map(abs, products), Fraction(0))) / 18


TWO_TASKS = Robust(
    point={"top": Fraction(1), "middle": Fraction(1, 2)},
    hypotheses=("1/2 < top < 2", "0 < middle < 1"),
    violation=of_two_tasks,
    equality=True,
)


@claim(
    "LDL:L2.abs",
    **charge(false="gap", costs="nothing"),
    repair=dict(relation="<="),
    control=dict(factor=Fraction(9, 10)),
    needs=("LDL:L2.raw",),
    hypotheses=TWO_TASKS.hypotheses,
)
def modulus_of_a_mean(*, relation: str = "=", factor: int | Fraction = 1) -> Evidence:
    r"""Printed with $=$, two tasks refute it. With `relation` $\leq$ the mean that the update is by
    L2.raw, and minus that, are at most `factor` = 1 times the mean of the moduli. It is derived for
    every law of tasks and prompts and every law of queries; tried is that $pa+(1-p)b$ and minus
    that are at most `factor` times $p|a|+(1-p)|b|$.
    """
    if relation == "=":
        return at_point(TWO_TASKS, r"|\mathbb E X|=\mathbb E|X|", K=3, Q=0)
    bound = factor * (p * sp.Abs(a) + (1 - p) * sp.Abs(b))
    tried = (forall(e * (p * a + (1 - p) * b), "<=", bound, EVERYWHERE) for e in (1, -1))
    return derivation("LDL:L2.abs", *tried, factor=factor)


def triangle(f_2: Fraction, f_3: Fraction) -> Fraction:
    """|f_1 - yhat| |f_2 - yhat| less the product of the sums of the moduli, at Q = 0 with f_1 = 0,
    in units of p_1 Attn_2 = 1/9.
    """
    first, second = errors(Fraction(0), f_2, f_3)
    sums = (abs(f_2) + abs(f_3)) / 3 * (abs(f_2) + abs(f_2 - f_3)) / 3
    return (abs(first * second) - sums) / 9


TRIANGLE = Robust(
    point={"f_2": Fraction(1, 2), "f_3": Fraction(-1, 2)},
    hypotheses=("f_2 > 0", "f_3 < 0"),
    violation=triangle,
    equality=True,
)


@claim(
    "LDL:L2.tri",
    **charge(false="gap", follows="LDL:L2.abs", costs="nothing"),
    repair=dict(relation="<="),
    control=dict(factor=Fraction(9, 10)),
    needs=("LDL:L2.abs", "LDL:A.cols"),
    hypotheses=TRIANGLE.hypotheses,
)
def modulus_of_a_sum(*, relation: str = "=", factor: int | Fraction = 1) -> Evidence:
    r"""Printed with $=$, one task refutes it. With `relation` $\leq$ the mean of the moduli is at
    most `factor` = 1 times that of the sums of attention times moduli of differences. It is derived
    for every number of classes and every law; tried is that a sum of which the modulus is at most
    $s$ has at most the modulus $s+{}$`factor` $p|b|$ with one more term $pb$.
    """
    if relation == "=":
        return at_point(TRIANGLE, r"|\textstyle\sum|\,|\sum|=\sum|\cdot|\,\sum|\cdot|", K=3, Q=0, f_1=0)
    given = [(a, "<=", S), (-a, "<=", S)]
    bound = S + factor * p * sp.Abs(b)
    box = {**EVERYWHERE, S: Closed(0, oo)}
    tried = all_of(*(forall(e * (a + p * b), "<=", bound, box, where=given) for e in (1, -1)))
    return derivation("LDL:L2.tri", tried, factor=factor)
