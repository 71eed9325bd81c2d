"""Theorem H.5 of Collins et al. without noise, for prompts of every length n >= 2: the loss of M is
at least the least loss of cBB' and what the blocks N and Q and the direction of Fx cost.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.rules import assume, gcongr, integrate
from numerics.derivations.kernel.terms import Term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import d, i, j, mean, n, o, over, q, tokens
from proofs_check.derivations.window.signal import p
from proofs_check.derivations.window.subspace.cosines import kappa, sides
from proofs_check.derivations.window.subspace.direction import off
from proofs_check.derivations.window.subspace.equal_weights import (
    Fx,
    Gx,
    bounds,
    c_u,
    c_v,
    class_hypotheses,
    cosine,
    least,
    level,
    m,
    of_the_class,
    of_the_tokens,
    out,
    part_of,
    query,
    tilt,
    u,
)
from proofs_check.derivations.window.subspace.minimiser import (
    below,
    blocks,
    c,
    mean_square_of_Gx,
    spurious_parts,
)
from proofs_check.derivations.window.subspace.prompts import gain
from proofs_check.derivations.window.subspace.prompts import tilt as heights
from proofs_check.derivations.window.subspace.prompts.brackets import bounded
from proofs_check.derivations.window.subspace.prompts.pairs import (
    same_token,
    sums_over_tokens,
    times,
    uniform_pairs,
)
from proofs_check.derivations.window.subspace.prompts.weights import (
    S,
    V,
    e,
    height,
    signal,
    signal_0,
    weight,
)

score = c_u * over(X(i, j, o) * Fx) + c_v * out(V(i, m, o) * Gx)


def error(of: Term, at: Term) -> Term:
    """|sum gamma_i u_i - u|^2 for weights of the tokens i, at a direction in the place of u."""
    return over((tokens(of * X(i, j, o)) / tokens(of) - at) ** 2)


exact = kappa**2 * error(exp(score), u(j, q))
loss = query(mean(exact))


def fixed(c: Term) -> Term:
    """The signal with the weights e^{c u_i.p} at a fixed direction p."""
    of = exp(c * over(p(j) * X(i, j, o)))
    return over(tokens(of * (X(i, j, o) - p(j))) ** 2) / tokens(of) ** 2


#: The centre, and with the tokens flipped.
total = tokens(weight(i) * X(i, j, o))
flipped = tokens(weight(i) * (2 * height(i) * e - X(i, j, o)))


@cache
def uniform_tokens() -> tuple[Theorem, ...]:
    """What is used of the law of all tokens given the query, and of m."""
    along = lambda at: mean(over(at * u(j, q)) / S)
    return (
        assume("the flip keeps the law of the u_i", along(total), "==", along(flipped), every=(q,)),
        assume("a rotation keeps the law of the u_i", mean(signal_0), "==", mean(fixed(level)), every=(q,)),
        assume(
            "m is at most the loss of each multiple of BB' in the class",
            least,
            "<=",
            of_multiple(bounds[2] * part_of),
            every=(part_of,),
        ),
    )


@cache
def of_multiples() -> Theorem:
    at_u, at_p = (mean(error(exp(c * over(at * X(i, j, o))), at)) for at in (u(j, q), p(j)))
    return assume("a rotation keeps the law of the u_i, for M = cBB'", at_u, "==", at_p, every=(q, c))


def of_multiple(c: Term) -> Term:
    """The loss of (c/c_u^2)BB', which has the scores c u_i.u."""
    return query(mean(kappa**2 * error(exp(c * over(u(j, q) * X(i, j, o))), u(j, q))))


def lowest(at: Term, *given: Theorem | Term) -> Theorem:
    """m is at most the value with equal weights, by COL:T4.4/multiples."""
    return below(uniform_tokens()[2], loss_of_multiples(), 2, at, *given)


@cache
def of_the_scores() -> Theorem:
    """The weights of the definition are those along the direction of Fx."""
    known = of_the_class()[0]
    each = show(X(i, j, o) * known.lhs, "==", X(i, j, o) * known.rhs, known, X(i, j, o), *sides(known))
    along = integrate("coordinates", (j,), each, (d,))
    front, rest = c_u * over(X(i, j, o) * Fx), c_v * out(V(i, m, o) * Gx)
    same = calc(front, ("==", along.lhs), ("==", along.rhs, along), ("==", level * height(i)))
    return calc(
        exp(score),
        ("==", exp(level * height(i) + rest), same, front, rest, level * height(i)),
        ("==", weight(i)),
    )


@cache
def of_the_error() -> Theorem:
    """The error with the weights of the definition is that with those along the direction."""
    weights, at = of_the_scores(), u(j, q)
    below = integrate("coordinates", (i,), weights, (n,))
    above = integrate("coordinates", (i,), times(X(i, j, o), weights), (n,))
    above = calc(tokens(exp(score) * X(i, j, o)), ("==", above.lhs), ("==", total, above))
    square = lambda up, down: (up / down - at) ** 2
    each = show(
        square(above.lhs, below.lhs),
        "==",
        square(above.rhs, below.rhs),
        above,
        below,
        at,
        *sides(above),
        *sides(below),
    )
    return integrate("coordinates", (j,), each, (d,))


