"""Substitutions executed by the prover: an old variable is eliminated by solving the new variable's definition for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from numerics.provers.enclose import Box, Program, image
from numerics.provers.statement import Statement, assumptions

__all__ = ["Changed", "change"]

#: Symbols, box, small side, big side and hypotheses of a statement that implies the given one.
Changed = tuple[tuple[sp.Symbol, ...], Box, sp.Expr, sp.Expr, tuple[tuple[sp.Expr, bool], ...]]


def change(st: Statement, via: Mapping[sp.Symbol, Any]) -> Changed:
    """The statement in new variables, over a box that contains the image of the old domain.

    The old variable ``v`` is replaced by ``psi(new, others)`` where ``psi(phi(v, others), others) = v`` identically, so every point of the
    old domain is covered; the range of ``v`` becomes a hypothesis. Whole numbers become real, which can only make the claim stronger.

    Raises
    ------
    ValueError
        If the definition of a new variable cannot be solved for any old one.
    """
    symbols, box = list(st.symbols), list(st.box)
    small, big, where = st.small, st.big, list(st.where)
    rename: dict[sp.Symbol, sp.Expr] = dict(zip(st.names, st.symbols))
    for new, phi in via.items():
        phi = sp.sympify(phi)
        unknown = phi.free_symbols - set(rename)
        if unknown or not phi.free_symbols:
            raise ValueError(
                f"{new} = {phi} in `via` is not a function of the statement's variables {', '.join(map(str, st.names))}"
            )
        phi = phi.xreplace(rename)
        side = image(Program(symbols), phi, tuple(box))
        fresh = sp.Dummy(str(new), **assumptions(side))
        found = [r for v in symbols if v in phi.free_symbols if (r := _inverse(phi, v, fresh)) is not None]
        if not found:
            raise ValueError(f"{new} = {phi} in `via` cannot be solved for any of the old variables; choose another substitution")

        def put(e: sp.Expr, v: sp.Symbol, psi: sp.Expr, phi: sp.Expr = phi, fresh: sp.Symbol = fresh) -> sp.Expr:
            return sp.powsimp(e.xreplace({phi: fresh}).subs(v, psi))

        def cost(r: tuple[sp.Symbol, sp.Expr], small: sp.Expr = small, big: sp.Expr = big) -> tuple[int, int]:
            f = put(small, *r) - put(big, *r)  # noqa: B023
            return len(f.free_symbols), f.count_ops()

        v, psi = min(found, key=cost)
        i = symbols.index(v)
        old = box[i]
        small, big, where = put(small, v, psi), put(big, v, psi), [(put(g, v, psi), s) for g, s in where]
        if old.lo is not None:
            where.append((psi - sp.Rational(int(old.lo.p), int(old.lo.q)), old.lo_open))
        if old.hi is not None:
            where.append((sp.Rational(int(old.hi.p), int(old.hi.q)) - psi, old.hi_open))
        symbols[i], box[i] = fresh, side
        rename = {n: (psi if o == v else o.xreplace({v: psi})) for n, o in rename.items()}
        rename[new] = fresh
    used = (small - big).free_symbols
    keep = [i for i, s in enumerate(symbols) if s in used]
    names = {symbols[i] for i in keep}
    return (
        tuple(symbols[i] for i in keep),
        tuple(box[i] for i in keep),
        small,
        big,
        tuple((g, s) for g, s in where if g.free_symbols <= names),
    )


def _inverse(phi: sp.Expr, v: sp.Symbol, new: sp.Symbol) -> tuple[sp.Symbol, sp.Expr] | None:
    try:
        roots = sp.solve(phi - new, v)
    except NotImplementedError:
        return None
    for psi in roots:
        if sp.simplify(sp.expand_log(psi.subs(new, phi), force=False) - v) == 0:
            return v, psi
    return None
