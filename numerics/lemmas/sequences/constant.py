"""Whether one constant serves all indices and all sequences of a statement: it is read off from
runs and then proved by induction, or every constant is defeated by one sequence.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Any

import sympy as sp

from numerics.evidence import Evidence, Verdict
from numerics.lemmas.sequences.arithmetic import Floats, NoNumber
from numerics.lemmas.sequences.forms import SequenceStatement
from numerics.lemmas.sequences.judge import for_every_sequence, speaks_of_sequences
from numerics.lemmas.sequences.running import Policy, Run, newest
from numerics.lemmas.sequences.search import points, policies
from numerics.lemmas.sequences.statement import read
from numerics.provers.as_written import undue
from numerics.provers.doors import guarded
from numerics.provers.inequalities import forall_without_z3
from numerics.provers.open_answers import helped_by
from numerics.provers.statements.relation import triple
from numerics.rationals import sympy_rational
from theory.inputs.kinds import read_items

__all__ = ["exists_for_sequences"]

#: How far runs go that suggest a constant, how many of them, and how many constants are tried.
INDICES, MOST_RUNS, MOST_CONSTANTS = 40, 25, 5
#: Indices between which the growth of a ratio is read off, and how many growths are tried.
FAR, MOST_GROWTHS = (400, 1600), 4
#: By what share a constant grows between them that keeps growing.
GROWING = 0.05
#: What grows by a smaller power is first compared to a logarithm.
SLOW = 0.3
#: Simple constants, times powers of ten.
SIMPLE = (1, Fraction(5, 4), Fraction(3, 2), 2, Fraction(5, 2), 3, 4, 5, 6, 8)


@guarded("induction")
def exists_for_sequences(
    constant: sp.Symbol,
    lhs: Any,
    op: str,
    rhs: Any,
    domain: Mapping[Any, Any],
    where: Iterable[Any] = (),
    effort: int = 1_000_000,
) -> Evidence:
    """Judge "there is a constant C > 0 such that for every point of the domain, and all sequences
    that meet the hypotheses, ``lhs op rhs``", where C occurs on the right.
    """
    start = time.monotonic()
    triples = [triple(h) for h in read_items(where=where)]
    if not isinstance(constant, sp.Symbol) or constant in domain:
        raise TypeError(f"the constant {constant!r} is no symbol of its own; write C = sp.Symbol('C')")
    if (extra := undue(constant, {"real": True, "positive": True})) is not None:
        raise ValueError(f"{constant} is declared {extra}, but may be any positive number; leave that out")
    rhs = sp.sympify(rhs)
    if not rhs.has(constant) or any(sp.sympify(e).has(constant) for h in triples for e in (h[0], h[2])):
        raise ValueError(f"{constant} must occur on the right side, and in no hypothesis; write it there")
    if sp.sympify(lhs).has(constant):
        raise ValueError(f"{constant} occurs on the left side; bring it to the right")
    st = read(lhs, op, rhs, {**domain, constant: sp.Interval.open(0, sp.oo)}, triples)
    _started(st)
    c = next(x for x, name in st.names.items() if name == constant)
    question = (lhs, op, rhs, domain, triples)
    found = _decided(st, c, constant, question, effort)
    if found is None:
        tried = "constants from runs were tried, and sequences that defeat every constant"
        ways = "the constant itself (`forall`)", "the rate at which the ratio of the sides grows"
        reason = helped_by(f"no constant could be shown to serve, nor to fail; {tried}", *ways)
        found = Evidence(verdict=Verdict.OPEN, engine="induction", reason=reason)
    checked = rf"\exists\, {sp.latex(constant)} > 0:\; {_without(st.checked, constant)}"
    own = tuple(a for a in st.assumes if not a.startswith(rf"${sp.latex(constant)} \in"))
    covered = ", ".join(a.strip("$") for a in own)
    return found.replace(checked=checked, covered=covered, assumes=own, seconds=time.monotonic() - start)


def _without(checked: str, constant: sp.Symbol) -> str:
    """The statement without the range of the constant, which is quantified before."""
    return checked.replace(rf", {sp.latex(constant)} \in (0, \infty)", "")


def _started(st: SequenceStatement) -> None:
    """A constant that serves all starts is asked for only where the hypotheses bound the start."""
    bounded = {n for h in st.hypotheses if not h.everywhere or _pointwise(st, h) for n in h.form.names}
    free = [name for name in st.sequences if name not in bounded]
    if free:
        raise ValueError(
            f"nothing is said of the start of {', '.join(free)}, on which the constant may not depend; "
            f"add a hypothesis such as ({free[0]}({st.first}), '<=', 1)"
        )


def _pointwise(st: SequenceStatement, h: Any) -> bool:
    return len({v.index for v in h.form.values}) == 1 and not any(t.term.names for t in h.form.totals)


def _decided(
    st: SequenceStatement, c: sp.Symbol, constant: sp.Symbol, question: Any, effort: int
) -> Evidence | None:
    """The likelier answer is tried first: whether the constants asked for keep growing tells."""
    ends = tuple("upper" if st.big.value.has(c) else "lower" for _ in st.sequences)
    plain = next((p for p in points(st) if c in p), None)
    ratios = [] if plain is None else list(_ratios(st, c, plain, Policy(ends, ends), st.first + FAR[1]))
    served = lambda: _served(st, c, constant, question, effort)
    defeated = lambda: _defeated(st, c, constant, question, effort, ratios)
    grows = len(ratios) > FAR[1] and abs(ratios[FAR[1]] - ratios[FAR[0]]) > GROWING * abs(ratios[FAR[0]])
    for way in (defeated, served) if grows else (served, defeated):
        if (found := way()) is not None:
            return found
    return None


def _ratios(st: SequenceStatement, c: sp.Symbol, point: Any, policy: Policy, last: int) -> Iterator[float]:
    """The constant that each index of a run asks for, where it stands in a product."""
    side, other = (st.big, st.small) if st.big.value.has(c) else (st.small, st.big)
    value = sp.expand(side.value)
    scale = value.coeff(c)
    rest = sp.expand(value - c * scale)
    run = Run(st, Floats(), {**point, c: Fraction(1)}, policy)
    for n in range(st.first, last + 1) if not rest.has(c) else ():
        env = {st.n: n}
        try:
            run.reach(n)
            gap = run.of(other.value, other, env) - run.of(rest, side, env)
            yield gap / run.of(scale, side, env)
        except (NoNumber, ZeroDivisionError, OverflowError):
            return


def _served(
    st: SequenceStatement, c: sp.Symbol, constant: sp.Symbol, question: Any, effort: int
) -> Evidence | None:
    """The statement with a constant that the runs suggest."""
    lhs, op, rhs, domain, where = question
    largest = op[0] == "<"
    asked: list[float] = []
    others = list({tuple((x, q) for x, q in p.items() if x != c): p for p in points(st)}.values())[:8]
    for point in others:
        for policy in policies(st, {x: q for x, q in point.items() if x != c})[:MOST_RUNS]:
            asked += _ratios(st, c, point, policy, st.first + INDICES)
    if not asked:
        return None
    wanted = max(asked) if largest else min(asked)
    open_ones = 0
    for q in _simple(wanted, largest):
        with sp.evaluate(False):
            side = rhs.xreplace({constant: sympy_rational(q)})
        e = for_every_sequence(lhs, op, side, domain, where=where, effort=effort)
        if e.verdict.executed:
            return e.replace(steps=(f"with ${sp.latex(constant)} = {sp.latex(sympy_rational(q))}$", *e.steps))
        open_ones += e.verdict is Verdict.OPEN
        if open_ones >= 2:
            return None
    return None


def _simple(wanted: float, up: bool) -> list[Fraction]:
    """Simple constants from a wanted one on, upwards or downwards."""
    if not math.isfinite(wanted) or wanted > 1e6 or (wanted <= 0 and not up):
        return []
    wanted = max(wanted, 1e-3)
    all_of_them = sorted(Fraction(s) * Fraction(10) ** e for s in SIMPLE for e in range(-4, 8))
    fine = [q for q in all_of_them if (q >= wanted * (1 - 1e-9) if up else q <= wanted * (1 + 1e-9))]
    places = (0, 1, 3, 6, 10)[:MOST_CONSTANTS]
    ordered = fine if up else fine[::-1]
    return [ordered[i] for i in places if i < len(ordered)]


def _defeated(
    st: SequenceStatement,
    c: sp.Symbol,
    constant: sp.Symbol,
    question: Any,
    effort: int,
    ratios: list[float],
) -> Evidence | None:
    """A sequence on which the ratio of the two sides passes every constant: the recurrences hold
    with equality, and the ratio is at least some growing function, by induction.
    """
    lhs, op, rhs, domain, where = question
    n, up = st.names[st.n], op[0] == "<"
    rest = rhs.xreplace({constant: sp.S.Zero})
    scale = sp.expand(rhs - rest).coeff(constant)
    if st.last is not None or sp.expand(rhs - rest - constant * scale) != 0 or st.parameters != (c,):
        return None
    if scale.free_symbols - {n} or speaks_of_sequences(scale, 0, domain, ()):
        return None
    positive = scale.is_Rational and scale > 0
    with suppress(TypeError, ValueError):
        positive = positive or forall_without_z3(scale, ">", 0, {n: domain[n]}).verdict.executed
    if not positive:
        return None
    equal = [
        (a, "==" if s in ("<=", ">=") and _recurs(st, h) else s, b) for (a, s, b), h in _paired(st, where)
    ]
    for growth, share in _growths(n, ratios, st.first, up):
        bound = rest + share * growth * scale
        turned = ">=" if up else "<="
        e = for_every_sequence(lhs, turned, bound, domain, where=equal, effort=effort)
        if e.verdict.executed:
            return _refuted(st, e, op, equal, share * growth)
    return None


def _paired(st: SequenceStatement, where: list[Any]) -> list[tuple[Any, Any]]:
    """Each hypothesis as it was written, with how it was read."""
    return [(h, st.written[i]) for i, h in enumerate(where)]


def _recurs(st: SequenceStatement, form: Any) -> bool:
    """Whether a hypothesis gives a value by earlier ones, or a start."""
    indices = {v.index for v in form.values}
    return newest(form, st.n) is None or len(indices) > 1


def _growths(
    n: sp.Symbol, ratios: list[float], first: int, up: bool
) -> Iterator[tuple[sp.Expr, sp.Rational]]:
    """Functions that grow (or fall) no faster than the ratio seems to, with a share of each."""
    if len(ratios) <= FAR[1] or not min(ratios[FAR[0] :]) > 0:
        return
    exponent = math.log(ratios[FAR[1]] / ratios[FAR[0]]) / math.log(FAR[1] / FAR[0]) * (1 if up else -1)
    shift = 1 if first < 1 else 0
    found: list[sp.Expr] = []
    if exponent < SLOW:
        found += [sp.log(n + 1 + shift) if up else 1 / sp.log(n + 1 + shift)]
    if exponent > 0.02:
        near = Fraction(round(12 * exponent), 12)
        found += [
            (n + shift) ** sympy_rational(q * (1 if up else -1)) for q in (near, near * 3 / 4, near / 2) if q
        ]
    for growth in found[:MOST_GROWTHS]:
        f = sp.lambdify(n, growth, modules="math")
        shares = [r / f(first + i) for i, r in enumerate(ratios)]
        for slack in (0.99, 0.5):
            share = min(shares) * slack if up else max(shares) / slack
            q = Fraction(share).limit_denominator(64)
            q = q if (q <= share) == up else Fraction(share).limit_denominator(10**6)
            if q > 0:
                yield growth, sympy_rational(q)


def _refuted(st: SequenceStatement, e: Evidence, op: str, equal: list[Any], ratio: sp.Expr) -> Evidence:
    """What defeats every constant: start, recurrence, and what the ratio of the sides passes."""
    written = {f"{a} {s} {b}": "holds for every n" for a, s, b in equal if s == "=="}
    n = st.names[st.n]
    tends = "oo" if op[0] == "<" else "0"
    words = f"(left side)/(right side at C = 1) {'>=' if op[0] == '<' else '<='} {ratio} -> {tends}"
    by = "exact" if e.verdict is Verdict.PROVED else "Arb"
    witness: dict[str, Any] = {**written, "every constant": f"{words} as {n} -> oo"}
    return Evidence(
        verdict=Verdict.REFUTED, engine="induction", witness=witness, witness_by=by, steps=e.steps
    )
