"""R7: gradient flow over equiangular features of one norm, from Q = 0, for exchangeable tasks,
classes of one probability and balanced prompts: training is one number lambda, with the loss, the
attention and the time as functions of it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, begin, instantiate, integrate, unique
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import CLOCK, START, Function, Term, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.gradient import gradient_on_the_line, speed, updates
from proofs_check.derivations.features.equiangular.setting import (
    K,
    M,
    adds_up,
    attention,
    c,
    common,
    delta,
    each_class,
    equiangular,
    errors,
    eta,
    exchangeable,
    f,
    here,
    i,
    j,
    k,
    kappa,
    line,
    m,
    mean,
    n,
    of_k,
    of_m,
    of_n,
    r,
    score,
    shape,
    spread,
    t,
    task,
    v,
    x,
    zero_or_one,
)
from proofs_check.derivations.features.equiangular.weights import A as A_line
from proofs_check.derivations.features.equiangular.weights import (
    length_on_the_line,
    own_attention_on_the_line,
)
from proofs_check.derivations.features.steps import scaled
from proofs_check.derivations.proof import proves

Q = Function("Q", (Sort.INDEX, Sort.INDEX, Sort.TIME), Fraction(1))
lam = Function("lambda", (Sort.TIME,), Fraction(1))
here_and_now = {x: lam(t)}


def prediction(X: Term) -> Term:
    return of_n(instantiated(attention(X), {m: n}) * f(n, task))


def gradient(X: Term) -> Term:
    """An entry of minus the gradient of the loss in Q, by R7.H, at a matrix with the entries X."""
    product = (f(k, task) - prediction(X)) * (f(m, task) - prediction(X))
    return of_k(of_m(v(m, i) * (attention(X) * mean(product)) * v(k, j))) / K


def loss(X: Term) -> Term:
    return of_k(mean((f(k, task) - prediction(X)) ** 2)) / (2 * K)


flow = assume("gradient flow", Q.rate(i, j, t), "==", eta * gradient(Q(i, j, t)), every=(i, j, t))
from_zero = assume("Q(0) = 0", Q(i, j, START), "==", 0, every=(i, j))
#: What lambda is: it exists for all times, as its time grows with it without bound.
steep = eta * kappa**2 * speed
scalar = assume("the scalar flow", lam.rate(t), "==", instantiated(steep, here_and_now), every=(t,))
scalar_start = assume("lambda starts at 0", lam(START), "==", 0)
setting = (*delta, equiangular, exchangeable, flow, from_zero, scalar, scalar_start)


#: e^lambda and the inverse of e^lambda + M, at the time t.
E, y = exp(lam(t)), 1 / (exp(lam(t)) + M)
X = Q(i, j, t)
A = attention(X)
own, length = instantiated(A, {m: k}), of_n(instantiated(A, {m: n}) ** 2)
#: K times the time in units of 1/(eta kappa^2 sigma_f^2), in two forms.
rate = eta * kappa**2 * spread * (M + 1)
spent = (E**2 - 1) / 2 + 3 * M * (E - 1) + 3 * M**2 * lam(t) + M**3 * (1 - 1 / E)


def flow_statements(
    cube: int = 3, three: int = 3, whole: int = 1, half: Fraction = Fraction(1, 2)
) -> tuple[Statement, ...]:
    """Where lambda moves as it does, with `cube` for an exponent: what Q is; the attention of a
    query on its class, with a factor `whole`; the loss, with its `half`; and the time, with `three`
    for two coefficients.
    """
    moved = assume(
        "the scalar flow",
        lam.rate(t),
        "==",
        eta * kappa**2 * (spread * (M + 1) * E * y**cube),
        every=(t,),
    )
    given = hypotheses(*delta, equiangular, exchangeable, flow, from_zero, moved, scalar_start)
    passed = (E**2 - 1) / 2 + three * M * (E - 1) + three * M**2 * lam(t) + M**3 * (1 - 1 / E)
    return (
        Statement(Q(i, j, t), "==", lam(t) * shape, given),
        Statement(here * own, "==", whole * here * (E * y), given),
        Statement(loss(X), "==", half * spread * (M * (M + 1)) * y**2, given),
        Statement(rate * CLOCK(t), "==", passed, hypotheses(moved, scalar_start)),
    )


@cache
def nonnegative() -> Theorem:
    down = calc(derivative(-lam(t), t), ("==", -instantiated(steep, here_and_now), scalar), ("<=", 0))
    return show(0, "<=", lam(t), calc(antitone(-lam(t), t, down), ("==", 0, scalar_start)))


def now(thm: Theorem) -> Theorem:
    """A theorem on the line, at lambda(t)."""
    return instantiate(thm, here_and_now, nonnegative())


def by_moments(X: Term) -> Theorem:
    """The gradient with the second moments of the tasks put in."""
    each = scaled(v(m, i) * attention(X) * v(k, j), errors(X))
    total = integrate("coordinates", (k,), integrate("coordinates", (m,), each, (K,)), (K,))
    return calc(
        gradient(X),
        ("==", 1 / K * total.lhs),
        ("==", 1 / K * total.rhs, scaled(1 / K, total)),
        ("==", updates(X)),
    )


@proves("OURS:R7.flow", flow_statements)
@cache
def on_the_line() -> Theorem:
    """Q is lambda times one matrix at all times, as that solves the flow from the same start."""
    at = instantiated(line, here_and_now)
    moved = calc(flow, ("==", eta * updates(Q(i, j, t)), scaled(eta, by_moments(Q(i, j, t)))))
    solves = calc(
        derivative(at, t),
        ("==", lam.rate(t) * shape),
        ("==", instantiated(steep, here_and_now) * shape, scaled(shape, scalar)),
        ("==", eta * now(gradient_on_the_line()).rhs),
        ("==", eta * updates(at), symm(scaled(eta, now(gradient_on_the_line())))),
    )
    start = calc(from_zero, ("==", lam(START) * shape, symm(scaled(shape, scalar_start))))
    return unique(Q, t, at, moved, solves, start)


def same_attention(matrix: Theorem) -> Theorem:
    """The attention at a matrix is that at what it equals."""
    X, at = matrix.lhs, matrix.rhs
    moved = scaled(v(m, i) * v(k, j), matrix)
    scores = chain(score(X), integrate("coordinates", (i, j), moved, (r, r)), score(at))
    odds = show(exp(score(X)), "==", exp(score(at)), scores)
    total = integrate("coordinates", (m,), odds, (K,))
    inverse = show(1 / total.lhs, "==", 1 / total.rhs, total, total.lhs, total.rhs)
    return calc(
        attention(X),
        ("==", 1 / total.lhs * odds.lhs),
        ("==", 1 / total.lhs * odds.rhs, scaled(1 / total.lhs, odds)),
        ("==", odds.rhs * (1 / total.lhs)),
        ("==", odds.rhs * (1 / total.rhs), scaled(odds.rhs, inverse)),
        ("==", attention(at)),
    )


@proves("OURS:R7.flow", flow_statements, part=2)
@cache
def own_attention() -> Theorem:
    """delta_kk A_kk = delta_kk e^lambda/(e^lambda + M)."""
    moved = scaled(here, instantiate(same_attention(on_the_line()), {m: k}))
    return calc(moved, ("==", here * (E * y), now(own_attention_on_the_line())))


@cache
def sum_of_squares() -> Theorem:
    each = show(
        A**2,
        "==",
        instantiated(A_line, here_and_now) ** 2,
        same_attention(on_the_line()),
        A,
        instantiated(A_line, here_and_now),
    )
    total = scaled(here, integrate("coordinates", (m,), each, (K,)))
    return calc(
        here * length, ("==", total.rhs, total), ("==", here * ((E**2 + M) * y**2), now(length_on_the_line()))
    )


@proves("OURS:R7.flow", flow_statements, part=3)
@cache
def loss_now() -> Theorem:
    """The loss is (sigma_f^2/2) K (K - 1)/(e^lambda + K - 1)^2."""
    expanded, square = instantiate(errors(X), {m: k}), instantiate(zero_or_one, {m: k})
    S = adds_up(X)
    kept = instantiate(each_class, {c: ((k,), expanded.rhs)})
    none = calc(
        here * (common * (here - S.lhs) * (here - S.lhs)),
        ("==", here * (common * (here - 1) * (here - 1)), S, S.lhs, here),
        ("==", common * (here - 1) * here**2 - common * (here - 1) * here),
        ("==", 0, scaled(common * (here - 1), square)),
    )
    value = spread * (M * (M + 1)) * y**2
    each = calc(
        here * expanded.rhs,
        ("==", spread * (here**2 - 2 * here * (here * own) + here * length) + none.lhs),
        ("==", spread * (here**2 - 2 * here * (here * own) + here * length), none),
        ("==", spread * (here - 2 * here * (here * own) + here * length), scaled(spread, square)),
        (
            "==",
            spread * (here - 2 * here * (here * (E * y)) + here * length),
            scaled(-2 * spread * here, own_attention()),
        ),
        (
            "==",
            spread * (here - 2 * E * y * here**2 + here * ((E**2 + M) * y**2)),
            scaled(spread, sum_of_squares()),
        ),
        (
            "==",
            spread * (here - 2 * E * y * here + here * ((E**2 + M) * y**2)),
            scaled(-2 * spread * E * y, square),
        ),
        ("==", here * value, here, E),
    )
    moments = integrate("coordinates", (k,), expanded, (K,))
    gated = integrate("coordinates", (k,), each, (K,))
    all_ = calc(of_k(here), ("==", of_k(term(1)), instantiate(each_class, {c: ((k,), term(1))})), ("==", K))
    return calc(
        loss(X),
        ("==", 1 / (2 * K) * moments.lhs),
        ("==", 1 / (2 * K) * moments.rhs, scaled(1 / (2 * K), moments)),
        ("==", 1 / (2 * K) * gated.lhs, scaled(1 / (2 * K), symm(kept))),
        ("==", 1 / (2 * K) * gated.rhs, scaled(1 / (2 * K), gated)),
        ("==", value / (2 * K) * all_.lhs),
        ("==", value / (2 * K) * K, scaled(value / (2 * K), all_)),
        ("==", spread / 2 * (M * (M + 1)) * y**2),
    )


@proves("OURS:R7.flow", flow_statements, part=4)
@cache
def time_now() -> Theorem:
    """The time, as the derivative of the right side is 1 over the speed of lambda."""
    e, D = rate * CLOCK(t) - spent, lam.rate(t)
    still = calc(
        derivative(e, t),
        ("==", rate - (E + M) ** 3 / E * D, E, D),
        (
            "==",
            rate - (E + M) ** 3 / E * instantiated(steep, here_and_now),
            scaled(-((E + M) ** 3) / E, scalar),
        ),
        ("==", 0, E),
    )
    none = calc(antitone(e, t, still), ("==", 0, begin(), scalar_start))
    return calc(rate * CLOCK(t), ("==", e + spent), ("==", spent, none))
