"""R11 for any law of tasks: the loss along the flow of Q, its slope, and what a small loss forces.

The tasks enter by M_mn = E(f_k - f_m)(f_k - f_n), for each query k. What depends on the features
only is that of exchangeable tasks.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, exp, root, sqrt, symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, arithmetic, assume, equal, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, Sort
from numerics.derivations.kernel.terms import START, Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.feature_flow import (
    M,
    Q,
    adds_up,
    direction,
    entries,
    eta,
    flow,
    g,
    i,
    j,
    k,
    n,
    others,
    own,
    p,
    queries,
    r,
    square,
    t,
    w,
)
from proofs_check.derivations.features.margin import (
    best,
    c,
    gamma,
    is_query,
    margin,
    numbered,
    one_of_them,
    unit,
)
from proofs_check.derivations.features.steps import cancelled, product, times

m, task = Variable("m", Sort.INDEX), Variable("task", Sort.TOKEN)
#: The values of a task at the query's class, less those at the others, and their second moments.
apart = Function("d", (Sort.INDEX, Sort.INDEX, Sort.TOKEN), Fraction(2))
d_n, w_m = apart(n, k, task), instantiated(w, {n: m})
moment = bind("mean", (task,), d_n * instantiated(d_n, {n: m}))
#: M w and w'Mw, which is twice the loss of the query.
row = bind("coordinates", (m,), w_m * moment, (M,))
error = bind("coordinates", (n, m), w * w_m * moment, (M, M))
loss = queries(p * error) / 2
#: The loss as it is defined: the mean square of sum_n w_n f_n - f_k, as attention adds up to 1.
defined = queries(p * bind("mean", (task,), others(w * d_n) ** 2)) / 2

#: -H_nk, and minus the gradient.
h = p * w * (row - error)
G = queries(others(h * direction))
gradient = assume("g is minus the gradient", g(i, j, t), "==", G, every=(i, j, t))

low, high = (exp(Function(name, (Sort.INDEX,))(k)) for name in ("logc", "logC"))
least = Variable("pc", range=POSITIVE)
#: A number below 1, from which c_k/C_k stays away.
b = Variable("b", range=POSITIVE)
ratio = 1 / (1 + b)
above = assume("M >= c_k", low, "<=", moment, every=(n, m, k))
below = assume("M <= C_k", moment, "<=", high, every=(n, m, k))
least_share = assume("pc is the least p_k c_k", least, "<=", p * low, every=(k,))
at_start = instantiated(loss, {t: START})
small = assume("the loss at the start", at_start, "<=", p * low**3 / (2 * high**2), every=(k,))
strictly = assume("the loss at the start is less where c_k = C_k", at_start, "<=", ratio**2 * least / 2)
in_the_sum = assume("in(k) is 1 for each query", queries(is_query(k) * c(k)), "==", queries(c(k)), every=(c,))

#: ln(1/loss), and the bound of all 1 - w_k that the loss gives.
psi = Function("psi", (Sort.TIME,), Fraction(1))
V, rest = exp(-psi(t)), sqrt(2 / least) * exp(-psi(t) / 2)
starts = assume("psi starts at ln(1/loss)", exp(-psi(START)), "==", at_start)
grows = assume("psi grows at eta |g|^2/loss", psi.rate(t), "==", eta * square * exp(psi(t)), every=(t,))


@cache
def by_moments() -> Theorem:
    return equal(defined, loss)


@cache
def slope() -> Theorem:
    """The derivative of the loss along any path is -<G, Q'>."""
    growth = -entries(direction * Q.rate(i, j, t))
    Y = others(w * growth)
    mixed = bind("coordinates", (n, m), w * w_m * moment * growth, (M, M))
    one = show(derivative(error, t), "==", 2 * (mixed - error * Y))
    return calc(
        derivative(loss, t),
        ("==", queries(p * derivative(error, t)) / 2),
        ("==", queries(p * one.rhs) / 2, one),
        ("==", -entries(G * Q.rate(i, j, t))),
    )


@cache
def loss_falls() -> Theorem:
    """The derivative of the loss along the flow is -eta |g|^2."""
    each = show(G * Q.rate(i, j, t), "==", eta * g(i, j, t) ** 2, gradient, flow, G)
    return calc(slope(), ("==", -entries(eta * g(i, j, t) ** 2), each), ("==", -eta * square))


