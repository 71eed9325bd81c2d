"""Sentences that warn a reader of a rate report before numbers are read off its plots."""

from __future__ import annotations

from collections.abc import Iterator

from numerics.attention.exponents import sharp_exponent
from numerics.attention.sampled.diagnostics import LARGEST_SHARE, estimate_warnings
from numerics.rates.fits.power_law import slope_warning
from numerics.rates.result import Rates
from numerics.rates.series import NAMES, Series

__all__ = ["run_warnings"]


def run_warnings(result: Rates) -> Iterator[str]:
    """Every warning about a run: what theory says beforehand, then what the measurement shows."""
    if result.lengths.size == 1:
        yield "one length has no slope; measure at six or more if an exponent is wanted"
    yield from _theory_warnings(result)
    found: dict[str, list[str]] = {}  # by what they say: for V = I output and gradient in V say the same
    for series in result.series:
        for warning in _series_warnings(series, result):
            found.setdefault(warning, []).append(NAMES[series.quantity])
    for warning, (*others, last) in found.items():
        yield f"{', '.join(others)}{' and ' if others else ''}{last}, {warning}"


def _theory_warnings(result: Rates) -> Iterator[str]:
    """Warnings that are known before anything is measured."""
    lam, sharp = result.setting.score_variance, sharp_exponent(result.setting)
    reaches = result.far is not None and result.far.reaches
    if sharp is not None and result.setting.averaged and lam >= 1:
        yield (
            f"lambda = {lam:.4g} >= 1: slopes fitted at feasible lengths (L <= 1e6) do not recover the sharp "
            f"exponent {sharp:.4g}, "
            "because of powers of ln L" + ("; see the exact slopes up to L = 1e100" if reaches else "")
        )
    elif sharp is not None and result.setting.averaged and lam > 0.25:
        yield (
            f"lambda = {lam:.4g} > 1/4: the approach is slow, and local slopes at feasible lengths are not "
            "the exponent yet"
        )
    if result.far is not None and not reaches:
        yield f"scores have variance {lam:.4g}: not even L = 1e100 shows the exponent"
    if result.far_models:
        found = ", ".join(f"{exponent:.4f} by {law}" for law, exponent in result.far_models)
        yield f"output, exact curve at L = 1e20 to 1e100: exponent {found}; sharp {sharp:.4f}"


def _series_warnings(series: Series, result: Rates) -> Iterator[str]:
    """Warnings about the measurement and the fit of one quantity."""
    if series.exact is None:
        bounded = any(bound.kind == "upper bound" for bound in series.bounds)
        yield "theory has no exact curve here: " + (
            "only bounds are compared" if bounded else "nothing is compared"
        )
    yield from estimate_warnings(series.estimate, result.lengths, result.replicates)
    rare = series.rare_share > LARGEST_SHARE
    if rare.any():
        where = ", ".join(f"{L:.0f}" for L in result.lengths[rare])
        yield (
            f"L = {where}: up to {series.rare_share[rare].max():.0%} of the exact mean comes from queries so "
            f"rare that {result.replicates} replicates show fewer than ten; comparisons "
            "allow for it, draw more"
        )
    if series.exact is not None and not result.setting.averaged:
        hidden = series.rare_error > LARGEST_SHARE * series.exact
        if hidden.any():
            where = ", ".join(f"{L:.0f}" for L in result.lengths[hidden])
            yield (
                f"L = {where}: prompts so rare that {result.replicates} replicates may show none can make up "
                f"more than {LARGEST_SHARE:.0%} of the mean; comparisons allow for it, draw more"
            )
    if series.fit is None:
        if result.lengths.size > 1:
            yield f"no fit: {series.reason}"
        return
    yield from (f"fit: {warning}" for warning in series.fit.warnings)
    if not series.trusted:
        yield f"fit: not compared with theory, since {series.reason}"
        seen = series.mean > 0
        moving = slope_warning(result.lengths[seen], series.mean[seen], series.error[seen])
        if moving is not None:
            yield moving
    if series.models is not None and not series.models.shows:
        far = result.far is not None and result.far.reaches and series.quantity in result.far.slopes
        elsewhere = "; the exact curve, further out, does" if far else ""
        yield f"these lengths and errors cannot show the exponent: {series.models.says}{elsewhere}"
