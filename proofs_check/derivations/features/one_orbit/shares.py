"""R12: over one orbit lambda does not become negative along its flow, and what that says of the
attentions.

Everything is for any of the K classes as the query k, which delta_kk = 1 says. The attention on it
is a, and s is half the square of the least distance.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, exp, root, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import antitone, instantiate, integrate
from numerics.derivations.kernel.sorts import REALS
from numerics.derivations.kernel.terms import START, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.setting import (
    K,
    M,
    c,
    counted,
    each_class,
    eta,
    here,
    k,
    m,
    n,
    of_k,
    of_n,
    r,
    spread,
    t,
)
from proofs_check.derivations.features.equiangular.setting import zero_or_one as class_or_not
from proofs_check.derivations.features.one_orbit.distances import (
    G,
    away,
    d,
    gated,
    least,
    not_negative,
    of_others,
    spread_out,
    squares,
)
from proofs_check.derivations.features.one_orbit.distances import at_least as far_away
from proofs_check.derivations.features.one_orbit.group import (
    length,
    odds,
    trace,
    upward,
    weight,
    y,
)
from proofs_check.derivations.features.one_orbit.loss import (
    attentions_add_up,
    error,
    for_each_query,
    mean_loss,
    same_error,
    slope_of_the_loss,
)
from proofs_check.derivations.features.one_orbit.training import (
    lam,
    scalar,
    scalar_start,
)
from proofs_check.derivations.features.steps import cancelled, gap, scaled, times

u = Variable("u", range=REALS)


def now(e: Term) -> Term:
    """A term at lambda."""
    return instantiated(e, {y: lam(t)})


W, a, Q = now(weight(n, k)), now(weight(k, k)), now(length(k))
mean, rest = of_n(W * away), of_n(W**2 * away)
s = least


@cache
def adds_up() -> Theorem:
    return instantiate(attentions_add_up(), {y: lam(t)})


@cache
def a_class() -> tuple[Theorem, Theorem]:
    """delta_kk is its own square, and not negative."""
    square = instantiate(class_or_not, {m: k})
    return square, calc(0, ("<=", square.lhs), ("==", here, square))


def at_most_all(e: Term) -> Theorem:
    """e >= 0 at the query is at most the sum over all classes."""
    return show(
        0,
        "<=",
        here * of_n(e) - here * instantiated(e, {n: k}),
        calc(
            0,
            ("<=", of_n((G - d) * e), integrate("coordinates", (n,), times(e, not_negative()[1]), (K,))),
            ("==", of_others(e).rhs, of_others(e)),
        ),
    )


@cache
def own_squares() -> Theorem:
    """a^2 <= |w|^2."""
    return at_most_all(W**2)


@cache
def others_remain() -> Theorem:
    """a <= 1."""
    return calc(
        at_most_all(W),
        ("==", here * of_n(W) - here * a),
        ("==", here * (1 - a), adds_up(), of_n(W), a),
    )


@cache
def mean_distance() -> Theorem:
    """s (1 - a) <= sum w_n h_n."""
    return calc(
        here * (s * (1 - a)),
        ("==", s * (here * of_n(W) - here * a), adds_up(), of_n(W), a),
        ("<=", here * mean, spread_out(W)),
    )


@cache
def by_schwarz() -> Theorem:
    """(1 - a)^2 <= M (|w|^2 - a^2)."""
    gate, square = G - d, squares()[1]
    many, all_, first = of_others(term(1)), of_others(W), of_others(W**2)
    lengths = calc(
        of_n((gate * W) ** 2),
        ("==", of_n(W**2 * gate**2)),
        ("==", of_n(W**2 * gate), integrate("coordinates", (n,), scaled(W**2, square), (K,))),
        ("==", first.lhs),
        ("==", here * (Q - a**2), first),
    )
    count = calc(
        of_n(gate**2),
        ("==", of_n(gate), square),
        ("==", many.lhs),
        ("==", here * (K - 1), many),
        ("==", here * M, counted),
    )
    total = calc(
        of_n(gate * W * gate),
        ("==", of_n(W * gate**2)),
        ("==", of_n(W * gate), integrate("coordinates", (n,), scaled(W, square), (K,))),
        ("==", all_.lhs),
        ("==", here * of_n(W) - here * a, all_),
        ("==", here * (1 - a), adds_up(), of_n(W), a),
    )
    class_ = a_class()[0]
    schwarz = cauchy_schwarz("coordinates", (n,), gate * W, gate, (K,))
    return calc(
        here * (1 - a) ** 2,
        ("==", (1 - a) ** 2 * here**2, scaled((1 - a) ** 2, symm(class_))),
        ("==", total.rhs**2),
        ("==", total.lhs**2, symm(total)),
        ("<=", lengths.lhs * count.lhs, schwarz),
        ("==", lengths.rhs * count.rhs, lengths, count, lengths.lhs, count.lhs),
        ("==", (Q - a**2) * M * here**2),
        ("==", (Q - a**2) * M * here, scaled((Q - a**2) * M, class_)),
        ("==", here * (M * (Q - a**2))),
    )


@cache
def the_loss() -> Theorem:
    """The loss in the words of the query, for any number in place of lambda."""
    known = for_each_query(same_error(), error)
    return calc(
        here * mean_loss,
        ("==", spread / (2 * K) * known.lhs),
        ("==", spread / (2 * K) * known.rhs, scaled(spread / (2 * K), known)),
        ("==", spread / 2 * (here * error())),
    )


@cache
def at_the_start() -> Theorem:
    """At lambda = 0 all attentions are 1/K."""
    odds_0 = instantiated(odds(n, k), {y: lam(START)})
    one = show(odds_0, "==", 1, scalar_start)
    total = calc(of_n(odds_0), ("==", of_n(term(1)), one), ("==", K))
    own = show(instantiated(odds_0, {n: k}), "==", 1, scalar_start)
    weight_0, own_0 = odds_0 / total.lhs, instantiated(odds_0, {n: k}) / total.lhs
    each = show(weight_0, "==", 1 / K, one, total, odds_0, total.lhs)
    first = show(own_0, "==", 1 / K, own, total, own.lhs, total.lhs)
    square = show(weight_0**2, "==", 1 / K**2, each, weight_0)
    lengths = calc(of_n(weight_0**2), ("==", of_n(1 / K**2), square), ("==", 1 / K))
    return calc(
        instantiated(error(), {y: lam(START)}),
        ("==", 1 - 2 * first.lhs + lengths.lhs),
        ("==", 1 - 1 / K, first, lengths, first.lhs, lengths.lhs),
    )


@cache
def share_of_the_others() -> Theorem:
    """1 - a <= M/K, as the loss does not rise and is at least (sigma_f^2/2)(1 + 1/M)(1 - a)^2."""
    T = now(trace(upward))
    falling = calc(
        slope_of_the_loss(),
        ("==", -T * (eta * T / r), scaled(-T, scalar())),
        ("<=", 0, T),
    )
    fallen = antitone(now(mean_loss), t, falling)
    later, first = (instantiate(the_loss(), {y: at}) for at in (lam(t), lam(START)))
    class_, positive = a_class()
    E = now(error())
    bound = calc(
        spread / 2 * (here * E),
        ("==", later.lhs, symm(later)),
        ("<=", first.lhs, times(here, fallen, positive)),
        ("==", first.rhs, first),
        ("==", spread / 2 * here * (1 - 1 / K), scaled(spread / 2 * here, at_the_start())),
    )
    bound = cancelled(spread / 2, bound, here * E, here * (1 - 1 / K), show(0, "<", spread / 2))
    B, V = here * (1 - a) ** 2, here * (Q - a**2)
    line = calc(
        K * B,
        ("==", M * B + B * (K - M)),
        ("==", M * B + B, scaled(B, counted)),
        ("<=", M * B + M * V, by_schwarz()),
        ("==", M * (here * E)),
        ("<=", M * (here * (1 - 1 / K)), times(M, bound)),
    )
    fewer = calc(K * (1 - 1 / K), ("==", K - 1), ("==", M, counted))
    X, end = here * (K * (1 - a)), here**2 * M
    cube = scaled(here, class_)
    fourth = calc(
        (here**2) ** 2,
        ("==", here * cube.lhs),
        ("==", here * cube.rhs, scaled(here, cube)),
        ("==", cube.lhs),
        ("==", here**2, cube),
    )
    square = calc(
        X**2,
        ("==", (K * (1 - a)) ** 2 * here**2),
        ("==", (K * (1 - a)) ** 2 * here, scaled((K * (1 - a)) ** 2, class_)),
        ("==", K * (K * B)),
        ("<=", K * line.rhs, times(K, line)),
        ("==", M * here * fewer.lhs),
        ("==", M * here * M, scaled(M * here, fewer)),
        ("==", M**2 * here),
        ("==", M**2 * here**2, scaled(M**2, symm(class_))),
        ("==", M**2 * (here**2) ** 2, scaled(M**2, symm(fourth))),
        ("==", end**2),
    )
    return calc(root(square, X, end), ("==", here * M, scaled(M, class_)))


@cache
def lambda_is_positive() -> Theorem:
    """lambda >= 0, as 1/a >= sum (1 - lambda h_n) = K - lambda sum h_n."""
    tangent = instantiate(show(1 + u, "<=", exp(u)), {u: -(lam(t) * away)})
    Z, gaps = of_n(exp(-(lam(t) * away))), of_n(away)
    whole = show(a * Z, "==", 1)
    positive = a_class()[1]
    share, own = share_of_the_others(), here * (K * a)
    some = calc(
        here,
        ("==", here * (K - M), scaled(here, symm(counted))),
        ("==", own + (share.lhs - share.rhs)),
        ("<=", own, share, own, share.lhs, share.rhs),
    )
    each = calc(
        here * (K - lam(t) * gaps),
        ("==", here * of_n(1 - lam(t) * away)),
        ("<=", here * Z, times(here, integrate("coordinates", (n,), tangent, (K,)), positive)),
        ("<=", Z * (here * (K * a)), times(Z, some)),
        ("==", here * K * whole.lhs),
        ("==", here * K, scaled(here * K, whole)),
    )
    up = chain(gap(each), lam(t) * (here * gaps))
    number = calc(of_k(here), ("==", of_k(term(1)), instantiate(each_class, {c: ((k,), term(1))})))
    low = calc(
        s * (here * M),
        ("==", s * (here * (K - 1)), scaled(s * here, symm(counted))),
        ("==", s * (here * of_n(term(1)) - here * 1)),
        ("<=", here * gaps, spread_out(term(1))),
    )
    all_ = of_k(here * gaps)
    total = calc(
        0,
        ("<", s * M * K),
        ("==", s * M * number.rhs),
        ("==", s * M * number.lhs, scaled(s * M, symm(number))),
        ("==", of_k(low.lhs)),
        ("<=", all_, integrate("coordinates", (k,), low, (K,))),
    )
    line = calc(
        all_ * 0, ("<=", of_k(up.rhs), integrate("coordinates", (k,), up, (K,))), ("==", all_ * lam(t))
    )
    return cancelled(all_, line, term(0), lam(t), total)


@cache
def no_larger_than_the_own() -> Theorem:
    """|w|^2 <= a, as e^{-lambda h} <= 1."""
    x = lam(t) * away
    e = exp(-x)
    far = calc(0, ("<=", s * (G - d), times(s, not_negative()[1])), ("<=", G * away, far_away()))
    later = times(lam(t), far, lambda_is_positive())
    tangent = instantiate(show(1 + u, "<=", exp(u)), {u: x})
    gate = times(e, not_negative()[0])
    near = calc(
        G * e,
        ("<=", G * e + e * later.rhs, times(e, later)),
        ("==", e * G * (1 + x)),
        ("<=", e * G * exp(x), times(e * G, tangent, gate)),
        ("==", G),
    )
    squares_, all_ = gated(W**2), gated(W)
    return calc(
        here * Q,
        ("==", squares_.lhs, symm(squares_)),
        ("==", of_n(a * W * (G * e))),
        ("<=", of_n(a * W * G), times(a * W, near)),
        ("==", a * all_.lhs),
        ("==", a * all_.rhs, scaled(a, all_)),
        ("==", here * a, adds_up(), of_n(W), a),
    )
