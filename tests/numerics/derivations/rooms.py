"""Which claims are derived in which folder."""

from __future__ import annotations

from functools import partial
from typing import Any

from proofs_check.derivations.proofs import PROOFS


def of_room(room: str) -> list[str]:
    """The claims with a derivation in a module of that folder."""
    folder = f"proofs_check.derivations.{room}."
    found = [
        id
        for id, proof in PROOFS.items()
        if any(name.startswith(folder) for theorem in proof.theorems for name in _modules(theorem))
    ]
    assert found, f"no claim has a derivation in {folder}; follow the move of the folder"
    return found


def _modules(theorem: Any) -> list[str]:
    parts = (theorem.func, *theorem.args) if isinstance(theorem, partial) else (theorem,)
    return [part.__module__ for part in parts if callable(part)]
