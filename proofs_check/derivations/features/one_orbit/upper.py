"""R12: over one orbit the attention of the gradient flow of Q rises at some speed at least, and its
time to 1/2 is bounded from above.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, begin, instantiate, integrate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import CLOCK, START, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.multiples import attention_of
from proofs_check.derivations.features.equiangular.setting import (
    K,
    attention,
    counted,
    eta,
    exchangeable,
    here,
    i,
    j,
    k,
    m,
    n,
    of_n,
    r,
    spread,
    t,
    v,
)
from proofs_check.derivations.features.one_orbit.distances import (
    Delta,
    apart,
    spread_out,
)
from proofs_check.derivations.features.one_orbit.gradient import plain, without_delta
from proofs_check.derivations.features.one_orbit.group import (
    PERMUTING,
    B,
    at_the_identity,
    gram,
    identity,
    in_weights,
    odds,
    schur,
    unit,
    y,
)
from proofs_check.derivations.features.one_orbit.invariant import multiple_of_the_identity
from proofs_check.derivations.features.one_orbit.loss import (
    CLASSES,
    orbit,
    slope,
    speed_of_a_query,
)
from proofs_check.derivations.features.one_orbit.shares import (
    Q,
    W,
    a,
    a_class,
    adds_up,
    mean,
    mean_distance,
    no_larger_than_the_own,
    now,
    others_remain,
    own_squares,
    rest,
    s,
)
from proofs_check.derivations.features.one_orbit.training import (
    Y,
    along_the_flow,
    flow,
    flow_from_zero,
    lam,
    scalar,
    scalar_start,
)
from proofs_check.derivations.features.steps import cancelled, gap, ind, product, scaled, times
from proofs_check.derivations.proof import proves

one, other = Variable("a", Sort.INDEX), Variable("b", Sort.INDEX)
kappa, rate = eta * spread / r, lam.rate(t)
#: The attention of the flow on the query's class.
reached = instantiated(attention(Y), {m: k})
SETTING = (*CLASSES, counted, exchangeable, identity, *PERMUTING, schur, orbit, apart)
FLOW = (flow, flow_from_zero, scalar(), scalar_start)


def statements(cube: int = 3, four: int = 4, thirty_two: int = 32) -> tuple[Statement, ...]:
    """R12.upper for the gradient flow of Q: the speed of its attention on the query's class, and
    the time at which this is 1/2.
    """
    given = hypotheses(*SETTING, *FLOW)
    last = thirty_two * r * K / (eta * spread * Delta**4)
    speed_ = eta * spread * Delta**4 / (Fraction(four) * r)
    return (
        Statement(
            here * (speed_ * reached**2 * (1 - reached) ** cube), "<=", here * derivative(reached, t), given
        ),
        Statement(here * (ind(Fraction(1, 2) - reached) * (CLOCK(t) - last)), "<=", term(0), given),
    )


@cache
def the_attention() -> Theorem:
    """Q is lambda times the identity, at which a is the attention."""
    found = instantiate(attention_of(along_the_flow()), {m: k})
    return calc(found, ("==", a, instantiate(at_the_identity(), {y: lam(t), m: k})))


def kept(e: Term) -> Theorem:
    """delta_kk e is itself at a class."""
    return calc(
        here * (here * e), ("==", e * here**2), ("==", e * here, scaled(e, a_class()[0])), ("==", here * e)
    )


@cache
def slope_from_below() -> Theorem:
    """The loss falls at s a (1 - a)^2 or faster."""
    rest_ = calc(gap(no_larger_than_the_own()), ("==", here * (a - Q)))
    more = calc(gap(mean_distance()), ("==", here * (mean - s * (1 - a))))
    both = product(rest_.rhs, more.rhs, rest_, more)
    left = calc(
        both,
        ("==", here * (here * ((a - Q) * (mean - s * (1 - a))))),
        ("==", here * ((a - Q) * (mean - s * (1 - a))), kept((a - Q) * (mean - s * (1 - a)))),
    )
    low = s * (here * (a * (1 - 2 * a + Q)))
    return calc(
        here * (s * a * (1 - a) ** 2),
        ("==", low - s * a * (here * Q - here * a**2)),
        ("<=", low, times(s * a, own_squares())),
        ("<=", low + left.rhs, left),
        ("==", here * ((a - Q) * mean) + s * (here * Q - here * a**2)),
        ("<=", here * ((a - Q) * mean) + here * rest, spread_out(W**2)),
        ("==", here * now(slope(k))),
    )


@cache
def speed() -> Theorem:
    """lambda' is at least kappa s a (1 - a)^2."""
    known = instantiate(speed_of_a_query(), {y: lam(t)})
    return calc(
        here * (kappa * (s * a * (1 - a) ** 2)),
        ("<=", kappa * (here * now(slope(k))), times(kappa, slope_from_below())),
        ("==", eta / r * known.rhs),
        ("==", eta / r * known.lhs, scaled(eta / r, symm(known))),
        ("==", here * rate, scaled(here, scalar())),
    )


