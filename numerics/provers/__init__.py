"""Provers: inequalities over whole domains (`forall`), identities, and enclosures of integrals."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from numerics.provers.forall import forall
from numerics.provers.statement import Closed, Integers

if TYPE_CHECKING:
    from numerics.provers.identity import identity, trace_identity
    from numerics.provers.integral import integral

__all__ = ["Closed", "Integers", "forall", "identity", "integral", "trace_identity"]

_HOME = {"trace_identity": "identity"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME.get(name, name)}"), name)
    globals()[name] = value  # the import has just bound the submodule of that name here
    return value
