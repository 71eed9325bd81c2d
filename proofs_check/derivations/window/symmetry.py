"""What reflections of the tokens or of the query leave: Lemma C.4, Theorem 3.6 and Appendix F of
Collins et al., and the ring of Section 3.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH
from numerics.derivations.kernel.rules import arithmetic, assume, equal, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.affine import G, H, apart, symmetric_slope
from proofs_check.derivations.window.prompt import Lip, d, i, j, k, l, mean, o, over, q, tokens, width, zeta
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import bounded_x as x
from proofs_check.derivations.window.signal import direction, isotropic, p, r, uniform_direction, v

y, z = (Variable(name, range=REALS) for name in "yz")
_bounded = lambda name: Function(name, (Sort.TOKEN,), None)
#: One over the sum of the weights, before and after the reflection.
inverse, inverse_reflected = _bounded("N"), _bounded("N'")
#: The reflection of a token in the hyperplane orthogonal to r, and the weights of both.
across = over(r(j) * X(i, j, o))
reflected = X(i, l, o) - 2 * across * r(l)
weight = exp(2 * width * over(p(l) * X(i, l, o), l))
weight_reflected = exp(2 * width * over(p(l) * reflected, l))


@cache
def fixed_direction() -> tuple[Theorem, ...]:
    """A unit vector r that is orthogonal to the query p, and tokens whose law the reflection keeps:
    the mean of r.h is the same for the reflected tokens.
    """
    one, other = inverse(o) * tokens(weight), inverse_reflected(o) * tokens(weight_reflected)
    there = mean(inverse_reflected(o) * tokens(weight_reflected * over(r(l) * reflected, l)))
    return (
        assume("|x'| = 1", over(r(j) ** 2), "==", 1),
        assume("x'.x = 0", over(r(j) * p(j)), "==", 0),
        assume("N is one over the sum of the weights", one, "==", 1, every=(o,)),
        assume("N' is that of the reflected tokens", other, "==", 1, every=(o,)),
        assume(
            "the reflection keeps the law of the tokens",
            mean(inverse(o) * tokens(weight * across)),
            "==",
            there,
        ),
    )


def across_statement(sign: int = -1) -> Statement:
    """E x'.h = 1 + sign, which is 0 if the reflection changes the sign."""
    given = hypotheses(*fixed_direction())
    E = mean(inverse(o) * tokens(weight * across))
    return Statement(E, "==", term(1 + sign), given)


@proves("COL:C.4x", across_statement)
@cache
def mean_across() -> Theorem:
    """E x'.h = 0: the reflection keeps the weights and changes the sign of x'.x_i."""
    unit, orthogonal, one, other, law = fixed_direction()
    N, image, there = inverse(o), inverse_reflected(o), over(r(l) * reflected, l)
    same = show(over(p(l) * reflected, l), "==", over(p(l) * X(i, l, o), l), orthogonal)
    turned = show(there, "==", -across, unit)
    weights = show(weight_reflected, "==", weight, same)
    sums = show(tokens(weight_reflected), "==", tokens(weight), weights)
    scale = calc(image, ("==", image * one.lhs, one), ("==", N * other.lhs, sums), ("==", N, other))
    each = show(weight_reflected * there, "==", -weight * across, weights, turned)
    flipped = tokens(-weight * across)
    parts = show(tokens(weight_reflected * there), "==", flipped, each)
    E, point = mean(N * tokens(weight * across)), show(image * parts.lhs, "==", N * flipped, scale, parts)
    back = calc(law.rhs, ("==", mean(N * flipped), point), ("==", -E))
    both = [show(sign * E, "<=", 0, law, back, E) for sign in (1, -1)]
    return show(E, "==", 0, *both)


#: Theorem 3.6: labels, a matrix, and a task as l_1, l_2, b and the height u.x of the query.
labels, M = Function("y", (Sort.INDEX, Sort.TOKEN)), Function("M", (Sort.INDEX, Sort.INDEX))
l_1, l_2, offset = (_bounded(name) for name in ("l1", "l2", "b"))
u = Function("u", (Sort.INDEX, Sort.TOKEN), None)
at_query = over(u(j, o) * x(j, o))


TASKS = ("affine", "ReLU")


def prediction(sign: int) -> Term:
    """Linear attention at the query, or at the opposite one."""
    return tokens(labels(i, o) * over(over(X(i, j, o) * M(j, l) * (sign * x(l, o)), l)))


def value(task: str, sign: int) -> Term:
    """The value of the task at the query, or at the opposite one."""
    height = sign * at_query
    if task == "affine":
        return l_1(o) * height + offset(o)
    up = Op("ind", (at_query,)) * at_query
    down = Op("above", (-at_query,)) * -at_query
    if sign < 0:
        up, down = down, up
    return l_1(o) * up + l_2(o) * down + offset(o)


