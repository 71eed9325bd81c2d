"""Gradient descent from Q = 0 on prompts of N independent tokens of K equally likely classes, over
orthonormal features and for exchangeable tasks: the scores of a query on all other classes are
equal, and its own score grows by a mean of squares.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import exp, symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import assume, induction, instantiate, integrate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import FIRST, Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.any_prompts.setting import orthonormal
from proofs_check.derivations.features.any_prompts.updates import with_the_class
from proofs_check.derivations.features.equiangular.phases import others
from proofs_check.derivations.features.equiangular.score_updates import of_two_classes, with_the_query
from proofs_check.derivations.features.equiangular.setting import (
    K,
    M,
    both,
    c,
    common,
    delta,
    each_class,
    entries,
    eta,
    exchangeable,
    f,
    here,
    i,
    j,
    k,
    l,
    m,
    mean,
    moments,
    n,
    of_classes,
    of_k,
    of_m,
    of_n,
    of_the_query,
    picks,
    r,
    same,
    score,
    spread,
    symmetric,
    task,
    there,
    v,
    zero_or_one,
)
from proofs_check.derivations.features.independent_tokens.exchanged import (
    A,
    A_k,
    A_own,
    Z,
    adds_up,
    diagonal,
    off,
    on_the_own_class,
    own,
    rows,
    squares,
    weight,
)
from proofs_check.derivations.features.independent_tokens.two_classes import (
    LAW,
    expectation,
    h,
    member,
    moved,
    prompt,
    some_class,
    token,
    tokens,
    z,
)
from proofs_check.derivations.features.steps import scaled

t = Variable("t", Sort.STEP)
Q = Function("Q", (Sort.INDEX, Sort.INDEX, Sort.STEP))
X = Q(i, j, t)
#: The score of the query v_k on v_m, and on itself.
q, q_own = score(X), instantiated(score(X), {m: k})
#: Softmax attention on a class by the scores of the tokens, and what it predicts.
odds = exp(entries(of_m(member(m) * v(m, i)) * X * v(k, j)))
share = tokens(member(m) * odds) / tokens(odds)
share_n, share_k = (instantiated(share, {m: x}) for x in (n, k))
prediction = of_n(share_n * f(n, task))
H = expectation(share * mean((f(k, task) - prediction) * (f(m, task) - prediction))) / K
gradient = of_k(of_m(v(m, i) * H * v(k, j)))
loss = of_k(expectation(mean((f(k, task) - prediction) ** 2))) / (2 * K)

descent = assume("gradient descent", Q.after(i, j, t), "==", X + eta * gradient, every=(i, j, t))
from_zero = assume("descent from Q = 0", Q(i, j, FIRST), "==", 0, every=(i, j))
SETTING = (*delta, *LAW, orthonormal, exchangeable, descent, from_zero)
#: By how much the own score exceeds each other one.
gap = q_own * (1 + 1 / M)

C = Function("C", (Sort.INDEX, Sort.INDEX))


@cache
def update_of() -> Theorem:
    """What a step along V C V' adds to the score of k on m: C_mk for two classes."""
    of_l = lambda e: bind("coordinates", (l,), e, (K,))
    first, second = instantiate(orthonormal, {k: n}), instantiate(orthonormal, {m: l})
    one = scaled(C(n, l) * second.lhs, first)
    two = scaled(C(n, l) * first.rhs, second)
    sums = lambda thm: integrate("coordinates", (l,), integrate("coordinates", (n,), thm, (K,)), (K,))
    row = scaled(same(l, k), instantiate(picks, {c: ((h,), C(h, l))}))
    rows_ = integrate("coordinates", (l,), row, (K,))
    turn = instantiate(symmetric, {m: l})
    column = instantiate(picks, {m: k, c: ((h,), C(m, h))})
    turned_ = integrate("coordinates", (l,), scaled(there * C(m, l), turn), (K,))
    last = calc(
        turned_,
        ("==", there * column.lhs),
        ("==", there * column.rhs, scaled(there, column)),
    )
    return calc(
        entries(v(m, i) * of_l(of_n(v(n, i) * C(n, l) * v(l, j))) * v(k, j)),
        ("==", sums(one).lhs),
        ("==", sums(one).rhs, sums(one)),
        ("==", sums(two).lhs),
        ("==", sums(two).rhs, sums(two)),
        ("==", rows_.lhs),
        ("==", rows_.rhs, rows_),
        ("==", last.lhs),
        ("==", both * C(m, k), last),
    )


#: H_mk K on the line, by the second moments of the tasks.
entry = A * (spread * (same(k, m) - here * A_k - there * A + squares) + common * (here - 1) * (there - 1))


