"""Section 2 and Appendix B of Collins et al.: the layer, constant tasks, and the reductions."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, assume, equal, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import by_normal_form, proves
from proofs_check.derivations.window.prompt import S, W, X, i, j, l, mean, n, o, over, q, tokens, x
from proofs_check.derivations.window.tasks import value_matrix

sigma, r, h = (Variable(name, range=POSITIVE) for name in ("sigma", "r", "h"))
y, z, s, t = (Variable(name, range=REALS) for name in ("y", "z", "s", "t"))
v = Function("v", (Sort.INDEX,))
_square = lambda name: Function(name, (Sort.TOKEN,), Fraction(2))
_bounded = lambda name: Function(name, (Sort.TOKEN,), None)
#: Lemma B.1: the parts of the error, where B is v.beta.
A, C = _square("A"), _square("C")
beta = Function("beta", (Sort.INDEX, Sort.TOKEN), Fraction(2))
B = over(v(j) * beta(j, o))


@cache
def equally_likely() -> Theorem:
    """The loss is the same for -f and the opposite noise, which change the signs of A and C."""
    right = mean((-A(o) + B - C(o)) ** 2)
    return assume(
        "f and -f are equally likely, with the noise", mean((A(o) + B + C(o)) ** 2), "==", right, every=(v,)
    )


def covariates_statements(
    half: int | Fraction = Fraction(1, 2), least: int = 1
) -> tuple[Statement, Statement, Statement]:
    """E (A + C)^2, the loss at v = 0, and E B^2 together are half E [(A + B + C)^2 + (-A + B -
    C)^2], and 2 half times the loss at v; and E B^2 is at least a positive multiple of
    |Sigma^{1/2} v|^2, times `least`.
    """
    here, there = mean((A(o) + B + C(o)) ** 2), mean((-A(o) + B - C(o)) ** 2)
    apart, half = mean((A(o) + C(o)) ** 2) + mean(B**2), Fraction(half)
    return (
        Statement(apart, "==", half * (here + there)),
        Statement(apart, "==", 2 * half * here, equally_likely().assumptions),
        value_matrix.statement(least),
    )


@proves("COL:B.1", covariates_statements, part=(1, 2))
@cache
def without_covariates() -> tuple[Theorem, Theorem]:
    """E (A + C)^2 + E B^2 = E [(A + B + C)^2 + (-A + B - C)^2]/2, which is the loss at v."""
    here, there = mean((A(o) + B + C(o)) ** 2), mean((-A(o) + B - C(o)) ** 2)
    printed = show(mean((A(o) + C(o)) ** 2) + mean(B**2), "==", (here + there) / 2)
    return printed, calc(printed, ("==", here, equally_likely()))


proves("COL:B.1", covariates_statements, part=3)(value_matrix.what_is_added)

#: Lemma B.5: the heights of a token over two points of one length, the values of rho and the
#: weights there.
at_S, at_T, rho_S, rho_T, w_S, w_T = (_bounded(name) for name in ("S", "T", "rho_S", "rho_T", "w_S", "w_T"))


def weight(at: Term) -> Term:
    """The weight of a token at this height, where r is what the others add."""
    return exp(2 * at) / (exp(2 * at) + r)


def monotone_statements(sign: int = 1) -> tuple[Statement, Statement]:
    """The weight times `sign` grows with the height, and its mean with rho is largest if both are
    taken at one point.
    """
    given = hypotheses(*exchangeable())
    return (
        Statement(sign * weight(s), "<", sign * weight(s + h)),
        Statement(sign * mean(rho_S(o) * w_T(o)), "<=", sign * mean(rho_T(o) * w_T(o)), given),
    )


@proves("COL:B.5.mono", monotone_statements, part=1)
@cache
def growing() -> Theorem:
    """The weight grows with the height."""
    return show(weight(s), "<", weight(s + h))


@cache
def exchangeable() -> tuple[Theorem, ...]:
    """The reflection that exchanges the two points keeps the law of a token; rho increases."""
    mean_of = lambda rho, w: mean(rho(o) * w(o))
    gap, up, down = rho_S(o) - rho_T(o), Op("ind", (at_S(o) - at_T(o),)), Op("ind", (at_T(o) - at_S(o),))
    return (
        assume("the heights S and T have one law", mean_of(rho_S, w_S), "==", mean_of(rho_T, w_T)),
        assume("S and T may be exchanged", mean_of(rho_S, w_T), "==", mean_of(rho_T, w_S)),
        assume("rho increases: S >= T", 0, "<=", up * gap, every=(o,)),
        assume("rho increases: T >= S", 0, "<=", down * -gap, every=(o,)),
        assume("the weight at S", w_S(o) * (exp(2 * at_S(o)) + r), "==", exp(2 * at_S(o)), every=(o,)),
        assume("the weight at T", w_T(o) * (exp(2 * at_T(o)) + r), "==", exp(2 * at_T(o)), every=(o,)),
    )


def _value(w: Function, at: Function, thm: Theorem) -> Theorem:
    """The weight from the equation that defines it."""
    top = exp(2 * at(o))
    return calc(w(o), ("==", thm.lhs / (top + r)), ("==", weight(at(o)), thm))


@proves("COL:B.5.mono", monotone_statements, part=2)
@cache
def ordered_alike() -> Theorem:
    """E rho(S) w(T) <= E rho(T) w(T): both orders agree, so E (rho(S) - rho(T))(w(S) - w(T)) >=
    0.
    """
    law, swap, up, down, of_S, of_T = exchangeable()
    first, second = _value(w_S, at_S, of_S), _value(w_T, at_T, of_T)
    high, low_, event = exp(2 * s), exp(2 * t), Op("ind", (s - t,))
    order = instantiate(arithmetic(0, "<=", Op("ind", (y,)) * (exp(2 * y) - 1)), {y: s - t})
    scale = low_ * r / ((high + r) * (low_ + r))
    order = calc(
        0,
        ("<=", scale * order.rhs, order),
        ("==", r / ((high + r) * (low_ + r)) * event * (high - low_)),
        ("==", event * (weight(s) - weight(t)), high),
    )
    ends = [instantiate(order, dict(zip((s, t), at))) for at in ((at_S(o), at_T(o)), (at_T(o), at_S(o)))]
    gap, weights = rho_S(o) - rho_T(o), (weight(at_S(o)), weight(at_T(o)))
    point = calc(
        0 * rho_S(o),
        ("<=", gap * (weights[0] - weights[1]), up, down, *ends, *weights),
        ("==", gap * (w_S(o) - w_T(o)), first, second, *weights),
    )
    mean_of = lambda rho, w: mean(rho(o) * w(o))
    SS, ST, TS, TT = (mean_of(rho, w) for rho in (rho_S, rho_T) for w in (w_S, w_T))
    whole = chain(0, mean(0 * rho_S(o)), integrate("mean", (o,), point), SS - ST - TS + TT)
    return arithmetic(ST, "<=", TT, whole, law, swap)


#: g at c_y, and its least value.
g, least = Function("g", (Sort.TOKEN,), Fraction(1)), Variable("m", range=REALS)


@cache
def least_value() -> Theorem:
    return assume("m is the least value of g", least, "<=", g(o), every=(o,))


def minimiser_statements(share: int | Fraction = 1) -> tuple[Statement, Statement]:
    """share m <= E g(c_y), and E g(c) = share m for one minimiser c."""
    return (
        Statement(Fraction(share) * least, "<=", mean(g(o)), least_value().assumptions),
        Statement(mean(least), "==", Fraction(share) * least),
    )


@proves("COL:B.5.map", minimiser_statements, part=(1, 2))
@cache
def one_minimiser() -> tuple[Theorem, Theorem]:
    """m <= E g(c_y), with equality if all c_y are one minimiser."""
    return chain(least, integrate("mean", (o,), least_value())), equal(mean(least), least)


#: The root of the squared distance of a token, as |x_i - x|^2 is not negative.
length = Function("dist", (Sort.INDEX,))


def kernel_sum(p: int, at: Term) -> Term:
    """g_p at a width."""
    kernel = exp(-at * length(i) ** 2)
    return tokens(length(i) ** p * kernel) if p else tokens(kernel)


def _quotient(step: Term, sign: int = -1) -> Term:
    """|g_0(r + step) - g_0(r) - sign step g_2(r)|."""
    gap = kernel_sum(0, r + step) - kernel_sum(0, r) - sign * step * kernel_sum(2, r)
    return Op("max", (gap, -gap))


def derivative_statements(
    sign: int = -1, half: int | Fraction = Fraction(1, 2)
) -> tuple[Statement, Statement]:
    """The difference quotients of g_0 are those of the slope sign g_2, up to half h g_4."""
    bound = lambda base: Fraction(half) * h**2 * kernel_sum(4, base)
    return Statement(_quotient(h, sign), "<=", bound(r)), Statement(_quotient(-h, sign), "<=", bound(r - h))


@proves("COL:gp", derivative_statements, part=(1, 2))
@cache
def derivative_of_the_sums() -> tuple[Theorem, Theorem]:
    """|g_0(r + h) - g_0(r) + h g_2(r)| is at most h^2 g_4(r)/2 for h > 0, and h^2 g_4(r + h)/2 for
    h < 0: -g_2 is the derivative of g_0.
    """
    z = Variable("z", range=NONNEGATIVE)
    falls, rises = exp(-z) - 1 + z, 1 - (1 + z) * exp(-z)

    def one(of: Term, step: Term, base: Term) -> Theorem:
        scale, at = exp(-base * length(i) ** 2), {z: h * length(i) ** 2}
        low, up = (instantiate(thm, at) for thm in (show(0, "<=", of), show(of, "<=", z**2 / 2)))
        gap, most = (
            kernel_sum(0, r + step) - kernel_sum(0, r) + step * kernel_sum(2, r),
            h**2 / 2 * kernel_sum(4, base),
        )
        least = show(0 * scale, "<=", scale * low.rhs, low)
        low = chain(0, tokens(0 * scale), integrate("coordinates", (i,), least, (n,)), gap)
        up = chain(gap, integrate("coordinates", (i,), gcongr(scale * up.lhs, up), (n,)), most)
        return show(Op("max", (gap, -gap)), "<=", most, low, up)

    return one(falls, h, r), one(rises, -h, r - h)


#: The layer: labels, and the blocks of keys and queries; the other entries of both are 0.
label, of_query = Function("f", (Sort.INDEX, Sort.TOKEN)), Function("f_x", (Sort.TOKEN,))
M_K, M_Q, M = (Function(name, (Sort.INDEX, Sort.INDEX)) for name in ("M_K", "M_Q", "M"))
a = Variable("a", Sort.INDEX)


def _attention(score_: Term) -> Term:
    """The last entry of the attention of the query, whose values are 0 and the labels."""
    weights = exp(score_)
    values = over(0 * X(i, j, o)) + 1 * label(i, o)
    return tokens(weights * values) / tokens(weights)


def attention_statement(transposed: bool = False) -> Statement:
    """With the full matrices the output is the softmax average with the scores x_i' M x, M = M_K'
    M_Q, or with the transpose.
    """
    row = lambda block, z, last: over(block(a, j) * z) + 0 * last
    blocks = over(row(M_K, X(i, j, o), label(i, o)) * row(M_Q, x(j, o), of_query(o)), a)
    zeros = (over(0 * X(i, j, o)) + 0 * label(i, o)) * (over(0 * x(j, o)) + 0 * of_query(o))
    entry = over(M_K(a, l) * M_Q(a, j), a) if transposed else over(M_K(a, j) * M_Q(a, l), a)
    score_ = over(over(X(i, j, o) * entry * x(l, o), l))
    weights = exp(score_)
    return Statement(_attention(blocks + zeros), "==", tokens(weights * label(i, o)) / tokens(weights))


proves("COL:ATTN", attention_statement)(by_normal_form(attention_statement))


#: The labels' noise, for given tokens.
noise = Function("eps", (Sort.INDEX, Sort.QUERY), Fraction(2))
c = Variable("c", range=REALS)
b = Function("b", (Sort.INDEX,))


@cache
def uncorrelated() -> Theorem:
    """E (sum b_i eps_i)^2 = sigma^2 |b|^2: independent noise of mean 0 and variance sigma^2."""
    square = bind("query", (q,), tokens(b(i) * noise(i, q)) ** 2)
    return assume(
        "independent noise of variance sigma^2", square, "==", sigma**2 * tokens(b(i) ** 2), every=(b,)
    )


def constant_loss(weight_: Term) -> Term:
    """The loss of weights on a constant task, over the noise and the tokens."""
    return mean(bind("query", (q,), (tokens(weight_ * (c + noise(i, q))) - c) ** 2))


def window_statements(half: int | Fraction = Fraction(1, 2)) -> tuple[Statement, Statement]:
    """2 half sigma^2/n is at most the loss of every softmax, and that of equal weights, M = 0."""
    given, level = uncorrelated().assumptions, 2 * Fraction(half) * sigma**2 / n
    return (
        Statement(level, "<=", constant_loss(W / S), given),
        Statement(constant_loss(1 / n), "==", level, given),
    )


@proves("COL:R2.1.i", window_statements, part=(1, 2))
@cache
def no_window() -> tuple[Theorem, Theorem]:
    """sigma^2/n <= the loss of every softmax, as sum gamma_i^2 >= 1/n; equal scores have that
    loss.
    """
    gamma, even, squares = W / S, 1 / n, tokens((W / S) ** 2)
    of = lambda weight_: instantiate(uncorrelated(), {b: ((i,), weight_)})
    of_noise = lambda weight_: bind("query", (q,), (tokens(weight_ * (c + noise(i, q))) - c) ** 2)
    square = instantiate(show(0 * y, "<=", (y - even) ** 2), {y: gamma})
    square = chain(0, tokens(0 * gamma), integrate("coordinates", (i,), square, (n,)), squares - even)
    least, loss = show(even, "<=", squares, square), of(gamma)
    point = calc(
        sigma**2 / n, ("<=", sigma**2 * squares, least), ("<=", of_noise(gamma), gcongr(loss.rhs, loss))
    )
    return chain(sigma**2 / n, integrate("mean", (o,), point)), calc(
        mean(of_noise(even)), ("==", mean(sigma**2 * tokens(even**2)), of(even)), ("==", sigma**2 / n)
    )


#: Weights that depend on the tokens alone, and the values of a task at the tokens and at the query.
gamma, value = (Function(name, (Sort.INDEX, Sort.TOKEN), None) for name in ("gamma", "f"))
at_query = _bounded("f_x")
_of_noise = lambda body: bind("query", (q,), body)
_off, _noisy = tokens(gamma(i, o) * value(i, o)) - at_query(o), tokens(gamma(i, o) * noise(i, q))
#: The error without noise as it is printed, by the differences of the values.
_apart = tokens((at_query(o) - value(i, o)) * gamma(i, o))
_loss = _of_noise((tokens(gamma(i, o) * (value(i, o) + noise(i, q))) - at_query(o)) ** 2)


@cache
def centred() -> Theorem:
    """E sum b_i eps_i = 0, given the task and the tokens."""
    return assume("centred noise", _of_noise(tokens(b(i) * noise(i, q))), "==", 0, every=(b,))


@cache
def weights_of_a_mean() -> Theorem:
    """The weights of attention add up to 1."""
    return assume("the weights add up to 1", tokens(gamma(i, o)), "==", 1, every=(o,))


def parts_statement(share: int = 1) -> Statement:
    """The loss is the signal term and share times the noise term."""
    given = hypotheses(centred(), weights_of_a_mean())
    return Statement(mean(_loss), "==", mean(_apart**2) + share * mean(_of_noise(_noisy**2)), given)


@cache
def without_noise() -> Theorem:
    """The loss given the tokens, as the product of the error and the noise has the mean 0."""
    square, linear = _of_noise(_noisy**2), _of_noise(_noisy)
    return calc(
        _loss,
        ("==", _off**2 + 2 * _off * linear + square),
        ("==", _off**2 + square, instantiate(centred(), {b: ((i,), gamma(i, o))})),
    )


def difference_statement(share: int = 1) -> Statement:
    """The loss is E (f_x - share sum gamma_i f_i)^2 and the noise, for any weights."""
    apart = at_query(o) - share * tokens(gamma(i, o) * value(i, o))
    right = mean(apart**2) + mean(_of_noise(_noisy**2))
    return Statement(mean(_loss), "==", right, centred().assumptions)


@proves("COL:C.disp", difference_statement)
@cache
def value_and_average() -> Theorem:
    """The signal term is the mean square of f_x - sum gamma_i f_i."""
    each, right = without_noise(), difference_statement().rhs
    return chain(calc(mean(_loss), ("==", mean(each.rhs), each)), right)


@proves("COL:B.1-dec", parts_statement)
@cache
def signal_and_noise() -> Theorem:
    """The loss is E (sum (f_x - f_i) gamma_i)^2 + E (sum gamma_i eps_i)^2: the product has mean 0,
    and the weights add up to 1.
    """
    total, average = tokens(gamma(i, o)), tokens(gamma(i, o) * value(i, o))
    square, each = _of_noise(_noisy**2), without_noise()
    same = equal(_apart, at_query(o) * total - average)
    same = show(_off**2, "==", _apart**2, weights_of_a_mean(), same)
    each = calc(each, ("==", _apart**2 + square, same))
    return calc(mean(_loss), ("==", mean(_apart**2 + square), each), ("==", mean(_apart**2) + mean(square)))
