"""Lemma B.5 of Collins et al. at one query y: scores in the direction of y are better than scores
of the same length in another direction u, and by how much.

A reflection exchanges y and u and keeps the law of the tokens, of all of them or of one alone. So
twice the difference of the two means of rho times a weight is the mean of the difference of rho
over y and over u, times that of the weights, and both have one sign.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, assume, equal, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import d, i, j, l, mean, n, o, over, q, tokens
from proofs_check.derivations.window.setting import noise

#: The query y, the direction u of the scores M'y, and their length c.
y, u, v = (Function(name, (Sort.INDEX,)) for name in ("y", "u", "v"))
c = Variable("c", range=NONNEGATIVE)
#: A bound on the length, and how much rho rises: by m((t - s)^2 - eps^2)/(t - s) at least.
most, m, eps = (Variable(name, range=POSITIVE) for name in ("C", "m", "epsilon"))
s, t, a, b = (Variable(name, range=REALS) for name in "stab")
sigma = Variable("sigma", range=NONNEGATIVE)
_with = lambda name, order, *sorts: Function(name, (*sorts, Sort.TOKEN), order)
#: A task at the query, and how much more it is at the tokens, which is bounded by its slope.
f_y, difference = _with("f_y", Fraction(2)), _with("g", None, Sort.INDEX)
#: rho at the heights of a token over y and over u, at the products of two tokens, and at 1.
rho_y, rho_u = (_with(name, None, Sort.INDEX) for name in ("rho_y", "rho_u"))
rho, rho_1 = _with("rho", None, Sort.INDEX, Sort.INDEX), Variable("rho1", range=REALS)
#: The sum of the weights of the other tokens.
others = exp(_with("log R", None, Sort.INDEX)(i, o))


def along(direction: Function, index: Variable = i) -> Term:
    """The height of a token over a point of the sphere."""
    return over(direction(j) * X(index, j, o))


def weight(direction: Function, index: Variable = i, scale: Term = c) -> Term:
    return exp(scale * along(direction, index))


def share(direction: Function, index: Variable = i) -> Term:
    """The weight of attention."""
    return weight(direction, index) / tokens(weight(direction))


def loss(direction: Function, scale: Term = c) -> Term:
    """The mean squared error with the scores c u.x_i, given the query."""
    W, label = weight(direction, scale=scale), f_y(o) + difference(i, o) + noise(i, q)
    return mean(of_noise((tokens(W * label) / tokens(W) - f_y(o)) ** 2))


def of_noise(body: Term) -> Term:
    """The mean over the noise of the labels, given the task and the tokens."""
    return bind("query", (q,), body)


def among(direction: Function) -> Term:
    """The weight of a token that is seen in this direction, where the others are seen along u."""
    return weight(direction) / (weight(direction) + others)


@cache
def sphere() -> tuple[Theorem, ...]:
    """What is said of points: tokens, the query and the direction are on the sphere."""
    return (
        assume("tokens on the sphere", over(X(i, j, o) ** 2), "==", 1, every=(i, o)),
        assume("|y| = 1", over(y(j) ** 2), "==", 1),
        assume("|u| = 1", over(u(j) ** 2), "==", 1),
        assume("c <= C", c, "<=", most),
    )


@cache
def several() -> tuple[Theorem, Theorem]:
    """There is another token for each, whose weight is at least e^{-C}."""
    total = tokens(weight(u))
    return (
        assume("R_i is the sum of the other weights", total, "==", weight(u) + others, every=(i, o)),
        assume("n >= 2: R_i is at least another weight", exp(-most), "<=", others, every=(i, o)),
    )


@cache
def noisy_labels() -> tuple[Theorem, Theorem]:
    """Independent noise of the mean 0 and the variance sigma^2, which may be 0."""
    sum_ = tokens(v(i) * noise(i, q))
    square = sigma**2 * tokens(v(i) ** 2)
    return (
        assume("independent noise of variance sigma^2", of_noise(sum_**2), "==", square, every=(v,)),
        assume("centred noise", of_noise(sum_), "==", 0, every=(v,)),
    )


@cache
def tasks(direction: Function) -> Theorem:
    """E f(x)f(y) = rho(x.y) for tasks that are independent of the tokens, in the means that the
    loss has, for f(x_i) - f(y).
    """
    g, h = share(direction), share(direction, l)
    right = rho(i, l, o) - rho_y(i, o) - rho_y(l, o) + rho_1
    return assume(
        f"E f(x)f(y) = rho(x.y), for the scores along {direction.name}",
        mean(g * h * (difference(i, o) * difference(l, o))),
        "==",
        mean(g * h * right),
        every=(i, l),
    )


def second(direction: Function) -> Term:
    """The mean square of the average of the labels, by rho."""
    g, h = share(direction), share(direction, l)
    return mean(tokens(tokens(g * h * rho(i, l, o), l))) + sigma**2 * mean(tokens(g**2))


@cache
def reflections() -> tuple[Theorem, ...]:
    """The reflection that exchanges y and u keeps the law of the tokens: of all, of the others, and
    of one alone.
    """
    name = lambda of: f"the reflection that exchanges y and u keeps the law of {of}"
    own = mean(rho_y(i, o) * among(y))
    return (
        assume(name("the tokens"), second(u), "==", second(y)),
        assume(name("the other tokens"), own, "==", mean(share(y) * rho_y(i, o)), every=(i,)),
        assume(name("a token, seen twice along y"), own, "==", mean(rho_u(i, o) * among(u)), every=(i,)),
        assume(name("a token"), mean(rho_y(i, o) * among(u)), "==", mean(rho_u(i, o) * among(y)), every=(i,)),
    )


@cache
def isotropic() -> Theorem:
    return assume(
        "uniform tokens: E (v.x_i)^2 = |v|^2/d",
        mean(over(v(j) * X(i, j, o)) ** 2),
        "==",
        over(v(j) ** 2) / d,
        every=(i, v),
    )


#: What the heights of a token over y and over u, and rho there, differ by.
apart, rise = along(y) - along(u), rho_y(i, o) - rho_u(i, o)


@cache
def rising() -> tuple[Theorem, ...]:
    """rho rises, and strictly: between heights that are apart by more than epsilon it rises."""
    up, down = Op("ind", (apart,)), Op("ind", (-apart,))
    return (
        assume("rho rises: x_i.y >= x_i.u", 0, "<=", up * rise, every=(i, o)),
        assume("rho rises: x_i.u >= x_i.y", 0, "<=", down * -rise, every=(i, o)),
        assume("rho rises strictly", m * (apart**2 - eps**2), "<=", rise * apart, every=(i, o)),
    )


def given() -> tuple[Theorem, ...]:
    return (
        *sphere(),
        *several(),
        *noisy_labels(),
        tasks(u),
        tasks(y),
        *reflections(),
        isotropic(),
        *rising(),
    )


#: What the quotient of the differences of two weights and of their scores is at least.
kappa = exp(-4 * most) / (1 + n) ** 2
#: What the direction u adds to the loss, at least.
gain = n * kappa * m * c * (over((y(j) - u(j)) ** 2) / d - eps**2)


@cache
def sizes(direction: Function) -> tuple[Theorem, Theorem]:
    """e^{-C} <= W <= e^C for the weight of a token, as |c u.x_i| <= C."""
    token, query, other, length = sphere()
    unit = query if direction is y else other
    at, bounds = along(direction), []
    for sign in (1, -1):
        square = over((X(i, j, o) - sign * direction(j)) ** 2)
        far = calc(0, ("<=", square), ("==", token.lhs - 2 * sign * at + unit.lhs))
        less = show(sign * at, "<=", 1, far, token, unit, at, token.lhs, unit.lhs)
        bounds.append(calc(gcongr(c * less.lhs, less), ("<=", most, length)))
    up = gcongr(exp(bounds[0].lhs), bounds[0])
    down = gcongr(exp(-bounds[1].rhs), show(-bounds[1].rhs, "<=", c * at, bounds[1]))
    return chain(exp(-most), down), chain(weight(direction), up, exp(most))


@cache
def others_are_bounded() -> Theorem:
    """R_i <= n e^C."""
    whole = integrate("coordinates", (i,), sizes(u)[1], (n,))
    total, own = several()[0], weight(u)
    return calc(others, ("<=", total.lhs, total, others, own, total.lhs), ("<=", n * exp(most), whole))


@cache
def steep(lower: Function, upper: Function) -> Theorem:
    """kappa <= R W/((W_y + R)(W_u + R)) for the weight W in either direction."""
    (low, high), (_, top), rest = sizes(lower), sizes(upper), others_are_bounded()
    W, V = weight(lower), weight(upper)
    least = several()[1]
    above = [
        show(one + others, "<=", (1 + n) * exp(most), thm, rest, one, others)
        for one, thm in ((W, high), (V, top))
    ]
    product = show(exp(-2 * most), "<=", others * W, low, least, others, W)
    bottom = ((1 + n) * exp(most)) ** 2
    return calc(
        kappa,
        ("==", exp(-2 * most) / bottom),
        ("<=", others * W / bottom, product),
        ("<=", others * W / ((W + others) * (V + others)), *above),
    )


@cache
def of_one_sign(sign: int) -> Theorem:
    """Where t >= s the difference of the weights is at least kappa c (t - s), and where s >= t at
    most: the exponential is above its tangents.
    """
    lower, upper = (u, y) if sign == 1 else (y, u)
    W, V, at = weight(lower), weight(upper), sign * apart
    event, quotient = Op("ind", (at,)), steep(lower, upper)
    bottom = (W + others) * (V + others)
    positive = instantiate(arithmetic(0, "<=", Op("ind", (a,)) * a), {a: at})
    tangent = instantiate(show(b, "<=", exp(b) - 1), {b: c * at})
    tangent = calc(W * tangent.lhs, ("<=", W * tangent.rhs, tangent), ("==", V - W))
    scale = event * others / bottom
    return calc(
        event * (kappa * c * at),
        ("<=", quotient.rhs * c * (event * at), quotient, positive, kappa, quotient.rhs, event, at),
        ("==", scale * tangent.lhs),
        ("<=", scale * tangent.rhs, tangent, scale, tangent.lhs, tangent.rhs),
        ("==", event * (sign * (among(y) - among(u))), W, V, others, event),
    )


@cache
def one_token() -> Theorem:
    """kappa c m ((t - s)^2 - epsilon^2) <= (rho(t) - rho(s))(w(t) - w(s)), as both differences have
    the sign of t - s.
    """
    up, down, strictly = rising()
    above, below = of_one_sign(1), of_one_sign(-1)
    gap = among(y) - among(u)
    return calc(
        kappa * c * strictly.lhs,
        ("<=", kappa * c * (rise * apart), strictly, kappa),
        ("<=", rise * gap, up, down, above, below, rise, gap, kappa, apart),
    )


@cache
def by_reflection() -> Theorem:
    """kappa c m (|y - u|^2/d - epsilon^2) <= 2 E rho(t) (w(t) - w(s)), for each token."""
    _, _, twice, exchanged = reflections()
    along_both = chain(mean(apart**2), instantiate(isotropic(), {v: ((j,), y(j) - u(j))}))
    scale = kappa * c * m
    own, x = twice.lhs, exchanged.lhs
    return calc(
        scale * (along_both.rhs - eps**2),
        ("==", scale * (mean(apart**2) - eps**2), along_both, scale, along_both.lhs, along_both.rhs),
        ("==", mean(kappa * c * (m * (apart**2 - eps**2)))),
        ("<=", mean(rise * (among(y) - among(u))), one_token()),
        ("==", own - x - exchanged.rhs + twice.rhs),
        ("==", 2 * own - 2 * x, twice, exchanged, own, x, twice.rhs, exchanged.rhs),
    )


#: Any function of two tokens of a prompt.
F = _with("F", Fraction(1), Sort.INDEX, Sort.INDEX)


@cache
def sum_of_means() -> Theorem:
    """The sum of the means over all pairs of tokens is the mean of the sum."""
    return equal(bind("coordinates", (i, l), mean(F(i, l, o)), (n, n)), mean(tokens(tokens(F(i, l, o), l))))


@cache
def by_rho(direction: Function) -> Theorem:
    """The loss is rho(1) - 2 E sum gamma_i rho(x_i.y) + E (sum gamma_i (f(x_i) + eps_i))^2."""
    W, g, h = weight(direction), share(direction), share(direction, l)
    Z, add = tokens(W), difference(i, o)
    apart_, noisy = tokens(g * add), tokens(g * noise(i, q))
    square, linear = (instantiate(thm, {v: ((i,), g)}) for thm in noisy_labels())
    label = f_y(o) + add + noise(i, q)
    error = calc(
        tokens(W * label) / Z - f_y(o),
        ("==", f_y(o) * Z / Z + apart_ + noisy - f_y(o)),
        ("==", apart_ + noisy, Z, apart_, noisy),
    )
    given_tokens = calc(
        of_noise(error.lhs**2),
        ("==", of_noise((apart_ + noisy) ** 2), error),
        ("==", apart_**2 + 2 * apart_ * linear.lhs + square.lhs),
        ("==", apart_**2 + square.rhs, square, linear, apart_, square.lhs, linear.lhs),
    )
    double = integrate("coordinates", (i, l), tasks(direction), (n, n))
    total, pair = tokens(g), tokens(tokens(g * h * rho(i, l, o), l))
    seen, one = tokens(g * rho_y(i, o)), show(tokens(g), "==", 1)
    right = rho(i, l, o) - rho_y(i, o) - rho_y(l, o) + rho_1
    products = calc(
        tokens(tokens(g * h * right, l)),
        ("==", pair - 2 * seen * total + rho_1 * total**2),
        ("==", pair - 2 * seen + rho_1, one, total, pair, seen),
    )
    squares = sigma**2 * tokens(g**2)
    double = calc(
        chain(double, instantiate(sum_of_means(), {F: ((i, l, o), g * h * right)})),
        ("==", mean(products.rhs), products),
    )
    return calc(
        loss(direction),
        ("==", mean(apart_**2 + squares), given_tokens),
        ("==", double.lhs + mean(squares)),
        ("==", mean(products.rhs) + mean(squares), double, double.lhs, double.rhs, mean(squares)),
        ("==", rho_1 - 2 * tokens(mean(g * rho_y(i, o))) + second(direction)),
    )


@cache
def best_direction() -> Theorem:
    """The loss with the scores c y.x_i, and the gain, are at most that with the scores c u.x_i."""
    squares, alone, _, _ = reflections()
    aslant, straight, each = by_rho(u), by_rho(y), by_reflection()
    whole = integrate("coordinates", (i,), each, (n,))
    same = show(share(u), "==", among(u), several()[0])
    seen = show(mean(share(u) * rho_y(i, o)), "==", mean(rho_y(i, o) * among(u)), same)
    seen = integrate("coordinates", (i,), seen, (n,))
    other = integrate("coordinates", (i,), alone, (n,))
    own, x, z = rho_1, seen.rhs, other.lhs
    start = chain(gain, whole, 2 * z - 2 * x)
    reduced = calc(straight, ("==", own - 2 * z + second(y), other, own, z, second(y)))
    full = calc(
        aslant, ("==", own - 2 * x + second(y), seen, squares, own, seen.lhs, x, second(u), second(y))
    )
    return calc(
        loss(y) + gain,
        ("<=", own - 2 * z + second(y) + gain, reduced, gain),
        ("<=", own - 2 * x + second(y), start, own, x, z, second(y), gain),
        ("==", loss(u), full),
    )
