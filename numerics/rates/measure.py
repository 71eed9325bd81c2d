"""The experiment behind ``largeprompt rates``: how the errors of softmax attention, measured by
Monte Carlo, fall with the prompt length, compared with what is exact (quadrature), with what is
proved (Theorems A and B), and with what the paper bounds (Lemma C.4 at a fixed query, the exponent
of eq. (16) on average).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from numerics.attention.exponents import log_power
from numerics.attention.requirements import check_reportable
from numerics.attention.sampled.estimate import AttentionErrors, Estimate, attention_errors
from numerics.attention.sampled.rare_prompts import rare_prompts
from numerics.attention.sampled.rare_queries import rare_queries
from numerics.attention.setting import QUANTITIES, AttentionSetting
from numerics.rates.comparisons import compare
from numerics.rates.far_curves import FarSlopes, far_slopes
from numerics.rates.fits.models import far_models
from numerics.rates.result import Rates
from numerics.rates.series import series_of
from numerics.rates.warnings import run_warnings

__all__ = ["assess", "checked_request", "rates"]

Floats = NDArray[np.float64]
#: From this length on, and up to 1e100, the exact curve separates the exponent from powers of ln L.
FAR_LENGTH = 1e20
#: Fewest and most prompts that are drawn at each length.
FEWEST, MOST = 100, 10**9


def checked_request(lengths: Sequence[int], replicates: int) -> list[int]:
    """The lengths as increasing whole numbers, each once, after a check of what is asked for;
    replicates are from 100 to 10^9.

    >>> checked_request([100, 10, 10], 1000)
    [10, 100]
    """
    for L in lengths:
        if isinstance(L, bool) or not (L >= 1 and float(L).is_integer()):
            raise ValueError(f"L = {L} is not a prompt length; lengths are whole numbers from 1 on")
    if not lengths:
        raise ValueError("no lengths; ask for one or more, and for six or more if an exponent is wanted")
    if replicates < FEWEST:
        raise ValueError(
            f"replicates = {replicates}; draw at least {FEWEST}, or standard errors mean nothing"
        )
    if replicates > MOST:
        raise ValueError(
            f"replicates = {replicates} is beyond {MOST}, what can be drawn in years; take "
            "40000, or some millions"
        )
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
    """Measure the errors of output and gradients over the prompt lengths and compare them with
    theory. At least 100 prompts are drawn at each length: standard errors have to mean something.
    The same seed gives the same numbers for every number of threads; `progress` is told, after each
    length, the tokens drawn and the tokens in all.
    """
    L = checked_request(lengths, replicates)
    check_reportable(setting)
    found: list[AttentionErrors] = []
    for i in reversed(range(len(L))):  # long prompts first, so that the progress never stalls at the end
        found.append(
            attention_errors(setting, lengths=[L[i]], replicates=replicates, seed=seed, threads=threads)
        )
        progress(sum(L[i:]), sum(L))
    return assess(setting, _joined(found[::-1]))


def _joined(runs: Sequence[AttentionErrors]) -> AttentionErrors:
    join = lambda name: _map(lambda *columns: np.concatenate(columns), *(getattr(run, name) for run in runs))
    lengths = np.concatenate([run.lengths for run in runs])
    return replace(
        runs[0], lengths=lengths, output=join("output"), grad_V=join("grad_V"), grad_U=join("grad_U")
    )


def _map(f: Callable[..., Floats], *estimates: Estimate) -> Estimate:
    """An estimate with f applied to each of its arrays."""
    return Estimate(
        **{field.name: f(*(getattr(e, field.name) for e in estimates)) for field in fields(Estimate)}
    )


def assess(setting: AttentionSetting, errors: AttentionErrors) -> Rates:
    """Compare measured errors with theory: the analysis of `rates` without the measurement.

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
    TypeError
        If an argument is of another kind.
    ValueError
        If there are fewer than two replicates: then there are no standard errors. Or if the setting
        is none that can be reported.

    Examples
    --------
    >>> setting = AttentionSetting(np.eye(2), np.eye(2) / 2, np.eye(2), [1.0, 0.0])
    >>> errors = attention_errors(setting, lengths=[10, 100], replicates=1000, seed=1)
    >>> assess(setting, errors).holds
    True
    """
    if not isinstance(setting, AttentionSetting) or not isinstance(errors, AttentionErrors):
        raise TypeError(
            "assess takes an AttentionSetting and what attention_errors measured of it, in this order"
        )
    if errors.replicates < 2:
        raise ValueError(f"{errors.replicates} replicate has no standard error; measure with 100 or more")
    check_reportable(setting)
    lengths, order = np.unique(errors.lengths, return_index=True)
    L = lengths.astype(float)
    # A vanishing query makes the gradient in U vanish too, for every prompt.
    wanted = QUANTITIES if np.any(setting.query_factor) else QUANTITIES[:2]
    rare, hidden = rare_queries(setting, L, errors.replicates), rare_prompts(setting, L, errors.replicates)
    series = []
    for i, quantity in enumerate(wanted):
        estimate = _map(lambda column: column[order], getattr(errors, quantity))
        one = series_of(setting, quantity, L, estimate, np.hypot(rare.error[i], hidden[i]), errors.replicates)
        if one.exact is not None:
            one = replace(one, rare_share=np.maximum(rare.part[i] / one.exact - rare.probability, 0.0))
        series.append(one)
    far = far_slopes(setting)
    result = Rates(
        setting=setting,
        lengths=L,
        replicates=errors.replicates,
        seed=errors.seed,
        series=tuple(series),
        method=errors.method,
        far=far,
        far_models=_far_models(setting, far),
        comparisons=(),
        warnings=(),
    )
    return replace(result, comparisons=compare(result), warnings=tuple(run_warnings(result)))


def _far_models(setting: AttentionSetting, far: FarSlopes | None) -> tuple[tuple[str, float], ...]:
    """What laws with and without powers of ln L read off the exact output error far out."""
    power = log_power(setting, "output")
    if far is None or power is None:
        return ()
    part = far.lengths >= FAR_LENGTH
    return far_models(far.lengths[part], far.errors["output"][part], power)
