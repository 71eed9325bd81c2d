"""Theorem 4.4 of Collins et al. for prompts of two tokens, in every dimension: what a matrix loses
if it is no positive multiple of BB'.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.rules import assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.prompt import d, j, l, mean, o, over, q
from proofs_check.derivations.window.signal import p
from proofs_check.derivations.window.subspace.cosines import kappa, sides, sigma, top
from proofs_check.derivations.window.subspace.direction import (
    off,
)
from proofs_check.derivations.window.subspace.equal_weights import (
    Gx,
    M_vu,
    M_vv,
    a,
    above_equal_weights,
    b,
    bounds,
    c_u,
    c_v,
    class_hypotheses,
    cosine,
    e_,
    exact,
    excess,
    in_range,
    least,
    level,
    m,
    near,
    noisy_tokens,
    of_the_tokens,
    out,
    part_of,
    query,
    spread,
    spurious,
    tilt,
    u,
    v,
    v_1,
    v_2,
    with_equal_weights,
    without_noise,
)
from proofs_check.derivations.window.subspace.equal_weights import loss as loss_at
from proofs_check.derivations.window.subspace.two_tokens import first, second

rho, z = Variable("rho", range=POSITIVE), Variable("z", range=REALS)
w, w_ = Function("w", (Sort.INDEX,)), Function("w'", (Sort.INDEX,))
#: log(alpha_1/alpha_2), and what A + K does not exceed.
ratio = out((v_1(m, o) - v_2(m, o)) * (c_v * Gx))
most = exp(rho) + top
loss = query(mean(exact))
#: The squared sizes of the blocks N and Q, as the mean of |Gx|^2 has them.
blocks = out(c_u**2 * over(M_vu(m, l) ** 2, l) / d + c_v**2 * out(M_vv(m, e_) ** 2, e_) / spurious)

#: What the blocks and the direction of Fx cost.
share = c_v**2 / spurious * (1 / most**2)
price = kappa**2 * (share * blocks + 2 / d * (1 / most) * off)


@cache
def spurious_parts() -> tuple[Theorem, ...]:
    """What is used of the spurious parts of the tokens, and of the query."""
    gap = out(w(m) * (v_1(m, o) - v_2(m, o)))
    of_u, of_v = over(w(l) * u(l, q), l), out(w_(e_) * v(e_, q), e_)
    return (
        assume("rho bounds log(alpha_1/alpha_2)", ratio**2, "<=", rho**2, every=(o, q)),
        assume(
            "uniform v_i: E (w.(v_1 - v_2))^2 = 2|w|^2/(d - k)",
            mean(gap**2),
            "==",
            2 * out(w(m) ** 2) / spurious,
            every=(w,),
        ),
        assume(
            "uniform query: E (w.u)^2 = |w|^2/k", query(of_u**2), "==", over(w(l) ** 2, l) / d, every=(w,)
        ),
        assume(
            "uniform query: E (w.v)^2 = |w|^2/(d - k)",
            query(of_v**2),
            "==",
            out(w_(e_) ** 2, e_) / spurious,
            every=(w_,),
        ),
        assume("uniform query: E (w.u)(w'.v) = 0", query(of_u * of_v), "==", 0, every=(w, w_)),
    )


@cache
def of_the_ratio() -> tuple[Theorem, Theorem]:
    """r^2/2 <= A - 1 and A <= e^rho."""
    bounded = spurious_parts()[0]
    up, down = (show(sign * ratio, "<=", rho, bounded, ratio) for sign in (1, -1))
    high, low = gcongr(exp(up.lhs), up), gcongr(exp(down.lhs), down)
    whole = chain(1 + excess, (high.lhs + low.lhs) / 2)
    point = instantiate(show(z**2 / 2, "<=", (exp(z) + exp(-z)) / 2 - 1), {z: ratio})
    return (
        chain(point, excess),
        chain(whole, show(whole.rhs, "<=", exp(rho), high, low, high.lhs, low.lhs, exp(rho))),
    )


@cache
def mean_square_of_Gx() -> Theorem:
    """E |Gx|^2 by the blocks N and Q."""
    of_u, of_v, cross = spurious_parts()[2:]
    row_u, row_v = {w: ((l,), M_vu(m, l))}, {w_: ((e_,), M_vv(m, e_))}
    crossed = instantiate(cross, {**row_u, **row_v})
    in_u, in_v = instantiate(of_u, row_u), instantiate(of_v, row_v)
    row = calc(
        query(Gx**2),
        ("==", c_u**2 * in_u.lhs + 2 * c_u * c_v * crossed.lhs + c_v**2 * in_v.lhs),
        ("==", c_u**2 * in_u.rhs + c_v**2 * in_v.rhs, in_u, crossed, in_v, in_u.lhs, in_v.lhs, crossed.lhs),
    )
    return integrate("coordinates", (m,), row, (spurious,))


@cache
def of_the_blocks() -> Theorem:
    """c_v^2/((d - k)(e^rho + K)^2) times the blocks is at most E_x E near."""
    least_, high = of_the_ratio()
    square = spurious_parts()[1]
    size = show(1 / most**2, "<=", 1 / (1 + excess + top) ** 2, high, excess, exp(rho), top)
    point = calc(
        ratio**2 / 2 * size.lhs,
        ("<=", ratio**2 / 2 * size.rhs, size, ratio, *sides(size)),
        ("<=", excess * size.rhs, least_, ratio, excess, size.rhs),
        ("==", near, excess),
    )
    at_G = instantiate(square, {w: ((m,), c_v * Gx)})
    given = calc(
        size.lhs / 2 * at_G.rhs,
        ("==", size.lhs / 2 * at_G.lhs, at_G, *sides(at_G), size.lhs),
        ("==", mean(point.lhs)),
        ("<=", mean(near), integrate("mean", (o,), point)),
    )
    whole = mean_square_of_Gx()
    return calc(
        c_v**2 / spurious * size.lhs * blocks,
        ("==", c_v**2 / spurious * size.lhs * whole.rhs),
        ("==", c_v**2 / spurious * size.lhs * whole.lhs, whole, *sides(whole), size.lhs),
        ("==", query(given.lhs)),
        ("<=", query(given.rhs), integrate("query", (q,), given)),
    )


@cache
def of_the_direction() -> Theorem:
    """2/(k(e^rho + K)) times what c_u Fx is off the direction of u is at most E_x (1 - cos) times
    E spread.
    """
    _, high = of_the_ratio()
    square = noisy_tokens()[1]
    size = show(1 / most, "<=", 1 / (1 + excess + top), high, excess, exp(rho), top)
    point = gcongr(level * (a - b) ** 2 * size.lhs, size)
    given = calc(
        level * size.lhs * square.rhs,
        ("==", level * size.lhs * square.lhs, square, *sides(square), level, size.lhs),
        ("==", mean(point.lhs)),
        ("<=", mean(spread), integrate("mean", (o,), point)),
    )
    positive = show(0, "<=", tilt, in_range()[4], cosine)
    each = show(tilt * given.lhs, "<=", tilt * given.rhs, given, positive, tilt, *sides(given))
    return calc(
        size.lhs * square.rhs * off,
        ("==", query(each.lhs)),
        ("<=", query(each.rhs), integrate("query", (q,), each)),
    )


@cache
def costs(noisy: bool = False) -> Theorem:
    """m, and what the blocks N and Q and the direction of Fx cost, is at most the loss."""
    first_, second_ = of_the_blocks(), of_the_direction()
    whole = integrate("query", (q,), given_the_query(noisy))
    left = least + kappa**2 * first_.lhs + kappa**2 * second_.lhs
    return chain(gcongr(left, first_, second_), whole)


#: cBB' has the score c u_i.u, where c is a number.
c = Variable("c2", range=REALS)
at_u = tuple(over(u(j, q) * at(j, o)) for at in (first, second))
at_fixed = tuple(over(p(j) * at(j, o)) for at in (first, second))
own = tuple(exp(c * h) for h in at_u)


@cache
def of_multiples() -> tuple[Theorem, ...]:
    """What is used of the tokens if M is a multiple of BB'."""
    g, h = (x / (own[0] + own[1]) for x in own)
    inner = lambda at: mean(g * h * over(at * second(j, o)))
    flipped_ = 2 * at_u[0] * u(j, q) - first(j, o)
    return (
        assume(
            "the flip keeps the law of u_1, for M = cBB'",
            inner(first(j, o)),
            "==",
            inner(flipped_),
            every=(q, c),
        ),
        assume(
            "a rotation keeps the law of u_1 and u_2, for M = cBB'",
            mean(with_equal_weights(c, *at_u)),
            "==",
            mean(with_equal_weights(c, *at_fixed)),
            every=(q, c),
        ),
    )


