"""Appendix C of Li, Duan & Liang, the second half of the proof of Lemma 2: inner products of
features are replaced by those of an orthonormal set. Each step is exact, at every Q and for all
tasks, for some Gram matrices only: the first where G = I, the second where all products of two
different features are equal, the third where G is I plus a constant.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from numerics.evidence import Evidence, all_of
from numerics.provers import computed, identity, trace_identity
from numerics.provers.remembered import cached
from proofs_check.core.claim import claim
from proofs_check.core.robust import Robust
from proofs_check.core.witnessed import at_point
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import charge
from theory.regression.features.data import FeatureRegression
from theory.symbolic.algebra import Algebra

#: Why derivatives of one score say everything about the gradient in Q.
CHAIN_RULE = (
    r"By the chain rule the gradient in $Q$ is the sum of $v_mv_k^{\top}$ times the derivative in "
    r"the score $q_{k,m}$."
)
#: Two features (1, 0) and (x, y), one task with the values f and 0, Q = 0, p = 1/2.
SKEW = {"x": Fraction(1, 2), "y": Fraction(1), "f": Fraction(2)}
SKEW_HYPOTHESES = ("0 < x < 1", "1/2 < y < 2", "f > 0")
w, F = sp.symbols("w_1:4", positive=True), sp.symbols("f_1:4", real=True)


def skew(x: Fraction, y: Fraction, f: Fraction) -> FeatureRegression:
    """Two features that are neither orthogonal nor of one norm."""
    return FeatureRegression(sp.Matrix([[1, x], [0, y]]), tasks=sp.Matrix([[f, 0]]))


def between(product_with: list[sp.Expr], own: int = 0) -> tuple[sp.Expr, sp.Expr]:
    """For three classes with the products ``v_k'.v_m``, the double sum over m and n and what is
    kept of it, the terms with m = k' or n = k'.
    """
    term = lambda m, n: w[m] * w[n] * F[m] * (product_with[m] - product_with[n])
    whole = sum(term(m, n) for m, n in product(range(3), repeat=2))
    return whole, sum(term(own, n) for n in range(3)) + sum(term(m, own) for m in range(3))


def kept_and_printed(own: sp.Expr, other: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """What is kept where v_k' has one product with itself and one with all others, and what is
    printed for it.
    """
    _, kept = between([own, other, other])
    return kept, w[0] * F[0] * sum(w) - w[0] * sum(a * b for a, b in zip(w, F))


@cached
def of_any_features(power: int) -> Evidence:
    """The gradient of tr(H'V'QV) is VHV', for every d and K, and GHG of two features in the plane
    has the derivatives of the loss.
    """
    words = Algebra(general=["V", "H", "Q"])
    V, H, Q = (words[name] for name in ("V", "H", "Q"))
    gradient = trace_identity((H.T * V.T * Q * V).tr().grad("Q"), V * H * V.T)
    v, at = sp.Matrix(2, 2, sp.symbols("v_1:5", real=True)), sp.Matrix(2, 2, sp.symbols("Q_1:5", real=True))
    problem = FeatureRegression(v, tasks=sp.Matrix([F[:2]]))
    slope = -(v[:, 1].T * sp.Matrix(2, 2, lambda i, j: sp.Derivative(problem.loss(at), at[i, j])) * v[:, 0])[
        0
    ]
    updated = (problem.gram**power * problem.H(at) * problem.gram)[1, 0]
    return all_of(gradient, identity(slope, computed("(GHG)_{21}", updated)))


ONE_QUERY = Robust(
    point=SKEW,
    hypotheses=SKEW_HYPOTHESES,
    # true: G H G; printed: G H, without the factor x_query'v_k of the other query
    violation=lambda x, y, f: (
        (p := skew(x, y, f)).updates(sp.zeros(2))[0, 0] - (p.gram * p.H(sp.zeros(2)))[0, 0]
    ),
    equality=True,
)


@claim(
    "LDL:C.sandwich",
    **charge(false="gap", follows="LDL:L2.raw", costs="a hypothesis"),
    repair=dict(orthonormal=True),
    control=(dict(shared=Fraction(1, 10)), dict(power=2)),
    needs=("LDL:C.grad", "LDL:C.start"),
    argument=CHAIN_RULE,
    hypotheses=SKEW_HYPOTHESES,
)
def only_one_query_is_kept(
    *, orthonormal: bool = False, shared: Fraction = Fraction(0), power: int = 1
) -> Evidence:
    r"""Printed, $v_{k'}^{\top}\nabla\mathcal{L}\,v_k$ is refuted at two features that are not
    orthonormal. For $v_j^{\top}v_k=\mathbf{1}\{j=k\}$ plus `shared` = 0 the sum over the queries
    keeps the one that is $v_k$: for three queries with any sums over pairs of tokens. For any
    features the gradient is $VHV^{\top}$, with `power` as in L2.raw/gram.
    """
    if not orthonormal:
        return at_point(ONE_QUERY, r"(GHG)_{11}=(GH)_{11}")
    sums = sp.symbols("T_1:4", real=True)
    products = [1 + sp.Rational(shared), sp.Rational(shared), sp.Rational(shared)]
    kept = identity(computed(r"\sum_jT_jv_j^{\top}v_1", sum(t * c for t, c in zip(sums, products))), sums[0])
    return all_of(kept, of_any_features(power))


def three_terms(x: Fraction, y: Fraction, f: Fraction) -> sp.Expr:
    """What is dropped for k' = 1 at Q = 0, with the products x and 0 of v_1 with v_2 and v_3 and
    the values 0, f and 0.
    """
    whole, kept = between([sp.Integer(1), sp.Rational(x), sp.Integer(0)])
    at = {**dict.fromkeys(w, sp.Rational(1, 3)), F[0]: 0, F[1]: sp.Rational(f), F[2]: 0}
    return (whole - kept).subs(at)


DROPPED = Robust(point=SKEW, hypotheses=SKEW_HYPOTHESES, violation=three_terms, equality=True)


@claim(
    "LDL:C.step3",
    **charge(false="gap", follows="LDL:L2.raw", costs="a hypothesis"),
    repair=dict(orthonormal=True),
    control=dict(apart=Fraction(1, 10)),
    needs=("LDL:C.sandwich",),
    hypotheses=SKEW_HYPOTHESES,
)
def terms_that_are_dropped(*, orthonormal: bool = False, apart: Fraction = Fraction(0)) -> Evidence:
    r"""Printed, the step is refuted by three features in the plane. Where the products of $v_{k'}$
    with the others differ by `apart` = 0 nothing is lost, and in general, for three classes, what
    is dropped is $\mathrm{Attn}_2\mathrm{Attn}_3(f_2-f_3)v_{k'}^{\top}(v_2-v_3)$.
    """
    if not orthonormal:
        return at_point(
            DROPPED, r"\sum_{m,n\neq k'}\mathrm{Attn}_m\mathrm{Attn}_nf_mv_{k'}^{\top}(v_m-v_n)=0"
        )
    own, c, other = sp.symbols("c_1 c_2 c_3", real=True)
    whole, kept = between([own, c, c + apart])
    general, rest = between([own, c, other])
    lost = identity(computed("lines 2 and 3", general - rest), w[1] * w[2] * (F[1] - F[2]) * (c - other))
    return all_of(identity(computed("line 2", whole), kept), lost)


REPLACED = Robust(
    point=SKEW,
    hypotheses=SKEW_HYPOTHESES,
    # Attn_1 Attn_2 (f_1 - f_2) (v_1'(v_1 - v_2) - 1) at Q = 0
    violation=lambda x, y, f: f / 4 * ((1 - x) - 1),
    equality=True,
)


@claim(
    "LDL:C.step4",
    **charge(false="gap", follows="LDL:L2.raw", costs="a hypothesis"),
    repair=dict(orthonormal=True),
    control=(dict(one=Fraction(11, 10)), dict(factor=2)),
    needs=("LDL:C.step3",),
    hypotheses=SKEW_HYPOTHESES,
)
def products_that_are_replaced(
    *, orthonormal: bool = False, one: int | Fraction = 1, factor: int = 1
) -> Evidence:
    r"""Printed, the step is refuted at two features that are not orthonormal. With
    $\|v_{k'}\|^2=c+\mathrm{one}$, `one` = 1, and all other products equal to $c$ the two sums are
    what is printed, for three classes and every $c$. For any products of $v_{k'}$ with three
    features the two sums are `factor` = 1 times
    $\mathrm{Attn}_{k'}\sum_n\mathrm{Attn}_n(f_{k'}-f_n)v_{k'}^{\top}(v_{k'}-v_n)$.
    """
    if not orthonormal:
        return at_point(REPLACED, r"v_{k'}^{\top}(v_{k'}-v_n)=1")
    c, products = sp.Symbol("c", real=True), sp.symbols("c_1:4", real=True)
    kept, printed = kept_and_printed(c + sp.Rational(one), c)
    stay = w[0] * sum(a * (F[0] - b) * (products[0] - of) for a, b, of in zip(w, F, products))
    _, of_any = between(list(products))
    return all_of(
        identity(computed("line 3", kept), printed),
        identity(computed("lines 3 and 4", of_any), factor * stay),
    )


@claim("LDL:C.step5", control=dict(sign=-1), needs=("LDL:eq10", "LDL:A.cols"))
def sums_regrouped(*, sign: int = 1) -> Evidence:
    r"""With $\hat y=\sum_n\mathrm{Attn}_nf_n$ and attention that sums to 1 the regrouped sums are
    `sign` = 1 times the printed ones. It is derived for any number of classes; three are tried in
    symbols, and any number with names for the sums.
    """
    last = 1 - w[0] - w[1]
    a = (w[0], w[1], last)
    mean = sum(x * v for x, v in zip(a, F))
    first = (mean - F[0]) * w[1] * sum(x * (F[1] - v) for x, v in zip(a, F))
    double = -w[1] * sum(a[m] * a[n] * (F[0] - F[n]) * (F[1] - F[m]) for m, n in product(range(3), repeat=2))
    grouped = -w[1] * (F[0] - mean) * (F[1] - mean)
    y, total = sp.symbols("yhat s", real=True)  # s = sum of Attn_n, which is 1
    every_K = identity(
        (y - F[0]) * (F[1] * total - y), -sign * (F[0] * total - y) * (F[1] * total - y), given=[(total, 1)]
    )
    search = identity(first, sign * double)
    return derivation("LDL:C.step5", search, all_of(identity(double, sign * grouped), every_K), sign=sign)


RAW = Robust(
    point=SKEW,
    hypotheses=SKEW_HYPOTHESES,
    violation=lambda x, y, f: (p := skew(x, y, f)).updates(sp.zeros(2))[0, 0] - p.H(sp.zeros(2))[0, 0],
    equality=True,
)


@claim(
    "LDL:L2.raw",
    **charge(false="gap", costs="a hypothesis"),
    repair=dict(orthonormal=True),
    control=(dict(factor=2), dict(power=2)),
    needs=("OURS:R7.H",),
    hypotheses=SKEW_HYPOTHESES,
)
def updates_of_the_scores(*, orthonormal: bool = False, factor: int = 1, power: int = 1) -> Evidence:
    r"""Printed, the formula is refuted at two features that are not orthonormal. For orthonormal
    ones $g_{k,m}=v_m^{\top}(-\nabla_Q\mathcal{L})v_k$, with the gradient of R7.H, is `factor` = 1
    times $\mathbb{E}[\mathbf1\{x_{\mathrm{query}}=v_k\}\mathrm{Attn}_m(f_k-\hat y)(f_m-\hat y)]$,
    and for any features the updates are $GHG$, with `power` as in L2.raw/gram. Both are derived for
    every number of classes, every law of tasks, of queries and of finitely many prompts. Tried is
    the derivative of half the squared error in the score $q_{k,m}$, with names for the sums over
    the other classes.
    """
    if not orthonormal:
        return at_point(
            RAW, r"g_{1}=\mathbb E[\mathbf 1\{x_{\rm query}=v_1\}\mathrm{Attn}_1(f(v_1)-\hat y)^2]"
        )
    q, own, other = sp.symbols("q_km f_k f_m", real=True)
    rest, above = sp.Symbol("D", positive=True), sp.Symbol("Y", real=True)  # sums over the other classes
    parts = []
    for value in (other, own):
        total = sp.exp(q) + rest
        mean = (sp.exp(q) * value + above) / total
        slope = sp.Derivative(-((mean - own) ** 2) / 2, q)
        parts.append(identity(slope, factor * sp.exp(q) / total * (own - mean) * (value - mean)))
    return derivation("LDL:L2.raw", all_of(*parts), of_any_features(power), factor=factor, power=power)


@claim("LDL:L2.raw/gram", control=dict(power=2), needs=("OURS:R7.H",))
def updates_for_any_features(*, power: int = 1) -> Evidence:
    r"""By R7.H the gradient in $Q$ is $-VHV^{\top}$, so that the updates are
    $V^{\top}VHV^{\top}V=G^{\mathrm{power}}HG$ with `power` = 1, which is derived for every $d$ and
    $K$. Tried are the gradient of $\mathrm{tr}(H^{\top}V^{\top}QV)$ in words of matrices, and two
    features in the plane, where the updates are minus the derivatives of the loss of theory.
    """
    return derivation("LDL:L2.raw/gram", of_any_features(power), power=power)
