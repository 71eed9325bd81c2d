"""Statements about sums up to a variable and about sequences as data. Every sum, and every value of
a sequence, has a symbol of its own, so that what remains is an expression for `forall`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from numerics.lemmas.sequences.forms import Form, Hypothesis, SequenceStatement, Slot, Total, Value
from numerics.provers.as_written import SAME_SIDES, distinct, latex, scalar, undue
from numerics.provers.enclosures.boxes import Side
from numerics.provers.exact.exact_numbers import put
from numerics.provers.statements.relation import OPS, SIGNS, triple
from numerics.provers.statements.statement import assumptions, range_latex, side_of
from numerics.rationals import flint_rational

__all__ = ["affine", "is_open", "read"]

SUMS = (sp.Sum, sp.Product)


def affine(e: sp.Expr, x: sp.Symbol) -> tuple[int, int] | None:
    """Slope and shift of a whole affine function of `x`, None for anything else."""
    e = sp.expand(e)
    slope = e.coeff(x)
    shift = sp.expand(e - slope * x)
    return (int(slope), int(shift)) if slope.is_Integer and shift.is_Integer else None


def is_open(e: Any, symbols: Iterable[Any]) -> bool:
    """Whether a sequence, or a sum whose limits depend on one of the symbols, occurs."""
    if not isinstance(e, sp.Basic):
        return False
    names = set(symbols)
    limits = (end for s in e.atoms(*SUMS) for _, *ends in s.limits for end in ends)
    return bool(e.atoms(AppliedUndef)) or any(end.free_symbols & names for end in limits)


def _height(e: sp.Basic) -> int:
    """How many sums stand in each other."""
    inside = max((_height(a) for a in e.args), default=0)
    return inside + isinstance(e, SUMS)


class _Reader:
    """Reads the sides of one statement; equal sums and values get the same symbol."""

    def __init__(self, renamed: Mapping[sp.Symbol, sp.Symbol], box: Mapping[sp.Symbol, Side]) -> None:
        self.renamed, self.box = dict(renamed), box
        self.values: dict[Any, Value] = {}
        self.totals: dict[Any, Total] = {}
        self.indices = [sp.Dummy(f"k_{i}", integer=True) for i in range(4)]

    def form(self, e: Any, bound: Mapping[sp.Symbol, tuple[sp.Symbol, Side]] | None = None) -> Form:
        """`bound` has the variables of the sums around `e`, their canonical names and ranges."""
        bound = bound or {}
        found: dict[sp.Symbol, Slot] = {}
        with sp.evaluate(True):
            written = scalar(self._cut(e, bound, found) if isinstance(e, sp.Expr) else e)
            if written.value.has(sp.I):
                raise ValueError(f"{e} is not a real expression; write it by real functions")
            names: dict[sp.Expr, sp.Expr] = {**self.renamed, **{k: c for k, (c, _) in bound.items()}}
            known = {*names, *found}
            unbound = written.given.free_symbols - known
            if unbound:
                raise ValueError(
                    f"{', '.join(sorted(map(str, unbound)))} has no range; give one in the domain"
                )
            conditions = tuple((put(g, names), kind) for g, kind in written.conditions)
            return Form(put(written.value, names), conditions, tuple(found.values()))

    def _cut(self, e: Any, bound: Any, found: dict[sp.Symbol, Slot]) -> Any:
        """`e` with a symbol for each sum and value of a sequence in it."""
        if isinstance(e, AppliedUndef) or (isinstance(e, SUMS) and is_open(e, {*self.renamed, *bound})):
            slot = self._value(e, bound) if isinstance(e, AppliedUndef) else self._total(e, bound)
            found[slot.symbol] = slot
            return slot.symbol
        if not e.args or isinstance(e, SUMS):
            return e
        args = [self._cut(a, bound, found) for a in e.args]
        if all(a is b for a, b in zip(args, e.args)):
            return e
        with sp.evaluate(False):
            return e.func(*args)

    def _value(self, e: Any, bound: Any) -> Value:
        extra = undue(e, {"real": True})
        if extra is not None:
            raise ValueError(
                f"{e} is declared {extra}; declare the sequence without it, and write it as a hypothesis"
            )
        if len(e.args) != 1:
            raise ValueError(f"{e} has {len(e.args)} indices; write a sequence of one index")
        index = self._plain(e.args[0], bound)
        free = index.free_symbols
        if not index.is_Integer and (len(free) != 1 or affine(index, next(iter(free))) is None):
            raise ValueError(
                f"the index of {e} is no whole number, nor n plus a whole number; give it such an index"
            )
        name = e.func.__name__
        key = (name, index)
        if key not in self.values:
            self.values[key] = Value(sp.Dummy(name, real=True), name, index)
        return self.values[key]

    def _plain(self, e: sp.Expr, bound: Any) -> sp.Expr:
        """A limit or an index, which holds neither sums nor sequences."""
        form = self.form(e, bound)
        if form.slots or form.conditions:
            raise ValueError(f"{e} is no plain whole number; write limits and indices such as n + 1")
        return sp.expand(form.value)

    def _total(self, e: Any, bound: Any) -> Total:
        *inner, limits = e.limits
        if len(limits) != 3:
            raise ValueError(f"{e} has no two limits; write (k, 1, n)")
        k, *ends = limits
        if any(end.has(sp.oo, -sp.oo) for end in ends):
            raise ValueError(f"{e} is infinite; bound its partial sums up to n")
        if k in self.renamed or k in bound:
            raise ValueError(f"{k} is a variable of the domain and of {e}; give the sum a letter of its own")
        lo, hi = (self._plain(end, bound) for end in ends)
        if not all(end.is_integer for end in (lo, hi)):
            raise ValueError(f"the limits of {e} are not always whole numbers; give such limits")
        own = self._range(e, lo, hi, bound)
        extra = undue(k, {**assumptions(own), "integer": True})
        if extra is not None:
            raise ValueError(f"{k} is declared {extra}, which the limits of {e} do not imply; declare less")
        body = e.func(e.function, *inner) if inner else e.function
        if (height := _height(body)) >= len(self.indices):
            raise ValueError(f"{e} holds too many sums in each other; give some of them a name")
        canonical = self.indices[height]
        term = self.form(body, {**bound, k: (canonical, own)})
        key = (e.func, term.value, term.conditions, lo, hi)
        if key not in self.totals:
            symbol = sp.Dummy("S" if e.func is sp.Sum else "P", real=True)
            self.totals[key] = Total(symbol, e.func, canonical, lo, hi, term)
        return self.totals[key]

    def _range(self, e: Any, lo: sp.Expr, hi: sp.Expr, bound: Any) -> Side:
        """The range of the variable of a sum, over all values of the variables around it."""
        around = {**self.box, **dict(bound.values())}

        def end(x: sp.Expr, least: bool) -> int | None:
            if x.is_Integer:
                return int(x)
            (v,) = x.free_symbols if len(x.free_symbols) == 1 else (None,)
            line = None if v is None else affine(x, v)
            if line is None:
                return None
            slope, shift = line
            at = around[v].lo if (slope > 0) == least else around[v].hi
            return None if at is None else slope * int(at) + shift

        length = sp.expand(hi - lo)
        smallest = end(length, True)
        falls = any((affine(length, v) or (0, 0))[0] < 0 for v in length.free_symbols)
        if smallest < -1 if smallest is not None else falls:
            raise ValueError(f"{e} runs backwards; let its upper limit be at least the lower one minus 1")
        least, most = end(lo, True), end(hi, False)
        if least is not None and most is not None and most < least:
            most = least
        exact = lambda x: None if x is None else flint_rational(sp.Integer(x))
        return Side(exact(least), exact(most), integer=True)


def _gap(reader: _Reader, lhs: Any, op: str, rhs: Any) -> tuple[Form, str]:
    """What is nonnegative (or positive, 0 or not 0) where a relation holds."""
    small, big = (reader.form(s) for s in ((lhs, rhs) if op[0] == "<" else (rhs, lhs)))
    slots = tuple(dict.fromkeys((*small.slots, *big.slots)))
    form = Form(big.value - small.value, tuple(dict.fromkeys(small.conditions + big.conditions)), slots)
    return form, {"<=": ">=", "<": ">"}.get(op, op)


def _without_moduli(form: Form, kind: str) -> Iterator[tuple[Form, str]]:
    """``B - c|v| >= 0`` as the two inequalities that it means."""
    moduli = [m for m in form.value.atoms(sp.Abs) if form.value.coeff(m).is_negative]
    rest = form.value - form.value.coeff(moduli[0]) * moduli[0] if len(moduli) == 1 else sp.nan
    if kind in ("==", "!=") or rest.has(sp.nan, *moduli):
        yield form, kind
        return
    for sign in (1, -1):
        value = rest + sign * form.value.coeff(moduli[0]) * moduli[0].args[0]
        yield Form(value, form.conditions, form.slots), kind


def read(lhs: Any, op: str, rhs: Any, domain: Mapping[Any, Any], where: Iterable[Any]) -> SequenceStatement:
    """Check a caller's statement at the door. A float or text is a TypeError; an operator, range,
    limit, index or hypothesis that is not understood a ValueError.
    """
    if op not in OPS:
        raise ValueError(f"the relation {op!r} is none of {list(OPS)}")
    sides: dict[sp.Symbol, Side] = {}
    for s, given in domain.items():
        if not isinstance(s, sp.Symbol):
            raise TypeError(f"the domain's key {s!r} is not a SymPy symbol; write {{n: Integers(1, sp.oo)}}")
        sides[s] = side_of(s, given)
        implied = {**assumptions(sides[s]), **({"integer": True} if sides[s].integer else {})}
        if (extra := undue(s, implied)) is not None:
            raise ValueError(f"{s} is declared {extra}, which its range {given} does not imply")
    distinct(domain)
    renamed = {
        s: sp.Dummy(s.name, **assumptions(side), **({"integer": True} if side.integer else {}))
        for s, side in sides.items()
    }
    box = {renamed[s]: side for s, side in sides.items()}
    reader = _Reader(renamed, box)
    triples = [triple(h) for h in where]
    small, big = (reader.form(s) for s in ((lhs, rhs) if op[0] == "<" else (rhs, lhs)))
    read_gaps = [_gap(reader, *h) for h in triples]
    n = _index(box, (small, big, *(f for f, _ in read_gaps)))
    hypotheses: list[Hypothesis] = []
    about: list[Hypothesis] = []
    texts = [range_latex(s, side) for s, side in sides.items()]
    for (form, kind), (a, sign, b) in zip(read_gaps, triples):
        everywhere, text = n in form.symbols, f"{latex(sp.sympify(a))} {SIGNS[sign]} {latex(sp.sympify(b))}"
        if everywhere and not form.names:
            raise ValueError(f"{a} {sign} {b} is a hypothesis on n alone; put it into the range of n")
        lines = [affine(v.index, n) for v in form.values if v.index.free_symbols]
        if any(line is None or line[0] != 1 for line in lines):
            raise ValueError(f"{a} {sign} {b} has an index that is not n plus a whole number")
        into = hypotheses if form.names else about
        into += [Hypothesis(f, k, everywhere) for f, k in _without_moduli(form, kind)]
        texts.append(text + (rf"\text{{ for every }}{latex(_named(n, renamed))}" if everywhere else ""))
    goal = f"{latex(sp.sympify(lhs))} {OPS[op]} {latex(sp.sympify(rhs))}"
    ranges, given_texts = texts[: len(sides)], texts[len(sides) :]
    implied_text = (r",\; ".join(given_texts) + r" \implies " if given_texts else "") + goal
    vacuous = SAME_SIDES if latex(sp.sympify(lhs)) == latex(sp.sympify(rhs)) else ""
    wanted = (sp.expand(big.value - small.value), ">" if op in ("<", ">") else ">=")
    if any((sp.expand(f.value), k) == wanted for f, k in read_gaps):
        vacuous = "the conclusion is one of the hypotheses"
    return SequenceStatement(
        n=n,
        box=box,
        names={d: s for s, d in renamed.items()},
        small=small,
        big=big,
        strict=op in ("<", ">"),
        hypotheses=tuple(hypotheses),
        where=tuple(about),
        written=tuple(form for form, _ in read_gaps),
        checked=rf"\forall\, {', '.join(ranges)}:\; {implied_text}",
        assumes=tuple(f"${t}$" for t in texts),
        vacuous=vacuous,
    )


def _named(n: sp.Symbol, renamed: Mapping[sp.Symbol, sp.Symbol]) -> sp.Symbol:
    return next(s for s, d in renamed.items() if d == n)


def _index(box: Mapping[sp.Symbol, Side], forms: Iterable[Form]) -> sp.Symbol:
    """The whole variable on which limits and indices depend."""

    def used(form: Form) -> Iterator[sp.Symbol]:
        for s in form.slots:
            yield from (s.index if isinstance(s, Value) else s.lo + s.hi * sp.pi).free_symbols
            if isinstance(s, Total):
                yield from used(s.term)

    found = {x for form in forms for x in used(form) if x in box}
    if len(found) != 1:
        names = ", ".join(sorted(map(str, found))) or "none"
        raise ValueError(f"limits and indices must depend on one whole variable, not on {names}; name it")
    (n,) = found
    if not box[n].integer or box[n].lo is None:
        raise ValueError(f"{n.name} is an index; give it a range such as Integers(1, sp.oo)")
    return n
