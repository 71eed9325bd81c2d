"""Matrix identities of in-context regression, proved for every dimension entry by entry in an
eigenbasis of the covariance.

By the spectral theorem ``S = diag(l_i)``, ``S_L = diag(m_i)`` and ``S^+ = diag(p_i)`` in one
orthonormal basis, with ``p = 1/l`` in the range of S and ``l = p = 0`` in its kernel. A matrix
identity between products of S, S_L, S^+ and one U is the same identity for the entry (i, j); an
identity between traces holds if it holds for the summand of each (i, j). So a few scalar
identities, one for each combination of "range or kernel" and "on or off the diagonal", settle every
dimension. With the infinite prompt ``m = l``; in the kernel, where that is 0, no entry contains m,
which may therefore be taken positive throughout.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import sympy as sp

from numerics.evidence import Evidence, Verdict, all_of
from numerics.provers.as_written import SAME_SIDES, scalar
from numerics.provers.doors import guarded
from numerics.provers.identities import identity
from numerics.provers.remembered import remembered

__all__ = [
    "U_ij",
    "bracket",
    "cases",
    "delta",
    "entrywise",
    "l_i",
    "l_j",
    "m_i",
    "motion",
    "p_i",
    "p_j",
    "slope",
    "u",
]

l_i, l_j, m_i = sp.symbols("l_i l_j m_i", positive=True)
p_i, p_j = sp.symbols("p_i p_j", nonnegative=True)
U_ij, u, delta = sp.symbols("U_ij u delta", real=True)
bracket = u * m_i * U_ij - delta
#: Entry of dU/dt = -u S (u S_L U - I) S, and summand of du/dt = -tr((u S_L U - I) S U' S).
motion = -u * l_i * bracket * l_j
slope = -bracket * l_j * U_ij * l_i


def cases() -> Iterator[Mapping[sp.Symbol, Any]]:
    """On the diagonal i = j, in the range or the kernel; off it, each index in either."""
    for inside in (1, 0):
        yield {l_j: inside * l_i, p_j: inside / l_i, l_i: inside * l_i, p_i: inside / l_i, delta: 1}
    for i, j in product((1, 0), repeat=2):
        yield {l_i: i * l_i, p_i: i / l_i, l_j: j * l_j, p_j: j / l_j, delta: 0}


@remembered
@guarded("identity")
def entrywise(lhs: Any, rhs: Any) -> Evidence:
    """An identity for the entries (or summands) in every case, hence for the matrices (or traces)
    of every size: PROVED if every case is, with the same statement with one term of a sum doubled
    as its control. A ValueError says that an entry is not defined in the kernel, or what
    `numerics.provers.identity` says.
    """
    left, right = scalar(lhs), scalar(rhs)
    for (g, kind), case in product(dict.fromkeys((*left.conditions, *right.conditions)), cases()):
        if kind != ">=" and g.subs(case, simultaneous=True) == 0:
            raise ValueError(
                f"{g} is 0 in the kernel, where the entry is not defined; write p for what is 1/l in "
                "the range only"
            )
    checked = f"{sp.latex(left.given)} = {sp.latex(right.given)}"
    # What is vacuous is judged on the entry as it is written, not on what is left of it in a case.
    vacuous = SAME_SIDES if sp.latex(left.given) == sp.latex(right.given) else ""
    found = _by_cases(left.value, right.value).replace(checked=checked, vacuous=vacuous)
    if not found.verdict.accepted:
        return found
    tried = (_by_cases(*sides) for sides in _spoiled(left.value, right.value))
    control = next((e for e in tried if e.verdict is Verdict.REFUTED), None)
    return found.replace(control=control)


def _by_cases(lhs: sp.Expr, rhs: sp.Expr) -> Evidence:
    sides = [tuple(side.subs(case, simultaneous=True) for side in (lhs, rhs)) for case in cases()]
    # A case that reads 0 = 0 after the substitution is settled by it; the engine is asked for the
    # others.
    parts = [
        identity(left, right).replace(vacuous="")
        for left, right in dict.fromkeys(sides)
        if not left == right == 0
    ]
    checked = f"{sp.latex(lhs)} = {sp.latex(rhs)}"
    whole = (
        all_of(*parts, checked=checked)
        if parts
        else Evidence(verdict=Verdict.PROVED, engine="eigenbasis", checked=checked)
    )
    return whole.replace(engine="eigenbasis", dimension="every d")


def _spoiled(lhs: sp.Expr, rhs: sp.Expr) -> Iterator[tuple[sp.Expr, sp.Expr]]:
    for node in (n for side in (lhs, rhs) for n in sp.preorder_traversal(side) if n.is_Add):
        for term in node.args:
            yield lhs.xreplace({node: node + term}), rhs.xreplace({node: node + term})
    yield 2 * lhs, rhs
