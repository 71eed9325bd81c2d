"""For given Gamma, U, V, query and L: how far is softmax attention from linear attention, and which
L would do? Everything is exact where an exact engine exists, and the bounds are those whose
hypotheses the setting meets. What is left, other laws of tokens over many queries, is measured by
Monte Carlo.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.attention.bound_curves import certain_bound
from numerics.attention.distance.answer import TOLERANCES, CertainBound, HowLinear
from numerics.attention.distance.approach import FAR, NEAR, Curve, OutOfReach, law_of, onsets, refined
from numerics.attention.distance.infinite_prompt import Known, infinite_prompt
from numerics.attention.requirements import check_reportable
from numerics.attention.setting import AttentionSetting, read_lengths
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
    """How far softmax attention on L tokens is from the linear attention ``V Gamma U z``, and which
    L brings it close.

    The distance has two parts: from softmax attention T_L to its limit T for infinite prompts, and
    from T to linear attention, which no L changes. For Gaussian tokens T is linear attention.

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
        Of the output against its limit at the lengths, in increasing order: used in place of a new
        measurement where nothing is exact.

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
    unit = limit.linear or 1.0
    off_linear = _root(limit.off_linear, unit)
    curve, law, drawn, starts = Curve(setting, math.sqrt(limit.off_linear.value)), law_of(setting), 0, None
    never = {t for t in TOLERANCES if off_linear.beyond(t)}
    wanted = {f"limit {t}": (False, t) for t in TOLERANCES}
    if not setting.gaussian:
        wanted |= {f"linear {t}": (True, t) for t in TOLERANCES if t not in never}
    try:
        squares, slope = np.stack([curve.from_linear(L), curve.error(L)]), curve.slope(L)
        errors = np.zeros_like(squares)
        rare = setting.averaged or isinstance(setting.law.structure, (Atomic, EmbeddingTable))
        starts = onsets(curve, limit.linear, wanted, law, far=rare)
    except OutOfReach:
        squares, errors, drawn = _measured(setting, L, math.sqrt(limit.off_linear.value), measured)
        slope = np.full_like(L, math.nan)
    known, bound = starts or {}, _certain(setting, L, limit.linear)
    to_limit = {t: known.get(f"limit {t}", math.nan) for t in TOLERANCES}
    if bound is not None:  # both are narrowed down to a thousandth: what is certain is also needed at most
        to_limit = {
            t: min(length, bound.needed[t]) if length >= 1 else length for t, length in to_limit.items()
        }
    needed = {t: math.inf if t in never else known.get(f"linear {t}", math.nan) for t in TOLERANCES}
    with np.errstate(divide="ignore", invalid="ignore"):
        # Of the root, upwards: what missed prompts add to a square may exceed it.
        spread = np.sqrt((squares + errors) / unit) - np.sqrt(squares / unit) if drawn else errors
    return HowLinear(
        setting=setting,
        lengths=L,
        error=np.sqrt(squares[0]),
        relative_error=np.sqrt(squares[0] / unit) if limit.linear else np.full_like(L, math.nan),
        standard_error=spread[0],
        to_limit=np.sqrt(squares[1] / unit),
        to_limit_error=spread[1],
        slope=slope,
        needed=to_limit if setting.gaussian else needed,
        needed_to_limit=to_limit,
        law=law,
        law_from=known.get("law", math.nan),
        bound=bound,
        linear=math.sqrt(limit.linear),
        size=_root(limit.size, 1.0),
        off_linear=off_linear,
        with_mean=math.sqrt(limit.with_mean) if m is not None and m.any() else None,
        replicates=drawn,
    )


def _root(square: Known, unit: float) -> Known:
    """The root of a square in some unit, with its standard error."""
    root = math.sqrt(square.value / unit)
    return Known(root, square.error / (2 * root * unit) if root else 0.0)


def _measured(
    setting: AttentionSetting, lengths: Floats, off: float, known: tuple[Floats, Floats, int] | None
) -> tuple[Floats, Floats, int]:
    """The mean squared errors against linear attention and against the limit at each length by
    Monte Carlo, shape (2, n), their standard errors, and the number of prompts; nan for prompts too
    long to draw. The limit is ``off`` from linear attention; what is ``known`` is not drawn again.
    """
    from numerics.attention.sampled.estimate import (
        attention_errors,
    )  # half a second for Numba, which nothing exact needs
    from numerics.attention.sampled.rare_prompts import rare_prompts

    short = lengths[lengths <= LONGEST_DRAWN]
    mean, error = (np.full((2, lengths.size), math.nan) for _ in range(2))
    if known is not None:
        mean[1], error[1] = known[:2]
    if not short.size:
        return mean, error, 0 if known is None else known[2]
    table = setting.law.structure if isinstance(setting.law.structure, EmbeddingTable) else None
    sides = ("linear",) if known is not None else ("linear", "limit")
    steps = short.size * len(sides)
    affordable = DRAWN / (short.max() * setting.d) if table is None else WEIGHED / (table.rows.size * steps)
    replicates = int(np.clip(affordable, FEWEST, MOST))
    # What a missed prompt adds is the square of at most this times its distance from the limit.
    wider = 1 + off / (2 * math.sqrt(float(np.trace(setting.V @ setting.Gamma @ setting.V.T))))
    for k, (i, side) in enumerate(product(range(short.size), sides)):
        found = attention_errors(
            setting, lengths=[int(short[i])], replicates=replicates, seed=0, against=side
        ).output
        missed = float(rare_prompts(setting, short[i : i + 1], replicates)[0][0]) * (
            wider**2 if side == "linear" else 1.0
        )
        row = ("linear", "limit").index(side)
        mean[row, i], error[row, i] = found.mean[0], math.hypot(float(found.standard_error[0]), missed)
        if table is not None:
            table.progress(k + 1, steps, "drawing prompts")
    return mean, error, replicates if known is None else min(replicates, known[2])


def _certain(setting: AttentionSetting, lengths: Floats, size: float) -> CertainBound | None:
    """The bound whose hypotheses the setting meets, at the lengths and as needed lengths, of which
    there are none for a limit of size 0.
    """

    def excess(points: Mapping[str, Floats]) -> Mapping[str, Floats]:
        out = {}
        for t, L in points.items():
            found = certain_bound(setting, L)
            with np.errstate(divide="ignore"):
                out[t] = (
                    np.full_like(L, math.nan)
                    if found is None
                    else np.log(found.values / (float(t) ** 2 * size))
                )
        return out

    here = certain_bound(setting, lengths)
    if here is None:
        return None
    needed, note = dict.fromkeys(TOLERANCES, math.nan), here.note
    if size > 0:
        tried, found = NEAR, excess({str(t): NEAR for t in TOLERANCES})
        if not all(
            missed[-1] <= 0 for missed in found.values()
        ):  # every bound falls from where it promises something
            tried = np.concatenate([NEAR, FAR])
            found = excess({str(t): tried for t in TOLERANCES})
        needed = {float(t): L for t, L in refined(excess, tried, found).items()}
    table = isinstance(setting.law.structure, EmbeddingTable)
    if setting.law.identity is None and not setting.gaussian and not table:
        note += (
            "; it rests on the sub-Gaussian parameter that the law claims, which "
            "numerics.check_variance_proxy tests"
        )
    return CertainBound(here.name, np.sqrt(here.values / (size or 1.0)), needed, note)
