"""Lemma G.4 and Corollary G.5 of Collins et al. for small widths: the sums g_p over n tokens of the
sphere, and Lemma I.3 on weights in one order.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log, sqrt
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Range, Sort, whole
from numerics.derivations.kernel.terms import Function, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves

k, l = Variable("k", Sort.TOKEN), Variable("l", Sort.TOKEN)
j, prompt = Variable("j", Sort.INDEX), Variable("prompt", Sort.PROMPT)
d = Variable("d", range=whole(1))
r = Variable("r", range=POSITIVE)
p = Variable("p", range=Range(Fraction(0), Fraction(2), False, False))
y, z = Variable("y", range=REALS), Variable("z", range=NONNEGATIVE)
#: The tokens and the query, and the logarithm of the squared distance, for tokens x_k /= x.
X, x = Function("X", (Sort.INDEX, Sort.TOKEN), None), Function("x", (Sort.INDEX,))
v, ell = Function("v", (Sort.INDEX,)), Function("ell", (Sort.TOKEN,))
distance = exp(ell(k))
kernel = exp(p / 2 * ell(k)) * exp(-r * distance)


def over(body: Term) -> Term:
    return bind("coordinates", (j,), body, (d,))


def mean(body: Term | int) -> Term:
    return bind("mean", (k,), body)


def total(body: Term | int) -> Term:
    return bind("sum", (k,), body, (prompt,))


height, square = over(X(j, k) * x(j)), over((X(j, k) - x(j)) ** 2)


@cache
def sphere() -> tuple[Theorem, Theorem, Theorem]:
    """Tokens x_k and the query x on the sphere, with |x_k - x|^2 = e^{ell_k}."""
    return (
        assume("tokens on the sphere", over(X(j, k) ** 2), "==", 1, every=(k,)),
        assume("|x| = 1", over(x(j) ** 2), "==", 1),
        assume("|x_k - x|^2 = e^{ell_k}: no token is the query", square, "==", distance, every=(k,)),
    )


@cache
def depth() -> Theorem:
    """x_k.x = 1 - e^{ell_k}/2."""
    token, query, given = sphere()
    return calc(
        height, ("==", (token.lhs + query.lhs - square) / 2), ("==", 1 - distance / 2, token, query, given)
    )


@cache
def diameter() -> Theorem:
    """e^{ell_k} <= 4."""
    token, query, _ = sphere()
    far = over((X(j, k) + x(j)) ** 2)
    most = calc(
        0, ("<=", far), ("==", 2 * token.lhs + 2 * query.lhs - square), ("==", 4 - distance, *sphere())
    )
    return show(distance, "<=", 4, most)


#: Lemma I.3: positive numbers, written as exponentials.
a, b = exp(Function("log a", (Sort.TOKEN,))(k)), exp(Function("log b", (Sort.TOKEN,))(k))


@cache
def one_order() -> Theorem:
    """a_k and b_k are in one order: (a_k - a_l)(b_k - b_l) >= 0."""
    at_l = lambda e: instantiated(e, {k: l})
    return assume("a and b are in one order", 0, "<=", (a - at_l(a)) * (b - at_l(b)), every=(k, l))


def _pairs(body: Term) -> Term:
    return bind("sum", (k, l), body, (prompt,))


def _summed(each: Theorem, value: Term) -> Theorem:
    """0 <= the sum over pairs of what is not negative."""
    whole = chain(0, _pairs(0 * a), integrate("sum", (k, l), each, (prompt,)), value)
    return show(0, "<=", value, whole)


def order_statement(share: int | Fraction = 1) -> Statement:
    """sum a^2/(sum a)^2 <= share sum a^2 b^2/(sum ab)^2."""
    right = Fraction(share) * total(a**2 * b**2) / total(a * b) ** 2
    return Statement(total(a**2) / total(a) ** 2, "<=", right, one_order().assumptions)


@proves("COL:I.3", order_statement)
@cache
def ordered_weights() -> Theorem:
    """Chebyshev's sum inequality twice: sum a^2 sum ab <= sum a sum a^2 b, and sum a^2 b sum ab <=
    sum a^2 b^2 sum a.
    """
    return weights_in_order(a, b, one_order())


def rising(a: Term, b: Term, order: Theorem) -> Theorem:
    """sum a^2 sum ab <= sum a sum a^2 b, from 0 <= (a_k - a_l)(b_k - b_l)."""
    one, two, ab, aab = sums = tuple(map(total, (a, a**2, a * b, a**2 * b)))
    a_l = instantiated(a, {k: l})
    first = show(0 * a, "<=", a * a_l * order.rhs, order, a, order.rhs)
    return show(two * ab, "<=", one * aab, _summed(first, 2 * (one * aab - two * ab)), *sums)


def weights_in_order(a: Term, b: Term, order: Theorem) -> Theorem:
    """sum a^2/(sum a)^2 <= sum a^2 b^2/(sum ab)^2 for positive a and b, from
    0 <= (a_k - a_l)(b_k - b_l).
    """
    a_l, b_l = (instantiated(e, {k: l}) for e in (a, b))
    one, two, ab, aab, aabb = sums = tuple(map(total, (a, a**2, a * b, a**2 * b, a**2 * b**2)))
    product = b * order.rhs + a_l * (b - b_l) ** 2
    second = show(0 * a, "<=", a * a_l * product, order, a, a_l, b, order.rhs, (b - b_l) ** 2)
    up = rising(a, b, order)
    down = show(aab * ab, "<=", aabb * one, _summed(second, 2 * (aabb * one - aab * ab)), *sums)
    middle = chain(gcongr(ab * up.lhs, up), one * down.lhs, gcongr(one * down.lhs, down))
    scale = 1 / (one**2 * ab**2)
    return chain(two / one**2, scale * middle.lhs, gcongr(scale * middle.lhs, middle), aabb / ab**2)


#: Corollary G.5: the sum g_p(r), and the sum of the squared distances.
g_p, spread = total(kernel), total(distance)


@cache
def two_moments() -> tuple[Theorem, Theorem]:
    """What is used of uniform tokens: their first two moments."""
    along, square = over(v(j) * X(j, k)), over(v(j) ** 2)
    return (
        assume("uniform tokens: E v.x_k = 0", mean(along), "==", 0, every=(v,)),
        assume("uniform tokens: E (v.x_k)^2 = |v|^2/d", mean(along**2), "==", square / d, every=(v,)),
    )


@cache
def small_width(times: int | Fraction = 1) -> tuple[Theorem, ...]:
    """n > 5 uniform tokens, of which their first two moments are used, d >= 2 and a width that is
    small, times a number.
    """
    short = "" if times == 1 else f"{times} "
    return (
        assume("n > 5", 6, "<=", L),
        assume("d >= 2", 2, "<=", d),
        assume(f"r < {short}(d + sqrt d)/2", r, "<", times * (d + sqrt(d)) / 2),
        *two_moments(),
    )


@cache
def laplace_transform() -> Theorem:
    """E e^{-2 |x_k - x|^2} <= 1/3 + 1/100, as |x_k - x|^2 has the mean 2 and the mean square 4 +
    4/d.
    """
    _, many, _, *moments = small_width()
    first, second = (instantiate(thm, {v: ((j,), x(j))}) for thm in moments)
    norm, more, z = (
        sphere()[1],
        Fraction(1, 100),
        Variable("z", range=Range(Fraction(0), Fraction(4), False, False)),
    )
    parabola = arithmetic(exp(-2 * z), "<=", (1 - z / 3) ** 2 + more)
    point = calc(
        instantiate(parabola, {z: distance}, diameter()),
        ("==", (1 + 2 * height) ** 2 / 9 + more, depth(), distance),
    )
    return calc(
        integrate("mean", (k,), point),
        ("==", (1 + 4 * first.lhs + 4 * second.lhs) / 9 + more),
        ("==", (1 + 4 / d) / 9 + more, first, second, norm, first.lhs, second.lhs, norm.lhs),
        ("<=", Fraction(344, 1000), many),
    )


@cache
def few_are_near() -> Theorem:
    """(e^{1/4} E e^{-2|x_k - x|^2})^n <= 1/(2n), which bounds the mean of e^{n/4 - 2 sum |x_k -
    x|^2}.
    """
    base = chain(mean(exp(-2 * distance)), laplace_transform())
    return calc(gcongr(exp(L / 4) * base.lhs**L, base), ("<=", 1 / (2 * L), small_width()[0]))


#: The constants, which depend on d only.
C_low, C_up = exp(-(d + sqrt(d))) / 32, 4 * exp(d + sqrt(d))


@cache
def one_term() -> tuple[Theorem, Theorem]:
    """e^{-4r} |x_k - x|^2/4 <= |x_k - x|^p e^{-r |x_k - x|^2} <= 4, as |x_k - x|^2 <= 4 and p
    <= 2.
    """
    most = chain(arithmetic(ell(k), "==", log(distance)), gcongr(log(distance), diameter()))
    low = arithmetic(ell(k) - log(4), "<=", p / 2 * ell(k), most)
    high = arithmetic(p / 2 * ell(k), "<=", log(4), most)
    least = calc(distance / 4, ("==", exp(low.lhs)), ("<=", exp(low.rhs), low))
    weak, full = gcongr(exp(-(r * 4)), diameter()), instantiate(show(exp(-r * z), "<=", 1), {z: distance})
    below = chain(gcongr(weak.lhs * (distance / 4), least, weak), kernel)
    return below, calc(gcongr(kernel, high, full), ("<=", 4))


def small_statements(
    least: int | Fraction = 1, most: int | Fraction = 1, times: int | Fraction = 1
) -> tuple[Statement, Statement]:
    """P(g_p < least C_b n e^{-2r}) <= 1/(2n), and g_p <= most C^b n e^{-2r}, for r < times (d +
    sqrt d)/2.
    """
    given = hypotheses(*(*sphere(), *small_width(times)))
    event = Op("above", (Fraction(least) * C_low * L * exp(-2 * r) - g_p,))
    return (
        Statement(bind("prompt", (prompt,), event), "<=", 1 / (2 * L), given),
        Statement(g_p, "<=", Fraction(most) * C_up * L * exp(-2 * r), given),
    )


@proves("COL:G.5/small", small_statements, part=(1, 2))
@cache
def small_arguments() -> tuple[Theorem, Theorem]:
    """P(g_p < C_b n e^{-2r}) <= 1/(2n) and g_p <= C^b n e^{-2r}, as e^{-2r} is between e^{-(d +
    sqrt d)} and 1.
    """
    below, above = (integrate("sum", (k,), thm, (prompt,)) for thm in one_term())
    below, above = chain(exp(-4 * r) / 4 * spread, below, g_p), chain(g_p, above, 4 * L)
    part = show(-(d + sqrt(d)), "<=", -2 * r, small_width()[2], d + sqrt(d))
    least, rate = C_low * L * exp(-2 * r), Variable("t", range=POSITIVE)
    most = chain(least, gcongr(exp(-(d + sqrt(d))) * (L * exp(-2 * r) / 32), part), exp(-4 * r) * (L / 32))
    parts = (least, g_p, spread, exp(-4 * r))
    gap = show(least - g_p, "<=", exp(-4 * r) / 4 * (L / 8 - spread), most, below, *parts)
    event = instantiate(
        arithmetic(Op("above", (y,)), "<=", exp(rate * y)), {y: gap.lhs, rate: 8 * exp(4 * r)}
    )
    exponent = chain(gcongr(8 * exp(4 * r) * gap.lhs, gap), 2 * (L / 8 - spread))
    event = chain(event, gcongr(exp(exponent.lhs), exponent))
    full = gcongr(4 * L * exp(d + sqrt(d)) * exp(-(d + sqrt(d))), part)
    return chain(integrate("prompt", (prompt,), event), few_are_near()), chain(
        above, full, C_up * L * exp(-2 * r)
    )


#: What a narrower window adds to the exponents of the weights a.
u = Function("u", (Sort.TOKEN,))(k)


def narrower_statement(sign: int = 1) -> Statement:
    """The mean of u under the weights a e^{-sign u} is at most that under the weights a."""
    weights = a * exp(-sign * u)
    return Statement(total(weights * u) / total(weights), "<=", total(a * u) / total(a))


@proves("COL:2.tradeoff", narrower_statement)
@cache
def narrower() -> Theorem:
    """sum a e^{-u} u/sum a e^{-u} <= sum a u/sum a, as u and -e^{-u} are ordered alike."""
    u_l, a_l, c = instantiated(u, {k: l}), instantiated(a, {k: l}), exp(-u)
    order = instantiate(arithmetic(0, "<=", y * (exp(y) - 1)), {y: u - u_l})
    pair = show(0 * a, "<=", a * a_l * c * order.rhs, order, a, a_l, c, order.rhs)
    one, ac, au, acu = sums = tuple(map(total, (a, a * c, a * u, a * c * u)))
    up = show(acu * one, "<=", au * ac, _summed(pair, 2 * (au * ac - acu * one)), *sums)
    scale = 1 / (one * ac)
    return chain(acu / ac, scale * up.lhs, gcongr(scale * up.lhs, up), au / one)
