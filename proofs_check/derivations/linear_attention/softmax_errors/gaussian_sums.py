"""Mean squared errors of softmax attention on Gaussian tokens: what R4 says of one linear form is
summed over the rows of V and over an orthonormal basis; and the gradient in U by calculus.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import assume, equal, integrate
from numerics.derivations.kernel.sorts import REALS, Sort, whole
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy
from numerics.derivations.tactics import show
from proofs_check.derivations.proof import proves
from theory.attention.gaussian_errors import gaussian_second_moment
from theory.attention.softmax_covariance import SpreadMoments, softmax_covariance_second_moment

i, a, b, c = (Variable(name, Sort.INDEX) for name in "iabc")
#: The number of rows of V, and of coordinates.
m, d = Variable("m", range=whole(1)), Variable("d", range=whole(1))
k = Variable("k", Sort.TOKEN)  # everything that is random
_vector = lambda name: Function(name, (Sort.INDEX,))
_matrix = lambda name: Function(name, (Sort.INDEX, Sort.INDEX))
V, Gamma, G = map(_matrix, ("V", "Gamma", "G"))
h, ell, z = map(_vector, ("h", "ell", "z"))
#: Entry i of T_L - T, entry a of the mean token less h, and entry (a, i) of (C_L - Gamma) V'.
output = Function("output", (Sort.INDEX, Sort.TOKEN), Fraction(2))
token = Function("token", (Sort.INDEX, Sort.TOKEN), Fraction(2))
spread = Function("spread", (Sort.INDEX, Sort.INDEX, Sort.TOKEN), Fraction(2))
_names = sp.symbols("P2 P3 Q tau2 D2 Sc D_pi2 T2", positive=True)
_values = {x: Variable(x.name, range=REALS) for x in _names}
_P2, _P3, _Q, _tau2, _D2, _Sc, _D_pi2, _T2 = _names
_products = sp.symbols("along across mixed square product", positive=True)


def over(names: tuple[Variable, ...], body: Term) -> Term:
    """A sum over rows of V, of which i is one, and over coordinates."""
    return bind("coordinates", names, body, tuple(m if v == i else d for v in names))


def mean(e: Term) -> Term:
    return bind("mean", (k,), e)


def of_rows(vector: Function, matrix: Function) -> tuple[Term, Term]:
    """v.h and v' Gamma v for the row v of V."""
    return over((b,), V(i, b) * vector(b)), over((b, c), V(i, b) * V(i, c) * matrix(b, c))


def of_matrices(vector: Function, matrix: Function) -> tuple[Term, Term]:
    """h'Wh and tr(W Gamma)."""
    return over((b, c), vector(b) * W * vector(c)), over((b, c), W * matrix(b, c))


W = over((i,), V(i, b) * V(i, c))
(v_l, v_G_v), (l_W_l, trace_WG) = of_rows(ell, G), of_matrices(ell, G)
v_G, l_l, trace_G = (
    over((b,), V(i, b) * G(b, a)),
    over((a,), ell(a) ** 2),
    over((a,), G(a, a)),
)  # v'G e_a; G is symmetric
l_WG_l, trace_WGG = over((a, b, c), ell(b) * W * G(c, a) * ell(a)), over((a, b, c), W * G(c, a) * G(b, a))


def second_moment(t: Term, q: Term, six: int = 6) -> Term:
    """P2 t + (P2 - 6 P3 + 6 Q) q, from theory."""
    x, y = sp.symbols("t q", positive=True)
    e = gaussian_second_moment(_P2, sp.Rational(six, 6) * _P3, _Q, x, y)
    return from_sympy(e, {**_values, x: t, y: q})


def of_the_gradient(products: tuple[Term, ...], two: int = 2) -> Term:
    """The second moment of the softmax covariance for five products of forms, from theory."""
    along, across, mixed, square, product = _products
    given = dict(
        along=along, across=across, mixed=sp.Rational(two, 2) * mixed, square=square, product=product
    )
    e = softmax_covariance_second_moment(SpreadMoments(_D2, _Sc, _D_pi2, _T2, _Q), **given)
    return from_sympy(sp.expand(e), {**_values, **dict(zip(_products, products, strict=True))})


_row = of_rows(h, Gamma)
tau2, z2 = _values[_tau2], over((a,), z(a) ** 2)