@cache
def attention_rises() -> Theorem:
    left = others_remain()
    low = here * (s * (1 - a))
    some = calc(0, ("<=", s * left.rhs, times(s, left)), ("==", low))
    way = kappa * (s * a * (1 - a) ** 2)
    moved = calc(0, ("<=", way * here, times(way, a_class()[1])), ("<=", here * rate, speed()))
    slower = times(low, speed(), some)
    faster = times(here * rate, mean_distance(), moved)
    e = kappa * s**2 * a**2 * (1 - a) ** 3
    return calc(
        here * e,
        ("==", here * (here * e), symm(kept(e))),
        ("==", a * slower.lhs),
        ("<=", a * slower.rhs, times(a, slower)),
        ("==", a * faster.lhs),
        ("<=", a * faster.rhs, times(a, faster)),
        ("==", here * (here * (a * mean * rate))),
        ("==", here * (a * mean * rate), kept(a * mean * rate)),
        ("==", here * derivative(a, t), scaled(here, symm(derivative_of_a()))),
    )


@cache
def derivative_of_a() -> Theorem:
    """a' = a lambda' sum w_n h_n."""
    inner = of_n(W * gram(n, k))
    return calc(
        derivative(a, t),
        ("==", a * rate * (gram(k, k) - inner)),
        ("==", a * rate * (gram(k, k) * of_n(W) - inner), adds_up(), of_n(W), a, inner),
        ("==", a * mean * rate),
    )


@cache
def the_speed() -> Theorem:
    """The attention of the flow has the derivative of a, as Q' is lambda' times the identity."""
    at = instantiate(at_the_identity(), {y: lam(t)})
    multiple = instantiate(multiple_of_the_identity(), {y: lam(t)})
    attentions = attention_of(along_the_flow())
    Q_moves = calc(
        flow,
        ("==", eta * plain(Y), scaled(eta, without_delta(Y))),
        ("==", eta * multiple.lhs, scaled(eta, in_weights(chain(attentions, at), Y))),
        ("==", eta * multiple.rhs, scaled(eta, multiple)),
        ("==", unit(i, j) * scalar().rhs),
        ("==", unit(i, j) * rate, symm(scaled(unit(i, j), scalar()))),
    )
    moved = integrate("coordinates", (i, j), scaled(v(m, i) * v(k, j), Q_moves), (r, r))
    pair = instantiate(identity, {B: ((one, other), v(m, one) * v(k, other))})
    scores = calc(
        moved.lhs,
        ("==", moved.rhs, moved),
        ("==", rate * pair.lhs),
        ("==", rate * pair.rhs, scaled(rate, pair)),
        ("==", rate * gram(m, k)),
    )
    of_class, own = instantiate(scores, {m: n}), instantiate(scores, {m: k})
    weights = chain(instantiate(attentions, {m: n}), instantiate(at, {m: n}))
    each = show(
        weights.lhs * of_class.lhs,
        "==",
        weights.rhs * of_class.rhs,
        weights,
        of_class,
        *(weights.lhs, weights.rhs, of_class.lhs, of_class.rhs),
    )
    total = integrate("coordinates", (n,), each, (K,))
    first = the_attention()
    facts = first, own, total
    return calc(
        derivative(reached, t),
        ("==", first.lhs * (own.lhs - total.lhs)),
        ("==", first.rhs * (own.rhs - total.rhs), *facts, *(e for f in facts for e in (f.lhs, f.rhs))),
        ("==", derivative(a, t)),
    )


