"""Lemma B.5 of Collins et al. at one query y: scores in the direction of y are better than scores
of the same length in another direction u, and by how much.

A reflection exchanges y and u and keeps the law of the tokens, of all of them or of one alone. So
twice the difference of the two means of rho times a weight is the mean of the difference of rho
over y and over u, times that of the weights, and both have one sign.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, symm
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, equal, gcongr, instantiate, integrate, open_event
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Op, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.any_matrix.setting import (
    along,
    among,
    apart,
    c,
    difference,
    f_y,
    gain,
    isotropic,
    kappa,
    largest,
    loss,
    most,
    noisy_labels,
    of_noise,
    others,
    reflections,
    rho,
    rho_1,
    rho_y,
    rise,
    rising,
    second,
    several,
    share,
    sigma,
    sphere,
    spread,
    steepness,
    tasks,
    u,
    v,
    weight,
    y,
)
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import d, i, j, l, mean, n, o, over, q, tokens
from proofs_check.derivations.window.setting import noise

eta = Variable("eta", range=POSITIVE)
a, b = (Variable(name, range=REALS) for name in "ab")
z, r = Variable("z", range=NONNEGATIVE), Variable("r", range=POSITIVE)


@cache
def height_is_at_most_one(direction: Function, sign: int) -> Theorem:
    """The height of a token over a point of the sphere, or minus it, is at most 1."""
    token, unit = sphere()[0], sphere()[1 if direction is y else 2]
    at, far = along(direction), over((X(i, j, o) - sign * direction(j)) ** 2)
    square = calc(0, ("<=", far), ("==", token.lhs - 2 * sign * at + unit.lhs))
    return show(sign * at, "<=", 1, square, token, unit, at, token.lhs, unit.lhs)


@cache
def sizes(direction: Function) -> tuple[Theorem, Theorem]:
    """e^{-C} <= W <= e^C for the weight of a token, as |c u.x_i| <= C."""
    length, bounds = sphere()[3], []
    for sign in (1, -1):
        less = height_is_at_most_one(direction, sign)
        bounds.append(calc(gcongr(c * less.lhs, less), ("<=", most, length)))
    up = gcongr(exp(bounds[0].lhs), bounds[0])
    down = gcongr(exp(-bounds[1].rhs), show(-bounds[1].rhs, "<=", c * along(direction), bounds[1]))
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
    """kappa c r (t - s)^2 <= (rho(t) - rho(s))(w(t) - w(s)) for the steepness r: both differences
    have the sign of t - s.
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
    """kappa c E r (t - s)^2 <= 2 E rho(t) (w(t) - w(s)), for each token."""
    _, _, twice, exchanged = reflections()
    own, x = twice.lhs, exchanged.lhs
    return calc(
        mean(kappa * c * (steepness * apart**2)),
        ("<=", mean(rise * (among(y) - among(u))), one_token()),
        ("==", own - x - exchanged.rhs + twice.rhs),
        ("==", 2 * own - 2 * x, twice, exchanged, own, x, twice.rhs, exchanged.rhs),
    )


#: Any function of two tokens of a prompt.
F = Function("F", (Sort.INDEX, Sort.INDEX, Sort.TOKEN), Fraction(1))


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
    start = chain(kappa * gain, whole, 2 * z - 2 * x)
    reduced = calc(straight, ("==", own - 2 * z + second(y), other, own, z, second(y)))
    full = calc(
        aslant, ("==", own - 2 * x + second(y), seen, squares, own, seen.lhs, x, second(u), second(y))
    )
    return calc(
        loss(y) + kappa * gain,
        ("<=", own - 2 * z + second(y) + kappa * gain, reduced, kappa, gain),
        ("<=", own - 2 * x + second(y), start, own, x, z, second(y), kappa, gain),
        ("==", loss(u), full),
    )


@cache
def spread_is_bounded() -> Theorem:
    """c sum (t_i - s_i)^2 <= 4 n C, as heights are at most 1 in size."""
    sides = [height_is_at_most_one(direction, sign) for direction in (y, u) for sign in (1, -1)]
    each = show(apart**2, "<=", 4, *sides, along(y), along(u))
    total = calc(tokens(apart**2), ("<=", 4 * n, integrate("coordinates", (i,), each, (n,))))
    return show(spread, "<=", largest, total, sphere()[3], c, total.lhs)


@cache
def no_spread_without_gain() -> Theorem:
    """The mean of the spread is at most its bound, and 0 where there is no gain: then r times the
    spread is 0 almost surely, and so is the spread.
    """
    event, seen = Op("ind", (-gain,)), Op("ind", (-gain,)) * (steepness * spread)
    small, some = Op("above", (seen - eta,)), Op("above", (seen,))
    markov = instantiate(show(Op("above", (z - eta,)), "<=", z / eta), {z: seen})
    never = instantiate(show(Op("ind", (-z,)) * z, "<=", 0), {z: gain})
    rare = calc(
        mean(small),
        ("<=", mean(markov.rhs), markov),
        ("==", event * gain / eta),
        ("<=", 0, never, event, gain),
    )
    none = open_event(rare, eta, (o,), seen)
    kept = show(Op("ind", (a,)) * z, "<=", z * Op("above", (Op("ind", (a,)) * (r * z),)))
    point = calc(
        instantiate(kept, {a: -gain, r: steepness, z: spread}),
        ("<=", largest * some, spread_is_bounded(), spread, some),
    )
    no_mean = calc(event * mean(spread), ("==", mean(event * spread)), ("<=", largest * mean(some), point))
    no_mean = calc(no_mean, ("<=", 0, none, largest, none.lhs))
    most_mean = chain(mean(spread), integrate("mean", (o,), spread_is_bounded()), largest)
    whole, above = mean(spread), Op("above", (gain,))
    either = instantiate(show(z, "==", Op("ind", (-a,)) * z + Op("above", (a,)) * z), {a: gain, z: whole})
    return calc(
        either,
        ("<=", above * whole, no_mean, event, whole, above),
        ("<=", largest * above, most_mean, whole, above),
    )


@cache
def mean_of_the_spread() -> Theorem:
    """The mean of the spread is n c |y - u|^2/d."""
    each = chain(mean(apart**2), instantiate(isotropic(), {v: ((j,), y(j) - u(j))}))
    whole = integrate("coordinates", (i,), each, (n,))
    value = over((y(j) - u(j)) ** 2) / d
    return calc(
        mean(spread), ("==", c * whole.lhs), ("==", c * whole.rhs, whole, whole.lhs), ("==", n * c * value)
    )


@cache
def other_direction() -> Theorem:
    """n c |y - u|^2/d is at most 4 n C, and 0 where u adds nothing to the loss."""
    return chain(symm(mean_of_the_spread()), no_spread_without_gain())
