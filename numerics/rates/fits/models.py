"""Several laws fitted to one measured curve: which of them describe it, what exponent each reads
off it, and whether these lengths can tell the exponent at all. A law that is wrong by less than the
errors is not rejected, and yet its exponent may be wrong by many of its own standard errors: by how
many is found from the same fit of the exact curve, with the same weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from numerics.rates.fits.log_power_law import LogPowerFit, log_power_fit
from numerics.rates.fits.power_law import REJECTED, ExponentFit, power_law_fit

__all__ = ["Model", "Models", "far_models", "rate_models"]

Floats = NDArray[np.float64]
Fit = Callable[[Floats, Floats, Floats], ExponentFit]
#: Standard error from which on an exponent counts as undetermined.
UNDETERMINED = 0.05


@dataclass(frozen=True, eq=False)
class Model:
    """One law fitted to the measurements."""

    #: The law, with a for the exponent.
    name: str
    fit: ExponentFit
    #: What the same fit finds in the exact curve, less the sharp exponent; None where theory gives
    #: no exact curve or no exponent.
    bias: float | None
    #: exp(-AIC/2), scaled to the sum 1 over the models.
    akaike_weight: float
    #: Whether a wider law of the same table contains it. Its smaller standard error is bought by
    #: leaving out a term.
    nested: bool
    #: Whether theory excludes it: a fitted power of ln L where there is none. It is shown, and does
    #: not count.
    excluded: bool
    #: Whether on the exact curve the same fit finds exponent and power of ln L within one standard
    #: error, that of the exponent below 0.05: what is near by accident, with another power, is not
    #: honest. None where ``bias`` is.
    honest: bool | None

    @property
    def rejected(self) -> bool:
        """Whether chi^2 rules the law out."""
        return self.fit.p_value < REJECTED


@dataclass(frozen=True, eq=False)
class Models:
    """The laws fitted to one curve, beside each other."""

    models: tuple[Model, ...]
    #: Whether these lengths and errors can show the exponent: of the widest laws some is not
    #: rejected and gives it to 0.05, those that are not rejected agree to 0.05 or within their
    #: intervals, and one of them reads the sharp exponent off the exact curve (where theory knows
    #: it).
    shows: bool
    #: The reason, with its numbers.
    says: str


def _laws(order: float | None, log_power: float | None) -> dict[str, Fit]:
    """The laws to try: those of theory, and those that a reader would try."""
    power: Callable[[float | None], Fit] = lambda p: lambda L, y, e: power_law_fit(L, y, e, order=p)
    log: Callable[[float | None, bool], Fit] = lambda k, b: (
        lambda L, y, e: log_power_fit(L, y, e, log_power=k, next_order=b)
    )
    term = "B/L" if order in (None, 1.0) else f"B/L^{order:.3g}"
    laws = {"A L^-a": power(None), f"A L^-a (1 + {term})": power(order or 1.0)}
    if log_power:
        pure = f"A (ln L)^{log_power:.3g} L^-a"
        laws |= {pure: log(log_power, False), f"{pure} (1 + B/ln L)": log(log_power, True)}
    return laws | {"A (ln L)^k L^-a, k fitted": log(None, False)}


def rate_models(
    lengths: Floats,
    values: Floats,
    standard_errors: Floats,
    *,
    exact: Floats | None = None,
    sharp: float | None = None,
    order: float | None = 1.0,
    log_power: float | None = None,
) -> Models:
    """Fit every law that theory or habit suggests to at least four measurements at increasing
    lengths above 1, and say whether the exponent can be read off. `exact` are the true values,
    `sharp` the true exponent, `order` the exponent of the next-order term (None where logarithms
    stand in its place), `log_power` the power of ln L that theory gives.
    """
    relative = standard_errors / values
    laws = {
        name: (fit, fit(lengths, values, standard_errors)) for name, fit in _laws(order, log_power).items()
    }
    least = min(found.aic for _, found in laws.values())
    total = sum(np.exp((least - found.aic) / 2) for _, found in laws.values())
    models = []
    for name, (fit, found) in laws.items():
        bias = honest = None
        if exact is not None and sharp is not None:
            truth = fit(lengths, exact, relative * exact)
            bias = truth.exponent - sharp
            honest = abs(bias) <= found.standard_error < UNDETERMINED and _right_power(
                truth, log_power if order is None else 0.0
            )
        weight = float(np.exp((least - found.aic) / 2) / total)
        nested = found.points - found.dof == 2
        excluded = sharp is not None and order is not None and isinstance(found, LogPowerFit)
        models.append(Model(name, found, bias, weight, nested, excluded, honest))
    return Models(tuple(models), *_verdict(models))


def _right_power(fit: ExponentFit, log_power: float | None) -> bool:
    """Whether the fitted power of ln L is that of theory, within a standard error."""
    found, error = (fit.log_power, fit.log_power_error) if isinstance(fit, LogPowerFit) else (0.0, 0.0)
    return log_power is not None and abs(found - log_power) <= error


def _verdict(models: list[Model]) -> tuple[bool, str]:
    """Whether the exponent can be read off these lengths, and a sentence that says why."""
    left = [model for model in models if not (model.rejected or model.nested or model.excluded)]
    told = lambda found: ", ".join(
        f"{m.fit.exponent:.3f} +- {m.fit.standard_error:.3f} by {m.name}" for m in found
    )
    if not left:
        return (
            False,
            "chi^2 rejects every law, the widest too: start at longer prompts, or measure at more lengths",
        )
    for one, two in combinations(left, 2):
        low, high = sorted((one, two), key=lambda model: model.fit.exponent)
        apart = high.fit.exponent - low.fit.exponent > UNDETERMINED
        if apart and low.fit.interval()[1] < high.fit.interval()[0]:
            return False, f"laws that chi^2 does not tell apart disagree on the exponent: {told((low, high))}"
    if not any(model.fit.standard_error < UNDETERMINED for model in left):
        return False, f"no law gives the exponent to {UNDETERMINED}: {told(left)}"
    known = [model for model in left if model.bias is not None]
    if not known:
        return (
            True,
            f"the laws that chi^2 does not reject agree: {told(left)}; no exact curve with a known exponent "
            "to try them on",
        )
    if not any(model.honest for model in known):
        missed = ", ".join(
            f"{m.bias:+.3f} (standard error {m.fit.standard_error:.3f}) by {m.name}" for m in known
        )
        return (
            False,
            "no law that chi^2 does not reject reads the sharp exponent off the exact curve; "
            f"they are off by {missed}",
        )
    return True, f"the laws that chi^2 does not reject agree: {told(left)}"


def far_models(lengths: Floats, exact: Floats, log_power: float) -> tuple[tuple[str, float], ...]:
    """The exponents that laws with and without the power of ln L read off an exact curve at four
    lengths or more, far out (1e20 to 1e100 say), every length with the same weight.
    """
    laws = {name: fit for name, fit in _laws(None, log_power).items() if "B/L" not in name}
    return tuple((name, fit(lengths, exact, 0.01 * exact).exponent) for name, fit in laws.items())
