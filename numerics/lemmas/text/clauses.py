"""What stands around the formulas of a lemma: ranges of its variables, hypotheses, regimes."""

from __future__ import annotations

from dataclasses import dataclass, field

from numerics.lemmas.text.formulas import SIGNS, Formula, Name, Relation, formula, named, relation, signed
from numerics.lemmas.text.tokens import Tokens

__all__ = ["Clauses", "Group", "clauses"]

#: What a variable may be, beside a real number.
KINDS = ("real", "whole", "psd", "definite", "symmetric", "matrix")


@dataclass(frozen=True)
class Group:
    """Variables of one kind: with an interval (its ends, and whether they belong to it), a size, or
    the number of their copies.
    """

    names: tuple[Name, ...]
    kind: str = "real"
    interval: tuple[str, Formula, Formula, str] | None = None
    size: tuple[Formula, ...] = ()
    copies: Formula | None = None
    normal: bool = False


@dataclass
class Clauses:
    """Everything behind the statement itself."""

    groups: list[Group] = field(default_factory=list)
    #: Conditions behind "for", which are ranges where they bound one variable by a number.
    bounds: list[Relation] = field(default_factory=list)
    #: Conditions behind "given".
    given: list[Relation] = field(default_factory=list)
    #: What tends where, and from which side.
    regime: list[tuple[Name, Formula, str]] = field(default_factory=list)
    constants: list[Name] = field(default_factory=list)
    #: What stands beside a whole number, and has to be said to be real or whole itself.
    beside: list[str] = field(default_factory=list)


def clauses(t: Tokens) -> Clauses:
    """Read "for ...", "given ...", "as ..." and "for some ..." to the end of the text."""
    out = Clauses()
    while t.now.kind != "end":
        if t.words("for", "some"):
            names = _names(t)
            if t.see(*SIGNS) and not (len(names) == 1 and t.words(">", "0")):
                t.refuse("a constant is positive: write C > 0, or C alone; a variable stands behind for")
            out.constants += names
        elif t.words("for", "every") or t.words("for", "all") or t.take("for"):
            _items(t, out)
        elif t.take("given"):
            out.given.append(_condition(t))
            while t.take(",", "and"):
                out.given.append(_condition(t))
        elif t.take("as"):
            out.regime.append(_tends(t))
            while t.take(",", "and"):
                out.regime.append(_tends(t))
        else:
            t.refuse("a clause is expected: for x > 0, given x <= y, as x -> oo, or for some C")
    return out


def _name(t: Tokens) -> Name:
    place = t.now.place
    return Name(t.name(), place)


def _names(t: Tokens) -> list[Name]:
    """Names with commas between them; a word that begins another item ends the list."""
    out = [_name(t)]
    while t.see(",") and t.ahead(1).kind == "name" and t.ahead(1).text not in KINDS:
        t.advance()
        out.append(_name(t))
    return out


def _tends(t: Tokens) -> tuple[Name, Formula, str]:
    name = _name(t)
    t.need("->")
    to = signed(t, 0)
    return name, to, t.take("+", "-")


def _items(t: Tokens, out: Clauses) -> None:
    _item(t, out)
    while t.take(",", "and", ";"):
        _item(t, out)


def _item(t: Tokens, out: Clauses) -> None:
    kind = t.name() if t.see(*KINDS) else ""
    if kind == "" and (t.now.kind != "name" or t.ahead(1).text not in (",", "in", "iid", "of")):
        out.bounds.append(_condition(t))
        return
    names = _names(t)
    if t.see(*SIGNS):  # which bounds each of them
        tail = relation(t, first=names[0])
        known = [n.text for n in names]
        if len(names) > 1 and (
            len({*known}) < len(known) or set().union(*map(named, tail.sides[1:])) & {*known}
        ):
            t.refuse(
                f"{', '.join(known)} are bounded together; write 'and' before a condition on one of them"
            )
        out.bounds += [Relation((name, *tail.sides[1:]), tail.signs) for name in names]
        if kind == "whole":  # in "whole n >= k" nobody says of k whether it is whole
            out.beside += sorted(named(tail) - {*known})
    elif kind == "" and not t.see("in", "iid", "of"):
        t.refuse(f"say what {names[0].text} is: real {names[0].text}, {names[0].text} > 0, or in (0, 1)")
    group = Group(tuple(names), kind or "real")
    out.groups.append(_ranged(t, group))


def _ranged(t: Tokens, group: Group) -> Group:
    """The group with what follows its names."""
    names, kind = group.names, group.kind
    if t.words("of", "size"):
        size = [formula(t)]
        if t.take("by"):
            size.append(formula(t))
        return Group(names, kind, size=tuple(size))
    copies = formula(t) if t.take("iid") else None
    if copies is not None and t.take("normal"):
        return Group(names, kind, copies=copies, normal=True)
    if not t.take("in"):
        return Group(names, kind, copies=copies)
    opening = t.take("(", "[")
    low = formula(t)
    if not opening:
        t.need("..")
        return Group(names, "whole", ("[", low, formula(t), "]"), copies=copies)
    t.need(",")
    high = formula(t)
    closing = t.take(")", "]")
    if not closing:
        t.refuse("an interval ends by ) or ]")
    return Group(names, kind, (opening, low, high, closing), copies=copies)


def _condition(t: Tokens) -> Relation:
    """A relation; ``0 < x, y < 1`` may be one on both or two, and is refused."""
    found = relation(t)
    before, last = t.next, found.sides[-1]
    if t.take(",") and t.now.kind == "name" and isinstance(last, Name) and not named(found.sides[0]):
        more = [n.text for n in _names(t)]
        if t.see(*SIGNS) and t.now.text[0] == found.signs[-1][0] and last.text not in more:
            names = ", ".join((last.text, *more))
            t.refuse(f"this is one condition on {names}, or two; write '{names} in (0, 1)', or 'and' for ','")
    t.next = before
    return found
