"""Confidence limits for probabilities that neither an integral nor an enumeration can settle."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from numerics.evidence import Evidence, Verdict
from numerics.seeds import current_seed, generator
from theory.inputs.arrays import read_arrays
from theory.inputs.kinds import check_kind
from theory.inputs.whole_numbers import read_whole

__all__ = ["clopper_pearson"]

Event = Callable[[np.random.Generator, int], npt.NDArray[np.bool_]]
#: Largest error probability of a refutation by statistics, whatever share an acceptance may use.
REFUTATION = 1e-9
#: Most trials; their outcomes are held in memory.
MOST_TRIALS = 10**10


def clopper_pearson(
    event: Event, op: str, bound: float | Fraction, n: int, *, error: float = 1e-6
) -> Evidence:
    """Decide ``P(event) op bound`` from n independent trials, by the exact binomial limits of
    Clopper and Pearson.

    Parameters
    ----------
    event : callable
        ``event(rng, n)``: n independent booleans.
    op : str
        ``"<="`` or ``">="``.
    bound : float or Fraction
    n : int
        Number of trials, at least 1.
    error : float
        Probability with which an acceptance may be wrong; a refutation always uses 1e-9.

    Returns
    -------
    Evidence
        SUPPORTED, REFUTED (by statistics), or OPEN when the limits enclose the bound.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of the kind described, or ``event`` does not return n booleans.

    Examples
    --------
    >>> clopper_pearson(lambda rng, n: rng.random(n) < 0.1, "<=", 0.2, 2000).verdict.value
    'SUPPORTED'
    """
    from scipy.stats import beta

    check_kind(str, op=op)
    if op not in ("<=", ">="):
        raise ValueError(f"a probability is compared by '<=' or '>=', got {op!r}")
    if (
        isinstance(n, bool)
        or not isinstance(n, (int, np.integer))
        or not callable(event)
        or isinstance(event, type)
    ):
        raise TypeError(
            f"event(rng, n) is drawn an integer number of times, got event = {event!r}, n = {n!r}"
        )
    bound, error = map(float, read_arrays(bound=(cast(float, bound), ""), error=(error, "")))
    if n > MOST_TRIALS:
        read_whole("n", n, "it is the number of trials, which are drawn at once", most=MOST_TRIALS)
    if n < 1 or not 0 < error < 1:
        raise ValueError(
            f"at least one trial and an error in (0, 1) are needed, got n = {n}, error = {error}"
        )
    started = time.perf_counter()
    outcomes = np.asarray(event(generator(), n))
    if outcomes.shape != (n,) or outcomes.dtype != bool:
        raise ValueError(f"event must return {n} booleans, got {outcomes.dtype} of shape {outcomes.shape}")
    k = int(outcomes.sum())
    lower = lambda share: float(beta.ppf(share, k, n - k + 1)) if k else 0.0
    upper = lambda share: float(beta.isf(share, k + 1, n - k)) if k < n else 1.0
    below = op == "<="
    checked = rf"\mathbb{{P}} \le {bound:.6g}" if below else rf"\mathbb{{P}} \ge {bound:.6g}"
    accepted = upper(error) <= bound if below else lower(error) >= bound
    refuted = lower(REFUTATION) > bound if below else upper(REFUTATION) < bound
    common: dict[str, Any] = {
        "engine": "Clopper-Pearson",
        "checked": checked,
        "samples": n,
        "seed": current_seed(),
    }
    # The standard error of the count as a share of it, with one more of each kind: none seen is
    # not none.
    uncertain = math.sqrt((k + 1) * (n - k + 1) / n) / max(k, 1)
    if refuted:
        verdict = Evidence(
            verdict=Verdict.REFUTED,
            witness={"occurred": k, "trials": n, "bound": bound},
            witness_by="statistics",
            error=REFUTATION,
            slack=bound * n / k if k and below else None,
            slack_error=uncertain if k and below else 0.0,
            **common,
        )
    elif accepted:
        limit = upper(error) if below else lower(error)
        slack = bound / limit if below else limit / bound if bound > 0 else None
        common |= {"slack": slack, "slack_error": 0.0 if slack is None else uncertain}
        verdict = Evidence(verdict=Verdict.SUPPORTED, covered=f"{k} of {n} trials", error=error, **common)
    else:
        reason = (
            f"{k} of {n} trials leave {lower(error):.4g} to {upper(error):.4g} around {bound:.4g}; draw more"
        )
        verdict = Evidence(verdict=Verdict.OPEN, reason=reason, **common)
    return verdict.replace(seconds=time.perf_counter() - started)
