"""`exists`: there is a constant, which the statement does not name."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

import sympy as sp

from numerics.evidence import Evidence, Verdict
from numerics.lemmas.asymptotics.chosen_constants import chosen
from numerics.lemmas.asymptotics.constant_statement import Quantified, constants_of, quantified, refuse_others
from numerics.lemmas.asymptotics.curves import stays
from numerics.lemmas.asymptotics.defeated_constants import defeating
from numerics.lemmas.asymptotics.regimes import regime_of
from numerics.lemmas.sequences.constant import exists_for_sequences
from numerics.lemmas.sequences.judge import speaks_of_sequences
from numerics.provers.as_written import scalar
from numerics.provers.doors import guarded
from numerics.provers.statements.relation import Relation
from numerics.provers.statements.statement import statement
from theory.inputs.kinds import check_kind, read_items
from theory.inputs.whole_numbers import read_whole

__all__ = ["decided", "exist_together", "exists"]

#: What share of the effort one question to `forall` may take.
SHARE = 4


@guarded("branch and bound")
def exists(
    C: Any,
    lhs: Any,
    op: str,
    rhs: Any,
    domain: Mapping[sp.Symbol, Any],
    *,
    where: Iterable[Any] = (),
    regime: Mapping[sp.Symbol, Any] | None = None,
    effort: int = 1_000_000,
) -> Evidence:
    """Decide whether there is a constant ``C > 0`` with which ``lhs op rhs`` holds at every point.

    Parameters
    ----------
    C : Symbol or tuple of symbols
        The constants, which depend on nothing in the domain and have no range there.
    lhs, rhs, op, domain, where
        As for `forall`; constants may stand in both sides, and in no hypothesis.
    regime : Mapping[Symbol, limit], optional
        Variables that tend to oo, -oo or a rational number: the statement need hold only where
        each of them is near its limit, and how near is found, too.
    effort : int
        Steps; each question to `forall` may take a quarter of them.

    Returns
    -------
    Evidence
        PROVED or CERTIFIED by `forall` with constants that the first step names; REFUTED by a
        curve in the domain along which every constant is too small (or too large) from some member
        on, or by a point at which all of them fail, with a member at which constants equal to 1
        do; or OPEN.

    Raises
    ------
    TypeError, ValueError
        As for `forall`; if a constant has a range, or does not occur; or if the range of a
        variable does not reach its limit.

    Examples
    --------
    >>> x, C = sp.symbols("x C", positive=True)
    >>> fine = exists(C, sp.log(1 + x), "<=", C * x, {x: (0, sp.oo)})
    >>> fine.verdict.value, fine.steps[0]
    ('CERTIFIED', '$C = 1$')
    >>> false = exists(C, x, "<=", C * sp.log(1 + x), {x: (0, sp.oo)})
    >>> false.verdict.value, false.witness["every other choice"]
    ('REFUTED', 'C = sqrt(n)/4 fails for x = n and every n >= 1')
    """
    check_kind(Mapping, domain=domain)
    check_kind(str, op=op)
    where = read_items(where=where)
    steps = read_whole("effort", effort, "it counts steps; leave it out for the usual number", least=0)
    refuse_others(lhs, rhs, domain, where, "a constant")
    if speaks_of_sequences(lhs, rhs, domain, where):
        constants = constants_of(C)
        if regime or len(constants) > 1:
            raise ValueError(
                "a statement on sequences has one constant and no regime; state it for one index"
            )
        found: Evidence = exists_for_sequences(constants[0], lhs, op, rhs, domain, where, steps)
        return found
    q = quantified(C, lhs, op, rhs, domain, where, regime_of(regime, domain))
    return decided([q], [q], steps)


def exist_together(
    C: Any,
    relations: Iterable[tuple[Any, str, Any]],
    domain: Mapping[sp.Symbol, Any],
    where: Iterable[Any],
    regime: Mapping[sp.Symbol, Any],
    effort: int,
) -> Evidence:
    """Whether the same constants are enough for several relations, each with all of them."""
    relations, where = tuple(relations), tuple(where)
    if any(speaks_of_sequences(a, b, domain, where) for a, _, b in relations):
        raise ValueError("a statement on sequences has one relation with a constant; state each for itself")
    near = regime_of(regime, domain)
    goals = [quantified(C, a, op, b, domain, where, near) for a, op, b in relations]
    others = (Relation(scalar(q.lhs), q.op, scalar(q.rhs)).latex for q in goals[1:])
    found = decided(goals, goals, effort)
    return found.replace(checked=r" \;\wedge\; ".join((goals[0].checked, *others)))


def decided(goals: list[Quantified], refutable: list[Quantified], effort: int) -> Evidence:
    """The verdict on all goals with the same constants; one of the `refutable`, each of which they
    imply together, is enough to refute them.
    """
    start = time.monotonic()
    q, each = goals[0], effort // SHARE
    told: dict[str, Any] = {"checked": q.checked, "covered": q.covered, "assumes": q.assumes}
    reasons = []
    if q.regime.to and q.where and not stays(q.table, each):
        reason = (
            "no curve was found that surely meets the hypotheses near the limit: the statement may be "
            "vacuous there; what may help: simpler hypotheses"
        )
        return Evidence(verdict=Verdict.OPEN, engine="branch and bound", reason=reason, **told)
    for r in refutable:
        refuted, why = defeating(r, each)
        if refuted is not None:
            return refuted.replace(seconds=time.monotonic() - start, sides=_with_ones(r), **told)
        reasons.append(why)
    found, why = chosen(goals, each)
    if found is not None:
        return found.replace(seconds=time.monotonic() - start)
    reason = (
        f"{'; '.join(dict.fromkeys(reasons))}; {why}. What may help: a proof for a constant of your own "
        "(`forall`), or a smaller domain"
    )
    return Evidence(
        verdict=Verdict.OPEN,
        engine="branch and bound",
        reason=reason,
        seconds=time.monotonic() - start,
        **told,
    )


def _with_ones(q: Quantified) -> tuple[Any, ...]:
    """The statement with constants equal to 1, which a refuted one is in particular."""
    ones = dict.fromkeys(q.constants, sp.S.One)
    sides = [sp.sympify(e).xreplace(ones) for e in (q.lhs, q.rhs)]
    return (statement(sides[0], q.op, sides[1], q.domain, q.where),)
