"""Engines: provers, enumeration, quadrature, Monte Carlo, flows, fits and rate reports. Imports
`theory`, never `proofs_check`.

==================================================  ===========================================================================
`evidence`, `seeds`                                 what an engine returns; where its random numbers come from
`provers`                                           inequalities, identities and integrals, proved or enclosed
`worst_case`, `bounds`, `families`,                 bounds on the softmax average: the statement as data, laws to search over,
`softmax_average`, `node_moments`, `enumerate`      the average itself, moments of the law, exact sums over prompts
`averaged_errors`, `averaged_instances`             the same averaged over queries of few values, and bounds on it; hostile cases
`hostile`, `hostile_cases`, `sub_gaussian`          boundary cases as code, and exact sub-Gaussian constants
`maximise`, `reference`                             the search itself; the instance at which bounds are compared
`tail_cases`                                        integrated tails of the average and of its tokens, on exact laws
`worst_law`                                         bounds on the laws themselves: moments, tails, tilted means
`every_constant`, `two_routes`                      refutations by a sequence of instances, and by two numerical routes
`probability`                                       confidence limits for what can only be sampled
`exact`                                             exact errors for Gaussian tokens: output and gradients, one query or averaged
`quadrature`, `score_moments`, `coarse_moments`,    what they are made of: softmax weights, spread of the scores (one variance to 14
`query_average`, `exact_inputs`                     digits, many to 4), Gaussian queries, what is checked at the door
`law_errors`, `law_transforms`,                     exact errors for tokens of any law whose transform is known, at one query;
`law_moments`, `cauchy_moments`, `short_prompts`    the inner integral, moments under complex tilts; few prompts gone through
`token_laws`                                        laws of tokens: sampler, sub-Gaussian parameter, Laplace transform; a user's own
`query_in_prompt`                                   the same in one dimension with the query inside the prompt
`estimate`, `error_sampler`, `central_sums`         the same errors by Monte Carlo, in blocks that can be joined
`token_sampler`, `score_sampler`,                   every token drawn, or the scores alone and the mean over the rest;
`streams`, `kernels`                                random numbers and loops, compiled
`finite_prompt_risk`, `finite_prompt_flow`          the risk of softmax attention at a finite prompt length, and its gradient flow
`block_risk`, `training_flow`,                      the same with its gradient, any matrix, linear attention too; its flow, also in
`population_risk`, `weight_tables`,                 the factors that SGD moves; any parameters; tables of the weights, moments
`query_moments`, `flow_coordinates`                 of the query; what a flow moves
`trained_risk`, `bayes_risk`                        where training ends at each length, L(epsilon); the best predictor of all
`output_gap`, `gradient_gap`                        softmax minus linear attention at the same parameters, exactly; gradients too
`finite_prompt_gaps`                                the same for tasks on few atoms, every prompt enumerated, with both gradients
`scalar_regression`, `scalar_transfer`              one Gaussian covariate: both flows, and every constant of Theorem 4.3
`flow`, `flow_starts`, `flow_slope`                 the gradient flow integrated, from hostile starts, and how steep its risk is
`fit`, `log_power`, `rate_models`                   exponents with errors, with powers of ln L; laws beside each other
`training`                                          SGD on fresh prompts: records, checkpoints; a reference that draws all tokens
`trust`, `rare_queries`, `rare_prompts`             when an estimate is not to be trusted; heavy tails that no sample shows
`setting`, `phase`, `curves`, `curve_bounds`        rate reports: what is measured, exponents, exact curves, what theory bounds,
`comparisons`, `rates`, `rate_series`,              verdicts, the run, its series, what a reader has to know, the page
`rate_warnings`, `report`
`figures`                                           Figures 1 to 8 of BB: the runs behind them, and the page
`sweep`                                             grids of runs in blocks that are kept, resumed and spread over machines
`store`, `store_files`                              the file in which they are kept, and what may go wrong with it
`cli`, `rates_cli`, `inputs`, `progress`            the commands, what they read, and how far they are
==================================================  ===========================================================================
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numerics.attention.errors import ExactErrors as ExactErrors
    from numerics.attention.exact import exact_errors as exact_errors
    from numerics.attention.setting import AttentionSetting as AttentionSetting
    from numerics.evidence import Evidence as Evidence
    from numerics.evidence import Verdict as Verdict
    from numerics.evidence import all_of as all_of
    from numerics.evidence import confirmed as confirmed
    from numerics.monte_carlo.confidence_limits import clopper_pearson as clopper_pearson
    from numerics.monte_carlo.estimate import attention_errors as attention_errors
    from numerics.provers import Closed as Closed
    from numerics.provers import Integers as Integers
    from numerics.provers import forall as forall
    from numerics.provers import identity as identity
    from numerics.provers import integral as integral
    from numerics.provers import trace_identity as trace_identity
    from numerics.quadrature.softmax_weights import softmax_moments as softmax_moments
    from numerics.rates.fits.log_power_law import log_power_fit as log_power_fit
    from numerics.rates.fits.power_law import power_law_fit as power_law_fit
    from numerics.rates.measure import assess as assess
    from numerics.regression.flow.infinite_prompt import integrate_flow as integrate_flow
    from numerics.regression.risk.block_manifold import exact_risk as exact_risk
    from numerics.search.worst_average import worst_ratio as worst_ratio
    from numerics.token_laws import TokenLaw as TokenLaw
    from numerics.token_laws import honest_sigma as honest_sigma
    from numerics.token_laws.hostile import laws as laws
    from numerics.training import Parameters as Parameters
    from numerics.training import Training as Training
    from numerics.training import train as train

_HOME = {
    "AttentionSetting": "numerics.attention.setting",
    "Closed": "numerics.provers",
    "Evidence": "numerics.evidence",
    "ExactErrors": "numerics.attention.errors",
    "Integers": "numerics.provers",
    "Parameters": "numerics.training",
    "TokenLaw": "numerics.token_laws",
    "Training": "numerics.training",
    "Verdict": "numerics.evidence",
    "all_of": "numerics.evidence",
    "assess": "numerics.rates.measure",
    "attention_errors": "numerics.monte_carlo.estimate",
    "clopper_pearson": "numerics.monte_carlo.confidence_limits",
    "confirmed": "numerics.evidence",
    "exact_errors": "numerics.attention.exact",
    "exact_risk": "numerics.regression.risk.block_manifold",
    "forall": "numerics.provers",
    "honest_sigma": "numerics.token_laws",
    "identity": "numerics.provers",
    "integral": "numerics.provers",
    "integrate_flow": "numerics.regression.flow.infinite_prompt",
    "laws": "numerics.token_laws.hostile",
    "log_power_fit": "numerics.rates.fits.log_power_law",
    "power_law_fit": "numerics.rates.fits.power_law",
    "softmax_moments": "numerics.quadrature.softmax_weights",
    "trace_identity": "numerics.provers",
    "train": "numerics.training",
    "worst_ratio": "numerics.search.worst_average",
}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for: Numba and SymPy take most of a second each."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
