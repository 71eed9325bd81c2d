"""The setting of Lemmas 1 and 2 and Proposition 1 of Li, Duan & Liang as they are repaired, over
every law of prompts: the loss and the gradient are those of R7.H, with the softmax attention at any
matrix; and the error of a prediction in one prompt. The classes are numbered from 1 to K, and
delta_kk tells whether k is one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from numerics.derivations.derived import symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import assume, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.setting import (
    K,
    c,
    common,
    coordinates,
    each_class,
    entries,
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
    picks,
    same,
    spread,
    symmetric,
    task,
    there,
    v,
    zero_or_one,
)
from proofs_check.derivations.features.gradient import (
    H,
    adds_up,
    b,
    error,
    member,
    p,
    pi,
    prompts,
    share,
    some_class,
    tokens,
)
from proofs_check.derivations.features.gradient import attention as of_token
from proofs_check.derivations.features.steps import added, product, scaled, times
from proofs_check.derivations.features.updates import Sides

#: What bounds differences of the values of a task.
B = Variable("Bound", range=POSITIVE)
#: A task that was not seen in training.
unseen = Function("unseen", (Sort.INDEX,))
own = instantiated(share, {m: k})
w = instantiated(share, {m: n})
squares, rest = of_n(w**2), 1 - own

token_class = member(b, l, m)
a_class = assume("a token is of a class or not", token_class**2, "==", token_class, every=(b, l, m))
queries_weighted = assume("probabilities of queries", 0, "<=", p(k), every=(k,))
prompts_weighted = assume("probabilities of prompts", 0, "<=", pi(b), every=(b,))
law = (a_class, some_class, queries_weighted, prompts_weighted)
orthonormal = assume("orthonormal features", coordinates(v(m, i) * v(k, i)), "==", same(m, k), every=(m, k))
delta = (zero_or_one, symmetric, of_classes, picks, each_class)
#: Minus the gradient in Q by R7.H, and the update of the score q_km with it.
VHV = of_k(of_m(v(m, i) * H * v(k, j)))
update = entries(v(m, i) * VHV * v(k, j))
of_prompts = lambda e: p(k) * prompts(pi(b) * e)


@cache
def positive() -> Theorem:
    """No attention is negative."""
    each = calc(
        0, ("<=", of_token * token_class**2), ("==", of_token * token_class, scaled(of_token, a_class))
    )
    return calc(0, ("<=", tokens(of_token * token_class), each), ("==", share))


@cache
def with_delta() -> Theorem:
    """The attention adds up to 1 with delta_nn, too."""
    return calc(
        of_n(w * same(n, n)),
        ("==", of_n(same(n, n) * w)),
        ("==", of_n(w), instantiate(each_class, {c: ((n,), w)})),
        ("==", 1, adds_up()),
    )


@cache
def of_the_task(query: Variable = m) -> Theorem:
    """E (f_k - yhat)(f_m - yhat) of exchangeable tasks, or of m = k, in a prompt."""
    found = instantiate(instantiate(moments(), {c: ((n,), w)}), {m: query})
    S, delta_k, delta_m = with_delta(), here, instantiated(there, {m: query})
    tail = common * (delta_k - S.lhs) * (delta_m - S.lhs)
    return calc(found, ("==", found.rhs - tail + common * (delta_k - 1) * (delta_m - 1), S, S.lhs))


@cache
def squared_error() -> Theorem:
    """delta_kk E (f_k - yhat)^2 = delta_kk sigma_f^2 (1 - 2 A_k + sum_n A_n^2)."""
    square, found = instantiate(zero_or_one, {m: k}), of_the_task(k)
    return calc(
        here * mean(error**2),
        ("==", here * found.lhs),
        ("==", here * found.rhs, scaled(here, found)),
        (
            "==",
            spread * (here**2 - 2 * here**2 * own + here * squares)
            + common * (here**2 * here - 2 * here**2 + here),
        ),
        (
            "==",
            spread * (here - 2 * here * own + here * squares) + common * (here * here - 2 * here + here),
            scaled(spread * (1 - 2 * own) + common * (here - 2), square),
        ),
        ("==", spread * (here - 2 * here * own + here * squares) + common * (here**2 - here)),
        (
            "==",
            spread * (here - 2 * here * own + here * squares) + common * (here - here),
            scaled(common, square),
        ),
        ("==", here * (spread * (1 - 2 * own + squares))),
    )


@cache
def one_of_the_rest() -> tuple[Theorem, Theorem, Theorem]:
    """delta_nn (1 - delta_kn) A_n <= 1 - delta_kk A_k, one term of a sum of terms that are not
    negative, with each of them and the sum.
    """
    apart, d, R = (1 - same(k, n)) * w, same(k, n), 1 - here * own
    zero = instantiate(zero_or_one, {m: k, k: n})
    some = calc(
        0,
        ("<=", (1 - d) ** 2 * w, instantiate(positive(), {m: n})),
        ("==", w - 2 * d * w + d**2 * w),
        ("==", apart, scaled(w, zero)),
    )
    total = calc(
        of_n(apart),
        ("==", of_n(w) - of_n(d * w)),
        ("==", of_n(w) - here * own, instantiate(picks, {m: k, c: ((n,), w)})),
        ("==", R, adds_up()),
    )
    e_l = instantiated(apart, {n: l})
    below_one = show(same(n, l), "<=", 1, instantiate(zero_or_one, {m: n, k: l}))
    single = calc(
        same(n, n) * apart,
        (
            "==",
            bind("coordinates", (l,), same(n, l) * e_l, (K,)),
            symm(instantiate(picks, {m: n, c: ((l,), e_l)})),
        ),
        ("<=", bind("coordinates", (l,), e_l, (K,)), times(e_l, below_one, instantiate(some, {n: l}))),
        ("==", R, total),
    )
    return single, some, total


@cache
def between() -> tuple[Theorem, Theorem]:
    """delta_kk A_k^2 <= sum_n A_n^2 and sum_n A_n^2 <= delta_kk A_k^2 + (1 - delta_kk A_k)^2."""
    apart, d, R = (1 - same(k, n)) * w, same(k, n), 1 - here * own
    one = lambda e: instantiate(picks, {m: k, c: ((n,), e)})
    zero = instantiate(zero_or_one, {m: k, k: n})
    single, some, total = one_of_the_rest()
    apart_squared = calc(
        apart**2, ("==", w**2 - 2 * d * w**2 + d**2 * w**2), ("==", (1 - d) * w**2, scaled(w**2, zero))
    )
    weighted = times(apart, single, some)
    high = calc(
        of_n(apart**2),
        ("==", of_n(same(n, n) * apart**2), symm(instantiate(each_class, {c: ((n,), apart**2)}))),
        ("<=", of_n(apart * R), weighted),
        ("==", R * of_n(apart)),
        ("==", R**2, total),
    )
    split = calc(
        of_n(apart**2),
        ("==", of_n((1 - d) * w**2), apart_squared),
        ("==", squares - of_n(d * w**2)),
        ("==", squares - here * own**2, one(w**2)),
    )
    low = calc(0, ("<=", of_n(apart**2)), ("==", squares - here * own**2, split))
    return (
        show(here * own**2, "<=", squares, low, squares, here, own),
        show(
            squares,
            "<=",
            here * own**2 + R**2,
            calc(split.rhs, ("==", split.lhs, symm(split)), ("<=", R**2, high)),
            squares,
            here,
            own,
        ),
    )


@cache
def error_bounds() -> tuple[Theorem, Theorem]:
    """delta_kk E (f_k - yhat)^2 is between 1 and 2 times delta_kk sigma_f^2 (1 - A_k)^2."""
    square, unit = instantiate(zero_or_one, {m: k}), here * spread * rest**2
    low, high = between()
    some = calc(0, ("<=", here**2), ("==", here, square))
    E2, value = here * mean(error**2), here * (spread * (1 - 2 * own + squares))
    kept = calc(
        here * (spread * (1 - 2 * own + here * own**2)),
        ("==", spread * (here * (1 - 2 * own) + here**2 * own**2)),
        ("==", unit, scaled(spread * own**2, square)),
    )
    most = calc(
        here * (spread * (1 - 2 * own + (here * own**2 + (1 - here * own) ** 2))),
        ("==", spread * (here * (2 - 2 * own) + here**2 * (own**2 - 2 * own) + here**2 * here * own**2)),
        (
            "==",
            spread * (here * (2 - 2 * own) + here * (own**2 - 2 * own) + here * here * own**2),
            scaled(spread * (own**2 - 2 * own + here * own**2), square),
        ),
        ("==", spread * (here * (2 - 4 * own + own**2) + here**2 * own**2)),
        ("==", 2 * unit, scaled(spread * own**2, square)),
    )
    weight = lambda line: times(here * spread, line, product(here, spread, some))
    return (
        calc(
            unit,
            ("==", kept.lhs, symm(kept)),
            ("<=", value, weight(added(low, 1 - 2 * own))),
            ("==", E2, symm(squared_error())),
        ),
        calc(squared_error(), ("<=", most.lhs, weight(added(high, 1 - 2 * own))), ("==", 2 * unit, most)),
    )


def given(*more: Theorem) -> frozenset[Assumption]:
    return hypotheses(*delta, *law, *more)


@cache
def weights() -> tuple[Theorem, Theorem]:
    """The probability of a query and a prompt is not negative, and with delta_kk neither."""
    some = calc(0, ("<=", here**2), ("==", here, instantiate(zero_or_one, {m: k})))
    both_ = product(p(k), pi(b), queries_weighted, prompts_weighted)
    return both_, product(here, p(k) * pi(b), some, both_)


def close(values: Callable[[Variable], Term], *every: Variable) -> Theorem:
    """A hypothesis on the values of a task, at different classes and at one."""
    apart = values(m) - values(n)
    return assume(
        "values differ by at most a bound", Op("max", (apart, -apart)), "<=", B, every=(m, n, *every)
    )


def of_tasks(index: Variable) -> Term:
    return f(index, task)


def of_unseen(index: Variable) -> Term:
    return unseen(index)


@cache
def distance(values: Callable[[Variable], Term], *every: Variable) -> Sides:
    """The value at m is at most B (1 - delta_mm A_m) away from the prediction, as the class m
    itself adds nothing.
    """
    d, step = same(m, n), values(m) - values(n)
    away, zero = (1 - d) * w, instantiate(zero_or_one, {k: n})
    known = close(values, *every)
    itself = instantiate(picks, {c: ((n,), w * step)})
    some = calc(
        0,
        ("<=", (1 - d) ** 2 * w, instantiate(positive(), {m: n})),
        ("==", w - 2 * d * w + d**2 * w),
        ("==", away, scaled(w, zero)),
    )
    total = calc(
        of_n(away),
        ("==", of_n(w) - of_n(d * w)),
        ("==", 1 - there * share, adds_up(), instantiate(picks, {c: ((n,), w)})),
    )
    guess, one = of_n(w * values(n)), scaled(values(m), adds_up())
    found = []
    for sign in (1, -1):
        side = calc(sign * step, ("<=", Op("max", (step, -step))), ("<=", B, known))
        bounded = integrate("coordinates", (n,), times(away, side, some), (K,))
        found.append(
            calc(
                sign * (values(m) - guess),
                ("==", sign * (one.rhs - guess)),
                ("==", sign * (one.lhs - guess), scaled(term(sign), symm(one))),
                ("==", bounded.lhs + sign * itself.lhs),
                ("==", bounded.lhs, scaled(term(sign), itself)),
                ("<=", bounded.rhs, bounded),
                ("==", B * (1 - there * share), scaled(B, total)),
            )
        )
    return found[0], found[1]