@cache
def loss_is_V() -> Theorem:
    """loss = e^{-psi}, as both fall at eta |g|^2."""
    apart = calc(
        derivative(loss - V, t),
        ("==", -eta * square + psi.rate(t) * V, loss_falls(), V, derivative(loss, t)),
        ("==", -eta * square + eta * square * exp(psi(t)) * V, grows),
        ("==", 0),
    )
    same = calc(antitone(loss - V, t, apart), ("==", 0, starts, starts.lhs, at_start))
    return chain(loss, arithmetic(V + same.lhs, "==", V, same, hide=(V, same.lhs)))


others_m = lambda e: bind("coordinates", (m,), e, (M,))
x, e, S = 1 - own, is_query(k), others(w)


@cache
def rows() -> tuple[Theorem, Theorem]:
    """c_k (1 - w_k) <= (M w)_n <= C_k (1 - w_k)."""
    total = lambda bound: calc(bound * x, ("==", bound * S, adds_up(), S, own), ("==", others_m(w_m * bound)))
    return (
        calc(total(low), ("<=", row, times(w_m, above))),
        calc(row, ("<=", others_m(w_m * high), times(w_m, below)), ("==", high * x, total(high))),
    )


@cache
def errors() -> tuple[Theorem, Theorem]:
    """c_k (1 - w_k)^2 <= w'Mw <= C_k (1 - w_k)^2."""
    total = lambda bound: calc(
        bound * x**2, ("==", bound * x * S, adds_up(), S, own), ("==", others(w * (bound * x)))
    )
    least, most = rows()
    return (
        calc(total(low), ("<=", others(w * row), times(w, least)), ("==", error)),
        calc(
            error,
            ("==", others(w * row)),
            ("<=", others(w * (high * x)), times(w, most)),
            ("==", high * x**2, total(high)),
        ),
    )


@cache
def share() -> Theorem:
    """in(k) p_k (c_k/2) (1 - w_k)^2 <= the loss."""
    part = sqrt(p * low / 2) * x
    return calc(
        e * (p * low / 2 * x**2),
        ("==", e * part**2),
        ("<=", queries(part**2), instantiate(one_of_them, {c: ((k,), part)})),
        ("==", queries(p / 2 * (low * x**2))),
        ("<=", queries(p / 2 * error), times(p / 2, errors()[0])),
        ("==", loss),
    )


def bounded(unit: Term, bound: Theorem, X: Term) -> Theorem:
    """in(k) (1 - w_k) <= X from in(k) unit (1 - w_k)^2 <= unit X^2."""
    squares = calc(
        (e * x) ** 2,
        ("==", e**2 * x**2),
        ("==", e * x**2, numbered),
        ("<=", X**2, cancelled(unit, bound, e * x**2, X**2, show(0, "<", unit))),
    )
    return show(e * x, "<=", X, squares)


@cache
def is_one() -> Theorem:
    return calc(0, ("<=", e**2), ("==", e, numbered))


@cache
def never_rises() -> Theorem:
    return antitone(loss, t, calc(loss_falls(), ("<=", 0)))


@cache
def signs() -> Theorem:
    """0 <= in(k) (-H_nk), as 1 - w_k <= c_k/C_k."""
    unit, inside = p * low / 2, is_one()
    early = calc(share(), ("<=", at_start, never_rises()), ("<=", unit * (low / high) ** 2, small))
    gap = bounded(unit, early, low / high)
    kept = calc(high * (e * x), ("<=", high * (low / high), times(high, gap)), ("==", low))
    room = low - high * (e * x)
    free = product(e, room, inside, show(0, "<=", room, kept, high * (e * x), low))
    some = calc(0, ("<=", S), ("==", x, adds_up(), S, own))
    least, most = rows()[0], errors()[1]
    gap = show(x * (low - high * x), "<=", row - error, least, most, row, error, x)
    inner = calc(
        product(x, e * room, some, free),
        ("==", x * (e * low - e**2 * (high * x))),
        ("==", x * (e * low - e * (high * x)), numbered),
        ("==", e * (x * (low - high * x))),
        ("<=", e * (row - error), times(e, gap, inside)),
    )
    return calc(product(p * w, inner.rhs, inner), ("==", e * h))


