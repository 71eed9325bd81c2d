"""What is derived for all laws of tokens and queries, at every task of Boursier & Boyer:
Proposition 3.1, the second moment of the output of Lemma D.1, and that of a token.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, at_task, gcongr
from numerics.derivations.kernel.sorts import POSITIVE
from numerics.derivations.kernel.terms import Term, Variable
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import hypotheses, proved
from numerics.derivations.tactics import calc
from proofs_check.derivations.softmax_average import form_of_the_paper, tilted_mean
from proofs_check.derivations.softmax_average.query_average import norm_U, norm_V
from proofs_check.derivations.softmax_average.softmax_average import d, sigma, sub_gaussian
from proofs_check.derivations.softmax_average.softmax_average import mean as over_a_token
from proofs_check.derivations.softmax_average.tilted import QUERY, TOKEN, weighted_moment
from proofs_check.derivations.softmax_average.tilted_mean import size_at_a_query
from proofs_check.derivations.transfer.risks.outcomes import mean as over_outcomes
from proofs_check.derivations.transfer.risks.rates import mean, rate, square, task, x
from proofs_check.derivations.transfer.risks.tasks.gaussian_output import second_of_the_query
from proofs_check.derivations.transfer.risks.tasks.laws_of_tasks import (
    OF_THE_TASK,
    at_every_task,
    of_the_task,
)

#: What ln L stands for.
logarithm = assume("lnL is the logarithm of the number of tokens", log(L), "==", x)
#: The radius of the ball, and that U and V are in it.
rho = Variable("rho", range=POSITIVE)
BALL = tuple(assume(f"{v.name} is at most 2 rho, on the ball", v, "<=", 2 * rho) for v in (norm_U, norm_V))


def on_the_ball(e: Term) -> Term:
    """What depends on |U| and |V|, at 2 rho for both."""
    return instantiated(e, {norm_U: 2 * rho, norm_V: 2 * rho})


def large(c: Term, constant: Term, of: str) -> Theorem:
    """The hypothesis that c is at least the value at 2 rho of what rises with |U| and |V|."""
    return assume(f"{of} for |U| = |V| = 2 rho", on_the_ball(constant), "<=", c)


def small(c: Term, constant: Term, of: str) -> Theorem:
    """The hypothesis that c is at most the value at 2 rho of what falls with |U| and |V|."""
    return assume(f"{of} for |U| = |V| = 2 rho", c, "<=", on_the_ball(constant))


def at_least(constant: Term, large: Theorem) -> Theorem:
    """What rises with |U| and |V| is at most c on the ball."""
    return chain(gcongr(constant, *BALL), large)


def at_most(constant: Term, small: Theorem) -> Theorem:
    """What falls with |U| and |V| is at least c on the ball."""
    return chain(small, gcongr(on_the_ball(constant), *BALL), constant)


def at_each_task(thm: Theorem) -> Theorem:
    """The theorem for the tokens, the query and sigma_mu of a task."""
    return at_task(thm, task, OF_THE_TASK)


def with_constants(
    each: Theorem, powers: tuple[int, int], given: tuple[Term, Term], first: Theorem, second: Theorem
) -> Theorem:
    """From E <= a sigma^{2p} ln(L)^q L^{-b/sigma^2} at a task to the same with c_1 and c_2, from a
    <= c_1 and c_2 <= b.
    """
    (a, b), (p, q), c1, c2 = given, powers, first.rhs, second.lhs
    decay = arithmetic(L ** (-b / square), "==", exp(-(b * log(L) / square)), hide=(b, square))
    bound = a * square**p * log(L) ** q * decay.rhs
    return calc(
        each,
        ("==", a * square**p * log(L) ** q * decay.lhs),
        ("<=", bound, decay),
        ("<=", c1 * rate(c2, p, q), gcongr(bound, first, second, logarithm)),
    )


def constants_3_1(c1: Variable, c2: Variable) -> tuple[Theorem, Theorem]:
    """The hypotheses that c_1 and c_2 are those of Proposition 3.1 for the ball."""
    a, b = form_of_the_paper.output_constants()
    first = large(c1, a, f"{c1.name} is at least the constant of Proposition 3.1")
    return first, small(c2, b, f"{c2.name} is at most the constant of Proposition 3.1")


def error_of_the_output(square_D: Term) -> Theorem:
    """The hypothesis that E|D|^2 over the outcome is the mean of E|T_L - T|^2 over the tasks."""
    error = of_the_task(form_of_the_paper.output_statement().lhs)
    return assume("D is T_L - T at a task, a query and a prompt", over_outcomes(square_D), "==", mean(error))


def given_3_1(square_D: Term, c1: Variable, c2: Variable) -> frozenset[Assumption]:
    """What `proposition_3_1` assumes."""
    own = hypotheses(logarithm, *BALL, *constants_3_1(c1, c2), error_of_the_output(square_D))
    return own | at_every_task(form_of_the_paper.output_statement().assumptions)


@cache
def proposition_3_1(square_D: Term, c1: Variable, c2: Variable) -> tuple[Theorem, Theorem]:
    """That E|T_L - T|^2 <= c_1 sigma^6 ln(L) L^{-c_2/sigma^2} at every task and for all parameters
    in the ball; and the hypothesis on its mean over the tasks.
    """
    each = at_each_task(proved(form_of_the_paper.output_statement(), form_of_the_paper.output()))
    (a, b), (first, second) = form_of_the_paper.output_constants(), constants_3_1(c1, c2)
    bound = with_constants(each, (3, 1), (a, b), at_least(a, first), at_most(b, second))
    return bound, error_of_the_output(square_D)


def constant_d1(c: Variable) -> Theorem:
    """The hypothesis that c is at least the constant of `lemma_d1` for the ball."""
    return large(c, 16 * d * norm_V**2 * norm_U**2, f"{c.name} is at least 16 d|V|^2|U|^2")


def size_of_the_output(square_T: Term) -> Theorem:
    """The hypothesis that E|T|^2 over the outcome is its mean over the tasks."""
    size = of_the_task(QUERY.mean(size_at_a_query))
    return assume("T is the output at a task and a query", over_outcomes(square_T), "==", mean(size))


def given_d1(square_T: Term, c: Variable) -> frozenset[Assumption]:
    """What `lemma_d1` assumes."""
    own = hypotheses(*BALL, constant_d1(c), size_of_the_output(square_T))
    return own | at_every_task(tilted_mean.output_statement().assumptions)


@cache
def lemma_d1(square_T: Term, c: Variable) -> tuple[Theorem, Theorem]:
    """That E|T|^2 <= c sigma^4 at every task and for all parameters in the ball, from Lemma D.1 at
    a query and E|x|^2 <= 4 d; and the hypothesis on its mean over the tasks.
    """
    factor, constant = 4 * sigma**4 * norm_V**2 * norm_U**2, 16 * d * norm_V**2 * norm_U**2
    average = calc(
        QUERY.mean(size_at_a_query),
        ("<=", factor * QUERY.mean(QUERY.square), tilted_mean.output_at_a_query()),
        ("<=", factor * (4 * d), second_of_the_query()),
    )
    each = calc(
        at_each_task(average),
        ("==", constant * square**2),
        ("<=", c * square**2, at_least(constant, constant_d1(c))),
    )
    return each, size_of_the_output(square_T)


def label_in_a_token(square_y: Term) -> Theorem:
    """The hypothesis that E|y|^2 over the outcome is at most the mean of E|Z|^2 over the tasks."""
    size = of_the_task(over_a_token(TOKEN.square))
    return assume("the label is a part of a token", over_outcomes(square_y), "<=", mean(size))


def constant_of_a_token(c: Variable) -> Theorem:
    """The hypothesis that c is at least 4 d."""
    return assume(f"{c.name} is at least 4 d", 4 * d, "<=", c)


def given_of_a_token(square_y: Term, c: Variable) -> frozenset[Assumption]:
    """What `second_moment_of_a_token` assumes."""
    own = hypotheses(constant_of_a_token(c), label_in_a_token(square_y))
    return own | at_every_task(hypotheses(sub_gaussian()))


@cache
def second_moment_of_a_token(square_y: Term, c: Variable) -> tuple[Theorem, Theorem]:
    """That E|Z|^2 <= c sigma^2 at every task, and the hypothesis that its mean over the tasks is at
    least that of |y|^2 over the outcome, as the label is a part of a token.
    """
    plain = weighted_moment(1, TOKEN, Fraction(0))
    size = calc(
        over_a_token(TOKEN.square),
        ("==", sigma**2 * plain.lhs),
        ("<=", sigma**2 * plain.rhs, plain),
        ("<=", 4 * d * sigma**2),
    )
    each = calc(at_each_task(size), ("==", 4 * d * square), ("<=", c * square, constant_of_a_token(c)))
    return each, label_in_a_token(square_y)