def of_one_form(name: str, value: Term, moment: Term, every: tuple[Variable, ...]) -> Theorem:
    """What integration by parts says of one form: an identity of the prover in power sums."""
    return assume(name, mean(value**2), "==", moment, every=every, argument=BY_PARTS)


BY_PARTS = (
    "the moment of one linear form of the tokens is integrated by parts in the scores, "
    "which the prover does in power sums"
)
of_a_row = of_one_form(
    "OURS:R4.b for a row of V", output(i, k), second_moment(v_G_v + v_l**2, tau2 * v_l**2), (i,)
)
_moment_of_a_coordinate = second_moment(G(a, a) + ell(a) ** 2, tau2 * ell(a) ** 2)
of_a_coordinate = of_one_form("OURS:R4.b for a coordinate", token(a, k), _moment_of_a_coordinate, (a,))
_of_a_form = (
    v_l**2 * ell(a) ** 2,
    v_l**2 * G(a, a) + ell(a) ** 2 * v_G_v,
    v_l * ell(a) * v_G,
    v_G**2,
    G(a, a) * v_G_v,
)
of_a_form = of_one_form(
    "the second moment for a row of V and a coordinate", spread(a, i, k), of_the_gradient(_of_a_form), (a, i)
)


def gradient_statements(two: int = 2, six: int = 6) -> tuple[Statement, Statement, Statement]:
    """The displayed formulas of R4.Q for the output and for the gradients in V and in U."""
    h1 = lambda l2: l2 * second_moment(term(1), tau2, six)
    in_V = over((i, a), token(a, k) ** 2)
    in_U = over((a, i, b), (spread(a, i, k) * z(b)) ** 2)
    sums = (l_W_l * l_l, l_W_l * trace_G + l_l * trace_WG, l_WG_l, trace_WGG, trace_WG * trace_G)
    return (
        Statement(
            mean(over((i,), output(i, k) ** 2)),
            "==",
            h1(l_W_l) + trace_WG * _values[_P2],
            of_a_row.assumptions,
        ),
        Statement(mean(in_V), "==", m * (h1(l_l) + trace_G * _values[_P2]), of_a_coordinate.assumptions),
        Statement(mean(in_U), "==", z2 * of_the_gradient(sums, two), of_a_form.assumptions),
    )


@proves("OURS:R4.Q", gradient_statements, part=(1, 2, 3))
@cache
def gradients() -> tuple[Theorem, Theorem, Theorem]:
    """The moments for one form are summed over the rows of V and over the coordinates."""
    entry = show(z(b) ** 2 * of_a_form.lhs, "==", z(b) ** 2 * of_a_form.rhs, of_a_form, of_a_form.rhs)
    return (
        integrate("coordinates", (i,), of_a_row, (m,)),
        integrate("coordinates", (i, a), of_a_coordinate, (m, d)),
        integrate("coordinates", (a, i, b), entry, (d, m, d)),
    )


# The gradient in U of a component of the output, along any path of U.

t = Variable("t", Sort.TIME)
L = Variable("L", range=whole(1))
U = Function("U", (Sort.INDEX, Sort.INDEX, Sort.TIME), Fraction(1))
x, v = _matrix("x"), _vector("v")  # coordinate a of token l, and the row
l = Variable("l", Sort.INDEX)


def tokens(body: Term) -> Term:
    return bind("coordinates", (l,), body, (L,))


def _score(U: Function) -> Term:
    return over((a, b), x(l, a) * U(a, b, t) * z(b))


def softmax(body: Term) -> Term:
    """The softmax-weighted mean over the tokens."""
    return tokens(exp(_score(U)) * body) / tokens(exp(_score(U)))


def derivative_statement(times: int = 1) -> Statement:
    """The derivative of the output is the sum of (C_L v)_a z_b dU_ab, where C_L is the softmax
    covariance; `times` multiplies it.
    """
    value = over((a,), v(a) * x(l, a))
    covariance = softmax(x(l, c) * value) - softmax(x(l, c)) * softmax(value)
    moved = over((c, b), covariance * z(b) * U.rate(c, b, t))
    return Statement(derivative(softmax(value), t), "==", times * moved)


@proves("OURS:R4.d", derivative_statement)
def derivative_of_the_output() -> Theorem:
    return equal(derivative_statement().lhs, derivative_statement().rhs)