@cache
def loss_of_multiples() -> Theorem:
    """The loss of cBB' is that of equal weights at c."""
    unit, one, two = of_the_tokens()[:3]
    flip, turn = of_multiples()
    g, h = (x / (own[0] + own[1]) for x in own)
    (s, t), inner = at_u, over(first(j, o) * second(j, o))
    squares, value = g**2 + h**2, mean(g * h * inner)
    product = calc(
        value, ("==", (value + flip.rhs) / 2, flip, value, flip.rhs), ("==", mean(g * h * (s * t)))
    )
    rest = kappa**2 * (squares + 1 - 2 * (g * s + h * t)) + sigma**2 * squares
    lengths = g**2 * one.lhs + h**2 * two.lhs + unit.lhs
    each = calc(
        loss_at(*own),
        ("==", kappa**2 * (lengths + 2 * (g * h * inner) - 2 * (g * s + h * t)) + sigma**2 * squares),
        ("==", rest + 2 * kappa**2 * (g * h * inner), unit, one, two, g, h, inner, s, t),
    )
    last = show(rest + 2 * kappa**2 * (g * h * (s * t)), "==", with_equal_weights(c, s, t), *own, s, t)
    point = calc(
        integrate("mean", (o,), each),
        ("==", mean(rest) + 2 * kappa**2 * value),
        ("==", mean(rest) + 2 * kappa**2 * product.rhs, product, value, product.rhs, mean(rest)),
        ("==", mean(last.lhs)),
        ("==", mean(last.rhs), integrate("mean", (o,), last)),
        ("==", turn.rhs, turn),
    )
    return calc(integrate("query", (q,), point), ("==", turn.rhs))


