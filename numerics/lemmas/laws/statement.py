"""A bound on a sample as data: the statement with a symbol in the place of each word, and what that
word says. `read_statement` checks what a caller gives.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from numerics.lemmas.laws.words import CdfGap, E, Head, Iid, P, Quantile, Statistic, Var
from numerics.provers.as_written import SAME_SIDES, Condition, Written, latex, scalar
from numerics.provers.enclosures.boxes import Side
from numerics.provers.enclosures.enclose import Program, Unsupported
from numerics.provers.enclosures.where_defined import own_conditions
from numerics.provers.statements.relation import OPS, RELATIONS, Relation, hypothesis
from numerics.provers.statements.statement import Integers, side_of, statement

__all__ = [
    "SIZES",
    "Event",
    "Formula",
    "LawStatement",
    "Piece",
    "named_sample",
    "read_statement",
    "sizes_of",
    "top_heads",
]

#: Sizes of the samples that are enumerated.
SIZES = (1, 2, 3, 4, 5, 8, 12, 20)


@dataclass(frozen=True)
class Formula:
    """An expression in the caller's symbols and in one for each word in it, with what must hold for
    it to be defined.
    """

    value: sp.Expr
    conditions: tuple[Condition, ...]
    words: tuple[sp.Symbol, ...]


@dataclass(frozen=True)
class Event:
    """A relation ``gap kind 0``, or ``and``, ``or``, ``not`` of events, or ``true``, ``false``."""

    kind: str
    gap: Formula | None = None
    parts: tuple[Event, ...] = ()

    def relations(self) -> Iterator[Event]:
        """The relations in it."""
        if self.gap is not None:
            yield self
        for p in self.parts:
            yield from p.relations()


@dataclass(frozen=True)
class Piece:
    """What a word says: a number of the law (``law``) or of the sample (``sample``), or a
    statistic, of a formula or an event. `symbols` are all that it depends on.
    """

    head: type[Head]
    space: str
    of: Formula | Event
    level: Formula | None
    symbols: frozenset[sp.Symbol]

    @property
    def formulas(self) -> tuple[Formula, ...]:
        inner = (self.of,) if isinstance(self.of, Formula) else ()
        gaps = tuple(r.gap for r in self.of.relations() if r.gap) if isinstance(self.of, Event) else ()
        return (*inner, *gaps, *((self.level,) if self.level else ()))


@dataclass(frozen=True)
class LawStatement:
    """``big - small >= 0`` (``> 0`` if strict) for every law on a range, every size of the sample
    and all parameters that meet the hypotheses ``gap kind 0``. A law that meets their equations
    gives each of `balanced` the mean 0, and the search builds it from that. `named` are parameters
    that the hypotheses say to be numbers of the law.
    """

    x: sp.Symbol
    size: sp.Symbol | None
    sizes: tuple[int, ...]
    on: Side
    parameters: tuple[tuple[sp.Symbol, Side], ...]
    named: tuple[tuple[sp.Symbol, Formula], ...]
    small: Formula
    big: Formula
    op: str
    where: tuple[tuple[Formula, str], ...]
    balanced: tuple[Formula, ...]
    pieces: Mapping[sp.Symbol, Piece]
    checked: str
    assumes: tuple[str, ...]
    vacuous: str

    @property
    def strict(self) -> bool:
        """Whether equal sides break it."""
        return len(self.op) == 1

    @property
    def sampled(self) -> bool:
        """Whether the size of the sample matters."""
        return any(p.space != "law" for p in self.pieces.values())

    @property
    def sized(self) -> bool:
        """Whether the statement says something else for another size of the sample."""
        formulas = (self.small, self.big, *(g for g, _ in self.where), *self.balanced)
        used = {s for f in formulas for s in f.value.free_symbols}
        return self.sampled or self.size in used.union(*(p.symbols for p in self.pieces.values()))

    @property
    def random(self) -> bool:
        """Whether a probability or a quantile, which jumps, occurs."""
        return any(p.head in (P, Quantile) for p in self.pieces.values())


class _Reader:
    """Puts a symbol in the place of each word."""

    def __init__(self, x: sp.Symbol, known: frozenset[sp.Symbol]) -> None:
        self.x, self.known = x, known
        self.pieces: dict[sp.Symbol, Piece] = {}
        self.of: dict[Head, sp.Symbol] = {}

    def formula(self, given: Written, allowed: str) -> Formula:
        """A side, in which X (``x``) or statistics may stand, either (``any``) or nothing."""
        heads: list[Head] = []
        for e in (given.given, given.value, *(g for g, _ in given.conditions)):
            top_heads(e, heads)  # also of what cancels, which must have a value all the same
        known = self.known | {self.x} | given.given.free_symbols  # not the variable of a Sum
        words = {h: self.word(h) for h in dict.fromkeys(heads) if h.free_symbols <= known}
        value = given.value.xreplace(words)
        conditions = tuple((g.xreplace(words), kind) for g, kind in _needed(given))
        free = value.free_symbols - set(words.values())
        free |= _put(given.given, dict.fromkeys(heads, sp.S.One)).free_symbols
        if unbound := free - self.known - {self.x}:
            raise ValueError(f"{', '.join(sorted(map(str, unbound)))} has no range; give one in the domain")
        if value.has(sp.I):
            raise ValueError(f"{given.given} is not a real expression; write real functions only")
        statistic = [h for h, w in words.items() if self.pieces[w].space == "statistic"]
        if self.x in free and allowed not in ("x", "any"):
            raise ValueError(
                f"{given.given} is random: {self.x} stands in it alone; write E(...), P(...) or a statistic"
            )
        if statistic and allowed != "any":
            raise ValueError(
                f"{statistic[0]} is random, and stands in {given.given}; write E(...) or P(...) around it"
            )
        if statistic and self.x in free:
            raise ValueError(
                f"{given.given} holds {self.x} beside {statistic[0]}, and nothing says which variable of the "
                f"sample {self.x} is; use statistics alone"
            )
        try:
            Program([*self.known, self.x, *words.values()]).add(value)
        except Unsupported as fault:
            raise TypeError(
                f"{given.given} cannot be judged: {fault}; rewrite it by exp, log, roots or erf"
            ) from None
        return Formula(value, conditions, tuple(words.values()))

    def word(self, h: Head) -> sp.Symbol:
        """The symbol of a word."""
        if h not in self.of:
            level = self.formula(scalar(h.args[1]), "") if isinstance(h, Quantile) else None
            if isinstance(h, P):
                of: Formula | Event = self.event(h.args[0])
            else:
                of = self.formula(scalar(h.args[0]), "x" if isinstance(h, Statistic) else "any")
            formulas = Piece(type(h), "", of, level, frozenset()).formulas
            symbols = frozenset(s for f in formulas for s in self.symbols(f))
            used = {self.pieces[w].space for f in formulas for w in f.words}
            if isinstance(h, CdfGap) and h.args[0] != self.x:
                raise ValueError(f"{h} is the gap of another variable than {self.x}; write CdfGap({self.x})")
            alone = any(self.x in f.value.free_symbols for f in formulas)
            if "statistic" in used and alone:
                raise ValueError(f"{h} holds {self.x} beside a statistic; use statistics alone")
            space = "statistic" if isinstance(h, Statistic) else "sample" if "statistic" in used else "law"
            self.of[h] = w = sp.Dummy(type(h).__name__, real=True)
            self.pieces[w] = Piece(type(h), space, of, level, symbols)
        return self.of[h]

    def symbols(self, f: Formula) -> frozenset[sp.Symbol]:
        """All symbols that a formula depends on, also through its words."""
        own = frozenset(f.value.free_symbols) | {s for g, _ in f.conditions for s in g.free_symbols}
        return own.union(*(self.pieces[w].symbols for w in f.words))

    def event(self, e: Any) -> Event:
        if e in (sp.true, sp.false):
            return Event(str(e).lower())
        if type(e) in RELATIONS:
            return Event(RELATIONS[type(e)], self.formula(_difference(e), "any"))
        kind = {sp.And: "and", sp.Or: "or", sp.Not: "not"}.get(e.func)
        if kind is None:
            raise TypeError(f"the event {e} is no relation; write relations, joined by And and Or")
        return Event(kind, parts=tuple(map(self.event, e.args)))


def _needed(given: Written) -> list[Condition]:
    """What must hold for a side to be defined: not that the base of a power whose exponent is
    always a whole number is positive.
    """
    parts = list(sp.preorder_traversal(given.given))
    whole = [a for a in parts if a.is_Pow and a.exp.is_integer and a.exp.is_nonnegative]
    others = {c for a in parts if a not in whole for c in own_conditions(a)}
    free = {(a.base, ">") for a in whole} - others
    return [c for c in given.conditions if c not in free]


def top_heads(e: sp.Basic, out: list[Head]) -> None:
    """The words in an expression that stand in no other word."""
    if isinstance(e, Head):
        out.append(e)
    else:
        for a in e.args:
            top_heads(a, out)


def _difference(relation: Any) -> Written:
    """The difference of two sides with the conditions of both."""
    one, two = scalar(relation.lhs), scalar(relation.rhs)
    return Written(relation, one.value - two.value, one.conditions + two.conditions, ())


def named_sample(domain: Mapping[Any, Any]) -> tuple[sp.Symbol, Iid]:
    """The variable whose sample is given."""
    found = [(x, given) for x, given in domain.items() if isinstance(given, Iid)]
    if len(found) != 1:
        raise ValueError(
            f"{len(found)} samples are given; give one, as {{X: Iid(n, on=Closed(0, 1))}}"
            + (", and write other samples as functions of it" if found else "")
        )
    x, given = found[0]
    if not isinstance(x, sp.Symbol):
        raise TypeError(f"the domain's key {x!r} is not a SymPy symbol; write Symbol('X', real=True)")
    return x, given


def sizes_of(given: Iid, domain: Mapping[Any, Any]) -> tuple[sp.Symbol | None, int, float]:
    """The symbol of the size of the sample, if it has one, and its range."""
    if not isinstance(given.size, sp.Symbol):
        return None, int(given.size), int(given.size)
    allowed = domain.get(given.size)
    if allowed in (sp.S.Naturals, sp.S.Naturals0, sp.S.Integers):
        allowed = Integers(allowed.inf, allowed.sup)
    if not isinstance(allowed, Integers):
        raise ValueError(
            f"the sample size {given.size} has no range of whole numbers; write {given.size}: Integers(1, 20)"
        )
    if not sp.sympify(allowed.lo) >= 1:
        raise ValueError(f"the sample size {given.size} begins at {allowed.lo}; begin at 1")
    side = side_of(given.size, allowed)
    return given.size, int(side.lo), math.inf if side.hi is None else int(side.hi)


def read_statement(
    lhs: Any, op: str, rhs: Any, domain: Mapping[Any, Any], where: Iterable[Any]
) -> LawStatement:
    """Check a caller's statement at the door and take it apart; errors are those of `forall`."""
    if op not in OPS:
        raise ValueError(f"the relation {op!r} is none of {list(OPS)}; write an equality as two inequalities")
    x, given = named_sample(domain)
    size, lo, hi = sizes_of(given, domain)
    ranges = {s: r for s, r in domain.items() if s != x}
    box = statement(sp.S.Zero, "<=", sp.S.One, {x: given.on, **ranges}, ())  # checks ranges and symbols
    sides = dict(zip(box.names, box.box))
    goal = Relation(scalar(lhs), op, scalar(rhs))
    hyps = [hypothesis(h) for h in where]
    written = [goal.small.given, goal.big.given]
    loose, replaced = _substituted(hyps, {s for s in ranges if s != size and not sides[s].integer})
    parameters = tuple((s, sides[s]) for s in ranges if s != size and s not in replaced)
    conditions: list[tuple[Written, str]] = []
    for s, e in replaced.items():
        conditions += [(scalar(g), ">" if strict else ">=") for g, strict in sides[s].gaps(e)]
    small, big = (scalar(_put(e, replaced)) for e in written)
    reader = _Reader(x, frozenset(ranges) - frozenset(replaced))
    for h in hyps:
        relation = sp.Rel(h.lhs.given, h.rhs.given, h.op, evaluate=False)
        conditions.append((_difference(_put(relation, replaced)), h.op))
    equal = [h.lhs.given - h.rhs.given for h in loose if h.op == "=="]
    functions, extra = _linear([_put(e, replaced) for e in equal], x)
    for s in extra:
        reader.known |= {s}
        parameters += ((s, Side(sides[x].lo, sides[x].hi)),)  # a mean, also of whole numbers
    below, above = (reader.formula(w, "") for w in (small, big))
    inequalities = tuple((reader.formula(w, ""), kind) for w, kind in conditions)
    balanced = tuple(reader.formula(scalar(g), "x") for g in functions)
    hypotheses = r",\; ".join(h.latex for h in hyps)
    texts = [t.strip("$") for t in box.assumes]
    texts[0] = (
        rf"{latex(x)}_1, \ldots, {latex(x)}_{{{latex(sp.sympify(given.size))}}}\text{{ iid}}, {texts[0]}"
    )
    implied = (hypotheses + r" \implies " if hypotheses else "") + goal.latex
    vacuous = SAME_SIDES if latex(goal.lhs.given) == latex(goal.rhs.given) else ""
    vacuous = "the conclusion is one of the hypotheses" if any(h.implies(goal) for h in hyps) else vacuous
    return LawStatement(
        x,
        size,
        tuple(int(n) for n in sorted({*SIZES, lo, hi}) if lo <= n <= min(hi, SIZES[-1])),
        sides[x],
        parameters,
        tuple((s, reader.formula(scalar(e), "")) for s, e in replaced.items()),
        below,
        above,
        op,
        inequalities,
        balanced,
        reader.pieces,
        rf"\forall\, {', '.join(texts)}:\; {implied}",
        tuple(f"${t}$" for t in (*texts, *(h.latex for h in hyps))),
        vacuous,
    )


