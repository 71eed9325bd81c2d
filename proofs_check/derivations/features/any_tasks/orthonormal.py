"""R11: the margin of orthonormal features is (K - 1)^{-1/2}, for every number K of classes: the
matrix D = sum_k (K v_k - sum_m v_m) v_k' has the gap K at each pair and |D|^2 = K^2 (K - 1), and
the sum of the gaps of any matrix A is <A, D>. And the late law at this margin.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import assume, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.any_tasks import late_law
from proofs_check.derivations.features.any_tasks.flow import loss
from proofs_check.derivations.features.any_tasks.halves import now
from proofs_check.derivations.features.feature_flow import M, eta
from proofs_check.derivations.features.margin import gamma
from proofs_check.derivations.features.only_orthonormal import (
    K,
    classes,
    delta,
    gram,
    i,
    k,
    l,
    m,
    phi,
    picks,
    q,
    r,
    symmetric,
    v,
)
from proofs_check.derivations.features.steps import times
from proofs_check.derivations.proof import proves

j, least = Variable("j", Sort.INDEX), Variable("g", range=NONNEGATIVE)
A = Function("A", (Sort.INDEX, Sort.INDEX))
entries = lambda e: bind("coordinates", (i, j), e, (r, r))
orthonormal = assume("the features are orthonormal", gram(k, l), "==", delta(k, l), every=(k, l))
ones = assume(
    "delta_kk is 1 for a class", classes(k, delta(k, k) * phi(k)), "==", classes(k, phi(k)), every=(phi,)
)
#: K v_k - sum_m v_m, and D.
turned = K * v(k, i) - classes(m, v(m, i))
D = classes(k, turned * v(k, j))
two = delta(k, k) * delta(m, m) * (1 - delta(k, m))


def gap(X: Term) -> Term:
    """(v_k - v_m)'X v_k."""
    return entries((v(k, i) - v(m, i)) * X * v(k, j))


apart = assume("every gap of A is at least g", two * least, "<=", two * gap(A(i, j)), every=(k, m))


@cache
def count() -> Theorem:
    """The sum of delta_kk is K."""
    at_1 = instantiate(ones, {phi: ((k,), term(1))})
    return calc(classes(k, delta(k, k)), ("==", at_1.lhs), ("==", at_1.rhs, at_1), ("==", K))


@cache
def of_a_feature() -> Theorem:
    """<v_l, K v_k - sum_m v_m> = K delta_lk - delta_ll."""
    one = instantiate(picks, {phi: ((q,), term(1)), k: l})
    g_lk, g_lm = (instantiate(orthonormal, {k: l, l: x}) for x in (k, m))
    each = integrate("coordinates", (m,), g_lm, (K,))
    total = bind("coordinates", (i,), v(l, i) * turned, (r,))
    return calc(
        total,
        ("==", K * g_lk.lhs - each.lhs),
        ("==", K * g_lk.rhs - each.rhs, g_lk, each, g_lk.lhs, each.lhs),
        ("==", K * delta(l, k) - one.lhs),
        ("==", K * delta(l, k) - delta(l, l), one, one.lhs),
    )


