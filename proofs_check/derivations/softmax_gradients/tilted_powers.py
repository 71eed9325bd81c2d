"""Moments of means under the tilted law, averaged over the query, from Assumption 3.3."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate, trans
from numerics.derivations.kernel.sorts import NONNEGATIVE
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average import softmax_average as W
from proofs_check.derivations.softmax_average.moments import weight_at_least_one
from proofs_check.derivations.softmax_average.query_average import at_the_query
from proofs_check.derivations.softmax_average.softmax_average import d, i, j, k, m0, over, v, w, z
from proofs_check.derivations.softmax_average.tilted import QUERY, TOKEN, query, y
from proofs_check.derivations.softmax_gradients.averages import LAW, jensen, size_of_the_mean

square, size = TOKEN.square, QUERY.square
row = over(j, d, v(j) * z(j, k))
norm = over(j, d, v(j) ** 2)
#: |m|^2 for the tilted mean m, and |E[(v.Z) Z y']|^2 under the tilted law.
of_m = over(i, d, LAW(z(i, k)) ** 2)
of_f = over(i, d, over(j, d, LAW(row * z(i, k) * y(j, query)) ** 2))


def at_query(body: Term) -> Term:
    """The mean over the query of a term at the score of the query."""
    return QUERY.mean(instantiated(body, at_the_query))


def tilted(p: int, of_query: int = 0) -> Term:
    """|Z|^p |y|^p' under the tilted law, at a fixed query."""
    return LAW(square ** (p // 2) * (size ** (of_query // 2) if of_query else 1))


def bound(p: int, of_query: int = 0) -> Term:
    """sigma^{2p} M_{p,p'}."""
    return W.sigma ** (2 * p) * Variable(f"M{p}{of_query}", range=NONNEGATIVE)


def moments(p: int, of_query: int = 0) -> Theorem:
    """Assumption 3.3 for p and p'."""
    name = f"Assumption 3.3 for p = {p}, p' = {of_query}"
    return assume(name, at_query(tilted(p, of_query)), "<=", bound(p, of_query))


#: |Y|^2 for Y = m y'. The sums of eight indices that its fourth power is are not multiplied out.
Y_square = over(i, d, over(j, d, LAW(z(i, k) * y(j, query)) ** 2))
to_the_eighth = Op("max", (Y_square, term(0))) ** 4


def _statement(left: Term, c: int | Fraction, right: Term, *given: Theorem) -> Statement:
    return Statement(left, "<=", Fraction(c) * right, hypotheses(*given))


def statements_20(c: int | Fraction = 1) -> tuple[Statement, Statement]:
    """(20) with E w in place of its fourth power: E|m|^4 <= c E|Z|^4 <= c^2 sigma^8 M_{4,0}."""
    middle = at_query(tilted(4))
    return _statement(at_query(of_m**2), c, middle), _statement(middle, c, bound(4), moments(4))


def statement_20_end(c: int | Fraction = 1) -> Statement:
    """E w|Z|^4/(E w)^4 <= c sigma^8 M_{4,0}."""
    return _statement(at_query(W.mean(w * square**2) / m0**4), c, bound(4), moments(4), W.sub_gaussian())


def statement_jensen(scale: int | Fraction = 1) -> Statement:
    """E|E (v.Z) Z y'|^4 <= scale |v|^4 E|Z|^8|y|^4."""
    return _statement(at_query(of_f**2), scale, norm**2 * at_query(tilted(8, 4)))


def statements_M84(scale: int | Fraction = 1, power: int = 4) -> tuple[Statement, Statement]:
    """The bound of `statement_jensen`, and scale |v|^power sigma^16 M_{8,4} for its right side."""
    first = statement_jensen(scale)
    length = norm ** Fraction(power, 2)
    return first, _statement(norm**2 * at_query(tilted(8, 4)), scale, length * bound(8, 4), moments(8, 4))


def statements_of_moments(c: int | Fraction = 1, of_4: int = 8, of_8: int = 16) -> tuple[Statement, ...]:
    """c times the bounds, with sigma^of_4 for sigma^8 and sigma^of_8 for sigma^16."""
    X, middle = LAW(row), norm**4 * at_query(tilted(8))
    fourth, eighth = W.sigma ** (of_4 - 8), W.sigma ** (of_8 - 16)
    return (
        _statement(at_query(X**4), c, norm**2 * bound(4) * fourth, moments(4)),
        _statement(at_query(Y_square**2), c, bound(4, 4) * fourth, moments(4, 4)),
        _statement(at_query(X**8), c, middle),
        _statement(middle, c, norm**4 * bound(8) * eighth, moments(8)),
        _statement(at_query(to_the_eighth), c, bound(8, 8) * eighth, moments(8, 8)),
    )


def _power(thm: Theorem, n: int, front: Term, G: Term) -> Theorem:
    """From X <= front E G to X^n <= front^n E G^n under the tilted law, for n = 2 or 4."""
    power = calc(
        thm.lhs**2,
        ("<=", front**2 * LAW(G) ** 2, thm),
        ("<=", front**2 * LAW(G**2), jensen(LAW, G)),
    )
    return power if n == 2 else _power(power, n // 2, front**2, G**2)


@cache
def of_the_mean(n: int) -> Theorem:
    """|m|^{2n} <= E|Z|^{2n} under the tilted law, for n = 2 and 4."""
    return _power(size_of_the_mean(LAW), n, term(1), square)


def _rows(X: Term) -> Theorem:
    """E (v.Z)^2 X <= |v|^2 E |Z|^2 X under the tilted law."""
    schwarz = cauchy_schwarz("coordinates", (j,), v(j), z(j, k), (d,))
    each = show(w * (row**2 * X), "<=", w * (norm * square * X), schwarz)
    return calc(LAW(row**2 * X), ("<=", LAW(norm * square * X), each), ("==", norm * LAW(square * X)))


@cache
def of_the_row(n: int) -> Theorem:
    """|E v.Z|^{2n} <= |v|^{2n} E|Z|^{2n} under the tilted law, for n = 2 and 4."""
    return _power(calc(jensen(LAW, row), ("<=", norm * LAW(square), _rows(term(1)))), n, norm, square)


@cache
def of_the_product() -> Theorem:
    """|E (v.Z) Z y'|^4 <= |v|^4 E|Z|^8 |y|^4 under the tilted law."""
    product = calc(
        of_f,
        ("==", size * over(i, d, LAW(row * z(i, k)) ** 2)),
        ("<=", size * over(i, d, LAW((row * z(i, k)) ** 2)), jensen(LAW, row * z(i, k))),
        ("==", size * LAW(row**2 * square)),
        ("<=", norm * size * LAW(square**2), _rows(square)),
    )
    return _power(product, 2, norm * size, square**2)


def averaged(thm: Theorem, lhs: Term, front: Term | int, p: int, of_query: int = 0) -> Theorem:
    """The mean over the query is at most front E|Z|^p |y|^p'."""
    bound = front * at_query(tilted(p, of_query))
    return show(at_query(lhs), "<=", bound, instantiate(thm, at_the_query))


def assumed(thm: Theorem, p: int, of_query: int = 0) -> Theorem:
    """The bound of `averaged` by Assumption 3.3, front sigma^{2p} M_{p,p'}."""
    return chain(thm, gcongr(thm.rhs, moments(p, of_query)))


@proves("BB:20", statements_20, part=1)
@cache
def mean_to_the_fourth() -> Theorem:
    """E|m|^4 <= E|Z|^4 for the tilted mean m and the tilted tokens Z."""
    return averaged(of_the_mean(2), of_m**2, 1, 4)


@proves("BB:C.7.M84/jensen", statement_jensen)
@cache
def product_to_the_fourth() -> Theorem:
    """E|E (v.Z) Z y'|^4 <= |v|^4 E|Z|^8|y|^4."""
    return averaged(of_the_product(), of_f**2, norm**2, 8, 4)


@proves("BB:C.7.M84", statements_M84, part=(1, 2))
@cache
def steps_of_M84() -> tuple[Theorem, Theorem]:
    """The bound of `product_to_the_fourth`, and that of Assumption 3.3."""
    first = product_to_the_fourth()
    return first, gcongr(first.rhs, moments(8, 4))


@proves("BB:20/end", statement_20_end)
@cache
def with_a_fourth_power_below() -> Theorem:
    """E w|Z|^4/(E w)^4 <= sigma^8 M_{4,0}, as E w >= 1."""
    X = W.mean(w * square**2)
    smaller = show(X / m0**4, "<=", X / m0, weight_at_least_one())
    return assumed(averaged(smaller, smaller.lhs, 1, 4), 4)


def of_Y(n: int) -> Theorem:
    """|Y|^{2n} <= E|Z|^{2n} |y|^{2n} for n = 2 and 4."""
    power = of_the_mean(n)
    return calc(Y_square**n, ("==", size**n * power.lhs), ("<=", tilted(2 * n, 2 * n), power))


@cache
def eighth_moment_of_Y() -> Theorem:
    """E|Y|^8 <= sigma^16 M_{8,8}."""
    same = arithmetic(to_the_eighth, "<=", Y_square**4, hide=(Y_square,))
    average = integrate("query", (query,), instantiate(trans(same, of_Y(4)), at_the_query))
    return trans(average, moments(8, 8))


@proves("BB:C.7.moments", statements_of_moments, part=range(1, 6))
@cache
def theorems() -> tuple[Theorem, ...]:
    """E X^4, E|Y|^4, E X^8 in two steps, and E|Y|^8 for X = v.m and Y = m y'."""
    X = LAW(row)
    eighth = averaged(of_the_row(4), X**8, norm**4, 8)
    return (
        assumed(averaged(of_the_row(2), X**4, norm**2, 4), 4),
        assumed(averaged(of_Y(2), Y_square**2, 1, 4, 4), 4, 4),
        eighth,
        gcongr(eighth.rhs, moments(8)),
        eighth_moment_of_Y(),
    )


proves("BB:20", statements_20, part=2)(lambda: moments(4))