@cache
def given_the_query() -> Theorem:
    """The mean of the loss is kappa^2 times that of the signal and 2(1 - cos) times the height."""
    unit, length = of_the_tokens()[0], of_the_class()[1]
    flip = uniform_tokens()[0]
    size, inner, high = over(total**2), over(total * u(j, q)) / S, heights.along
    point = show(error(weight(i), u(j, q)), "==", size / S**2 - 2 * inner + unit.lhs)
    square = show(signal, "==", size / S**2 - 2 * high + length.lhs)
    moved = show(over(flipped * u(j, q)) / S, "==", 2 * cosine * high - inner)
    whole = integrate("mean", (o,), moved)
    along = calc(
        mean(inner),
        ("==", (mean(inner) + flip.rhs) / 2, flip, mean(inner), flip.rhs),
        ("==", (mean(inner) + whole.rhs) / 2, whole, mean(inner), *sides(whole)),
        ("==", cosine * mean(high)),
    )
    value = signal + 2 * high - 2 * inner
    both = show(
        error(weight(i), u(j, q)),
        "==",
        value,
        point,
        square,
        unit,
        length,
        error(weight(i), u(j, q)),
        signal,
        size / S**2,
        inner,
        high,
        unit.lhs,
        length.lhs,
    )
    exact_ = of_the_error()
    each = show(exact, "==", kappa**2 * value, exact_, both, *sides(exact_), value)
    return calc(
        integrate("mean", (o,), each),
        ("==", kappa**2 * (mean(signal) + 2 * mean(high) - 2 * mean(inner))),
        (
            "==",
            kappa**2 * (mean(signal) + 2 * tilt * mean(high)),
            along,
            mean(inner),
            mean(high),
            cosine,
            mean(signal),
        ),
    )


#: What the spurious parts and the direction of Fx cost.
price = kappa**2 * (gain.share * c_v**2 * blocks + 2 * heights.share * off)


#: Given the query, what the spurious parts and the direction of Fx cost.
toll = kappa**2 * (gain.share * gain.length + 2 * (tilt * (heights.share * level)))


@cache
def tolls() -> Theorem:
    """The loss with equal alpha at the query, and what is lost, is at most the loss."""
    known, high, exact_ = gain.gain(), heights.mean_height(), given_the_query()
    positive = show(0, "<=", tilt, cosine_is_at_most_1(), cosine)
    off_ = show(tilt * high.lhs, "<=", tilt * high.rhs, high, positive, tilt, *sides(high))
    inside = gcongr(kappa**2 * (known.lhs + 2 * off_.lhs), known, off_)
    return calc(
        kappa**2 * mean(signal_0) + toll,
        ("==", inside.lhs),
        ("<=", inside.rhs, inside),
        ("==", exact_.rhs),
        ("==", exact_.lhs, exact_, *sides(exact_)),
    )


@cache
def costs() -> Theorem:
    """m, and what the blocks N and Q and the direction of Fx cost, is at most the loss."""
    turn = uniform_tokens()[1]
    bottom, paid = lowest(level, class_hypotheses()[2], level), tolls()
    given = calc(
        least + toll,
        ("<=", bottom.rhs + toll, bottom, least, bottom.rhs, toll),
        ("==", paid.lhs, turn, *sides(turn), toll),
        ("<=", paid.rhs, paid),
    )
    whole, square = integrate("query", (q,), given), mean_square_of_Gx()
    back = show(square.rhs, "==", square.lhs, square, *sides(square))
    scale = kappa**2 * gain.share * c_v**2
    rest = least + 2 * kappa**2 * heights.share * off
    return calc(
        least + price,
        ("==", rest + scale * square.rhs),
        ("==", rest + scale * square.lhs, back, rest, scale, *sides(square)),
        ("==", whole.lhs),
        ("<=", loss, whole),
    )


@cache
def cosine_is_at_most_1() -> Theorem:
    """The cosine of the angle between Fx and u is at most 1."""
    unit, length = of_the_tokens()[0], of_the_class()[1]
    square = over((u(j, q) - e) ** 2)
    whole = calc(square, ("==", unit.lhs - 2 * cosine + length.lhs))
    return show(cosine, "<=", 1, whole, unit, length, show(0, "<=", square), square)


def cost_hypotheses() -> frozenset[Assumption]:
    given = hypotheses(*uniform_pairs(), *sums_over_tokens().values(), same_token(), bounded())
    given |= hypotheses(*heights.one_token(), *uniform_tokens(), of_multiples(), gain.uniform_directions())
    return given | hypotheses(*class_hypotheses(), of_the_tokens()[0], *spurious_parts()[2:])


@cache
def loss_of_multiples() -> Theorem:
    """The loss of cBB' is that of equal weights at c."""
    turn = times(kappa**2, of_multiples())
    return calc(integrate("query", (q,), turn), ("==", turn.rhs), ("==", kappa**2 * mean(fixed(c))))


def multiples_statement(factor: int = 1) -> Statement:
    """The loss of cBB' is `factor` times that of equal weights."""
    return Statement(of_multiple(c), "==", factor * kappa**2 * mean(fixed(c)), hypotheses(of_multiples()))
