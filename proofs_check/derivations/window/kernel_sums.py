"""Lemma G.4 and Corollary G.5 of Collins et al. for small widths: the sums g_p over n tokens of the
sphere, and Lemma I.3 on weights in one order.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.binding import bind, instantiated
from numerics.derivations.derived import chain, exp, log, sqrt
from numerics.derivations.normal_form import LENGTH as L
from numerics.derivations.rules import arithmetic, assume, equal, integrate, replace, specialise
from numerics.derivations.sorts import NONNEGATIVE, POSITIVE, REALS, Range, Sort, whole
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.terms import Function, Op, Term, Variable
from numerics.derivations.theorems import Theorem

k, l = Variable("k", Sort.TOKEN), Variable("l", Sort.TOKEN)
j, prompt = Variable("j", Sort.INDEX), Variable("prompt", Sort.PROMPT)
d = Variable("d", range=whole(1))
r, shell, inner = (
    Variable(name, range=at) for name, at in (("r", POSITIVE), ("i", NONNEGATIVE), ("i_", POSITIVE))
)
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
    same = chain(height, (token.lhs + query.lhs - square) / 2)
    return chain(same, arithmetic(same.rhs, "==", 1 - distance / 2, token, query, given, hide=(distance,)))


@cache
def diameter() -> Theorem:
    """e^{ell_k} <= 4."""
    token, query, _ = sphere()
    far = over((X(j, k) + x(j)) ** 2)
    most = chain(arithmetic(0, "<=", far, hide=(far,)), 2 * token.lhs + 2 * query.lhs - square)
    return arithmetic(
        distance,
        "<=",
        4,
        chain(most, arithmetic(most.rhs, "==", 4 - distance, *sphere(), hide=(distance,))),
        hide=(distance,),
    )


#: One token, which is not the query, and its squared distance.
Z, D2 = Function("Z", (Sort.INDEX,)), Variable("D2", range=POSITIVE)
at = r * (1 - over(Z(j) * x(j)))
own = D2 ** (p / 2) * exp(-(r * D2))


@cache
def in_the_shell(i: Variable = shell) -> tuple[Theorem, ...]:
    """A token of the sphere at the squared distance D2 > 0 in the shell i <= r(1 - x_i.x) <= i
    + 1.
    """
    return (
        assume("the token is on the sphere", over(Z(j) ** 2), "==", 1),
        assume("|x| = 1", over(x(j) ** 2), "==", 1),
        assume("D2 = |x_i - x|^2", over((Z(j) - x(j)) ** 2), "==", D2),
        assume("i <= r(1 - x_i.x)", i, "<=", at),
        assume("r(1 - x_i.x) <= i + 1", at, "<=", i + 1),
    )


@cache
def ends_of_the_shell(i: Variable = shell) -> tuple[Theorem, Theorem]:
    """2i <= r D2 <= 2(i + 1)."""
    token, query, gap, low, high = in_the_shell(i)
    same = chain(at, r / 2 * (2 - token.lhs - query.lhs + gap.lhs))
    same = chain(same, arithmetic(same.rhs, "==", r * D2 / 2, token, query, gap))
    low, high = chain(low, same), chain(replace(same.rhs, same), high)
    return arithmetic(2 * i, "<=", r * D2, low, hide=(r * D2,)), arithmetic(
        r * D2, "<=", 2 * (i + 1), high, hide=(r * D2,)
    )


@cache
def one_shell() -> tuple[Theorem, Theorem, Theorem]:
    """The term of the token from above, from below for i > 0, and for p = 0."""
    low, high = ends_of_the_shell()
    farther = chain(D2, arithmetic(r * D2 / r, "<=", 2 * (shell + 1) / r, high, hide=(r * D2,)))
    above, plain = replace(own, farther, low), replace(exp(-(2 * (shell + 1))), high)
    low, high = ends_of_the_shell(inner)
    nearer = chain(arithmetic(2 * inner / r, "<=", r * D2 / r, low, hide=(r * D2,)), D2)
    return above, replace((2 * inner / r) ** (p / 2) * exp(-(2 * (inner + 1))), nearer, high), plain


def shell_statements(one: int | Fraction = 1) -> tuple[Statement, ...]:
    """A token of the shell i adds to g_p at most one (2(i + 1)/r)^{p/2} e^{-2i}, and at least 1/one
    (2i/r)^{p/2} e^{-2(i + 1)}, where i > 0 or p = 0.
    """
    given = [hypotheses(*in_the_shell(i)) for i in (shell, inner)]
    high, low = (
        (2 * (shell + 1) / r) ** (p / 2) * exp(-2 * shell),
        (2 * inner / r) ** (p / 2) * exp(-2 * (inner + 1)),
    )
    return (
        Statement(own, "<=", Fraction(one) * high, given[0]),
        Statement(low / Fraction(one), "<=", own, given[1]),
        Statement(exp(-2 * (shell + 1)) / Fraction(one), "<=", exp(-r * D2), given[0]),
    )


#: Lemma I.3: positive numbers, written as exponentials.
a, b = exp(Function("log a", (Sort.TOKEN,))(k)), exp(Function("log b", (Sort.TOKEN,))(k))


@cache
def one_order() -> Theorem:
    """a_k and b_k are in one order: (a_k - a_l)(b_k - b_l) >= 0."""
    at_l = lambda e: instantiated(e, {k: l})
    return assume("a and b are in one order", 0, "<=", (a - at_l(a)) * (b - at_l(b)), every=(k, l))


def _pairs(body: Term) -> Term:
    return bind("sum", (k, l), body, (prompt,))


@cache
def ordered_weights() -> Theorem:
    """Chebyshev's sum inequality twice: sum a^2 sum ab <= sum a sum a^2 b, and sum a^2 b sum ab <=
    sum a^2 b^2 sum a.
    """
    a_l, b_l = (instantiated(e, {k: l}) for e in (a, b))
    one, two = total(a), total(a**2)
    ab, aab, aabb = total(a * b), total(a**2 * b), total(a**2 * b**2)
    order = one_order()
    first = arithmetic(0 * a, "<=", a * a_l * order.rhs, order, hide=(a, order.rhs, a_l))
    product = b * order.rhs + a_l * (b - b_l) ** 2
    second = arithmetic(0 * a, "<=", a * a_l * product, order, hide=(a, a_l, b, order.rhs, (b - b_l) ** 2))
    sums = []
    for thm, value in ((first, 2 * (one * aab - two * ab)), (second, 2 * (aabb * one - aab * ab))):
        whole = integrate("sum", (k, l), thm, (prompt,))
        sums.append(chain(_pairs(0 * a), whole, value))
    zero = equal(0, _pairs(0 * a))
    parts = [arithmetic(0, "<=", s.rhs, chain(zero, s), hide=(s.rhs,)) for s in sums]
    hide = (one, two, ab, aab, aabb)
    up = arithmetic(two * ab, "<=", one * aab, parts[0], hide=hide)
    down = arithmetic(aab * ab, "<=", aabb * one, parts[1], hide=hide)
    middle = chain(replace(ab * up.lhs, up), one * down.lhs, replace(one * down.lhs, down))
    scale = 1 / (one**2 * ab**2)
    return chain(two / one**2, scale * middle.lhs, replace(scale * middle.lhs, middle), aabb / ab**2)


def order_statement(share: int | Fraction = 1) -> Statement:
    """sum a^2/(sum a)^2 <= share sum a^2 b^2/(sum ab)^2."""
    right = Fraction(share) * total(a**2 * b**2) / total(a * b) ** 2
    return Statement(total(a**2) / total(a) ** 2, "<=", right, one_order().assumptions)


#: Corollary G.5: the sum g_p(r), and the sum of the squared distances.
g_p, spread = total(kernel), total(distance)


@cache
def small_width(times: int | Fraction = 1) -> tuple[Theorem, ...]:
    """n > 5 uniform tokens, of which their first two moments are used, d >= 2 and a width that is
    small, times a number.
    """
    along, short = over(v(j) * X(j, k)), "" if times == 1 else f"{times} "
    return (
        assume("n > 5", 6, "<=", L),
        assume("d >= 2", 2, "<=", d),
        assume(f"r < {short}(d + sqrt d)/2", r, "<", times * (d + sqrt(d)) / 2),
        assume("uniform tokens: E v.x_k = 0", mean(along), "==", 0, every=(v,)),
        assume(
            "uniform tokens: E (v.x_k)^2 = |v|^2/d", mean(along**2), "==", over(v(j) ** 2) / d, every=(v,)
        ),
    )


@cache
def laplace_transform() -> Theorem:
    """E e^{-2 |x_k - x|^2} <= 1/3 + 1/100, as |x_k - x|^2 has the mean 2 and the mean square 4 +
    4/d.
    """
    _, many, _, first, second = small_width()
    quarter = Variable("z", range=Range(Fraction(0), Fraction(4), False, False))
    parabola = arithmetic(exp(-2 * quarter), "<=", (1 - quarter / 3) ** 2 + Fraction(1, 100))
    point = specialise(parabola, {quarter: distance}, diameter())
    square = (1 + 2 * height) ** 2 / 9 + Fraction(1, 100)
    point = chain(point, arithmetic(point.rhs, "==", square, depth(), hide=(distance,)))
    moments = [specialise(thm, {v: ((j,), x(j))}) for thm in (first, second)]
    norm = sphere()[1]
    at = chain(
        integrate("mean", (k,), point), (1 + 4 * moments[0].lhs + 4 * moments[1].lhs) / 9 + Fraction(1, 100)
    )
    hide = (moments[0].lhs, moments[1].lhs, norm.lhs)
    value = arithmetic(at.rhs, "==", (1 + 4 / d) / 9 + Fraction(1, 100), *moments, norm, hide=hide)
    return chain(at, value, arithmetic(value.rhs, "<=", Fraction(344, 1000), many))


@cache
def few_are_near() -> Theorem:
    """(e^{1/4} E e^{-2|x_k - x|^2})^n <= 1/(2n), which bounds the mean of e^{n/4 - 2 sum |x_k -
    x|^2}.
    """
    base = chain(mean(exp(-2 * distance)), laplace_transform())
    tail = replace(exp(L / 4) * base.lhs**L, base)
    return chain(tail, arithmetic(tail.rhs, "<=", 1 / (2 * L), small_width()[0]))


#: The constants, which depend on d only.
C_low, C_up = exp(-(d + sqrt(d))) / 32, 4 * exp(d + sqrt(d))


@cache
def one_term() -> tuple[Theorem, Theorem]:
    """e^{-4r} |x_k - x|^2/4 <= |x_k - x|^p e^{-r |x_k - x|^2} <= 4, as |x_k - x|^2 <= 4 and p
    <= 2.
    """
    most = chain(arithmetic(ell(k), "==", log(distance)), replace(log(distance), diameter()))
    low = arithmetic(ell(k) - log(4), "<=", p / 2 * ell(k), most)
    high = arithmetic(p / 2 * ell(k), "<=", log(4), most)
    least = chain(
        distance / 4, arithmetic(distance / 4, "==", exp(ell(k) - log(4))), replace(exp(ell(k) - log(4)), low)
    )
    weak, full = replace(exp(-(r * 4)), diameter()), arithmetic(exp(-r * z), "<=", 1)
    below = chain(replace(weak.lhs * (distance / 4), least, weak), kernel)
    above = replace(kernel, high, specialise(full, {z: distance}))
    return below, chain(above, arithmetic(above.rhs, "<=", 4))


@cache
def small_arguments() -> tuple[Theorem, Theorem]:
    """P(g_p < C_b n e^{-2r}) <= 1/(2n) and g_p <= C^b n e^{-2r}, as e^{-2r} is between e^{-(d +
    sqrt d)} and 1.
    """
    below, above = (integrate("sum", (k,), thm, (prompt,)) for thm in one_term())
    below, above = chain(exp(-4 * r) / 4 * spread, below, g_p), chain(g_p, above, 4 * L)
    short = small_width()[2]
    part = arithmetic(-(d + sqrt(d)), "<=", -2 * r, short, hide=(d + sqrt(d),))
    most = chain(
        C_low * L * exp(-2 * r),
        replace(exp(-(d + sqrt(d))) * (L * exp(-2 * r) / 32), part),
        exp(-4 * r) * (L / 32),
    )
    parts = (C_low * L * exp(-2 * r), g_p, spread, exp(-4 * r))
    gap = arithmetic(parts[0] - g_p, "<=", exp(-4 * r) / 4 * (L / 8 - spread), most, below, hide=parts)
    rate = Variable("t", range=POSITIVE)
    event = specialise(arithmetic(Op("above", (y,)), "<=", exp(rate * y)), {y: gap.lhs, rate: 8 * exp(4 * r)})
    exponent = chain(replace(8 * exp(4 * r) * gap.lhs, gap), 2 * (L / 8 - spread))
    event = chain(event, replace(exp(exponent.lhs), exponent))
    likely = chain(integrate("prompt", (prompt,), event), few_are_near())
    full = replace(4 * L * exp(d + sqrt(d)) * exp(-(d + sqrt(d))), part)
    return likely, chain(above, full, C_up * L * exp(-2 * r))


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


#: What a narrower window adds to the exponents of the weights a.
u = Function("u", (Sort.TOKEN,))(k)


@cache
def narrower() -> Theorem:
    """sum a e^{-u} u/sum a e^{-u} <= sum a u/sum a, as u and -e^{-u} are ordered alike."""
    u_l, c = instantiated(u, {k: l}), exp(-u)
    order = specialise(arithmetic(0, "<=", y * (exp(y) - 1)), {y: u - u_l})
    a_l = instantiated(a, {k: l})
    pair = arithmetic(0 * a, "<=", a * a_l * c * order.rhs, order, hide=(a, a_l, c, order.rhs))
    one, ac, au, acu = total(a), total(a * c), total(a * u), total(a * c * u)
    whole = chain(_pairs(0 * a), integrate("sum", (k, l), pair, (prompt,)), 2 * (au * ac - acu * one))
    part = arithmetic(0, "<=", whole.rhs, chain(equal(0, _pairs(0 * a)), whole), hide=(whole.rhs,))
    up = arithmetic(acu * one, "<=", au * ac, part, hide=(one, ac, au, acu))
    scale = 1 / (one * ac)
    return chain(acu / ac, scale * up.lhs, replace(scale * up.lhs, up), au / one)


def narrower_statement(sign: int = 1) -> Statement:
    """The mean of u under the weights a e^{-sign u} is at most that under the weights a."""
    weights = a * exp(-sign * u)
    return Statement(total(weights * u) / total(weights), "<=", total(a * u) / total(a))
