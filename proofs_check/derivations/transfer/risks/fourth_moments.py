"""The fourth moments of the two outputs in the proof of Lemma E.2 of Boursier & Boyer, and the
squared loss on a segment.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import chain, log, sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, at_task, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS
from numerics.derivations.kernel.terms import Term, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import Statement, from_sympy, hypotheses, proved
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.form_of_the_paper import lemma_c9, statement_c9
from proofs_check.derivations.softmax_average.query_average import norm_U
from proofs_check.derivations.softmax_average.softmax_average import d, sigma
from proofs_check.derivations.softmax_average.tilted import query
from proofs_check.derivations.softmax_average.weighted_errors import C_f, g, size_of_g
from proofs_check.derivations.transfer.risks.mean_of_a_vector import norm_of_a_sum
from proofs_check.derivations.transfer.risks.outcomes import (
    below_the_larger,
    i,
    j,
    k,
    larger,
    m,
    mean,
    outputs,
    p,
    size,
    square_bounded,
    vector,
)
from proofs_check.derivations.transfer.risks.rates import mean as over_tasks
from proofs_check.derivations.transfer.risks.rates import on_average, rate, task
from proofs_check.derivations.transfer.risks.remaining import c1, c2
from proofs_check.derivations.transfer.risks.tasks.laws_of_tasks import (
    OF_THE_TASK,
    Values,
    at_every_task,
    of_the_task,
    with_the_task,
)
from proofs_check.derivations.transfer.risks.tasks.outputs_at_tasks import (
    BALL,
    at_least,
    at_most,
    given_3_1,
    large,
    logarithm,
    proposition_3_1,
    rho,
    small,
    with_constants,
)
from theory.bounds.query_average_constants import paper_constants_C9

T, D = (vector(name, 4)(j, k) for name in ("T", "D"))
size_T, size_D, size_T_L = (sqrt(outputs(v**2)) for v in (T, D, T + D))
f8 = next(e for e in statement_c9().functions if e.name == "f")
#: Lemma C.9 for f(z) = V z and g = 1, where |f(z)| <= C_f |z| with C_f = 2 rho on the ball.
g_is_one = assume("g = 1", size_of_g(4), "==", 1, every=(query,))
VALUES: Values = {**OF_THE_TASK, **{e: with_the_task(e) for e in (f8, g[4])}, C_f: 2 * rho}
error = assume(
    "D is T_L - T at a task, a query and a prompt, for f(z) = V z and g = 1",
    mean(size_D**4),
    "==",
    over_tasks(of_the_task(statement_c9().lhs, VALUES)),
)


def _constants(of_f: Term) -> tuple[Term, Term]:
    """Those of Lemma C.9 at g = 1, for a bound of |f(z)|/|z|."""
    U_, C_, d_, g_ = sp.symbols("U C_f d g", positive=True)
    values = {U_: norm_U, C_: of_f, d_: d, g_: term(1)}
    a, b = (from_sympy(e, values) for e in paper_constants_C9(U_, C_, d_, g_))
    return a, b


def constants_c9() -> tuple[tuple[Term, Term], tuple[Theorem, Theorem]]:
    """Those of Lemma C.9 for the ball, and the hypotheses that c_1 and c_2 are theirs."""
    a, b = _constants(2 * rho)
    return (a, b), (
        large(c1, a, "c1 is at least the constant of Lemma C.9"),
        small(c2, b, "c2 is at most the constant of Lemma C.9"),
    )


def given_c9() -> frozenset[Assumption]:
    """What `lemma_c9_at_tasks` assumes."""
    own = hypotheses(logarithm, *BALL, *constants_c9()[1], error)
    return own | at_every_task(statement_c9().assumptions | hypotheses(g_is_one), VALUES)


@cache
def lemma_c9_at_tasks() -> tuple[Theorem, Theorem]:
    """That E|T_L - T|^4 <= c_1 sigma^12 ln(L)^2 L^{-c_2/sigma^2} at every task and for all U in the
    ball; and the hypothesis on its mean over the tasks.
    """
    (a, b), (first, second) = constants_c9()
    power = show(size_of_g(4) ** 4, "==", 1, g_is_one)
    eighth = chain(integrate("query", (query,), power), 1)
    front, decay = _constants(C_f)
    bound, of_g = front * sigma**12 * log(L) ** 2 * L ** (-decay / sigma**2), sqrt(eighth.lhs)
    thm = chain(proved(statement_c9(), lemma_c9()), of_g * bound)
    one = show(of_g * bound, "<=", bound, show(of_g, "==", 1, eighth), of_g, bound)
    each = at_task(chain(thm, one), task, VALUES)
    return with_constants(each, (6, 2), (a, b), at_least(a, first), at_most(b, second)), error


def statements(
    on_D: int | Fraction = 64, on_T: int | Fraction = 72, eight: int | Fraction = 8, share: int | Fraction = 1
) -> tuple[Statement, ...]:
    """E(|T_L| + |T|)^4 <= eight (E|T_L|^4 + E|T|^4), the second line with on_D E|D|^4 + on_T
    E|T|^4, the third one by Lemma C.9, and (E|D|^2)^{1/2} by Proposition 3.1, times a share.
    """
    both, rest = mean(size_T_L**4) + mean(size_T**4), on_T * mean(size_T**4)
    root = sqrt(c1) * sqrt(over_tasks(rate(c2, 3, 1)))
    return (
        Statement(mean((size_T_L + size_T) ** 4), "<=", Fraction(eight) * both),
        Statement(8 * both, "<=", on_D * mean(size_D**4) + rest),
        Statement(8 * both, "<=", on_D * (c1 * over_tasks(rate(c2, 6, 2))) + rest, given_c9()),
        Statement(sqrt(mean(size_D**2)), "<=", Fraction(share) * root, given_3_1(size_D**2, c1, c2)),
    )


def _fourth_power(X: Term, Y: Term) -> Theorem:
    return show((X + Y) ** 4, "<=", 8 * X**4 + 8 * Y**4, X, Y)


@proves("BB:LE.2.4", statements, part=1)
@cache
def power_of_the_sum() -> Theorem:
    each = _fourth_power(size_T_L, size_T)
    return show(mean(each.lhs), "<=", 8 * mean(size_T_L**4) + 8 * mean(size_T**4), each)


@proves("BB:LE.2.4", statements, part=2)
@cache
def with_the_triangle() -> Theorem:
    """|T_L| <= |T| + |D|."""
    triangle = instantiate(norm_of_a_sum(*(instantiated(v, {j: i}) for v in (T, D))), {p: m})
    rest = 8 * mean(size_T**4)
    return calc(
        8 * mean(size_T_L**4) + rest,
        ("<=", 8 * mean((size_T + size_D) ** 4) + rest, triangle),
        ("<=", 8 * mean(8 * size_T**4 + 8 * size_D**4) + rest, _fourth_power(size_T, size_D)),
        ("==", 64 * mean(size_D**4) + 72 * mean(size_T**4)),
    )


@proves("BB:LE.2.4", statements, part=3)
@cache
def with_lemma_c9() -> Theorem:
    bound = 64 * (c1 * over_tasks(rate(c2, 6, 2))) + 72 * mean(size_T**4)
    return calc(with_the_triangle(), ("<=", bound, on_average(lemma_c9_at_tasks())))


@proves("BB:LE.2.4", statements, part=4)
@cache
def with_proposition_3_1() -> Theorem:
    bound = sqrt(c1 * over_tasks(rate(c2, 3, 1)))
    return show(sqrt(mean(size_D**2)), "<=", bound, on_average(proposition_3_1(size_D**2, c1, c2)))


#: Two outputs with a last coordinate each, the square of the distance of the others, and a label.
a, b, y = (Variable(name, range=REALS) for name in ("a", "b", "y"))
others_a, others_b, others = (Variable(name, range=NONNEGATIVE) for name in ("a2", "b2", "d2"))


def squared_loss_statement(square: int | Fraction = 2) -> Statement:
    """|l(a, y) - l(b, y)| <= sqrt(square) max(|(a, y)|, |(b, y)|)|a - b| for the squared loss of
    the last coordinates.
    """
    M = larger(sqrt(a**2 + others_a + y**2), sqrt(b**2 + others_b + y**2))
    bound = sqrt(term(Fraction(square))) * M * sqrt((a - b) ** 2 + others)
    return Statement(size((a - y) ** 2 / 2 - (b - y) ** 2 / 2), "<=", bound)


@proves("BB:4.loss/segment", squared_loss_statement)
@cache
def squared_loss() -> Theorem:
    """The square of the difference is at most (a^2 + b^2 + 2 y^2)(a - b)^2, and a mean of squares
    at most the larger one.
    """
    change = (a - y) ** 2 / 2 - (b - y) ** 2 / 2
    ends = a**2 + others_a + y**2, b**2 + others_b + y**2
    M, far = larger(*map(sqrt, ends)), (a - b) ** 2 + others
    core, near = a**2 + b**2 + 2 * y**2, (a - b) ** 2
    square = calc(
        arithmetic(change**2, "<=", core * near),
        ("<=", (ends[0] + ends[1]) * far, show(core, "<=", ends[0] + ends[1]), show(near, "<=", far)),
        ("<=", 2 * M**2 * far, *below_the_larger(*ends)),
    )
    return calc(square_bounded(square, change), ("==", sqrt(term(2)) * M * sqrt(far), M, far))
