"""The matrix of linear attention with L tokens tends to the covariance: its mean (Appendix F.3 of
Boursier & Boyer), and the matrix itself along almost every sequence of tokens (Appendix F.2).
"""

from __future__ import annotations

from fractions import Fraction

from numerics.derivations.derived import cauchy_schwarz
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import assume
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Sort, whole
from numerics.derivations.kernel.terms import Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention.matrices import d, dot, i, j, matrix
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.softmax_average import k, mean, over

Lambda, delta = matrix("Lambda"), matrix("delta")  # the covariance and the identity
trace = bind("coordinates", (i,), Lambda(i, i), (d,))
eps = Variable("eps", range=POSITIVE)
_excess = Lambda(i, j) + trace * delta(i, j)
size = dot(_excess, _excess)
long_enough = assume("L eps is at least |Lambda + tr(Lambda) I|^2", size, "<=", eps * L)


def gap(one: int = 1) -> Term:
    """|Gamma - Lambda|^2 for Gamma = (1 + 1/L) Lambda + tr(Lambda) I/L, with `one` for the 1 of
    1/L.
    """
    entry = (1 + one / L) * Lambda(i, j) + trace / L * delta(i, j) - Lambda(i, j)
    return dot(entry, entry)


def statements(one: int = 1) -> tuple[Statement, Statement]:
    return Statement(L**2 * gap(one), "==", size), Statement(gap(one), "<=", 1 * eps, long_enough.assumptions)


@proves("BB:F.3.1", statements, part=1)
def square_of_the_gap() -> Theorem:
    return show(L**2 * gap(), "==", size)


@proves("BB:F.3.1", statements, part=2)
def theorem() -> Theorem:
    """As the square of the gap is |Lambda + tr(Lambda) I|^2/L^2, it is at most eps for a long L."""
    return calc(
        gap(), ("==", L**-2 * size), ("<=", L**-2 * (eps * L), long_enough), ("==", eps / L), ("<=", eps)
    )


# The tokens z_l = (x_l, w.x_l) of a task w are those of one sequence, z(i, k) are the covariates of
# a token of their law, which has second moments, and q a query.
eta, l = Variable("eta", range=POSITIVE), Variable("l", Sort.INDEX)
x, z = Function("x", (Sort.INDEX, Sort.INDEX)), Function("z", (Sort.INDEX, Sort.TOKEN), Fraction(2))
w, q, v, c = (Function(name, (Sort.INDEX,)) for name in "wqvc")
v0, c0 = (Variable(name, range=REALS) for name in ("v0", "c0"))
label, covariance = over(i, d, w(i) * x(l, i)), mean(z(i, k) * z(j, k))


def average(body: Term) -> Term:
    """The average over the first L tokens."""
    return over(l, L, body) / L


def form(top: Term, column: Term, row: Term, corner: Term) -> Term:
    """(v, v0)'G(c, c0) for the matrix G with these blocks; each entry of G is one of these forms,
    and so is each output V G U (q, 0).
    """
    return (
        dot(v(i) * top, c(j))
        + c0 * over(i, d, v(i) * column)
        + v0 * over(j, d, row * c(j))
        + v0 * c0 * corner
    )


def of_the_prompt(last: str) -> Term:
    """The form of Gamma_hat, with the token x_k or the query x in its last row."""
    own = x(l, j) if last == "x_k" else q(j)
    top = average(x(l, i) * x(l, j)) + q(i) * q(j) / L
    return form(top, average(x(l, i) * label), average(label * own), average(label**2))


#: The form of Gamma_w, with the blocks Sigma, Sigma w and w' Sigma w for Sigma = E x x'.
of_the_law = form(
    covariance,
    over(j, d, covariance * w(j)),
    over(i, d, w(i) * covariance),
    dot(w(i) * covariance, w(j)),
)
error = average(x(l, i) * x(l, j)) - covariance
strong_law = assume(
    "strong law of large numbers: from some L on the averages of x_i x_j are within eta of their means",
    error**2,
    "<=",
    eta**2,
    every=(i, j),
    cited=True,
)
of_the_query = over(i, d, v(i) * q(i)) * over(j, d, c(j) * q(j))
long_for_the_query = assume(
    "L eta is at least |(v.x)(c.x)| for the query x", of_the_query**2, "<=", (eta * L) ** 2
)
sizes = over(i, d, (v(i) + v0 * w(i)) ** 2) * over(j, d, (c(j) + c0 * w(j)) ** 2)


