"""Theorem 4.4 of Collins et al. for prompts of two tokens, in every dimension: what a matrix loses
if it is no positive multiple of BB'.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.rules import assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.prompt import d, j, l, mean, o, over, q
from proofs_check.derivations.window.signal import p
from proofs_check.derivations.window.subspace.equal_weights import (
    Gx,
    M_uu,
    M_vu,
    M_vv,
    a,
    b,
    c_u,
    c_v,
    cosine,
    e_,
    exact,
    excess,
    given_the_query,
    in_range,
    kappa,
    least,
    level,
    m,
    near,
    noisy_tokens,
    of_the_class,
    of_the_tokens,
    out,
    query,
    sigma,
    spread,
    spurious,
    tilt,
    top,
    u,
    v,
    v_1,
    v_2,
    with_equal_weights,
    without_noise,
)
from proofs_check.derivations.window.subspace.equal_weights import (
    loss as loss_at,
)
from proofs_check.derivations.window.subspace.two_tokens import first, second

rho, z = Variable("rho", range=POSITIVE), Variable("z", range=REALS)
w, w_ = Function("w", (Sort.INDEX,)), Function("w'", (Sort.INDEX,))
#: log(alpha_1/alpha_2), and what A + K does not exceed.
ratio = out((v_1(m, o) - v_2(m, o)) * (c_v * Gx))
most = exp(rho) + top
loss = query(mean(exact))
#: The squared sizes of the blocks N and Q, as the mean of |Gx|^2 has them.
blocks = out(c_u**2 * over(M_vu(m, l) ** 2, l) / d + c_v**2 * out(M_vv(m, e_) ** 2, e_) / spurious)
#: How far c_u Fx is from the direction of u.
off = query(level * tilt)


@cache
def spurious_parts() -> tuple[Theorem, ...]:
    """What is used of the spurious parts of the tokens, and of the query."""
    gap = out(w(m) * (v_1(m, o) - v_2(m, o)))
    of_u, of_v = over(w(l) * u(l, q), l), out(w_(e_) * v(e_, q), e_)
    return (
        assume("rho bounds log(alpha_1/alpha_2)", ratio**2, "<=", rho**2, every=(o, q)),
        assume(
            "uniform v_i: E (w.(v_1 - v_2))^2 = 2|w|^2/(d - k)",
            mean(gap**2),
            "==",
            2 * out(w(m) ** 2) / spurious,
            every=(w,),
        ),
        assume(
            "uniform query: E (w.u)^2 = |w|^2/k", query(of_u**2), "==", over(w(l) ** 2, l) / d, every=(w,)
        ),
        assume(
            "uniform query: E (w.v)^2 = |w|^2/(d - k)",
            query(of_v**2),
            "==",
            out(w_(e_) ** 2, e_) / spurious,
            every=(w_,),
        ),
        assume("uniform query: E (w.u)(w'.v) = 0", query(of_u * of_v), "==", 0, every=(w, w_)),
    )


@cache
def of_the_ratio() -> tuple[Theorem, Theorem]:
    """r^2/2 <= A - 1 and A <= e^rho."""
    bounded = spurious_parts()[0]
    up, down = (show(sign * ratio, "<=", rho, bounded, ratio) for sign in (1, -1))
    high, low = gcongr(exp(up.lhs), up), gcongr(exp(down.lhs), down)
    whole = chain(1 + excess, (high.lhs + low.lhs) / 2)
    point = instantiate(show(z**2 / 2, "<=", (exp(z) + exp(-z)) / 2 - 1), {z: ratio})
    return (
        chain(point, excess),
        chain(whole, show(whole.rhs, "<=", exp(rho), high, low, high.lhs, low.lhs, exp(rho))),
    )


@cache
def of_the_blocks() -> Theorem:
    """c_v^2/((d - k)(e^rho + K)^2) times the blocks is at most E_x E near."""
    least_, high = of_the_ratio()
    _, square, of_u, of_v, cross = spurious_parts()
    size = show(1 / most**2, "<=", 1 / (1 + excess + top) ** 2, high, excess, exp(rho), top)
    point = calc(
        ratio**2 / 2 * size.lhs,
        ("<=", ratio**2 / 2 * size.rhs, size, ratio, *_sides(size)),
        ("<=", excess * size.rhs, least_, ratio, excess, size.rhs),
        ("==", near, excess),
    )
    at_G = instantiate(square, {w: ((m,), c_v * Gx)})
    given = calc(
        size.lhs / 2 * at_G.rhs,
        ("==", size.lhs / 2 * at_G.lhs, at_G, *_sides(at_G), size.lhs),
        ("==", mean(point.lhs)),
        ("<=", mean(near), integrate("mean", (o,), point)),
    )
    row_u, row_v = {w: ((l,), M_vu(m, l))}, {w_: ((e_,), M_vv(m, e_))}
    crossed = instantiate(cross, {**row_u, **row_v})
    in_u, in_v = instantiate(of_u, row_u), instantiate(of_v, row_v)
    row = calc(
        query(Gx**2),
        ("==", c_u**2 * in_u.lhs + 2 * c_u * c_v * crossed.lhs + c_v**2 * in_v.lhs),
        ("==", c_u**2 * in_u.rhs + c_v**2 * in_v.rhs, in_u, crossed, in_v, in_u.lhs, in_v.lhs, crossed.lhs),
    )
    whole = integrate("coordinates", (m,), row, (spurious,))
    return calc(
        c_v**2 / spurious * size.lhs * blocks,
        ("==", c_v**2 / spurious * size.lhs * whole.rhs),
        ("==", c_v**2 / spurious * size.lhs * whole.lhs, whole, *_sides(whole), size.lhs),
        ("==", query(given.lhs)),
        ("<=", query(given.rhs), integrate("query", (q,), given)),
    )


def _sides(thm: Theorem) -> tuple[Term, Term]:
    return thm.lhs, thm.rhs


@cache
def of_the_direction() -> Theorem:
    """2/(k(e^rho + K)) times what c_u Fx is off the direction of u is at most E_x (1 - cos) E spread."""
    _, high = of_the_ratio()
    square = noisy_tokens()[1]
    size = show(1 / most, "<=", 1 / (1 + excess + top), high, excess, exp(rho), top)
    point = gcongr(level * (a - b) ** 2 * size.lhs, size)
    given = calc(
        level * size.lhs * square.rhs,
        ("==", level * size.lhs * square.lhs, square, *_sides(square), level, size.lhs),
        ("==", mean(point.lhs)),
        ("<=", mean(spread), integrate("mean", (o,), point)),
    )
    positive = show(0, "<=", tilt, in_range()[4], cosine)
    each = show(tilt * given.lhs, "<=", tilt * given.rhs, given, positive, tilt, *_sides(given))
    return calc(
        size.lhs * square.rhs * off,
        ("==", query(each.lhs)),
        ("<=", query(each.rhs), integrate("query", (q,), each)),
    )


@cache
def costs(noisy: bool = False) -> Theorem:
    """m, and what the blocks N and Q and the direction of Fx cost, is at most the loss."""
    first_, second_ = of_the_blocks(), of_the_direction()
    whole = integrate("query", (q,), given_the_query(noisy))
    left = least + kappa**2 * first_.lhs + kappa**2 * second_.lhs
    return chain(gcongr(left, first_, second_), whole)


#: A matrix in a quadratic form, the trace and the squared size of A, and the parts of c_u Fx.
form, size = Function("S", (Sort.INDEX, Sort.INDEX)), over(over(M_uu(j, l) ** 2, l))
trace = over(M_uu(j, j))
part_u, part_v = c_u**2 * over(M_uu(j, l) * u(l, q), l), c_u * c_v * out(M_vu(m, j) * v(m, q))
quadratic = over(over(form(j, l) * u(j, q) * u(l, q), l))


@cache
def forms_of_the_query() -> tuple[Theorem, ...]:
    """Second and fourth moments of the query; A is symmetric, as M is."""
    fourth = (trace**2 + 2 * size) / (d * (d + 2))
    along = over(u(j, q) * part_u) * over(u(j, q) * part_v)
    of_A = over(over(M_uu(j, l) * u(j, q) * u(l, q), l))
    return (
        assume(
            "uniform query: E u'Su = tr(S)/k", query(quadratic), "==", over(form(j, j)) / d, every=(form,)
        ),
        assume("uniform query: E (u'Au)^2 for a symmetric A", query(of_A**2), "==", fourth),
        assume("v and -v have one law: E u.N'v = 0", query(over(u(j, q) * part_v)), "==", 0),
        assume(
            "v and -v have one law: E Au.N'v = E u'Au u.N'v",
            query(over(part_u * part_v)),
            "==",
            query(along),
        ),
    )


def direction_statements(four: int = 4) -> tuple[Statement, Statement]:
    """c_u^4 (k|A|^2 - (tr A)^2)/(k(k + 2)) is at most `four` times what c_u Fx is off the direction
    of u, and the mean of c_u |Fx| is c_u^2 tr(A)/k and that.
    """
    given = hypotheses(*forms_of_the_query(), *of_the_class(), of_the_tokens()[0])
    spread_ = c_u**4 * (d * size - trace**2) / (d * (d + 2))
    return (
        Statement(spread_, "<=", four * off, given),
        Statement(query(level), "==", c_u**2 * trace / d + off, given),
    )


@cache
def along_the_query() -> Theorem:
    """c_u u.Fx = lambda cos."""
    known = of_the_class()[0]
    each = show(u(j, q) * known.lhs, "==", u(j, q) * known.rhs, known, *_sides(known), u(j, q))
    whole = integrate("coordinates", (j,), each, (d,))
    return chain(over(u(j, q) * (part_u + part_v)), whole, level * cosine)


@cache
def length() -> Theorem:
    """|c_u Fx| = lambda."""
    known, unit = of_the_class()[:2]
    each = show(known.lhs**2, "==", known.rhs**2, known, *_sides(known))
    whole = integrate("coordinates", (j,), each, (d,))
    return calc(
        over((part_u + part_v) ** 2), ("==", whole.lhs), ("==", whole.rhs, whole), ("==", level**2, unit)
    )


@cache
def mean_length() -> Theorem:
    """E lambda = c_u^2 tr(A)/k + E lambda (1 - cos)."""
    trace_, _, odd, _ = forms_of_the_query()
    at_A = instantiate(trace_, {form: ((j, l), M_uu(j, l))})
    whole = integrate("query", (q,), along_the_query())
    value = calc(
        query(level * cosine),
        ("==", whole.rhs),
        ("==", whole.lhs, whole, *_sides(whole)),
        ("==", c_u**2 * at_A.lhs + odd.lhs),
        ("==", c_u**2 * trace / d, at_A, odd, at_A.lhs, odd.lhs),
    )
    return calc(query(level), ("==", value.lhs + off), ("==", value.rhs + off, value, value.lhs, off))


@cache
def spread_of_A() -> Theorem:
    """E (|W|^2 - (u.W)^2) for W = c_u Fx, of which the part of v adds what is not negative."""
    trace_, fourth, _, mixed = forms_of_the_query()
    unit, most_ = of_the_tokens()[0], of_the_class()[2]
    square = instantiate(trace_, {form: ((j, l), over(M_uu(e_, j) * M_uu(e_, l), e_))})
    along_u, along_v = over(u(j, q) * part_u), over(u(j, q) * part_v)
    across = over((part_v - along_v * u(j, q)) ** 2)
    rest = calc(
        across,
        ("==", over(part_v**2) - 2 * along_v**2 + along_v**2 * unit.lhs),
        ("==", over(part_v**2) - along_v**2, unit, over(part_v**2), along_v),
    )
    rest = chain(show(0, "<=", across), rest)
    whole = calc(
        over(part_u**2) - along_u**2 + 2 * (over(part_u * part_v) - along_u * along_v),
        (
            "<=",
            over(part_u**2) - along_u**2 + 2 * (over(part_u * part_v) - along_u * along_v) + rest.rhs,
            rest,
            rest.rhs,
            over(part_u**2),
            along_u,
            over(part_u * part_v),
            along_v,
        ),
        ("==", over((part_u + part_v) ** 2) - over(u(j, q) * (part_u + part_v)) ** 2),
    )
    long, high = length(), along_the_query()
    narrow_ = show(0, "<=", tilt, in_range()[4], cosine)
    short = show(level * (1 + cosine), "<=", 4, most_, in_range()[4], level, cosine)
    last = show(
        0,
        "<=",
        level * tilt * (4 - short.lhs),
        show(0, "<=", 4 - short.lhs, short, short.lhs),
        narrow_,
        level,
        tilt,
        4 - short.lhs,
    )
    point = calc(
        whole,
        ("==", level**2 - (level * cosine) ** 2, long, high, *_sides(long), *_sides(high)),
        ("<=", level**2 - (level * cosine) ** 2 + last.rhs, last, last.rhs, level, cosine),
        ("==", 4 * (level * tilt)),
    )
    means = integrate("query", (q,), point)
    of_A = over(over(M_uu(j, l) * u(j, q) * u(l, q), l))
    odd = mixed.lhs - mixed.rhs
    return calc(
        c_u**4 * (d * size - trace**2) / (d * (d + 2)),
        ("==", c_u**4 * (size / d - fourth.rhs) + 2 * odd, mixed, size, trace, mixed.lhs, mixed.rhs),
        ("==", c_u**4 * (square.rhs - fourth.rhs) + 2 * odd),
        (
            "==",
            c_u**4 * (square.lhs - fourth.lhs) + 2 * odd,
            square,
            fourth,
            *_sides(square),
            *_sides(fourth),
            odd,
        ),
        ("==", means.lhs),
        ("<=", means.rhs, means),
        ("==", 4 * off),
    )


#: cBB' has the score c u_i.u, where c is a number.
c = Variable("c2", range=REALS)
at_u = tuple(over(u(j, q) * at(j, o)) for at in (first, second))
at_fixed = tuple(over(p(j) * at(j, o)) for at in (first, second))
own = tuple(exp(c * h) for h in at_u)


@cache
def of_multiples() -> tuple[Theorem, ...]:
    """What is used of the tokens if M is a multiple of BB'."""
    g, h = (x / (own[0] + own[1]) for x in own)
    inner = lambda at: mean(g * h * over(at * second(j, o)))
    flipped_ = 2 * at_u[0] * u(j, q) - first(j, o)
    return (
        assume(
            "the flip keeps the law of u_1, for M = cBB'",
            inner(first(j, o)),
            "==",
            inner(flipped_),
            every=(q,),
        ),
        assume(
            "a rotation keeps the law of u_1 and u_2, for M = cBB'",
            mean(with_equal_weights(c, *at_u)),
            "==",
            mean(with_equal_weights(c, *at_fixed)),
            every=(q,),
        ),
    )


