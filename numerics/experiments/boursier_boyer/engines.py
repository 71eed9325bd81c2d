"""The engines behind Figures 1 to 8: training, population risk, gaps at the start, ends of exact
flows and Bayes risks, with the digest of the code of each.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from numerics.compiled.source_digest import digest_of_sources

__all__ = ["MODULES", "Engines", "engines"]


class Engines(NamedTuple):
    """What computes the numbers, and a function that gives the digest of its code by its name.
    Tests hand in others, which cost nothing.
    """

    train: Callable[..., Any]
    population_risk: Callable[..., Any]
    initial_gap: Callable[..., Any]
    gradient_gap: Callable[..., Any]
    trained: Callable[..., Any]
    bayes_risk: Callable[..., Any]
    code: Callable[[str], str]


#: The module of each engine.
MODULES = {
    "train": "numerics.training.run",
    "population_risk": "numerics.regression.risk.any_parameters",
    "initial_gap": "numerics.regression.softmax_vs_linear.at_start",
    "gradient_gap": "numerics.regression.softmax_vs_linear.gradient",
    "trained": "numerics.regression.flow.end_point",
    "bayes_risk": "numerics.regression.risk.bayes",
}
#: The module of the rule by which runs end early: no engine, but numbers depend on its code.
STOP_RULE = "numerics.experiments.boursier_boyer.stop_rule"


def engines() -> Engines:
    """The engines of this package, each loaded when it is first called."""
    return Engines(
        **{name: _lazy(module, name) for name, module in MODULES.items()},
        code=lambda name: digest_of_sources((MODULES | {"stop_rule": STOP_RULE})[name]),
    )


def _lazy(module: str, name: str) -> Callable[..., Any]:
    return lambda *args, **kwargs: getattr(import_module(module), name)(*args, **kwargs)
