"""Search for the law, the query and the function at which a bound on the softmax average is
tightest: in floating point, with exact sums over prompts, over families of laws on two and three
atoms and over `worst_case.edge_cases`. A refutation is rounded to short rationals, at the
least length that fails, and evaluated again by Arb in the statement's own variables.
"""

from __future__ import annotations

import time
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt
import sympy as sp

from numerics.attention.exact.softmax_average import RandomVariable, SoftmaxAverage
from numerics.counterexamples.worst_case.edge_cases import ERROR, STREAM, worst_edge_case
from numerics.counterexamples.worst_case.families import DENOMINATORS, THREE_ATOMS, TWO_ATOMS, Family, Point
from numerics.counterexamples.worst_case.maximise import maximise, refine
from numerics.counterexamples.worst_case.reference import StatisticBound
from numerics.counterexamples.worst_case.statement import (
    Mean,
    Normal,
    Statement,
    Tail,
    evaluate,
    latex,
    normal_form,
    population,
)
from numerics.evidence import Evidence, Verdict
from numerics.seeds import current_reseed, seed_of, shared_generator
from theory.inputs.kinds import check_kind, read_items

__all__ = ["at_point", "best_by_length", "parameters", "worst_ratio"]

Array = npt.NDArray[np.float64]


def worst_ratio(
    left: Mean | Tail | sp.Expr,
    op: str,
    right: sp.Expr,
    *,
    families: tuple[Family, ...] = (TWO_ATOMS, THREE_ATOMS),
    exponents: bool = False,
) -> Evidence:
    """Try ``left <= right`` where it is tightest.

    Searches are remembered by the shape of the bound: a statement that differs in its numerical
    factor costs nothing new, and all claims about one statement share a search.

    Parameters
    ----------
    left : Mean, Tail or sympy.Expr
        A statistic of the prompt, or an expression in population quantities.
    op : str
        Only ``"<="``.
    right : sympy.Expr
        In the symbols of `numerics.attention.exact.softmax_average`, and the parameter of a tail.
    families : tuple of Family
        Where to search.
    exponents : bool
        Measure a tail and its bound by their exponents ``-ln``; slack is then a ratio of exponents.

    Returns
    -------
    Evidence
        SUPPORTED with the tightest point, REFUTED with a rational witness, or OPEN if Arb cannot
        confirm what the search found.

    Raises
    ------
    TypeError
        If a side is of another kind, or contains a function that
        `numerics.counterexamples.worst_case.statement.evaluate` does not know.
    ValueError
        If a bound is not finite or contains an unknown symbol, no family is given, ``op`` is not
        ``"<="``, or the statement is not of a form that can be compared (see `normal_form`).

    Examples
    --------
    >>> from numerics.attention.exact.softmax_average import normaliser, symbol
    >>> L, a2 = symbol("L"), symbol("a2")
    >>> worst_ratio(Mean(normaliser), "<=", L * sp.exp(a2 / 2), families=(TWO_ATOMS,)).verdict.value
    'SUPPORTED'
    """
    check_kind(bool, exponents=exponents)
    check_kind(str, op=op)
    check_kind((int, Fraction, sp.Expr), right=right)
    right, families = sp.sympify(right), read_items(Family, families=families)
    evidence = _judged(left, op, right, families, exponents)
    return evidence.replace(sides=(StatisticBound(left, right, exponents),))


