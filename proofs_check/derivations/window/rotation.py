"""(28) to (31) and (36) of Collins et al.: the scores of tokens with spurious parts, and the
rotation R that takes u to the direction of Fx, moved from the exponents to the labels.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume, equal, instantiate, integrate
from numerics.derivations.kernel.sorts import REALS, Sort, whole
from numerics.derivations.kernel.terms import Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.prompt import X, d, i, j, l, mean, n, o, over, tokens
from proofs_check.derivations.window.signal import p, r, v

#: The dimension of the tasks is d here, and that of the spurious directions and of all tokens k, D.
k, D = Variable("k", range=whole(1)), Variable("D", range=whole(1))
a, e, h = (Variable(name, Sort.INDEX) for name in "aeh")
c_u, c_v = (Variable(name, range=REALS) for name in ("c_u", "c_v"))
rate = Variable("c_uC", range=REALS)
B, P, M, R = (Function(name, (Sort.INDEX, Sort.INDEX)) for name in ("B", "B_perp", "M", "R"))
u_i, v_i, x = (Function(name, (Sort.INDEX,)) for name in ("u_i", "v_i", "x"))
#: What the spurious part of a token adds to its weight, and one over the sum of the weights.
spurious = Function("log alpha", (Sort.INDEX, Sort.TOKEN), None)
inverse, inverse_turned = (Function(name, (Sort.TOKEN,), None) for name in ("N", "N'"))


def split_statement(sign: int = 1) -> Statement:
    """x_i' M x = c_u u_i' F x + sign c_v v_i' G x with F = B'M and G = B_perp'M."""
    inner = lambda body: bind("coordinates", (a,), body, (d,))
    outer = lambda body: bind("coordinates", (e,), body, (k,))
    every = lambda body, *index: bind("coordinates", index, body, tuple(D for _ in index))
    token = c_u * inner(B(h, a) * u_i(a)) + c_v * outer(P(h, e) * v_i(e))
    of = lambda basis, index: every(basis(h, index) * M(h, l) * x(l), h, l)
    score = every(token * M(h, l) * x(l), h, l)
    return Statement(score, "==", c_u * inner(u_i(a) * of(B, a)) + sign * c_v * outer(v_i(e) * of(P, e)))


def turned(value: Function) -> Term:
    """R applied to a fixed vector, at the index j."""
    return over(R(j, l) * value(l), l)


image = over(R(j, l) * X(i, l, o), l)
#: The weights at the heights of the tokens over R u, and at those over u.
at_Ru, at_u = (exp(rate * over(X(i, j, o) * vector) + spurious(i, o)) for vector in (turned(p), p(j)))


@cache
def rotation() -> tuple[Theorem, Theorem]:
    """R is orthogonal: (R v).(R p) = v.p for every vector v, and |R v| = |v|."""
    inner = over(over(R(j, l) * v(l), l) * turned(p))
    return (
        assume("R is orthogonal: Rv.Rp = v.p", inner, "==", over(v(j) * p(j)), every=(v,)),
        assume(
            "R is orthogonal: |Rv| = |v|",
            over(over(R(j, l) * v(l), l) ** 2),
            "==",
            over(v(j) ** 2),
            every=(v,),
        ),
    )


#: The weights of the tokens R u_i, at their heights over R u, and the centres of both.
at_image = exp(rate * over(image * turned(p)) + spurious(i, o))
centre = inverse(o) * tokens(at_Ru * X(i, j, o))
centre_turned = inverse_turned(o) * tokens(at_image * image)
centre_moved = inverse_turned(o) * tokens(at_u * X(i, j, o))
noise, noise_turned, noise_moved = (
    mean(scale(o) ** 2 * tokens(weight**2))
    for scale, weight in ((inverse, at_Ru), (inverse_turned, at_image), (inverse_turned, at_u))
)


@cache
def invariant() -> tuple[Theorem, ...]:
    """The tokens u_i and R u_i have one law, written for the signal and the noise; r = R'u."""
    square = lambda c: mean(over((c - p(j)) ** 2))
    return (
        assume("R r = u", turned(r), "==", p(j), every=(j,)),
        assume("N is one over the sum of the weights", inverse(o) * tokens(at_Ru), "==", 1, every=(o,)),
        assume("N' is that of the turned tokens", inverse_turned(o) * tokens(at_image), "==", 1, every=(o,)),
        assume("u_i and R u_i have one law (signal)", square(centre), "==", square(centre_turned)),
        assume("u_i and R u_i have one law (noise)", noise, "==", noise_turned),
    )


@cache
def same_weights() -> Theorem:
    """The weight of R u_i at its height over R u is that of u_i at its height over u."""
    return show(at_image, "==", at_u, instantiate(rotation()[0], {v: ((j,), X(i, j, o))}))


def statements(sign: int = 1) -> tuple[Statement, ...]:
    """The split of the score, and the signal and the noise with the rotation moved, for sign =
    1.
    """
    given = hypotheses(*(*rotation(), *invariant()))
    moved = over((centre_moved - sign * r(j)) ** 2)
    return (
        split_statement(sign),
        Statement(mean(over((centre - p(j)) ** 2)), "==", mean(moved), given),
        Statement(noise, "==", sign * noise_moved, given),
    )


@proves("COL:H.2.rot", statements, part=2)
@cache
def signal_moved() -> Theorem:
    """E |h - u|^2 with the rotation in the exponents is E |h - R'u|^2 without it."""
    back, _, _, law, _ = invariant()
    part = show(at_image * image, "==", at_u * image, same_weights())
    summed = integrate("coordinates", (i,), part, (n,))
    moved = (inverse_turned(o) * summed.rhs - turned(r)) ** 2
    point = show((centre_turned - p(j)) ** 2, "==", moved, summed, back, summed.lhs, summed.rhs, turned(r))
    whole = chain(
        integrate("coordinates", (j,), point, (d,)),
        instantiate(rotation()[1], {v: ((j,), centre_moved - r(j))}),
    )
    return chain(law, integrate("mean", (o,), whole))


@proves("COL:H.2.rot", statements, part=3)
@cache
def noise_without_rotation() -> Theorem:
    """The noise term is that of the weights at the heights over u."""
    part = show(at_image**2, "==", at_u**2, same_weights())
    summed, scale = integrate("coordinates", (i,), part, (n,)), inverse_turned(o) ** 2
    point = show(scale * summed.lhs, "==", scale * summed.rhs, summed)
    return chain(invariant()[4], integrate("mean", (o,), point))


@proves("COL:H.2.rot", statements, part=1)
def split_of_the_score() -> Theorem:
    return equal(split_statement().lhs, split_statement().rhs)
