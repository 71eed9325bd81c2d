"""The judgement `value`: what is known of a term for all values of its free variables.

A term is *defined* if it has a value in ``(-oo, oo]``, and a value that is not finite occurs only
in sums and, where no factor is negative, in products. So a defined term does not fall, and is
continuous, in each of its parts that may be infinite: an equation that holds for all finite values
of these parts holds for infinite ones.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.kernel.binding import opened
from numerics.derivations.kernel.sorts import KINDS, ProofError
from numerics.derivations.kernel.terms import (
    CLOCK,
    Apply,
    Bind,
    Defined,
    Given,
    Number,
    Op,
    Term,
    Variable,
    text,
)

__all__ = [
    "BOUNDED",
    "MEANS",
    "check_defined",
    "finite",
    "integrable",
    "nonnegative",
    "order",
    "positive",
    "sign",
    "summable",
]

MEANS = ("mean", "query", "normal", "prompt", "task")
#: An order is 1/p, and a number of terms 1/p that may be as small as one likes.
Order = tuple[Fraction, int]
BOUNDED: Order = (Fraction(0), 0)
ONE: Order = (Fraction(1), 0)


@cache
def sign(e: Term) -> int:
    """2 if the term is positive, 1 if it is nonnegative, 0 if neither is known."""
    if isinstance(e, Number):
        return 2 if e.value > 0 else 1 if e.value == 0 else 0
    if isinstance(e, Variable) and e.range is not None:
        lo = e.range.lo
        return 0 if lo is None or lo < 0 else 2 if lo > 0 or e.range.lo_open else 1
    if isinstance(e, (Defined, Given)):
        return sign(e.body)
    if isinstance(e, Bind):
        inner = sign(opened(e)[1])
        return min(inner, 1) if e.kind == "sum" and e.count > 1 else inner  # there may be no such positions
    if not isinstance(e, Op):
        return int(isinstance(e, Apply) and e.function == CLOCK)  # times run from 0 on
    if e.head in ("ind", "above"):
        return 1
    if e.head == "exp":
        return 2
    if e.head == "log":
        number = isinstance(e.args[0], Number) and e.args[0].value > 1
        return 2 if number else int(_at_least_one(e.args[0]))
    signs = [sign(a) for a in e.args]
    if e.head == "add":
        return 0 if 0 in signs else max(signs)
    if e.head == "max":
        return max(signs)
    if e.head in ("mul", "min"):
        return min(signs)
    if e.head == "pow":
        exponent = e.args[1]
        even = (
            isinstance(exponent, Number)
            and exponent.value.denominator == 1
            and exponent.value.numerator % 2 == 0
        )
        return 1 if even and signs[0] == 0 else signs[0]
    return 0


def _at_least_one(e: Term) -> bool:
    if isinstance(e, Number):
        return e.value >= 1
    if isinstance(e, Variable):
        return e.range is not None and e.range.lo is not None and e.range.lo >= 1
    if isinstance(e, Op) and e.head == "add":
        return all(map(nonnegative, e.args)) and any(map(_at_least_one, e.args))
    return isinstance(e, Defined) and _at_least_one(e.body)


def nonnegative(e: Term) -> bool:
    return sign(e) >= 1


def positive(e: Term) -> bool:
    return sign(e) == 2


def _nonpositive(e: Term) -> bool:
    if isinstance(e, Number):
        return e.value <= 0
    if isinstance(e, Op) and e.head == "add":
        return all(map(_nonpositive, e.args))
    if isinstance(e, Op) and e.head == "mul":
        rest = [a for a in e.args if not nonnegative(a)]
        return len(rest) == 1 and _nonpositive(rest[0])
    return isinstance(e, Defined) and _nonpositive(e.body)


def finite(e: Term) -> bool:
    """Whether the term is a real number for all values of its free variables."""
    return order(e, frozenset()) is not None


def integrable(e: Term, over: Variable) -> bool:
    """Whether the mean over that variable is a real number, whatever the values of the others."""
    found = order(e, frozenset({over}))
    return found is not None and (found[0] < 1 or found == ONE)


def order(e: Term, over: frozenset[Variable]) -> Order | None:
    """1/p such that the p-th moment over these random variables, of which tokens and queries have
    their laws in whatever joint law, is finite for all values of the other variables.

    None if no such p is known. A product has the sum of the orders, by Hoelder's inequality, and a
    sum the largest.
    """
    return _order(e, over & e.free)


@cache
def _order(e: Term, over: frozenset[Variable]) -> Order | None:
    if isinstance(e, Given):
        return None if over else order(e.body, over)  # nothing is known of a task or token that is random
    if not over and not isinstance(e, (Op, Bind, Defined)):
        return BOUNDED
    if isinstance(e, Apply):
        p = e.function.order
        return (Fraction(0), 1) if p is None else (1 / p, 0) if p else None
    if isinstance(e, Defined):
        return order(e.body, over)
    if isinstance(e, Bind):
        return _order_of_binder(e, over)
    assert isinstance(e, Op)
    if e.head in ("ind", "above"):
        return BOUNDED if finite(e.args[0]) else None
    if e.head == "mul":
        return _of_a_product([order(a, over) for a in e.args])
    if e.head in ("add", "max", "min"):
        parts = [order(a, over) for a in e.args]
        known = [p for p in parts if p is not None]
        return None if len(known) < len(parts) else max(known)
    if not all(map(finite, e.args)):
        return None
    if not over:
        return BOUNDED
    if e.head == "exp":
        if _nonpositive(e.args[0]) or order(e.args[0], over) == BOUNDED:
            return BOUNDED
        return (Fraction(0), 1) if _linear(e.args[0], over) else None
    if e.head == "pow":
        base, exponent = order(e.args[0], over), e.args[1]
        if base is not None and isinstance(exponent, Number) and exponent.value > 0:
            return (base[0] * exponent.value, base[1])
        inverse = _order_of_inverse(e.args[0], over)
        if inverse is not None and isinstance(exponent, Number) and exponent.value < 0:
            return (inverse[0] * -exponent.value, inverse[1])
    return None


def _order_of_inverse(e: Term, over: frozenset[Variable]) -> Order | None:
    """The order of 1/e for a positive term: a sum of terms that are not negative is at least each
    of them, and the inverse of an exponential is one.
    """
    if not positive(e) or not finite(e):
        return None
    if not e.free & over:
        return BOUNDED
    if isinstance(e, Defined):
        return _order_of_inverse(e.body, over)
    if isinstance(e, Bind) and e.kind == "coordinates":
        return _order_of_inverse(opened(e)[1], over)
    if isinstance(e, Bind) and e.kind == "sum":  # of one position: a prompt has a token
        names, body = opened(e)
        return _order_of_inverse(body, over.union(names) if e.heads[0] in over else over)
    if not isinstance(e, Op):
        return None
    if e.head == "exp":
        return order(Op("exp", (-e.args[0],)), over)
    if e.head == "pow":
        base, exponent = _order_of_inverse(e.args[0], over), e.args[1]
        return (
            (base[0] * exponent.value, base[1])
            if base and isinstance(exponent, Number) and exponent.value > 0
            else None
        )
    parts = [_order_of_inverse(a, over) for a in e.args]
    if e.head == "add" and all(map(nonnegative, e.args)):
        return min((p for p in parts if p is not None), default=None)
    return _of_a_product(parts) if e.head == "mul" else None


def _of_a_product(parts: list[Order | None]) -> Order | None:
    known = [p for p in parts if p is not None]
    return (
        None
        if len(known) < len(parts)
        else (sum((r for r, _ in known), Fraction(0)), sum(s for _, s in known))
    )


def _order_of_binder(e: Bind, over: frozenset[Variable]) -> Order | None:
    names, body = opened(e)
    if e.kind in MEANS:
        inner = order(body, over.union(names))
        small = inner is not None and (inner[0] < 1 or inner == ONE)
        return (inner if over else BOUNDED) if small else None  # |M X|^p <= M |X|^p for p >= 1 only
    if e.kind == "coordinates":
        return order(body, over)
    # A finite sum: each position has the law of a token if the prompt is random.
    return order(body, over.union(names) if e.heads[0] in over else over)


def _linear(e: Term, over: frozenset[Variable]) -> bool:
    """Whether the term is linear in functions with all exponential moments, with coefficients that
    are finite and not random.
    """
    if not e.free & over:
        return finite(e)
    if isinstance(e, Apply):
        return e.function.order is None
    if isinstance(e, Defined):
        return _linear(e.body, over)
    if isinstance(e, Bind) and e.kind == "coordinates":
        return _linear(opened(e)[1], over)
    if isinstance(e, Bind) and e.kind == "sum":
        names, body = opened(e)
        return _linear(body, over.union(names) if e.heads[0] in over else over)
    if isinstance(e, Op) and e.head == "add":
        return all(_linear(a, over) for a in e.args)
    if isinstance(e, Op) and e.head == "mul":
        moving = [a for a in e.args if a.free & over]
        return len(moving) == 1 and _linear(moving[0], over) and all(finite(a) for a in e.args)
    return False


def summable(e: Term, over: Variable) -> bool:
    """Whether the integral over that variable has a value in ``(-oo, oo]``: the term is a sum of
    nonnegative and of integrable terms.
    """
    if nonnegative(e) or integrable(e, over):
        return True
    if isinstance(e, Defined):
        return summable(e.body, over)
    return isinstance(e, Op) and e.head == "add" and all(summable(a, over) for a in e.args)


@cache
def check_defined(e: Term) -> None:
    """Pass a defined term. Refused if some part may have no value: a denominator that may vanish, a
    root of what may be negative, a mean that may not exist, or an infinite value in a function.
    """
    if isinstance(e, (Defined, Given)):
        check_defined(e.body)
    if isinstance(e, Bind):
        names, body = opened(e)
        check_defined(body)
        if e.kind in MEANS and not summable(body, names[0]):
            raise ProofError(f"the integral {text(e)} may not exist; give its functions orders, or split it")
    if not isinstance(e, Op):
        return
    for a in e.args:
        check_defined(a)
    if e.head == "mul":
        if not all(map(finite, e.args)) and not all(map(nonnegative, e.args)):
            raise ProofError(f"{text(e)} may be infinite, or not, with a sign that is not known")
    elif e.head == "pow":
        base, exponent = e.args
        least = isinstance(exponent, Number) and exponent.value > 0
        if least and exponent.value.denominator == 1 and (nonnegative(base) or finite(base)):  # type: ignore[attr-defined]
            return
        # 0 to a positive power is 0
        above_zero = positive(base) or (positive(exponent) and nonnegative(base))
        if not (finite(exponent) and (nonnegative(base) if least else above_zero and finite(base))):
            raise ProofError(
                f"{text(e)} may be undefined: its base is not known to be positive and finite, as exp(v) is"
            )
    elif e.head != "add" and not all(map(finite, e.args)):
        raise ProofError(f"{text(e)} is taken of what may be infinite")
    if e.head == "log" and not positive(e.args[0]):
        raise ProofError(f"{text(e)} may be undefined: its argument is not known to be positive")


assert set(MEANS) < set(KINDS)
