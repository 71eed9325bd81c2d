"""The block structure of Section 5 of Boursier & Boyer is preserved: the risks do not change if the
label's part of U and the covariates' part of the last row of V change their signs, so that a flow
that starts where these are 0 is its own mirror image.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, begin, gcongr, instantiate, same_covariance
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import CLOCK, GAUSSIAN, START, Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.gaussian_tokens.lengths import absolute
from proofs_check.derivations.gaussian_tokens.linear_model import dot, h, l
from proofs_check.derivations.gaussian_tokens.risks import c, p
from proofs_check.derivations.gaussian_tokens.tilted_tokens import U, last
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.softmax_average import (
    d,
    expectation,
    i,
    j,
    k,
    over,
    total,
    z,
)
from proofs_check.derivations.softmax_average.softmax_average import mean as over_a_token
from proofs_check.derivations.softmax_average.tilted import query, y
from proofs_check.derivations.transfer.flows.two_flows import beta
from proofs_check.derivations.transfer.risks.outcomes import i as place
from proofs_check.derivations.transfer.risks.outcomes import parameters

Average = Callable[[Term], Term]
#: The task as any vector, and tasks A xi for any A, of which xi itself is one.
task, A = Function("task", (Sort.INDEX,)), Function("A", (Sort.INDEX, Sort.INDEX))
n, other = Variable("n", Sort.INDEX), Variable("h2", Sort.NORMAL)
gaussian_task = over(n, d, A(i, n) * GAUSSIAN(n, h))


def loss(average: Average, over_prompts: Average, sign: int | Fraction = 1) -> Term:
    """The mean over prompt and query of half the squared error at a task, where the parts b of U
    and p of V are multiplied by the sign.
    """
    label, target = dot(task(i), z(i, k)), dot(task(i), y(i, query))
    score = dot(over(l, d, U(i, l) * y(l, query)), z(i, k)) + sign * (
        over(l, d, last(l) * y(l, query)) * label
    )
    weight, value = exp(score), sign * dot(p(i), z(i, k)) + c * label
    error = average(weight * value) / average(weight) - target
    return over_prompts(bind("query", (query,), absolute(error) ** 2 / 2))


def risk(average: Average, over_prompts: Average, sign: int | Fraction = 1) -> Term:
    """Its mean over the tasks."""
    at = instantiated(loss(average, over_prompts, sign), {task: ((i,), gaussian_task)})
    return bind("normal", (h,), at)


FINITE: tuple[Average, Average] = (total, expectation)
INFINITE: tuple[Average, Average] = (over_a_token, lambda e: e)


#: The flow, its mirror image m_i theta_i with m_i = 1 or -1, and the gradient at both.
t = Variable("t", Sort.TIME)
theta = Function("theta", (Sort.INDEX, Sort.TIME), Fraction(1))
g, g_mirror = (Function(name, (Sort.INDEX, Sort.TIME)) for name in ("g", "gmirror"))
m = Function("m", (Sort.INDEX,))(place)
apart = parameters((m * theta(place, t) - theta(place, t)) ** 2)
flow = assume("the flow of theta", theta.rate(place, t), "==", -g(place, t), every=(place, t))
blocks = assume(
    "the start has blocks: theta_i = 0 where m_i = -1, and m_i = 1 at others",
    m * theta(place, START),
    "==",
    theta(place, START),
    every=(place,),
)
mirrored_gradient = assume(
    "chain rule: the gradient of an even risk at a mirrored point is the mirrored gradient",
    g_mirror(place, t),
    "==",
    m * g(place, t),
    every=(place, t),
    cited=True,
)
lipschitz = assume(
    "C^2 risk: beta is the Lipschitz constant of its gradient on a ball",
    parameters((g_mirror(place, t) - g(place, t)) ** 2),
    "<=",
    beta**2 * apart,
    every=(t,),
)
ALONG = (flow, blocks, mirrored_gradient, lipschitz)


def statements(mirror: int = -1, keeps: bool = True) -> tuple[Statement, ...]:
    """The risk for L tokens and for the infinite prompt is at most that at the mirror image of b
    and p, whatever these are, so that both are the same; and what is 0 at the start, as m_i = -1
    there, stays 0. Without `keeps` the flow starts anywhere.
    """
    even = (Statement(risk(*kind, mirror), "<=", risk(*kind)) for kind in (FINITE, INFINITE))
    given = hypotheses(*(thm for thm in ALONG if keeps or thm is not blocks))
    return *even, Statement(parameters(((1 - m) * theta(place, t)) ** 2), "<=", term(0), given)


@cache
def is_even(kind: tuple[Average, Average]) -> Theorem:
    """The risk at -b, -p and the task w is that at b, p and the task -w, which has the law of w."""

    def in_two(sign: int) -> Theorem:
        """The law of A xi is that of A (3 xi + 4 xi')/5, or of its negative."""
        B, C = (term(Fraction(sign * share, 5)) * A(i, n) for share in (3, 4))
        of_both = (over(n, d, part * instantiated(part, {i: j})) for part in (B, C))
        same = show(over(n, d, A(i, n) * A(j, n)), "==", next(of_both) + next(of_both))
        return same_covariance(loss(*kind, sign), task, (h, other), (i, j, n), d, (A(i, n), B, C), same)

    mirrored, plain = in_two(-1), in_two(1)
    return chain(mirrored, plain.rhs, gcongr(plain.rhs, plain))


@proves("BB:5.block", statements, part=(1, 2))
def are_even() -> tuple[Theorem, Theorem]:
    return is_even(FINITE), is_even(INFINITE)


@proves("BB:5.block", statements, part=3)
@cache
def stays() -> Theorem:
    """The square of the distance of the flow and its mirror image grows at most at the rate 2 beta
    times itself, and is 0 at the start.
    """
    now, off, back = CLOCK(t), m * theta(place, t) - theta(place, t), g_mirror(place, t) - g(place, t)
    x, w = (Variable(name, range=REALS) for name in ("x_", "w_"))
    b = Variable("p_", range=POSITIVE)
    young = show(-2 * x * w, "<=", b * x**2 + w**2 / b, show(0, "<=", b * (x + w / b) ** 2))
    each = calc(
        2 * off * (m * theta.rate(place, t) - theta.rate(place, t)),
        ("==", -2 * off * (m * g(place, t) - g(place, t)), flow),
        ("==", -2 * off * back, mirrored_gradient),
        ("<=", beta * off**2 + back**2 / beta, instantiate(young, {x: off, w: back, b: beta})),
    )
    slope = calc(
        derivative(apart, t),
        ("<=", beta * apart + parameters(back**2) / beta, each),
        ("<=", 2 * beta * apart, lipschitz),
    )
    decay = exp(-2 * beta * now)
    falls = calc(derivative(decay * apart, t), ("<=", 0, slope))
    start = show(instantiated(apart, {t: START}), "==", 0, blocks)
    none = calc(antitone(decay * apart, t, falls), ("==", 0, start, begin()))
    return calc(apart, ("==", exp(2 * beta * now) * (decay * apart)), ("<=", 0, none))
