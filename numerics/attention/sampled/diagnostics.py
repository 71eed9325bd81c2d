"""Rules that tell when a Monte Carlo mean and its standard error are not to be trusted, for rate
reports, for n replicates of skewness g and kurtosis k (3 for a normal law).

A mean that depends on few replicates: with the effective sample size
``n_eff = (sum x)^2 / sum x^2`` the squared relative error is (n/n_eff - 1)/(n - 1), which is about
1/n_eff for heavy tails. Below n_eff = 100 the mean may be 10 % off.

A standard error that is itself uncertain: the variance of the sample variance is
``sigma^4 ((k - 1)/n + 2/(n(n - 1)))``, hence the relative error of the standard error is about
sqrt((k - 1)/n)/2. A sample has k <= n - 2 + 1/(n - 1), so that one outlier alone gives 50 %, and
nothing gives more. With a standard error 20 % too small a nominal 95 % interval covers 88 %.

A skewed mean: to first order of Edgeworth's expansion (Hall, The Bootstrap and Edgeworth Expansion,
1992, section 2.6) a studentised mean is below -q with probability Phi(-q) + g (2 q^2 + 1) phi(q) /
(6 sqrt n). For g/sqrt(n) = 0.3 a one-sided 97.5 % interval has twice its nominal error.

The sample cannot show mass so rare that no replicate met it; that is estimated in
`numerics.attention.sampled.rare_queries` and `numerics.attention.sampled.rare_prompts`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from numerics.attention.sampled.estimate import Estimate

__all__ = ["doubtful", "estimate_warnings", "spread_error"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
#: Fewest effective replicates, and the largest share that one replicate may have in the mean.
FEWEST_EFFECTIVE, LARGEST_SHARE = 100, 0.05
#: Largest relative error of the standard error, and largest skewness / sqrt(n).
LARGEST_SPREAD_ERROR, LARGEST_SKEWNESS = 0.2, 0.3


def spread_error(estimate: Estimate, n: int) -> Floats:
    """Relative error of the standard error, as far as the sample shows its kurtosis: at most 1/2,
    and 0 where the replicates do not vary.

    >>> from numerics.attention.sampled.joined_moments import central_sums
    >>> from numerics.attention.sampled.estimate import as_errors
    >>> one = np.stack([[central_sums(np.r_[1.0, np.zeros(999)])] * 3])
    >>> spread_error(as_errors([10], one, 1000, 0).output, 1000).round(3).tolist()
    [0.499]
    """
    return np.where(estimate.standard_error > 0, np.sqrt(np.maximum(estimate.kurtosis - 1, 0) / n) / 2, 0.0)


def _skewness(estimate: Estimate, n: int) -> Floats:
    """Skewness of the mean; 0 where the replicates do not vary."""
    return np.where(estimate.standard_error > 0, np.abs(estimate.skewness) / math.sqrt(n), 0.0)


def doubtful(estimate: Estimate, replicates: int) -> Bools:
    """Whether a mean is so uncertain that it is neither fitted nor compared: few replicates make it
    up, or the standard error is known to less than 20 %. Skewness alone does not disqualify:
    comparisons allow for it.
    """
    few = (estimate.effective_samples < FEWEST_EFFECTIVE) | (estimate.largest_share > LARGEST_SHARE)
    return np.asarray(few | (spread_error(estimate, replicates) > LARGEST_SPREAD_ERROR))


def estimate_warnings(estimate: Estimate, lengths: ArrayLike, replicates: int) -> Iterator[str]:
    """Reasons not to trust means and standard errors, each a sentence with its numbers."""
    L = np.asarray(lengths, dtype=float)
    spread, skewed = spread_error(estimate, replicates), _skewness(estimate, replicates)
    rules = (
        (
            estimate.effective_samples < FEWEST_EFFECTIVE,
            lambda i: (
                f"the mean hangs on {estimate.effective_samples[i].min():.0f} effective replicates of "
                f"{replicates} (fewer than {FEWEST_EFFECTIVE}); draw more"
            ),
        ),
        (
            estimate.largest_share > LARGEST_SHARE,
            lambda i: (
                f"one prompt is up to {estimate.largest_share[i].max():.0%} of the mean; not fitted, draw "
                "more"
            ),
        ),
        (
            spread > LARGEST_SPREAD_ERROR,
            lambda i: (
                f"heavy tails: with a kurtosis up to {estimate.kurtosis[i].max():.3g} the standard error "
                f"itself is only known to {spread[i].max():.1%} (at most {LARGEST_SPREAD_ERROR:.0%} is "
                "wanted); not fitted, draw more"
            ),
        ),
        (
            skewed > LARGEST_SKEWNESS,
            lambda i: (
                f"skewed: skewness / sqrt(n) is up to {skewed[i].max():.3f} (above {LARGEST_SKEWNESS} a "
                "symmetric 95 % interval misses at least twice as often as it says on one side)"
            ),
        ),
    )
    for found, says in rules:
        if found.any():
            yield f"L = {', '.join(f'{length:.0f}' for length in L[found])}: {says(found)}"
