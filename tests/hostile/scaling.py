"""Calls of public functions in other units: where a law says how the answer scales, it scales so
up to rounding, or is refused by an error of ours; and calls at both ends of every range.

Arguments are multiplied by powers of two, so that nothing is rounded on the way in.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from tests.hostile.judging import fault_of, numbers
from tests.hostile.targets import TARGETS
from theory.inputs.spectrum import RankWarning

__all__ = ["ENDS", "LAWS", "ScaleLaw", "fault_of_units", "scaled_calls"]

#: The largest power of two by which an argument is multiplied or divided.
OCTAVES = 200


@dataclass(frozen=True)
class ScaleLaw:
    """A change of units and what it does to the answer: by which power of the unit an argument of a
    target is multiplied, and the same of what is found ("" is the result itself, "0" its first
    part), up to rtol of the largest entry of that.
    """

    target: str
    given: Mapping[str, int]
    found: Mapping[str, int]
    rtol: float = 1e-9


TOKENS, QUERY, VALUES = {"Gamma": 2, "U": -1}, {"query": 1, "U": -1}, {"V": 1}
SQUARES = {"output": 2, "squared_bias": 2, "grad_V": 2, "grad_U": 4}
BY_QUERY = {"output": 0, "squared_bias": 0, "grad_V": 0, "grad_U": 2}
RISK, OF_START = ({"Sigma": 2, U: -1, u: -1, "noise": 2} for U, u in (("U", "u"), ("U0", "u0")))
WINDOW = {"spectrum": 1, "noise": 1}
VALUES_OF_A_FIT = {"values": 1, "standard_errors": 1}
EXPONENT = {"exponent": 0, "standard_error": 0, "chi2": 0}
#: Monte Carlo draws and adds in float32.
SAMPLED = 1e-4
LAWS = [
    ScaleLaw("exact_errors", TOKENS, SQUARES),
    ScaleLaw("exact_errors", QUERY, BY_QUERY),
    ScaleLaw("exact_errors", VALUES, {"output": 2, "squared_bias": 2, "grad_V": 0, "grad_U": 2}),
    ScaleLaw("exact_errors, averaged", TOKENS, SQUARES),
    ScaleLaw("exact_errors, averaged", {"query_cov": 2, "U": -1}, BY_QUERY),
    ScaleLaw("attention_errors", TOKENS, {"output.mean": 2, "grad_V.mean": 2, "grad_U.mean": 4}, SAMPLED),
    ScaleLaw("attention_errors", QUERY, {"output.mean": 0, "grad_V.mean": 0, "grad_U.mean": 2}, SAMPLED),
    ScaleLaw("attention_errors", VALUES, {"output.mean": 2, "grad_V.mean": 0, "grad_U.mean": 2}, SAMPLED),
    ScaleLaw("limit_parameters", OF_START, {"U": -1, "V": -1, "gamma": 1}),
    ScaleLaw("integrate_flow", {**OF_START, "t_max": -4}, {"U": -1, "u": -1, "risk": 2}, 1e-5),
    ScaleLaw("icl_risk", RISK, {"": 2}),
    ScaleLaw("icl_risk_gradient", RISK, {"0": 3, "1": 3}),
    ScaleLaw("vector_field", RISK, {"0": 3, "1": 3}),
    ScaleLaw("invariants", {"Sigma": 2, "U": -1, "u": -1}, {"0": -2, "1": -1}),
    ScaleLaw("effective_covariance", {"Sigma": 2, "noise": 2}, {"": 2}),
    ScaleLaw("task_covariance", {"Sigma": 2, "noise": 2}, {"": 2}),
    ScaleLaw("RegressionTask", {"Sigma": 2, "noise": 2, "query_covariance": 2}, {"null_risk": 2}),
    ScaleLaw("softmax_attention", {"prompt": 1, "U": -1}, {"": 1}),
    ScaleLaw("softmax_attention", QUERY, {"": 0}),
    ScaleLaw("softmax_attention", VALUES, {"": 1}),
    ScaleLaw("linear_attention", {"prompt": 1, "U": -1}, {"": 1}),
    ScaleLaw("linear_attention", VALUES, {"": 1}),
    ScaleLaw("gaussian_output", {"m": 1, "Gamma": 2, "U": -1}, {"": 1}),
    ScaleLaw("theorem_A", {"t": 1, "q": 1}, {"": 1}),
    ScaleLaw("exact_risk", {"U11": -2, "task": 2, "noise": 2}, {"risk": 2}),
    ScaleLaw("window_loss", WINDOW, {"loss": 1, "signal": 1, "noise": 1, "derivative": 1}),
    ScaleLaw("optimal_window", WINDOW, {"w": 0, "loss": 1, "interval": 0}),
    ScaleLaw("optimal_window, a narrow one", WINDOW, {"w": 0, "loss": 1, "interval": 0}),
    ScaleLaw("power_law_fit", VALUES_OF_A_FIT, {**EXPONENT, "amplitude": 1}),
    ScaleLaw("power_law_fit", {"lengths": 1}, {**EXPONENT, "correction": 1}),
    ScaleLaw("log_power_fit", VALUES_OF_A_FIT, {**EXPONENT, "amplitude": 1}),
    ScaleLaw("FeatureRegression, at Q", {"features": 1, "Q": -2}, {"0": 0, "1": 2, "2": 4, "3": 0}),
    ScaleLaw("FeatureRegression, at Q", {"value_covariance": 2}, {"0": 2, "1": 2, "2": 2, "3": 0}),
    ScaleLaw("FeatureRegression, at Q", {"masses": 1}, {"0": 0, "1": 0, "2": 0, "3": 0}),
    ScaleLaw("FeatureRegression, tasks at Q", {"tasks": 1}, {"0": 2, "1": 2, "2": 2, "3": 0}),
    ScaleLaw("attention_flow, of features", {"features": 1, "start": -2, "times": -4}, {"loss": 0}, 1e-6),
    ScaleLaw("attention_flow, of features", {"value_covariance": 2, "times": -2}, {"loss": 2}, 1e-6),
    ScaleLaw("attention_descent, of features", {"features": 1, "start": -2, "eta": -4}, {"loss": 0}),
    ScaleLaw("attention_descent, of features", {"value_covariance": 2, "eta": -2}, {"loss": 2}),
    ScaleLaw("attention_margin", {"features": 1}, {"value": 2, "Q": 0}),
    ScaleLaw("gaussian", {"Gamma": 2}, {"sigma": 1, "covariance": 2}),
    ScaleLaw("atoms", {"points": 1, "sigma": 1}, {"sigma": 1, "covariance": 2}),
    ScaleLaw("embedding_table", {"X": 1}, {"sigma": 1, "covariance": 2}, 1e-6),
]
TURN = np.array([[0.6, 0.8], [-0.8, 0.6]])
#: Covariances that are nearly singular, by how, and by the octaves of their least eigenvalue.
NEARLY_SINGULAR: Mapping[str, Callable[[int], Any]] = {
    "diagonal": lambda k: np.diag([1.0, 2.0**-k]),
    "turned": lambda k: TURN @ np.diag([1.0, 2.0**-k]) @ TURN.T,
    "correlated": lambda k: np.array([[1.0, 1 - 2.0**-k], [1 - 2.0**-k, 1.0]]),
    "graded": lambda k: np.array([[1.0, 0.5 * 2.0 ** -(k // 2)], [0.5 * 2.0 ** -(k // 2), 4.0 ** -(k // 2)]]),
}
#: Arguments of every end: prompt lengths, times, widths, variances of scores.
ENDS: list[tuple[str, str, Any]] = [
    *(
        (name, "lengths", np.array([L]))
        for name in ("exact_errors", "exact_errors, averaged")
        for L in (1.0, 2.0, 1e15, 1e100)
    ),
    *(("softmax_moments", "s", np.array([s])) for s in (0.0, 2.0**-200, 1e-8, 1e3, 2.0**200)),
    *(("softmax_moments", "L", np.array([L])) for L in (1.0, 2.0, 1e100)),
    *(("integrate_flow", "t_max", t) for t in (2.0**-200, 2.0**-60, 1e6, 2.0**60, 2.0**200)),
    *(("window_loss", "w", np.array([w])) for w in (0.0, 2.0**-200, 1e-8, 1e4, 1e8, 2.0**200)),
    *(("window_loss", "n", np.array([n])) for n in (1, 2, 10**6, 2**53)),
    *(("optimal_window", "noise", noise) for noise in (0.0, 2.0**-200, 1e8, 2.0**200)),
    *(("optimal_window", "n", n) for n in (2, 10**6, 2**53)),
    *(
        (f"{name}_fit", "lengths", 10.0 * unit ** np.arange(5))
        for name in ("power_law", "log_power")
        for unit in (2.0, 1e24)
    ),
    *(
        (name, "prompt_length", L)
        for name in ("limit_parameters", "integrate_flow", "icl_risk")
        for L in (1, 10**15, 10**100)
    ),
    *(("theorem_A", "s", s) for s in (0.0, 2.0**-200, 1e3, 2.0**200)),
]


def _part(result: Any, path: str) -> Any:
    """An attribute of an attribute, or a numbered part; the result itself for the empty path."""
    for step in filter(None, path.split(".")):
        result = result[int(step)] if step.isdigit() else getattr(result, step)
    return np.asarray(result, dtype=float)


@lru_cache(maxsize=64)
def _in_good_units(target: str) -> Any:
    return TARGETS[target].call(TARGETS[target].good())


def _answer(target: str, arguments: Mapping[str, Any]) -> tuple[Any, str]:
    """The result, or None with what is wrong with the error; empty if the error is ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", RankWarning)
        warnings.filterwarnings("ignore", message="Sigma is ill-conditioned")
        try:
            return TARGETS[target].call(arguments), ""
        except Exception as error:
            return None, fault_of(error)


