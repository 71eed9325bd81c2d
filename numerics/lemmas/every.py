"""The general `forall`: whoever judges the kind of statement is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sympy as sp

from numerics import provers
from numerics.evidence import Evidence
from numerics.lemmas.laws.judge import for_every_law, speaks_of_laws
from numerics.lemmas.matrices.judge import for_every_matrix, speaks_of_matrices
from numerics.lemmas.sequences.judge import for_every_sequence, speaks_of_sequences
from theory.inputs.kinds import check_kind, read_items

__all__ = ["forall"]

#: Who knows a kind of statement when he sees it, and who judges it.
KINDS = (
    (speaks_of_matrices, for_every_matrix),
    (speaks_of_laws, for_every_law),
    (speaks_of_sequences, for_every_sequence),
)


def forall(
    lhs: Any,
    op: str,
    rhs: Any,
    domain: Mapping[Any, Any],
    *,
    where: Iterable[Any] = (),
    via: Mapping[sp.Symbol, Any] | None = None,
    effort: int = 1_000_000,
) -> Evidence:
    """Decide ``lhs op rhs`` for every point of a domain.

    Bounds on numbers go to the scalar prover, `numerics.provers.forall`. Sums up to a variable,
    sequences, samples and matrices have judges of their own.

    Parameters
    ----------
    lhs, rhs : SymPy expression
        The two sides. ``Sum`` and ``Product`` may end at a whole variable, ``Function("a")(n)`` is
        a sequence, the words of `numerics.lemmas` such as `P` and `SampleMean` speak of a sample,
        and a ``MatrixSymbol`` is a matrix.
    op : str
        One of ``<=``, ``<``, ``>=``, ``>``; between matrices ``==``, too.
    domain : Mapping
        The range of each variable. For a number, a pair ``(lo, hi)`` is the open interval,
        `Closed(lo, hi)` has its finite ends, a SymPy ``Interval`` says it itself, and
        `Integers(lo, hi)` are whole numbers with both ends; ends are rational or infinite. For a
        sample it is an `Iid`, for a matrix one of `Matrices`.
    where : iterable of (lhs, op, rhs) or SymPy relations
        Hypotheses, whose op may be ``==`` or ``!=``, too. One on ``a(n)`` or ``a(n + 1)`` holds for
        every n of its range, one on ``a(1)`` is a start.
    via : Mapping[Symbol, expression], optional
        New variables as functions of the old ones, for bounds on numbers alone: the prover
        eliminates an old variable and works in the new ones.
    effort : int
        Steps after which the answer is OPEN, or laws after which a search ends.

    Returns
    -------
    Evidence
        PROVED, CERTIFIED, REFUTED with a witness or OPEN. Of laws, and of matrices of more than
        two rows, nothing is proved: where none was found that breaks the bound it is SUPPORTED,
        and says what was tried.

    Raises
    ------
    TypeError
        If text or a float stands where an exact expression is meant.
    ValueError
        If a variable has no range, or the statement is not understood; it says what to write.

    Examples
    --------
    >>> n, k = sp.symbols("n k", integer=True, positive=True)
    >>> harmonic = sp.Sum(1 / k, (k, 1, n))
    >>> forall(harmonic, "<=", 1 + sp.log(n), {n: provers.Integers(1, sp.oo)}).word
    'PROVED'
    >>> from numerics.lemmas import Matrices
    >>> A, B = sp.MatrixSymbol("A", 2, 2), sp.MatrixSymbol("B", 2, 2)
    >>> found = forall(A * B + B * A, ">=", 0, {A: Matrices.PSD, B: Matrices.PSD})
    >>> found.verdict.value, sorted(found.witness)
    ('REFUTED', ['A', 'B', 'v'])
    """
    check_kind(Mapping, domain=domain)
    where = read_items(where=where)
    for speaks, judge in KINDS:
        if speaks(lhs, rhs, domain, where):
            if via is not None:
                raise ValueError("via= is for statements about numbers alone; leave it out")
            return judge(lhs, op, rhs, domain, where=where, effort=effort)
    return provers.forall(lhs, op, rhs, domain, where=where, via=via, effort=effort)
