"""Lemma D.2 of Collins et al., and its like for the bias: in a narrower window the weights are less
even, and nearer to the query on average, for every prompt; with two tokens or more the mean of the
sum of their squares is strictly larger.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp, integrated
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.kernel_sums import (
    X,
    d,
    j,
    k,
    l,
    narrower,
    over,
    prompt,
    rising,
    small_width,
    total,
    v,
    weights_in_order,
)
from proofs_check.derivations.window.uniform.cap_measure import q, x
from proofs_check.derivations.window.uniform.kernel_means import deep, depth, sphere, weight

#: A width, and what a narrower window adds to it.
width, more = Variable("w_", range=NONNEGATIVE), Variable("more", range=POSITIVE)


def squares(at: Term) -> Term:
    """The sum of the squared weights of attention."""
    return total(weight(at) ** 2) / total(weight(at)) ** 2


def average_depth(at: Term) -> Term:
    """The average depth of the tokens with the weights of attention."""
    return total(weight(at) * depth) / total(weight(at))


@cache
def one_order() -> Theorem:
    """0 <= (a_k - a_l)(b_k - b_l) for the weights a at a width and b at another one."""
    here, there, gap = weight(width), weight(more), Variable("gap", range=REALS)
    depth_l = instantiated(depth, {k: l})
    lemma = arithmetic(0, "<=", (1 - exp(-2 * width * gap)) * (1 - exp(-2 * more * gap)))
    lemma = instantiate(lemma, {gap: depth_l - depth})
    return calc(
        0,
        ("<=", here * there * lemma.rhs, lemma),
        ("==", (here - instantiated(here, {k: l})) * (there - instantiated(there, {k: l}))),
    )


@cache
def less_even() -> Theorem:
    """sum gamma^2 at w is at most that at w + h."""
    found = weights_in_order(weight(width), weight(more), one_order())
    return chain(squares(width), found, squares(width + more))


@cache
def nearer() -> Theorem:
    """The average depth at w + h is at most that at w."""
    logs = Function("log a", (Sort.TOKEN,))
    at = {logs: ((k,), -2 * width * depth), Function("u", (Sort.TOKEN,)): ((k,), 2 * more * depth)}
    found = instantiate(narrower(), at)
    scale, sides = 1 / (2 * more), (found.lhs, found.rhs)
    left, right = (scale * side for side in sides)
    return chain(average_depth(width + more), show(left, "<=", right, found, *sides), average_depth(width))


#: The variance of the noise, and the next width.
sigma, wide = Variable("sigma", range=POSITIVE), width + more


@cache
def of_the_prompt() -> tuple[Theorem, ...]:
    """Uniform tokens of the sphere, of which the first two moments are used."""
    return (*sphere(), *small_width()[3:])


def several(tokens: int = 2) -> Theorem:
    return assume(f"n >= {tokens}", tokens, "<=", n)


@cache
def shallow() -> Theorem:
    """1 - x_k.x <= 2."""
    token, query = sphere()
    far = over((X(j, k) + x(j, q)) ** 2) / 2
    low = calc(
        0, ("<=", far), ("==", token.lhs / 2 + query.lhs / 2 + 1 - depth), ("==", 2 - depth, *sphere())
    )
    return show(depth, "<=", 2, low, depth)


@cache
def gap_of_a_pair() -> Theorem:
    """c (D_k - D_l)^2 <= (a_k - a_l)(b_k - b_l) for the weights a at h and b at w + h, and the
    depths D of at most 2.
    """
    gap, at_l = Variable("gap", range=REALS), lambda e: instantiated(e, {k: l})
    first, second, both, D = weight(more), weight(wide), more + wide, depth + at_l(depth)
    sines = (exp(more * gap) - exp(-more * gap)) * (exp(wide * gap) - exp(-wide * gap))
    lemma = instantiate(arithmetic(4 * more * wide * gap**2, "<=", sines), {gap: at_l(depth) - depth})
    deepest = show(D, "<=", 4, shallow(), instantiate(shallow(), {k: l}))
    deepest = show(-4 * both, "<=", -both * D, deepest, both, D)
    return calc(
        4 * more * wide * exp(-4 * both) * (depth - at_l(depth)) ** 2,
        ("==", exp(-4 * both) * lemma.lhs),
        ("<=", exp(-both * D) * lemma.lhs, gcongr(exp(-4 * both) * lemma.lhs, deepest)),
        ("<=", exp(-both * D) * lemma.rhs, lemma),
        ("==", (first - at_l(first)) * (second - at_l(second))),
    )


#: What the sum of the squared weights rises by, over the squared distances of the depths.
RISE = 2 * more * wide * exp(-4 * (more + wide) - 8 * width)


@cache
def strictly_less_even() -> Theorem:
    """sum gamma^2 at w and c sum over pairs (D_k - D_l)^2 are at most sum gamma^2 at w + h: with
    a at w and b at h it is sum a^2 b sum ab <= sum a^2 b^2 sum a, where the pairs differ.
    """
    a, b, at_l = weight(width), weight(more), lambda e: instantiated(e, {k: l})
    one, _, ab, aab, aabb = sums = tuple(map(total, (a, a**2, a * b, a**2 * b, a**2 * b**2)))
    deepest = instantiate(shallow(), {k: l})
    least = show(
        -8 * width, "<=", -2 * width * (depth + at_l(depth)), shallow(), deepest, width, depth, at_l(depth)
    )
    pair, far = gap_of_a_pair(), (depth - at_l(depth)) ** 2
    each = calc(
        2 * RISE * far,
        ("==", exp(-8 * width) * pair.lhs),
        ("<=", exp(least.rhs) * pair.lhs, gcongr(exp(-8 * width) * pair.lhs, least)),
        ("<=", exp(least.rhs) * pair.rhs, pair),
    )
    apart = bind("sum", (k, l), far, (prompt,))
    differ = integrated("sum", (k, l), each, 2 * RISE * apart, 2 * (aabb * one - aab * ab), (prompt,))
    differ = show(RISE * apart, "<=", aabb * one - aab * ab, differ, apart, *sums)
    few = [chain(e, integrate("sum", (k,), light(at), (prompt,)), n) for e, at in ((one, width), (ab, wide))]
    most = calc(gcongr(ab**2 * one, *few), ("==", n**3))
    scale, size = show(n**-3, "<=", 1 / (ab**2 * one), most, ab, one), RISE * apart
    up, over_all = rising(a, b, one_order()), 1 / (ab * one**2)
    return calc(
        squares(width) + n**-3 * size,
        ("<=", squares(width) + 1 / (ab**2 * one) * size, scale, squares(width), size),
        ("<=", squares(width) + 1 / (ab**2 * one) * differ.rhs, differ),
        ("==", over_all * up.lhs + 1 / (ab**2 * one) * differ.rhs),
        ("<=", over_all * up.rhs + 1 / (ab**2 * one) * differ.rhs, up),
        ("==", aabb / ab**2),
        ("==", squares(wide)),
    )


@cache
def light(at: Term) -> Theorem:
    """a_k <= 1."""
    near, rate = (Variable(name, range=NONNEGATIVE) for name in ("D", "rate"))
    return instantiate(arithmetic(exp(-2 * rate * near), "<=", 1), {rate: at, near: depth}, deep())


@cache
def at_most_one() -> Theorem:
    """E sum gamma^2 <= 1."""
    a = weight(width)
    two, one = total(a**2), total(a)
    pairs = bind("sum", (k, l), a * instantiated(a, {k: l}), (prompt,))
    all_ = calc(two, ("<=", two + pairs), ("==", one**2))
    whole = show(two / one**2, "<=", 1, all_, two, one)
    return calc(integrate("prompt", (prompt,), whole), ("==", term(1)))


def noise(at: Term, power: int = 2) -> Term:
    """The noise term at a width, with other powers of the weights than squares."""
    weights = total(weight(at) ** power) / total(weight(at)) ** power
    return bind("query", (q,), sigma**2 * bind("prompt", (prompt,), weights))


def growth_statement(tokens: int = 2, power: int = 2) -> Statement:
    """The noise term at w is below that at w + h, for h > 0 and at least so many tokens."""
    given = hypotheses(*of_the_prompt(), several(tokens))
    return Statement(noise(width, power), "<", noise(wide, power), given)


@proves("COL:D.2", growth_statement)
@cache
def noise_grows() -> Theorem:
    """The noise terms differ by at least c sigma^2/(d n), as the depths have the mean 1
    and the variance 1/d.
    """
    _, query, first, second = of_the_prompt()
    first, second = (instantiate(thm, {v: ((j,), x(j, q))}) for thm in (first, second))
    second = calc(second, ("==", 1 / d, query))
    less, h, hh = bind("prompt", (prompt,), squares(width)), first.lhs, second.lhs
    size, step = n**-3 * RISE, RISE / (d * n)
    pairs = show(n**2, "<=", 2 * n * (n - 1), several())
    spread = calc(
        step,
        ("==", size / d * pairs.lhs),
        ("<=", size / d * pairs.rhs, pairs, size, d),
        ("==", size * 2 * n * (n - 1) * (1 - 2 * h + hh - (1 - h) ** 2), first, second, h, hh, size),
    )
    found = gcongr(less + step, spread)
    found = chain(found, integrate("prompt", (prompt,), strictly_less_even()))
    low, finite = noise(width), integrate("query", (q,), gcongr(sigma**2 * less, at_most_one()))
    finite = chain(finite, sigma**2)
    found = integrate("query", (q,), gcongr(sigma**2 * found.lhs, found))
    return chain(show(low, "<", low + sigma**2 * step, finite, low), found, noise(wide))
