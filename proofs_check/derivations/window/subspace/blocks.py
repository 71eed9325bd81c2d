"""Section 4 and (41), (42) of Collins et al. in every dimension: tasks of low rank see a
projection, scores see the blocks of M, and the steps that start Lemma H.3.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume, equal, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import by_normal_form, proves
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import d, i, j, l, mean, n, o, over, tokens
from proofs_check.derivations.window.rotation import B, D, M, P, c_u, c_v, e, h, k, u_i, v_i, x
from proofs_check.derivations.window.signal import direction, isotropic, p, r, uniform_direction, v

#: Indices of coordinates in R^D, of directions of B, which are d here, and of the spurious ones.
g, m, s = (Variable(name, Sort.INDEX) for name in "gms")
#: A task, its slope, and the parts u and v of a query.
task, u, spurious = (Function(name, (Sort.INDEX,)) for name in ("a", "u", "v"))


def all_(body: Term, *index: Variable) -> Term:
    """The sum over the coordinates of R^D."""
    return bind("coordinates", index, body, tuple(D for _ in index))


def inner(body: Term, index: Variable = j) -> Term:
    return over(body, index)


def outer(body: Term, index: Variable = e) -> Term:
    """The sum over the spurious directions."""
    return bind("coordinates", (index,), body, (k,))


def value(point: Term, index: Variable = h) -> Term:
    """a'B'y for a point y, given at the index."""
    return inner(task(j) * all_(B(index, j) * point, index))


@cache
def orthonormal() -> tuple[Theorem, Theorem]:
    """B'B = I and B'B_perp = 0, as they act on vectors."""
    image = lambda z, index: inner(B(h, index) * z(index), index)
    return (
        assume(
            "B'B = I: Bp.Br = p.r", all_(image(p, j) * image(r, l), h), "==", inner(p(j) * r(j)), every=(p, r)
        ),
        assume("B'B_perp = 0", all_(image(p, j) * outer(P(h, e) * v(e)), h), "==", 0, every=(p, v)),
    )


def projection(index: Variable) -> Term:
    """BB'x at an index."""
    return inner(B(index, l) * all_(B(g, l) * x(g), g), l)


def projection_statement(complement: bool = False) -> Statement:
    """f(BB'x) = f(x), or f(x - BB'x) = f(x)."""
    onto = x(h) - projection(h) if complement else projection(h)
    return Statement(value(onto), "==", value(x(h)), orthonormal()[0].assumptions)


@proves("COL:4.project", projection_statement)
@cache
def value_of_the_projection() -> Theorem:
    """a'B'(BB'x) = (Ba).(BB'x) = a.B'x."""
    same = instantiate(orthonormal()[0], {p: ((j,), task(j)), r: ((l,), all_(B(g, l) * x(g), g))})
    return show(value(projection(h)), "==", value(x(h)), same)


@cache
def across() -> Theorem:
    """B'w = 0."""
    return assume("B'w = 0", all_(B(h, j) * v(h), h), "==", 0, every=(j,))


def outside_statement(inside: int = 0) -> Statement:
    """f(ww'x) = inside times w'x."""
    along = all_(v(g) * x(g), g)
    return Statement(value(along * v(h)), "==", inside * along, across().assumptions)


@proves("COL:D4.1/outside", outside_statement)
@cache
def constant_outside() -> Theorem:
    """f(ww'x) = 0 for w in the complement of col(B)."""
    along, zero = all_(v(g) * x(g), g), across().lhs
    return calc(
        value(along * v(h)),
        ("==", inner(0 * task(j)), show(task(j) * zero * along, "==", 0 * task(j), across())),
        ("==", 0),
    )


def second_moment_statement(share: int = 1) -> Statement:
    """E (a.p)^2 = |p|^2/(share k) for a uniform a and every vector p."""
    square = mean(over(v(j) * direction(j, o)) ** 2)
    return Statement(square, "==", over(v(j) ** 2) / (share * d), hypotheses(*uniform_direction()))


proves("COL:D4.2", second_moment_statement)(isotropic)


def covariate(index: Variable, inside: Function, outside: Function) -> Term:
    """c_u B u + c_v B_perp v at an index."""
    return c_u * inner(B(index, j) * inside(j)) + c_v * outer(P(index, e) * outside(e))


def scales_statements(power: int = 1) -> tuple[Statement, Statement]:
    """x_i'Mx = c_u^2 u_i'B'MBu + (c_u c_v)^power (u_i'B'MB_perp v + v_i'B_perp'MBu) + c_v^2
    v_i'B_perp'MB_perp v, and f(x_i) = c_u^power a.u_i.
    """
    score = all_(covariate(h, u_i, v_i) * M(h, g) * covariate(g, u, spurious), h, g)
    u_left, v_left = inner(B(h, l) * u_i(l), l), outer(P(h, m) * v_i(m), m)
    u_right, v_right = inner(B(g, j) * u(j)), outer(P(g, e) * spurious(e))
    block = lambda left, right: all_(left * M(h, g) * right, h, g)
    mixed = (c_u * c_v) ** power * (block(u_left, v_right) + block(v_left, u_right))
    blocks = c_u**2 * block(u_left, u_right) + mixed + c_v**2 * block(v_left, v_right)
    label = value(c_u * inner(B(h, l) * u_i(l), l) + c_v * outer(P(h, e) * v_i(e)))
    return (
        Statement(score, "==", blocks),
        Statement(label, "==", c_u**power * inner(task(j) * u_i(j)), hypotheses(*orthonormal())),
    )


