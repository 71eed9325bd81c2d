"""The search for a sequence, parameters and an index at which a statement fails: in floats, with
what is found judged exactly or by Arb, and continued to all indices by rules that keep the
hypotheses.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import sympy as sp

from numerics.counterexamples.drawn.codes import MOST, OCTAVE
from numerics.counterexamples.drawn.scalars import decoded
from numerics.evidence import plain
from numerics.lemmas.sequences.arithmetic import Arithmetic, Balls, Floats, NoNumber, Rationals
from numerics.lemmas.sequences.asking import Asker
from numerics.lemmas.sequences.forms import Form, Hypothesis, SequenceStatement
from numerics.lemmas.sequences.running import Policy, Run, largest, newest
from numerics.lemmas.sequences.statement import affine
from numerics.lemmas.sequences.window import Anchor, Fact, Unsteady, Window
from numerics.provers.as_written import Condition, evaluated
from numerics.provers.exact.exact_numbers import Undecided, built, put
from numerics.provers.exact.exact_numbers import told as told_sign
from numerics.rationals import sympy_rational

__all__ = [
    "CANDIDATES",
    "Found",
    "Point",
    "admissible",
    "confirmed",
    "continued",
    "points",
    "policies",
    "refute",
    "told",
]

Point = Mapping[sp.Symbol, Fraction]
#: Values of one parameter: near 1, then smaller and larger ones, then the ends.
CODES = (0, *(s * OCTAVE * e for e in (1, 3, 7) for s in (1, -1)), -MOST, MOST)
CANDIDATES = tuple(map(Fraction, ("0", "1", "-1", "1/2", "-1/2", "2", "-2", "10", "-10")))
#: Points, policies, and both together; indices of a run, of one without sequences, of a long one.
MOST_POINTS, MOST_POLICIES, MOST_RUNS = 60, 150, 1200
INDICES, PLAIN, LONG = 40, 400, 20_000
#: Violations that are judged, how far a sequence is run that only shows that there is one, and at
#: how many further indices the statement is looked at exactly without a sign that it fails.
MOST_JUDGED, ADMISSIBLE, NEAR = 8, 12, 2
#: From this index on rational sums are too long, and balls are used.
MOST_RATIONAL = 150


@dataclass(frozen=True)
class Found:
    """A counterexample that was judged."""

    witness: Mapping[str, Any]
    by: str


def points(st: SequenceStatement) -> list[Point]:
    """Simple values of the parameters that surely meet the hypotheses on them."""
    names = st.parameters
    values = [list(dict.fromkeys(decoded(st.box[x], c) for c in CODES)) for x in names]
    few = [v[: max(2, round(400 ** (1 / len(names))))] for v in values]
    ranked = sorted(itertools.product(*(range(len(v)) for v in few)), key=sum)
    out: list[Point] = []
    for places in ranked:
        point = {x: v[i] for x, v, i in zip(names, values, places)}
        if all(_holds(h, point) for h in st.where):
            out.append(point)
        if len(out) == MOST_POINTS:
            break
    return out


def _sign(by: Arithmetic, values: Mapping[sp.Symbol, Any], e: sp.Expr) -> float:
    return by.sign(by.function(e, tuple(values))(list(values.values())))


def _holds(h: Hypothesis, point: Point) -> bool:
    for by in (Rationals(), Balls(256)):
        try:
            values = {x: by.number(q) for x, q in point.items()}
            sign = partial(_sign, by, values)
            well = all(sign(g) in {">": (1,), ">=": (0, 1), "!=": (1, -1)}[k] for g, k in h.form.conditions)
            return well and sign(h.form.value) in {">=": (0, 1), ">": (1,), "==": (0,), "!=": (1, -1)}[h.kind]
        except NoNumber:
            continue
    return False


def policies(st: SequenceStatement, point: Point) -> list[Policy]:
    """How the sequences may go on, the plainest first."""
    count = len(st.sequences)
    if not count:
        return [Policy((), ())]
    numbers = list(dict.fromkeys([*CANDIDATES, *(s * q for q in point.values() for s in (1, -1))]))
    single: list[tuple[Any, Any, bool]] = [("upper", "upper", False), ("lower", "lower", False)]
    single += [(c, c, False) for c in numbers] + [(c, e, False) for c in numbers for e in ("upper", "lower")]
    single += [(c, Fraction(0), False) for c in numbers if c] + [
        (Fraction(0), c, False) for c in numbers if c
    ]
    single += [(c, c, True) for c in numbers if c] + [("upper", "lower", False), ("lower", "upper", False)]
    ranked = sorted(itertools.product(range(len(single)), repeat=count), key=lambda r: (max(r), sum(r)))
    return [
        Policy(tuple(single[i][0] for i in r), tuple(single[i][1] for i in r), any(single[i][2] for i in r))
        for r in ranked[:MOST_POLICIES]
    ]


def refute(st: SequenceStatement, asker: Asker) -> tuple[Found | None, str]:
    """A counterexample, or nothing; and what is to be said of one that could not be continued."""
    last = sp.oo if st.last is None else st.last
    found: list[tuple[int, int, Point, Policy]] = []
    runs = 0
    for place, point in enumerate(points(st)):
        for rank, policy in enumerate(policies(st, point)):
            runs += 1
            if runs > MOST_RUNS:
                break
            long = LONG if place < 3 else PLAIN
            most = INDICES if st.sequences else long if _steady(st) else PLAIN
            n = _first_failure(st, point, policy, min(st.first + most, last))
            if n is not None:
                found.append((n, place + rank, point, policy))
    found = sorted(found, key=lambda f: f[:2])[:MOST_JUDGED]
    if not found:  # what is false by less than floats tell
        near = range(st.first, int(min(st.first + NEAR, last)) + 1)
        few = [(p, q) for p in points(st)[:2] for q in policies(st, p)[:3]]
        found = [(n, 0, p, q) for n in near for p, q in few]
    said = ""
    for n, _, point, policy in found:
        for run in itertools.islice(confirmed(st, point, policy, n), 2):
            at = told(st, run, point, n)
            if continued(st, asker, run, point, policy):
                return Found(at, "exact" if isinstance(run.by, Rationals) else "Arb"), ""
            said = said or (
                f"at {at} the statement fails, but it was not shown that this start of a sequence can be "
                "continued so that it meets the hypotheses"
            )
    return None, said


def _steady(st: SequenceStatement) -> bool:
    """Whether each sum has a first term that stays."""
    totals = (t for f in (st.small, st.big) for t in f.totals)
    return all(t.lo.is_Integer and not t.term.slots and st.n not in t.term.symbols for t in totals)


def _first_failure(st: SequenceStatement, point: Point, policy: Policy, last: Any) -> int | None:
    run = Run(st, Floats(), point, policy)
    for n in range(st.first, int(last) + 1):
        try:
            run.reach(n)
        except (NoNumber, OverflowError):
            return None
        if run.fails(n):
            return n
    return None


def confirmed(st: SequenceStatement, point: Point, policy: Policy, n: int) -> Iterator[Run]:
    """The runs in those arithmetics that surely show the failure at `n`."""
    kinds: list[Arithmetic] = [Rationals()] if n - st.first <= MOST_RATIONAL else []
    for by in (*kinds, Balls(128), Balls(1024)):
        try:
            run = Run(st, by, point, policy)
            if run.fails(n):
                yield run
        except (NoNumber, OverflowError):
            continue


def admissible(st: SequenceStatement, asker: Asker) -> bool:
    """Whether some sequences surely meet all hypotheses, at some point of the domain."""
    last = sp.oo if st.last is None else st.last
    end = int(min(st.first + ADMISSIBLE, last))
    for point in points(st)[:8]:
        for policy in policies(st, point)[:40]:
            for by in (Rationals(), Balls(256)):
                try:
                    run = Run(st, by, point, policy)
                    run.extend(max(run.start, end))
                except (NoNumber, OverflowError):
                    continue
                if continued(st, asker, run, point, policy):
                    return True
                break
    return False


def continued(st: SequenceStatement, asker: Asker, run: Run, point: Point, policy: Policy) -> bool:
    """Whether a run can be continued to all indices: for each next value a rule is found with which
    the hypotheses follow from those at earlier indices.
    """
    if not st.hypotheses or not st.sequences:
        return True
    offsets = [c for h in st.hypotheses if h.everywhere and (c := newest(h.form, st.n)) is not None]
    top = max(offsets, default=0)
    starts = [largest(h.form, {}) for h in st.hypotheses if not h.everywhere]
    try:
        if st.last is not None and st.last - st.first <= MOST_RATIONAL:
            run.extend(max(st.last + top, *starts, run.start))
            return True
        run.extend(max(st.first + top + 1, *starts, run.next - 1))
        places = range(len(st.sequences))
        if all(_rule(st, asker, run, point, policy, place, top + 1) for place in places):
            return True
        return _constant(st, asker, run, point, top + 1)
    except (NoNumber, Unsteady, Undecided, OverflowError):
        return False


def _constant(st: SequenceStatement, asker: Asker, run: Run, point: Point, top: int) -> bool:
    """Whether the sequences, whose last values are equal, may stay what they are for ever."""
    at: dict[sp.Expr, sp.Expr] = {x: sympy_rational(q) for x, q in point.items()}
    kept: dict[str, sp.Expr] = {}
    lines = [affine(v.index, st.n) for h in st.hypotheses for v in h.form.values if v.index.has(st.n)]
    back = top + 1 + max((-line[1] for line in lines if line is not None), default=0)
    run.extend(run.next + back)
    for name in st.sequences:
        last = {run.by.rational(run.values[name, i]) for i in range(run.next - back, run.next)}
        (q,) = last if len(last) == 1 else (None,)
        if q is None:
            return False
        kept[name] = sympy_rational(q)
    w = Window(st, max(st.first, run.next - top), None)
    for h in st.hypotheses:
        if not h.everywhere:
            continue
        env = {st.n: w.n}
        facts = [Fact(w.of(h.form, env), h.kind), *(Fact(*c) for c in w.conditions(h.form, env))]
        if w.anchors or any(not index.has(w.n) for _, index in w.atoms):
            return False
        values = {**at, **{v: kept[name] for (name, _), v in w.atoms.items()}}
        if not all(_holds_for_all(asker, w, Fact(put(f.gap, values), f.kind), ()) for f in facts):
            return False
    return True


def _holds_for_all(asker: Asker, w: Window, f: Fact, known: Sequence[Fact]) -> bool:
    if f.kind == "==":
        return bool(sp.expand(f.gap) == 0)
    return asker.shown(w, f.gap, f.kind != ">=", known) is not None


def _rule(
    st: SequenceStatement, asker: Asker, run: Run, point: Point, policy: Policy, place: int, top: int
) -> bool:
    """Whether the next value of one sequence can always be chosen."""
    name = st.sequences[place]
    w = Window(st, max(st.first, run.next - top), None)
    at: dict[sp.Expr, sp.Expr] = {x: sympy_rational(q) for x, q in point.items()}
    own: list[tuple[Fact, list[Fact]]] = []
    for h in st.hypotheses:
        offset = newest(h.form, st.n) if h.everywhere else None
        if offset is None:
            if h.everywhere:
                return False
            continue
        env = {st.n: w.n + top - offset}
        last = list(_at_offset(h.form, st.n, offset))
        if not last or max(last, key=st.sequences.index) != name:
            continue
        w.of(h.form, {st.n: env[st.n] - 1})  # so that the next value stands outside of the sums
        gap = put(w.of(h.form, env), at)
        own.append((Fact(gap, h.kind), [Fact(put(g, at), k) for g, k in _conditions(w, h.form, env)]))
    if not own:
        return True
    if any(_holds_value(w, a, top) for a in w.anchors.values()):
        return False
    v = w.atoms.get((name, sp.expand(w.n + top)))
    if v is None:
        v = sp.Dummy(name, real=True)
    known = [Fact(put(f.gap, at), f.kind) for f in w.instances(top)]
    # nothing is known yet of the values that are chosen after this one
    later = {w.atoms.get((other, sp.expand(w.n + top))) for other in st.sequences[place:]} | {v}
    known = [f for f in known if f.gap.free_symbols and not f.gap.free_symbols & later]
    return any(_keeps(asker, w, v, r, own, known) for r in _choices(v, own, policy, place))


def _conditions(w: Window, form: Form, env: Mapping[sp.Symbol, sp.Expr]) -> Iterator[Condition]:
    """What must hold for a form, and the newest terms of its sums, to be defined."""
    yield from w.conditions(form, env)
    for t in form.totals:
        yield from _conditions(w, t.term, {**env, t.k: put(t.hi, env)})


def _holds_value(w: Window, anchor: Anchor, top: int) -> bool:
    """Whether a value at ``n + top`` or later may stand in the sum that a symbol stands for."""
    inner, line = newest(anchor.total.term, anchor.total.k), affine(anchor.hi, w.n)
    return inner is not None and (line is None or line[0] > 1 or line[1] + inner >= top)


def _at_offset(form: Form, n: sp.Symbol, offset: int) -> Iterator[str]:
    """The sequences whose newest value in a hypothesis is at this offset."""
    for s in form.values:
        if s.index.has(n) and s.index == n + offset:
            yield s.name
    for t in form.totals:
        if t.hi.has(n):
            yield from _at_offset(t.term, t.k, offset - int(sp.expand(t.hi - n)))


def _choices(v: sp.Symbol, own: Sequence[tuple[Fact, Any]], policy: Policy, place: int) -> Iterator[sp.Expr]:
    """What the next value may be: an end of what the hypotheses allow, or a number."""
    bounds: list[tuple[str, sp.Expr]] = []
    lower: list[sp.Expr] = []
    upper: list[sp.Expr] = []
    for f, _ in own:
        e = sp.expand(f.gap)
        slope = e.coeff(v)
        rest = sp.expand(e - slope * v)
        if slope != 0 and not rest.has(v) and not slope.has(v):
            bounds.append((f.kind, -rest / slope))
            (lower if told_sign(slope, "positive") else upper).append(-rest / slope)
    yield from dict.fromkeys(b for kind, b in bounds if kind == "==")
    if any(kind == "==" for kind, _ in bounds):
        return
    yield sp.S.Zero
    yield from dict.fromkeys(b for _, b in bounds)
    yield from (built(head, ends) for head, ends in ((sp.Min, upper), (sp.Max, lower)) if len(ends) > 1)
    if len(bounds) == 2:
        yield (bounds[0][1] + bounds[1][1]) / 2
    yield from (b + s for _, b in bounds[:1] for s in (1, -1))
    numbers = (policy.first[place], policy.later[place])
    yield from (sympy_rational(q) for q in numbers if isinstance(q, Fraction) and q)


def _keeps(
    asker: Asker,
    w: Window,
    v: sp.Symbol,
    choice: sp.Expr,
    own: Iterable[tuple[Fact, list[Fact]]],
    known: Sequence[Fact],
) -> bool:
    """Whether a choice of the next value is always defined and meets the hypotheses that it must
    meet.
    """
    met = [Fact(put(g.gap, {v: choice}), g.kind) for f, conditions in own for g in (f, *conditions)]
    met += [Fact(*c) for c in evaluated(choice)[1]]
    return all(_holds_for_all(asker, w, f, known) for f in met)


def told(st: SequenceStatement, run: Run, point: Point, n: int) -> dict[str, Any]:
    """The index, the parameters, and the first values of the sequences."""
    out: dict[str, Any] = {st.names[st.n].name: n}
    out |= {st.names[x].name: plain(q) for x, q in point.items()}
    shown = sorted(run.values.items(), key=lambda item: (item[0][1], item[0][0]))
    for (name, i), x in shown[:6]:
        q = run.by.rational(x)
        out[f"{name}({i})"] = plain(q) if q is not None and q.denominator < 10**12 else _digits(x)
    return out


def _digits(x: Any) -> str:
    return (
        f"{float(x.real.mid()):.12g}" if hasattr(x, "real") and hasattr(x.real, "mid") else f"{float(x):.12g}"
    )