@cache
def entries_on_the_line() -> Theorem:
    """For two classes H is M spread E diagonal times delta_mk - (1 - delta_mk)/M."""
    (none, _), gate, d, own_ = of_two_classes(), with_the_query(), same(m, k), on_the_own_class()
    turn, R, G = instantiate(symmetric, {m: k, k: m}), expectation(off), expectation(diagonal)
    square = zero_or_one
    tail = common * (there - 1)
    in_two = calc(
        others * entry,
        (
            "==",
            spread
            * A
            * (others * same(k, m) - (others * here) * A_k - (others * there) * A + others * squares)
            + A * tail * (others * here - others),
        ),
        (
            "==",
            spread * A * (others * d - (others * here) * A_k - (others * there) * A + others * squares)
            + A * tail * (others * here - others),
            scaled(spread * A * others, turn),
        ),
        (
            "==",
            spread * A * (others * d - (others * here) * A_k - (others * there) * A + others * squares),
            scaled(A * tail, gate),
        ),
        (
            "==",
            spread * A * (-others * (here * A_k) - (others * there) * A + others * squares),
            scaled(spread * A, none),
        ),
        (
            "==",
            spread * A * (-others * A_own - (others * there) * A + others * squares),
            scaled(-spread * A * others, own_),
        ),
        ("==", -spread * others * off, scaled(-spread * A**2, with_the_class())),
    )
    to_own = instantiate(moved(m), {i: k, c: ((h,), instantiated(A, {m: h}))})
    own_d = calc(
        d * A,
        ("==", d * A_k, symm(to_own)),
        ("==", A_k * (here * d), symm(scaled(A_k, of_the_query()))),
        ("==", d * A_own, scaled(d, own_)),
    )
    factor = spread * (same(k, m) - here * A_k - there * A + squares) + tail * (here - 1)
    in_one = calc(
        d * entry,
        ("==", factor * own_d.lhs),
        ("==", factor * own_d.rhs, scaled(factor, own_d)),
        (
            "==",
            spread * A_own * (d * same(k, m) - d * (here * A_k) - (d * there) * A + d * squares)
            + A_own * tail * (here * d - d),
        ),
        (
            "==",
            spread * A_own * (d * same(k, m) - d * (here * A_k) - (d * there) * A + d * squares),
            scaled(A_own * tail, of_the_query()),
        ),
        (
            "==",
            spread * A_own * (d * d - d * (here * A_k) - (d * there) * A + d * squares),
            scaled(spread * A_own * d, turn),
        ),
        (
            "==",
            spread * A_own * (d - d * (here * A_k) - (d * there) * A + d * squares),
            scaled(spread * A_own, square),
        ),
        (
            "==",
            spread * A_own * (d - d * A_own - (d * there) * A + d * squares),
            scaled(-spread * A_own * d, own_),
        ),
        (
            "==",
            spread * A_own * (d - d * A_own - d * A + d * squares),
            scaled(-spread * A_own * A, of_classes),
        ),
        ("==", spread * d * diagonal, scaled(-spread * A_own, own_d)),
    )
    E = expectation(entry)
    two, one = (integrate("prompt", (prompt,), thm) for thm in (in_two, in_one))
    return calc(
        both * (M * E),
        ("==", M * two.lhs + M * one.lhs),
        ("==", M * two.rhs + M * one.lhs, scaled(M, two)),
        ("==", M * two.rhs + M * one.rhs, scaled(M, one)),
        ("==", M * (spread * d * G) - spread * (others * (M * R))),
        ("==", M * (spread * d * G) - spread * (others * G), scaled(-spread, rows())),
        ("==", spread * G * (M * d - others)),
    )


@cache
def scores_so_far() -> Theorem:
    """The scores of a query on all other classes are -q_k/M."""
    return assume(
        "the scores of all other classes are equal so far",
        q,
        "==",
        same(m, k) * q_own - others * q_own / M,
        every=(m, k, t),
    )


@cache
def attention_so_far() -> Theorem:
    """Softmax attention is that of the gap."""
    so_far, s_ = scores_so_far(), here * q_own / M
    kept_ = instantiate(each_class, {c: ((h,), member(h))})
    all_ = calc(of_m(there * member(m)), ("==", kept_.rhs, kept_), ("==", 1, some_class))
    scores = integrate("coordinates", (m,), scaled(member(m), so_far), (K,))
    exponent = calc(
        entries(of_m(member(m) * v(m, i)) * X * v(k, j)),
        ("==", scores.lhs),
        ("==", scores.rhs, scores),
        ("==", gap * own - s_ * all_.lhs),
        ("==", gap * own - s_, scaled(-s_, all_)),
    )
    first, at = exp(-s_), lambda e: instantiated(e, {z: gap})
    each = show(odds, "==", exp(exponent.rhs), exponent)
    each = calc(each, ("==", first * at(weight)))
    total = integrate("sum", (token,), each, (prompt,))
    inverse = show(1 / total.lhs, "==", 1 / total.rhs, total, total.lhs, total.rhs)
    parts = integrate("sum", (token,), scaled(member(m), each), (prompt,))
    inside = tokens(member(m) * at(weight))
    return calc(
        share,
        ("==", parts.lhs * inverse.lhs),
        ("==", parts.lhs * inverse.rhs, scaled(parts.lhs, inverse)),
        ("==", inverse.rhs * parts.rhs, scaled(inverse.rhs, parts)),
        ("==", first * inside / (first * at(Z))),
        ("==", at(A), first, inside, at(Z)),
    )