@proves("COL:4.scales", scales_statements, part=2)
@cache
def label_of_a_token() -> Theorem:
    """a'B'x_i = c_u (Ba).(Bu_i) + c_v (Ba).(B_perp v_i) = c_u a.u_i."""
    first = instantiate(orthonormal()[0], {p: ((j,), task(j)), r: ((l,), u_i(l))})
    second = instantiate(orthonormal()[1], {p: ((j,), task(j)), v: ((e,), v_i(e))})
    return calc(scales_statements()[1].lhs, ("==", c_u * first.rhs, first, second))


@proves("COL:4.scales", scales_statements, part=1)
def split_of_the_score() -> Theorem:
    score = scales_statements()[0]
    return equal(score.lhs, score.rhs)


def window_statement(outside: int = 0) -> Statement:
    """x_i'(BB' + outside I)x = (B'x_i).(B'x) for M = BB', times any c."""
    along = lambda z, index: all_(B(index, j) * z(index), index)
    score = c_u * inner(all_(x(h) * B(h, j) * B(g, j) * u(g), h, g))
    score = score + outside * c_u * all_(x(h) * u(h), h) if outside else score
    return Statement(score, "==", c_u * inner(along(x, h) * along(u, g)))


proves("COL:4.window", window_statement)(by_normal_form(window_statement))


#: (42): a vector that the flip leaves, the weight of a prompt, and the token u_j; p is the query u.
kept, weight = Function("Y", (Sort.INDEX, Sort.TOKEN), None), Function("weight", (Sort.TOKEN,), None)
token = Function("Z", (Sort.INDEX, Sort.TOKEN), None)
height = over(p(j) * token(j, o))


def flipped(index: Variable) -> Term:
    """The token with the part perpendicular to u reversed."""
    return 2 * height * p(index) - token(index, o)


def perpendicular(z: Term, z_l: Term) -> Term:
    """Y'(I - uu')(z - u) for a token z, given at the indices j and l."""
    return over(kept(l, o) * (z_l - p(l) - over(p(j) * (z - p(j))) * p(l)), l)


@cache
def flip_of_a_token() -> tuple[Theorem, Theorem]:
    """|u| = 1, and the flip keeps the law of the tokens, the other ones and the weight."""
    here, there = (mean(weight(o) * perpendicular(z(j), z(l))) for z in (lambda at: token(at, o), flipped))
    return assume("|u| = 1", over(p(j) ** 2), "==", 1), assume(
        "the flip keeps the law and the weight", here, "==", there
    )


def perpendicular_statements(sign: int = -1) -> tuple[Statement, Statement]:
    """u.u_j is the same after the flip, and the mean of the perpendicular part is 1 + sign."""
    given = flip_of_a_token()[0].assumptions
    law = flip_of_a_token()[1]
    return (
        Statement(over(p(j) * flipped(j)), "==", -sign * height, given),
        Statement(law.lhs, "==", term(1 + sign), given | law.assumptions),
    )


@proves("COL:H.3.perp", perpendicular_statements, part=1)
@cache
def height_of_the_flip() -> Theorem:
    """The flip leaves the height over u, on which the weight depends."""
    one = flip_of_a_token()[0]
    return calc(over(p(j) * flipped(j)), ("==", height, one))


@proves("COL:H.3.perp", perpendicular_statements, part=2)
@cache
def no_mean_across() -> Theorem:
    """E weight Y'(I - uu')(u_j - u) = 0, as the flip changes its sign."""
    one, law = flip_of_a_token()
    y_z, y_p = over(kept(l, o) * token(l, o), l), over(kept(l, o) * p(l), l)
    here = calc(perpendicular(token(j, o), token(l, o)), ("==", y_z - height * y_p, one))
    there = calc(
        perpendicular(flipped(j), flipped(l)),
        ("==", 2 * height * y_p - y_z - y_p - (2 * height * one.lhs - height - one.lhs) * y_p),
        ("==", height * y_p - y_z, one),
    )
    scaled = lambda thm: show(weight(o) * thm.lhs, "==", weight(o) * thm.rhs, thm)
    first, second = (integrate("mean", (o,), scaled(thm)) for thm in (here, there))
    E, start = mean(weight(o) * (y_z - height * y_p)), law.lhs
    back = chain(law, second, -E)
    both = [show(sign * start, "<=", 0, back, chain(first, E)) for sign in (1, -1)]
    return show(start, "==", 0, *both)


