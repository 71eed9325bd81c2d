"""Refuses kinds of coordinates that an engine does not know, in place of the answer for another."""

from __future__ import annotations

from collections.abc import Collection

__all__ = ["check_law"]


def check_law(kind: object, known: Collection[str], engine: str) -> None:
    """Refuse a kind of coordinates, as in ``law.coordinates``, that is none of those that the
    branches of an engine are written for.

    >>> check_law("sign", ("normal", "sign"), "this sum")
    """
    if kind not in known:
        raise ValueError(
            f"{engine} is not written for coordinates of the kind {kind!r}, only for {', '.join(known)}; "
            "give such a law by its sampler and log_mgf alone"
        )
