"""The steps of Lemma H.2 of Collins et al.: rotations leave the loss alone, and attention to the
query's own direction is best. Several steps need c_u > 0, k >= 2, or a bound that is not there.
"""

from __future__ import annotations

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, computed, forall, identity, trace_identity
from proofs_check.collins.subspace.definitions import B_PERP, UNIT, B, c_u, c_v, co, si, symmetric, vector
from proofs_check.core.claim import claim
from proofs_check.core.witnessed import fails_at
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, charge, undecided
from theory.symbolic.algebra import Algebra


@claim("COL:H.2.rot", control=dict(sign=-1))
def rotation_moves_to_the_labels(*, sign: int = 1) -> Evidence:
    r"""(28): with $F=B^\top M$ and $G=B_\perp^\top M$ the score is $c_uu_i^\top Fx+c_vv_i^\top Gx$,
    where `sign` = 1 stands before the second part, in all dimensions. (31), (36): for every real
    factor of the exponent the signal term with $u_i^\top Ru$ in the exponents is that with
    $u_i^\top u$ and $R^\top u$ in place of $u$ in the labels, and the noise term is that with
    $u_i^\top u$. It is used that $R$ is orthogonal, and that both terms are the same for the tokens
    $Ru_i$ as for $u_i$, which have one law, given $x$ and the $v_i$. It is tried for $d=3$, $k=2$:
    $|u_i-u|=|R^\top u_i-R^\top u|$, and $u_i^\top Ru=(R^\top u_i)^\top u$.
    """
    M, x, u_i, v_i, u = symmetric("M", 3), vector("x", 3), vector("u_i", 2), vector("v_i", 1), vector("u", 2)
    token = c_u * B * u_i + c_v * B_PERP * v_i
    score = (c_u * u_i.T * (B.T * M) * x + sign * c_v * v_i.T * (B_PERP.T * M) * x)[0]
    R = sp.Matrix([[co, -sign * si], [si, co]])
    off, turned = u_i - u, R.T * u_i - R.T * u
    s = sp.Symbol("s", real=True)
    split = identity(computed(r"x_i^{\top}Mx", (token.T * M * x)[0] + s), score + s)
    labels = identity(
        computed(r"|R^{\top}u_i-R^{\top}u|^2", turned.dot(turned)), sign * off.dot(off), given=UNIT[:1]
    )
    exponents = identity(computed(r"u_i^{\top}Ru", u_i.dot(R * u)), sign * (R.T * u_i).dot(u))
    return derivation("COL:H.2.rot", split, labels, exponents, sign=sign)


@claim(
    "COL:H.2a/35",
    **TYPO,
    repair=dict(positive=True),
    control=dict(sign=-1),
    hypotheses=("C_1 > 0", "s > 0", "s <= 1"),
)
def weight_grows_with_the_overlap(*, positive: bool = False, sign: int = 1) -> Evidence:
    r"""(35), with $s=u_i^\top u>0$, $C_1=\|Fx\|>0$ and the sum $R>0$ of the other summands over
    $\alpha_i$. Printed, $c_u$ may be negative.
    """
    if not positive:
        c, s = -1, 1  # C_1 = R = 1
        gap = 1 / (sp.exp(c * s) + 1) - 1 / (sp.exp(-c * s) + 1)  # at -s less at s
        return fails_at({"c_u": c, "C_1": 1, "s": s, "R": 1}, gap, r"u_i^{\top}u>0\Rightarrow(35)")
    t, rest = sp.symbols("t R", positive=True)  # t = e^{c_u C_1 s} > 1
    return forall(sign * t / (t + rest), ">", sign * (1 / t) / (1 / t + rest), {t: (1, oo), rest: (0, oo)})


