"""Engines: provers, enumeration, quadrature, Monte Carlo, flows and fits, and no page. Imports
`theory`, never `proofs_check`.

The rooms, each importing only from those above it:

======================  =========================================================================
`neighbours`            whether `theory` is ours, and no module of that name by somebody else
`evidence`              what an engine returns: the verdict, what was checked, the witness
`rationals`             exact rational numbers handed between SymPy, FLINT and Python
`seeds`                 where the random numbers of a claim come from
`compiled`              random streams, the cache of compiled kernels, the digest of source code
`terminal`              how commands run, what they read and show: progress, colours, formulas
`second_opinion`        what z3 is asked: what verdicts rest on, again, and what they leave open
`provers`               inequalities, identities and integrals, proved or enclosed
`derivations`           inequalities between means, by a kernel of proofs
`token_laws`            laws of tokens: sampler, covariance, log-mgf, sub-Gaussian constant
`jobs`                  pieces of work: what they are, their store, the one runner of them
`attention`             how far softmax attention is from its limit: exactly, by quadrature, sampled
`models`                the heads of transformers, read from their weights
`training`              SGD on fresh prompts
`regression`            risks and flows of in-context regression, softmax beside linear attention
`strategies`            what Hypothesis draws: laws, matrices, queries, lengths, tasks
`counterexamples`       worst cases of bounds, refuting sequences, statements tried on draws
`lemmas`                sums, sequences, constants, limits, samples, matrices: what else lemmas say
`rates`                 how close attention is to its limit, and how fast: measured curves and fits
`sweep`                 grids of rate experiments, kept, resumed and spread over machines
`experiments`           the runs behind the figures of the papers
`warm`                  the kernels that first calls would wait for, compiled at once
======================  =========================================================================
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any
from warnings import warn

from numerics import neighbours as neighbours

if TYPE_CHECKING:
    from numerics import strategies as strategies
    from numerics.attention.distance.answer import HowLinear as HowLinear
    from numerics.attention.distance.how_linear import how_linear as how_linear
    from numerics.attention.exact.dispatch import exact_errors as exact_errors
    from numerics.attention.exact.errors import ExactErrors as ExactErrors
    from numerics.attention.quadrature.softmax_weights import softmax_moments as softmax_moments
    from numerics.attention.sampled.confidence_limits import clopper_pearson as clopper_pearson
    from numerics.attention.sampled.estimate import attention_errors as attention_errors
    from numerics.attention.setting import AttentionSetting as AttentionSetting
    from numerics.attention.window.best_width import optimal_window as optimal_window
    from numerics.attention.window.loss import window_loss as window_loss
    from numerics.counterexamples.by_sequences import defeated as defeated
    from numerics.counterexamples.worst_case.worst_average import worst_ratio as worst_ratio
    from numerics.derivations import prove as prove
    from numerics.evidence import Evidence as Evidence
    from numerics.evidence import Verdict as Verdict
    from numerics.evidence import all_of as all_of
    from numerics.evidence import confirmed as confirmed
    from numerics.lemmas import Iid as Iid
    from numerics.lemmas import Matrices as Matrices
    from numerics.lemmas import exists as exists
    from numerics.lemmas import forall as forall
    from numerics.lemmas import lemma as lemma
    from numerics.lemmas import limit as limit
    from numerics.lemmas import order as order
    from numerics.models.answer import AttentionHeads as AttentionHeads
    from numerics.models.attention_heads import attention_heads as attention_heads
    from numerics.models.model import read_model as read_model
    from numerics.provers import Closed as Closed
    from numerics.provers import Integers as Integers
    from numerics.provers import identity as identity
    from numerics.provers import integral as integral
    from numerics.provers import trace_identity as trace_identity
    from numerics.rates.fits.log_power_law import log_power_fit as log_power_fit
    from numerics.rates.fits.power_law import power_law_fit as power_law_fit
    from numerics.rates.measure import assess as assess
    from numerics.regression.features.descent import attention_descent as attention_descent
    from numerics.regression.features.flow import attention_flow as attention_flow
    from numerics.regression.features.margin import attention_margin as attention_margin
    from numerics.regression.flow.infinite_prompt import integrate_flow as integrate_flow
    from numerics.regression.risk.block_manifold import exact_risk as exact_risk
    from numerics.token_laws import TokenLaw as TokenLaw
    from numerics.token_laws import check_variance_proxy as check_variance_proxy
    from numerics.token_laws.edge_cases import edge_case_laws as edge_case_laws
    from numerics.training import Parameters as Parameters
    from numerics.training import Training as Training
    from numerics.training import train as train

_HOME = {
    "AttentionHeads": "numerics.models.answer",
    "AttentionSetting": "numerics.attention.setting",
    "Closed": "numerics.provers",
    "Evidence": "numerics.evidence",
    "ExactErrors": "numerics.attention.exact.errors",
    "HowLinear": "numerics.attention.distance.answer",
    "Iid": "numerics.lemmas",
    "Integers": "numerics.provers",
    "Matrices": "numerics.lemmas",
    "Parameters": "numerics.training",
    "TokenLaw": "numerics.token_laws",
    "Training": "numerics.training",
    "Verdict": "numerics.evidence",
    "all_of": "numerics.evidence",
    "assess": "numerics.rates.measure",
    "attention_descent": "numerics.regression.features.descent",
    "attention_errors": "numerics.attention.sampled.estimate",
    "attention_flow": "numerics.regression.features.flow",
    "attention_heads": "numerics.models.attention_heads",
    "attention_margin": "numerics.regression.features.margin",
    "check_variance_proxy": "numerics.token_laws",
    "clopper_pearson": "numerics.attention.sampled.confidence_limits",
    "confirmed": "numerics.evidence",
    "defeated": "numerics.counterexamples.by_sequences",
    "edge_case_laws": "numerics.token_laws.edge_cases",
    "exact_errors": "numerics.attention.exact.dispatch",
    "exact_risk": "numerics.regression.risk.block_manifold",
    "exists": "numerics.lemmas",
    "forall": "numerics.lemmas",
    "how_linear": "numerics.attention.distance.how_linear",
    "identity": "numerics.provers",
    "integral": "numerics.provers",
    "integrate_flow": "numerics.regression.flow.infinite_prompt",
    "lemma": "numerics.lemmas",
    "limit": "numerics.lemmas",
    "log_power_fit": "numerics.rates.fits.log_power_law",
    "optimal_window": "numerics.attention.window.best_width",
    "order": "numerics.lemmas",
    "power_law_fit": "numerics.rates.fits.power_law",
    "read_model": "numerics.models.model",
    "softmax_moments": "numerics.attention.quadrature.softmax_weights",
    "trace_identity": "numerics.provers",
    "train": "numerics.training",
    "window_loss": "numerics.attention.window.loss",
    "worst_ratio": "numerics.counterexamples.worst_case.worst_average",
}
__all__ = list(_HOME)
#: Former names, until the release after the next.
_FORMER = {"honest_sigma": "check_variance_proxy", "hostile_laws": "edge_case_laws"}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for: Numba and SymPy take most of a second each."""
    if name in _FORMER:
        warn(f"numerics.{name} is called {_FORMER[name]} now", DeprecationWarning, stacklevel=2)
        return __getattr__(_FORMER[name])
    if name in ("prove", "strategies"):  # modules; the strategies need Hypothesis
        return import_module("numerics.derivations.prove" if name == "prove" else "numerics.strategies")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME, "prove", "strategies"})