@cache
def square_of_D() -> Theorem:
    """|D|^2 = sum_k |K v_k - sum_m v_m|^2 = K^2 (K - 1)."""
    other = instantiated(turned, {k: l})
    W = bind("coordinates", (i,), turned * other, (r,))
    each = show(gram(k, l) * W, "==", delta(k, l) * W, orthonormal, gram(k, l), W)
    picked = instantiate(picks, {phi: ((q,), instantiated(W, {l: q}))})
    own = instantiated(W, {l: k})
    column = calc(
        classes(m, delta(m, k)),
        ("==", classes(m, delta(k, m) * 1), instantiate(symmetric, {l: m})),
        ("==", delta(k, k), instantiate(picks, {phi: ((q,), term(1))})),
    )
    first, rest = (instantiate(of_a_feature(), {l: x}) for x in (k, m))
    total = integrate("coordinates", (m,), rest, (K,))
    length = calc(
        own,
        ("==", K * first.lhs - total.lhs),
        ("==", K * first.rhs - total.rhs, first, total, first.lhs, total.lhs, total.rhs),
        ("==", K * (K * delta(k, k) - delta(k, k)) - K * column.lhs + classes(m, delta(m, m))),
        (
            "==",
            K * (K * delta(k, k) - delta(k, k)) - K * delta(k, k) + K,
            column,
            count(),
            column.lhs,
            classes(m, delta(m, m)),
        ),
    )
    return calc(
        entries(D**2),
        ("==", bind("coordinates", (k, l), gram(k, l) * W, (K, K))),
        ("==", bind("coordinates", (k, l), delta(k, l) * W, (K, K)), each),
        ("==", classes(k, picked.lhs)),
        ("==", classes(k, delta(k, k) * own), picked),
        ("==", classes(k, own), instantiate(ones, {phi: ((k,), own)})),
        ("==", classes(k, length.rhs), length),
        ("==", (K**2 - 2 * K) * count().lhs + K**2),
        ("==", (K**2 - 2 * K) * K + K**2, count()),
        ("==", K**2 * (K - 1)),
    )


@cache
def gaps_of_D() -> Theorem:
    """(v_k - v_m)'D v_k = K for two classes."""
    other = instantiated(turned, {k: l})
    of = [bind("coordinates", (i,), v(x, i) * other, (r,)) for x in (k, m)]
    known = [instantiate(of_a_feature(), {l: x, k: l}) for x in (k, m)]
    known = [show(e, "==", shown.rhs, shown) for e, shown in zip(of, known, strict=True)]
    apart, value = of[0] - of[1], known[0].rhs - known[1].rhs
    each = calc(
        gram(k, l) * apart,
        ("==", delta(k, l) * apart, orthonormal, gram(k, l), *of),
        ("==", delta(k, l) * value, *known, delta(k, l), *of),
    )
    picked = instantiate(picks, {phi: ((q,), instantiated(value, {l: q}))})
    total = calc(
        gap(D),
        ("==", classes(l, each.lhs)),
        ("==", classes(l, each.rhs), each),
        ("==", picked.rhs, picked),
        (
            "==",
            delta(k, k) * (K * delta(k, k) - delta(k, k) - K * delta(k, m) + delta(m, m)),
            instantiate(symmetric, {l: m}),
        ),
    )
    return show(two * gap(D), "==", two * K, total, gap(D))


@cache
def sum_of_gaps() -> Theorem:
    """The sum of the gaps of A over all pairs of classes is <A, D>."""
    a_mk = entries(v(m, i) * A(i, j) * v(k, j))
    a_kk = instantiated(a_mk, {m: k})
    pair = a_kk - a_mk
    none = instantiate(picks, {phi: ((m,), pair)})
    in_m = instantiate(ones, {phi: ((m,), (1 - delta(k, m)) * pair)})
    total = classes(m, pair)
    row = calc(
        classes(m, delta(m, m) * ((1 - delta(k, m)) * pair)),
        ("==", in_m.rhs, in_m),
        ("==", total - none.lhs),
        ("==", total - none.rhs, none, total, none.lhs),
        ("==", total),
    )
    in_k = instantiate(ones, {phi: ((k,), total)})
    return calc(
        bind("coordinates", (k, m), two * gap(A(i, j)), (K, K)),
        ("==", classes(k, delta(k, k) * row.lhs)),
        ("==", classes(k, delta(k, k) * total), row),
        ("==", classes(k, total), in_k),
        ("==", entries(A(i, j) * D)),
    )


@cache
def number_of_pairs() -> Theorem:
    """There are K^2 - K pairs."""
    one = instantiate(picks, {phi: ((m,), term(1))})
    in_m = instantiate(ones, {phi: ((m,), 1 - delta(k, m))})
    row = calc(
        classes(m, delta(m, m) * (1 - delta(k, m))),
        ("==", in_m.rhs, in_m),
        ("==", K - one.lhs),
        ("==", K - delta(k, k), one, one.lhs),
    )
    return calc(
        bind("coordinates", (k, m), two, (K, K)),
        ("==", classes(k, delta(k, k) * row.lhs)),
        ("==", classes(k, delta(k, k) * row.rhs), row),
        ("==", (K - 1) * count().lhs),
        ("==", K * (K - 1), count()),
    )


