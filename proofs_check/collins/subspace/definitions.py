"""Section 4 of Collins et al.: tasks of low rank, Lipschitz constants by directions, covariates
with spurious directions, and what the scores see of M.
"""

from __future__ import annotations

import numpy as np
import sympy as sp

from numerics.evidence import Evidence, all_of
from numerics.provers import computed, identity
from proofs_check.core.claim import claim
from proofs_check.core.witnessed import fails_at
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, refuted_exactly, supported
from theory.attention.window.low_rank import score_blocks

c_u, c_v, s, t = sp.symbols("c_u c_v s t", real=True)
#: An orthonormal basis of R^3 whose first two vectors span col(B): any rotation of the plane,
#: turned by another one.
co, si, cp, sq = sp.symbols("cos sin cos' sin'", real=True)
UNIT = (co**2 + si**2 - 1, cp**2 + sq**2 - 1)
BASIS = sp.Matrix([[co, -si, 0], [si, co, 0], [0, 0, 1]]) * sp.Matrix([[1, 0, 0], [0, cp, -sq], [0, sq, cp]])
B, B_PERP = BASIS[:, :2], BASIS[:, 2]


def vector(name: str, size: int) -> sp.Matrix:
    return sp.Matrix(sp.symbols(f"{name}1:{size + 1}", real=True))


def symmetric(name: str, size: int) -> sp.Matrix:
    return sp.Matrix(size, size, lambda i, j: sp.Symbol(f"{name}{min(i, j) + 1}{max(i, j) + 1}", real=True))


@claim("COL:D4.1/inside", **TYPO, repair=dict(bounded=True), control=dict(sign=-1), hypotheses=("L > 0",))
def lipschitzness_inside(*, bounded: bool = False, sign: int = 1) -> Evidence:
    r"""Printed, the task with $a=2Lw$ has the constant $2L$. With $|a|$ bounded, $|a|^2|z|^2$
    exceeds $(a^\top z)^2$ by the square of the cross product ($k=3$).
    """
    if not bounded:
        L, w = 3, sp.Matrix([0, 0, 1])
        steep = 2 * L * w
        return fails_at({"L": L, "|a|": steep.norm()}, abs(steep.dot(w)) - L, r"|a^{\top}B^{\top}w|\leq L")
    a, z = vector("a", 3), vector("z", 3)
    return identity(a.dot(a) * z.dot(z) - a.dot(z) ** 2, sign * a.cross(z).dot(a.cross(z)))


@claim("COL:D4.1/outside", control=dict(inside=1))
def lipschitzness_outside(*, inside: int = 0) -> Evidence:
    r"""A task does not change in a direction $w$ of the complement, $B^\top w=0$: $f(ww^\top x)$ is
    `inside` = 0 times $w^\top x$, in all dimensions; tried for $d=3$, $k=2$.
    """
    a, x, w = vector("a", 2), vector("x", 3), B_PERP
    along = w.dot(x)
    left = computed(r"a^{\top}B^{\top}ww^{\top}x+s", (a.T * B.T * w)[0] * along + s)
    search = identity(left, inside * along + s, given=UNIT)
    return derivation("COL:D4.1/outside", search, inside=inside)


@claim("COL:D4.2", control=dict(share=2))
def second_moments_of_the_tasks(*, share: int = 1) -> Evidence:
    r"""$\mathbb{E}(a^\top v)^2=\frac{|v|^2}{k}$ for every vector $v$ and every $k$, over `share` =
    1, which is $\mathbb{E}aa^\top=\frac1kI$. Of the uniform law on the sphere it is used that its
    coordinates are uncorrelated and of one mean square. It is tried on the circle and, with the
    integral of the cap, on the sphere of $\mathbb{R}^3$.
    """
    angle, p, q = sp.symbols("theta p q", real=True)
    turn = lambda f: sp.integrate(sp.expand(f), (angle, 0, 2 * sp.pi)) / (2 * sp.pi)
    circle = turn((p * sp.cos(angle) + q * sp.sin(angle)) ** 2)
    sphere = p**2 * sp.integrate(t**2, (t, -1, 1)) / 2
    pairs = ((circle, (p**2 + q**2) / (2 * share)), (sphere, p**2 / (3 * share)))
    search = all_of(
        *(identity(computed(r"\mathbb E(a^{\top}v)^2", found), expected) for found, expected in pairs)
    )
    return derivation("COL:D4.2", search, share=share)


