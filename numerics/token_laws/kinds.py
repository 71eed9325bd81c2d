"""Refuses kinds of coordinates that an engine does not know, in place of the answer for another."""

from __future__ import annotations

from collections.abc import Collection

__all__ = ["check_law"]


def check_law(kind: object, known: Collection[str], engine: str) -> None:
    """Refuse a kind of coordinates that is none of those that an engine knows.

    Parameters
    ----------
    kind : object
        As in ``law.coordinates``.
    known : collection of str
        All that the branches of the engine are written for.
    engine : str
        What asks, as an error calls it.

    Raises
    ------
    ValueError

    Examples
    --------
    >>> check_law("sign", ("normal", "sign"), "this sum")
    """
    if kind not in known:
        raise ValueError(
            f"{engine} is not written for coordinates of the kind {kind!r}, only for {', '.join(known)}; "
            "give such a law by its sampler and log_mgf alone"
        )