def _put(e: sp.Expr, values: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """An expression with others in the place of symbols, in which nothing cancels."""
    with sp.evaluate(False):
        return e.xreplace(dict(values))


def _substituted(
    hyps: list[Relation], names: set[sp.Symbol]
) -> tuple[list[Relation], dict[sp.Symbol, sp.Expr]]:
    """The hypotheses that remain, and the parameters that others say to be numbers of the law."""
    out: list[Relation] = []
    replaced: dict[sp.Symbol, sp.Expr] = {}
    for h in hyps:
        for one, other in ((h.lhs.given, h.rhs.given), (h.rhs.given, h.lhs.given)):
            e = _put(other, replaced)
            if h.op == "==" and one in names - set(replaced) and e.has(Head) and not e.has(one):
                replaced = {s: _put(v, {one: e}) for s, v in replaced.items()} | {one: e}
                break
        else:
            out.append(h)
    return out, replaced


def _linear(equal: list[sp.Expr], x: sp.Symbol) -> tuple[list[sp.Expr], list[sp.Symbol]]:
    """Functions of X whose means are 0 exactly if these numbers of the law are, and new parameters;
    a mean inside another, or of a variance, is one that another hypothesis names, or such a
    parameter.
    """
    means = {h: c for e in equal for h in e.atoms(E) for c in [h - e] if not c.has(Head) and not c.has(x)}
    extra: list[sp.Symbol] = []
    out: list[sp.Expr] = []
    for e in equal:
        values: dict[sp.Expr, sp.Expr] = {}
        inside: dict[sp.Expr, sp.Expr] = {}
        names: list[sp.Symbol] = []
        heads: list[Head] = []
        top_heads(e, heads)
        for h in heads:
            around = E(h.args[0]) if isinstance(h, Var) else h.args[0]
            if E(x) not in means and around.has(E(x)):
                means[E(x)] = m = sp.Dummy(f"mean of {x}", real=True)
                extra.append(m)
                out.append(x - m)
            g = h.args[0].xreplace(means) if isinstance(h, (E, Var)) else h
            plain = not g.has(Head)
            if not plain or (isinstance(h, Var) and E(g) not in means):
                raise ValueError(
                    f"the hypothesis {e} == 0 cannot be met by construction: {h} is no mean or variance of a "
                    f"function of {x}; write it as an inequality, or state E({g})"
                )
            names.append(sp.Dummy())
            values[h], inside[names[-1]] = names[-1], g if isinstance(h, E) else (g - means[E(g)]) ** 2
        skeleton = sp.expand(e.xreplace(values))
        if not names or any(sp.diff(skeleton, a, b) != 0 for a in names for b in names):
            raise ValueError(
                f"the hypothesis {e} == 0 is not linear in the means of the law; name its means by "
                "parameters, or write it as an inequality"
            )
        out.append(skeleton.xreplace(inside))
    return out, extra
