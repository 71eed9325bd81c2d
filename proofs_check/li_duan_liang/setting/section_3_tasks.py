"""Section 3.1 of Li, Duan & Liang: prompts, and the class of tasks (4), what its two lines say and
how they are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import sympy as sp
from sympy import oo

from numerics.counterexamples.by_sequences import defeated
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, forall
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging, Robust
from proofs_check.core.witnessed import at_point, definition
from proofs_check.instances.outcomes import charge

n = Diverging.n
#: Constants of a Theta that serve for all examples.
LEAST, MOST = Fraction(1, 2), Fraction(2)


def steps(f: Sequence[Any], x: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Return |f(x) - f(x')| and |x - x'| of all pairs of points of a line."""
    return [(abs(a - b), abs(u - v)) for (a, u), (b, v) in combinations(zip(f, x), 2)]


@claim("LDL:eq1", control=dict(response=1))
def prompt_matrix(*, response: int = 0) -> Evidence:
    r"""The matrix $P$ of $N=3$ pairs and a query in dimension $d=2$ has $d+1$ rows and $N+1$
    columns, and its last entry is `response` = 0. A prompt that holds the answer, and one without
    the query, are outside.
    """
    X, x = sp.Matrix(2, 3, sp.symbols("x_:6")), sp.Matrix(sp.symbols("q_:2"))
    y = sp.Matrix([sp.symbols("y_:3")])

    def meets(P: sp.Matrix) -> bool:
        return bool(P.shape == (3, 4) and P[:2, :] == X.row_join(x) and P[2, :3] == y and P[2, 3] == 0)

    build = lambda last: X.row_join(x).col_join(y.row_join(sp.Matrix([last])))
    outside = {"the answer in the prompt": (build(sp.Symbol("y_q")),), "no query": (X.col_join(y),)}
    return definition(
        meets, r"P\in\mathbb{R}^{(d+1)\times(N+1)}", inside={"a prompt": (build(response),)}, outside=outside
    )


@claim("LDL:eq4a", control=dict(slope=Fraction(21, 10)))
def first_line_of_the_class(*, slope: int | Fraction = 2) -> Evidence:
    r"""With $L=2$ and $\delta_0=1$ the task $f(x)=\mathrm{slope}\cdot|x|$ with `slope` = 2 meets
    the first line of (4) on the points $-2,\dots,2$, and $f(x)=3x$ does not. Distances count as
    $\Theta(\delta_0)$ from $\frac12\delta_0$ to $2\delta_0$.
    """
    L, points = 2, range(-2, 3)

    def meets(f: Sequence[Any]) -> bool:
        return all(change <= L * far for change, far in steps(f, points) if LEAST <= far <= MOST)

    inside, outside = [slope * abs(x) for x in points], [3 * x for x in points]
    return definition(
        meets, r"|f(x)-f(x')|\le L\|x-x'\|", inside={"2|x|": (inside,)}, outside={"3x": (outside,)}
    )


@claim("LDL:eq4b", control=dict(value=Fraction(9, 10)))
def second_line_of_the_class(*, value: int | Fraction = 2) -> Evidence:
    r"""With $L=2$ and features at distance 1 from each other the task with the values 0, 0,
    `value` = 2 meets the second line of (4), where $\Theta(L)$ begins at $\frac12L$. A constant
    task, and the values 0, 2, 3 at the features 0, 1, 10, do not.
    """
    L = 2

    def meets(f: Sequence[Any], far: Any) -> bool:
        K = range(len(f))
        return all(
            any(k != m and LEAST * L * far(k, m) <= abs(f[k] - f[m]) <= MOST * L * far(k, m) for m in K)
            for k in K
        )

    one = lambda k, m: 1
    outside = {
        "constant": ((1, 1, 1), one),
        "too flat at 10": ((0, 2, 3), lambda k, m: abs((0, 1, 10)[k] - (0, 1, 10)[m])),
    }
    return definition(
        meets,
        r"|f(v_k)-f(v_{k'})|=\Theta(L)\|v_k-v_{k'}\|",
        inside={"0, 0, 2": ((0, 0, value), one)},
        outside=outside,
    )