def almost_sure_statement(last: str = "x_k") -> Statement:
    """The form of Gamma_hat is within (2 (d^2 |v + v0 w|^2 |c + c0 w|^2 + 1))^{1/2} eta of that of
    Gamma_w, for every eta > 0 from some L on.
    """
    gap = of_the_prompt(last) - of_the_law
    return Statement(
        gap**2, "<=", 2 * (d**2 * sizes + 1) * eta**2, hypotheses(strong_law, long_for_the_query)
    )


@proves("BB:F.2.lin", almost_sure_statement)
def almost_surely() -> Theorem:
    """(v, v0).z = (v + v0 w).x for a token z, so that the gap is a form of the errors, with d^2
    entries, and the share 1/L of the query's own term.
    """
    goal, p = almost_sure_statement(), (v(i) + v0 * w(i)) * (c(j) + c0 * w(j))
    gap, own = dot(p, error), of_the_query / L
    of_gap = calc(
        gap**2,
        ("<=", sizes * dot(error, error), cauchy_schwarz("coordinates", (i, j), p, error, (d, d))),
        ("<=", sizes * dot(eta, eta), strong_law),
        ("==", d**2 * sizes * eta**2),
    )
    of_own = calc(
        own**2,
        ("==", L**-2 * of_the_query**2),
        ("<=", L**-2 * (eta * L) ** 2, long_for_the_query),
        ("==", eta**2),
    )
    return calc(
        goal.lhs,
        ("==", (gap + own) ** 2),
        ("<=", 2 * gap**2 + 2 * own**2, show((gap + own) ** 2, "<=", 2 * gap**2 + 2 * own**2, gap, own)),
        ("<=", 2 * (d**2 * sizes * eta**2) + 2 * eta**2, of_gap, of_own),
        ("==", goal.rhs),
    )


# -- linear attention over any law with second moments (Appendix B.2) ------------------------------

V, K, Q = (Function(name, (Sort.INDEX, Sort.INDEX)) for name in "VKQ")
o, rank, outputs = Variable("o", Sort.INDEX), Variable("r", range=whole(1)), Variable("m", range=whole(1))
a = Variable("a", Sort.INDEX)
#: K'Q q for the query q, and the length of the matrix V.
score = over(a, rank, K(a, j) * over(i, d, Q(a, i) * q(i)))
size_of_V = over(o, outputs, over(i, d, V(o, i) ** 2))


def output_statement(factor: int | Fraction = 1) -> Statement:
    """(1/L) sum_l <Q q, K x_l> V x_l is within (d^2 |V|^2 |K'Q q|^2)^{1/2} eta of factor V E[z z']
    K'Q q, for every eta > 0 from some L on.
    """
    weight = over(a, rank, over(i, d, Q(a, i) * q(i)) * over(j, d, K(a, j) * x(l, j)))
    finite = average(weight * over(i, d, V(o, i) * x(l, i)))
    infinite = over(i, d, V(o, i) * over(j, d, covariance * score))
    bound = d**2 * size_of_V * over(j, d, score**2) * eta**2
    gap = over(o, outputs, (finite - Fraction(factor) * infinite) ** 2)
    return Statement(gap, "<=", bound, hypotheses(strong_law))


@proves("BB:B.2/limit", output_statement)
def output_almost_surely() -> Theorem:
    """The output is a form of the errors for each row of V."""
    goal, weights = output_statement(), V(o, i) * score
    square = over(i, d, V(o, i) ** 2) * over(j, d, score**2)
    each = calc(
        dot(weights, error) ** 2,
        ("<=", square * dot(error, error), cauchy_schwarz("coordinates", (i, j), weights, error, (d, d))),
        ("<=", square * dot(eta, eta), strong_law),
        ("==", d**2 * square * eta**2),
    )
    return calc(
        goal.lhs,
        ("==", over(o, outputs, dot(weights, error) ** 2)),
        ("<=", over(o, outputs, d**2 * square * eta**2), each),
        ("==", goal.rhs),
    )
