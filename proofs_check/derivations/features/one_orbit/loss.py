"""R12: the loss at a number times the identity, over one orbit, and its derivative; and the speed
of this number in the words of one query, which is the same for all.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, root, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import assume, instantiate, integrate
from numerics.derivations.kernel.terms import Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.multiples import loss
from proofs_check.derivations.features.equiangular.setting import (
    K,
    c,
    each_class,
    errors,
    exchangeable,
    here,
    i,
    j,
    k,
    l,
    m,
    n,
    of_classes,
    of_k,
    of_n,
    picks,
    same,
    spread,
    symmetric,
    t,
)
from proofs_check.derivations.features.equiangular.setting import zero_or_one as class_or_not
from proofs_check.derivations.features.one_orbit.gradient import error_of_classes, own, squares
from proofs_check.derivations.features.one_orbit.group import (
    PERMUTING,
    N,
    at_the_identity,
    columns,
    gram,
    group,
    h,
    identity,
    length,
    line,
    odds,
    of_l,
    off,
    perm,
    rows,
    schur,
    trace,
    unit,
    upward,
    weight,
    y,
    zero_or_one,
)
from proofs_check.derivations.features.one_orbit.invariant import (
    q,
    s,
    same_length,
    same_off,
    same_own,
    same_product,
    summed,
)
from proofs_check.derivations.features.one_orbit.training import (
    X,
    Y,
    along_the_flow,
    descent,
    flow,
    flow_from_zero,
    from_zero,
    lam,
    on_the_line,
    recursion,
    scalar,
    scalar_start,
    start,
    step,
    z,
)
from proofs_check.derivations.features.steps import scaled, times
from proofs_check.derivations.proof import proves

#: What tells the classes apart.
CLASSES = (class_or_not, symmetric, of_classes, picks, each_class)
orbit = assume(
    "one orbit: some element of the group carries a feature into another one",
    here * same(n, n),
    "<=",
    group(perm(h, k, n)),
    every=(k, n),
)


def error(of: Variable = k) -> Term:
    """1 - 2 w_k + |w|^2 for a query."""
    return 1 - 2 * weight(of, of) + length(of)


#: The loss, as the mean over the queries.
mean_loss = spread / (2 * K) * of_k(error())


@cache
def loss_at_the_identity() -> Theorem:
    """From the definition of the loss."""
    found, square = instantiate(errors(line), {m: k}), instantiate(class_or_not, {m: k})
    of_class, gate = (
        instantiate(error_of_classes(line), {m: k}),
        lambda e: instantiate(each_class, {c: ((k,), e)}),
    )
    A, S = own(line), squares(line)
    of_other = at_the_identity()
    of_own, of_each = (instantiate(of_other, {m: to}) for to in (k, n))
    power = show(of_each.lhs**2, "==", of_each.rhs**2, of_each, of_each.lhs, of_each.rhs)
    total = integrate("coordinates", (n,), power, (K,))
    weights = show(1 - 2 * A + S, "==", error(), of_own, total, A, S, of_own.rhs, total.rhs)
    each = calc(
        here * found.rhs,
        ("==", found.rhs * here**2, scaled(found.rhs, symm(square))),
        ("==", of_class.lhs),
        ("==", of_class.rhs, of_class),
        ("==", spread * (here + (S - 2 * A) * here**2)),
        ("==", spread * (here + (S - 2 * A) * here), scaled(spread * (S - 2 * A), square)),
        ("==", here * (spread * (1 - 2 * A + S))),
        ("==", here * (spread * error()), scaled(here * spread, weights)),
    )
    moments = integrate("coordinates", (k,), found, (K,))
    gated = integrate("coordinates", (k,), each, (K,))
    return calc(
        loss(line),
        ("==", 1 / (2 * K) * moments.lhs),
        ("==", 1 / (2 * K) * moments.rhs, scaled(1 / (2 * K), moments)),
        ("==", 1 / (2 * K) * gated.lhs, scaled(1 / (2 * K), symm(gate(found.rhs)))),
        ("==", 1 / (2 * K) * gated.rhs, scaled(1 / (2 * K), gated)),
        ("==", 1 / (2 * K) * gate(spread * error()).rhs, scaled(1 / (2 * K), gate(spread * error()))),
        ("==", mean_loss),
    )


def inner(of: Variable) -> Term:
    """What a query adds to the trace of minus the gradient, in units of sigma_f^2/K."""
    return weight(of, of) * gram(of, of) - of_n(off(n, of) * gram(n, of))


def slope(of: Variable) -> Term:
    """mu (w_k - |w|^2) + sum w_n^2 h_n, with h_n = v_k.v_k - v_n.v_k and mu = sum w_n h_n."""
    gap_ = gram(of, of) - gram(n, of)
    return of_n(weight(n, of) * gap_) * (weight(of, of) - length(of)) + of_n(weight(n, of) ** 2 * gap_)


@cache
def same_error() -> Theorem:
    """The error of a query is that of the one it is carried into."""
    p = perm(h, q, s)
    return calc(
        p * error(q),
        ("==", p - 2 * (p * weight(q, q)) + p * length(q)),
        ("==", p - 2 * same_own().rhs + same_length().rhs, scaled(term(-2), same_own()), same_length()),
        ("==", p * error(s)),
    )


@cache
def same_norm() -> Theorem:
    """So is the square of its norm."""
    p, square = perm(h, q, s), instantiate(zero_or_one, {k: q, l: s})
    product = instantiate(same_product(), {m: q, l: s})
    return calc(
        p * gram(q, q),
        ("==", p**2 * gram(q, q), scaled(gram(q, q), symm(square))),
        ("==", product.lhs),
        ("==", product.rhs, product),
        ("==", gram(s, s) * p**2),
        ("==", gram(s, s) * p, scaled(gram(s, s), square)),
        ("==", p * gram(s, s)),
    )


@cache
def same_inner() -> Theorem:
    """So is what it adds to the trace."""
    p, both = perm(h, q, s), perm(h, m, l) * perm(h, q, s)
    own_, norm = same_own(), same_norm()
    first = calc(
        p * weight(q, q) * gram(q, q),
        ("==", gram(q, q) * own_.lhs),
        ("==", gram(q, q) * own_.rhs, scaled(gram(q, q), own_)),
        ("==", weight(s, s) * norm.lhs),
        ("==", weight(s, s) * norm.rhs, scaled(weight(s, s), norm)),
        ("==", p * (weight(s, s) * gram(s, s))),
    )
    each = calc(
        both * (off(m, q) * gram(m, q)),
        ("==", gram(m, q) * same_off().lhs),
        ("==", gram(m, q) * same_off().rhs, scaled(gram(m, q), same_off())),
        ("==", off(l, s) * same_product().lhs),
        ("==", off(l, s) * same_product().rhs, scaled(off(l, s), same_product())),
        ("==", both * (off(l, s) * gram(l, s))),
    )
    moved = summed(each, m, l)
    known = instantiate(rows, {c: ((k,), off(k, q) * gram(k, q))})
    reached = instantiate(columns, {c: ((l,), off(l, s) * gram(l, s))})
    second = calc(
        p * of_n(off(n, q) * gram(n, q)),
        ("==", p * known.rhs),
        ("==", p * known.lhs, scaled(p, symm(known))),
        ("==", moved.lhs),
        ("==", moved.rhs, moved),
        ("==", p * reached.lhs),
        ("==", p * reached.rhs, scaled(p, reached)),
    )
    return calc(
        p * inner(q),
        ("==", first.lhs - second.lhs),
        ("==", first.rhs - second.rhs, first, scaled(term(-1), second)),
        ("==", p * inner(s)),
    )


def alike(same_: Theorem, of: Callable[[Variable], Term]) -> Theorem:
    """What does not change where the group carries a query into another one is the same for any two
    classes k and l.
    """
    gate, total, D = here * same(l, l), group(perm(h, k, l)), of(k) - of(l)
    known = integrate("coordinates", (h,), instantiate(same_, {q: k, s: l}), (N,))
    none = calc(
        total * D**2,
        ("==", D * (known.lhs - known.rhs)),
        ("==", D * (known.rhs - known.rhs), scaled(D, known)),
        ("==", 0),
    )
    classes = [instantiate(class_or_not, {m: to, k: to}) for to in (k, l)]
    kept = calc(
        gate**2,
        ("==", same(l, l) ** 2 * here**2),
        ("==", same(l, l) ** 2 * here, scaled(same(l, l) ** 2, classes[0])),
        ("==", here * same(l, l) ** 2),
        ("==", here * same(l, l), scaled(here, classes[1])),
    )
    square = calc(
        (gate * D) ** 2,
        ("==", D**2 * gate**2),
        ("==", D**2 * gate, scaled(D**2, kept)),
        ("<=", D**2 * total, times(D**2, instantiate(orbit, {n: l}))),
        ("==", 0, none),
    )
    e = gate * D
    end = term(0)
    bounds = root(chain(square, end**2), e, end), root(chain((-e) ** 2, square, end**2), -e, end)
    zero = show(e, "==", 0, *bounds, e)
    return calc(gate * of(l), ("==", gate * of(k) - gate * D), ("==", gate * of(k), zero))


def for_each_query(same_: Theorem, of: Callable[[Variable], Term]) -> Theorem:
    """The sum over the queries of what is the same for all."""
    summed_ = integrate("coordinates", (l,), alike(same_, of), (K,))
    values, ones = (instantiate(each_class, {c: ((m,), e)}) for e in (of(m), term(1)))
    return calc(
        here * of_l(of(l)),
        ("==", here * values.rhs),
        ("==", here * values.lhs, scaled(here, symm(values))),
        ("==", summed_.lhs),
        ("==", summed_.rhs, summed_),
        ("==", here * of(k) * ones.lhs),
        ("==", here * of(k) * ones.rhs, scaled(here * of(k), ones)),
        ("==", K * (here * of(k))),
    )


@cache
def loss_of_a_query() -> Theorem:
    """The loss in the weights of any query."""
    known, whole_ = loss_at_the_identity(), for_each_query(same_error(), error)
    return calc(
        here * known.lhs,
        ("==", here * known.rhs, scaled(here, known)),
        ("==", spread / (2 * K) * whole_.lhs),
        ("==", spread / (2 * K) * whole_.rhs, scaled(spread / (2 * K), whole_)),
        ("==", here * (spread / 2 * error())),
    )


@cache
def attentions_add_up() -> Theorem:
    total = of_n(odds(n, k))
    return calc(of_n(weight(n, k)), ("==", 1 / total * total), ("==", 1, total))


@cache
def in_distances() -> Theorem:
    """What a query adds to the trace, in the differences of inner products."""
    S, A, Q, own_ = of_n(weight(n, k)), weight(k, k), length(k), gram(k, k)
    mean, square = of_n(weight(n, k) * gram(n, k)), of_n(weight(n, k) ** 2 * gram(n, k))
    return calc(
        slope(k),
        ("==", (own_ * S - mean) * (A - Q) + own_ * Q - square),
        ("==", (own_ - mean) * (A - Q) + own_ * Q - square, attentions_add_up(), S, A, Q, own_, mean, square),
        ("==", A * own_ - (A * mean + square - Q * mean)),
        ("==", inner(k)),
    )


@cache
def speed_of_a_query() -> Theorem:
    """The trace of minus the gradient in the words of any query."""
    whole_ = for_each_query(same_inner(), inner)
    return calc(
        here * trace(upward),
        ("==", spread / K * whole_.lhs),
        ("==", spread / K * whole_.rhs, scaled(spread / K, whole_)),
        ("==", here * spread * inner(k)),
        ("==", here * spread * slope(k), scaled(here * spread, symm(in_distances()))),
    )


@cache
def slope_of_the_loss() -> Theorem:
    """The derivative of the loss along any path of y is minus the trace, times that of y."""
    here_ = {y: lam(t)}
    at = lambda e: instantiated(e, here_)
    rate = lam.rate(t)
    W, A, Q = at(weight(n, k)), at(weight(k, k)), at(length(k))
    mean, square = of_n(W * gram(n, k)), of_n(W**2 * gram(n, k))
    each = calc(
        derivative(at(error()), t),
        ("==", -2 * rate * (A * (gram(k, k) - mean)) + 2 * rate * (square - Q * mean)),
        ("==", -2 * rate * (A * gram(k, k) - (A * mean + square - Q * mean))),
        ("==", -2 * rate * at(inner(k))),
    )
    return calc(
        derivative(at(mean_loss), t),
        ("==", spread / (2 * K) * of_k(derivative(at(error()), t))),
        ("==", spread / (2 * K) * of_k(-2 * rate * at(inner(k))), each),
        ("==", -at(trace(upward)) * rate),
    )


def statements(share: int | Fraction = 1, half: Fraction = Fraction(1, 2)) -> tuple[Statement, ...]:
    """R12.orbit: Q is lambda times the identity, after every step and at every time, where lambda
    moves by share eta/r times the trace T of minus the gradient there; the loss for any query k is
    half sigma_f^2 (1 - 2 w_k + |w|^2); its derivative by lambda is -T, where `half` stands for its
    factor; and share T is sigma_f^2 (mu (w_k - |w|^2) + sum w_n^2 h_n), with h_n = v_k.v_k -
    v_n.v_k and mu = sum w_n h_n.
    """
    setting = (*CLASSES, exchangeable, identity, *PERMUTING, schur)
    steps = hypotheses(*setting, descent, from_zero, recursion(share), start)
    times_ = hypotheses(*setting, flow, flow_from_zero, scalar(share), scalar_start)
    one = hypotheses(class_or_not, each_class, identity, *PERMUTING, orbit)
    of_loss = one | hypotheses(*CLASSES, exchangeable)
    at = lambda e: instantiated(e, {y: lam(t)})
    whole_loss = half * spread / K * of_k(error())
    return (
        Statement(X, "==", z(step) * unit(i, j), steps),
        Statement(Y, "==", lam(t) * unit(i, j), times_),
        Statement(here * loss(line), "==", here * (half * spread * error()), of_loss),
        Statement(derivative(at(whole_loss), t), "==", -at(trace(upward)) * lam.rate(t)),
        Statement(here * (share * trace(upward)), "==", here * spread * slope(k), one),
    )


proves("OURS:R12.orbit", statements, part=1)(on_the_line)
proves("OURS:R12.orbit", statements, part=2)(along_the_flow)
proves("OURS:R12.orbit", statements, part=3)(loss_of_a_query)
proves("OURS:R12.orbit", statements, part=4)(slope_of_the_loss)
proves("OURS:R12.orbit", statements, part=5)(speed_of_a_query)