@claim("COL:H.2a/32", control=(dict(factor=1), dict(sign=-1)))
def signal_terms_differ_by_the_centre(*, factor: int = 2, sign: int = 1) -> Evidence:
    r"""(32): the difference of the errors at $R^\top u$ and at $u$ is `factor` = 2 times $(u-R^\top
    u)^\top\sum_i\gamma_iu_i$, for any weights and tokens; and the signal term, times `sign` = 1, is
    not smaller at $R^\top u$, for $c_u>0$ as in the repair of (35). It is used that the mean centre
    is on the line of $u$, $\bar cu$, since reflections that keep $u$ keep the law of the tokens,
    and that the reflection of one token to the other side of $u^\perp$ keeps it; then $\bar c\geq0$
    since the weight of the token is smaller there. It is tried for two tokens, $k=2$, and on $2\bar
    c(1-u^\top R^\top u)$.
    """
    w = sp.Symbol("gamma_1", positive=True)
    x, y, u, z = vector("x", 2), vector("y", 2), vector("u", 2), vector("z", 2)
    centre = w * x + (1 - w) * y
    size = lambda v: v.dot(v)
    # |R'u| = |u|: the two squares are removed on both sides.
    split = identity(
        computed(r"|\bar u-R^{\top}u|^2-|\bar u-u|^2", sp.expand(size(centre - z) - size(centre - u)))
        + size(u)
        - size(z),
        factor * (u - z).dot(centre),
    )
    along, overlap = sp.Symbol("c_bar", positive=True), sp.Symbol("t", real=True)
    larger = forall(sign * 2 * along * (1 - overlap), ">=", 0, {along: (0, oo), overlap: Closed(-1, 1)})
    return derivation("COL:H.2a/32", split, larger, factor=factor, sign=sign)


@claim(
    "COL:H.2.strict",
    **charge(false="edge", at="k = 1, and c_v = 0", costs="nothing"),
    repair=dict(least_k=2),
    control=dict(sign=-1),
    hypotheses=("k in Integers", "k >= 1", "c_u > 0"),
)
def equivalent_to_a_multiple_of_B(*, least_k: int = 1, sign: int = 1) -> Evidence:
    r"""Printed, the equivalence fails for $k=1$. For $k=2$, with $\Delta(u,v)=\det(u,Au+Nv)$ and
    any $v$, $2(Nv)_2= \Delta(e_1,v)-\Delta(e_1,-v)$, $2A_{12}=\Delta(e_1,v)+\Delta(e_1,-v)$, and
    so on.
    """
    if least_k == 1:
        along, across = 2, 1  # F x = 2u + v, parallel to u with a positive factor for every u and v
        text = r"F\in\{c^{\prime}B^{\top}\}"
        if any((along * u + across * v) * u <= 0 for u in (1, -1) for v in (1, -1)):
            return undecided("exact arithmetic", "Fx has not the sign of u", checked=text)
        point = {"k": 1, "d": 2, "c_u": 1, "c_v": 1, "F": "2B' + B_perp'", "B'_perp part": across}
        return fails_at(point, sp.Integer(across), text, equality=True)
    A, N = symmetric("A", 2), vector("N", 2)  # N stands for Nv
    det = lambda u, side: sp.Matrix.hstack(u, A * u + side * N).det()
    e_1, e_2 = sp.eye(2)[:, 0], sp.eye(2)[:, 1]
    both, s = e_1 + e_2, sp.Symbol("s", real=True)
    pairs = (
        (r"\Delta(e_1,v)-\Delta(e_1,-v)", det(e_1, 1) - det(e_1, -1), N[1]),
        (r"\Delta(e_2,-v)-\Delta(e_2,v)", det(e_2, -1) - det(e_2, 1), N[0]),
        (r"\Delta(e_1,v)+\Delta(e_1,-v)", det(e_1, 1) + det(e_1, -1), A[0, 1]),
        (r"\Delta(e_1+e_2,v)+\Delta(e_1+e_2,-v)", det(both, 1) + det(both, -1), A[1, 1] - A[0, 0]),
    )
    return all_of(
        *(identity(computed(name, value) + s, sign * 2 * entry + s) for name, value, entry in pairs)
    )


