"""Theorem 5.2 of Boursier & Boyer, and Remark 5.3 for label noise: what Theorem 4.3 supposes is
shown of the in-context linear model (11), for its squared loss, so that nothing of it is left.

The flows are told in the coordinates kappa U, kappa V for kappa^2 = max(1, |Sigma|), in which they
are the gradient flows of kappa^2 times the risks.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.kernel.rules import assume, discharge
from numerics.derivations.kernel.terms import Op, Term, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.gaussian_tokens.laws import moments_with_noise
from proofs_check.derivations.gaussian_tokens.laws import with_noise as moments_of_a_token
from proofs_check.derivations.linear_attention.polyak_lojasiewicz import EVERYTHING, start
from proofs_check.derivations.proof import proves
from proofs_check.derivations.transfer.flows import risk_along_the_flow as general
from proofs_check.derivations.transfer.flows.risk_along_the_flow import RL, T_L, R, eps, later, limit_L
from proofs_check.derivations.transfer.flows.two_flows import T, in_small_ball, now, t
from proofs_check.derivations.transfer.linear_tasks import infinite_prompts, laws
from proofs_check.derivations.transfer.linear_tasks.laws import scale, tau2
from proofs_check.derivations.transfer.linear_tasks.squared_loss import NEAR, at_a_point

#: The least risk, and the accuracy, in these coordinates.
best, accuracy = scale * tau2 / 2, scale * eps / 2
no_noise = assume("no label noise", tau2, "==", 0)


def supposed() -> tuple[Assumption, ...]:
    """What Theorem 4.3 supposes and the model meets."""
    near = general.nearly_there(accuracy, best)
    return (*laws.asked(), *in_small_ball.assumptions, *near.assumptions)


def known() -> frozenset[Assumption]:
    """The flows, the model, its infinite-prompt flow, and how long prompts are."""
    flows = hypotheses(*general.ALONG, general.chain_rule) | general.long_for(accuracy, at_a_point).given
    own = hypotheses(*laws.MODEL, *infinite_prompts.on_the_manifold, infinite_prompts.in_the_ball)
    late = hypotheses(infinite_prompts.late(accuracy))
    return flows.difference(supposed()) | own | late | EVERYTHING


def limit_given() -> frozenset[Assumption]:
    """The infinite-prompt flow, and how late it is."""
    return hypotheses(infinite_prompts.on_the_manifold[1], infinite_prompts.late(accuracy)) | EVERYTHING


def reached(least: Term) -> Term:
    """How far the infinite-prompt risk is above the least one from T on."""
    return Op("ind", (now - T,)) * (R(t) / scale - least)


def _risks(least: Term) -> tuple[Term, Term]:
    """How far the finite-prompt risk at late times and its limit are above the least risk."""
    late = Op("ind", (now - T_L,))
    return later(RL(t) / scale - least), later(late * (limit_L / scale - least))


def _statements(c: int | Fraction, least: Term, given: frozenset[Assumption]) -> tuple[Statement, ...]:
    """The finite-prompt risk and its limit."""
    first, second = (Statement(e, "<=", Fraction(c) * eps, given) for e in _risks(least))
    at_the_end = given | hypotheses(general.settled(accuracy))
    return first, Statement(second.lhs, "<=", second.rhs, at_the_end)


def statements(c: int | Fraction = 1, any_start: bool = False) -> tuple[Statement, ...]:
    """Theorem 5.2: from T on, and for long prompts, the risk R_L is at most c epsilon along its
    flow, and so is its limit; and R_inf is at most c epsilon from T on. With `any_start` the flows
    start anywhere.
    """
    of_the_start = hypotheses(*start) if any_start else frozenset()
    given = (known() | hypotheses(no_noise)) - of_the_start
    of_the_limit = (limit_given() | hypotheses(no_noise)) - of_the_start
    limit = Statement(reached(term(0)), "<=", Fraction(c) * eps, of_the_limit)
    return (*_statements(c, term(0), given), limit)


def noise_statements(factor: int | Fraction = 1, c: int | Fraction = 1) -> tuple[Statement, ...]:
    """Remark 5.3: the moments of a token with label noise, with a factor before their right sides;
    and with Gaussian label noise R_L and its limit are at most tau^2/2 + c epsilon.
    """
    return (*moments_with_noise(factor), *_statements(c, tau2 / 2, known()))


def _freed(thm: Theorem) -> Theorem:
    """The theorem for model (11)."""
    flow = infinite_prompts.in_a_ball(), infinite_prompts.close_to_the_limit(accuracy, best)
    for hypothesis, shown in zip(supposed(), (*laws.shown(), *flow), strict=True):
        thm = discharge(thm, hypothesis, shown)
    return thm


@cache
def with_noise() -> tuple[Theorem, Theorem]:
    """Both conclusions of Theorem 4.3, divided by kappa^2."""
    first, second = (of(accuracy, best, at_a_point, NEAR) for of in (general.from_T_on, general.at_the_end))
    risk, end = _risks(tau2 / 2)
    return (
        calc(risk, ("==", first.lhs / scale), ("<=", eps, _freed(first))),
        calc(end, ("==", second.lhs / scale), ("<=", eps, _freed(second))),
    )


@proves("BB:R5.3.noise", noise_statements, part=(1, 2, 3, 4, 5))
def remark() -> tuple[Theorem, ...]:
    """The covariance of a token, and the theorem."""
    return (*moments_of_a_token(), *with_noise())


@proves("BB:T5.2", statements, part=(1, 2, 3))
@cache
def without_noise() -> tuple[Theorem, Theorem, Theorem]:
    """tau^2 = 0."""
    none, (first, second) = show(tau2 / 2, "==", 0, no_noise), with_noise()
    risk, end = _risks(term(0))
    close, ideal = infinite_prompts.close_to_the_limit(accuracy, best), reached(tau2 / 2)
    third = calc(ideal, ("==", close.lhs / scale), ("<=", eps / 2, close), ("<=", eps))
    return (
        calc(risk, ("==", first.lhs, none), ("<=", eps, first)),
        calc(end, ("==", second.lhs, none), ("<=", eps, second)),
        calc(reached(term(0)), ("==", ideal, none), ("<=", eps, third)),
    )
