"""Lemma B.5 of Collins et al.: if M minimises the loss, B = Sigma^{1/2} M Sigma^{1/2} is a multiple
of the identity, and M of Sigma^{-1}.

The query y is drawn first: each has a law of tokens and tasks of its own, as a task elsewhere.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, symm
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume, at_task, gcongr, instantiate, integrate, open_event
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.transfer.risks.rates import task
from proofs_check.derivations.transfer.risks.tasks.laws_of_tasks import (
    Values,
    at_every_task,
    of_the_task,
    with_the_task,
)
from proofs_check.derivations.window.any_matrix import setting
from proofs_check.derivations.window.any_matrix.one_query import best_direction, eta, other_direction, z
from proofs_check.derivations.window.any_matrix.setting import kappa, largest, most
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import d, j, l, n, over
from proofs_check.derivations.window.setting import noise

#: The query y, the direction and the length c of By, the matrix B, the identity, any matrix.
y, u = (Function(of.name, (Sort.TASK, Sort.INDEX), None) for of in (setting.y, setting.u))
length = Function("root c", (Sort.TASK,), None)(task) ** 2
B, I, A = (Function(name, (Sort.INDEX, Sort.INDEX)) for name in ("B", "I", "A"))
g, h = Variable("e", Sort.INDEX), Variable("s", Sort.INDEX)
k, ell = Variable("k", range=NONNEGATIVE), Variable("ell", range=NONNEGATIVE)
t = Variable("t", range=REALS)
OF_TOKENS = (X, setting.f_y, setting.difference, noise, setting.rho_y, setting.rho_u, setting.rho)
OWN = (*OF_TOKENS, *setting.others.functions, *setting.steepness.functions)
VALUES: Values = {**{g: with_the_task(g) for g in OWN}, setting.y: y, setting.u: u, setting.c: length}


def mean(body: Term) -> Term:
    """The mean over the query."""
    return bind("task", (task,), body)


def form(of: Function) -> Term:
    """y'Ay for the query y."""
    return over(over(y(task, j) * of(j, l) * y(task, l), l))


def trace(of: Function) -> Term:
    return over(of(j, j))


#: The losses of M and of k I given the query, and y'My.
of_M, of_kI = of_the_task(setting.loss(setting.u), VALUES), of_the_task(setting.loss(setting.y, k), VALUES)
q = form(B)


@cache
def minimiser() -> tuple[Theorem, ...]:
    """M is a minimiser: no multiple of the identity has a smaller loss."""
    image = over(B(j, l) * y(task, l), l)
    return (
        assume("ell is the loss of M", mean(of_M), "==", ell),
        assume("M is a minimiser", ell, "<=", mean(of_kI), every=(k,)),
        assume("uniform tokens: k I has one loss for all queries", of_kI, "==", mean(of_kI), every=(k, task)),
        assume("B y = c u", image, "==", length * u(task, j), every=(j, task)),
    )


@cache
def uniform_query() -> tuple[Theorem, Theorem]:
    """The second and the fourth moments of a uniform point of the sphere."""
    square, twice = over(over(A(j, l) ** 2, l)), over(over(A(j, l) * A(l, j), l))
    fourth = (square + twice + trace(A) ** 2) / (d * (d + 2))
    return (
        assume("uniform query: E y'Ay = tr A/d", mean(form(A)), "==", trace(A) / d, every=(A,)),
        assume("uniform query: its fourth moments", mean(form(A) ** 2), "==", fourth, every=(A,)),
    )


@cache
def identity() -> tuple[Theorem, Theorem]:
    inner = over(over(I(j, l) * A(j, l), l))
    return (
        assume("I is the identity: its inner product with A is tr A", inner, "==", trace(A), every=(A,)),
        assume("tr I = d", trace(I), "==", d),
    )


def at(thm: Theorem) -> Theorem:
    return at_task(thm, task, VALUES)


@cache
def on_the_sphere() -> tuple[Theorem, ...]:
    """|y| = 1, |u| = 1 and c <= C at every query."""
    of_y, of_u, bound = (at(thm) for thm in setting.sphere()[1:])
    return (
        chain(over(y(task, j) ** 2), of_y, 1),
        chain(over(u(task, j) ** 2), of_u, 1),
        chain(length, bound, most),
    )


@cache
def height() -> Theorem:
    """c u.y = y'My."""
    image = minimiser()[3]
    each = show(y(task, j) * image.lhs, "==", y(task, j) * image.rhs, image)
    whole = integrate("coordinates", (j,), each, (d,))
    return chain(length * over(y(task, j) * u(task, j)), symm(whole), q)