@claim(
    "COL:H.2.min/reflection",
    **charge(false="gap", costs="nothing"),
    repair=dict(any_reflection=True),
    control=dict(any_reflection=True, two=3),
    hypotheses=("C_2 > 0",),
)
def reflections_have_constant_norm(*, any_reflection: bool = False, two: int = 2) -> Evidence:
    r"""For $G=\mathrm{diag}(1,-1)B_\perp^\top$, $|Gx|^2=|v|^2=1$ for all $v$, and $G\neq
    B_\perp^\top$. Repaired, in every dimension and for a symmetric $G$, $|G(v+w)|^2-|Gv|^2-|Gw|^2$
    is `two` = 2 times $v^\top G^2w$.
    """
    if any_reflection:
        letters = Algebra(symmetric=["G"], vectors=["v", "w"])
        G, first, second = (letters[name] for name in "Gvw")
        square = lambda x: x.T * G * G * x
        return trace_identity(
            square(first + second) - square(first) - square(second), two * (first.T * G * G * second)
        )
    v = vector("v", 2)
    image = sp.diag(1, -1) * v
    assert sp.expand(image.dot(image) - v.dot(v)) == 0, "a reflection preserves norms"
    return fails_at(
        {"C_2": 1, "d - k": 2, "Q": "diag(1, -1)", "Q_22": -1}, sp.Integer(-2), r"Q_{22}=1", equality=True
    )


@claim(
    "COL:H.2.min/scale",
    **TYPO,
    repair=dict(scaled=True),
    control=dict(scaled=True, share=2),
    hypotheses=("c_u > 0", "C_1 > 0"),
)
def multiples_have_the_norm_of_their_factor(*, scaled: bool = False, share: int = 1) -> Evidence:
    r"""Printed, $\|Fx\|=C_1$ for $F=C_1B^\top$. Repaired, $\|Fx\|^2$ is $C_1^2$ over `share` = 1
    for $F=\frac{C_1}{c_u}B^\top$.
    """
    if not scaled:
        scale, norm = 2, 1
        point = {"c_u": scale, "C_1": norm}
        return fails_at(point, sp.Integer(scale * norm - norm), r"\|C_1B^{\top}x\|=C_1", equality=True)
    u, v, norm = vector("u", 2), vector("v", 1), sp.Symbol("C_1", positive=True)
    Fx = norm / c_u * B.T * (c_u * B * u + c_v * B_PERP * v)
    return identity(
        computed(r"\|Fx\|^2", sp.expand(Fx.dot(Fx))), norm**2 / share, given=(*UNIT, u.dot(u) - 1)
    )


@claim(
    "COL:H.2.min/bound",
    **charge(false="gap", costs="a hypothesis"),
    repair=dict(signs=True),
    control=dict(signs=True, four=5),
    hypotheses=("c_u > 0", "C >= 0", "inside <= C"),
)
def constraint_does_not_bound_Fx(*, signs: bool = False, four: int = 4) -> Evidence:
    r"""The norm of $Fx$ for $F=2B^\top+B_\perp^\top$ at $u=v=1$ exceeds the bound of $\|B^\top
    MB\|$. Repaired, with $X=e^{2c_u^2A}$, $Y=e^{2c_uc_v|N^\top v|}$ and any numbers $V,W\geq1$ for
    the other parts, the four squared weights are together at least `four` = 4 times that of $X$.
    """
    if signs:
        X, Y, V, W = sp.symbols("X Y V W", positive=True)
        weight = lambda odds: 1 / (1 + odds)
        four_cases = sum(weight(odds) ** 2 for odds in (X * Y * W, X * Y / W, X * V / Y, X / (Y * V)))
        return forall(four_cases, ">=", four * weight(X) ** 2, dict.fromkeys((X, Y, V, W), Closed(1, oo)))
    inside, across, bound = 2, 1, 2
    point = {"c_u": 1, "c_v": 1, "C": bound, "inside": inside, "across": across}
    return fails_at(point, sp.Integer(inside + across - bound), r"|Fx|\leq C")