JUMP = Robust(
    point={"L": 2, "delta0": Fraction(1, 2), "distance": Fraction(1, 16)},
    hypotheses=("L > 0", "0 < delta0 <= 1", "0 < distance < delta0/2"),
    violation=lambda L, delta0, distance: L * delta0 / 2 - L * distance,
)


@claim(
    "LDL:eq4.glob",
    **charge(false="gap", costs="nothing"),
    repair=dict(convex=True),
    control=(dict(least=Fraction(11, 10)), dict(most=Fraction(19, 10))),
    hypotheses=JUMP.hypotheses,
)
def first_line_is_not_the_global_lipschitz_condition(
    *, convex: bool = False, least: int | Fraction = 1, most: int | Fraction = 2
) -> Evidence:
    r"""The step $f(x)=\frac12L\delta_0\mathbf{1}\{x\geq0\}$ meets the first line of (4) for the
    distances from $\frac12\delta_0$ on, and not $|f(x)-f(x')|\leq L\|x-x'\|$ across its jump.
    Repaired, where $\mathcal{X}$ is convex, a distance above $2\delta_0$ is divided into the least
    number $n$ of equal steps of at most $2\delta_0$, which are between `least` = 1 and `most` = 2
    times $\delta_0$ long, so that the first line holds for each.
    """
    if not convex:
        return at_point(JUMP, r"|f(x)-f(x')|\le L\|x-x'\|", f="L*delta0/2 for x >= 0, else 0")
    part, n = sp.Symbol("a", positive=True), sp.Symbol("n", integer=True, positive=True)
    step = 2 * (n - 1 + part) / n  # in units of delta0; n - 1 steps of the length 2 do not suffice, and n do
    box = {part: sp.Interval.Lopen(0, 1), n: Integers(2, oo)}
    return all_of(*(forall(step, op, sp.Rational(c), box) for op, c in ((">=", least), ("<=", most))))


@claim("LDL:eq4.use", control=dict(constant=Fraction(9, 10)))
def differences_between_features(*, constant: int | Fraction = 1) -> Evidence:
    r"""$|f(v_n)-f(v_k)|\leq{}$`constant` times $CL\Delta$ with 1, where the first line of (4)
    holds between features, whose distances are at most $C\Delta$, whatever $C$ is.
    """
    C, L, Delta, far, change = sp.symbols("C L Delta distance difference", positive=True)
    domain = dict.fromkeys((C, L, Delta, far, change), (0, oo))
    where = [(change, "<=", L * far), (far, "<=", C * Delta)]
    return forall(change, "<=", constant * C * L * Delta, domain, where=where)


@claim(
    "LDL:4.mild",
    **charge(false="gap", costs="a hypothesis"),
    repair=dict(half=Fraction(1, 2)),
    control=dict(half=Fraction(3, 5)),
    hypotheses=("K in Integers", "K >= 2"),
)
def generic_tasks_are_too_flat(*, half: Fraction | None = None) -> Evidence:
    r"""That a positive share of the linear tasks on $K$ orthonormal features, with directions drawn
    uniformly, meets $\max_{k'}|f(v_k)-f(v_{k'})|\geq cL\|v_k-v_{k'}\|$ for every $k$ is refuted for
    every share and every $c>0$: the share is at most $\frac{12}{(K+2)c^4}$. Repaired, on features
    at one distance every value differs from the least or the largest one by at least `half` = 1/2
    times their difference.
    """
    if half is None:
        K, share, c = (
            2 * n,
            sp.Symbol("c1", positive=True),
            sp.Symbol("c2", positive=True),
        )  # the share is at least 1/c1
        where = {"f": "L <u, x>, |u| = 1, u uniform", "features": "e_1, ..., e_K"}
        return defeated(sp.S.One, share * 12 / ((K + 2) * c**4), n, at={"K": K}, where=where)
    a = sp.Symbol("a", nonnegative=True)  # the value, as a share of the way from the least to the largest one
    return forall(sp.Max(1 - a, a), ">=", sp.Rational(half), {a: Closed(0, 1)})
