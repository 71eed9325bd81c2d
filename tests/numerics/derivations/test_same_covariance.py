"""The rule of Gaussian families with one covariance: what it must refuse, and what is true of a
family that it accepts; and which inverses are known to have moments.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from numerics.derivations.binding import bind
from numerics.derivations.derived import exp
from numerics.derivations.rules import assume, equal, integrate, same_covariance, specialise
from numerics.derivations.sorts import POSITIVE, REALS, Refused, Sort, whole
from numerics.derivations.terms import GAUSSIAN as xi
from numerics.derivations.terms import Function, Op, Term, Variable, term
from numerics.derivations.theorems import Theorem
from numerics.derivations.values import integrable

g, h, r = (Variable(name, Sort.NORMAL) for name in "ghr")
j, k, n, i = (Variable(name, Sort.INDEX) for name in "jkni")
d, m = Variable("d", range=whole(1)), Variable("m", range=whole(1))
c, x = Variable("c", range=POSITIVE), Variable("x", range=REALS)
a, y = Function("a", (Sort.INDEX, Sort.INDEX)), Function("y", (Sort.INDEX,))
f = Function("f", (Sort.TOKEN,), None)
token = Variable("token", Sort.TOKEN)
FIVE = tuple(term(Fraction(v, 5)) for v in (5, 3, 4))
PARTS = tuple(v * a(j, n) for v in FIVE)
at_k = lambda v: v * a(k, n)


def dot(u: Term, v: Term, size: Variable = d) -> Term:
    return bind("coordinates", (n,), u * v, (size,))


def covariances(*factors: Term, size: Variable = d) -> tuple[Term, Term]:
    one, two, three = (dot(v * a(j, n), v * a(k, n), size) for v in factors)
    return one, two + three


SAME = equal(*covariances(*FIVE))


def rule(
    e: Any = y(i) ** 2,
    of: Any = y,
    vectors: Any = (g, h),
    indices: Any = (j, k, n),
    size: Variable = d,
    parts: Any = PARTS,
    same: Theorem = SAME,
) -> Theorem:
    return same_covariance(e, of, vectors, indices, size, parts, same)


def test_a_family_with_one_covariance() -> None:
    assert (rule().op, rule(y(i) ** 2 * exp(y(k) - y(j))).op) == ("==", "==")


ATTACKS: dict[str, Callable[[], Theorem]] = {
    "larger coefficients": lambda: rule(parts=(*PARTS[:2], a(j, n))),
    "another coefficient of the first vector": lambda: rule(parts=(2 * a(j, n), *PARTS[1:])),
    "an inequality between the covariances": lambda: rule(same=assume("less", SAME.lhs, "<=", SAME.rhs, every=(j, k))),
    "one covariance for both sides": lambda: rule(same=equal(SAME.lhs, SAME.lhs)),
    "the variances only": lambda: rule(same=specialise(SAME, {k: j})),
    "one pair of indices": lambda: rule(same=specialise(SAME, {k: i})),
    "another number of coordinates": lambda: rule(size=m),
    "a mean that may be negative": lambda: rule(y(i)),
    "a term that speaks of the first vector": lambda: rule((y(i) + xi(i, g)) ** 2),
    "a term that speaks of the second vector": lambda: rule((y(i) + xi(i, h)) ** 2),
    "one vector twice": lambda: rule(vectors=(g, g)),
    "one index twice": lambda: rule(indices=(j, j, n)),
    "the coordinate as an index": lambda: rule(indices=(n, k, n)),
    "a coefficient of the first vector": lambda: rule(parts=(PARTS[0] * xi(j, g), *PARTS[1:])),
    "a coefficient that is the family": lambda: rule(parts=(PARTS[0] * y(j), *PARTS[1:])),
    "a coefficient of the other index": lambda: rule(parts=(PARTS[0] * a(k, k), *PARTS[1:])),
    "a family of tokens": lambda: rule(f(token) ** 2, f),
    "the vector itself": lambda: rule(xi(i, g) ** 2, xi),
    "a fixed family": lambda: integrate(
        "normal", (g,), same_covariance(y(i) ** 2, y, (g, h), (j, k, n), d, PARTS, assume("no", SAME.lhs, "==", SAME.rhs))
    ),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_what_is_not_the_same_is_refused(name: str) -> None:
    with pytest.raises(Refused):
        ATTACKS[name]()


def test_the_law_is_that_of_the_other_family() -> None:
    """The mean of y^2 e^y is one integral for xi and a double one for 3 xi/5 + 4 xi'/5."""
    x, w = np.polynomial.hermite_e.hermegauss(60)
    w = w / w.sum()
    F = lambda y: y**2 * np.exp(y)
    one, two = w @ F(0.7 * x), w @ F(0.7 * (0.6 * x[:, None] + 0.8 * x)) @ w
    assert math.isclose(one, two, rel_tol=1e-10)
    assert not math.isclose(one, w @ F(0.7 * (0.6 * x[:, None] + 0.9 * x)) @ w, rel_tol=1e-2)


score = lambda of, v=g: bind("coordinates", (n,), a(of, n) * xi(n, v), (d,))
total = bind("coordinates", (i,), exp(score(i)), (m,))


@pytest.mark.parametrize(
    "e",
    [
        exp(score(j)) / total,
        xi(n, g) * exp(score(j)) / total**2,
        1 / (exp(score(j)) + score(k) ** 2),
        1 / (c + exp(score(j)) * exp(score(k))),
        1 / (1 + score(j) ** 2),
        1 / exp(-score(j)),
    ],
    ids=str,
)
def test_softmax_weights_have_all_moments(e: Term) -> None:
    assert integrable(e, g)


@pytest.mark.parametrize(
    "e",
    [
        1 / exp(-(score(j) ** 2)),  # e^{X^2} has no mean for a variance of 1/2 or more
        1 / (exp(-(score(j) ** 2)) + 0 * score(j) ** 2),
        1 / (exp(-(score(j) ** 2)) * c),
        exp(score(j)) / Op("min", (exp(score(j)), exp(-(score(k) ** 2)))),
    ],
    ids=str,
)
def test_other_inverses_are_not_known_to_have_means(e: Term) -> None:
    assert not integrable(e, g)
