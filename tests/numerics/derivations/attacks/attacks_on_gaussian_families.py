"""Attempts to give Gaussian families another law, and means to what has none."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from numerics.derivations.derived import exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume, equal, instantiate, same_covariance
from numerics.derivations.kernel.sorts import POSITIVE, Sort, whole
from numerics.derivations.kernel.terms import GAUSSIAN as xi
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem

g, h = (Variable(name, Sort.NORMAL) for name in "gh")
j, k, n, i = (Variable(name, Sort.INDEX) for name in "jkni")
d, m = Variable("d", range=whole(1)), Variable("m", range=whole(1))
c = Variable("c", range=POSITIVE)
a, y = Function("a", (Sort.INDEX, Sort.INDEX)), Function("y", (Sort.INDEX,))
f = Function("f", (Sort.TOKEN,), None)
token = Variable("token", Sort.TOKEN)
FIVE = tuple(term(Fraction(v, 5)) for v in (5, 3, 4))
PARTS = tuple(v * a(j, n) for v in FIVE)
dot = lambda u, v, size=d: bind("coordinates", (n,), u * v, (size,))


def covariances(*factors: Term, size: Variable = d) -> tuple[Term, Term]:
    one, two, three = (dot(v * a(j, n), v * a(k, n), size) for v in factors)
    return one, two + three


SAME = equal(*covariances(*FIVE))


def rule(e=y(i) ** 2, of=y, vectors=(g, h), indices=(j, k, n), size=d, parts=PARTS, same=SAME):
    return same_covariance(e, of, vectors, indices, size, parts, same)


score = lambda of, v=g: bind("coordinates", (n,), a(of, n) * xi(n, v), (d,))
total = bind("coordinates", (i,), exp(score(i)), (m,))


INTEGRABLE = (
    exp(score(j)) / total,
    xi(n, g) * exp(score(j)) / total**2,
    1 / (exp(score(j)) + score(k) ** 2),
    1 / (c + exp(score(j)) * exp(score(k))),
    1 / (1 + score(j) ** 2),
    1 / exp(-score(j)),
)


def scaled(factor: Callable[[Variable], Term]) -> Theorem:
    """The rule with all coefficients multiplied by a factor of their index."""
    at = lambda v, of: v * (a(of, n) * factor(of))
    one, two, three = (dot(at(v, j), at(v, k)) for v in FIVE)
    return rule(parts=tuple(at(v, j) for v in FIVE), same=equal(one, two + three))


def signed_mean(e: Term) -> Theorem:
    """The mean of the term times a coordinate, which has a value only if it is integrable."""
    mean = bind("normal", (g,), xi(i, g) * e)
    return equal(mean, mean)


GAUSSIAN_FAMILIES: dict[str, Callable[[], Any]] = {
    "larger coefficients": lambda: rule(parts=(*PARTS[:2], a(j, n))),
    "another coefficient of the first vector": lambda: rule(parts=(2 * a(j, n), *PARTS[1:])),
    "an inequality between the covariances": lambda: rule(
        same=assume("less", SAME.lhs, "<=", SAME.rhs, every=(j, k))
    ),
    "one covariance for both sides": lambda: rule(same=equal(SAME.lhs, SAME.lhs)),
    "the variances only": lambda: rule(same=instantiate(SAME, {k: j})),
    "one pair of indices": lambda: rule(same=instantiate(SAME, {k: i})),
    "another number of coordinates": lambda: rule(size=m),
    "a mean that may be negative": lambda: rule(y(i)),
    "a term that speaks of the first vector": lambda: rule((y(i) + xi(i, g)) ** 2),
    "a term that speaks of the second vector": lambda: rule((y(i) + xi(i, h)) ** 2),
    "one vector twice": lambda: rule(vectors=(g, g)),
    "one index twice": lambda: rule(indices=(j, j, n)),
    "the coordinate as an index": lambda: rule(indices=(n, k, n)),
    "coefficients of the first vector": lambda: scaled(lambda of: xi(of, g)),
    "coefficients of the second vector": lambda: scaled(lambda of: xi(of, h)),
    "coefficients that are the family": lambda: scaled(y),
    "a coefficient of the other index": lambda: rule(parts=(PARTS[0] * a(k, k), *PARTS[1:])),
    "a family of tokens": lambda: rule(f(token) ** 2, f),
    "the vector itself": lambda: rule(xi(i, g) ** 2, xi),
    "e^{X^2} for a Gaussian X": lambda: signed_mean(1 / exp(-(score(j) ** 2))),
    "the inverse of a sum that may be 0": lambda: signed_mean(1 / (exp(-(score(j) ** 2)) + score(j) ** 2)),
    "the inverse of a sum with a negative term": lambda: signed_mean(1 / (exp(score(j)) - score(j))),
    "a quotient by the smaller": lambda: signed_mean(1 / Op("min", (exp(score(j)), exp(-(score(k) ** 2))))),
    "the inverse of a small product": lambda: signed_mean(1 / (exp(score(j)) * exp(-(score(k) ** 2)))),
}
