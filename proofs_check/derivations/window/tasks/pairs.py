"""The reparametrisation in the proof of Lemma C.7 of Collins et al.: two points of the sphere with
a given inner product, as combinations of an orthonormal pair.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import Range, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.affine import Q
from proofs_check.derivations.window.prompt import a, b, j, k, l, mean, over
from proofs_check.derivations.window.signal import p, r

#: A random pair x, y, the coefficients of the reparametrisation, and theta.
first_point, second_point = (Function(name, (Sort.INDEX, Sort.TOKEN), None) for name in ("x", "y"))
theta = Variable("theta_", range=Range(Fraction(-1), Fraction(1), False, False))


def pair(of: Callable[[Function], Term]) -> tuple[Term, Term]:
    """a x + b y and a x - b y, of the pair or of its image."""
    here, there = a * of(first_point), b * of(second_point)
    return here + there, here - there


def _as_it_is(point: Function) -> Term:
    return point(j, k)


def _image(point: Function) -> Term:
    return over(Q(j, l) * point(l, k), l)


def generating_function(left: Term, right: Term) -> Term:
    """E e^{p.left + r.right}"""
    return mean(exp(over(p(j) * left) + over(r(j) * right)), k)


@cache
def orthonormal_pair() -> tuple[Theorem, ...]:
    """An orthonormal pair whose law rotations keep, by its moment generating function."""
    points_ = first_point, second_point
    turned_ = (_image(point) for point in points_)
    kept = (_as_it_is(point) for point in points_)
    return (
        assume("|x| = 1", over(first_point(j, k) ** 2), "==", 1, every=(k,)),
        assume("|y| = 1", over(second_point(j, k) ** 2), "==", 1, every=(k,)),
        assume("x.y = 0", over(first_point(j, k) * second_point(j, k)), "==", 0, every=(k,)),
        assume("a^2 = (1 + theta)/2", a**2, "==", (1 + theta) / 2),
        assume("b^2 = (1 - theta)/2", b**2, "==", (1 - theta) / 2),
        assume(
            "rotations keep the law of the orthonormal pair",
            generating_function(*turned_),
            "==",
            generating_function(*kept),
            every=(p, r),
        ),
    )


def pair_statements(length: int = 1) -> tuple[Statement, ...]:
    """|x_theta|^2 = |y_theta|^2 = length and x_theta.y_theta = length theta; and rotations keep the
    law of the pair, times `length`.
    """
    left, right = pair(_as_it_is)
    *given, law = orthonormal_pair()
    known, image = hypotheses(*given), pair(_image)
    return (
        Statement(over(left**2), "==", term(length), known),
        Statement(over(right**2), "==", term(length), known),
        Statement(over(left * right), "==", length * theta, known),
        Statement(
            generating_function(*image),
            "==",
            generating_function(length * left, length * right),
            law.assumptions,
        ),
    )


@proves("COL:C.7.xi/uniform", pair_statements, part=(1, 2, 3, 4))
@cache
def pairs_at_one_angle() -> tuple[Theorem, ...]:
    """The exponent of the pair is that of x and y with a(p + r) and b(p - r)."""
    one, other, across_, of_a, of_b, law = orthonormal_pair()
    known = (one, other, across_, of_a, of_b)
    squares = a**2 * one.lhs, b**2 * other.lhs, 2 * a * b * across_.lhs
    left, right = pair(_as_it_is)

    def shown(goal: Term, expanded: Term, value: Term) -> Theorem:
        plain = calc(goal, ("==", expanded))
        return chain(plain, show(expanded, "==", value, *known))

    moved = instantiate(law, {p: ((j,), a * (p(j) + r(j))), r: ((j,), b * (p(j) - r(j)))})
    goal = pair_statements()[3]
    return (
        shown(over(left**2), squares[0] + squares[1] + squares[2], term(1)),
        shown(over(right**2), squares[0] + squares[1] - squares[2], term(1)),
        shown(over(left * right), squares[0] - squares[1], theta),
        chain(goal.lhs, moved, goal.rhs),
    )
