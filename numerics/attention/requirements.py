"""What a rate report asks of a setting beyond what the setting itself checks: an error that is not
identically zero, entries whose fourth powers are floats, and centred queries.
"""

from __future__ import annotations

import numpy as np

from numerics.attention.setting import AttentionSetting

__all__ = ["check_reportable"]

#: Sizes of entries between which fourth powers of the products that occur stay in the range of
#: floats.
SMALLEST, LARGEST = 1e-15, 1e15


def check_reportable(setting: AttentionSetting) -> None:
    """Refuse a setting on which there is nothing to report, or nothing that floats can hold: V
    Gamma = 0, an entry too large or too small, or Gaussian queries with a mean.
    """
    query = ("query", setting.query) if setting.query_cov is None else ("query_cov", setting.query_cov)
    if setting.averaged and setting.query.any():
        raise ValueError(
            "queries with both a mean and a covariance; theory has centred ones: pass "
            "query=z or query_cov=S alone"
        )
    for name, array, least in (
        ("Gamma", setting.Gamma, SMALLEST),
        ("U", setting.U, 0),
        ("V", setting.V, SMALLEST),
        (*query, SMALLEST),
    ):
        size = float(np.abs(array).max())
        if size > LARGEST or 0 < size < least:
            raise ValueError(
                f"{name} has entries of size {size:.3g}, outside {SMALLEST:.0e} to {LARGEST:.0e}; choose "
                "other units"
            )
    if not np.any(setting.V @ setting.Gamma):
        raise ValueError(
            "V Gamma = 0: the attention output is 0 for every prompt; choose V and Gamma "
            "with an error to measure"
        )
