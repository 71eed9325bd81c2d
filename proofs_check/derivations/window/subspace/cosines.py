"""Theorem H.5 of Collins et al. for two tokens, in letters: the loss over both orders of the
tokens, with the hyperbolic cosines A of log(alpha_1/alpha_2) and B of X = c(a - b) for the heights
a and b.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.rules import gcongr, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Range
from numerics.derivations.kernel.terms import Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.subspace import order
from proofs_check.derivations.window.subspace.two_tokens import less_1

x, y, E, F = (Variable(name, range=POSITIVE) for name in "xyEF")
letters = tuple(Variable(f"{name}_", range=NONNEGATIVE) for name in "efPw")
s_, t_ = order.a, order.b
angle, kappa, sigma = (Variable(name, range=REALS) for name in ("t", "kappa", "sigma"))
level_ = Variable("c", range=Range(Fraction(0), Fraction(2), False, False))
narrow = Variable("c1", range=Range(Fraction(0), Fraction(1), False, False))
turn = Variable("X", range=Range(Fraction(-2), Fraction(2), False, False))
#: A number that B does not exceed.
top = exp(term(4))


def by_heights(one: Term, two: Term, s: Term, t: Term, angle: Term) -> Term:
    """The same with st in place of u_1.u_2, and the heights times the cosine in place of those over
    u.
    """
    total = one + two
    noise = (one**2 + two**2) / total**2
    signal = noise + 2 * one * two * (s * t) / total**2 + 1 - 2 * angle * ((one * s + two * t) / total)
    return kappa**2 * signal + sigma**2 * noise


def more(e: Term, B: Term, S: Term, s: Term, t: Term, angle: Term) -> tuple[Term, Term, Term]:
    """What the loss over both orders is more than with equal weights at the query."""
    A, D = 1 + e, s - t
    scale = 2 * e / ((1 + B) * (A + B) ** 2)
    signal = D * S * (A + B) + (1 - s * t) * (A + 1 + B - B**2)
    return (
        kappa**2 * (scale * signal),
        kappa**2 * (2 * (1 - angle) * (s + t + D * S / (A + B))),
        sigma**2 * (scale * (A + 1 + B - B**2)),
    )


def parts_of(x: Term, y: Term, E: Term, F: Term) -> tuple[Term, Term, Term]:
    """A - 1, B and sinh X."""
    return less_1(x, y), 1 + less_1(E, F), (E**2 - F**2) / (2 * E * F)


@cache
def identity_of_both_orders() -> Theorem:
    """The loss over both orders, less that with equal weights at the query."""
    both = lambda x, y, angle: (
        by_heights(x * E, y * F, s_, t_, angle) + by_heights(x * F, y * E, t_, s_, angle)
    )
    parts = more(*parts_of(x, y, E, F), s_, t_, angle)
    return show(both(x, y, angle) - both(term(1), term(1), term(1)), "==", parts[0] + parts[1] + parts[2])


@cache
def steep() -> Theorem:
    """(1 - ab)(B - 1) <= (a - b) sinh X, which is (54), for the letters a, b and c."""
    known = order.in_one_order(level_)[1]
    E, F = exp(level_ * s_), exp(level_ * t_)
    S = parts_of(x, y, E, F)[2]
    gap = known.rhs / (2 * E * F)
    scaled = show(0, "<=", gap, known, known.rhs, E * F)
    both = chain(scaled, show(gap, "==", (s_ - t_) * S - (1 - s_ * t_) * less_1(E, F), E, F))
    left, right = (1 - s_ * t_) * less_1(E, F), (s_ - t_) * S
    return show(left, "<=", right, both, left, right)


@cache
def of_the_angles() -> tuple[Theorem, Theorem]:
    """B <= e^4 and c(a - b)^2 <= (a - b) sinh X, for the letters a, b and c."""
    E, F, D = exp(level_ * s_), exp(level_ * t_), s_ - t_
    _, B, S = parts_of(x, y, E, F)
    up, down = (show(sign * level_ * D, "<=", 4) for sign in (1, -1))
    high, low = gcongr(exp(up.lhs), up), gcongr(exp(down.lhs), down)
    cosine_ = chain(B, (high.lhs + low.lhs) / 2)
    z = Variable("z", range=REALS)
    sine = instantiate(show(level_ * z**2, "<=", z * (exp(level_ * z) - exp(-level_ * z)) / 2), {z: D})
    return (
        chain(cosine_, show(cosine_.rhs, "<=", top, high, low, high.lhs, low.lhs, top)),
        chain(sine, D * S),
    )


@cache
def by_letters() -> Theorem:
    """2eP/(A + B)^2 <= 2e/((1 + B)(A + B)^2) ((Pf + w)(A + B) + P(A + 1 + B - B^2)) for A = 1 + e
    and B = 1 + f, where the bracket is P(AB + 1) + w(A + B).
    """
    e, f, P, w = letters
    A, B = 1 + e, 1 + f
    bracket = P * (A * B + 1) + w * (A + B)
    return calc(
        2 * e / (A + B) ** 2 * P,
        ("<=", 2 * e / (A + B) ** 2 * (P * (A * B + 1) / (1 + B))),
        ("<=", 2 * e / (A + B) ** 2 * (bracket / (1 + B))),
        ("==", 2 * e / ((1 + B) * (A + B) ** 2) * ((P * f + w) * (A + B) + P * (A + 1 + B - B**2))),
    )


@cache
def of_the_weights() -> Theorem:
    """2(A - 1)/(A + K)^2 (1 - ab) <= the first part over kappa^2."""
    E, F = exp(level_ * s_), exp(level_ * t_)
    e, B, S = parts_of(x, y, E, F)
    A, D, P, f, high = 1 + e, s_ - t_, 1 - s_ * t_, less_1(E, F), of_the_angles()[0]
    w, some = D * S - P * f, show(0, "<=", P)
    known = some, show(0, "<=", w, steep(), D * S, P * f)
    found = instantiate(by_letters(), dict(zip(letters, (e, f, P, w), strict=True)), *known)
    square = show(1 / (A + top) ** 2, "<=", 1 / (A + B) ** 2, high, e, B, top)
    scale = 2 * e / ((1 + B) * (A + B) ** 2)
    signal = D * S * (A + B) + P * (A + 1 + B - B**2)
    front = 2 * e * P
    more = show(front * square.lhs, "<=", front * square.rhs, square, some, e, P, square.lhs, square.rhs)
    whole = calc(more, ("==", found.lhs, e, f, P), ("<=", found.rhs, found))
    return calc(whole, ("==", scale * signal, e, f, P, D * S))


@cache
def of_the_direction() -> Theorem:
    """c(a - b)^2/(A + K) <= (a - b) sinh X/(A + B)."""
    E, F = exp(level_ * s_), exp(level_ * t_)
    e, B, S = parts_of(x, y, E, F)
    A, D = 1 + e, s_ - t_
    high, sine = of_the_angles()
    small = show(1 / (A + top), "<=", 1 / (A + B), high, e, B, top)
    some = show(0, "<=", sine.lhs)
    both = show(
        sine.lhs * small.lhs,
        "<=",
        sine.rhs * small.rhs,
        sine,
        some,
        chain(some, sine),
        small,
        *sides(sine),
        *sides(small),
    )
    return calc(both, ("==", D * S / (A + B), D * S, e, B))


def sides(thm: Theorem) -> tuple[Term, Term]:
    return thm.lhs, thm.rhs


@cache
def of_the_noise() -> Theorem:
    """2(A - 1)/(A + 2)^2 (1 - 7X^2/10) <= the last part over sigma^2, for c <= 1."""
    E, F, D = exp(narrow * s_), exp(narrow * t_), s_ - t_
    e, f = less_1(x, y), less_1(E, F)
    B, point = 1 + f, (exp(turn) + exp(-turn)) / 2
    near_, X = show(point, "<=", 1 + Fraction(7, 10) * turn**2), narrow * D
    low, up = show(-2, "<=", X), show(X, "<=", 2)
    cosine_ = chain(B, instantiate(near_, {turn: X}, low, up))
    less = show(1 - Fraction(7, 10) * X**2, "<=", 2 - B, cosine_, f, X**2)
    e_, f_ = letters[:2]
    sharp = 1 / (e_ + 3) ** 2
    known = show((1 - f_) * sharp, "<=", (1 - f_) / (2 + e_ + f_) ** 2)
    rest = show(
        (1 - f_) / (2 + e_ + f_) ** 2, "<=", (3 + e_ + f_ - (1 + f_) ** 2) / ((2 + f_) * (2 + e_ + f_) ** 2)
    )
    both = instantiate(chain(known, rest), {e_: e, f_: f})
    front = 2 * e * (1 / (e + 3) ** 2)
    return calc(
        gcongr(front * less.lhs, less),
        ("==", 2 * e * both.lhs, e, f),
        ("<=", 2 * e * both.rhs, gcongr(2 * e * both.lhs, both)),
        ("==", 2 * e / ((1 + B) * (1 + e + B) ** 2) * (1 + e + 1 + B - B**2), e, f),
    )
