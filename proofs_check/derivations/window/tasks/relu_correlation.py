"""Lemma C.7 of Collins et al.: two-sided ReLU tasks are Lipschitz, the mean of f(x)f(y) increases
strictly with x.y, and tasks composed with isometries are tasks.

With v = x + y and v' = x - y, which are orthogonal, 4(u.x)(u.y) is (u.v)^2 - (u.v')^2, as in the
reparametrisation of the paper.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, exp
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import arithmetic, assume, equal, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, Range, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.affine import (
    _at,
    at_image,
    at_p,
    at_r,
    l_1,
    l_2,
    length_of_the_image,
    minus,
    orthogonal,
    plus,
    product,
    relu,
    task_mean,
    turned,
    uniform,
)
from proofs_check.derivations.window.below import m
from proofs_check.derivations.window.prompt import Lip, a, b, d, j, k, mean, over, q
from proofs_check.derivations.window.signal import direction, isotropic, p, r, uniform_direction, v

#: The inner product of two points, and an exponent.
s = Variable("s", range=Range(Fraction(-1), Fraction(1), False, False))
#: 1 + x.y of the nearer pair, and the share of it of the other one, by which both are in order.
h = Variable("h", range=Range(Fraction(0), Fraction(2), True, False))
share = Variable("theta", range=Range(Fraction(0), Fraction(1), False, True))
N = Variable("N", range=NONNEGATIVE)
#: Two coordinates of the direction, and the logarithm of 1 - u_2^2.
u_1, u_2 = (Function(name, (Sort.TOKEN,), None) for name in ("u_1", "u_2"))
logs = Function("log R", (Sort.TOKEN,), None)
along, across = over(direction(j, k) * (p(j) + r(j))), over(direction(j, k) * (p(j) - r(j)))


def positive_part(z: Term) -> Term:
    return Op("max", (z, term(0)))


def gap(at: Term) -> Term:
    """h u_1^2 - (2 - h) u_2^2, which is 2(u.x)(u.y) in law for h = 1 + x.y."""
    return at * u_1(k) ** 2 - (2 - at) * u_2(k) ** 2


def over_directions(body: Term) -> Term:
    return mean(body, k)


@cache
def steepness() -> tuple[Theorem, ...]:
    least = lambda name, l: assume(f"{name} in [-L, L]: -L <= {name}", -1, "<=", l(q) / Lip, every=(q,))
    most = lambda name, l: assume(f"{name} in [-L, L]: {name} <= L", l(q) / Lip, "<=", 1, every=(q,))
    slopes = (("l_1", l_1), ("l_2", l_2))
    return tuple(end(*slope) for end in (least, most) for slope in slopes)


@cache
def points() -> tuple[Theorem, ...]:
    """Points x and y of the sphere with x.y = s, and the law of (u.v, u.v')."""
    lengths = over((p(j) + r(j)) ** 2), over((p(j) - r(j)) ** 2)
    there = positive_part(lengths[0] * u_1(k) ** 2 - lengths[1] * u_2(k) ** 2)
    return (
        assume("|x| = 1", over(p(j) ** 2), "==", 1),
        assume("|y| = 1", over(r(j) ** 2), "==", 1),
        assume("x.y = s", product, "==", s),
        assume(
            "uniform direction: for v _|_ v' (u.v, u.v') has the law of (|v|u_1, |v'|u_2)",
            over_directions(positive_part(along**2 - across**2)),
            "==",
            over_directions(there),
        ),
    )


@cache
def second_coordinate() -> tuple[Theorem, ...]:
    """1 - u_2^2 = R, of which the means are known."""
    power = lambda n: exp(n * logs(k))
    green = "Gauss and Green: the divergence of u_2 (1 - u_2^2)^N grad u_2 on the sphere has the mean 0"
    whole = over_directions(power(N + 1))
    return (
        assume("1 - u_2^2 = R: u_2 is not 1 or -1", u_2(k) ** 2 + power(term(1)), "==", 1, every=(k,)),
        assume(
            "uniform direction: the other coordinates have one mean square given u_2",
            m * over_directions(power(N) * u_1(k) ** 2),
            "==",
            whole,
            every=(N,),
        ),
        assume(
            green, (m + 2 * N) * over_directions(power(N) * u_2(k) ** 2), "==", whole, every=(N,), cited=True
        ),
    )


@cache
def product_of_values() -> Theorem:
    """E f(x)f(y) = L^2/3 + L^2/3 E max(0, (u.x)(u.y))."""
    sums = lambda sign: (plus(at_p) + sign * plus(at_r), minus(at_p) + sign * minus(at_r))
    up, down = _at(*sums(1), 2), _at(*sums(-1))
    both = plus(at_p) * plus(at_r) + minus(at_p) * minus(at_r)
    inner = calc(
        task_mean(relu(at_p) * relu(at_r)),
        ("==", (up.lhs - down.lhs) / 4),
        ("==", Lip**2 / 3 * (1 + both), up, down),
    )
    whole = instantiate(_largest(), {a: at_p, b: at_r})
    return calc(
        mean(inner.lhs, k),
        ("==", mean(inner.rhs, k), inner),
        ("==", Lip**2 / 3 * (1 + mean(whole.lhs, k))),
        ("==", Lip**2 / 3 * (1 + mean(whole.rhs, k)), whole),
    )


def _same(left: Term, right: Term) -> Theorem:
    """An equation from both inequalities."""
    gap = left - right
    ends = arithmetic(gap, "<=", 0), arithmetic(-gap, "<=", 0)
    none = arithmetic(gap, "==", 0, *ends, hide=(gap,))
    return chain(left, show(gap + right, "==", right, none, gap, right))


@cache
def _largest() -> Theorem:
    """a_+ b_+ + a_- b_- = max(0, ab)."""
    return _same(plus(a) * plus(b) + minus(a) * minus(b), positive_part(a * b))


@cache
def in_law() -> Theorem:
    """E max(0, (u.x)(u.y)) = E max(0, (1 + s)u_1^2 - (1 - s)u_2^2)/2 for x.y = s."""
    one, other, inner, law = points()
    sums = over((p(j) + r(j)) ** 2), over((p(j) - r(j)) ** 2)
    long, short = (
        calc(
            total,
            ("==", one.lhs + sign * 2 * inner.lhs + other.lhs),
            ("==", 2 * (1 + sign * s), one, other, inner),
        )
        for sign, total in zip((1, -1), sums)
    )
    quarter = instantiate(_same(positive_part(a * b), positive_part(4 * a * b) / 4), {a: at_p, b: at_r})
    half = instantiate(_same(positive_part(2 * a), 2 * positive_part(a)), {a: gap(1 + s)})
    return calc(
        mean(positive_part(at_p * at_r), k),
        ("==", mean(positive_part(4 * at_p * at_r), k) / 4, quarter),
        ("==", law.lhs / 4),
        ("==", law.rhs / 4, law, law.lhs, law.rhs),
        ("==", mean(positive_part(2 * gap(1 + s)), k) / 4, long, short),
        ("==", mean(positive_part(gap(1 + s)), k) / 2, half),
    )


@cache
def correlation() -> Theorem:
    """E f(x)f(y) = L^2/3 + L^2/6 E max(0, (1 + s)u_1^2 - (1 - s)u_2^2) for x.y = s."""
    first, second = product_of_values(), in_law()
    return calc(
        first,
        ("==", Lip**2 / 3 * (1 + second.rhs), second, second.lhs, second.rhs),
        ("==", Lip**2 / 3 + Lip**2 / 6 * mean(positive_part(gap(1 + s)), k)),
    )


@cache
def scaled() -> Theorem:
    """max(0, gap(theta h)) <= theta max(0, gap(h))."""
    A, B = (Variable(name, range=NONNEGATIVE) for name in "AB")
    of = lambda at: at * A - (2 - at) * B
    less = arithmetic(of(share * h), "<=", share * of(h))
    lemma = instantiate(arithmetic(positive_part(share * a), "<=", share * positive_part(a)), {a: of(h)})
    point = chain(gcongr(positive_part(of(share * h)), less), lemma)
    return instantiate(point, {A: u_1(k) ** 2, B: u_2(k) ** 2})


@cache
def no_more_than_one() -> Theorem:
    """R^N <= 1."""
    R, z = exp(logs(k)), Variable("z", range=Range(None, Fraction(0), True, False))
    most = show(R, "<=", 1, second_coordinate()[0])
    below = arithmetic(logs(k), "<=", 0, most)
    return instantiate(arithmetic(exp(N * z), "<=", 1), {z: logs(k)}, below)


@cache
def some() -> Theorem:
    """0 < E max(0, gap(h)): it is at least E R^N gap(h), which is E R^{N + 1} h^2/(2m) at the
    exponent N = m(2 - h)/(2h).
    """
    _, others, green = second_coordinate()
    power, whole, last = exp(N * logs(k)), others.rhs, m + 2 * N
    factor = Variable("r", range=Range(Fraction(0), Fraction(1), True, False))
    point = arithmetic(factor * a, "<=", positive_part(a))
    point = instantiate(point, {factor: power, a: gap(h)}, no_more_than_one())
    first, second = (mean(power * of(k) ** 2, k) for of in (u_1, u_2))
    one = calc(first, ("==", m * first / m), ("==", whole / m, others, m * first, whole))
    two = calc(second, ("==", last * second / last), ("==", whole / last, green, last * second, whole, last))
    found = calc(
        h * whole / m - (2 - h) * whole / last,
        ("==", h * first - (2 - h) * second, one, two, first, second, whole),
        ("==", mean(power * gap(h), k)),
        ("<=", mean(positive_part(gap(h)), k), point),
    )
    exponent = positive_part(m * (2 - h) / (2 * h))
    found, least = instantiate(found, {N: exponent}), instantiated(whole, {N: exponent})
    large = show(m * (2 - h) / (2 * h), "<=", exponent)
    return calc(
        0,
        ("<", h**2 / (2 * m) * least),
        ("<=", found.lhs, large, least, exponent),
        ("<=", found.rhs, found),
    )


@cache
def increasing() -> Theorem:
    """The mean is larger at x.y = h - 1 than at x.y = theta h - 1."""
    most = mean(positive_part(gap(h)), k)
    less = integrate("mean", (k,), scaled())
    less = chain(less, share * most)
    value = lambda at: Lip**2 / 3 + Lip**2 / 6 * mean(positive_part(gap(at)), k)
    bound = calc(value(share * h), ("<=", Lip**2 / 3 + Lip**2 / 6 * (share * most), less))
    return chain(bound, show(bound.rhs, "<", value(h), some(), most))


@cache
def lipschitz() -> Theorem:
    """(f(x) - f(y))^2 <= L^2 (u.(x - y))^2 <= L^2 |x - y|^2."""
    unit, apart = uniform_direction()[2], over((p(j) - r(j)) ** 2)
    one = Range(Fraction(-1), Fraction(1), False, False)
    first, second = (Variable(name, range=one) for name in ("c_1", "c_2"))
    task = lambda z: first * plus(z) + second * minus(z)
    point = arithmetic((task(a) - task(b)) ** 2, "<=", (a - b) ** 2)
    at = {first: l_1(q) / Lip, second: l_2(q) / Lip, a: at_p, b: at_r}
    point = instantiate(point, at, *steepness())
    point = gcongr(Lip**2 * point.lhs, point)
    schwarz = cauchy_schwarz("coordinates", (j,), direction(j, k), p(j) - r(j), (d,))
    return calc(
        chain((relu(at_p) - relu(at_r)) ** 2, point, Lip**2 * across**2),
        ("<=", Lip**2 * (unit.lhs * apart), gcongr(Lip**2 * across**2, chain(across**2, schwarz))),
        ("==", Lip**2 * apart, unit, unit.lhs, apart),
    )


def statements(
    steep: int | Fraction = 1, constant: int = 3, rising: int = 1, stretch: int = 1
) -> tuple[Statement, ...]:
    """(f(x) - f(y))^2 <= steep^2 L^2 |x - y|^2; E f(x)f(y) = L^2/constant + L^2/6 E max(0, (1 + s)
    u_1^2 - (1 - s)u_2^2) for x.y = s, which times `rising` is less at theta(1 + s) - 1 than at s
    for 0 <= theta < 1; and tasks composed with an isometry Q have the direction Q'u of the length
    of u, times `stretch`.
    """
    value = lambda at: Lip**2 / constant + Lip**2 / 6 * mean(positive_part(gap(at)), k)
    slope, apart = term(Fraction(steep)) ** 2, over((p(j) - r(j)) ** 2)
    of_u = length_of_the_image(lambda at: direction(at, k))
    return (
        Statement(
            (relu(at_p) - relu(at_r)) ** 2,
            "<=",
            slope * Lip**2 * apart,
            hypotheses(*steepness(), uniform_direction()[2]),
        ),
        Statement(
            mean(task_mean(relu(at_p) * relu(at_r)), k), "==", value(1 + s), hypotheses(uniform(), *points())
        ),
        Statement(rising * value(share * h), "<", rising * value(h), hypotheses(*second_coordinate())),
        Statement(relu(at_image), "==", relu(stretch * turned)),
        Statement(of_u, "==", stretch**2 * over(direction(j, k) ** 2), orthogonal().assumptions),
    )


proves("COL:C.7", statements, part=1)(lipschitz)
proves("COL:C.7", statements, part=2)(correlation)
proves("COL:C.7", statements, part=3)(increasing)
proves("COL:C.7", statements, part=4)(lambda: equal(relu(at_image), relu(turned)))
proves("COL:C.7", statements, part=5)(lambda: instantiate(orthogonal(), {v: ((j,), direction(j, k))}))


def square_statement(share: int = 3) -> Statement:
    """E f(x)^2 = L^2/3 + L^2/(share d)."""
    given = hypotheses(uniform(), *uniform_direction(), points()[0])
    return Statement(mean(task_mean(relu(at_p) ** 2), k), "==", Lip**2 / 3 + Lip**2 / (share * d), given)


@proves("COL:C.7p/third", square_statement)
@cache
def mean_square() -> Theorem:
    """E f(x)^2 = L^2/3 (1 + E (u.x)^2)."""
    along_ = instantiate(isotropic(), {v: ((j,), p(j))})
    inner = calc(
        task_mean(relu(at_p) ** 2), ("==", Lip**2 / 3 * (1 + at_p**2), _at(plus(at_p), minus(at_p), 1))
    )
    return calc(
        mean(inner.lhs, k),
        ("==", mean(inner.rhs, k), inner),
        ("==", Lip**2 / 3 * (1 + along_.lhs)),
        ("==", Lip**2 / 3 * (1 + along_.rhs), along_),
        ("==", Lip**2 / 3 + Lip**2 / (3 * d), points()[0]),
    )
