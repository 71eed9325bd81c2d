"""The Jacobian of the output in the parameters, at every task of Boursier & Boyer: its mean square,
and that of what a finite prompt adds to it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from typing import NamedTuple

import sympy as sp

from numerics.derivations.derived import chain, exp, log
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import assume, gcongr, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, Range
from numerics.derivations.kernel.terms import Term, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import Statement, from_sympy, hypotheses, proved
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.softmax_average import form_of_the_paper
from proofs_check.derivations.softmax_average.form_of_the_paper import long_prompts
from proofs_check.derivations.softmax_average.query_average import (
    U,
    at_the_query,
    norm_of_the_score,
    norm_U,
    norm_V,
    operator_norm,
)
from proofs_check.derivations.softmax_average.softmax_average import d, m, sigma, sub_gaussian
from proofs_check.derivations.softmax_average.tilted import (
    QUERY,
    h,
    sub_gaussian_query,
    tilted_moment,
    weighted_moment,
)
from proofs_check.derivations.softmax_gradients import sizes
from proofs_check.derivations.softmax_gradients.averages import LAW, Average
from proofs_check.derivations.softmax_gradients.gradient_in_U import in_the_form, statement_in_the_form, whole
from proofs_check.derivations.transfer.risks.outcomes import mean as over_outcomes
from proofs_check.derivations.transfer.risks.rates import mean, rate, square, x
from proofs_check.derivations.transfer.risks.tasks.laws_of_tasks import at_every_task, of_the_task
from proofs_check.derivations.transfer.risks.tasks.outputs_at_tasks import (
    BALL,
    at_each_task,
    at_least,
    at_most,
    large,
    logarithm,
    small,
    with_constants,
)
from theory.bounds.query_average_constants import paper_constants_U, paper_constants_V

S_ = Variable("S_", range=Range(Fraction(1), lo_open=False))
A_, B_ = (Variable(name, range=NONNEGATIVE) for name in ("A_", "B_"))


def _constants(of: tuple[sp.Expr, sp.Expr], rows: Term) -> tuple[Term, Term]:
    first, second = (from_sympy(e, {_U: norm_U, _V2: rows, _d: d}) for e in of)
    return first, second


_U, _V2, _d = sp.symbols("U V2 d", positive=True)


class Gradient(NamedTuple):
    """A gradient of the output: what it is in, the bound of what a finite prompt adds to it, for
    one law, and its derivation, the powers of sigma^2 and of ln L in this bound, and its constants.
    """

    of: str
    shown: Statement
    derivation: Callable[[], Theorem]
    powers: tuple[int, int]
    constants: tuple[Term, Term]

    def given(self, c1: Variable, c2: Variable, times: int) -> tuple[Theorem, Theorem]:
        """The hypotheses that c_1/times and c_2 are its constants for the ball."""
        ours = f"our constant for the gradient in {self.of}"
        first = large(c1 / times, self.constants[0], f"{c1.name} is at least {times} times {ours}")
        return first, small(c2, self.constants[1], f"{c2.name} is at most {ours}")


@cache
def gradients(power: int = 8) -> tuple[Gradient, Gradient]:
    """Those in U, with this power of sigma, and in V."""
    in_U, in_V = statement_in_the_form(1, power), form_of_the_paper.gradient_statement()
    of_U = _constants(paper_constants_U(_U, sp.sqrt(_V2), _d), norm_V**2)
    of_V = _constants(paper_constants_V(_U, sp.sqrt(_V2), _d), m)
    return (
        Gradient("U", in_U, partial(in_the_form, whole, power), (power // 2, 2), of_U),
        Gradient("V", in_V, form_of_the_paper.gradient, (3, 1), of_V),
    )


def added_to_the_jacobian(square_dJ: Term) -> Theorem:
    """The hypothesis that E|dJ|^2 over the outcome is at most the mean over the tasks of what a
    finite prompt adds to both gradients.
    """
    in_U, in_V = (of_the_task(one.shown.lhs) for one in gradients())
    name = "dJ is what a finite prompt adds to the gradients in U and in V"
    return assume(name, over_outcomes(square_dJ), "<=", mean(in_U + in_V))


def given_of_gradients(c1: Variable, c2: Variable, times: int = 3, power: int = 8) -> frozenset[Assumption]:
    """What `both_gradients` assumes."""
    both = gradients(power)
    constants = (thm for one in both for thm in one.given(c1, c2, times))
    laws: frozenset[Assumption] = frozenset().union(*(one.shown.assumptions for one in both))
    return hypotheses(logarithm, *BALL, *constants) | at_every_task(laws)


def given_3_4(square_dJ: Term, c1: Variable, c2: Variable) -> frozenset[Assumption]:
    """What `proposition_3_4` assumes."""
    return given_of_gradients(c1, c2) | hypotheses(added_to_the_jacobian(square_dJ))


@cache
def both_gradients(c1: Variable, c2: Variable, times: int = 3, power: int = 8) -> Theorem:
    """That the mean squares of what a finite prompt adds to the gradients in U and in V are
    together at most 3 c_1/times sigma^power ln(L)^2 L^{-c_2/sigma^2} at every task and for all
    parameters in the ball.
    """

    def part(of: Gradient) -> Theorem:
        (a, b), (first, second) = of.constants, of.given(c1, c2, times)
        each = at_each_task(proved(of.shown, of.derivation()))
        constants = at_least(a, first), at_most(b, second)
        return with_constants(each, of.powers, of.constants, *constants)

    (long, one), (in_U, in_V), n = long_prompts(), map(part, gradients(power)), power // 2
    longer = chain(gcongr(log(term(2)), long), logarithm)
    above = chain(1, at_each_task(show(1, "<=", sigma**2, one)), square)
    core, decay = square**n * x**2 + square**3 * x, exp(-c2 * x / square)
    return calc(
        in_U.lhs + in_V.lhs,
        ("<=", c1 / times * rate(c2, n, 2) + c1 / times * rate(c2, 3, 1), in_U, in_V),
        ("==", c1 / times * decay * core),
        (
            "<=",
            3 * c1 / times * rate(c2, n, 2),
            show(core, "<=", 3 * square**n * x**2, longer, above, square),
        ),
    )


def proposition_3_4(square_dJ: Term, c1: Variable, c2: Variable) -> tuple[Theorem, Theorem]:
    """The bound of both gradients with c_1 sigma^8; and the hypothesis on the mean of |dJ|^2 over
    the outcome.
    """
    return both_gradients(c1, c2), added_to_the_jacobian(square_dJ)


#: The square of the Jacobian at a query, for an infinite prompt, in the norm of Frobenius.
jacobian = instantiated(sizes.in_U(LAW) + sizes.in_V(LAW), at_the_query)


@cache
def at_a_query() -> Theorem:
    """The square of the Jacobian is at most sigma^8 (16 |V|^2 (1 + h + |U|^2 |x|^2)^2 |x|^2 + 4 m
    (h + |U|^2 |x|^2)), by the tilted moments of |Z|^2 and |Z|^4, for sigma >= 1.
    """
    n, score, one = QUERY.square, norm_of_the_score(), long_prompts()[1]
    B = norm_U**2 * n
    larger = show((A_ + S_ * B_) ** 2, "<=", S_**2 * (A_ + B_) ** 2)
    linear = show(4 * S_ * (A_ + S_ * B_), "<=", 4 * S_**4 * (A_ + B_))
    fourth, square = (instantiate(tilted_moment(q), at_the_query) for q in (2, 1))
    at = lambda A: {S_: sigma**2, A_: A, B_: B}
    return calc(
        jacobian,
        ("<=", norm_V**2 * n * fourth.lhs + m * square.lhs, *at_the_query_of(LAW)),
        (
            "<=",
            norm_V**2 * n * (4 * sigma**2) ** 2 * (1 + h + sigma**2 * score.lhs) ** 2
            + m * (4 * sigma**2 * (h + sigma**2 * score.lhs)),
            fourth,
            square,
        ),
        (
            "<=",
            norm_V**2 * n * (4 * sigma**2) ** 2 * (1 + h + sigma**2 * B) ** 2
            + m * (4 * sigma**2 * (h + sigma**2 * B)),
            score,
        ),
        (
            "<=",
            norm_V**2 * n * (4 * sigma**2) ** 2 * ((sigma**2) ** 2 * (1 + h + B) ** 2)
            + m * (4 * (sigma**2) ** 4 * (h + B)),
            instantiate(larger, at(1 + h), one),
            instantiate(linear, at(h), one),
        ),
        ("==", sigma**8 * (16 * norm_V**2 * (1 + h + B) ** 2 * n + 4 * m * (h + B))),
    )


@cache
def at_the_query_of(average: Average) -> tuple[Theorem, Theorem]:
    """The sizes of both gradients at a query."""
    in_U, in_V = sizes.size_in_U(average), sizes.size_in_V(average)
    return instantiate(in_U, at_the_query), instantiate(in_V, at_the_query)


def _size(square: Term, fourth: Term, sixth: Term) -> Term:
    """The bound of E|J|^2/sigma^8 from the mean of |x|^2 and of its powers."""
    u, one = norm_U**2, 1 + h
    first = 16 * norm_V**2 * (one**2 * square + 2 * one * u * fourth + u**2 * sixth)
    return first + 4 * m * h + 4 * m * u * square


#: E|x|^{2q} <= (2 (d + q)/e^{1/2})^q for a 1-sub-Gaussian query.
moments_of_the_query = tuple((2 * (d + q) * exp(Fraction(-1, 2))) ** q for q in (1, 2, 3))


def constant_of_the_jacobian(c: Variable) -> Theorem:
    """The hypothesis that c is at least the bound of E|J|^2/sigma^8 for the ball."""
    return large(c, _size(*moments_of_the_query), f"{c.name} is at least the bound of E|J|^2/sigma^8")


def size_of_the_jacobian(square_J: Term) -> Theorem:
    """The hypothesis that the mean of |J|^2 over the outcome is at most the mean over the tasks of
    the squares of both gradients of the output.
    """
    size = mean(of_the_task(QUERY.mean(jacobian)))
    return assume(
        "J is the gradients in U and in V at a task and a query", over_outcomes(square_J), "<=", size
    )


def given_of_the_jacobian(square_J: Term, c: Variable) -> frozenset[Assumption]:
    """What `second_moment` assumes."""
    own = hypotheses(*BALL, constant_of_the_jacobian(c), size_of_the_jacobian(square_J))
    return own | at_every_task(
        hypotheses(
            sub_gaussian(),
            sub_gaussian_query(),
            operator_norm(U, norm_U, d),
            sizes.bound_of_V,
            long_prompts()[1],
        )
    )


@cache
def second_moment(square_J: Term, c: Variable) -> tuple[Theorem, Theorem]:
    """That E|J|^2 <= c sigma^8 at every task and for all parameters in the ball; and the hypothesis
    on its mean over the tasks.
    """
    means, total = [QUERY.mean(QUERY.square**q) for q in (1, 2, 3)], _size(*moments_of_the_query)
    bounds = (
        show(e, "<=", most, weighted_moment(q, QUERY, Fraction(0)))
        for q, (e, most) in enumerate(zip(means, moments_of_the_query, strict=True), start=1)
    )
    average = calc(
        QUERY.mean(jacobian),
        ("<=", sigma**8 * _size(*means), at_a_query()),
        ("<=", sigma**8 * total, *bounds),
    )
    each = calc(
        at_each_task(average),
        ("==", total * square**4),
        ("<=", c * square**4, at_least(total, constant_of_the_jacobian(c))),
    )
    return each, size_of_the_jacobian(square_J)