def fault_of_units(law: ScaleLaw, octaves: int) -> str:
    """What is wrong with the answer in units of 2^octaves; "refused" if there is none."""
    arguments = dict(TARGETS[law.target].good())
    for name, power in law.given.items():
        arguments[name] = arguments[name] * 2.0 ** (power * octaves)
    found, fault = _answer(law.target, arguments)
    if found is None:
        return fault or "refused"
    for path, power in law.found.items():
        known, now = _part(_in_good_units(law.target), path), _part(found, path)
        wanted = known * 2.0 ** (power * octaves)
        # An integrator stops where it stops: only its last state is that of a law.
        wanted, now = (x[-1] if law.target == "integrate_flow" else x for x in (wanted, now))
        if now.shape != wanted.shape or not np.allclose(
            now, wanted, rtol=law.rtol, atol=law.rtol * np.abs(wanted).max(initial=0)
        ):
            return f"{path or 'the result'} is {now.ravel()[:3]} in place of {wanted.ravel()[:3]}"
    return ""


def _end_fault(target: str, argument: str, value: Any) -> str:
    """What is wrong with a call at the end of a range; "refused" if it has no answer."""
    found, fault = _answer(target, {**TARGETS[target].good(), argument: value})
    if found is None:
        return fault or "refused"
    return "" if all(map(np.isfinite, numbers(found))) else "a result that is not finite"


