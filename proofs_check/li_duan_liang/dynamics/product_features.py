r"""A family of Li, Duan & Liang's problems on which attention is learned fast, since the features
are not orthonormal.

The K = M^3 classes are the triples of M numbers, M even, and the feature of a triple is (e_i, e_j,
e_l) in 3M coordinates: distances are between sqrt 2 and sqrt 6. A task is about one of the three
numbers, each equally likely: it is L/sqrt 2 on half of the M numbers and -L/sqrt 2 on the others,
every half equally likely. Values that differ do so by sqrt(2) L, at distances from sqrt 2 on, and
each class has a partner at that distance: the class (4) with the constant 1. Classes are equally
likely, and each has the same share of the prompt, to which iid prompts tend as N grows.

From Q = 0 the three blocks of Q are z (I - 11'/M) after every step, and Q is 0 outside them: the
attention is the product of three attentions w = e^z/(e^z + M - 1), each of which is trained as that
of M orthonormal features, by one step in three. T counts steps, at eta = 1/L^2.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp
from sympy import exp, log, oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, computed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.instances.features.slow_attention import EQUAL_SHARES, n
from theory.regression.features.data import FeatureRegression

__all__ = ["AT", "WHERE", "K", "most_steps"]

M = 2 * n
K = M**3
AT = {"K": K}
WHERE = {
    "features": "(e_i, e_j, e_l) in 3M coordinates, K = M^3",
    "Delta": "sqrt(2)",
    "tasks": "+-L/sqrt(2) on halves of the i, of the j or of the l",
    "prompts": EQUAL_SHARES,
    "eta": "1/L^2",
}


def most_steps(M: Any) -> Any:
    """An upper bound of the steps until every class has the attention 1/2.

    >>> most_steps(2)
    2636
    """
    return 96 * M**2 + 1125 * M + 2


def score_gap(y: sp.Expr) -> sp.Expr:
    """What a step of the size 1 adds to the gap of two scores whose classes differ in one of the
    three numbers, for M = 2, L = 1 and z = log(y), as theory computes it.
    """
    classes = list(product(range(2), repeat=3))
    features = sp.Matrix(6, 8, lambda row, k: int(classes[k][row // 2] == row % 2))
    tasks = sp.Matrix(3, 8, lambda number, k: (1 - 2 * classes[k][number]) / sp.sqrt(2))
    block = sp.Matrix([[1, -1], [-1, 1]]) * log(y) / 2
    updates = FeatureRegression(features, tasks=tasks, masses=sp.ones(1, 8) / 8).updates(
        sp.diag(*[block] * 3)
    )
    return updates[0, 0] - updates[1, 0]


@claim(
    "LDL:L2.raw/product",
    needs=("OURS:R7.flow/step",),
    control=(
        dict(third=2),
        dict(most=Fraction(1, 13)),
        dict(slope=Fraction(11, 5)),
        dict(early=Fraction(9, 8)),
        dict(late=Fraction(9, 8)),
        dict(share=Fraction(3, 4)),
    ),
)
def attention_grows_fast_on_products(
    *,
    third: int = 3,
    most: Fraction = Fraction(1, 12),
    slope: int | Fraction = 1,
    early: int | Fraction = 1,
    late: int | Fraction = 1,
    share: Fraction = Fraction(4, 5),
) -> Evidence:
    r"""For the features $(e_i,e_j,e_l)$, $K=M^3$, tasks $\pm\frac L{\sqrt2}$ on halves of one of
    the three numbers, equal shares and $\eta=\frac1{L^2}$, every $\mathrm{Attn}_k\geq\frac12$ after
    at most $96M^2+1125M+2$ steps. Executed are the step of $z$, $\frac{2cy}{(1+y)^3}$ with $y=e^z$
    and $c=\frac13$, at $M=2$; that a step $s$ is at most $\frac1{12}$, and $e^{-s}\leq1-\frac
    s2$; that $\frac1y$ falls by at least $\frac1{96M^2}$ in a step up to $y=M-1$, and by at least
    $\frac1{1500(M-1)^2}$ up to $y=4(M-1)$, where $w=\frac45$; and $w^3\geq\frac12$ there.
    """
    (y, m), s = sp.symbols("y M", positive=True), sp.Symbol("s", nonnegative=True)
    c = m / (6 * (m - 1))
    fall = lambda last: c * m / (2 * (last + m - 1) ** 3)
    many = {m: Closed(2, oo)}
    return all_of(
        identity(computed("z_{1}-z_{0}", score_gap(y)), 2 * y / (third * (1 + y) ** 3)),
        forall(c * m * y / (y + m - 1) ** 3, "<=", sp.Rational(most), many | {y: Closed(1, oo)}),
        forall(exp(-s), "<=", 1 - sp.Rational(slope) * s / 2, {s: Closed(0, 1)}),
        forall(fall(m - 1), ">=", sp.Rational(early) / (96 * m**2), many),
        forall(fall(4 * (m - 1)), ">=", sp.Rational(late) / (1500 * (m - 1) ** 2), many),
        forall(sp.Rational(share) ** 3, ">=", sp.Rational(1, 2), {}),
    )
