"""Term 3 of the proofs of Lemmas C.6 and C.9: the mean over the queries outside the ball |z| <= B.

The outcome k of all tokens and of the query is a "token" of the kernel. The products f(z_l) g and
R g/S may be any random vectors that meet the hypotheses; m is 4 for Lemma C.6 and 8 for Lemma C.9.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import NamedTuple

from numerics.derivations.derived import (
    N_,
    S_,
    X_,
    Y_,
    Z_,
    chain,
    exp,
    integrated,
    log,
    root,
    schwarz_of_bounds,
    sqrt,
)
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, Sort, whole
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from proofs_check.derivations.lemmas_c6_and_c9.averages import SHARE, norm_U, square_of_the_radius
from proofs_check.derivations.lemmas_c6_and_c9.largest import (
    at_the_largest,
    attained,
    constant,
    l,
    largest_z,
    maximal_inequality,
    no_smaller,
    sub_gaussian_vectors,
)
from proofs_check.derivations.lemmas_c6_and_c9.largest import square as square_of_z
from proofs_check.derivations.softmax_average.softmax_average import d, i, j, k, m, mean, over, sigma, v
from proofs_check.derivations.softmax_average.tilted import Law, quarter

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
    def size_of_g(self) -> Term:
        """|g|^m."""
        return over(b, columns, of_order("g", self.m, Sort.INDEX)(b, k) ** 2) ** (self.m // 2)

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
    size = over(b, columns, of_order("g", lemma.m, Sort.INDEX)(b, k) ** 2)
    return assume("|f(z_l) g| <= |f(z_l)| |g|", square_of_fg, "<=", square_of_f * size, every=(k, l))


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


def bounded(of: Function, square: Term, each: Theorem, bound: Term) -> Theorem:
    """max|x|^2 <= Y from |x_l|^2 <= Y for every l, as the largest is one of the |x_l|."""
    point = gcongr(Op("ind", (square - of(k) ** 2,)), each)
    some = at_the_largest(of, square)
    some = chain(
        some, integrated("coordinates", (l,), point, some.rhs, L * Op("ind", (bound - of(k) ** 2,)), (L,))
    )
    return arithmetic(of(k) ** 2, "<=", bound, some, some, hide=(of(k) ** 2, bound))


@cache
def largest_moment(lemma: Lemma) -> Theorem:
    """E max|f|^m <= C_f^m E max|z|^{mp}."""
    p = lemma.p
    of_z = gcongr(C_f**2 * square_of_z**p, no_smaller(largest_z, square_of_z))
    each = chain(growth(lemma), of_z, C_f**2 * largest_z(k) ** (2 * p))
    point = bounded(lemma.largest_f, square_of_f, each, each.rhs)
    point = gcongr((lemma.largest_f(k) ** 2) ** (lemma.m // 2), point)
    right = C_f**lemma.m * mean(largest_z(k) ** (lemma.m * p))
    return integrated("mean", (k,), point, mean(lemma.largest_f(k) ** lemma.m), right)


@cache
def tail_of_the_query() -> Theorem:
    """P(|z| >= B) <= e^{2d - B^2/16}."""
    point = instantiate(arithmetic(Op("ind", (X_,)), "<=", exp(X_ / 4)), {X_: square_of_q - B**2})
    moment = chain(mean(exp(square_of_q / 4)), quarter(QUERY))
    tail = integrated("mean", (k,), point, None, exp(-(B**2) / 4) * moment.lhs)
    tail = chain(tail, gcongr(tail.rhs, moment))
    return chain(tail, arithmetic(tail.rhs, "<=", exp(2 * d - B**2 / 16)))


@cache
def by_cauchy_schwarz(lemma: Lemma) -> Theorem:
    """Term 3 is at most sqrt(2 E|g|^m E max|f|^m + 2 E|R g/S|^m) sqrt(P(|z| >= B))."""
    m, (first, second) = lemma.m, lemma.moments
    each = chain(product(lemma), gcongr(product(lemma).rhs, no_smaller(lemma.largest_f, square_of_f)))
    largest = bounded(largest_fg, square_of_fg, each, each.rhs)
    largest = gcongr((largest_fg(k) ** 2) ** (m // 2), largest)
    largest = integrated("mean", (k,), largest, None, mean(lemma.size_of_g * lemma.largest_f(k) ** m))
    largest = chain(largest, independent(lemma))
    of_fg, event = largest_fg(k) ** (m // 2), Op("above", (square_of_q - B**2,))
    inside = of_fg + lemma.size_of_Rg
    sum_ = instantiate(
        arithmetic((X_ + Y_) ** 2, "<=", 2 * X_**2 + 2 * Y_**2), {X_: of_fg, Y_: lemma.size_of_Rg}
    )
    sum_ = integrated("mean", (k,), sum_, mean(inside**2), 2 * largest.lhs + 2 * second)
    root_ = sqrt(2 * first + 2 * second)
    sum_ = chain(sum_, gcongr(sum_.rhs, largest), root_**2)
    closed = mean(Op("ind", (square_of_q - B**2,)))
    event_ = instantiate(
        arithmetic(Op("above", (X_,)) ** 2, "<=", Op("ind", (X_,))), {X_: square_of_q - B**2}
    )
    event_ = integrated("mean", (k,), event_, None, sqrt(closed) ** 2)
    return schwarz_of_bounds("mean", (k,), event, inside, event_, sum_, sqrt(closed), root_)


@cache
def lines(lemma: Lemma) -> tuple[Theorem, ...]:
    """Cauchy-Schwarz, the tail with the root of a sum, the radius, the maximum, and Assumption
    (ii).
    """
    line = by_cauchy_schwarz(lemma)
    first, second = (2 * moment for moment in lemma.moments)
    half = root(tail_of_the_query(), sqrt(tail_of_the_query().lhs), exp(d - B**2 / 32))
    apart = instantiate(arithmetic(sqrt(N_ + Z_), "<=", sqrt(N_) + sqrt(Z_)), {N_: first, Z_: second})
    tail = chain(line, gcongr(line.rhs, half, apart))
    at = instantiate(tail, {B: sqrt(lemma.radius)})
    roots = sqrt(first) + sqrt(second)
    at = chain(lemma.outside(lemma.radius), at, roots * exponential(lemma))
    _, largest, limit = maximum(lemma)
    with_maximum = chain(at, gcongr(at.rhs, largest))
    return line, tail, at, with_maximum, chain(with_maximum, gcongr(with_maximum.rhs, limit))


def exponential(lemma: Lemma, rate: int = 0) -> Term:
    """e^{d - ln(L)/(192 sigma^2 |U|^2)}, or with 384 for Lemma C.9."""
    return exp(d - log(L) / ((rate or 32 * lemma.share) * sigma**2 * norm_U**2))


@cache
def maximum(lemma: Lemma) -> tuple[Theorem, Theorem, Theorem]:
    """E max|f|^m <= C_f^m E max|z|^{mp}, the root of the maximum, and Assumption (ii)."""
    first, second = (2 * moment for moment in lemma.moments)
    m, p, size = lemma.m, lemma.p, mean(lemma.size_of_g)
    largest = chain(largest_moment(lemma), gcongr(largest_moment(lemma).rhs, maximal_inequality(m * p // 2)))
    out = arithmetic(sqrt(S_**2 * N_), "==", S_ * sqrt(N_))
    out = instantiate(out, {S_: sigma ** (m * p // 2), N_: 2 * size * C_f**m * lemma.scale})
    scaled = chain(gcongr(sqrt(2 * size * largest.lhs), largest), out, scaled_root(lemma))
    scaled = chain(sqrt(first), scaled)
    limit = chain(gcongr(sqrt(second), assumption_ii(lemma)), sigma ** (m * p) * sqrt(2 * c))
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
    closed = mean(Op("ind", (square_of_q - B**2,)))
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
            lemma.outside(B**2), "<=", sqrt(twice * first + twice * second) * sqrt(closed), of_the_product
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
    first, second, _ = maximum(lemma)
    limit = gcongr(sqrt(lemma.moments[1]), assumption_ii(lemma))
    return first, chain(maximum_statements(lemma)[1].lhs, second), limit
