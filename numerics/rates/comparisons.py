"""The comparisons on which the verdict of a rate report rests: each is a named statement with its
numbers and its error probability.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from numerics.attention.sampled.diagnostics import doubtful, spread_error
from numerics.rates.far_curves import FarSlopes
from numerics.rates.result import Comparison, Rates
from numerics.rates.series import FIT_BIAS, NAMES, Series

__all__ = ["ERROR", "compare"]

Floats = NDArray[np.float64]
#: Nominal probability that one statistical comparison fails although it is true, Bonferroni over
#: its lengths. It rests on normal laws and on what is allowed for skewness: samples of a few
#: hundred with heavy tails exceed a level of 1 % up to four times as often.
ERROR = 1e-6
#: Skewness of the replicates over their relative standard deviation that a sample may have without
#: showing it: 2 for gamma laws, 3 and more for lognormal ones, 5 to 16 for errors of attention at
#: steep scores.
UNSEEN_SKEWNESS = 20.0
#: Relative slack of comparisons between two quadratures.
ROUNDING = 1e-9
#: Relative standard error below which float32 rounding is all that remains, and what that may
#: amount to.
NEARLY_EXACT = 1e-5


def _judge(name: str, says: str, value: float, limit: float, error: float = 0.0, law: str = "") -> Comparison:
    """The comparison of a value with its limit, which a law may have set; a NaN agrees with
    nothing.
    """
    return Comparison(name, bool(value <= limit), says, float(value), float(limit), error, law)


def _quantile(error: float) -> float:
    """The value that a standard normal variable exceeds with probability `error`."""
    return -NormalDist().inv_cdf(error)


def _chi2_quantile(error: float, dof: int) -> float:
    """The value that a chi-squared variable exceeds with probability `error`."""
    from scipy.special import gammainccinv

    return 2 * float(gammainccinv(dof / 2, error))


def _normal_scores(series: Series, part: NDArray[np.bool_]) -> Floats:
    """|measured - exact| as the deviation of a normal variable that is equally improbable. What
    queries and prompts too rare for any of the samples hide is part of the error.
    """
    # Squared errors are skewed to the right: now and then one prompt carries much of the mean, and
    # a sample without such a prompt underestimates the mean, its standard error and its skewness
    # together. The Cornish-Fisher expansion of a studentised mean allows for it, below only, with
    # the largest replicate in place of the skewness that it bounds: that of this length, or the
    # median over the lengths, which did not all miss it, or what a sample may not show
    # (`UNSEEN_SKEWNESS`). Where the relative error is large a low mean therefore says little.
    mean, error = series.mean[part], series.error[part]
    assert series.exact is not None
    z = (mean - series.exact[part]) / error
    largest = series.largest_share[part] * mean / error
    skewness = np.maximum(
        np.maximum(largest, np.median(largest)), UNSEEN_SKEWNESS * error / mean
    )  # all three over sqrt(n)
    root = np.sqrt(1 + 4 * skewness / 3 * np.maximum(np.abs(z) - skewness / 6, 0))
    return np.where(z > 0, z, (root - 1) / (2 * skewness / 3))


def _agrees(series: Series, lengths: Floats) -> Iterator[Comparison]:
    """Measured = exact: at each length, over all of them, and where the error does not vary (the
    gradient in U with one token, say).
    """
    if series.exact is None:
        return
    name = f"{NAMES[series.quantity]}: measured = exact"
    sure = np.hypot(series.standard_error, series.rare_error) <= NEARLY_EXACT * series.mean
    if not sure.all():
        L, z = lengths[~sure], _normal_scores(series, ~sure)
        limit, worst = _quantile(ERROR / (2 * z.size)), int(np.argmax(z))
        many = f"{z.size} length{'s' * (z.size > 1)}"
        says = (
            f"largest deviation {z[worst]:.2f} standard errors (L = {L[worst]:.0f}); allowed "
            f"{limit:.2f} at {many}"
        )
        yield _judge(f"{name} at each length", says, z[worst], limit, ERROR)
        # A bias too small to be seen at one length adds up over all of them.
        chi2, limit = float(np.sum(z**2)), _chi2_quantile(ERROR, z.size)
        yield _judge(
            f"{name} over all lengths",
            f"chi^2 = {chi2:.2f} on {many}; allowed {limit:.2f}",
            chi2,
            limit,
            ERROR,
        )
    if sure.any():
        off = np.abs(series.mean[sure] / series.exact[sure] - 1)
        # The allowance is not NEARLY_EXACT alone: many replicates may bring a standard error below
        # it.
        allowed = (
            NEARLY_EXACT + _quantile(ERROR / (2 * off.size)) * series.standard_error[sure] / series.mean[sure]
        )
        worst = int(np.argmax(off / allowed))
        says = (
            f"relative difference {off[worst]:.1e} (L = {lengths[sure][worst]:.0f}), "
            f"allowed {allowed[worst]:.1e}"
        )
        yield _judge(f"{name} where it is not random", says, off[worst], allowed[worst], ERROR)


def _below(series: Series, lengths: Floats) -> Iterator[Comparison]:
    """Measured <= bound up to noise and exact <= bound up to rounding, for every upper bound; and a
    bare exponent <= the sharp one.
    """
    for bound in series.bounds:
        speaks = np.isfinite(bound.values)
        if bound.kind == "exponent" and series.sharp is not None and lengths.size > 1:
            exponent = float(np.log(bound.values[0] / bound.values[-1]) / np.log(lengths[-1] / lengths[0]))
            says = (
                f"{exponent:.4g} against {series.sharp:.4g}: the truth falls faster by a factor "
                f"L^{series.sharp - exponent:.4g}"
            )
            yield _judge(
                f"{NAMES[series.quantity]}: exponent of {bound.name.split(',')[0]} <= sharp exponent",
                says,
                exponent,
                series.sharp + ROUNDING,
                law=bound.name,
            )
        if bound.kind != "upper bound" or not speaks.any():
            continue
        limit, allowed = bound.values[speaks], _quantile(ERROR / int(speaks.sum()))
        excess = float(np.max((series.mean[speaks] - limit) / series.error[speaks]))
        ratio, at = _largest(series.mean[speaks] / limit, lengths[speaks])
        above = f"; {excess:.2f} standard errors above, allowed {allowed:.2f}" if excess > 0 else ""
        name = f"{NAMES[series.quantity]}: measured <= {bound.name}"
        yield _judge(name, f"largest ratio {ratio:.4g} ({at}){above}", excess, allowed, ERROR, bound.name)
        if series.exact is not None:
            ratio, at = _largest(series.exact[speaks] / bound.values[speaks], lengths[speaks])
            name = f"{NAMES[series.quantity]}: exact <= {bound.name}"
            yield _judge(name, f"largest ratio {ratio:.6g} ({at})", ratio, 1 + ROUNDING, law=bound.name)


def _largest(ratio: Floats, lengths: Floats) -> tuple[float, str]:
    """The largest ratio, and the length at which it occurs."""
    i = int(np.argmax(ratio))
    return float(ratio[i]), f"L = {lengths[i]:.0f}"


def _exponent(series: Series, lengths: Floats, replicates: int) -> Iterator[Comparison]:
    """The sharp exponent lies in the interval of a fit that can be trusted. The fit may be biased
    by a part of its standard error, and standard errors are themselves estimates: both shift the
    limit.
    """
    fit = series.fit
    if fit is None or series.sharp is None or not series.trusted:
        return
    fitted = (lengths >= fit.lengths[0]) & ~doubtful(series.estimate, replicates)
    known = float(spread_error(series.estimate, replicates)[fitted].max())
    off = abs(fit.exponent - series.sharp) / fit.standard_error
    allowed = FIT_BIAS + _quantile(ERROR / 2) * (1 + known)
    low, high = fit.interval()
    says = (
        f"fitted {fit.exponent:.4f}, 95 % interval [{low:.4f}, {high:.4f}], L >= {fit.lengths[0]:.0f};"
        f" {off:.2f} standard errors off, allowed {allowed:.2f}"
    )
    yield _judge(f"{NAMES[series.quantity]}: exponent = {series.sharp:.4g}", says, off, allowed, ERROR)


def _far(far: FarSlopes | None) -> Iterator[Comparison]:
    """The slope of the exact curve at its far end is the sharp exponent, up to the logarithms that
    Theorem B allows.
    """
    if far is None or not far.reaches:
        return
    L = float(far.lengths[-1])
    for quantity, slope in far.slopes.items():
        off, margin = abs(float(slope[-1]) - far.sharp), far.margins[quantity]
        says = (
            f"slope {slope[-1]:.5f} at L = {L:.0e}, sharp {far.sharp:.5f}; difference "
            f"{off:.2g}, allowed {margin:.2g}"
        )
        yield _judge(f"{NAMES[quantity]}: slope of the exact curve far out", says, off, margin)


def compare(rates: Rates) -> tuple[Comparison, ...]:
    """Every comparison that the run, so far without them, allows; failures first."""
    found = list(_far(rates.far))
    for series in rates.series:
        found += [
            *_agrees(series, rates.lengths),
            *_below(series, rates.lengths),
            *_exponent(series, rates.lengths, rates.replicates),
        ]
    return tuple(sorted(found, key=lambda c: c.holds))
