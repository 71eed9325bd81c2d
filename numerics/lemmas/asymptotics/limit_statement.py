"""A limit as it was asked: `Limit`, and what `limit` and `order` read in the same way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from numerics.lemmas.asymptotics.curves import Table, table
from numerics.lemmas.asymptotics.regimes import Regime
from numerics.provers.as_written import latex, scalar
from numerics.provers.exact.exact_numbers import told
from numerics.provers.inequalities import forall_without_z3 as forall
from numerics.provers.statements.statement import Statement, statement
from theory.inputs.kinds import check_kind
from theory.inputs.whole_numbers import read_whole

__all__ = ["Limit", "constant_beside", "effort_of", "logarithms", "ranges_of", "read_limit"]

#: Steps for a bound of a value with parameters.
BOUNDED = 20_000


@dataclass(frozen=True)
class Limit:
    """What was asked."""

    st: Statement
    f: sp.Expr
    x: sp.Symbol
    value: sp.Expr
    domain: Mapping[sp.Symbol, Any]
    where: tuple[Any, ...]
    regime: Regime
    side: str
    table: Table

    @property
    def checked(self) -> str:
        a = self.regime.to[self.x]
        to = rf"{latex(self.x)} \to {latex(a)}" + (f"^{{{self.side}}}" if self.side else "")
        others = [t.strip("$") for s, t in zip(self.st.names, self.st.assumes) if s != self.x]
        hyps = [t.strip("$") for t in self.st.assumes[len(self.st.names) :]]
        uniform = rf"\quad \text{{uniformly in }} {', '.join(others)}" if others else ""
        given = rf"\quad \text{{where }} {', '.join(hyps)}" if hyps else ""
        return rf"\lim_{{{to}}} {latex(self.f)} = {latex(self.value)}{uniform}{given}"

    @property
    def covered(self) -> str:
        return ", ".join([*(t.strip("$") for t in self.st.assumes), f"as {self.regime.latex}"])


def read_limit(
    f: Any,
    x: sp.Symbol,
    value: Any,
    domain: Mapping[sp.Symbol, Any],
    where: tuple[Any, ...],
    near: Regime,
    side: str,
) -> Limit:
    f = scalar(f).given
    v = value if value in (sp.oo, -sp.oo) else scalar(value).given
    if v.has(x):
        raise ValueError(
            f"the value {v} speaks of {x}, which tends to {near.to[x]}; compare the two by `order`"
        )
    st = statement(f, "<=", 0 if v in (sp.oo, -sp.oo) else v, domain, where)
    limits: Sequence[sp.Expr | None] = [near.to.get(s) for s in domain]
    return Limit(st, f, x, v, domain, where, near, side, table(st, limits))


def logarithms(q: Limit, op: str) -> Iterator[tuple[sp.Expr, sp.Expr, str]]:
    """The logarithms of a product of powers, and of its positive limit. If they tend to each other,
    then so do the two, uniformly where the limit is bounded from above (`op` is "<="); the converse
    needs a bound from below (">="). Every factor is positive where its logarithm is defined.
    """
    powers = any(p.base.has(q.x) and p.exp.has(q.x) for p in q.f.atoms(sp.Pow))
    if powers and isinstance(q.f, (sp.Pow, sp.Mul)) and q.value.is_finite and told(q.value, "positive"):
        size = 10**6 if op == "<=" else sp.Rational(1, 10**6)
        ranges = {s: r for s, r in q.domain.items() if q.value.has(s)}
        if not (q.value.is_number or forall(q.value, op, size, ranges, effort=BOUNDED).verdict.executed):
            return
        yield _logarithm(q.f), _logarithm(q.value), "by logarithms, as the exponential function is continuous"


def _logarithm(e: sp.Expr) -> sp.Expr:
    """log(e) as a sum, of logarithms of what has to be positive."""
    if e.is_Mul:
        return sp.Add(*map(_logarithm, e.args))
    if isinstance(e, sp.exp):
        return e.exp
    if e.is_Pow:
        return e.exp * _logarithm(e.base)
    if isinstance(e, (sp.gamma, sp.factorial)):
        return sp.loggamma(e.args[0] + (1 if isinstance(e, sp.factorial) else 0))
    return sp.log(e)


def constant_beside(taken: Iterable[sp.Symbol]) -> sp.Symbol:
    names = {str(s) for s in taken}
    return sp.Symbol(
        next(t for t in ("C", "K", "A", *(f"C_{i}" for i in range(99))) if t not in names), positive=True
    )


def effort_of(effort: Any) -> int:
    return read_whole("effort", effort, "it counts steps; leave it out for the usual number", least=0)


def ranges_of(domain: Mapping[sp.Symbol, Any], tending: Iterable[sp.Symbol]) -> dict[sp.Symbol, Any]:
    """The domain, with all real numbers that its sign allows for what tends somewhere and has no
    range.
    """
    check_kind(Mapping, domain=domain)
    out = dict(domain)
    for x in tending:
        if not isinstance(x, sp.Symbol):
            raise TypeError(f"{x!r:.200} is no SymPy symbol, so it tends nowhere; give a variable")
        if x not in out and x.is_integer:
            raise ValueError(f"{x} is declared a whole number; give it a range, such as Integers(1)")
        if x not in out:
            lo, hi = (0 if x.is_nonnegative else -sp.oo), (0 if x.is_nonpositive else sp.oo)
            out[x] = sp.Interval(lo, hi, bool(x.is_positive), bool(x.is_negative))
    return out