@cache
def loss_of_multiples() -> Theorem:
    """The loss of cBB' is that of equal weights at c."""
    unit, one, two = of_the_tokens()[:3]
    flip, turn = of_multiples()
    g, h = (x / (own[0] + own[1]) for x in own)
    (s, t), inner = at_u, over(first(j, o) * second(j, o))
    squares, value = g**2 + h**2, mean(g * h * inner)
    product = calc(
        value, ("==", (value + flip.rhs) / 2, flip, value, flip.rhs), ("==", mean(g * h * (s * t)))
    )
    rest = kappa**2 * (squares + 1 - 2 * (g * s + h * t)) + sigma**2 * squares
    lengths = g**2 * one.lhs + h**2 * two.lhs + unit.lhs
    each = calc(
        loss_at(*own),
        ("==", kappa**2 * (lengths + 2 * (g * h * inner) - 2 * (g * s + h * t)) + sigma**2 * squares),
        ("==", rest + 2 * kappa**2 * (g * h * inner), unit, one, two, g, h, inner, s, t),
    )
    last = show(rest + 2 * kappa**2 * (g * h * (s * t)), "==", with_equal_weights(c, s, t), *own, s, t)
    point = calc(
        integrate("mean", (o,), each),
        ("==", mean(rest) + 2 * kappa**2 * value),
        ("==", mean(rest) + 2 * kappa**2 * product.rhs, product, value, product.rhs, mean(rest)),
        ("==", mean(last.lhs)),
        ("==", mean(last.rhs), integrate("mean", (o,), last)),
        ("==", turn.rhs, turn),
    )
    return calc(integrate("query", (q,), point), ("==", turn.rhs))


