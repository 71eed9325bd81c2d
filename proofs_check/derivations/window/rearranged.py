"""Lemma I.2 of Collins et al., the inequality of Hardy and Littlewood, by layers.

Integrals over the space and over levels are means over a token and over a query, with weights: each
measure has a density beside some law. The rearrangements are finite, and a radius may be any rising
function of the distance from 0, so that the whole space is a ball, too.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp, symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import arithmetic, assume, exchange, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import show
from proofs_check.derivations.proof import proves

k, s, t = Variable("k", Sort.TOKEN), Variable("s", Sort.QUERY), Variable("t", Sort.QUERY)
of_token = lambda name: Function(name, (Sort.TOKEN,))(k)
of_level = lambda name: Function(name, (Sort.QUERY,))
#: The weight of a point, its radius, and the weight and the value of a level.
volume, radius = exp(of_token("log rho")), of_token("radius")
length, level = lambda at: exp(of_level("log lambda")(at)), of_level("level")
#: Two nonnegative functions and their rearrangements, and the radii of the balls above the levels.
f, g, f_, g_ = (of_token(name) ** 2 for name in ("phi", "psi", "phi_", "psi_"))
ball, ball_ = of_level("a")(s), of_level("b")(t)
c, y = Variable("c", range=NONNEGATIVE), Variable("y", range=NONNEGATIVE)


def space(body: Term) -> Term:
    return bind("mean", (k,), volume * body)


def over(at: Variable, body: Term) -> Term:
    return bind("query", (at,), length(at) * body)


def above(value: Term, at: Variable) -> Term:
    return Op("above", (value - level(at),))


@cache
def layers() -> Theorem:
    """The levels of (0, y) have the length y."""
    return assume("the levels below y have the length y", over(s, above(y, s)), "==", y, every=(y,))


@cache
def rearranged() -> tuple[Theorem, ...]:
    """Where f* is above a level is a ball around 0, as large as where f is; and g* the same."""
    sides = ((f, f_, ball, s, "f"), (g, g_, ball_, t, "g"))
    return tuple(
        thm
        for value, other, end, at, name in sides
        for thm in (
            assume(
                f"{name}* is above a level in a ball",
                above(other, at),
                "==",
                Op("above", (end - radius,)),
                every=(k, at),
            ),
            assume(
                f"{name}* is above a level where it is as large as where {name} is",
                space(above(value, at)),
                "==",
                space(above(other, at)),
                every=(at,),
            ),
        )
    )


@cache
def layered() -> Theorem:
    """c y is the integral of c over the levels below y."""
    length_ = over(s, above(y, s))
    value = arithmetic(c * length_, "==", c * y, layers(), hide=(length_,))
    return chain(symm(value), bind("query", (s,), c * (length(s) * above(y, s))))


@cache
def by_layers(value: Term, other: Term) -> Theorem:
    """The integral of a product is that of the space in which both are above two levels."""
    A, B = above(value, s), above(other, t)
    scale = volume * (length(s) * A)
    first = instantiate(layered(), {y: value, c: volume * other})
    second = chain(volume * other * (length(s) * A), instantiate(layered(), {y: other, c: scale}))
    point = chain(volume * (value * other), first, integrate("query", (s,), second))
    every = integrate("mean", (k,), point)
    swapped = exchange(bind("mean", (k,), second.rhs))
    part = integrate("mean", (k,), chain(scale * (length(t) * B), length(s) * length(t) * (volume * (A * B))))
    part = chain(part, _outside(length(s) * length(t), A * B))
    inner = chain(swapped, integrate("query", (t,), part))
    return chain(every, exchange(every.rhs), integrate("query", (s,), inner))


def _outside(factor: Term, body: Term) -> Theorem:
    """A factor under an integral over the space, in front of it."""
    return instantiate(chain(bind("mean", (k,), c * (volume * body)), c * space(body)), {c: factor})


def _in_the_larger(case: Op, one: Op, other: Op) -> Theorem:
    """Where the case says that a ball is the smaller one, both hold its points."""
    z, u = (Variable(name, range=REALS) for name in "zu")
    event = Op(case.head, (z,))
    inner, outer = one.args[0], other.args[0]
    inside = arithmetic(event * Op("above", (u,)), "<=", event * Op("above", (event * u,)))
    inside = instantiate(inside, {z: case.args[0], u: inner})
    farther = gcongr(case * Op("above", (case * inner,)), arithmetic(case * inner, "<=", case * outer))
    beyond = instantiate(
        arithmetic(event * Op("above", (event * u,)), "<=", Op("above", (u,))), {z: case.args[0], u: outer}
    )
    larger = chain(inside, farther, beyond)
    twice = arithmetic(
        event * Op("above", (u,)), "<=", event * (Op("above", (u,)) * (event * Op("above", (u,))))
    )
    twice = instantiate(twice, {z: case.args[0], u: inner})
    return chain(twice, gcongr(case * (one * larger.lhs), larger))


def _back(thm: Theorem) -> Theorem:
    """Y <= X from X == Y, where both may be infinite."""
    return gcongr(thm.rhs, thm)


@cache
def nested() -> Theorem:
    """The space where f and g are above two levels is at most that where f* and g* are, of which
    one ball lies in the other.
    """
    a, b, r = (Variable(name, range=REALS) for name in "abr")
    A, B, A_, B_ = above(f, s), above(g, t), above(f_, s), above(g_, t)
    first, as_large, second, as_large_ = rearranged()
    cases = Op("ind", (b - a,)), Op("above", (a - b,))
    at = {a: ball, b: ball_, r: radius}
    balls = [Op("above", (end - r,)) for end in (a, b)]
    both, both_ = A * B, A_ * B_
    parts = []
    for case, one, own, own_, same in zip(cases, balls, (A, B), (A_, B_), (as_large, as_large_)):
        here = instantiated(case, at)
        less = integrate("mean", (k,), gcongr(volume * both, _smaller(own)))
        less = chain(gcongr(here * less.lhs, less), gcongr(here * less.rhs, same))
        in_one = instantiate(_in_the_larger(case, *(balls if one is balls[0] else balls[::-1])), at)
        in_one = chain(in_one, instantiated(case * (balls[0] * balls[1]), at))
        point = gcongr(here * (volume * own_), first, second)
        point = chain(
            point,
            gcongr(volume * in_one.lhs, in_one),
            here * (volume * instantiated(balls[0] * balls[1], at)),
        )
        point = chain(point, gcongr(point.rhs, symm(first), symm(second)))
        inner = chain(_back(_outside(here, own_)), integrate("mean", (k,), point), _outside(here, both_))
        parts.append(chain(less, inner))
    split = show(space(both), "<=", parts[0].lhs + parts[1].lhs)
    return chain(split, gcongr(split.rhs, *parts), space(both_))


@cache
def _smaller(own: Term) -> Theorem:
    """Where both are above their levels one of them is."""
    u, v = (Variable(name, range=REALS) for name in "uv")
    of = Op("above", (u,)), Op("above", (v,))
    values = {u: f - level(s), v: g - level(t)}
    return instantiate(arithmetic(of[0] * of[1], "<=", of[0] if own == above(f, s) else of[1]), values)


def statement(share: int = 1, ordered: bool = True) -> Statement:
    """share times the integral of f g is at most that of f* g*; if not ordered, nothing is known of
    where f* and g* are above levels.
    """
    given = hypotheses(layers(), *(rearranged() if ordered else rearranged()[1::2]))
    return Statement(share * space(f * g), "<=", space(f_ * g_), given)


@proves("COL:I.2", statement)
@cache
def hardy_littlewood() -> Theorem:
    """By layers, and as balls around 0 are nested."""
    before, after = by_layers(f, g), by_layers(f_, g_)
    inner = gcongr(length(s) * length(t) * nested().lhs, nested())
    return chain(before, integrate("query", (s,), integrate("query", (t,), inner)), _back(after))