def linear_loss(task: str, sign: int = 1) -> Term:
    return mean((prediction(sign) - value(task, sign)) ** 2)


@cache
def opposite_query(task: str) -> tuple[Theorem, Theorem, Theorem]:
    """The query x and -x have one law, given the tokens and the task; E b^2 = L^2/3, and b is
    centred and independent of the rest.
    """
    even = rest_of_the_even_part(task)
    return (
        assume(f"x and -x have one law ({task} tasks)", linear_loss(task, -1), "==", linear_loss(task)),
        assume("uniform offset: E b^2 = L^2/3", mean(offset(o) ** 2), "==", Lip**2 / 3),
        assume(f"b is centred and independent of the rest ({task} tasks)", mean(offset(o) * even), "==", 0),
    )


def rest_of_the_even_part(task: str) -> Term:
    """The even part of the task without the offset."""
    return (value(task, 1) + value(task, -1)) / 2 - offset(o)


@cache
def _mean_of_two() -> Theorem:
    return show(((y + z) / 2) ** 2, "<=", (y**2 + z**2) / 2)


def linear_statements(share: int | Fraction = 3) -> tuple[Statement, Statement]:
    """L^2/share is at most the loss of linear attention on affine and on ReLU tasks."""
    given = lambda task: hypotheses(*opposite_query(task))
    affine, relu = (
        Statement(Lip**2 / Fraction(share), "<=", linear_loss(task), given(task)) for task in TASKS
    )
    return affine, relu


@cache
def even_part(task: str) -> Theorem:
    """The mean square of the even part of the task is at most the loss of linear attention, since
    the prediction is odd in the query.
    """
    law, here = opposite_query(task)[0], prediction(1) - value(task, 1)
    there, even, b = prediction(-1) - value(task, -1), rest_of_the_even_part(task), offset(o)
    return calc(
        mean(b**2) + 2 * mean(b * even) + mean(even**2),
        ("<=", mean(here**2 + there**2) / 2, instantiate(_mean_of_two(), {y: here, z: there})),
        ("<=", (linear_loss(task) + linear_loss(task, -1)) / 2, apart(here**2, there**2, o)),
        ("<=", linear_loss(task), law),
    )


@proves("COL:T3.6", linear_statements, at=TASKS)
@cache
def linear_attention(task: str) -> Theorem:
    """L^2/3 <= the loss of linear attention."""
    _, square, centred = opposite_query(task)
    return chain(show(Lip**2 / 3, "<=", even_part(task).lhs, square, centred), even_part(task))


@cache
def slopes() -> tuple[Theorem, Theorem]:
    """What is used of the slopes and of the direction of a ReLU task."""
    square = mean((l_1(o) + l_2(o)) ** 2 * at_query**2)
    return (
        assume(
            "uniform slopes, independent of each other and of u: E (l_1 + l_2)^2 (u.x)^2 = 2L^2/3 E (u.x)^2",
            square,
            "==",
            2 * Lip**2 / 3 * mean(at_query**2),
        ),
        assume("uniform direction: E (u.x)^2 = 1/d", mean(at_query**2), "==", 1 / d),
    )


def even_statement(share: int | Fraction = 6) -> Statement:
    """L^2/3 + L^2/(share d) is at most the loss of linear attention on ReLU tasks."""
    given = hypotheses(*opposite_query("ReLU"), *slopes())
    return Statement(Lip**2 / 3 + Lip**2 / (Fraction(share) * d), "<=", linear_loss("ReLU"), given)


@proves("COL:F.1p/relu", even_statement)
@cache
def even_part_of_relu_tasks() -> Theorem:
    """The even part without b is (l_1 + l_2)|u.x|/2."""
    _, square, centred = opposite_query("ReLU")
    independent, isotropic_ = slopes()
    u_, v_ = (Variable(name, range=REALS) for name in ("U", "V"))
    plus, minus = Op("ind", (y,)) * y, Op("above", (-y,)) * -y
    lemma = arithmetic((u_ + v_) ** 2 * y**2 / 4, "==", ((u_ + v_) * (plus + minus) / 2) ** 2)
    lemma = instantiate(lemma, {u_: l_1(o), v_: l_2(o), y: at_query})
    rest = rest_of_the_even_part("ReLU")
    part = chain(integrate("mean", (o,), lemma), mean(rest**2))
    return calc(
        Lip**2 / 3 + Lip**2 / (6 * d),
        ("==", Lip**2 / 3 + Lip**2 / 6 * mean(at_query**2), isotropic_),
        ("==", Lip**2 / 3 + independent.lhs / 4, independent),
        ("==", Lip**2 / 3 + mean(rest**2), part),
        ("<=", even_part("ReLU").lhs, square, centred),
        ("<=", linear_loss("ReLU"), even_part("ReLU")),
    )