@claim("COL:4.project", control=dict(complement=True))
def tasks_see_the_projection(*, complement: bool = False) -> Evidence:
    r"""$f(BB^\top x)=f(x)$ in all dimensions; with `complement` $x$ is projected onto the
    complement of $\mathrm{col}(B)$ instead. It is tried for $d=3$, $k=2$.
    """
    a, x = vector("a", 2), vector("x", 3)
    f = lambda y: sp.expand((a.T * B.T * y)[0])
    onto = sp.eye(3) - B * B.T if complement else B * B.T
    return derivation("COL:4.project", identity(f(onto * x), f(x), given=UNIT), complement=complement)


@claim("COL:A4.3")
def covariates_with_spurious_directions() -> Evidence:
    """The scales of Assumption 4.3: $c_v=0$ and large $c_v$ are allowed, $c_u=0$ is not."""

    def allowed(scale_u: float, scale_v: float) -> bool:
        try:
            score_blocks(np.eye(2), [[1.0], [0.0]], scale_u, scale_v)
        except ValueError:
            return False
        return True

    inside = {"(1, 0)": (1, 0), "(-1, 1)": (-1, 1), "(1/1000, 1000)": (0.001, 1000.0)}
    outside = {"(0, 1)": (0, 1), "(1, oo)": (1, float("inf"))}
    wrong = [n for n, x in inside.items() if not allowed(*x)] + [n for n, x in outside.items() if allowed(*x)]
    text = r"c_u\neq0,\ -\infty<c_v<\infty"
    if wrong:
        return refuted_exactly({"wrong": ", ".join(wrong)}, "examples", checked=text)
    spoiled = refuted_exactly({"c_u": 0}, "examples", checked=r"c_u=0")
    covered = f"inside: {', '.join(inside)}; outside: {', '.join(outside)}"
    return supported("examples", covered, checked=text, control=spoiled)


@claim("COL:4.scales", control=dict(power=2))
def scores_see_scaled_blocks(*, power: int = 1) -> Evidence:
    r"""The score $x_i^\top Mx$ is $u_i^\top(c_u^2A\,u+c_uc_vN\,v)+v_i^\top(c_uc_vN^\top
    u+c_v^2D\,v)$ with the blocks $A,N,D$ of $M$: any $c_v\neq0$ is made up for by $N$ and $D$,
    which are free, and the bound is on $c_u^2A$. Labels are $c_ua^\top u_i$. All dimensions; each
    exponent is `power` = 1; tried for $d=3$, $k=2$.
    """
    u, v, u_i, v_i = vector("u", 2), vector("v", 1), vector("u_i", 2), vector("v_i", 1)
    A, N, D = symmetric("A", 2), vector("N", 2), symmetric("D", 1)
    M = B * A * B.T + B * N * B_PERP.T + B_PERP * N.T * B.T + B_PERP * D * B_PERP.T
    x, x_i = c_u * B * u + c_v * B_PERP * v, c_u * B * u_i + c_v * B_PERP * v_i
    blocks = u_i.T * (c_u**2 * A * u + (c_u * c_v) ** power * N * v) + v_i.T * (
        (c_u * c_v) ** power * N.T * u + c_v**2 * D * v
    )
    a = vector("a", 2)
    label = identity(computed("f(x_i)", (a.T * B.T * x_i)[0]), c_u**power * (a.T * u_i)[0], given=UNIT)
    score = identity(computed("x_i^{\\top}Mx", (x_i.T * M * x)[0]), blocks[0], given=UNIT)
    return derivation("COL:4.scales", score, label, power=power)


@claim("COL:4.window", control=dict(outside=1))
def window_of_the_projections(*, outside: int = 0) -> Evidence:
    r"""The score of $M=c(BB^\top+oI)$, where $o$ is `outside` = 0, is $c$ times the product of the
    projections, in all dimensions; tried for $d=3$, $k=2$.
    """
    x, y, c = vector("x", 3), vector("y", 3), sp.Symbol("c", real=True)
    M = c * (B * B.T + outside * sp.eye(3))
    search = identity(computed(r"x_i^{\top}Mx", (x.T * M * y)[0]), c * ((B.T * x).T * (B.T * y))[0])
    return derivation("COL:4.window", search, outside=outside)