#: Functions that take a covariance, and its name.
OF_LAWS = {"Gamma", "Sigma", "task", "value_covariance"}
COVARIANCES = sorted({(law.target, name) for law in LAWS for name in law.given.keys() & OF_LAWS})


def scaled_calls(calls: int, seed: int, report: Callable[[str, str], None]) -> None:
    """Make calls in other units, at ends of ranges and at nearly singular covariances, in turn, and
    report what is wrong with each answer; "refused" if it has none. The seed also says where in the
    laws and ends to begin.
    """
    rng = np.random.default_rng(seed)
    for i in range(calls):
        kind, j = i % 3, i // 3 + seed
        if kind == 0:
            law = LAWS[j % len(LAWS)]
            most = OCTAVES // max(map(abs, law.given.values()))
            octaves = int(rng.choice([-most, most, rng.integers(-most, most + 1)]))
            units = f"{law.target}({', '.join(law.given)} in units of 2^{octaves})"
            report(units, fault_of_units(law, octaves))
        elif kind == 1:
            target, argument, value = ENDS[j * 7 % len(ENDS)]
            report(f"{target}({argument} = {value})", _end_fault(target, argument, value))
        else:
            target, argument = COVARIANCES[j % len(COVARIANCES)]
            how, octaves = str(rng.choice(sorted(NEARLY_SINGULAR))), int(rng.integers(1, OCTAVES + 1))
            fault = _end_fault(target, argument, NEARLY_SINGULAR[how](octaves))
            report(f"{target}({argument} {how}, least eigenvalue about 2^-{octaves})", fault)