def _judged(
    left: Mean | Tail | sp.Expr, op: str, right: Any, families: tuple[Family, ...], exponents: bool
) -> Evidence:
    if op != "<=":
        raise ValueError(f"a worst ratio decides statements with '<=', got {op!r}; exchange the sides")
    started = time.perf_counter()
    if not isinstance(left, (Mean, Tail, sp.Expr)) or not isinstance(right, sp.Expr):
        raise TypeError(
            f"{left!r} <= {right!r} is no statement: left is a Mean, a Tail or an "
            "expression, right an expression"
        )
    if right.has(sp.nan, sp.oo, sp.zoo) or not families:
        raise ValueError(f"a finite bound and a family to search are needed, got {right} and {families}")
    checked = _written(left, right)
    normal = normal_form(left, right, exponents=exponents)
    centre = np.array(families[0].box).mean(1, keepdims=True)
    normal.statement.ratios(
        families[0].average(families[0].lengths[0], centre)
    )  # SciPy would hide what a bad bound raises
    limit = float(normal.limit)
    random = isinstance(left, (Mean, Tail))  # otherwise the length is only a factor of S
    lengths = {family: family.lengths if random else family.lengths[:1] for family in families}
    reseed = current_reseed()
    searched = {family: _search(normal.statement, family, lengths[family], reseed) for family in families}
    found = [(family, L, *best) for family in families for L, best in zip(lengths[family], searched[family])]
    for family, L, ratio, x in sorted(found, key=lambda r: r[1]):
        if ratio > limit * (1 + 1e-9):
            witness = _witness(left, right, normal, family, L, x)
            if witness is not None:
                return witness.replace(checked=checked, seconds=time.perf_counter() - started)
    edge = worst_edge_case(normal.statement, limit)
    top = max(found, key=lambda r: r[2])
    common: dict[str, Any] = {
        "engine": "enumeration",
        "checked": checked,
        "samples": edge.samples,
        "seed": seed_of(STREAM, reseed),
    }
    unconfirmed = [f"{f.name}, L = {L}: ratio {r:.9g}" for f, L, r, _ in found if r > limit * (1 + 1e-7)]
    if edge.broken:
        unconfirmed.append(f"{edge.where}: ratio {edge.ratio:.9g}")
    seconds = time.perf_counter() - started
    if unconfirmed:
        reason = (
            f"above the limit {limit:.6g}, but not confirmed by Arb at rational parameters: "
            f"{'; '.join(unconfirmed)}"
        )
        return Evidence(verdict=Verdict.OPEN, reason=reason, seconds=seconds, **common)
    worst = max(top[2], edge.ratio)
    tightest: dict[str, Any] = (
        {"L": top[1], **top[0].rational(top[3], 10**4).describe()}
        if top[2] >= edge.ratio
        else {"case": edge.where}
    )
    tried = "; ".join(f"{f.name} at their exact sub-Gaussian constant, L in {lengths[f]}" for f in families)
    return Evidence(
        verdict=Verdict.SUPPORTED,
        covered=(
            f"exact sums, worst case searched over {tried}: reached {top[2]:.6g} of "
            f"{limit:.6g}; {edge.covered}"
        ),
        # Beyond the limit by rounding only: an equality.
        slack=max(1.0, limit / worst) if worst > 0 else None,
        tightest={**tightest, "reached": worst},
        error=ERROR if edge.samples else 0.0,
        seconds=seconds,
        **common,
    )


@lru_cache(maxsize=1024)
def _search(
    statement: Statement, family: Family, lengths: tuple[int, ...], reseed: int
) -> list[tuple[float, Array]]:
    """The largest ratio found in a family at each length, and its parameters. It is the same for
    every claim with the statement; what a shorter prompt finds is where the search at a longer one
    begins.
    """
    found: dict[int, tuple[float, Array]] = {}
    at = {L: partial(_ratios, statement, family, L) for L in lengths}
    for L in lengths:
        found[L] = maximise(
            at[L], family.box, shared_generator("worst_ratio", L), [x for _, x in found.values()]
        )
    everywhere = np.stack([x for _, x in found.values()], axis=1)
    narrow = np.diag((0.01 * np.ptp(np.array(family.box), axis=1)) ** 2)
    for L in lengths:
        elsewhere = at[L](everywhere)
        if elsewhere.max() > found[L][0]:
            x = everywhere[:, elsewhere.argmax()]
            found[L] = refine(at[L], family.box, shared_generator("worst_ratio", -L), x, narrow)
    return list(found.values())


def best_by_length(statement: Statement, family: Family) -> dict[int, float]:
    """The largest ratio that the search finds in a family at each of its lengths.

    >>> from numerics.attention.exact.softmax_average import error_squared, symbol
    >>> bound = symbol("F4") * sp.exp(4 * symbol("a2")) / symbol("L")
    >>> round(best_by_length(normal_form(Mean(error_squared), bound).statement, TWO_ATOMS)[1], 3)
    1.0
    """
    lengths = family.lengths if isinstance(statement.left, (Mean, RandomVariable)) else family.lengths[:1]
    return dict(zip(lengths, (ratio for ratio, _ in _search(statement, family, lengths, current_reseed()))))


