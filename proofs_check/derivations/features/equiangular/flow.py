"""R7: gradient flow over equiangular features of one norm, from Q = 0, for exchangeable tasks,
classes of one probability and balanced prompts: training is one number lambda, with the loss, the
attention and the time as functions of it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, begin, unique
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import CLOCK, START, Function
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.gradient import gradient_on_the_line, speed, updates
from proofs_check.derivations.features.equiangular.multiples import (
    at_the_number,
    by_moments,
    gradient,
    loss,
    loss_of,
    own_attention_of,
)
from proofs_check.derivations.features.equiangular.setting import (
    M,
    attention,
    delta,
    equiangular,
    eta,
    exchangeable,
    here,
    i,
    j,
    k,
    kappa,
    line,
    m,
    n,
    of_n,
    shape,
    spread,
    t,
    x,
)
from proofs_check.derivations.features.steps import scaled
from proofs_check.derivations.proof import proves

Q = Function("Q", (Sort.INDEX, Sort.INDEX, Sort.TIME), Fraction(1))
lam = Function("lambda", (Sort.TIME,), Fraction(1))
here_and_now = {x: lam(t)}


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
        ("==", eta * at_the_number(gradient_on_the_line(), nonnegative()).rhs),
        ("==", eta * updates(at), symm(scaled(eta, at_the_number(gradient_on_the_line(), nonnegative())))),
    )
    start = calc(from_zero, ("==", lam(START) * shape, symm(scaled(shape, scalar_start))))
    return unique(Q, t, at, moved, solves, start)


@proves("OURS:R7.flow", flow_statements, part=2)
@cache
def own_attention() -> Theorem:
    """delta_kk A_kk = delta_kk e^lambda/(e^lambda + M)."""
    return own_attention_of(on_the_line(), nonnegative())


@proves("OURS:R7.flow", flow_statements, part=3)
@cache
def loss_now() -> Theorem:
    """The loss is (sigma_f^2/2) K (K - 1)/(e^lambda + K - 1)^2."""
    return loss_of(on_the_line(), nonnegative())


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
