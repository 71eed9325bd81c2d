"""What the papers, and we, say: definitions, closed forms, bounds, vector fields and limits.
Imports nothing of ours.

The rooms, each importing only from those above it:

==============  =================================================================================
`shown`         how results show themselves: as text, as a table in Jupyter, as a plot
`inputs`        checks of what a caller passes, and covariances with their roots
`symbolic`      matrices in a symbolic dimension: words, traces, Gaussian expectations
`attention`     softmax and linear attention, their limits, exact errors for Gaussian tokens;
                tokens on the sphere (COL) in `attention.window`
`bounds`        every explicit bound on those errors: of BB (Appendices C and D), and ours
`regression`    in-context regression: risk, gradient, flow and its limit, finite prompts; over
                finitely many features (LDL) in `regression.features`
==============  =================================================================================
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from theory.attention.gaussian_errors import theorem_A as theorem_A
    from theory.attention.layer import gaussian_output as gaussian_output
    from theory.attention.layer import linear_attention as linear_attention
    from theory.attention.layer import softmax_attention as softmax_attention
    from theory.attention.window.classes import affine as affine
    from theory.attention.window.classes import cosine as cosine
    from theory.attention.window.classes import linear as linear
    from theory.attention.window.classes import low_rank as low_rank
    from theory.attention.window.classes import relu as relu
    from theory.attention.window.own_class import from_rho as from_rho
    from theory.attention.window.own_class import from_spectrum as from_spectrum
    from theory.bounds.concentration import lemma_c4 as lemma_c4
    from theory.regression.features.data import FeatureRegression as FeatureRegression
    from theory.regression.features.reduced import ReducedAttention as ReducedAttention
    from theory.regression.limit import LimitParameters as LimitParameters
    from theory.regression.limit import SaddleError as SaddleError
    from theory.regression.limit import limit_parameters as limit_parameters
    from theory.regression.risk import effective_covariance as effective_covariance
    from theory.regression.risk import icl_risk as icl_risk
    from theory.regression.risk import icl_risk_gradient as icl_risk_gradient
    from theory.regression.risk import invariants as invariants
    from theory.regression.risk import task_covariance as task_covariance
    from theory.regression.risk import vector_field as vector_field
    from theory.regression.task import RegressionTask as RegressionTask
    from theory.symbolic.algebra import Algebra as Algebra

_HOME = {
    "Algebra": "theory.symbolic.algebra",
    "FeatureRegression": "theory.regression.features.data",
    "LimitParameters": "theory.regression.limit",
    "ReducedAttention": "theory.regression.features.reduced",
    "RegressionTask": "theory.regression.task",
    "SaddleError": "theory.regression.limit",
    "affine": "theory.attention.window.classes",
    "cosine": "theory.attention.window.classes",
    "effective_covariance": "theory.regression.risk",
    "from_rho": "theory.attention.window.own_class",
    "from_spectrum": "theory.attention.window.own_class",
    "gaussian_output": "theory.attention.layer",
    "icl_risk": "theory.regression.risk",
    "icl_risk_gradient": "theory.regression.risk",
    "invariants": "theory.regression.risk",
    "lemma_c4": "theory.bounds.concentration",
    "limit_parameters": "theory.regression.limit",
    "linear": "theory.attention.window.classes",
    "linear_attention": "theory.attention.layer",
    "low_rank": "theory.attention.window.classes",
    "relu": "theory.attention.window.classes",
    "softmax_attention": "theory.attention.layer",
    "task_covariance": "theory.regression.risk",
    "theorem_A": "theory.attention.gaussian_errors",
    "vector_field": "theory.regression.risk",
}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for: SymPy alone takes most of a second."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