def _ratios(statement: Statement, family: Family, L: int, x: Array) -> Array:
    return statement.ratios(family.average(L, x))


def _witness(
    left: Mean | Tail | sp.Expr, right: sp.Expr, normal: Normal, family: Family, L: int, x: Array
) -> Evidence | None:
    """The shortest rational instance near ``x`` that breaks the statement, or None if none is
    confirmed.
    """
    for denominator in DENOMINATORS:
        point = family.rational(x, denominator)
        c = point.approximate(L)
        if not float(normal.statement.ratios(c)) > float(normal.limit) * (1 + 1e-12):
            continue
        for value in parameters(left, normal, c):
            evidence = at_point(point, L, left, right, value)
            if evidence.verdict is Verdict.REFUTED:
                return evidence.replace(slack=float(normal.limit) / float(normal.statement.ratios(c)))
    return None


def parameters(left: Mean | Tail | sp.Expr, normal: Normal, c: SoftmaxAverage) -> list[sp.Rational | None]:
    """Short admitted rationals near the parameter at which a tail bound is worst, on either side of
    it. At the worst threshold itself both sides of the statement jump, so that only one side
    refutes.
    """
    if normal.parameter is None or not isinstance(left, Tail):
        return [None]
    least = 0.0 if left.least is None else float(evaluate(left.least, population(c)))
    ratios, thresholds = normal.statement.by_threshold(c)
    assert thresholds is not None
    centre = float(evaluate(normal.parameter, {**population(c), "t": thresholds[ratios.argmax()]}))
    near = [
        sp.Rational(centre * (1 + side * shift)).limit_denominator(d)
        for d in (10, 100, 10**4, 10**8)
        for shift in (0.1, 1e-2, 1e-4, 1e-7)
        for side in (1, -1)
    ]
    return [v for v in dict.fromkeys(near) if least < v < 1]


def _written(left: Mean | Tail | sp.Expr, right: sp.Expr) -> str:
    shown = rf"{left.latex if isinstance(left, (Mean, Tail)) else latex(left)} \le {latex(right)}"
    if isinstance(left, Tail) and left.least is not None:
        shown += rf" \quad ({latex(left.parameter)} \ge {latex(left.least)})"
    return shown


def at_point(
    point: Point, L: int, left: Mean | Tail | sp.Expr, right: sp.Expr, parameter: sp.Rational | None = None
) -> Evidence:
    """Evaluate ``left <= right`` at one rational instance by Arb, in the statement's own variables:
    SUPPORTED or REFUTED at this instance, OPEN if the enclosures overlap. A tail needs an admitted
    value of its parameter.
    """
    c = point.average(L)
    at = population(c)
    where: dict[str, Any] = {"L": L, **point.describe()}
    if isinstance(left, Tail):
        if parameter is None:
            raise ValueError(
                f"the tail bound holds for a range of {left.parameter}; say at which value to evaluate it"
            )
        at[left.parameter.name] = evaluate(sp.Rational(parameter), at)
        if left.least is not None and not at[left.parameter.name] >= evaluate(left.least, at):
            raise ValueError(
                f"{left.parameter} = {parameter} is below its least value "
                f"{latex(left.least)} at this instance"
            )
        where[left.parameter.name] = str(parameter)
        value = c.probability(left.variable, left.op, evaluate(left.threshold, at))
    else:
        value = c.mean(left.variable) if isinstance(left, Mean) else evaluate(left, at)
    bound = evaluate(right, at)
    sides = {"left": float(value), "right": float(bound)}
    common: dict[str, Any] = {"engine": "enumeration", "checked": _written(left, right)}
    if value > bound:
        return Evidence(verdict=Verdict.REFUTED, witness={**where, **sides}, witness_by="Arb", **common)
    if isinstance(left, Tail):
        # outcomes on the threshold may be lost by a ball, so the complement bounds the probability
        # from above
        reverse = {">=": "<", ">": "<=", "<=": ">"}[left.op]
        value = 1 - c.probability(left.variable, reverse, evaluate(left.threshold, at))
    if value <= bound:
        return Evidence(
            verdict=Verdict.SUPPORTED, covered="one instance", tightest={**where, **sides}, **common
        )
    return Evidence(verdict=Verdict.OPEN, reason=f"the enclosures {value} and {bound} overlap", **common)
