"""The gradients of softmax attention at a prompt of fixed tokens, by the rules of calculus.

A gradient G in a matrix is what gives the derivative <G, U'(t)> of the output along every path
U(t), among them the straight ones in all directions.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from numerics.derivations.derived import exp
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.sorts import Sort, whole
from numerics.derivations.kernel.terms import Function, Term, Variable
from numerics.derivations.statements import Statement
from proofs_check.derivations.proof import by_normal_form, proves
from proofs_check.derivations.softmax_average.softmax_average import over

d, length, rows = (Variable(name, range=whole(1)) for name in ("d", "l", "r"))
i, j, k, n, o = (Variable(name, Sort.INDEX) for name in "ijkno")
m = Variable("m", Sort.INDEX)
t = Variable("t", Sort.TIME)
#: The tokens, the query, and the matrices at one time.
z, y = Function("z", (Sort.INDEX, Sort.INDEX)), Function("y", (Sort.INDEX,))
U, V, K, Q = (Function(name, (Sort.INDEX, Sort.INDEX)) for name in "UVKQ")


def path(A: Function) -> Function:
    """A matrix that moves, of which one is differentiated."""
    return Function(A.name, (*A.sorts, Sort.TIME), Fraction(1))


Entry = Callable[[Variable, Variable], Term]


def still(A: Function) -> Entry:
    """The entries of a matrix that does not move."""
    return lambda i, j: A(i, j)


def moving(A: Function) -> Entry:
    """The entries of a path at the time t."""
    return lambda i, j: path(A)(i, j, t)


def product(K: Entry, Q: Entry) -> Entry:
    """The entries of K'Q."""
    return lambda i, j: over(n, rows, K(n, i) * Q(n, j))


def average(U: Entry, body: Term) -> Term:
    """The mean over the tokens k of the prompt with the softmax weights of the scores z_k'Uy."""
    weight = exp(over(i, d, over(j, d, z(k, i) * U(i, j) * y(j))))
    return over(k, length, weight * body) / over(k, length, weight)


def output(U: Entry, V: Entry) -> Term:
    """Coordinate o of the output: the average of V z_k."""
    return average(U, over(n, d, V(o, n) * z(k, n)))


def gradient_in_U(U: Entry, slope: str = "z_k z'") -> Entry:
    """Entry (i, j): the covariance of v.z and z_i y_j under the softmax weights, for row v of V;
    with the slope "z_k.z" every entry is that of v.z and z.y.
    """
    matrix = slope == "z_k z'"

    def entry(i: Variable, j: Variable) -> Term:
        value, slope = over(n, d, V(o, n) * z(k, n)), z(k, i) * y(j) if matrix else over(n, d, z(k, n) * y(n))
        return average(U, value * slope) - average(U, value) * average(U, slope)

    return entry


def along(output: Term, A: Function, height: Variable, gradient: Entry) -> Statement:
    """The derivative of the output along every path A(t) is the sum of gradient_ij A_ij'(t)."""
    slope = over(i, height, over(j, d, gradient(i, j) * path(A).rate(i, j, t)))
    return Statement(derivative(output, t), "==", slope)


def in_U(slope: str = "z_k z'") -> Statement:
    """The gradient in U is the covariance of v.z and z y' for the row v of V."""
    return along(output(moving(U), still(V)), U, d, gradient_in_U(moving(U), slope))


def in_V(U: Entry, factor: int) -> Statement:
    """The gradient in the row of V that belongs to the coordinate is the average token."""
    slope = over(n, d, factor * average(U, z(k, n)) * path(V).rate(o, n, t))
    return Statement(derivative(output(U, moving(V)), t), "==", slope)


def in_the_row(factor: int = 1) -> Statement:
    """The gradient in V for a matrix U."""
    return in_V(still(U), factor)


def in_the_keys(transposed: bool = True) -> Statement:
    """The gradient in K is Q times the transposed gradient in U = K'Q."""
    score = product(moving(K), still(Q))
    G = gradient_in_U(score)
    entry = lambda r, i: over(m, d, Q(r, m) * (G(i, m) if transposed else G(m, i)))
    return along(output(score, still(V)), K, rows, entry)


def in_the_queries(transposed: bool = False) -> Statement:
    """The gradient in Q is K times the gradient in U = K'Q."""
    score = product(still(K), moving(Q))
    G = gradient_in_U(score)
    entry = lambda r, j: over(m, d, K(r, m) * (G(j, m) if transposed else G(m, j)))
    return along(output(score, still(V)), Q, rows, entry)


def in_the_values(factor: int = 1) -> Statement:
    """The gradient in V for K'Q is that for a matrix U, which is K'Q."""
    return in_V(product(still(K), still(Q)), factor)


def of_the_empirical_measure(factor: int = 1) -> Statement:
    """The layer of the measure that has mass 1/l at each token, at the token o as the query, is
    self-attention; `factor` multiplies it. Coordinate n of the output is meant.
    """
    query = lambda r: over(i, d, Q(r, i) * z(o, i))
    key = lambda r: over(j, d, K(r, j) * z(k, j))
    weight, value = exp(over(m, rows, query(m) * key(m))), over(i, d, V(n, i) * z(k, i))
    integral = lambda body: over(k, length, body) / length
    total = lambda body: over(k, length, body)
    return Statement(
        integral(weight * value) / integral(weight), "==", factor * (total(weight * value) / total(weight))
    )


proves("BB:C.7.gU", in_U)(by_normal_form(in_U))
proves("BB:C.7.gV", in_the_row)(by_normal_form(in_the_row))
proves("BB:2.fin", of_the_empirical_measure)(by_normal_form(of_the_empirical_measure))