#: What the directions of M add to the loss, given the query, and the query's distance from them.
gain = of_the_task(setting.gain, VALUES)
far = over((y(task, j) - u(task, j)) ** 2)


@cache
def no_gain() -> Theorem:
    """P(gain > 0) = 0: M is no better than c I, for the length c at any query, which is as good at
    that query as in the mean, and there better than M by a multiple of the gain.
    """
    named, least, same, _ = minimiser()
    here = instantiate(same, {k: length})
    best = chain(instantiate(least, {k: length}), gcongr(here.rhs, here))
    some = Op("above", (gain - eta,))
    markov = instantiate(show(eta * Op("above", (z - eta,)), "<=", z), {z: gain})
    each = show(ell + kappa * (eta * some), "<=", ell + kappa * gain, markov, kappa, some, gain)
    each = chain(each, gcongr(each.rhs, best), at(best_direction()), of_M)
    whole = calc(
        ell + kappa * eta * mean(some),
        ("==", mean(each.lhs)),
        ("<=", mean(of_M), each),
        ("==", ell, named),
    )
    rare = show(mean(some), "<=", 0, whole, show(0, "<", kappa), kappa, mean(some))
    return open_event(rare, eta, (task,), gain)


@cache
def one_direction() -> Theorem:
    """The mean of c - y'My is not positive: c |y - u|^2 is 0 where there is no gain."""
    unit, other, _ = on_the_sphere()
    inner, some = over(y(task, j) * u(task, j)), Op("above", (gain,))
    each = chain(n * length * far / d, at(other_direction()), largest * some)
    none = calc(
        mean(n * length * far / d), ("<=", largest * mean(some), each), ("<=", 0, no_gain(), mean(some))
    )
    apart = calc(
        far,
        ("==", unit.lhs - 2 * inner + other.lhs),
        ("==", 2 - 2 * inner, unit, other, unit.lhs, other.lhs, inner),
    )
    value = calc(
        n * length * far / d,
        ("==", n * length * (2 - 2 * inner) / d, apart, far, length, inner),
        ("==", 2 * n / d * (length - length * inner)),
        ("==", 2 * n / d * (length - q), height(), length, length * inner, q),
    )
    quadratic = instantiate(uniform_query()[0], {A: ((j, l), B(j, l))})
    c, w = mean(length), trace(B) / d
    left = calc(
        2 * n / d * (c - w),
        ("==", 2 * n / d * (c - mean(q)), quadratic, c, w, mean(q)),
        ("==", mean(value.rhs)),
        ("==", mean(value.lhs), value),
        ("<=", 0, none),
    )
    return show(c, "<=", w, left, c, w)


@cache
def squares() -> Theorem:
    """E c^2 - E (y'My)^2 is at most 2C times the mean of c - y'My, as y'My <= c <= C."""
    unit, other, bound = on_the_sphere()
    inner = over(y(task, j) * u(task, j))
    far = over((y(task, j) - u(task, j)) ** 2)
    below = calc(0, ("<=", far), ("==", unit.lhs - 2 * inner + other.lhs))
    below = show(inner, "<=", 1, below, unit, other, inner, unit.lhs, other.lhs)
    below = calc(q, ("==", length * inner, height()), ("<=", length, below, length, inner))
    point = show(length**2 - q**2, "<=", 2 * most * (length - q), below, bound, length, q)
    return calc(mean(length**2) - mean(q**2), ("<=", 2 * most * (mean(length) - mean(q)), point))


@cache
def length_of_the_image() -> Theorem:
    """E c^2 = |M|^2/d."""
    image, other = minimiser()[3], on_the_sphere()[1]
    product = instantiate(uniform_query()[0], {A: ((j, l), over(B(h, j) * B(h, l), h))})
    each = show(image.lhs**2, "==", length**2 * u(task, j) ** 2, image, image.lhs)
    whole = integrate("coordinates", (j,), each, (d,))
    point = calc(whole, ("==", length**2 * other.lhs), ("==", length**2, other, length, other.lhs))
    return calc(
        mean(length**2),
        ("==", mean(whole.lhs), point),
        ("==", product.lhs),
        ("==", product.rhs, product),
        ("==", over(over(B(j, l) ** 2, l)) / d),
    )


#: The distance of B from (tr B/d) I, and the matrix before it is whitened, with Sigma^{-1/2} and
#: Sigma^{-1}.
off = B(j, l) - trace(B) / d * I(j, l)
M, S, P = (Function(name, (Sort.INDEX, Sort.INDEX)) for name in ("M", "S", "P"))


