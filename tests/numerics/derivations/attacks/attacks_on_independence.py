"""Attempts to take what depends on several tokens, or on a whole prompt, for a function of one."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import equal, independent, trans
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Function, Variable, term

k, l, p = Variable("k", Sort.TOKEN), Variable("l", Sort.TOKEN), Variable("p", Sort.PROMPT)
query, f = Variable("y", Sort.QUERY), Function("f", (Sort.TOKEN,), Fraction(4))
h, of_query = Function("h", (Sort.TOKEN,)), Function("g", (Sort.QUERY,), None)
M = lambda body: bind("mean", (k,), body)
whole = bind("sum", (l,), f(l), (p,))
small = (k, f(k) ** 2)


def as_if(*factors: tuple[Variable, Any], value: Any) -> Any:
    """The mean with no exponent, as another number."""
    made = independent(p, (k, term(0)), *factors)
    return trans(made, equal(made.rhs, value))


INDEPENDENCE: dict[str, Callable[[], Any]] = {
    "a factor of two tokens": lambda: independent(p, small, (k, f(k) * f(l)), (l, f(l))),
    "a factor of another token": lambda: independent(p, small, (k, f(l)), (l, f(k))),
    "an exponent of the token of a factor": lambda: independent(p, (k, f(l) ** 2), (l, f(l))),
    "a factor of the token of the exponent": lambda: independent(p, small, (l, f(k))),
    "one token for two factors": lambda: independent(p, small, (k, f(k)), (k, f(k))),
    "a factor of the whole prompt": lambda: independent(p, small, (k, whole)),
    "an exponent of the whole prompt": lambda: independent(p, (k, whole**2), (k, f(k))),
    "a factor whose mean may be infinite": lambda: independent(p, small, (k, h(k) ** 2)),
    "an exponential whose mean may be infinite": lambda: independent(p, (k, -(f(k) ** 2)), (k, term(1))),
    "no factor": lambda: independent(p, small),
    "a query in place of a token": lambda: independent(p, small, (query, of_query(query))),
    "a token in place of the prompt": lambda: independent(l, small, (k, f(k))),
    "as many choices of two positions as pairs": lambda: as_if(
        (k, f(k)), (l, f(l)), value=L**2 * M(f(k)) ** 2
    ),
    "two positions as one": lambda: as_if((k, f(k)), (l, f(l)), value=L * M(f(k) ** 2)),
    "one position as all": lambda: as_if((k, f(k)), value=M(f(k))),
}