@cache
def facts_so_far() -> tuple[tuple[Theorem, ...], tuple[Term, ...]]:
    """The attention on m and on k, the sum of the squares and the total, with their sides."""
    of_share = attention_so_far()
    of_n_, of_k_ = (instantiate(of_share, {m: x}) for x in (n, k))
    each = show(of_n_.lhs**2, "==", of_n_.rhs**2, of_n_, of_n_.lhs, of_n_.rhs)
    square, sums = (integrate("coordinates", (n,), thm, (K,)) for thm in (each, of_n_))
    whole = instantiate(each_class, {c: ((h,), instantiated(share, {m: h}))})
    total = calc(
        of_n(share_n * same(n, n)),
        ("==", whole.lhs),
        ("==", sums.lhs, whole),
        ("==", sums.rhs, sums),
        ("==", 1, instantiate(adds_up(), {z: gap})),
    )
    facts = of_share, of_k_, square, total
    return facts, tuple(side for fact in facts for side in (fact.lhs, fact.rhs) if side != term(1))


@cache
def gradient_so_far() -> Theorem:
    """K H_mk is the mean of the entry at the gap."""
    facts, letters = facts_so_far()
    error = instantiate(moments(), {c: ((n,), share_n)})
    each = calc(scaled(share, error), ("==", instantiated(entry, {z: gap}), *facts, *letters))
    return integrate("prompt", (prompt,), each)


@cache
def step() -> Theorem:
    """A step adds eta delta_mm delta_kk H_mk to q_mk."""
    of_H = instantiate(update_of(), {C: ((m, k), H)})
    return calc(
        score(Q.after(i, j, t)),
        ("==", entries(v(m, i) * (X + eta * gradient) * v(k, j)), descent),
        ("==", q + eta * of_H.lhs),
        ("==", q + eta * of_H.rhs, scaled(eta, of_H)),
    )


#: The mean of squares by which the own score grows.
growth = instantiated(expectation(diagonal), {z: gap})
later, later_own = score(Q.after(i, j, t)), instantiated(score(Q.after(i, j, t)), {m: k})


@cache
def step_so_far() -> tuple[Theorem, Theorem]:
    """The same, by what the own score grows."""
    E, mean_ = instantiate(entries_on_the_line(), {z: gap}), gradient_so_far()
    by_mean = calc(K * H, ("==", mean_.lhs), ("==", mean_.rhs, mean_))
    unit, d = eta / (K * M), same(m, k)
    first = calc(
        step(),
        ("==", q + unit * both * M * by_mean.lhs),
        ("==", q + unit * both * M * by_mean.rhs, scaled(unit * both * M, by_mean)),
        ("==", q + unit * E.lhs),
        ("==", q + unit * E.rhs, scaled(unit, E)),
        ("==", q + eta * spread / K * growth * (d - others / M), growth, q),
    )
    none = calc(
        instantiated(others, {m: k}),
        ("==", here**2 - here),
        ("==", here - here, instantiate(zero_or_one, {m: k})),
        ("==", 0),
    )
    own_ = instantiate(first, {m: k})
    rate = eta * spread / K * growth
    own_ = calc(
        own_,
        ("==", q_own + rate * here - rate / M * none.lhs),
        ("==", q_own + rate * here, scaled(-rate / M, none)),
    )
    return first, own_


@cache
def one_step() -> Theorem:
    """The scores of all other classes are equal one step later."""
    d, rate, (first, own_) = same(m, k), eta * spread / K * growth, step_so_far()
    gate = d - others / M
    back = calc(
        gate * here,
        ("==", here * d - others * here / M),
        ("==", d - others * here / M, of_the_query()),
        ("==", gate, scaled(-1 / M, with_the_query())),
    )
    return calc(
        first,
        ("==", q + rate * gate, q, growth),
        ("==", gate * q_own + rate * gate, scores_so_far()),
        ("==", gate * q_own + rate * back.lhs, symm(scaled(rate, back))),
        ("==", gate * own_.rhs),
        ("==", gate * own_.lhs, symm(scaled(gate, own_))),
        ("==", d * later_own - others * later_own / M),
    )


@cache
def at_first() -> Theorem:
    """q_mk = 0 at the first step."""
    first = integrate("coordinates", (i, j), scaled(v(m, i) * v(k, j), from_zero), (r, r))
    return calc(score(Q(i, j, FIRST)), ("==", first.lhs), ("==", first.rhs, first), ("==", 0))


@cache
def on_the_line() -> Theorem:
    """q_mk = (delta_mk - (1 - delta_mk)/M) q_k at every step."""
    (hypothesis,) = scores_so_far().assumptions
    d, zero = same(m, k), instantiate(at_first(), {m: k})
    base = calc(
        at_first(),
        ("==", (d - others / M) * 0),
        ("==", (d - others / M) * zero.lhs, symm(scaled(d - others / M, zero))),
        ("==", d * zero.lhs - others * zero.lhs / M),
    )
    return induction(hypothesis, t, base, one_step())