@cache
def own_share() -> Theorem:
    """sum_n (-H_nk) = p_k w_k w'Mw."""
    one = calc(others(w * row), ("==", error))
    return calc(
        others(h),
        ("==", p * (one.lhs - S * error)),
        ("==", p * (error - (1 - own) * error), one, adds_up(), one.lhs, S, error, own, p),
        ("==", p * own * error),
    )


def of_queries(X: Term) -> Theorem:
    """The sum over the queries of in(k) X is that of X."""
    return instantiate(in_the_sum, {c: ((k,), X)})


@cache
def steep() -> Theorem:
    """gamma sum_k p_k w_k w'Mw <= <g, Q*> <= |g|."""
    reached = entries(direction * best(i, j))
    toward = entries(g(i, j, t) * best(i, j))
    schwarz = calc(
        cauchy_schwarz("coordinates", (i, j), g(i, j, t), best(i, j), (r, r)), ("<=", square * 1, unit)
    )
    far = show(gamma, "<=", reached, margin, gamma, reached)
    each = calc(
        e * others(h * gamma),
        ("==", others(e * h * gamma)),
        ("<=", others(e * h * reached), times(e * h, far, signs())),
        ("==", e * others(h * reached)),
    )
    return calc(
        gamma * queries(p * own * error),
        ("==", gamma * queries(others(h)), own_share()),
        ("==", queries(others(h * gamma))),
        ("==", queries(e * others(h * gamma)), symm(of_queries(others(h * gamma)))),
        ("<=", queries(e * others(h * reached)), each),
        ("==", queries(others(h * reached)), of_queries(others(h * reached))),
        ("==", entries(G * best(i, j))),
        ("==", toward, show(G * best(i, j), "==", g(i, j, t) * best(i, j), gradient, G)),
        ("<=", sqrt(square), root(schwarz, toward, sqrt(square))),
    )


@cache
def small_rest() -> Theorem:
    """in(k) (1 - w_k) <= sqrt(2 loss/pc)."""
    part = e * x**2
    total = calc(
        least / 2 * part,
        ("<=", p * low / 2 * part, times(part / 2, least_share, product(e, x**2, is_one()))),
        ("<=", loss, share()),
        ("==", V, loss_is_V()),
        ("==", least / 2 * rest**2),
    )
    return bounded(least / 2, total, rest)


@cache
def steepness() -> Theorem:
    """2 gamma (1 - q) loss <= |g| with q = sqrt(2 loss/pc)."""
    half, size = p * error, errors()[0]
    some = calc(0, ("<=", p * (low * x**2)), ("<=", half, times(p, size)))
    each = calc(
        e * (1 - rest) * half,
        ("==", e * half - e * rest * half),
        (
            "<=",
            e * half - e * (e * x) * half,
            times(e * half, small_rest(), product(e, half, is_one(), some)),
        ),
        ("==", e * half - e**2 * (x * half)),
        ("==", e * half - e * (x * half), numbered),
        ("==", e * (p * own * error)),
    )
    return calc(
        2 * gamma * (1 - rest) * V,
        ("==", 2 * gamma * (1 - rest) * loss, loss_is_V()),
        ("==", gamma * ((1 - rest) * queries(half))),
        ("==", gamma * ((1 - rest) * queries(e * half)), symm(of_queries(half))),
        ("==", gamma * queries(e * (1 - rest) * half)),
        ("<=", gamma * queries(e * (p * own * error)), each),
        ("==", gamma * queries(p * own * error), of_queries(p * own * error)),
        ("<=", sqrt(square), steep()),
    )


@cache
def stays_small() -> Theorem:
    """q <= the ratio, as the loss does not rise."""
    square_of_it = calc(
        rest**2,
        ("==", 2 / least * V),
        ("==", 2 / least * loss, loss_is_V()),
        ("<=", 2 / least * at_start, times(2 / least, never_rises())),
        ("<=", 2 / least * strictly.rhs, times(2 / least, strictly)),
        ("==", ratio**2),
    )
    return show(rest, "<=", ratio, square_of_it)
