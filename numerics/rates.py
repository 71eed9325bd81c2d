"""The experiment behind ``largeprompt rates``: how the errors of softmax attention fall with the prompt length.

Measured by Monte Carlo and laid beside what is exact (quadrature), what is proved (Theorems A and B) and what the paper bounds
(Lemma C.4 at a fixed query, the exponent of eq. (16) on average). Everything that a report shows is a field of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from numerics.comparisons import NAMES, Comparison, compare
from numerics.curves import QUANTITIES, Bound, FarSlopes, Quantity, bounds, exact_error, far_slopes, next_order, sharp_exponent
from numerics.estimate import AttentionErrors, Estimate, attention_errors
from numerics.fit import LocalSlopes, PowerLawFit, local_slopes, power_law_fit
from numerics.setting import AttentionSetting

__all__ = ["Rates", "Series", "assess", "rates"]

Floats = NDArray[np.float64]
#: Fewest lengths in a fit.
FEWEST = 5
#: Where one replicate makes up more of the mean than this, the mean is no point of a fit.
LARGEST_SHARE = 0.05
#: Standard error from which on an exponent is called undetermined.
COARSEST = 0.05


@dataclass(frozen=True, eq=False)
class Series:
    """One quantity over the prompt lengths.

    Parameters
    ----------
    quantity : {"output", "grad_V", "grad_U"}
    estimate : Estimate
        Monte Carlo estimate of the mean squared error.
    exact : array, shape (n,), or None
        By quadrature, where there is a formula.
    bounds : tuple of Bound
    slopes : LocalSlopes
        Of the measured curve.
    exact_slopes : array, shape (n - 1,), or None
    sharp : float or None
        The exponent that theory gives, None where it gives none.
    fit, pure : PowerLawFit or None
        With the next-order term over the lengths from which it can be trusted, and the straight line over the same lengths; None if
        there are too few lengths.
    trusted : bool
        Whether the same fit recovers the sharp exponent from the exact curve, to a quarter of a standard error that is below 0.05.
    reason : str
        Why it is trusted or not.
    """

    quantity: Quantity
    estimate: Estimate
    exact: Floats | None
    bounds: tuple[Bound, ...]
    slopes: LocalSlopes
    exact_slopes: Floats | None
    sharp: float | None
    fit: PowerLawFit | None
    pure: PowerLawFit | None
    trusted: bool
    reason: str

    @property
    def mean(self) -> Floats:
        """Measured mean squared error, shape (n,)."""
        return self.estimate.mean

    @property
    def standard_error(self) -> Floats:
        """Its standard error, shape (n,)."""
        return self.estimate.standard_error

    @property
    def largest_share(self) -> Floats:
        """Part of the mean that the largest replicate makes up, shape (n,)."""
        return self.estimate.largest_share


@dataclass(frozen=True, eq=False)
class Rates:
    """A run: what was asked, what came out, and what was compared with what.

    Parameters
    ----------
    setting : AttentionSetting
    lengths : array, shape (n,)
    replicates : int
        Prompts drawn per length.
    seed : int
    series : tuple of Series
    far : FarSlopes
    comparisons : tuple of Comparison
        Failures first.
    warnings : tuple of str
        What a reader has to know before reading an exponent off the plots.
    """

    setting: AttentionSetting
    lengths: Floats
    replicates: int
    seed: int
    series: tuple[Series, ...]
    far: FarSlopes
    comparisons: tuple[Comparison, ...]
    warnings: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether every comparison holds."""
        return all(c.holds for c in self.comparisons)


def _lengths(lengths: Sequence[int]) -> list[int]:
    """Increasing whole numbers from 1 on, at least one of them."""
    for L in lengths:
        if isinstance(L, bool) or not (L >= 1 and float(L).is_integer()):
            raise ValueError(f"L = {L} is not a prompt length; lengths are whole numbers from 1 on")
    if not lengths:
        raise ValueError("no lengths; ask for one or more, and for six or more if an exponent is wanted")
    return sorted({int(L) for L in lengths})


