"""Whether a claim can fail: each of its conjuncts must be refuted once a number of the statement
is changed, and it must say something before it can be refuted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from numerics.evidence import Evidence, Verdict

__all__ = ["conjuncts", "floats", "unrefuted", "vacuous"]

Path = tuple[int, ...]


def conjuncts(evidence: Evidence, path: Path = ()) -> Iterator[tuple[Path, Evidence]]:
    """The statements that a conjunction joins, with their places in it; a statement that is no
    conjunction is its own only one.
    """
    if evidence.engine != "conjunction":
        yield path, evidence
        return
    for k, part in enumerate(evidence.parts):
        yield from conjuncts(part, (*path, k))


def unrefuted(held: Evidence, controls: Sequence[Evidence]) -> list[str]:
    """The conjuncts that no control refutes, in LaTeX.

    Instances of one statement, which show the same text, are one conjunct. A conjunct is refuted in
    a run with other numbers at its own place, or by the copy that its engine spoiled itself.

    Parameters
    ----------
    held : Evidence
        The accepted statement.
    controls : sequence of Evidence
        The statement with other numbers.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from numerics.evidence import all_of
    >>> exact = dict(engine="exact arithmetic")
    >>> true = [Evidence(verdict=Verdict.PROVED, checked=text, **exact) for text in "ab"]
    >>> false = Evidence(verdict=Verdict.REFUTED, witness={"x": 1}, witness_by="exact", **exact)
    >>> unrefuted(all_of(*true), [all_of(true[0], false)])
    ['a']
    """
    refuted = {path for c in controls for path, leaf in conjuncts(c) if leaf.verdict is Verdict.REFUTED}
    spoiled: dict[str, bool] = {}
    for path, leaf in conjuncts(held):
        # Parts without a text cannot be told apart by it; each of them counts.
        name = leaf.checked or f"part {'.'.join(str(k + 1) for k in path)} ({leaf.engine})"
        own = leaf.control is not None and leaf.control.verdict is Verdict.REFUTED
        spoiled[name] = spoiled.get(name, False) or own or path in refuted
    return [name for name, is_spoiled in spoiled.items() if not is_spoiled]


def vacuous(evidence: Evidence) -> list[str]:
    """The parts of an evidence that say nothing, each with the reason."""
    return [f"{leaf.checked}: {leaf.vacuous}" for _, leaf in conjuncts(evidence) if leaf.vacuous]


def floats(numbers: Mapping[str, Any]) -> list[str]:
    """The binary floats among the numbers of a claim, of any type and however deep.

    Examples
    --------
    >>> floats({"a": 1, "b": (1, {"c": np.float32(0.5)}), "d": sp.Symbol("x") * 0.1})
    ['b', 'd']
    """
    return [name for name, number in numbers.items() if _has_float(number)]


def _has_float(x: Any) -> bool:
    if isinstance(x, (sp.Basic, sp.MatrixBase)):
        return bool(x.has(sp.Float))
    if isinstance(x, np.ndarray):
        return x.dtype.kind in "fc" or (x.dtype.kind == "O" and any(map(_has_float, x.flat)))
    if isinstance(x, Mapping):
        return any(_has_float(v) for pair in x.items() for v in pair)
    if isinstance(x, Iterable) and not isinstance(x, (str, bytes)):
        return any(map(_has_float, x)) if isinstance(x, (tuple, list, set, frozenset)) else False
    return isinstance(x, (float, complex, np.floating, np.complexfloating)) or type(x).__name__ in ("mpf", "mpc")
