"""The setting with one parameter on which rates over Gaussian queries are tried."""

import numpy as np

from numerics.attention.setting import AttentionSetting


def averaged(lam: float, d: int = 1) -> AttentionSetting:
    """Standard normal tokens and queries, V = I, and U = sqrt(lam) I: lambda has multiplicity d."""
    return AttentionSetting(np.eye(d), np.sqrt(lam) * np.eye(d), np.eye(d), query_cov=np.eye(d))
