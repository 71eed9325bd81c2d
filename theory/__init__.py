"""What the papers, and we, say: definitions, closed forms, bounds, vector fields and limits. Imports nothing of ours."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from theory.linear_regression import limit_parameters as limit_parameters

_HOME = {"limit_parameters": "theory.linear_regression"}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for: SymPy alone takes most of a second."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