def rates(
    setting: AttentionSetting,
    lengths: Sequence[int],
    *,
    replicates: int = 20_000,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Rates:
    """Measure the errors of output and gradients over the prompt length and compare them with theory.

    Parameters
    ----------
    setting : AttentionSetting
        Token law, parameters and query.
    lengths : sequence of int
        Prompt lengths, in any order; repeated ones count once.
    replicates : int
        Prompts drawn at each length, at least 100: standard errors have to mean something.
    seed : int
        The same seed gives the same numbers, for every number of threads.
    threads : int, optional
        One for every processor by default.
    progress : callable
        Called with (tokens drawn, tokens in all) after each length.

    Returns
    -------
    Rates

    Raises
    ------
    ValueError
        If there is no length, one is not a whole number from 1 on, or ``replicates`` is below 100.
    """
    L = _lengths(lengths)
    if replicates < 100:
        raise ValueError(f"replicates = {replicates}; draw at least 100, or standard errors mean nothing")
    query, query_cov = (None, setting.query) if setting.averaged else (setting.query, None)
    found: list[AttentionErrors] = []
    for i in reversed(range(len(L))):  # long prompts first, so that the progress never stalls at the end
        found.append(
            attention_errors(
                setting.Gamma,
                setting.U,
                setting.V,
                query,
                [L[i]],
                query_cov=query_cov,
                replicates=replicates,
                seed=seed,
                threads=threads,
            )
        )
        progress(sum(L[i:]), sum(L))
    return assess(setting, _joined(found[::-1]))


def _joined(runs: Sequence[AttentionErrors]) -> AttentionErrors:
    """Runs at one length each, as one."""
    join = lambda name: _map(lambda *columns: np.concatenate(columns), *(getattr(run, name) for run in runs))
    lengths = np.concatenate([run.lengths for run in runs])
    return replace(runs[0], lengths=lengths, output=join("output"), grad_V=join("grad_V"), grad_U=join("grad_U"))


def _map(f: Callable[..., Floats], *estimates: Estimate) -> Estimate:
    """The estimate with f applied to each of its arrays."""
    return Estimate(**{field.name: f(*(getattr(e, field.name) for e in estimates)) for field in fields(Estimate)})


def assess(setting: AttentionSetting, errors: AttentionErrors) -> Rates:
    """Lay measured errors beside theory: the analysis of `rates` without the measurement.

    Parameters
    ----------
    setting : AttentionSetting
        What was measured.
    errors : AttentionErrors
        What came out, at one length or more, in any order; a repeated length counts once.

    Returns
    -------
    Rates

    Raises
    ------
    ValueError
        If there are fewer than two replicates: then there are no standard errors.

    Examples
    --------
    >>> setting = AttentionSetting(np.eye(2), np.eye(2) / 2, np.eye(2), [1.0, 0.0])
    >>> errors = attention_errors(setting.Gamma, setting.U, setting.V, setting.query, [10, 100], replicates=1000, seed=1)
    >>> assess(setting, errors).holds
    True
    """
    if errors.replicates < 2:
        raise ValueError(f"{errors.replicates} replicate has no standard error; measure with 100 or more")
    lengths, order = np.unique(errors.lengths, return_index=True)
    L = lengths.astype(float)
    # A vanishing query makes the gradient in U vanish too, for every prompt.
    wanted = QUANTITIES if np.any(setting.query) else QUANTITIES[:2]
    estimates = {quantity: _map(lambda column: column[order], getattr(errors, quantity)) for quantity in wanted}
    series = tuple(_series(setting, quantity, L, estimate) for quantity, estimate in estimates.items())
    result = Rates(setting, L, errors.replicates, errors.seed, series, far_slopes(setting), (), ())
    return replace(result, comparisons=compare(result), warnings=tuple(_warnings(result)))


def _series(setting: AttentionSetting, quantity: Quantity, L: Floats, estimate: Estimate) -> Series:
    """One quantity with everything that theory says about it, and its fits."""
    mean, error = estimate.mean, estimate.standard_error
    exact = exact_error(setting, quantity, L)
    # One token says nothing on the gradient in U: the error is not random, and no slope starts there.
    random = (error > 0) & ~((L == 1) & (quantity == "grad_U"))
    known = not (setting.averaged and quantity == "grad_U")
    series = Series(
        quantity=quantity,
        estimate=estimate,
        exact=exact,
        bounds=bounds(setting, quantity, L, float(mean[0])),
        slopes=local_slopes(L[random], mean[random], error[random]) if random.sum() > 1 else LocalSlopes(*np.empty((3, 0))),
        exact_slopes=None if exact is None else np.diff(np.log(exact[random])) / np.diff(np.log(L[random])),
        sharp=sharp_exponent(setting) if known else None,
        fit=None,
        pure=None,
        trusted=False,
        reason="",
    )
    return _fitted(series, L, random, next_order(setting) if known else None)


def _fitted(series: Series, L: Floats, random: NDArray[np.bool_], order: float | None) -> Series:
    """Fits over the longest range on which the exact curve shows the sharp exponent to the same fit.

    The range is chosen by the exact curve and the size of the errors, never by the measured values, so that the interval keeps its
    coverage.
    """
    usable = np.flatnonzero(random & (L > 1) & (series.largest_share <= LARGEST_SHARE))
    if usable.size < FEWEST:
        return replace(series, reason=f"{usable.size} lengths are above 1 and well measured; a fit takes {FEWEST} or more")
    relative = series.standard_error / series.mean

    def fit(values: Floats, part: NDArray[np.intp], with_term: bool = True) -> PowerLawFit:
        return power_law_fit(L[part], values[part], (relative * values)[part], order=(order or 1.0) if with_term else None)

    part, trusted = usable[-max(FEWEST, usable.size // 2) :], False
    if series.exact is None or series.sharp is None:
        reason = "theory gives no exact curve here to try the fit on"
    elif order is None:
        reason = (
            "lambda >= 1/2: the exact law carries powers of ln L, which no fit over feasible lengths separates from the exponent"
        )
    else:
        reason = (
            "at these lengths and errors the same fit does not find the sharp exponent in the exact curve; go to longer prompts"
        )
        for start in range(usable.size - FEWEST + 1):
            trial = fit(series.exact, usable[start:])
            if abs(trial.exponent - series.sharp) <= trial.standard_error / 4 and trial.standard_error < COARSEST:
                part, trusted = usable[start:], True
                reason = f"from the exact curve the same fit recovers {trial.exponent:.4f}"
                break
    return replace(series, fit=fit(series.mean, part), pure=fit(series.mean, part, False), trusted=trusted, reason=reason)


def _warnings(result: Rates) -> Iterator[str]:
    """What a reader has to know before reading numbers off the plots."""
    lam, sharp = result.setting.score_variance, sharp_exponent(result.setting)
    if result.lengths.size == 1:
        yield "one length has no slope; measure at six or more if an exponent is wanted"
    if result.setting.averaged and lam >= 1:
        yield (
            f"lambda = {lam:.4g} >= 1: slopes fitted at feasible lengths (L <= 1e6) do not recover the sharp exponent {sharp:.4g},"
            " because of powers of ln L; see the exact slopes up to L = 1e100"
        )
    elif result.setting.averaged and lam > 0.25:
        yield f"lambda = {lam:.4g} > 1/4: the approach is slow, and local slopes at feasible lengths are not the exponent yet"
    if not result.far.reaches:
        yield f"scores have variance {lam:.4g}: not even L = 1e100 shows the exponent"
    for series in result.series:
        heavy = series.largest_share > LARGEST_SHARE
        if heavy.any():
            where = ", ".join(f"{L:.0f}" for L in result.lengths[heavy])
            share = float(series.largest_share[heavy].max())
            yield f"{NAMES[series.quantity]}, L = {where}: one prompt is up to {share:.0%} of the mean; not fitted, draw more"
        if series.fit is not None:
            yield from (f"{NAMES[series.quantity]}, fit: {warning}" for warning in series.fit.warnings)
            if not series.trusted:
                yield f"{NAMES[series.quantity]}, fit: not compared with theory, since {series.reason}"