def below(known: Theorem, same: Theorem, widest: int, at: Term, *given: Theorem | Term) -> Theorem:
    """m is at most the loss of at/c_u^2 BB', for a number between 0 and the bound C."""
    share = at / bounds[widest]
    ranges = show(0, "<=", share, *given), show(share, "<=", 1, *given)
    return chain(instantiate(known, {part_of: share}, *ranges), instantiate(same, {c: at}))


def lowest(noisy: bool, at: Term, *given: Theorem | Term) -> Theorem:
    """m is at most the value with equal weights, by COL:T4.4/multiples."""
    return below(of_the_tokens(noisy)[-1], loss_of_multiples(), 1 if noisy else 2, at, *given)


@cache
def given_the_query(noisy: bool = False) -> Theorem:
    """m, and what the directions cost, is at most the mean of the loss given the query."""
    known = above_equal_weights(noisy)
    bottom = lowest(noisy, level, class_hypotheses(1 if noisy else 2)[2], level)
    cost = kappa**2 * mean(near) + kappa**2 * tilt * mean(spread)
    first = show(least + cost, "<=", bottom.rhs + cost, bottom, least, bottom.rhs, cost)
    return chain(first, known)


def cost_hypotheses(noisy: bool) -> frozenset[Assumption]:
    """What the costs rest on, without noise or with it."""
    given = hypotheses(*spurious_parts(), noisy_tokens()[1])
    given |= hypotheses(*class_hypotheses(1 if noisy else 2), *of_the_tokens(noisy), *of_multiples())
    return given | hypotheses(*(noisy_tokens() if noisy else (without_noise(),)))


def multiples_statement(times: int = 1) -> Statement:
    """The loss of cBB' is `times` that of equal weights."""
    given = hypotheses(*of_the_tokens()[:3], *of_multiples())
    return Statement(query(mean(loss_at(*own))), "==", times * mean(with_equal_weights(c, *at_fixed)), given)
