"""Engines: provers, enumeration, quadrature, Monte Carlo, flows, fits and rate reports. Imports `theory`, never `proofs_check`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numerics.estimate import attention_errors as attention_errors
    from numerics.evidence import Evidence as Evidence
    from numerics.evidence import Verdict as Verdict
    from numerics.flow import integrate_flow as integrate_flow
    from numerics.provers import forall as forall
    from numerics.provers import identity as identity
    from numerics.quadrature import softmax_moments as softmax_moments

_HOME = {
    "Evidence": "numerics.evidence",
    "Verdict": "numerics.evidence",
    "attention_errors": "numerics.estimate",
    "forall": "numerics.provers",
    "identity": "numerics.provers",
    "integrate_flow": "numerics.flow",
    "softmax_moments": "numerics.quadrature",
}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for: Numba and SymPy take most of a second each."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