#: Lemma F.1: the error without the mean b of the task, which stands in it with the factor T - 1,
#: where T is the sum of x_i' M x.
A, T = Function("A", (Sort.TOKEN,), Fraction(2)), _bounded("T")


@cache
def centred() -> tuple[Theorem, Theorem]:
    return (
        assume("E b = 0", mean(offset(o)), "==", 0),
        assume("E sum x_i'Mx = 0, as the query is centred", mean(T(k), k), "==", 0),
    )


def drop_statement(square: int | Fraction = 1) -> Statement:
    """E (A - b)^2 + square E b^2 T^2 <= E (A + b(T - 1))^2, where the last term is not negative."""
    pair = lambda body: mean(mean(body, k))
    left = pair((A(k) - offset(o)) ** 2) + Fraction(square) * (mean(offset(o) ** 2) * mean(T(k) ** 2, k))
    return Statement(left, "<=", pair((A(k) + offset(o) * (T(k) - 1)) ** 2), hypotheses(*centred()))


@proves("COL:F.1.drop/affine", drop_statement)
@cache
def without_the_mean() -> Theorem:
    """E (A - b)^2 + E b^2 T^2 <= E (A + b(T - 1))^2, with equality, if b is independent of A, T."""
    pair, b1, b2 = lambda body: mean(mean(body, k)), mean(offset(o)), mean(offset(o) ** 2)
    t1, t2, a1, a2, c = (mean(body, k) for body in (T(k), T(k) ** 2, A(k), A(k) ** 2, A(k) * T(k)))
    return calc(
        pair((A(k) - offset(o)) ** 2) + b2 * t2,
        ("==", a2 + 2 * b1 * (c - a1) + b2 * (t2 - 2 * t1 + 1), *centred()),
        ("==", pair((A(k) + offset(o) * (T(k) - 1)) ** 2)),
    )


#: Lemma F.1 for affine tasks: a function of the offset and the direction, and a point.
F = Function("F", (Sort.TOKEN,), Fraction(2))
point = Function("x_", (Sort.INDEX, Sort.QUERY), Fraction(1))
a, b = (Variable(name, range=REALS) for name in "ab")
task = a * over(p(j) * point(j, q)) + b


def over_points(body: Term) -> Term:
    return bind("query", (q,), body)


@cache
def centred_point() -> Theorem:
    return assume("E x = 0", over_points(point(j, q)), "==", 0, every=(j,))


def flip_statements(with_bias: bool = False, whole: int = 1) -> tuple[Statement, ...]:
    """E_x f = b; a function of b and one of (l, w) are uncorrelated; the flip 2b - f is the task of
    the slope -l, and (-l, w, b) has the law of (l, w, b): products of functions of l and of (w, b)
    have the means of those with -l; all times `whole`.
    """
    pair = lambda body: mean(mean(body, k))
    rest = G(k) + F(o) if with_bias else G(k)
    expected = mean(G(k), k) + mean(F(o)) if with_bias else mean(G(k), k)
    height = over(p(j) * point(j, q))
    return (
        Statement(over_points(task), "==", whole * b, centred_point().assumptions),
        Statement(pair(F(o) * rest), "==", whole * (mean(F(o)) * expected)),
        Statement(2 * b - task, "==", -a * height + whole * b),
        Statement(pair(H(k) * F(o)), "==", whole * pair(G(k) * F(o)), symmetric_slope().assumptions),
    )


@proves("COL:F.1p/affine", flip_statements, part=1)
@cache
def mean_of_a_task() -> Theorem:
    """E_x f = b for an affine task."""
    height = over(p(j) * over_points(point(j, q)))
    return calc(over_points(task), ("==", b, show(height, "==", 0, centred_point())))


@proves("COL:F.1p/affine", flip_statements, part=4)
@cache
def law_of_the_flip() -> Theorem:
    """E G(-l)F = E G(l)F for a function F of the offset and the direction, which are independent
    of l; H(l) stands for G(-l).
    """
    pair = lambda body: mean(mean(body, k))
    return calc(
        pair(H(k) * F(o)), ("==", mean(G(k), k) * mean(F(o)), symmetric_slope()), ("==", pair(G(k) * F(o)))
    )


@proves("COL:F.1p/affine", flip_statements, part=(2, 3))
def by_their_forms() -> tuple[Theorem, ...]:
    return tuple(equal(part.lhs, part.rhs) for part in flip_statements()[1:3])


