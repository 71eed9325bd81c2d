"""What the tasks of the experiments of Li, Duan & Liang are: the cosines of Section 6 and the
polynomials of Appendix A against (4), and the sets of L against their threshold.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Integers, forall
from numerics.refutation import defeated
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging

L, c, t = sp.symbols("L c t", positive=True)
C, n = sp.Symbol("C", positive=True), Diverging.n


@claim(
    "LDL:Sec6",
    false="gap",
    why=r"A cosine is even: with $c\cdot x=c\,u^{\top}x$ a task has equal values on all features with the same $|u^{\top}v_k|$, so "
    r"that the second line of (4) fails for every constant.",
    details=r"For orthogonal features of one norm that is every task with the direction $u\propto\sum_k\pm v_k$. The text "
    r"also calls $c$ random and fixes it: then all prompts have one task, and there is nothing to learn in context.",
    instead=r"The tasks $\frac Lc\cos(c\,u^{\top}x)$, $|u|=1$, are $L$-Lipschitz; the second line of (4) holds for some $u$ only.",
    costs="nothing",
    hypotheses=("L > 0", "c > 0"),
)
def cosines_meet_the_second_condition() -> Evidence:
    r"""$C|f(v_1)-f(v_2)|\geq L\Delta$ for some $C$ is refuted at $u^{\top}v_1=t$,
    $u^{\top}v_2=-t$, where the distance $\Delta$ is at least $2t$.
    """
    gap = C * (L / c * (sp.cos(c * t) - sp.cos(-c * t))) ** 2
    return forall(gap, ">=", (2 * L * t) ** 2, {L: (0, oo), c: (0, oo), t: (0, oo), C: (0, oo)})


@claim(
    "LDL:Sec6/Lipschitz",
    false="typo",
    repair=dict(coordinates=1),
    dial="coordinates",
    why=r"$c\cdot x$ is a number only if $c$ is a vector. With the scalar $c$ as the vector $c(1,\dots,1)$ in $\mathbb R^{15}$ the "
    r"Lipschitz constant is $L\sqrt{15}$.",
    instead=r"$f(x)=\frac L{|c|}\cos(c^{\top}x)$ with a random vector $c\in\mathbb R^{15}$, whose Lipschitz constant is $L$.",
    costs="nothing",
    hypotheses=("L > 0",),
)
def cosines_are_lipschitz(*, coordinates: int = 15) -> Evidence:
    r"""$|\nabla f(x)|^2=m\,L^2\sin^2s\leq L^2$ with $s=c\,(x_1+\dots+x_{15})$, where $m=15$ is
    the squared length of $(1,\dots,1)$; in the corrected form $m=1$.
    """
    s = sp.Symbol("s", real=True)
    return forall(sp.Rational(coordinates) * L**2 * sp.sin(s) ** 2, "<=", L**2, {L: (0, oo), s: (-oo, oo)})


@claim(
    "LDL:Sec6.sets",
    false="gap",
    why=r"(9) needs $\delta\geq\sqrt{20K/N}=.894$ at $K=4$, $N=100$, so that $1/(\Delta\delta)\leq.3727$ at $\Delta=3$: "
    r"$L=.4$ lies on "
    r"the sharp side.",
    details=r"An unnamed constant in $\Theta(1/(\Delta\delta))$ would save it. But with $\delta>\frac12$ (9) says nothing "
    r"about shares of "
    r"$\frac14$: an empty class is within $\delta$.",
    instead=r"With $\Theta=1$ and $\frac{2}{\sqrt5}\leq\delta<1$ the threshold is in $(.3333,.3727]$, between $.2$ and $.4$.",
    costs="nothing",
    hypotheses=("s >= 1",),
)
def flat_set_is_below_the_threshold() -> Evidence:
    r"""$\frac4{10}\leq\frac1{\Delta\delta}$ is refuted for $\Delta=3$, $\delta=\frac2{\sqrt5}s$,
    $s\geq1$, $\delta<1$.
    """
    s = sp.Symbol("s", positive=True)
    delta = sp.sqrt(sp.Rational(20 * 4, 100)) * s
    return forall(sp.Rational(2, 5) * 3 * delta, "<=", sp.S.One, {s: (1, sp.Rational(11, 10))})


@claim("LDL:Sec6.sets/others", control=(dict(flat=Fraction(2, 5)), dict(sharp=Fraction(3, 10))), hypotheses=("0.894 < delta < 1",))
def other_members_lie_on_their_sides(*, flat: Fraction = Fraction(1, 5), sharp: Fraction = Fraction(1)) -> Evidence:
    r"""$\frac15$ is below and 1 above $\frac1{3\delta}$ for
    $\frac{89}{100}<\delta<1$.
    """
    d = sp.Symbol("delta", positive=True)
    box = {d: (sp.Rational(89, 100), 1)}
    return all_of(forall(3 * d * sp.Rational(flat), "<=", sp.S.One, box), forall(3 * d * sp.Rational(sharp), ">=", sp.S.One, box))


@claim(
    "LDL:Sec6.app",
    false="typo",
    why="Appendix A has attention maps and polynomial tasks; no experiment there has feature frequencies that are not uniform.",
    instead="Appendix A has 2 further experiments: attention maps and polynomial tasks.",
    costs="nothing",
    repair=dict(promised=2),
    control=dict(promised=3),
    hypotheses=("announced == 3", "presented == 2"),
)
def announced_experiments_are_there(*, promised: int = 3) -> Evidence:
    r"""The number of further experiments announced in Section 6 is at most that in Appendix A:
    refuted, 3 and 2. Repaired, `promised` = 2 are announced.
    """
    announced, presented = sp.Symbol("announced", integer=True), sp.Symbol("presented", integer=True)
    return forall(announced, "<=", presented, {announced: Integers(promised, promised), presented: Integers(2, 2)})


@claim(
    "LDL:A.poly",
    false="gap",
    why=r"A polynomial of degree two has no Lipschitz constant on Gaussian $x$: $|f(sx)-f(0)|/|sx|$ grows with $s$ unless "
    r"$x^{\top}Ax=0$.",
    instead=r"The gradient has the mean square $\mathbb{E}|\nabla f(x)|^2=L^2(2+\frac3d)$: $L$ is the unit of the slope at "
    r"a typical $x$.",
    costs="nothing",
    repair=dict(mean=True),
    control=(dict(diagonal=2), dict(diagonal=6)),
    needs=("LDL:A.poly/square",),
    hypotheses=("x > 0", "A > 0", "b > 0"),
)
def polynomials_are_lipschitz(*, mean: bool = False, diagonal: int = 4) -> Evidence:
    r"""$|f(x)-f(0)|\leq C|x|$ is refuted for every $C$: $f(x)=Ax^2+bx$ along a line, $A=b=1$,
    $x=n$. Repaired, $\mathbb E|\nabla f(x)|^2=L^2(2+\frac3d)$, where the squares $A_{ii}$ have
    `diagonal` = 4 times the variance $\sigma^2$.
    """
    if not mean:
        return defeated(n**2 + n, C * n, n, at={"x": n}, where={"A": "1", "b": "1"}, least=1)
    return mean_squared_gradient(diagonal=diagonal)


@claim(
    "LDL:A.poly/square",
    control=(dict(diagonal=2), dict(diagonal=6)),
    argument=r"$\mathbb E|(A+A^{\top})x+b|^2=\sum_{ij}\mathbb E(A_{ij}+A_{ji})^2+\sum_i\mathbb Eb_i^2$ for $x\sim\mathcal N(0,I)$ "
    r"independent of $A$ and $b$.",
)
def mean_squared_gradient(*, diagonal: int = 4) -> Evidence:
    r"""$d(d-1)$ entries of variance $2\sigma^2$, $d$ of variance $4\sigma^2$ and $d$
    of variance $\sigma^2$, with $\sigma=\frac Ld$, sum to $L^2(2+\frac3d)$, for every $d$: both
    inequalities are proved.
    """
    d = sp.Symbol("d", integer=True, positive=True)
    total = (2 * d * (d - 1) + diagonal * d + d) * (L / d) ** 2
    return all_of(*(forall(total, op, L**2 * (2 + 3 / d), {L: (0, oo), d: Integers(1, oo)}) for op in ("<=", ">=")))