#: (41): the weights e^{cu_i.u}alpha_i of the tokens with their sum, the token whose alpha is
#: increased by h, its factor e^{cu_1.u}, and the errors u_i - u.
share = Function("w", (Sort.INDEX, Sort.TOKEN), None)
first_token, change = Function("u_1", (Sort.INDEX,)), Variable("h", range=REALS)
power = Variable("e", range=REALS)
total, off_first = tokens(share(i, o)), first_token(j) - p(j)
summed = tokens(share(i, o) * (X(i, j, o) - p(j)))
squared, product, own = over(summed**2), over(off_first * summed), over(off_first**2)
grown, moved = total + change * power, over((summed + change * power * off_first) ** 2)
#: The sum over i and j of (u_1 - u_i).(u_j - u) with the weights of the tokens i and j.
pair = share(i, o) * share(m, o) * over((first_token(j) - X(i, j, o)) * (X(m, j, o) - p(j)))
double = bind("coordinates", (i, m), pair, (n, n))


#: One over both sums.
inverse, inverse_grown = (Function(name, (Sort.TOKEN,), None) for name in ("N", "N'"))


@cache
def sums_of_weights() -> tuple[Theorem, Theorem]:
    return (
        assume("N is one over the sum of the weights", inverse(o) * total, "==", 1, every=(o,)),
        assume("N' is that with h", inverse_grown(o) * grown, "==", 1, every=(o,)),
    )


def derivative_statement(factor: int = 2) -> Statement:
    """|V + h e (u_1 - u)|^2/(S + h e)^2 - |V|^2/S^2, with the sum S of the weights and V that of
    the weights times u_i - u, is h times factor e/S^3 times the double sum, up to h^2 times a
    number.
    """
    gap = total * product - squared
    rest = own * total**3 - squared * total - 4 * total * gap - 2 * change * power * gap
    N, other = inverse(o), inverse_grown(o)
    right = factor * change * power * double * N**3 + change**2 * power**2 * rest * N**3 * other**2
    return Statement(moved * other**2 - squared * N**2, "==", right, hypotheses(*sums_of_weights()))


@proves("COL:H.3a/41", derivative_statement)
@cache
def derivative_of_the_signal() -> Theorem:
    """The double sum is S (u_1 - u).V - |V|^2, and the rest is arithmetic over S^3 (S + h e)^2."""
    statement, (one, other) = derivative_statement(), sums_of_weights()
    N, N_grown, unit, unit_grown = inverse(o), inverse_grown(o), one.lhs, other.lhs
    gap, step = total * product - squared, change * power
    rest = own * total**3 - squared * total - 4 * total * gap - 2 * step * gap
    return calc(
        statement.lhs,
        ("==", moved * N_grown**2 * unit**3 - squared * N**2 * unit * unit_grown**2, one, other),
        ("==", 2 * step * double * N**3 * unit_grown**2 + step**2 * rest * N**3 * N_grown**2),
        ("==", 2 * step * double * N**3 + step**2 * rest * N**3 * N_grown**2, one, other),
    )


#: H of Theorem H.5 given all tokens, and all weights times one number.
factor_, sigma, of_scaled = (
    Variable("c'", range=POSITIVE),
    Variable("sigma", range=REALS),
    Function("N'", (Sort.TOKEN,), None),
)
squares = tokens(share(i, o) ** 2)


@cache
def scaled_weights() -> tuple[Theorem, Theorem]:
    scaled = tokens(factor_ * share(i, o))
    return sums_of_weights()[0], assume("N' is that of c'alpha", of_scaled(o) * scaled, "==", 1, every=(o,))


def homogeneous_statement(power: int = 0) -> Statement:
    """|V|^2/S^2 + sigma^2 sum w_i^2/S^2 with the weights c'w_i is c'^power times that with w_i."""
    V = tokens(factor_ * share(i, o) * (X(i, j, o) - p(j)))
    left = (over(V**2) + sigma**2 * tokens((factor_ * share(i, o)) ** 2)) * of_scaled(o) ** 2
    right = (squared + sigma**2 * squares) * inverse(o) ** 2
    return Statement(left, "==", factor_**power * right if power else right, hypotheses(*scaled_weights()))


@proves("COL:H.5i", homogeneous_statement)
@cache
def homogeneous() -> Theorem:
    """N = c'N', as both are one over the sum of the weights."""
    one, other = scaled_weights()
    both, scaled = (squared + sigma**2 * squares) * of_scaled(o) ** 2, factor_ * of_scaled(o)
    of_one = chain(scaled * total, other)
    same = calc(inverse(o), ("==", inverse(o) * of_one.lhs, of_one), ("==", scaled, one))
    statement = homogeneous_statement()
    return calc(statement.lhs, ("==", factor_**2 * both), ("==", statement.rhs, same))
