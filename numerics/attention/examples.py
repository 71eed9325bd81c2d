"""Built-in settings by name, for the command line, tests, and something to start from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

import numpy as np

from numerics.attention.setting import AttentionSetting

__all__ = ["EXAMPLES"]


@cache
def _fixed_isotropic() -> AttentionSetting:
    """Isotropic tokens, scores and values in R^3 at one query."""
    return AttentionSetting(
        np.eye(3), 0.5 * np.eye(3), np.eye(3), np.array([1.0, -1.0, 0.0]), name="isotropic"
    )


@cache
def _fixed_anisotropic() -> AttentionSetting:
    """Matrices that do not commute, and a V that is not square, at one query in R^4."""
    Gamma = np.diag([2.0, 1.0, 0.5, 0.25])
    U = np.array([[0.3, 0.1, 0.0, 0.0], [-0.2, 0.4, 0.1, 0.0], [0.0, 0.1, 0.5, -0.3], [0.2, 0.0, 0.0, 0.6]])
    V = np.array([[1.0, 0.0, 0.5, 0.0], [0.0, -1.0, 0.0, 2.0]])
    return AttentionSetting(Gamma, U, V, np.array([1.0, 0.5, -1.0, 1.0]), name="anisotropic")


@cache
def _fixed_singular() -> AttentionSetting:
    """Tokens on a plane in R^3, at one query."""
    plane = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    return AttentionSetting(
        plane @ plane.T / 2, 0.4 * np.eye(3), np.eye(3), np.array([0.5, 0.5, 0.5]), name="singular"
    )


@cache
def _averaged() -> AttentionSetting:
    """Gaussian queries with lambda = 0.16 < 1/6: the error is C/L (1 + O(1/L)) on average too."""
    return AttentionSetting(
        np.eye(3), np.diag([0.4, 0.3, 0.2]), np.eye(3), query_cov=np.eye(3), name="averaged"
    )


@cache
def _averaged_slow() -> AttentionSetting:
    """Gaussian queries with lambda = 1.44 >= 1: no feasible length shows the exponent < 1."""
    return AttentionSetting(
        np.eye(2), np.diag([1.2, 0.5]), np.eye(2), query_cov=np.eye(2), name="averaged-slow"
    )


#: The built-in examples by name. Each is made once, so that exact curves which are kept for a
#: setting serve every report on it.
EXAMPLES: Mapping[str, Callable[[], AttentionSetting]] = MappingProxyType(
    {
        "isotropic": _fixed_isotropic,
        "anisotropic": _fixed_anisotropic,
        "singular": _fixed_singular,
        "averaged": _averaged,
        "averaged-slow": _averaged_slow,
    }
)