@proves("OURS:R12.upper", statements, part=1)
@cache
def flow_rises() -> Theorem:
    powers = show(reached**2 * (1 - reached) ** 3, "==", a**2 * (1 - a) ** 3, the_attention(), reached, a)
    unit_, slow = kappa * s**2, attention_rises()
    return calc(
        here * (unit_ * reached**2 * (1 - reached) ** 3),
        ("==", here * unit_ * powers.rhs, scaled(here * unit_, powers)),
        ("==", slow.lhs),
        ("<=", slow.rhs, slow),
        ("==", here * derivative(reached, t), symm(scaled(here, the_speed()))),
    )


@cache
def waiting() -> Theorem:
    """kappa s^2 t (1 - a)^3 + 1/a <= K, as it falls, with (1 - a)^3 at the rate of a."""
    unit = kappa * s**2
    e = here * (unit * CLOCK(t) * (1 - a) ** 3 + 1 / a)
    A_ = derivative(a, t)
    rises, clock = attention_rises(), CLOCK(t)
    start = times(unit * a**2 * (1 - a) ** 2, others_remain())
    some = calc(0, ("<=", start.rhs, start), ("==", rises.lhs), ("<=", rises.rhs, rises))
    later = times(3 * unit * clock * (1 - a) ** 2, some)
    quotient = times(1 / a**2, rises)
    falling = calc(
        derivative(e, t),
        ("==", quotient.lhs - later.rhs - quotient.rhs, a, A_),
        ("<=", 0, quotient, later, quotient.lhs, quotient.rhs, later.rhs),
    )
    return antitone(e, t, falling)


def late_statement(four: int = 4) -> Statement:
    """The attention a of the flow has t (1 - a)^3 <= 4 r K/(eta sigma_f^2 Delta^4)."""
    bound = four * r * K / (eta * spread * Delta**4)
    given = hypotheses(*SETTING, *FLOW)
    return Statement(here * (CLOCK(t) * (1 - reached) ** 3), "<=", here * bound, given)


@cache
def late_attention() -> Theorem:
    """The attention tends to 1."""
    unit_, clock = kappa * s**2, CLOCK(t)
    at_0 = {y: lam(START)}
    own = show(instantiated(odds(k, k), at_0), "==", 1, scalar_start)
    each = show(instantiated(odds(n, k), at_0), "==", 1, scalar_start)
    sums = calc(of_n(each.lhs), ("==", of_n(term(1)), each))
    a_0 = instantiated(a, {t: START})
    first = show(1 / a_0, "==", sums.lhs, own, own.lhs, sums.lhs)
    spent, extra = unit_ * (here * (clock * (1 - a) ** 3)), times(1 / a, a_class()[1])
    cubes = show((1 - reached) ** 3, "==", (1 - a) ** 3, the_attention(), reached, a)
    X, bound = here * (clock * (1 - reached) ** 3), late_statement().rhs
    line = calc(
        unit_ * X,
        ("==", unit_ * here * clock * cubes.lhs),
        ("==", unit_ * here * clock * cubes.rhs, scaled(unit_ * here * clock, cubes)),
        ("==", spent),
        ("<=", spent + extra.rhs, extra, spent, extra.rhs),
        ("==", waiting().lhs),
        ("<=", waiting().rhs, waiting()),
        ("==", here * (1 / a_0), begin(), a_0),
        ("==", here * first.rhs, scaled(here, first)),
        ("==", here * sums.rhs, scaled(here, sums)),
        ("==", unit_ * bound),
    )
    return cancelled(unit_, line, X, bound, show(0, "<", unit_))


@proves("OURS:R12.upper", statements, part=2)
@cache
def time_to_one_half() -> Theorem:
    """A time at which a <= 1/2 is at most 32 r K/(eta sigma_f^2 Delta^4)."""
    clock, early, found = CLOCK(t), ind(Fraction(1, 2) - reached), late_attention()
    last = 32 * r * K / (eta * spread * Delta**4)
    half_way = show(early, "<=", 8 * early * (1 - reached) ** 3, reached)
    gate = times(clock, a_class()[1])
    line = calc(
        here * (early * clock),
        ("==", clock * here * early),
        ("<=", clock * here * half_way.rhs, times(gate.rhs, half_way, gate)),
        ("==", 8 * early * found.lhs),
        ("<=", 8 * early * found.rhs, times(8 * early, found)),
        ("==", here * (early * last)),
    )
    return chain(
        here * (early * (clock - last)), show(line.lhs - line.rhs, "<=", 0, line, line.lhs, line.rhs)
    )
