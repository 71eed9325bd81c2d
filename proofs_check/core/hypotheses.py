"""Tests whether the witness of a refutation meets the printed hypotheses. These are written as
relations in the names of the witness, such as ``"L >= 1"``, and are evaluated exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["unmet"]


def unmet(hypotheses: Iterable[str], witness: Mapping[str, Any]) -> list[str]:
    """The hypotheses that a witness does not meet.

    Parameters
    ----------
    hypotheses : iterable of str
        Relations such as ``"L >= 1"``, ``"0 < delta"``, ``"Eq(U, 0)"`` or ``"L in Integers"``.
    witness : Mapping
        Values by name; texts such as ``"1/3"`` are read as exact numbers.

    Returns
    -------
    list of str
        Each hypothesis that fails or cannot be decided, with what was found.

    Examples
    --------
    >>> unmet(["L in Integers", "L >= 1", "delta < 1"], {"L": 2, "delta": "1/3"})
    []
    >>> unmet(["L >= 1"], {"L": "1/2"})
    ['L >= 1 (L = 1/2)']
    >>> unmet(["sigma >= 1"], {"L": 2})
    ['sigma >= 1 (the witness says nothing of sigma)']
    """
    import sympy as sp

    names = {k: sp.Symbol(k, real=True) for k in witness if k.isidentifier()}
    values = {}
    for name, symbol in names.items():
        try:
            values[symbol] = sp.nsimplify(sp.sympify(str(witness[name])), rational=True)
        except (sp.SympifyError, TypeError, AttributeError, ValueError):
            continue
    out = []
    for text in hypotheses:
        subject, _, domain = text.partition(" in ")
        relation = sp.sympify(subject, locals=dict(names))
        missing = sorted(str(s) for s in relation.free_symbols if s not in values)
        if missing:
            out.append(f"{text} (the witness says nothing of {', '.join(missing)})")
            continue
        found = relation.subs(values)
        holds = sp.sympify(domain).contains(found) if domain else found
        if holds != sp.true:
            out.append(f"{text} ({', '.join(f'{s} = {values[s]}' for s in sorted(relation.free_symbols, key=str))})")
    return out
