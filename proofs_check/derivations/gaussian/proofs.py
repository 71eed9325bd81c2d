"""Which claims are derived in this room."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType

from numerics.derivations.statements import Statement
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.gaussian import (
    finite_prompts,
    laws,
    linear_model,
    own_prompt,
    rescaled,
    risks,
    task_moments,
    tilted_tokens,
    weighted_lengths,
)
from proofs_check.derivations.gaussian.task_moments import PRINTED, REPAIRED
from proofs_check.derivations.proof import Proof, each, one

__all__ = ["PROOFS"]


def _lemma_f1(
    k: int | Fraction = 1,
    share: int | Fraction = 1,
    rate: int | Fraction = 1,
    growth: int | Fraction = 1,
    own: int | Fraction = 1,
) -> tuple[Statement, ...]:
    """The three parts of Assumption 4.2 for the linear in-context model, at every task."""
    moments = (tilted_tokens.statement(p, r, growth, own if p == 0 else 1) for p, r in tilted_tokens.ORDERS)
    return (*linear_model.statements(k), *task_moments.statements(rate, share), *moments)


def _both(theorem: Callable[..., Theorem]) -> tuple[Callable[[], Theorem], ...]:
    """A theorem on the printed and on the repaired sigma_mu."""
    return tuple(lambda sigma2=sigma2: theorem(sigma2) for sigma2 in (PRINTED, REPAIRED))


def _moments(share: int | Fraction = 1) -> tuple[Statement, ...]:
    return tuple(task_moments.moment_statement(share, sigma2) for sigma2 in (PRINTED, REPAIRED))


def _decays(k: int | Fraction = 1, rate: int | Fraction = 1) -> tuple[Statement, ...]:
    """The mean of L^{-c/sigma_mu^2} for the printed and for the repaired sigma_mu, and its product
    with ln(L)^4.
    """
    both = (PRINTED, REPAIRED)
    means = (task_moments.decay_statement(k, sigma2) for sigma2 in both)
    return (*means, *(task_moments.limit_statement(rate, sigma2) for sigma2 in both))


#: By the id of a claim.
PROOFS: Mapping[str, Proof] = MappingProxyType(
    {
        "BB:L2.1.b": one(own_prompt.statement, own_prompt.theorem),
        "BB:12": one(laws.of_a_token, laws.token),
        "BB:29": one(laws.of_a_tilted_token, laws.tilted_token),
        "BB:5.Rinf": one(risks.infinite_prompt, risks.infinite_prompt_theorem),
        "BB:5.RL": one(finite_prompts.risk, finite_prompts.risk_theorem),
        "BB:R5.3.noise": Proof(laws.moments_with_noise, each(laws.with_noise, 3)),
        "BB:R5.3.risk0": Proof(risks.risk_at_the_limit, (risks.no_risk, risks.no_smaller_risk)),
        "BB:LF.1.i": one(linear_model.token_statement, linear_model.tokens),
        "BB:LF.1.i/query": one(linear_model.query_statement, linear_model.query),
        "BB:LF.1.ii.a-e/b": one(task_moments.split_statement, task_moments.split),
        "BB:LF.1.ii.a-e/moment": Proof(_moments, _both(task_moments.twelfth_moment)),
        "BB:LF.1.ii.f": Proof(
            _decays, (*_both(task_moments.decay), *_both(task_moments.decay_times_logarithm))
        ),
        "BB:LF.1.ii.f/mgf": one(task_moments.mgf_statement, task_moments.exponential_moment),
        "OURS:LF.1/sub_gaussian": Proof(laws.noisy_statements, (laws.noisy_token, laws.growth_of_the_proxy)),
        "OURS:T5.2/scale": Proof(rescaled.statements, each(rescaled.theorems, 4)),
        "OURS:T5.2.gap/moments": Proof(
            finite_prompts.moment_statements, each(finite_prompts.moment_theorems, 6)
        ),
        "OURS:T5.2.gap/power": one(finite_prompts.power_statement, finite_prompts.power),
        "OURS:T5.2.gap/gaussian": Proof(weighted_lengths.statements, each(weighted_lengths.bounds, 3)),
        "BB:LF.1": Proof(
            _lemma_f1,
            (
                linear_model.query,
                linear_model.tokens,
                linear_model.at_least_one,
                task_moments.twelfth_moment,
                task_moments.decay_times_logarithm,
                *(lambda k=k, r=r: tilted_tokens.theorem(k, r) for k, r in tilted_tokens.ORDERS),
            ),
        ),
    }
)
