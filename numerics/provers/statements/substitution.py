"""The substitutions that a caller of `forall` proposes by ``via=``: an old variable is eliminated
by solving the definition of the new variable for it.

The old variable ``v`` is replaced by ``psi(new, others)`` where ``psi(phi(v, others), others) = v``
identically, so every point of the old domain is covered; the range of ``v`` becomes a hypothesis.
Whole numbers become real, which makes the claim stronger.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import sympy as sp
from flint import fmpq

from numerics.provers.as_written import scalar
from numerics.provers.enclosures.boxes import Box, Side
from numerics.provers.enclosures.enclose import Program, image
from numerics.provers.exact.normal_form import Letters, Undefined
from numerics.provers.statements.equivalent_forms import Signs, split_by_sign
from numerics.provers.statements.statement import Statement, assumptions

__all__ = ["Goal", "change", "hypotheses_as_variables"]

Hypotheses = tuple[tuple[sp.Expr, bool], ...]


@dataclass(frozen=True)
class Goal:
    """``big - small >= 0`` on a box, wherever the hypotheses hold."""

    symbols: tuple[sp.Symbol, ...]
    box: Box
    small: sp.Expr
    big: sp.Expr
    where: Hypotheses


def change(st: Statement, via: Mapping[sp.Symbol, Any]) -> Goal:
    """The statement in new variables, over a box that contains the image of the old domain. A
    ValueError says that the definition of a new variable cannot be solved for any old one.
    """
    goal = Goal(st.symbols, st.box, st.small, st.big, st.where)
    rename: dict[sp.Symbol, sp.Expr] = dict(zip(st.names, st.symbols))
    if not isinstance(via, Mapping) or not all(isinstance(new, sp.Symbol) for new in via):
        raise TypeError(
            f"the substitution {via!r} is no mapping from new symbols to expressions in the old ones"
        )
    for new, phi in via.items():
        phi = scalar(phi).value
        if phi.free_symbols - set(rename) or not phi.free_symbols:
            raise ValueError(
                f"{new} = {phi} in `via` is not a function of the statement's variables "
                f"{', '.join(map(str, st.names))}"
            )
        phi = phi.xreplace(rename)
        found = _eliminate(goal, phi, image(Program(goal.symbols), phi, goal.box), str(new))
        if found is None:
            raise ValueError(
                f"{new} = {phi} in `via` cannot be solved for any of the old variables; choose another "
                "substitution"
            )
        goal, v, psi, fresh = found
        rename = {n: o.xreplace({v: psi}) for n, o in rename.items()}
        rename[new] = fresh
    return _used(goal)


def _eliminate(
    goal: Goal, phi: sp.Expr, side: Side, name: str
) -> tuple[Goal, sp.Symbol, sp.Expr, sp.Symbol] | None:
    """Put the new variable in the place of the old one that leaves the fewest variables and the
    shortest statement.
    """
    fresh = sp.Dummy(name, **assumptions(side))

    def put(e: sp.Expr, v: sp.Symbol, psi: sp.Expr) -> sp.Expr:
        return sp.powsimp(e.xreplace({phi: fresh}).subs(v, psi))

    def kept(e: sp.Expr, v: sp.Symbol, psi: sp.Expr) -> bool:
        """Whether nothing but the new variable takes the place of the old ones, so that the
        expression is the same function also where `psi` is undefined.
        """
        new = put(e, v, psi)
        return not new.free_symbols & phi.free_symbols and sp.powsimp(
            new.xreplace({fresh: phi})
        ) == sp.powsimp(e)

    found, everywhere = [], {}
    for i, v in enumerate(goal.symbols):
        psi = _inverse(phi, v, fresh) if v in phi.free_symbols else None
        if psi is None:
            continue
        # With x = u/y no point with y = 0 would be covered: x must be defined everywhere, or vanish
        # from the statement.
        replaced = Signs(
            Program((*goal.symbols[:i], fresh, *goal.symbols[i + 1 :])),
            (*goal.box[:i], side, *goal.box[i + 1 :]),
        )
        everywhere[v] = replaced.of(psi) is not None
        if everywhere[v] or (kept(goal.small, v, psi) and kept(goal.big, v, psi)):
            found.append((v, psi))
    if not found:
        return None

    def cost(r: tuple[sp.Symbol, sp.Expr]) -> tuple[int, int]:
        f = put(goal.small, *r) - put(goal.big, *r)
        return len(f.free_symbols), f.count_ops()

    v, psi = min(found, key=cost) if len(found) > 1 else found[0]
    i = goal.symbols.index(v)
    # fewer of them prove no less
    hypotheses = [(g, s) for g, s in goal.where if everywhere[v] or kept(g, v, psi)]
    where = [*((put(g, v, psi), s) for g, s in hypotheses), *(goal.box[i].gaps(psi) if everywhere[v] else ())]
    symbols, box = (
        (*goal.symbols[:i], fresh, *goal.symbols[i + 1 :]),
        (*goal.box[:i], side, *goal.box[i + 1 :]),
    )
    return Goal(symbols, box, put(goal.small, v, psi), put(goal.big, v, psi), tuple(where)), v, psi, fresh


def _inverse(phi: sp.Expr, v: sp.Symbol, new: sp.Symbol) -> sp.Expr | None:
    """The `psi` with ``psi(phi(v)) = v`` identically: whoever proposes it, that is shown here."""
    for psi in _proposed(phi, v, new):
        letters = Letters()
        with suppress(Undefined, NotImplementedError):
            if letters.vanish(letters.translate([psi.xreplace({new: phi}) - v]))[0]:
                return psi
    return None


def _proposed(phi: sp.Expr, v: sp.Symbol, new: sp.Symbol) -> Iterator[sp.Expr]:
    """Solutions of ``phi = new`` for `v`. Mostly one factor of a product holds `v`, as a power, in
    an exponential or in a logarithm: SymPy's solver, which tries much, is then not needed.
    """
    rest, f = phi.as_independent(v, as_Add=False)
    power = f.as_base_exp()[1]
    if f == v**power and power.is_Rational:
        yield sp.expand_power_base((new / rest) ** (1 / power))
    elif f == sp.log(v):
        yield sp.exp(new / rest)
    elif isinstance(f, sp.exp) and (rate := f.exp / v).is_Rational:
        yield sp.expand(sp.expand_log(sp.log(new / rest)) / rate)
    with suppress(NotImplementedError):
        yield from sp.solve(phi - new, v)


def _used(goal: Goal) -> Goal:
    """Only the variables that still occur, and the hypotheses, made simpler, which speak of them
    alone.
    """
    signs = Signs(Program(goal.symbols), goal.box)
    keep = [i for i, s in enumerate(goal.symbols) if s in (goal.big - goal.small).free_symbols]
    names = {goal.symbols[i] for i in keep}
    where = dict.fromkeys(
        (h, s)
        for g, s in goal.where
        for h in _simpler(g, signs)
        if h.free_symbols and h.free_symbols <= names
    )
    return Goal(
        tuple(goal.symbols[i] for i in keep),
        tuple(goal.box[i] for i in keep),
        goal.small,
        goal.big,
        tuple(where),
    )


def _simpler(g: sp.Expr, signs: Signs) -> Iterator[sp.Expr]:
    """Expressions with the sign of `g`: itself, and its difference of logarithms, without their
    positive factors.
    """
    parts = split_by_sign(g, signs)
    for h in (
        (g,)
        if parts is None
        else (g, sp.expand(sp.expand_log(sp.log(parts[0])) - sp.expand_log(sp.log(parts[1]))))
    ):
        yield sp.Mul(*(f for f in sp.Mul.make_args(sp.factor(h)) if signs.strict(f) <= 0))


def hypotheses_as_variables(
    e: sp.Expr, symbols: Sequence[sp.Symbol], box: Box, where: Hypotheses
) -> Iterator[Goal]:
    """The task with the ratio of the two sides of one hypothesis, or of their logarithms, as a
    variable between 0 and 1.
    """
    signs = Signs(Program(symbols), box)
    for g, strict in where:
        parts = split_by_sign(g, signs)
        if parts is None:
            continue
        logs = sp.expand(sp.expand_log(sp.log(parts[0])) - sp.expand_log(sp.log(parts[1])))
        for big, small in filter(None, (parts, split_by_sign(logs, signs))):
            found = _eliminate(
                Goal(tuple(symbols), box, sp.S.Zero, e, where),
                small / big,
                Side(fmpq(0), fmpq(1), True, strict),
                "ratio",
            )
            if found is not None:
                yield _used(found[0])