def statements(times: int = 1, four: int = 4) -> tuple[Statement, ...]:
    """Without noise, and with noise: m and what the blocks N and Q and the direction of Fx cost, all
    of it `times`, is at most the loss; both statements on the direction; and the loss of cBB'.
    """
    scale = c_v**2 / spurious * (1 / most**2)
    price = times * kappa**2 * (scale * blocks + 2 / d * (1 / most) * off)
    given = hypotheses(fixed_direction(), *spurious_parts(), noisy_tokens()[1])
    first_ = given | hypotheses(*of_the_class(2), *of_the_tokens(), without_noise())
    second_ = given | hypotheses(*of_the_class(1), *of_the_tokens(True), *noisy_tokens())
    multiples = hypotheses(fixed_direction(), *of_the_tokens()[:3], *of_multiples())
    least_ = mean(with_equal_weights(c, *at_fixed))
    return (
        Statement(least + price, "<=", loss, first_),
        Statement(least + price, "<=", loss, second_),
        *direction_statements(four),
        Statement(query(mean(loss_at(*own))), "==", times * least_, multiples),
    )


@cache
def fixed_direction() -> Theorem:
    return assume("|e_0| = 1", over(p(j) ** 2), "==", 1)


proves("COL:T4.4", statements, part=(1, 2), at=(False, True))(costs)
proves("COL:T4.4", statements, part=3)(spread_of_A)
proves("COL:T4.4", statements, part=4)(mean_length)
proves("COL:T4.4", statements, part=5)(loss_of_multiples)
