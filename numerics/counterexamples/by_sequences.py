"""Refutations for claims that no prover reaches: by two numerical routes that agree, or by a
sequence of instances that defeats every choice of the constants in a statement. The verdict is OPEN
where the routes differ by too much of the violation, or some choice survives the sequence.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import sympy as sp

from numerics.evidence import Evidence, Verdict
from numerics.provers import Integers
from numerics.provers.as_written import scalar
from numerics.provers.doors import guarded
from numerics.provers.enclosures.balls import value
from numerics.provers.exact.exact_numbers import put, sign, told
from numerics.provers.exact.normal_form import Letters
from numerics.provers.inequalities import forall_without_z3 as forall

__all__ = ["defeated", "refuted_by_two_routes", "vanishing"]

#: Largest disagreement of the routes, in units of the violation, at which a refutation counts.
AGREEMENT = 1e-6
#: Instances that are looked at before a sequence is given up.
LONGEST = 10_000


def refuted_by_two_routes(
    engine: str, witness: Mapping[str, Any], found: float, bound: float, again: float, **fields: Any
) -> Evidence:
    """``found > bound``, where `again` is the same quantity by a second route: REFUTED, or OPEN if
    the routes differ by more than 1e-6 of the violation. `found` and `bound` belong into the
    witness under the names of the statement.
    """
    if not found > bound:
        raise ValueError(f"{found} does not exceed {bound}: there is nothing to refute")
    disagreement = abs(again - found) / (found - bound)
    if disagreement > AGREEMENT:
        reason = f"{found} exceeds {bound} at {dict(witness)}, but a second route gives {again}"
        return Evidence(verdict=Verdict.OPEN, engine=engine, reason=reason, **fields)
    return Evidence(
        verdict=Verdict.REFUTED,
        engine=engine,
        witness=witness,
        witness_by="two routes",
        disagreement=disagreement,
        **fields,
    )


@guarded("exact arithmetic")
def defeated(
    left: sp.Expr,
    right: sp.Expr,
    k: sp.Symbol,
    *,
    at: Mapping[str, sp.Expr],
    where: Mapping[str, Any],
    least: int = 1,
) -> Evidence:
    """Refute "there are constants such that ``left <= right``" along a sequence that is known.

    Where no sequence is known, `numerics.lemmas.exists` looks for one, and lets no limit of SymPy
    decide.

    Parameters
    ----------
    left : sympy.Expr
        The left side at the k-th instance, with no other symbol.
    right : sympy.Expr
        The right side there; all its other symbols are the constants, declared positive.
    k : Symbol
        The number of the instance.
    at : Mapping[str, expression]
        The instance as a function of k, by the names that the hypotheses use.
    where : Mapping[str, Any]
        What all instances share; it is shown.
    least : int
        The first instance.

    Returns
    -------
    Evidence
        REFUTED if ``left`` is positive, which `forall` shows, and ``right / left`` tends to 0 for
        symbolic constants, by SymPy's limit and a look at large k, with the first instance that
        defeats constants equal to 1, by Arb. OPEN if the limit is another one or not known, or if
        ``left`` is not shown to be positive.

    Raises
    ------
    ValueError
        If ``left`` speaks of another symbol, or a constant is not declared positive.

    Examples
    --------
    >>> n, c = sp.symbols("n c", positive=True)
    >>> found = defeated(n * sp.log(n), c * n, n, at={"n": n}, where={}, least=2)
    >>> found.verdict.value, found.witness["n"], found.witness["every other choice"]
    ('REFUTED', 3, 'right/left -> 0 as k -> oo along n = k')
    >>> defeated(n, c * n, n, at={"n": n}, where={}).verdict.value
    'OPEN'
    """
    started = time.perf_counter()
    constants = sorted(right.free_symbols - {k}, key=str)
    if left.free_symbols - {k} or not all(c.is_positive for c in constants):
        raise ValueError(
            f"{left} <= {right}: the left side may depend on {k} only, and constants "
            "must be declared positive"
        )
    ratio = sp.expand(right / left)
    try:
        limit = sp.limit(ratio, k, sp.oo)
    except NotImplementedError:  # SymPy cannot tell, as for k**c/k
        limit = sp.Limit(ratio, k, sp.oo)
    names = ", ".join(map(str, constants))
    # The sequence is shown by an index of its own: to a reader n may be the number of tokens.
    taken = {*at, *where, *map(str, constants)}
    index = sp.Symbol(next(i for i in ("k", "j", "i", f"{k}_") if i not in taken))
    common: dict[str, Any] = {
        "engine": "exact arithmetic",
        "checked": rf"\lim_{{{index}\to\infty}} {sp.latex(ratio.xreplace({k: index}))} = {sp.latex(limit)}",
        "assumes": (f"{names} > 0 do not depend on {index}",),
    }
    # A left side that tends to -oo defeats nothing, although the ratio tends to 0.
    n_th = sp.Symbol(str(k), integer=True, positive=True)
    everywhere = {n_th: Integers(max(least, 1), sp.oo)}
    positive = (
        limit == 0
        and _falls(ratio.subs(dict.fromkeys(constants, sp.S.One)), k)
        and (left.is_positive or forall(left.xreplace({k: n_th}), ">", 0, everywhere).verdict.executed)
    )
    if positive:
        ones = dict.fromkeys(constants, sp.S.One)
        for n in range(least, LONGEST):
            sides = [put(side.subs(ones), {k: sp.Integer(n)}) for side in (left, right)]
            if float(sides[0]) > float(sides[1]) and value(sides[0]).real > value(sides[1]).real:
                instance = {name: _short(put(sp.sympify(e), {k: sp.Integer(n)})) for name, e in at.items()}
                shown = {
                    **where,
                    **instance,
                    **{str(c): 1 for c in constants},
                    "left": float(sides[0]),
                    "right": float(sides[1]),
                }
                along = ", ".join(f"{n} = {sp.sympify(e).xreplace({k: index})}" for n, e in at.items())
                every = {"every other choice": f"right/left -> 0 as {index} -> oo along {along}"}
                seconds = time.perf_counter() - started
                return Evidence(
                    verdict=Verdict.REFUTED,
                    witness={**shown, **every},
                    witness_by="Arb",
                    seconds=seconds,
                    **common,
                )
    reason = f"right/left tends to {limit}: this sequence does not defeat every choice of {names}"
    if limit == 0:
        reason = (
            f"{left} was not shown to be positive, or right/left not seen to fall, so that right/left -> 0 "
            "says nothing"
        )
    return Evidence(verdict=Verdict.OPEN, reason=reason, seconds=time.perf_counter() - started, **common)


def _falls(ratio: sp.Expr, k: sp.Symbol) -> bool:
    """Whether a ratio grows smaller far out: its limit does not rest on SymPy's word alone. Arb
    evaluates it, for SymPy would write 2**(2**64) out.
    """
    with sp.evaluate(False):
        places = [ratio.xreplace({k: sp.Pow(2, e)}) for e in (16, 40, 64)]
    seen = [abs(v) for v in map(value, places) if v.is_finite()]
    return len(seen) > 1 and all(b < a or b.upper() <= a.upper() / 2 for a, b in pairwise(seen))


def _short(number: sp.Expr) -> sp.Expr:
    """A number in the form that SymPy finds simpler, if it is the same."""
    simple = sp.nsimplify(number)
    return simple if simple == number or (number.is_number and sign(simple - number) == 0) else number


@guarded("exact arithmetic")
def vanishing(left: sp.Expr, right: sp.Expr, *, where: Mapping[str, Any]) -> Evidence:
    """Refute ``left <= right`` at one instance, where ``left`` is a positive number and the right
    side is 0 whatever the constants in it are; OPEN if the right side does not vanish.
    """
    checked = rf"{sp.latex(left)} \le {sp.latex(right)}"
    # The two sides are read as an engine would: numbers whose sign SymPy misjudges are refused.
    letters = Letters()
    if told(scalar(left).value, "positive") and letters.vanish(letters.translate([scalar(right).value]))[0]:
        witness = {**where, "left": left, "right": "0 for all constants"}
        return Evidence(
            verdict=Verdict.REFUTED,
            engine="exact arithmetic",
            checked=checked,
            witness=witness,
            witness_by="exact",
        )
    reason = f"the right side {right} does not vanish identically, or the left side {left} is not positive"
    return Evidence(verdict=Verdict.OPEN, engine="exact arithmetic", checked=checked, reason=reason)