def law_statements(offset: int = 0, whole: int = 1) -> tuple[Statement, Statement]:
    """The flip, with `offset` times b added, is the task of the slope -l; and (-l, w, b) has the
    law of (l, w, b), times `whole`.
    """
    _, _, flip, law = flip_statements(whole=whole)
    return Statement((2 + offset) * b - task, "==", flip.rhs), law


proves("COL:F.1p/flip", law_statements, part=1)(lambda: by_their_forms()[1])
proves("COL:F.1p/flip", law_statements, part=2)(law_of_the_flip)


#: A ring around the query p: one token Z, and the height of the centre of mass.
Z, height = Function("Z", (Sort.INDEX, Sort.TOKEN), None), Variable("h", range=REALS)


@cache
def ring() -> tuple[Theorem, ...]:
    """Tokens of the sphere at the distance 1/sqrt w, whose centre of mass is on the line of the
    query, by symmetry.
    """
    return (
        assume("tokens on the sphere", over(Z(j, o) ** 2), "==", 1, every=(o,)),
        assume("|x| = 1", over(p(j) ** 2), "==", 1),
        assume("a ring of the radius 1/sqrt w", over((Z(j, o) - p(j)) ** 2), "==", 1 / width, every=(o,)),
        assume("the centre of mass is on the line of x", mean(Z(j, o)), "==", height * p(j), every=(j,)),
    )


def ring_statements(half: int = 2, order: int = 1, power: int = 1) -> tuple[Statement, Statement]:
    """|x - E Z|^2 = 1/(half w^power)^2, and the squared bias is at most L^2/(2 order w^{2
    power}).
    """
    given = hypotheses(*ring())
    gap, scale = p(j) - mean(Z(j, o)), width if power == 1 else width**power
    bias = mean((Lip * over(direction(j, k) * gap)) ** 2, k)
    both = given.union(*(t.assumptions for t in uniform_direction()))
    return (
        Statement(over(gap**2), "==", 1 / (half * scale) ** 2, given),
        Statement(bias, "<=", Lip**2 / (2 * order * scale**2), both),
    )


@proves("COL:3.1.ring", ring_statements, part=(1, 2))
@cache
def centre_of_the_ring() -> tuple[Theorem, Theorem]:
    """|x - E Z|^2 = 1/(2w)^2, and E (L u.(x - E Z))^2 = L^2/(4 d w^2) <= L^2/(2w^2)."""
    sphere, query, around, line = ring()
    level, depth = over(Z(j, o) * p(j)), 1 - 1 / (2 * width)
    level_ = calc(
        level, ("==", (sphere.lhs + query.lhs - around.lhs) / 2), ("==", depth, sphere, query, around)
    )
    total = calc(over(mean(Z(j, o)) * p(j)), ("==", over(height * p(j) ** 2), line), ("==", height, query))
    found = calc(height, ("==", mean(level), total), ("==", depth, level_))
    gap = p(j) - mean(Z(j, o))
    square = calc(
        over(gap**2),
        ("==", over((1 - height) ** 2 * p(j) ** 2), line),
        ("==", (1 - height) ** 2 * query.lhs),
        ("==", 1 / (4 * width**2), found, query),
    )
    bias = instantiate(isotropic(), {v: ((j,), gap)})
    return square, calc(
        mean((Lip * over(direction(j, k) * gap)) ** 2, k),
        ("==", Lip**2 / d * square.lhs, bias),
        ("<=", Lip**2 / (2 * width**2), square, square.lhs),
    )


#: Whether a token lies in a cap, and how many do.
prompt, t = Variable("prompt", Sort.PROMPT), Variable("t", Sort.TOKEN)
at, cap = Function("t_", (Sort.TOKEN,)), Variable("s", range=POSITIVE)
inside = Op("ind", (at(t) - (1 - cap),))
count = bind("sum", (t,), inside, (prompt,))


def no_token_statement(share: int | Fraction = 1) -> Statement:
    """1 - share n sigma is at most the probability that no token lies in the cap."""
    left = 1 - Fraction(share) * LENGTH * bind("mean", (t,), inside)
    return Statement(left, "<=", bind("prompt", (prompt,), Op("above", (1 - count,))))


@proves("COL:C.8/caps", no_token_statement)
@cache
def no_token() -> Theorem:
    """1 - n sigma <= the probability that fewer than one token lies in the cap of measure sigma."""
    point = instantiate(show(1 - zeta, "<=", Op("above", (1 - zeta,))), {zeta: count})
    return integrate("prompt", (prompt,), point)