def statements(one: int = 1) -> tuple[Statement, ...]:
    """The gaps of D at two classes are K and |D|^2 = K^2 (K - one), so that D/|D| has the margin
    (K - 1)^{-1/2}; and if every gap of A is at least g >= 0, then K (K - one) g is at most
    K (K - 1)^{1/2} |A|.
    """
    given = hypotheses(picks, orthonormal)
    size = K**2 * (K - one)
    return (
        Statement(two * gap(D), "==", two * (one * K), given | hypotheses(symmetric)),
        Statement(entries(D**2), "==", size, given | hypotheses(symmetric, ones)),
        Statement(
            K**2 * (K - one) ** 2 * least**2,
            "<=",
            K**2 * (K - 1) * entries(A(i, j) ** 2),
            given | hypotheses(symmetric, ones, apart),
        ),
    )


@cache
def at_most() -> Theorem:
    """K (K - 1) g <= <A, D> <= |A| |D|."""
    total = integrate("coordinates", (k, m), apart, (K, K))
    low = calc(
        K * (K - 1) * least,
        ("==", number_of_pairs().lhs * least, number_of_pairs(), number_of_pairs().lhs),
        ("==", total.lhs),
        ("<=", total.rhs, total),
        ("==", entries(A(i, j) * D), sum_of_gaps()),
    )
    X, inner = low.lhs, low.rhs
    positive = show(0, "<=", X)
    schwarz = cauchy_schwarz("coordinates", (i, j), A(i, j), D, (r, r))
    return calc(
        statements()[2].lhs,
        ("==", X * X),
        ("<=", X * inner, times(X, low, positive)),
        ("<=", inner * inner, times(inner, low, calc(positive, ("<=", inner, low)))),
        ("==", schwarz.lhs),
        ("<=", schwarz.rhs, schwarz),
        (
            "==",
            entries(A(i, j) ** 2) * square_of_D().rhs,
            square_of_D(),
            entries(A(i, j) ** 2),
            entries(D**2),
        ),
        ("==", statements()[2].rhs),
    )


proves("OURS:R11.orthonormal/margin", statements, part=1)(gaps_of_D)
proves("OURS:R11.orthonormal/margin", statements, part=2)(square_of_D)
proves("OURS:R11.orthonormal/margin", statements, part=3)(at_most)

# The late law at this margin.

margin = assume("gamma is the margin M^{-1/2} of orthonormal features", gamma, "==", M ** Fraction(-1, 2))


def late_statements(four: int = 4) -> tuple[Statement, ...]:
    """That of R11, with `four` eta t loss/M in place of 4 eta gamma^2 t loss."""
    above, below = late_law.statements()[1:]
    scaled = Fraction(four) * eta * (late_law.t_0 + now) * loss / M
    return (
        Statement(
            late_law.since(late_law.low_above) * (scaled - 1),
            "<=",
            late_law.eps,
            above.assumptions | hypotheses(margin),
        ),
        Statement(
            late_law.settled_s * late_law.since(late_law.low_below) * (1 - scaled),
            "<=",
            late_law.eps,
            below.assumptions | hypotheses(margin),
        ),
    )


@proves("OURS:R11.orthonormal", late_statements, part=(1, 2))
@cache
def late() -> tuple[Theorem, Theorem]:
    """gamma^2 is 1/M."""
    scaled = 4 * eta * gamma**2 * (late_law.t_0 + now) * loss
    put = show(scaled, "==", 4 * eta * (late_law.t_0 + now) * loss / M, margin, loss)
    one, two = late_law.at_most_1(), late_law.at_least_1()
    I, J = late_law.since(late_law.low_above), late_law.settled_s * late_law.since(late_law.low_below)
    return (
        calc(I * (put.rhs - 1), ("==", I * (scaled - 1), put, I, put.rhs, scaled), ("<=", late_law.eps, one)),
        calc(J * (1 - put.rhs), ("==", J * (1 - scaled), put, J, put.rhs, scaled), ("<=", late_law.eps, two)),
    )
