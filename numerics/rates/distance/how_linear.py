"""The question that a user of the theory has: for my Gamma, U, V, query and L, how far is softmax
attention from its limit, which for Gaussian tokens is linear attention, and which L would do?

Everything is exact where an exact engine exists, and the bounds are those whose hypotheses the
setting meets. What is left, other laws of tokens over many queries, is measured by Monte Carlo.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.attention.setting import AttentionSetting, read_lengths
from numerics.rates.bound_curves import certain_bound
from numerics.rates.distance.answer import TOLERANCES, CertainBound, HowLinear
from numerics.rates.distance.approach import FAR, NEAR, Curve, OutOfReach, law_of, onsets, refined
from numerics.rates.distance.infinite_prompt import Known, infinite_prompt
from numerics.rates.requirements import check_reportable
from numerics.token_laws.atomic import Atomic
from numerics.token_laws.embeddings import EmbeddingTable
from theory.inputs.arrays import read_arrays
from theory.inputs.kinds import check_kind

__all__ = ["how_linear"]

Floats = NDArray[np.float64]
#: Coordinates of tokens that are drawn for a length where nothing is exact, or of the rows of a
#: table that are weighed for all lengths; and the least and largest number of prompts.
DRAWN, WEIGHED, FEWEST, MOST = 40_000_000, 4e10, 200, 20_000
#: Longest prompt that is drawn.
LONGEST_DRAWN = 1_000_000


def how_linear(
    setting: AttentionSetting,
    lengths: ArrayLike,
    *,
    mean: ArrayLike | None = None,
    measured: tuple[Floats, Floats, int] | None = None,
) -> HowLinear:
    """How far softmax attention on L tokens is from its limit for infinite prompts, and which L
    brings it close.

    Parameters
    ----------
    setting : AttentionSetting
        The law of the tokens, centred; U or K and Q, V, and the query or its covariance.
    lengths : array_like
        Whole numbers from 1 to 1e100; repeated ones count once.
    mean : array_like, shape (d,), optional
        The mean m of the tokens, if they are not centred: the setting then has the law of the
        tokens less m. Weights and T_L - T do not depend on m, since every weight is multiplied by
        ``e^{m'Uz}``, but T_L and T lose V m; what that changes is part of the answer. By default
        that of the rows for the law of an embedding table, and zero for others.
    measured : (mean squared errors, standard errors, replicates), optional
        Of the output at the lengths, in increasing order: used in place of a new measurement where
        nothing is exact.

    Returns
    -------
    HowLinear

    Raises
    ------
    TypeError
        If lengths or mean are not real.
    ValueError
        If a length is out of range, ``V Gamma = 0``, entries are too large or too small, queries
        have both a mean and a covariance, the scores of Gaussian tokens have a variance beyond what
        the quadrature reaches, or the law of the tokens has no log-mgf.

    Examples
    --------
    >>> setting = AttentionSetting(np.eye(2), np.eye(2), np.eye(2), [1.0, 0.0])
    >>> found = how_linear(setting, [1000])
    >>> print(f"{found.relative_error[0]:.4f}", found.needed[0.1], found.law, found.law_from)
    0.0896 800.0 1/L 93.0
    """
    check_kind(AttentionSetting, setting=setting)
    check_reportable(setting)
    L = np.unique(read_lengths(lengths))
    if mean is None and isinstance(setting.law.structure, EmbeddingTable):
        mean = setting.law.structure.mean
    m = None if mean is None else read_arrays(V=(setting.V, "d_out d"), mean=(mean, "d"))[1]
    limit = infinite_prompt(setting, m)
    unit = limit.size.value or 1.0
    curve, law, drawn, starts = Curve(setting), law_of(setting), 0, None
    try:
        squares, slope, errors = curve.error(L), curve.slope(L), np.zeros_like(L)
        rare = setting.averaged or isinstance(setting.law.structure, (Atomic, EmbeddingTable))
        starts = onsets(curve, limit.size.value, TOLERANCES, law, far=rare)
    except OutOfReach:
        squares, errors, drawn = measured or _measured(setting, L)
        slope = np.full_like(L, math.nan)
    known, bound = starts or {}, _certain(setting, L, limit.size.value)
    needed = {t: known.get(str(t), math.nan) for t in TOLERANCES}
    if bound is not None:  # both are narrowed down to a thousandth: what is certain is also needed at most
        needed = {t: min(length, bound.needed[t]) if length >= 1 else length for t, length in needed.items()}
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.sqrt(squares / unit)
        # Of the root, upwards: what missed prompts add to a square may exceed it.
        spread = np.hypot(np.sqrt(1 + errors / squares) - 1, limit.size.error / unit / 2) if drawn else errors
    return HowLinear(
        setting=setting,
        lengths=L,
        error=np.sqrt(squares),
        relative_error=relative if limit.size.value else np.full_like(L, math.nan),
        standard_error=relative * spread,
        slope=slope,
        needed=needed,
        law=law,
        law_from=known.get("law", math.nan),
        bound=bound,
        size=_root(limit.size, 1.0),
        off_linear=_root(limit.off_linear, unit),
        with_mean=math.sqrt(limit.with_mean.value) if m is not None and m.any() else None,
        replicates=drawn,
    )


def _root(square: Known, unit: float) -> Known:
    """The root of a square in some unit, with its standard error."""
    root = math.sqrt(square.value / unit)
    return Known(root, square.error / (2 * root * unit) if root else 0.0)


def _measured(setting: AttentionSetting, lengths: Floats) -> tuple[Floats, Floats, int]:
    """The mean squared error at each length by Monte Carlo, its standard error, and the number of
    prompts; nan for prompts too long to draw.
    """
    from numerics.monte_carlo.estimate import attention_errors  # half a second for Numba, which nothing exact needs
    from numerics.monte_carlo.rare_prompts import rare_prompts

    short = lengths[lengths <= LONGEST_DRAWN]
    mean, error = (np.full(lengths.shape, math.nan) for _ in range(2))
    if not short.size:
        return mean, error, 0
    table = setting.law.structure if isinstance(setting.law.structure, EmbeddingTable) else None
    affordable = DRAWN / (short.max() * setting.d) if table is None else WEIGHED / (table.rows.size * short.size)
    replicates = int(np.clip(affordable, FEWEST, MOST))
    for i, L in enumerate(short.astype(int)):
        found = attention_errors(setting, lengths=[int(L)], replicates=replicates, seed=0)
        missed = float(rare_prompts(setting, short[i : i + 1], replicates)[0][0])
        mean[i], error[i] = found.output.mean[0], math.hypot(float(found.output.standard_error[0]), missed)
        if table is not None:
            table.progress(i + 1, short.size, "drawing prompts")
    return mean, error, replicates


def _certain(setting: AttentionSetting, lengths: Floats, size: float) -> CertainBound | None:
    """The bound whose hypotheses the setting meets, at the lengths and as needed lengths, of which
    there are none for a limit of size 0.
    """

    def excess(points: Mapping[str, Floats]) -> Mapping[str, Floats]:
        out = {}
        for t, L in points.items():
            found = certain_bound(setting, L)
            with np.errstate(divide="ignore"):
                out[t] = np.full_like(L, math.nan) if found is None else np.log(found.values / (float(t) ** 2 * size))
        return out

    here = certain_bound(setting, lengths)
    if here is None:
        return None
    needed, note = dict.fromkeys(TOLERANCES, math.nan), here.note
    if size > 0:
        tried, found = NEAR, excess({str(t): NEAR for t in TOLERANCES})
        if not all(missed[-1] <= 0 for missed in found.values()):  # every bound falls from where it promises something
            tried = np.concatenate([NEAR, FAR])
            found = excess({str(t): tried for t in TOLERANCES})
        needed = {float(t): L for t, L in refined(excess, tried, found).items()}
    table = isinstance(setting.law.structure, EmbeddingTable)
    if setting.law.identity is None and not setting.gaussian and not table:
        note += "; it rests on the sub-Gaussian parameter that the law claims, which numerics.honest_sigma tests"
    return CertainBound(here.name, np.sqrt(here.values / (size or 1.0)), needed, note)