@cache
def whitened() -> tuple[Theorem, Theorem]:
    """B = Sigma^{1/2} M Sigma^{1/2}, so that M = S B S for S = Sigma^{-1/2}, and P = Sigma^{-1}."""
    between = lambda of: over(over(S(g, j) * of(j, l) * S(l, h), l))
    return (
        assume("M = S B S, for S = Sigma^{-1/2}", M(g, h), "==", between(B), every=(g, h)),
        assume("P = S S = Sigma^{-1}", P(g, h), "==", between(I), every=(g, h)),
    )


def statements(share: int = 1) -> tuple[Statement, Statement]:
    """For a minimiser M and w = share tr B/d: w is not negative, and each entry of M is w times
    that of Sigma^{-1}.
    """
    second, fourth = uniform_query()
    tasks, w = at_every_task(hypotheses(*setting.given()), VALUES), share * trace(B) / d
    given = tasks | hypotheses(*minimiser(), second)
    return (
        Statement(term(0), "<=", w, given),
        Statement(
            (M(g, h) - w * P(g, h)) ** 2, "<=", term(0), given | hypotheses(fourth, *identity(), *whitened())
        ),
    )


@proves("COL:B.5", statements, part=1)
@cache
def no_negative_multiple() -> Theorem:
    """0 <= tr B/d, as the mean of the lengths is not negative."""
    c, w = mean(length), trace(B) / d
    return calc(0, ("<=", c), ("<=", w, one_direction()))


@cache
def multiple_of_the_identity() -> Theorem:
    """|B - (tr B/d) I|^2 <= 0."""
    inner, dimension = identity()
    total, twice, tr = over(over(B(j, l) ** 2, l)), over(over(B(j, l) * B(l, j), l)), trace(B)
    along = instantiate(inner, {A: ((j, l), B(j, l))})
    own = calc(instantiate(inner, {A: ((j, l), I(j, l))}), ("==", d, dimension))
    spread = calc(
        over(over(off**2, l)),
        ("==", total - 2 * tr / d * along.lhs + (tr / d) ** 2 * own.lhs),
        ("==", total - tr**2 / d, along, own, along.lhs, own.lhs, total, tr),
    )
    symmetric = calc(0, ("<=", over(over((B(j, l) - B(l, j)) ** 2, l))), ("==", 2 * total - 2 * twice))
    quadratic, fourth = (instantiate(thm, {A: ((j, l), B(j, l))}) for thm in uniform_query())
    size, c, first = length_of_the_image(), mean(length), mean(q)
    up = gcongr(2 * most * c, one_direction())
    small = calc(
        size.rhs - fourth.rhs,
        ("==", size.lhs - fourth.lhs, size, fourth, size.lhs, fourth.lhs, total, twice, tr),
        ("<=", 2 * most * (c - first), squares(), size.lhs, fourth.lhs, c, first),
        ("==", 2 * most * (c - tr / d), quadratic, c, first, tr),
        ("==", up.lhs - up.rhs),
        ("<=", 0, up),
    )
    return calc(
        spread,
        ("<=", (d + 2) * small.lhs, symmetric, total, twice, tr),
        ("<=", 0, small, total, twice, tr),
    )


@proves("COL:B.5", statements, part=2)
@cache
def multiple_of_the_inverse() -> Theorem:
    """(M - w P)^2 <= 0 for each entry, a sum of products of entries of B - w I and of S: for every
    number t the square |B - w I - t s|^2 is not negative.
    """
    of_B, of_I = whitened()
    w, products = trace(B) / d, over(over(S(g, j) * off * S(l, h), l))
    entry = calc(
        M(g, h) - w * P(g, h),
        ("==", of_B.rhs - w * of_I.rhs, of_B, of_I, of_B.rhs, of_I.rhs, w),
        ("==", products),
    )
    weights, none = over(over((S(g, j) * S(l, h)) ** 2, l)), multiple_of_the_identity()
    square = calc(
        0,
        ("<=", over(over((off - t * (S(g, j) * S(l, h))) ** 2, l))),
        ("==", none.lhs - 2 * t * products + t**2 * weights),
    )
    at = instantiate(square, {t: products / (1 + weights)})
    short = show(products**2, "<=", 0, at, none, none.lhs, products, weights)
    return calc(entry.lhs**2, ("==", products**2, entry), ("<=", 0, short))
