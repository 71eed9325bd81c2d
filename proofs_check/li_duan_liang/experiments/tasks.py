"""What the tasks of the experiments of Li, Duan & Liang are: the cosines of Section 6 and the
polynomials of Appendix A against (4), and the sets of L against their threshold.
"""

from __future__ import annotations

import sympy as sp
from sympy import oo

from numerics.counterexamples.by_sequences import defeated
from numerics.evidence import Evidence, Verdict, all_of
from numerics.provers import Integers, forall
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging
from proofs_check.instances.outcomes import TYPO, charge, undecided

L, c, t = sp.symbols("L c t", positive=True)
C, n = sp.Symbol("C", positive=True), Diverging.n


@claim("LDL:Sec6")
def cosines_meet_the_second_condition() -> Evidence:
    r"""With $c\cdot x=c\,u^{\top}x$ the second line of (4), $C|f(v_1)-f(v_2)|\geq L\Delta$, fails
    for every $C$ at $u^{\top}v_1=t$, $u^{\top}v_2=-t$, as a cosine is even, and holds for the
    constant 2 at $u^{\top}v_1=0$, $u^{\top}v_2=3$, $\Delta=3$, $c=\frac12$.
    """
    even = C * (L / c * (sp.cos(c * t) - sp.cos(-c * t))) ** 2
    fails = forall(even, ">=", (2 * L * t) ** 2, {L: (0, oo), c: (0, oo), t: (0, oo), C: (0, oo)})
    holds = forall(2 * 2 * L * (1 - sp.cos(sp.Rational(3, 2))), ">=", 3 * L, {L: (0, oo)})
    if fails.verdict is not Verdict.REFUTED or not holds.verdict.executed:
        return all_of(fails, holds)
    witness = ", ".join(f"{name} = {x}" for name, x in fails.witness.items())
    return undecided(fails.engine, f"it fails at {witness}, and holds at u'v_1 = 0, u'v_2 = 3")


@claim("LDL:Sec6/Lipschitz", **TYPO, repair=dict(coordinates=1), sharp="coordinates", hypotheses=("L > 0",))
def cosines_are_lipschitz(*, coordinates: int = 15) -> Evidence:
    r"""$|\nabla f(x)|^2=m\,L^2\sin^2s\leq L^2$ with $s=c\,(x_1+\dots+x_{15})$, where $m=15$ is
    the squared length of $(1,\dots,1)$; in the corrected form $m=1$.
    """
    s = sp.Symbol("s", real=True)
    return forall(sp.Rational(coordinates) * L**2 * sp.sin(s) ** 2, "<=", L**2, {L: (0, oo), s: (-oo, oo)})


@claim(
    "LDL:Sec6.sets",
    control=(dict(constant=1), dict(constant=3)),
    needs=("LDL:eq9",),
    hypotheses=("delta < 1",),
)
def sets_lie_on_their_sides(*, constant: int = 2) -> Evidence:
    r"""With the constant $c=2$ in the threshold $\frac c{\Delta\delta}$ all of the
    flat set, up to $\frac4{10}$, is below and all of the sharp set, from 1 on, above it, for
    $\Delta=3$ and every $\delta$ from $\sqrt{20K/N}=\frac2{\sqrt5}$ at $K=4$, $N=100$, which (9)
    asks for, up to 1. With $c=1$ it is not so: .4 lies on the sharp side. For such a
    $\delta>\frac12$ (9) says nothing about shares of $\frac14$.
    """
    delta = sp.Symbol("delta", positive=True)
    box, floor = {delta: (0, 1)}, [(sp.Integer(4), "<=", 5 * delta**2)]
    flat = forall(sp.Rational(4, 10) * 3 * delta, "<=", sp.Integer(constant), box, where=floor)
    return all_of(flat, forall(3 * delta, ">=", sp.Integer(constant), box, where=floor))


@claim(
    "LDL:Sec6.app",
    **TYPO,
    repair=dict(promised=2),
    control=dict(promised=3),
    hypotheses=("announced == 3", "presented == 2"),
)
def announced_experiments_are_there(*, promised: int = 3) -> Evidence:
    r"""The number of further experiments announced in Section 6 is at most that in Appendix A:
    refuted, 3 and 2. Repaired, two are announced.
    """
    announced, presented = sp.Symbol("announced", integer=True), sp.Symbol("presented", integer=True)
    return forall(
        announced, "<=", presented, {announced: Integers(promised, promised), presented: Integers(2, 2)}
    )


@claim(
    "LDL:A.poly",
    **charge(false="gap", costs="nothing"),
    repair=dict(mean=True),
    control=(dict(diagonal=2), dict(diagonal=6)),
    needs=("LDL:A.poly/square",),
    hypotheses=("x > 0", "A > 0", "b > 0"),
)
def polynomials_are_lipschitz(*, mean: bool = False, diagonal: int = 4) -> Evidence:
    r"""$|f(x)-f(0)|\leq C|x|$ is refuted for every $C$: $f(x)=Ax^2+bx$ along a line, $A=b=1$,
    $x=n$. Repaired, $\mathbb E|\nabla f(x)|^2=L^2(2+\frac3d)$, where the squares $A_{ii}$ have
    four times the variance $\sigma^2$.
    """
    if not mean:
        return defeated(n**2 + n, C * n, n, at={"x": n}, where={"A": "1", "b": "1"}, least=1)
    return mean_squared_gradient(diagonal=diagonal)


@claim("LDL:A.poly/square", control=(dict(diagonal=2), dict(diagonal=6)))
def mean_squared_gradient(*, diagonal: int = 4) -> Evidence:
    r"""$d(d-1)$ entries of variance $2\sigma^2$, $d$ of variance $4\sigma^2$ and $d$
    of variance $\sigma^2$, with $\sigma=\frac Ld$, sum to $L^2(2+\frac3d)$, for every $d$: both
    inequalities are proved.
    """
    d = sp.Symbol("d", integer=True, positive=True)
    total = (2 * d * (d - 1) + diagonal * d + d) * (L / d) ** 2
    return all_of(
        *(forall(total, op, L**2 * (2 + 3 / d), {L: (0, oo), d: Integers(1, oo)}) for op in ("<=", ">="))
    )
