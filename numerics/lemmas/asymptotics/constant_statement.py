"""Statements that hold for some constants: `Quantified` reads one, and says it in LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from numerics.lemmas.asymptotics.curves import Table, table
from numerics.lemmas.asymptotics.regimes import Regime
from numerics.lemmas.laws.judge import speaks_of_laws
from numerics.lemmas.matrices.judge import speaks_of_matrices
from numerics.provers.as_written import Condition, latex, scalar
from numerics.provers.exact.exact_numbers import put
from numerics.provers.statements.relation import Relation, hypothesis
from numerics.provers.statements.statement import Statement, statement

__all__ = ["Quantified", "constants_of", "quantified", "refuse_others"]


@dataclass(frozen=True)
class Quantified:
    """There are constants > 0 such that an inequality holds in a regime of a domain. The statement
    has the constants as its last variables.
    """

    st: Statement
    lhs: Any
    op: str
    rhs: Any
    domain: Mapping[sp.Symbol, Any]
    where: tuple[Any, ...]
    constants: tuple[sp.Symbol, ...]
    regime: Regime
    table: Table
    #: What must hold for the statement to be defined, which SymPy's arithmetic may lose.
    needs: tuple[Condition, ...]

    @property
    def variables(self) -> int:
        return len(self.domain)

    @property
    def fresh(self) -> tuple[sp.Symbol, ...]:
        """The constants, as the statement calls them."""
        return self.st.symbols[self.variables :]

    @property
    def assumes(self) -> tuple[str, ...]:
        """Ranges and hypotheses."""
        return (*self.st.assumes[: self.variables], *self.st.assumes[len(self.st.symbols) :])

    @property
    def covered(self) -> str:
        regime = f"as {self.regime.latex}" if self.regime.to else ""
        return ", ".join(t for t in (*(a.strip("$") for a in self.assumes), regime) if t)

    @property
    def checked(self) -> str:
        """The statement in LaTeX."""
        goal = Relation(scalar(self.lhs), self.op, scalar(self.rhs)).latex
        hyps = r",\; ".join(hypothesis(h).latex for h in self.where)
        exist = rf"\exists\, {', '.join(map(latex, self.constants))} > 0"
        ranges = ", ".join(a.strip("$") for a in self.st.assumes[: self.variables])
        every = rf"\forall\, {ranges}" if ranges else ""
        near = rf"\text{{as }} {self.regime.latex}" if self.regime.to else ""
        implied = (hyps + r" \implies " if hyps else "") + goal
        return r":\; ".join(t for t in (exist, every, near, implied) if t)


def refuse_others(lhs: Any, rhs: Any, domain: Mapping[Any, Any], where: Iterable[Any], what: str) -> None:
    """Refuse a statement about samples or matrices, in which constants and rates are not looked
    for.
    """
    for speaks, kind in ((speaks_of_laws, "samples"), (speaks_of_matrices, "matrices")):
        if speaks(lhs, rhs, domain, where):
            raise ValueError(
                f"{what} is not looked for in a bound on {kind}; give a number, and ask `forall`"
            )


def constants_of(C: Any) -> tuple[sp.Symbol, ...]:
    """A constant, or several, as given."""
    found = tuple(C) if isinstance(C, (tuple, list)) else (C,)
    if not found or not all(isinstance(c, sp.Symbol) for c in found):
        raise TypeError(f"the constants {C!r:.200} are no SymPy symbols; give one, or a tuple of them")
    return found


def quantified(
    C: Any,
    lhs: Any,
    op: str,
    rhs: Any,
    domain: Mapping[sp.Symbol, Any],
    where: Iterable[Any],
    regime: Regime,
    needs: Iterable[Condition] = (),
) -> Quantified:
    """Read the statement, which may need more than its sides show; what is wrong with it is an
    error with words.
    """
    constants, where = constants_of(C), tuple(where)
    if both := [c for c in constants if c in domain]:
        raise ValueError(
            f"{both[0]} has a range, so it is no constant; leave it out of the domain, or ask `forall`"
        )
    whole = {**domain, **dict.fromkeys(constants, (0, sp.oo))}
    st = statement(lhs, op, rhs, whole, where)
    own, needs = dict(zip(st.names, st.symbols)), tuple(needs)
    st = replace(st, needs=tuple(dict.fromkeys((*st.needs, *((put(g, own), kind) for g, kind in needs)))))
    last = st.symbols[len(domain) :]
    if idle := [str(c) for c, x in zip(constants, last) if not st.difference.has(x)]:
        raise ValueError(f"{', '.join(idle)} does not occur in the statement; leave it out, or ask `forall`")
    if any(g.has(*last) for g, _ in (*st.where, *st.where_needs)):
        raise ValueError(
            "a hypothesis speaks of the constant, which may depend on nothing; put it into the statement"
        )
    limits: Sequence[sp.Expr | None] = [regime.to.get(x) for x in domain]
    return Quantified(
        st,
        lhs,
        op,
        rhs,
        dict(domain),
        where,
        constants,
        regime,
        table(st, limits),
        (*needs, *(c for e in (lhs, rhs) for c in scalar(e).conditions)),
    )
