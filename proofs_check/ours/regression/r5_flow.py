"""R5: the gradient flow of in-context linear regression with infinite prompts, for any covariance:
what it conserves, that it stays bounded, and where it ends.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import sympy as sp
from sympy import Rational, oo, sqrt

from numerics.counterexamples.drawn.flows import drawn_ends
from numerics.evidence import Evidence, all_of, confirmed
from numerics.provers import Closed, computed, forall, identity, trace_identity
from numerics.provers.eigenbasis import U_ij, bracket, delta, entrywise, l_i, l_j, m_i, motion, slope, u
from numerics.regression.flow.starts import Start, any_starts, ends_at, keeps, positive_starts, theta_starts
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.regression.fixed_point import stands_still
from theory.inputs.spectrum import onto_range
from theory.regression.limit import limit_parameters
from theory.regression.risk import vector_field
from theory.symbolic.algebra import Algebra, Words

gamma, T = sp.symbols("gamma T", positive=True)
e = sp.Symbol("e", real=True)  # c - b
LOJASIEWICZ = (
    "Lojasiewicz (1963): a bounded gradient trajectory of a real-analytic function converges to "
    "a critical point"
)


def parameters(d: int) -> tuple[sp.Matrix, sp.Matrix]:
    """A symmetric S and a general U with an indeterminate for every free entry."""
    S = sp.Matrix(d, d, lambda i, j: sp.Symbol(f"s_{min(i, j)}{max(i, j)}", real=True))
    return S, sp.Matrix(d, d, lambda i, j: sp.Symbol(f"U_{i}{j}", real=True))


def formula(start: Start) -> tuple[np.ndarray, float]:
    """What `limit_parameters` says of a start."""
    noise = start.noise if start.prompt_length else None
    p = limit_parameters(
        start.Sigma, U0=start.U0, u0=start.u0, prompt_length=start.prompt_length, noise=noise
    )
    return p.U[:-1, :-1], float(p.V[-1, -1])


def times(factor: Rational) -> Callable[[Start], tuple[np.ndarray, float]]:
    """The same, U multiplied by a factor."""

    def scaled(start: Start) -> tuple[np.ndarray, float]:
        U, u = formula(start)
        return float(factor) * U, u

    return scaled


def of_positive_sign(start: Start) -> tuple[np.ndarray, float]:
    """The limit that is stated of every start in the orthant, whose u is positive."""
    U, u = formula(start)
    onto = onto_range(start.Sigma)
    kept = start.U0 - onto @ start.U0 @ onto
    return kept + np.sign(u) * (U - kept), abs(u)


@claim("OURS:R5.cons/gradient", control=dict(two=3))
def the_field_is_minus_the_gradient_of_the_risk(*, two: int = 2) -> Evidence:
    r"""For every $d$ and $S_L=aS+bI$, the risk $\frac12(u^2{\rm tr}(USU^\top SS_L)-2u\,{\rm
    tr}(SUS)+{\rm tr}\,S)$ has the gradients $uS(uS_LU-I)S$ and ${\rm tr}((uS_LU-I)SU^\top S)$, as
    what they leave of a step is of second order; `two` stands for the 2 before $u$ in the risk.
    """
    A = Algebra(general=["U", "E"], symmetric=["S"], params=["u", "v", "a", "b"])
    U, E, S, u, v, a, b = (A[name] for name in ("U", "E", "S", "u", "v", "a", "b"))
    S_L = a * S + b * A.I

    def risk(U: Words, u: Words) -> Words:
        return (u * u * (U * S * U.T * S * S_L).tr() - two * u * (S * U * S).tr() + S.tr()) / 2

    bracket = u * S_L * U - A.I
    in_U, in_u = u * S * bracket * S, (bracket * S * U.T * S).tr()
    return all_of(
        trace_identity(
            risk(U + E, u) - risk(U, u), (E.T * in_U).tr() + u * u * (E * S * E.T * S * S_L).tr() / 2
        ),
        trace_identity(risk(U, u + v) - risk(U, u), v * in_u + v * v * (U * S * U.T * S * S_L).tr() / 2),
    )


@claim("OURS:R5.cons/entries", control=dict(factor=2))
def the_entries_of_the_field_in_an_eigenbasis(*, factor: int = 1) -> Evidence:
    r"""In an eigenbasis of $S$ with eigenvalues $l_i$, the entry $(i,j)$ of the field is
    $u\,l_il_j(\delta_{ij}-u\,m_iU_{ij})$, and $\dot u$ is the sum of its summands: this is derived
    from the products of matrices, for every $d$. The second route are matrices of sizes 1, 2 and 3;
    `factor` multiplies the entries and the summands.
    """
    L = sp.Symbol("L", positive=True)
    parts: tuple[list[Evidence], list[Evidence]] = ([], [])
    for d in (1, 2, 3):
        l, (_, U) = sp.symbols(f"l_0:{d}", positive=True), parameters(d)
        m = [(1 + 1 / L) * x + sum(l) / L for x in l]
        moved, moving = vector_field(sp.diag(*l), U, u, prompt_length=L)
        field = [computed(rf"\dot U_{{{k // d}{k % d}}}", x) for k, x in enumerate(moved)]
        cells = [
            {l_i: l[i], l_j: l[j], m_i: m[i], U_ij: U[i, j], delta: int(i == j)}
            for i in range(d)
            for j in range(d)
        ]
        entries, summands = ([f.subs(cell, simultaneous=True) for cell in cells] for f in (motion, slope))
        parts[0].append(identity(field, [factor * x for x in entries]))
        parts[1].append(identity(computed(r"\dot u", moving), factor * sum(summands)))
    return derivation("OURS:R5.cons/entries", *(all_of(*part) for part in parts), factor=factor)


@claim("OURS:R5.cons", control=(dict(factor=2), dict(taken=2)), needs=("OURS:R5.cons/gradient",))
def two_conserved_quantities(*, factor: int = 1, taken: int = 1) -> Evidence:
    r"""For every $d$ and every $S$, singular or not, it is derived that along the flow the
    derivatives of $|U|_F^2-u^2$ and of $P(U)$ vanish, so that both are conserved. The second routes
    are ${\rm tr}(U^\top\dot U)=u\dot u$ and $\dot U=SS^+\dot USS^+$ and integrated paths. Here
    `factor` multiplies $u^2$ and $u\dot u$, and `taken` multiplies $SS^+USS^+$ and $SS^+\dot
    USS^+$.
    """
    A = Algebra(general=["U"], symmetric=["S", "G", "P"], params=["u"], pseudo_inverse=[("S", "G", "P")])
    U, S, P, u = (A[name] for name in ("U", "S", "P", "u"))
    bracket = u * S * U - A.I
    moved, moving = -u * S * bracket * S, -(bracket * S * U.T * S).tr()
    balance = trace_identity((U.T * moved).tr(), factor * u * moving)
    rest = trace_identity(moved, taken * P * moved * P)
    if factor == taken == 1:
        balance = confirmed(balance, keeps(any_starts()[::2]))
    return derivation("OURS:R5.cons", balance, rest, factor=factor, taken=taken)


@claim("OURS:R5.limit/orthant", control=(dict(power=3), dict(factor=2)), needs=("OURS:R5.cons/gradient",))
def the_orthant_is_kept(*, power: int = 2, factor: int = 1) -> Evidence:
    r"""With the eigenvalues $l_i$ of $S$ and $m_i$ of $S_L$, on the diagonal $\dot
    U_{ii}+u^2l_i^2m_iU_{ii}=u\,l_i^2$, and $\dot u+Qu=\sum_il_i^2U_{ii}$ with
    $Q=\sum_{i,j}l_il_jm_iU_{ij}^2$: this is derived from the products of matrices, for every $d$.
    Here `power` stands for the exponent of $u^2$, and `factor` multiplies $Q$.
    """
    diagonal = identity((motion + u**power * l_i * l_j * m_i * U_ij).subs({l_j: l_i, delta: 1}), u * l_i**2)
    scalar = entrywise(slope + factor * u * l_i * l_j * m_i * U_ij**2, l_i * l_j * U_ij * delta)
    return derivation("OURS:R5.limit/orthant", diagonal, scalar, power=power, factor=factor)


@claim("OURS:R5.limit/square", control=dict(power=3))
def the_risk_is_a_sum_of_squares(*, power: int = 2) -> Evidence:
    r"""In an eigenbasis $R-\min R=\frac12\sum_{i,j}l_il_jB_{ij}^2/m_i$, so that the minima are
    where the bracket $B$ of the field vanishes on the range of $S$: this is derived from the traces
    of the risk, for every $d$, with $\min R=\frac12\sum_i(l_i-l_i^2/m_i)$, in which summands with
    $l_i=0$ are 0. The second route are the summands; `power` stands for the exponent of $B_{ij}$.
    """
    risk = u**2 * m_i * l_i * l_j * U_ij**2 - 2 * u * l_i * l_j * U_ij * delta + l_i * delta
    summands = entrywise(l_i * l_j * bracket**power / m_i, risk - (l_i - l_i * l_j / m_i) * delta)
    return derivation("OURS:R5.limit/square", summands, power=power)


@claim(
    "OURS:R5.limit/bounded",
    needs=("OURS:R5.cons/gradient", "OURS:R5.cons/entries"),
    control=({"of_e": Rational(1, 2)}, {"of_s": Rational(1, 2)}),
)
def the_flow_is_bounded(*, of_e: Rational = Rational(1), of_s: Rational = Rational(1)) -> Evidence:
    r"""Along the flow $u^2\leq s+\max(-e,0)$ and $|U_r|^2\leq s+\max(e,0)$ on the range of $S$,
    with the conserved $e$ and $s=(p+k)/q$, where $p^2$ is twice what the risk of the start exceeds
    its least value by, $k^2=\sum_il_i^2/m_i$, and $q^2$ is the least $l_il_jm_i$ in the range. This
    is derived, as the risk falls and bounds $|u||U_r|$ by $s$. The second route is the algebra for
    $x=u^2$ and $x+e=|U_r|^2$, where $x(x+e)\leq s^2$; `of_s` multiplies $s$, and `of_e` the
    maximum.
    """
    s, f, h = sp.symbols("s f h", positive=True)
    domain = dict.fromkeys((s, f, h), (0, oo))
    x = of_s * s + of_e * f + h  # e = -f
    falling = forall(x * (x - f), ">", s**2, domain, where=[(x, ">=", f)])
    rising = forall((of_s * s + h) * (of_s * s + h + f), ">", s**2, domain)  # e = f
    scalars = all_of(falling, rising)
    numbers = dict(of_e=Fraction(of_e), of_s=Fraction(of_s))
    return derivation("OURS:R5.limit/bounded", scalars, scalars, **numbers)


@claim(
    "OURS:R5.limit/critical",
    control=(dict(two=3), dict(one=2)),
    needs=("OURS:R5.limit/square", "OURS:R5.cons/entries"),
)
def every_other_critical_point_is_a_saddle_of_one_height(*, two: int = 2, one: int = 1) -> Evidence:
    r"""At every critical point that is no minimum the risk is $\frac12{\rm tr}\,S$: it is derived
    for every $d$ that $R-\frac12{\rm tr}\,S=\frac12(u^2Q-2u\,{\rm tr}(SUS))$, and that the product
    of this and $R-\min R$ vanishes at critical points. The second routes are the summands, and the
    saddle in one dimension. Here `two` stands for the 2 before $u$, and `one` multiplies ${\rm
    tr}\,S-2\min R$.
    """
    minimum = (l_i * delta + l_i * l_j / m_i * bracket**2 - l_i * l_j / m_i * delta) / 2
    height = u**2 * l_i * l_j * m_i * U_ij**2 - two * u * l_i * l_j * U_ij * delta
    at_zero = l_i**2 / m_i  # twice the excess at U = 0, u = 0 in one dimension
    saddle = identity(at_zero * (at_zero - one * l_i**2 / m_i), 0)
    return derivation(
        "OURS:R5.limit/critical", entrywise(minimum - l_i * delta / 2, height / 2), saddle, two=two, one=one
    )


@claim(
    "OURS:R5.limit/repel",
    control=(dict(half=Rational(1)), dict(one=2)),
    needs=("OURS:R5.limit/orthant", "OURS:R5.cons/entries"),
)
def saddles_repel_the_orthant(*, half: Rational = Rational(1, 2), one: int = 1) -> Evidence:
    r"""Let $\tau=\sum_il_i^2U_{ii}$, $w=u\sum_il_i^4m_iU_{ii}$ and $K=\sum_il_i^4$, so that $\dot
    u=\tau-uQ$ and $\dot\tau=u(K-w)$. It is derived that at a saddle inside the orthant $u=0$ and
    $l_i^2U_{ii}=0$, and that $ku+\tau$ grows at least like $e^{kt}$ as long as $w\leq\frac12K$ and
    $Q\leq q$, which hold near a saddle, for $k^2+kq=\frac12K$ and $u\geq0$. The second routes are
    one dimension, where $u(uml^2U-l^2)=0$, and $\frac d{dt}(ku+\tau)\geq k(ku+\tau)$. Here `half`
    stands for the $\frac12$ of $w\leq\frac12K$, and $1-$`one` is the 0 of the saddle.
    """
    tau, Q, q, w, K, k, v = sp.symbols("tau Q q w K k u", nonnegative=True)
    summand = identity((l_i**2 * motion).subs({l_j: l_i, delta: 1}), u * (l_i**4 - u * l_i**4 * m_i * U_ij))
    excess = sp.expand(k * (tau - v * Q) + v * (K - w) - k * (k * v + tau))
    regrouped = identity(excess, v * (K - w - k * Q - k**2))
    domain, twice = dict.fromkeys((Q, q, w, k), (0, oo)), 2 * (k**2 + k * q)  # K
    room = forall(twice - w - k * Q - k**2, ">=", 0, domain, where=[(Q, "<=", q), (w, "<=", half * twice)])
    growth = all_of(summand, regrouped, room)
    x, r = sp.symbols("x r", positive=True)  # l B and 1/m at a critical point, where u l^2 B = 0
    still = identity(r * x * (u * x), (1 - one) * r * x**2, given=[sp.Eq(u * x, 0)])
    return derivation("OURS:R5.limit/repel", still, still, growth, half=Fraction(half), one=one)


@claim(
    "OURS:R5.sign",
    control=dict(factor=Rational(1001, 1000)),
    needs=("OURS:R5.cons/gradient", "OURS:R5.limit/critical", "OURS:R5.limit/bounded"),
    cites=(LOJASIEWICZ,),
)
def the_sign_below_the_height_of_the_saddles(*, factor: Rational = Rational(1)) -> Evidence:
    r"""From starts of any signs, balanced or not, the integrated flow ends at the minimum that has
    the sign of $u$ once the risk is below $\frac12{\rm tr}\,S$; `factor` multiplies the limit of
    $U$.
    """
    checked = r"u(t)\to\operatorname{sign}(u(t_0))/|\gamma|\ \text{ if } R(t_0)<\tfrac12\operatorname{tr}S"
    drawn = drawn_ends(times(factor), "any signs below the height of the saddles", singular=True)
    return ends_at(times(factor), any_starts(), checked=checked).replace(sides=(drawn,))


@claim("OURS:R5.limit/fixed_point", control=(dict(four=5, factor=2), dict(one=2)))
def one_fixed_point_has_the_conserved_values(*, four: int = 4, factor: int = 1, one: int = 1) -> Evidence:
    r"""The only balanced scale is $\gamma^2=(e+\sqrt{e^2+4T})/(2T)$ with $e=c-b$: it is a root of
    $Tx^2-ex-1$, of which two positive roots $x$ and $y$ are derived to be equal. It is derived from
    the products of matrices that $(\gamma S_L^{-1}SS^++P(U(0)),1/\gamma)$ stands still for every
    $S_L$ with the eigenvectors of $S$. Here `four` stands for the 4, `factor` multiplies $\gamma
    S_L^{-1}SS^+$, and `one` multiplies $y$.
    """
    square = (e + sqrt(e**2 + four * T)) / (2 * T)
    balanced = identity(T * square**2 - e * square - 1, 0)
    x = sp.Symbol("x", positive=True)
    other = x / one  # a root for one = 1 only, if x is one
    second = identity(T * other**2 - e * other - 1, 0, given=[sp.Eq(T * x**2 - e * x - 1, 0)])
    entries = stands_still(m_i, factor=factor)
    return all_of(balanced, derivation("OURS:R5.limit/fixed_point", *entries, second, factor=factor, one=one))


@claim("OURS:R5.limit/rate", needs=("OURS:R5.cons/gradient", "OURS:R5.PL/gradient"), control=dict(factor=2))
def the_rate_at_which_the_limit_is_reached(*, factor: int = 1) -> Evidence:
    r"""From every start $U(0)=s\Theta\Theta^\top$, $u(0)=s>0$ with $\|\Theta\Theta^\top\|_F=1$, for
    every $d$ and every $S\neq0$ of any rank, it is derived in an eigenbasis of $S$ that $u$ never
    falls below $a=(8|S|_{\rm op}^3/|S^2|_F+4/s^2)^{-1/2}$, that the risk is at most
    $R(0)e^{-2\lambda_+^3a^2t}$, and that $|u-v|^2+\|U-S^+/v-P(U(0))\|_F^2$ is at most
    $(\frac1{v^2}+\frac4{a^2})\frac{2R(0)}{\lambda_+^3}e^{-2\lambda_+^3a^2t}$ with $v=1/\gamma$. No
    theorem on gradient flows is cited: $|S^2|_Fu+{\rm tr}(SUS)$ grows exponentially where it is
    small. The second route are integrated paths; `factor` multiplies $S^+$.
    """
    search = ends_at(
        times(Rational(factor)), theta_starts(singular=True), checked=r"U\to\gamma S^{+}+P(U(0))"
    )
    return derivation("OURS:R5.limit/rate", search, factor=factor)


@claim("OURS:R5.limit/semidefinite", control=dict(sign=-1), needs=("OURS:R5.cons/entries",))
def semidefinite_starts_are_in_the_orthant(*, sign: int = 1) -> Evidence:
    r"""For a positive semidefinite $U(0)$ it is derived that the diagonal of $W=SU(0)S$ is not
    negative and $|W|_F^2\leq d\,{\rm tr}(W)^2$, for every $d$: so ${\rm tr}\,W>0$ unless $W=0$.
    Tried is $d=2$; `sign` multiplies the diagonal and the trace.
    """
    x, y = sp.symbols("x y", nonnegative=True)
    w = sp.Symbol("w", real=True)
    domain = {x: Closed(0, oo), y: Closed(0, oo)}
    length = forall(
        x**2 + y**2 + 2 * w**2,
        "<=",
        sign * 2 * (x + y) ** 2,
        domain | {w: (-oo, oo)},
        where=[(w**2, "<=", x * y)],
    )
    return derivation("OURS:R5.limit/semidefinite", forall(0, "<=", sign * x, domain), length, sign=sign)


@claim(
    "OURS:R5.limit",
    control=(dict(factor=Rational(1001, 1000)), dict(least=-2)),
    needs=(
        "OURS:R5.cons",
        "OURS:R5.cons/gradient",
        "OURS:R5.cons/entries",
        "OURS:R5.limit/bounded",
        "OURS:R5.limit/fixed_point",
        "OURS:R5.limit/semidefinite",
    ),
)
def limit_of_the_flow(*, factor: Rational = Rational(1), least: int = 0) -> Evidence:
    r"""In an eigenbasis of $S$, for every $d$ and every $S\neq0$ of any rank, it is derived from
    $u(0)\geq0$, a diagonal of $SU(0)S$ that is not negative, and $u(0)+{\rm tr}(SU(0)S)>0$ that
    $(1-e^{-\beta t})^2(|u-\frac1\gamma|^2+|U-\gamma S^+-P(U(0))|_F^2)$ is at most a constant times
    $e^{-ct}$, all numbers explicit, and the same with $S_L$. The orthant is kept, as a smooth sum
    of negative parts grows at most exponentially; $\kappa u+{\rm tr}(SUS)$ stays above a number
    $m>0$, so that $\dot u\geq m-\beta u$; and then the risk falls exponentially. No theorem on
    gradient flows is cited.

    The second route are integrated paths. Here `factor` multiplies $\gamma S^+$, and `least` is the
    least $U_{ii}(0)$: from $U(0)=-2$ and $u(0)=\frac35$ the flow in one dimension ends where $u$ is
    negative.
    """
    if least < 0:
        below = Start("d = 1; below the orthant", np.array([[0.7]]), np.array([[float(least)]]), 0.6)
        return ends_at(of_positive_sign, [below])
    drawn = drawn_ends(times(factor), "u0 >= 0 and a nonnegative diagonal", singular=True)
    checked = r"U(t)\to\gamma S^{+}+P(U(0)),\ u(t)\to 1/\gamma"
    found = ends_at(times(factor), positive_starts(), checked=checked).replace(sides=(drawn,))
    return derivation("OURS:R5.limit", found, factor=Fraction(factor))
