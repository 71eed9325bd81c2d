"""Lemma G.1 of Collins et al. in every dimension: the measure of a cap of the sphere.

Polar coordinates of the sphere are cited: with the radius rho u of a point of the disk under a cap
the area has the density C m u^{m - 1} (1 - rho^2 u^2)^{-1/2} rho^m, where m = d - 1.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log, sqrt, symm
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Range, Sort, whole
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.kernel_sums import X, d, j, k, mean

q, z = Variable("q", Sort.QUERY), Variable("z", Sort.QUERY)
#: The dimension of the sphere, and the query.
m, x = Variable("m", range=whole(1)), Function("x", (Sort.INDEX, Sort.QUERY), None)
#: The cotangent of the angle of a cap, and numbers u and b with u^2 + b^2 = 1.
s = Variable("s", range=POSITIVE)
u, b = exp(-(Function("g", (Sort.QUERY,))(z) ** 2)), exp(-(Function("h", (Sort.QUERY,))(z) ** 2))
constant, pi = Variable("C", range=POSITIVE), Variable("pi", range=Range(Fraction(3), Fraction(22, 7)))
of_half, of_next = (Variable(name, range=POSITIVE) for name in ("Gamma1", "Gamma2"))
height = bind("coordinates", (j,), X(j, k) * x(j, q), (d,))


def cap(least: Term | int) -> Term:
    """The measure of the tokens with at least this height over the query."""
    return mean(Op("ind", (height - least,)))


def over_disk(body: Term) -> Term:
    return bind("query", (z,), body)


def power(base: Term) -> Term:
    """The power m/2 of a number."""
    return exp(m / 2 * log(base))


#: The height over the query, s/sqrt(1 + s^2), at which the cap ends, the square of the cosine at a
#: point of the disk, and one over the cosine.
edge = s / sqrt(1 + s**2)
inner = s**2 / (1 + s**2) * u**2 + b**2
secant = inner ** Fraction(-1, 2)


@cache
def dimension() -> Theorem:
    return assume("m = d - 1 >= 1", d, "==", m + 1)


@cache
def polar() -> tuple[Theorem, ...]:
    """The caps as integrals over disks, for u with the density m u^{m - 1} on (0, 1)."""
    name = "polar coordinates on the sphere"
    measure = constant * power(1 / (1 + s**2)) * over_disk(secant)
    return (
        assume("u^2 + b^2 = 1", u**2 + b**2, "==", 1, every=(z,)),
        assume(name, cap(edge), "==", measure, every=(s, q), cited=True),
        assume(f"{name}: half of it", cap(0), "==", constant * over_disk(1 / b), every=(q,), cited=True),
        assume("uniform tokens: half of them are near the query", cap(0), "==", Fraction(1, 2), every=(q,)),
    )


@cache
def of_the_constant() -> tuple[Theorem, ...]:
    """C = Gamma(d/2)/(2 sqrt(pi) Gamma((d + 1)/2)), and the quotient of the gamma functions."""
    least = of_next * sqrt(2 / d)
    return (
        assume(
            "C = Gamma(d/2)/(2 sqrt(pi) Gamma((d + 1)/2))", constant * 2 * sqrt(pi) * of_next, "==", of_half
        ),
        assume("Gautschi: Gamma(d/2) >= sqrt(2/d) Gamma((d + 1)/2)", least, "<=", of_half, cited=True),
    )


@cache
def constant_from_below() -> Theorem:
    """1/sqrt(2 pi d) <= C."""
    value, quotient = of_the_constant()
    less = show(
        sqrt(2 / d), "<=", constant * 2 * sqrt(pi), value, quotient, sqrt(2 / d), constant * 2 * sqrt(pi)
    )
    return calc(
        1 / sqrt(2 * pi * d),
        ("==", sqrt(2 / d) / (2 * sqrt(pi))),
        ("<=", constant, gcongr(less.lhs / (2 * sqrt(pi)), less)),
    )


@cache
def of_the_secant() -> tuple[Theorem, Theorem]:
    """1 <= the secant <= 1/b, as b^2 <= the square of the cosine <= u^2 + b^2."""
    one, half = u**2 + b**2, Fraction(-1, 2)
    most = gcongr(inner, arithmetic(s**2 / (1 + s**2), "<=", 1))
    most = calc(most, ("==", one))
    least = calc(one**half, ("<=", secant, most))
    return (
        calc(
            1,
            ("==", one**half, arithmetic(1, "==", one**half, polar()[0], hide=(one,))),
            ("<=", secant, least),
        ),
        calc(gcongr(secant, show(b**2, "<=", inner)), ("==", 1 / b)),
    )


@cache
def between() -> tuple[Theorem, Theorem]:
    """C (1 + s^2)^{-m/2} <= the cap <= (1 + s^2)^{-m/2}/2."""
    _, measure, half, symmetric = polar()
    least, most = of_the_secant()
    scale = power(1 / (1 + s**2))
    low = integrate("query", (z,), least)
    low = chain(constant * scale, gcongr(constant * scale * low.lhs, low), measure.rhs, symm(measure))
    high = gcongr(constant * scale * over_disk(secant), integrate("query", (z,), most))
    up = chain(measure, high, scale * (constant * over_disk(1 / b)))
    whole = chain(symm(half), symmetric)
    return low, chain(up, gcongr(up.rhs, whole), scale / 2)


#: The height eps of a cap of less or more than half of the sphere, and 2 eps - eps^2.
eps, wide = (
    Variable("eps", range=Range(Fraction(0), Fraction(1))),
    Variable("eps_", range=Range(Fraction(1), Fraction(2), False, False)),
)
square, wide_square = Variable("R", range=POSITIVE), Variable("R_", range=NONNEGATIVE)


@cache
def radii() -> tuple[Theorem, Theorem]:
    return (
        assume("R = 2 eps - eps^2", square, "==", 2 * eps - eps**2),
        assume("R_ = 2 eps_ - eps_^2", wide_square, "==", 2 * wide - wide**2),
    )


@cache
def at_the_height() -> tuple[Theorem, Theorem]:
    """C R^{m/2} <= the cap of height eps <= R^{m/2}/2, at the cotangent (1 - eps)/sqrt R."""
    cotangent, given = (1 - eps) / sqrt(square), radii()[0]
    above_zero = show(0, "<", cotangent)
    one = 1 + cotangent**2
    base = arithmetic(one, "==", 1 / square, given)
    same = arithmetic(1 / one, "==", square, base, hide=(one,))
    least = arithmetic(cotangent / sqrt(one), "==", 1 - eps, base, hide=(one,))
    low, up = (instantiate(thm, {s: cotangent}, above_zero) for thm in between())
    back = gcongr(constant * power(square), symm(same))
    return (
        calc(
            constant * square ** (m / 2),
            ("==", back.lhs),
            ("<=", low.lhs, back),
            ("<=", cap(1 - eps), low, gcongr(low.rhs, least)),
        ),
        calc(
            gcongr(cap(1 - eps), symm(least)),
            ("<=", up.rhs, up),
            ("<=", power(square) / 2, gcongr(up.rhs, same)),
            ("==", square ** (m / 2) / 2),
        ),
    )


@cache
def more_than_half() -> Theorem:
    """The larger caps hold at least half of the tokens."""
    wider = show(height - 0, "<=", height - (1 - wide), height)
    wider = integrate("mean", (k,), gcongr(Op("ind", (height - 0,)), wider))
    return calc(Fraction(1, 2), ("==", cap(0), symm(polar()[3])), ("<=", cap(1 - wide), wider))


def lower_statements(two: int = 2, wide_share: int | Fraction = 2) -> tuple[Statement, ...]:
    """(2 eps - eps^2)^{m/2}/sqrt(two pi d) <= the cap, for eps < 1 and, with a half in place of
    1/sqrt(two pi d), for 1 <= eps <= 2.
    """
    root, share = sqrt(two * pi * d), term(Fraction(wide_share))
    given = hypotheses(*polar()[:2], *of_the_constant(), radii()[0])
    return (
        Statement(square ** (m / 2) / root, "<=", cap(1 - eps), given),
        Statement(
            wide_square ** (m / 2) / root, "<=", wide_square ** (m / 2) / share, dimension().assumptions
        ),
        Statement(wide_square ** (m / 2) / share, "<=", cap(1 - wide), hypotheses(polar()[3], radii()[1])),
    )


@proves("COL:G.1/lower", lower_statements, part=(1, 2, 3))
@cache
def caps_from_below() -> tuple[Theorem, ...]:
    """The bound of the lemma, as 1/sqrt(2 pi d) is at most C, and at most a half."""
    low, least = at_the_height()[0], constant_from_below()
    small = calc(gcongr(wide_square ** (m / 2), calc(radii()[1], ("<=", 1))), ("==", 1))
    half = calc(gcongr(1 / sqrt(2 * pi * d), arithmetic(2, "<=", d, dimension())), ("<=", Fraction(1, 2)))
    return (
        chain(gcongr(square ** (m / 2) * least.lhs, least), low),
        calc(gcongr(wide_square ** (m / 2) * half.lhs, half), ("==", wide_square ** (m / 2) / 2)),
        calc(
            gcongr(wide_square ** (m / 2) / 2, small),
            ("==", Fraction(1, 2)),
            ("<=", cap(1 - wide), more_than_half()),
        ),
    )


def upper_statements(share: int | Fraction = 1) -> tuple[Statement, Statement]:
    """The cap is at most share (2 eps - eps^2)^{m/2}, for eps < 1 and for eps = 1."""
    given = hypotheses(*polar()[1:], radii()[0])
    return (
        Statement(cap(1 - eps), "<=", Fraction(share) * square ** (m / 2), given),
        Statement(cap(0), "<=", term(Fraction(share)), polar()[3].assumptions),
    )


@proves("COL:G.1/upper", upper_statements, part=(1, 2))
@cache
def caps_from_above() -> tuple[Theorem, Theorem]:
    return calc(at_the_height()[1], ("<=", square ** (m / 2))), calc(polar()[3], ("<=", term(1)))


def half_statements(half: Fraction = Fraction(1, 2)) -> tuple[Statement, Statement]:
    """The cap is at most half (2 eps - eps^2)^{m/2}."""
    return upper_statements(half)


proves("COL:G.1.up", half_statements, part=1)(lambda: at_the_height()[1])
proves("COL:G.1.up", half_statements, part=2)(lambda: polar()[3])


def constant_statements(two: int = 2, ball: int | Fraction = 1) -> tuple[Statement, ...]:
    """ball C (2 eps - eps^2)^{m/2} <= the cap, for eps < 1 and for 1 <= eps <= 2, and 1/sqrt(two pi
    d) <= C.
    """
    small, _, wide_ = lower_statements()
    given = hypotheses(*polar()[2:], radii()[1])
    return (
        Statement(
            Fraction(ball) * constant * square ** (m / 2),
            "<=",
            small.rhs,
            hypotheses(*polar()[:2], radii()[0]),
        ),
        Statement(Fraction(ball) * constant * wide_square ** (m / 2), "<=", wide_.rhs, given),
        Statement(1 / sqrt(two * pi * d), "<=", constant, hypotheses(*of_the_constant())),
    )


@cache
def at_most_half() -> Theorem:
    """C <= 1/2, as half of the sphere has C times a mean that is at least 1."""
    v = Variable("v", range=NONNEGATIVE)
    secant_ = instantiate(show(1, "<=", exp(v)), {v: Function("h", (Sort.QUERY,))(z) ** 2})
    least = integrate("query", (z,), chain(secant_, 1 / b))
    whole_ = calc(constant, ("<=", polar()[2].rhs, gcongr(constant * least.lhs, least)))
    return calc(whole_, ("==", cap(0), symm(polar()[2])), ("==", Fraction(1, 2), polar()[3]))


@cache
def ball_below_a_wide_cap() -> Theorem:
    """C R^{m/2} <= R^{m/2}/2 <= the cap."""
    most = gcongr(constant * wide_square ** (m / 2), at_most_half())
    return chain(most, caps_from_below()[2])


proves("COL:G.1.low", constant_statements, part=1)(lambda: at_the_height()[0])
proves("COL:G.1.low", constant_statements, part=2)(ball_below_a_wide_cap)
proves("COL:G.1.low", constant_statements, part=3)(constant_from_below)


#: The height of any cap, and 2 eps - eps^2, which is 0 for the whole sphere.
any_height = Variable("h", range=Range(Fraction(0), Fraction(2), True, False))
any_square = Variable("R_h", range=NONNEGATIVE)


@cache
def radius() -> Theorem:
    return assume("R_h = 2 h - h^2", any_square, "==", 2 * any_height - any_height**2)


def last_statement(less: int | Fraction = 1) -> Statement:
    """(2 h - h^2)^{(d - 1)/2} <= (2 h)^{(d - 1)/2} e^{-h (d - less)/4}."""
    bound = (2 * any_height) ** (m / 2) * exp(-any_height * (d - Fraction(less)) / 4)
    return Statement(any_square ** (m / 2), "<=", bound, hypotheses(radius(), dimension()))


@proves("COL:G.1/last", last_statement)
@cache
def last_link() -> Theorem:
    """R = 2 h (1 - h/2) <= 2 h e^{-h/2}, to the power m/2."""
    h = any_height
    less = arithmetic(any_square, "<=", 2 * h * exp(-h / 2), radius())
    return calc(
        gcongr(any_square ** (m / 2), less),
        ("==", (2 * h) ** (m / 2) * exp(-h * m / 4)),
        ("<=", last_statement().rhs, arithmetic(-h * m / 4, "<=", -h * (d - 1) / 4, dimension())),
    )
