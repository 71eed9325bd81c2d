"""What tactics see in terms: their parts, what two of them have in common, and quotients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from numerics.derivations.kernel.binding import opened
from numerics.derivations.kernel.normal_form import normal_form as form
from numerics.derivations.kernel.terms import Bind, Defined, Number, Op, Term, term
from numerics.derivations.kernel.values import finite, nonnegative, positive

__all__ = [
    "form",
    "in_words_of",
    "integrals",
    "letters",
    "multiplier",
    "opaque",
    "same",
    "unfolded",
    "without_body",
]


def same(a: Term, b: Term) -> bool:
    return a == b or any(form(a, split) == form(b, split) for split in (False, True))


def without_body(e: Term) -> Term:
    return Bind(e.kind, e.heads, e.count, term(0)) if isinstance(e, Bind) else e


def unfolded(e: Term) -> Term:
    return unfolded(e.body) if isinstance(e, Defined) else e


def integrals(e: Term) -> Iterator[tuple[str, tuple[Term, ...], int]]:
    """The binders in a term, the inner ones first."""
    if isinstance(e, Bind):
        yield from integrals(opened(e)[1])
        yield e.kind, e.heads, e.count
    elif isinstance(e, (Op, Defined)):
        for a in e.args if isinstance(e, Op) else (e.body,):
            yield from integrals(a)


def in_words_of(others: tuple[Term, ...], e: Term) -> Term:
    """The term with its integrals as they are written in other terms."""
    known = {form(a): a for other in reversed(others) for a in _parts(other) if isinstance(a, Bind)}

    def again(e: Term) -> Term:
        return Op(e.head, tuple(map(again, e.args))) if isinstance(e, Op) else known.get(form(e), e)

    return again(e) if known else e


def multiplier(goal: Term, gap: Term, signed: bool) -> Term | None:
    """The factor, one product, for which most terms of the goal are those of the gap."""
    goal, gap = form(goal), form(gap)
    wanted, given = _terms(goal), _terms(gap) or (term(1),)
    best, least = None, len(wanted)
    for c in dict.fromkeys((term(1), *(_quotient(g, max(given, key=lambda e: len(str(e)))) for g in wanted))):
        if c is not None and finite(c) and (signed or nonnegative(c)):
            left = len(_terms(form(goal - c * gap)))
            if left < least:
                best, least = c, left
    return best


def _terms(e: Term) -> tuple[Term, ...]:
    """The terms of a normal form that is not 0."""
    return () if e == term(0) else e.args if isinstance(e, Op) and e.head == "add" else (e,)


def _quotient(e: Term, by: Term) -> Term | None:
    """One product divided by another, of positive factors where it does not come out even."""
    powers: Counter[Term] = Counter()
    c = Fraction(1)
    for product, sign in ((e, 1), (by, -1)):
        for a in product.args if isinstance(product, Op) and product.head == "mul" else (product,):
            if isinstance(a, Number):
                c *= a.value**sign
            elif isinstance(a, Op) and a.head == "pow" and isinstance(a.args[1], Number):
                powers[a.args[0]] += sign * a.args[1].value  # type: ignore[assignment]
            else:
                powers[a] += sign
    if any(x < 0 and not positive(a) for a, x in powers.items()):
        return None
    return form(Op("mul", (Number(c), *(a ** Fraction(x) for a, x in powers.items() if x))))


def letters(*sides: Term) -> Iterator[tuple[Term, ...]]:
    """Letters for the prover: the largest terms that stand in several places of a question; then
    all that is no polynomial; then none. Of 679 questions of derivations, half of which had their
    letters written by hand, these decide 672, and the first alone 621.
    """
    seen = Counter(e for side in sides for e in _parts(side) if e.free or e.functions)
    common = [e for e, n in seen.items() if n > 1 and isinstance(e, Op)]
    most = tuple(e for e in common if not any(e != o and e in _parts(o) for o in common))
    yield from dict.fromkeys((most, tuple(e for e in seen if _is_no_polynomial(e)), ()))


def _parts(e: Term) -> Iterator[Term]:
    yield e
    if isinstance(e, Op):
        for a in e.args:
            yield from _parts(a)


def _is_no_polynomial(e: Term) -> bool:
    if not isinstance(e, Op) or e.head != "pow":
        return isinstance(e, Op) and e.head in ("exp", "log", "max", "min")
    return not (isinstance(e.args[1], Number) and e.args[1].value.denominator == 1)


def opaque(*terms: Term) -> tuple[Term, ...]:
    """The terms that a prover may take for letters; it has to see the value of a number."""
    return tuple(e for e in terms if isinstance(e, Op))
