"""Term 3 of the proofs of Lemmas C.6 and C.9: the mean over the queries outside the ball |z| <= B.

The outcome k of all tokens and of the query is a "token" of the kernel. The products f(z_l) g and
R g/S may be any random vectors that meet the hypotheses; m is 4 for Lemma C.6 and 8 for Lemma C.9.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import NamedTuple

from numerics.derivations.derived import N_, S_, X_, Y_, Z_, chain, exp, log, schwarz_of_bounds, sqrt
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, Sort, whole
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.lemmas_c6_and_c9.averages import SHARE, norm_U, square_of_the_radius
from proofs_check.derivations.lemmas_c6_and_c9.largest import (
    at_the_largest,
    attained,
    l,
    largest_z,
    no_smaller,
    sub_gaussian_vectors,
)
from proofs_check.derivations.lemmas_c6_and_c9.largest import square as square_of_z
from proofs_check.derivations.lemmas_c6_and_c9.real_moments import constant, maximal_inequality
from proofs_check.derivations.proof import for_each, proves
from proofs_check.derivations.softmax_average.softmax_average import d, i, j, k, m, mean, over, sigma, v
from proofs_check.derivations.softmax_average.tilted import Law, h, quarter

q = Function("q", (Sort.INDEX, Sort.TOKEN), None)
f, fg = (Function(name, (Sort.INDEX, Sort.INDEX, Sort.TOKEN)) for name in ("f", "fg"))
largest_fg = Function("max|fg|", (Sort.TOKEN,))
columns = Variable("n", range=whole(1))
b = Variable("b", Sort.INDEX)
B, c, C_f = (Variable(name, range=NONNEGATIVE) for name in ("B", "c(f,g,U)", "C_f"))
square_of_q = over(j, d, q(j, k) ** 2)
square_of_f, square_of_fg = over(i, m, f(l, i, k) ** 2), over(i, m, fg(l, i, k) ** 2)


def of_order(name: str, order: int, *more: Sort) -> Function:
    """A random variable, or vector, of which this moment is finite."""
    return Function(name, (*more, Sort.TOKEN), Fraction(order))


class Lemma(NamedTuple):
    """Lemma C.6 for p = 1, 2 with m = 4, or Lemma C.9 for p = 1 with m = 8."""

    m: int
    p: int

    @property
    def largest_f(self) -> Function:
        return of_order("max|f|", self.m)

    @property
    def square_of_g(self) -> Term:
        return over(b, columns, of_order("g", self.m, Sort.INDEX)(b, k) ** 2)

    @property
    def size_of_g(self) -> Term:
        """|g|^m."""
        return self.square_of_g ** (self.m // 2)

    @property
    def size_of_Rg(self) -> Term:
        """|R g/S|^{m/2}."""
        return over(i, m, of_order("Rg/S", self.m, Sort.INDEX)(i, k) ** 2) ** (self.m // 4)

    @property
    def share(self) -> int:
        return SHARE[self.m // 2]

    @property
    def moments(self) -> tuple[Term, Term]:
        """E|g|^m E max|f|^m and E|R g/S|^m."""
        return mean(self.size_of_g) * mean(self.largest_f(k) ** self.m), mean(self.size_of_Rg**2)

    def outside(self, radius: Term) -> Term:
        """E 1{|z| > B} (max|fg|^{m/2} + |R g/S|^{m/2}) for the ball with this square of B."""
        return mean(Op("above", (square_of_q - radius,)) * (largest_fg(k) ** (self.m // 2) + self.size_of_Rg))

    @property
    def radius(self) -> Term:
        return square_of_the_radius(self.share)

    @property
    def scale(self) -> Term:
        """C_{mp} (d^{mp/2} + ln(L)^{mp/2})."""
        power = self.m * self.p // 2
        return constant(power) * (d**power + log(L) ** power)


# -- The hypotheses --------------------------------------------------------------------------------


@cache
def sub_gaussian_query() -> Theorem:
    """E e^{v.q} <= e^{|v|^2/2} for every v."""
    X = over(j, d, v(j) * q(j, k))
    return assume("1-sub-Gaussian query", mean(exp(X)), "<=", exp(over(j, d, v(j) ** 2) / 2), every=(v,))


QUERY = Law("mean", k, q, term(1), sub_gaussian_query)


def product(lemma: Lemma) -> Theorem:
    """|f(z_l) g| <= |f(z_l)| |g| for every token and query."""
    most = square_of_f * lemma.square_of_g
    return assume("|f(z_l) g| <= |f(z_l)| |g|", square_of_fg, "<=", most, every=(k, l))


def growth(lemma: Lemma) -> Theorem:
    """|f(z_l)| <= C_f |z_l|^p for every token: Assumption (i)."""
    name = f"|f(z)| <= C_f |z|^{lemma.p}"
    return assume(name, square_of_f, "<=", C_f**2 * square_of_z**lemma.p, every=(k, l))


def independent(lemma: Lemma) -> Theorem:
    """The query is independent of the tokens."""
    g, of_f = lemma.size_of_g, lemma.largest_f(k) ** lemma.m
    return assume("the query is independent of the tokens", mean(g * of_f), "==", mean(g) * mean(of_f))


def assumption_ii(lemma: Lemma) -> Theorem:
    """E|R g/S|^m <= sigma^{2mp} c(f, g, U): Assumption (ii)."""
    return assume("Assumption (ii)", lemma.moments[1], "<=", sigma ** (2 * lemma.m * lemma.p) * c)


def largest_lengths(lemma: Lemma) -> tuple[Theorem, ...]:
    """What the largest |f(z_l)|, |f(z_l) g| and |z_l| are."""
    of_f = lemma.largest_f
    return (
        no_smaller(of_f, square_of_f),
        attained(of_f, square_of_f),
        attained(largest_fg, square_of_fg),
        no_smaller(largest_z, square_of_z),
        attained(largest_z, square_of_z),
    )


# -- The lines -------------------------------------------------------------------------------------


def bounded(of: Function, square: Term, each: Theorem) -> Theorem:
    """max|x|^2 <= Y from |x_l|^2 <= Y for every l, as the largest is one of the |x_l|."""
    within = Op("ind", (each.rhs - of(k) ** 2,))
    some = calc(at_the_largest(of, square), ("<=", over(l, L, within), each), ("==", L * within))
    # Off the event it says 1 <= 0, which provers see only as the sum of two conditions.
    return show(of(k) ** 2, "<=", each.rhs, some, some, of(k) ** 2, each.rhs)


@cache
def largest_moment(lemma: Lemma) -> Theorem:
    """E max|f|^m <= C_f^m E max|z|^{mp}."""
    m, p, of_f = lemma.m, lemma.p, lemma.largest_f(k)
    most = C_f**2 * largest_z(k) ** (2 * p)
    each = calc(growth(lemma), ("<=", most, no_smaller(largest_z, square_of_z)))
    return calc(
        mean(of_f**m),
        ("==", mean((of_f**2) ** (m // 2))),
        ("<=", mean(most ** (m // 2)), bounded(lemma.largest_f, square_of_f, each)),
        ("==", C_f**m * mean(largest_z(k) ** (m * p))),
    )


#: The probability of |z| >= B.
outside = mean(Op("ind", (square_of_q - B**2,)))


@cache
def tail_of_the_query() -> Theorem:
    """P(|z| >= B) <= e^{2d - B^2/16}."""
    moment = mean(exp(square_of_q / 4))
    point = instantiate(arithmetic(Op("ind", (X_,)), "<=", exp(X_ / 4)), {X_: square_of_q - B**2})
    return calc(
        outside,
        ("<=", exp(-(B**2) / 4) * moment, point),
        ("<=", exp(-(B**2) / 4) * exp(h), show(moment, "<=", exp(h), quarter(QUERY))),
        ("<=", exp(2 * d - B**2 / 16)),
    )


@cache
def by_cauchy_schwarz(lemma: Lemma) -> Theorem:
    """Term 3 is at most sqrt(2 E|g|^m E max|f|^m + 2 E|R g/S|^m) sqrt(P(|z| >= B))."""
    m, (first, second), of_f = lemma.m, lemma.moments, lemma.largest_f(k)
    of_fg, of_Rg, event = largest_fg(k) ** (m // 2), lemma.size_of_Rg, Op("above", (square_of_q - B**2,))
    most = of_f**2 * lemma.square_of_g
    each = calc(product(lemma), ("<=", most, no_smaller(lemma.largest_f, square_of_f)))
    of_the_product = calc(
        mean(of_fg**2),
        ("==", mean((largest_fg(k) ** 2) ** (m // 2))),
        ("<=", mean(most ** (m // 2)), bounded(largest_fg, square_of_fg, each)),
        ("==", first, independent(lemma)),
    )
    split = arithmetic((X_ + Y_) ** 2, "<=", 2 * X_**2 + 2 * Y_**2)
    inside = calc(
        mean((of_fg + of_Rg) ** 2),
        ("<=", 2 * mean(of_fg**2) + 2 * second, instantiate(split, {X_: of_fg, Y_: of_Rg})),
        ("<=", sqrt(2 * first + 2 * second) ** 2, of_the_product),
    )
    once = arithmetic(Op("above", (X_,)) ** 2, "<=", Op("ind", (X_,)))
    of_the_event = show(mean(event**2), "<=", sqrt(outside) ** 2, instantiate(once, {X_: square_of_q - B**2}))
    roots = sqrt(outside), sqrt(2 * first + 2 * second)
    return schwarz_of_bounds("mean", (k,), event, of_fg + of_Rg, of_the_event, inside, *roots)


@cache
def lines(lemma: Lemma) -> tuple[Theorem, ...]:
    """Cauchy-Schwarz, the tail with the root of a sum, the radius, the maximum, and Assumption
    (ii).
    """
    first, second = (2 * moment for moment in lemma.moments)
    roots, decay, (_, largest, limit) = sqrt(first) + sqrt(second), exponential(lemma), maximum(lemma)
    line, tail = by_cauchy_schwarz(lemma), exp(d - B**2 / 32)
    apart = instantiate(arithmetic(sqrt(N_ + Z_), "<=", sqrt(N_) + sqrt(Z_)), {N_: first, Z_: second})
    beyond = calc(line, ("<=", roots * tail, show(sqrt(outside), "<=", tail, tail_of_the_query()), apart))
    at = chain(lemma.outside(lemma.radius), instantiate(beyond, {B: sqrt(lemma.radius)}), roots * decay)
    with_maximum = calc(at, ("<=", (largest.rhs + sqrt(second)) * decay, largest))
    with_limit = calc(with_maximum, ("<=", (largest.rhs + limit.rhs) * decay, limit))
    return line, beyond, at, with_maximum, with_limit


def exponential(lemma: Lemma, rate: int = 0) -> Term:
    """e^{d - ln(L)/(192 sigma^2 |U|^2)}, or with 384 for Lemma C.9."""
    return exp(d - log(L) / ((rate or 32 * lemma.share) * sigma**2 * norm_U**2))


@cache
def maximum(lemma: Lemma) -> tuple[Theorem, Theorem, Theorem]:
    """E max|f|^m <= C_f^m E max|z|^{mp}, the root of the maximum, and Assumption (ii)."""
    first, second = (2 * moment for moment in lemma.moments)
    m, half, size = lemma.m, lemma.m * lemma.p // 2, 2 * mean(lemma.size_of_g) * C_f**lemma.m
    largest = calc(
        largest_moment(lemma), ("<=", C_f**m * (sigma ** (2 * half) * lemma.scale), maximal_inequality(half))
    )
    out = instantiate(
        arithmetic(sqrt(S_**2 * N_), "==", S_ * sqrt(N_)), {S_: sigma**half, N_: size * lemma.scale}
    )
    scaled = calc(sqrt(first), ("<=", out.lhs, largest), ("==", scaled_root(lemma), out))
    limit = show(sqrt(second), "<=", sigma ** (2 * half) * sqrt(2 * c), assumption_ii(lemma))
    return largest_moment(lemma), scaled, limit


def scaled_root(lemma: Lemma, power: int = 0) -> Term:
    """sigma^{mp/2} sqrt(2 E|g|^m C_f^m C_{mp} (d^{mp/2} + ln(L)^{mp/2}))."""
    power = power or lemma.m * lemma.p // 2
    return sigma**power * sqrt(2 * mean(lemma.size_of_g) * C_f**lemma.m * lemma.scale)


# -- The statements --------------------------------------------------------------------------------


def statements(
    lemma: Lemma, twice: int = 2, factor: int | Fraction = 1, half: int = 32, rate: int = 0
) -> tuple[Statement, ...]:
    """Term 3 is at most sqrt(2 E|g|^m E max|f|^m + 2 E|R g/S|^m) sqrt(P(|z| >= B)), hence at most
    the two roots times e^{d - B^2/32}, at the radius e^{d - ln(L)/(192 sigma^2 |U|^2)}, with the
    maximal inequality of Lemma D.2, and with Assumption (ii) as well.
    """
    first, second = lemma.moments
    roots = sqrt(2 * first) + sqrt(2 * second)
    of_the_product = hypotheses(product(lemma), independent(lemma), *largest_lengths(lemma)[:3])
    with_the_tail = of_the_product | sub_gaussian_query().assumptions
    of_the_maximum = with_the_tail | hypotheses(
        growth(lemma), sub_gaussian_vectors(), *largest_lengths(lemma)
    )
    every = of_the_maximum | assumption_ii(lemma).assumptions
    limit = sigma ** (lemma.m * lemma.p) * sqrt(2 * c)
    at_radius, decay = lemma.outside(lemma.radius), exponential(lemma, rate)
    return (
        Statement(
            lemma.outside(B**2), "<=", sqrt(twice * first + twice * second) * sqrt(outside), of_the_product
        ),
        Statement(lemma.outside(B**2), "<=", Fraction(factor) * roots * exp(d - B**2 / half), with_the_tail),
        Statement(at_radius, "<=", roots * decay, with_the_tail),
        Statement(at_radius, "<=", (scaled_root(lemma) + sqrt(2 * second)) * decay, of_the_maximum),
        Statement(at_radius, "<=", (scaled_root(lemma) + limit) * decay, every),
    )


def maximum_statements(lemma: Lemma, grows: int = 0, root: int = 0, scale: int = 0) -> tuple[Statement, ...]:
    """E max|f|^m <= C_f^m E max|z|^{mp}; the root of the maximum; and sqrt(E|R g/S|^m) <=
    sigma^{mp} sqrt(c(f, g, U)).
    """
    m, p = lemma.m, lemma.p
    largest = mean(lemma.largest_f(k) ** m)
    of_f = hypotheses(growth(lemma), *largest_lengths(lemma)[1:2], *largest_lengths(lemma)[3:4])
    every = of_f | hypotheses(sub_gaussian_vectors(), *largest_lengths(lemma)[4:])
    limit = sigma ** (scale * p or m * p) * sqrt(c)
    return (
        Statement(largest, "<=", C_f ** (grows or m) * mean(largest_z(k) ** (m * p)), of_f),
        Statement(sqrt(2 * mean(lemma.size_of_g) * largest), "<=", scaled_root(lemma, root * p), every),
        Statement(sqrt(lemma.moments[1]), "<=", limit, assumption_ii(lemma).assumptions),
    )


@cache
def maximum_theorems(lemma: Lemma) -> tuple[Theorem, ...]:
    """The parts of `maximum`, the last one without the 2."""
    limit = sigma ** (lemma.m * lemma.p) * sqrt(c)
    return *maximum(lemma)[:2], show(sqrt(lemma.moments[1]), "<=", limit, assumption_ii(lemma))


for _name, _lemmas in (("C.6", (Lemma(4, 1), Lemma(4, 2))), ("C.9", (Lemma(8, 1),))):
    for _id, _statements, _theorems, _count in (
        (f"BB:L{_name}.T3", statements, lines, 5),
        (f"BB:L{_name}.T3/maximum", maximum_statements, maximum_theorems, 3),
    ):
        _parts = range(1, _count * len(_lemmas) + 1)
        proves(_id, for_each(_lemmas, _statements), part=_parts)(for_each(_lemmas, _theorems))
