"""All that a derivation of one's own needs, under one import: ``from numerics import prove``.

Tokens, functions and numbers are named; means, sums and expectations are taken over the variables
that are named; `show` and `calc` prove, and `formula` writes a theorem as it is read.
"""

from __future__ import annotations

from fractions import Fraction
from numbers import Rational
from typing import Any, Literal

from numerics.derivations.derived import exp, log, sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.flows import antitone, begin, continuation, derivative, every_number, until
from numerics.derivations.kernel.integrals import choose, integrate
from numerics.derivations.kernel.judgements import assume, discharge, instantiate
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, ProofError, Range, Sort
from numerics.derivations.kernel.steps import induction
from numerics.derivations.kernel.tasks import at_task
from numerics.derivations.kernel.terms import CLOCK, FIRST, START, Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.kernel.uniqueness import unique
from numerics.derivations.statements import Statement, hypotheses, proved
from numerics.derivations.tactics import calc, show
from numerics.derivations.typeset import relation
from numerics.terminal.mathematics import as_unicode

__all__ = [
    "FIRST",
    "START",
    "L",
    "ProofError",
    "Statement",
    "Theorem",
    "antitone",
    "assume",
    "at_task",
    "begin",
    "calc",
    "choose",
    "clock",
    "continuation",
    "derivative",
    "discharge",
    "every_number",
    "exp",
    "expectation",
    "formula",
    "function",
    "hypotheses",
    "indicator",
    "induction",
    "instantiate",
    "log",
    "mean",
    "number",
    "over_tasks",
    "path",
    "prompt",
    "proved",
    "sequence",
    "show",
    "sqrt",
    "step",
    "task",
    "time",
    "token",
    "total",
    "unique",
    "until",
]

_RANGES = {"real": REALS, "positive": POSITIVE, "nonnegative": NONNEGATIVE}


def token(name: str) -> Variable:
    """A token of any law, in any dimension."""
    return Variable(name, Sort.TOKEN)


def prompt(name: str) -> Variable:
    """A prompt of ``L`` independent tokens of one law."""
    return Variable(name, Sort.PROMPT)


def number(
    name: str, values: Literal["real", "positive", "nonnegative"] | tuple[Any, Any] = "real"
) -> Variable:
    """A real number, or one of a closed interval ``(low, high)`` with rational ends. A ProofError
    says that the values are neither.
    """
    if isinstance(values, str) and values in _RANGES:
        return Variable(name, range=_RANGES[values])
    ends = values if isinstance(values, tuple) and len(values) == 2 else ()
    if not ends or not all(isinstance(end, Rational) for end in ends):
        raise ProofError(
            f"{values!r} says nothing of the number {name}; give one of {', '.join(_RANGES)}, or a pair "
            "(low, high) of whole numbers or Fractions"
        )
    low, high = map(Fraction, ends)
    return Variable(name, range=Range(low, high, lo_open=False, hi_open=False))


def time(name: str) -> Variable:
    """A time of an interval ``[0, tau]``, whatever tau is."""
    return Variable(name, Sort.TIME)


def step(name: str) -> Variable:
    """A step, one of 0, 1, .., T, whatever T is."""
    return Variable(name, Sort.STEP)


def sequence(name: str) -> Function:
    """Any function of steps, with its values one step later ``after`` it."""
    return Function(name, (Sort.STEP,))


def task(name: str) -> Variable:
    """A task, which has a law of tokens of its own."""
    return Variable(name, Sort.TASK)


def function(name: str, moments: int | None = 4, *, of_tasks: bool = False) -> Function:
    """Any real function of a token, or of a task and a token, with so many moments under every law;
    None: with all exponential ones.
    """
    sorts = (Sort.TASK, Sort.TOKEN) if of_tasks else (Sort.TOKEN,)
    return Function(name, sorts, None if moments is None else Fraction(moments))


def path(name: str) -> Function:
    """Any function of time with a continuous derivative, its ``rate``."""
    return Function(name, (Sort.TIME,), Fraction(1))


def clock(t: Variable) -> Term:
    """A time as a number."""
    return CLOCK(t)


def mean(body: Any, k: Variable) -> Term:
    """The mean over the law of a token."""
    return bind("mean", (k,), term(body))


def total(body: Any, k: Variable, p: Variable) -> Term:
    """The sum over the tokens of a prompt."""
    return bind("sum", (k,), term(body), (p,))


def expectation(body: Any, p: Variable) -> Term:
    """The mean over prompts."""
    return bind("prompt", (p,), term(body))


def over_tasks(thm: Theorem, w: Variable) -> Theorem:
    """Both sides of a theorem averaged over tasks."""
    return integrate("task", (w,), thm)


def indicator(e: Any) -> Term:
    """1 where a term is nonnegative, and 0 elsewhere: its expectation is a probability."""
    return Op("ind", (term(e),))


def formula(thm: Theorem | Statement) -> str:
    """A theorem or a statement in one line."""
    return as_unicode(f"${relation(thm.lhs, thm.op, thm.rhs)}$")
