"""The rule that speaks of steps: induction for sequences.

A theorem with a variable of the sort STEP holds for all of the steps 0, 1, .., T, whatever T is:
its hypotheses and its conclusion are meant on the same steps. So it may be read on fewer of them.
"""

from __future__ import annotations

from numerics.derivations.kernel.binding import bind, instantiated, opened
from numerics.derivations.kernel.sorts import ProofError, Sort
from numerics.derivations.kernel.terms import (
    FIRST,
    Apply,
    Bind,
    Defined,
    Given,
    Op,
    Term,
    Variable,
    text,
)
from numerics.derivations.kernel.theorems import ENOUGH, Assumption, Theorem, _prove, check_arbitrary

__all__ = ["induction", "later"]


def later(e: Term, t: Variable) -> Term:
    """The term one step later than t: each sequence at t is that `after` it."""
    if t not in e.free:
        return e
    if isinstance(e, Apply):
        return e.function.after(*e.args)
    if isinstance(e, Op):
        return Op(e.head, tuple(later(a, t) for a in e.args))
    if isinstance(e, Bind):
        names, body = opened(e)
        return bind(e.kind, names, later(body, t), e.heads)
    if isinstance(e, Given):
        return Given(e.task, later(e.body, t))
    if isinstance(e, Defined):
        return later(e.body, t)
    raise ProofError(f"{text(e)} has no value one step later than {t}")


def induction(hypothesis: Assumption, t: Variable, base: Theorem, step: Theorem) -> Theorem:
    """``P(t)`` at every step, from P at the first one, and from "P at every step" to P one step
    later.

    Let the hypotheses that are kept hold at the steps 0, .., T, and so at any first few of them; P
    holds at them, too, by induction on T. It holds at 0, by `base`, which does not assume it. If it
    holds at 0, .., T, and what else `step` assumes holds at 0, .., T + 1, then `step`, read on 0,
    .., T, says that P holds one step later than each of these. As t is the only step of which P
    speaks beside the first, P holds at 0, .., T + 1. It holds for all values of whatever else it
    is said for all of, which no other hypothesis fixes.

    Parameters
    ----------
    hypothesis : Assumption
        P(t) for every t, of which what is shown is freed.
    t : Variable
        A step, the only one in P but for the first.
    base : Theorem
        P at the first step, without the hypothesis.
    step : Theorem
        P one step later than t, under the hypothesis.

    Raises
    ------
    ProofError
        If the premises say something else, the base assumes the hypothesis, or P speaks of two
        steps.

    Examples
    --------
    >>> from numerics.derivations.kernel.rules import arithmetic, assume, induction
    >>> from numerics.derivations.kernel.sorts import Sort
    >>> from numerics.derivations.kernel.terms import FIRST, Function, Variable
    >>> t, u = Variable("t", Sort.STEP), Function("u", (Sort.STEP,))
    >>> doubled = assume("u doubles", u.after(t), "==", 2 * u(t), every=(t,))
    >>> start = assume("u starts at 1", u(FIRST), "==", 1)
    >>> so_far = assume("u is at least 1", 1, "<=", u(t), every=(t,))
    >>> (hypothesis,) = so_far.assumptions
    >>> step = arithmetic(1, "<=", u.after(t), doubled, so_far)
    >>> print(induction(hypothesis, t, arithmetic(1, "<=", u(FIRST), start), step))
    u doubles, u starts at 1 |- 1 <= u(t)
    """
    if type(hypothesis) is not Assumption or type(t) is not Variable or t.sort is not Sort.STEP:
        raise ProofError(f"{hypothesis} is no hypothesis, or {t} no step")
    P = (hypothesis.lhs, hypothesis.rhs)
    steps = {v for e in P for v in (*e.free, *hypothesis.every) if getattr(v, "sort", None) is Sort.STEP}
    if steps - {t, FIRST}:
        raise ProofError(f"{hypothesis} speaks of another step than {t} and the first")
    for said, sides in (
        (base, [instantiated(e, {t: FIRST}) for e in P]),
        (step, [later(e, t) for e in P]),
    ):
        if [said.lhs, said.rhs] != sides or said.op not in ENOUGH[hypothesis.op]:
            raise ProofError(f"{said} is not {text(sides[0])} {hypothesis.op} {text(sides[1])}")
        check_arbitrary(said, hypothesis.every)
    if hypothesis in base.assumptions:
        raise ProofError(f"the base assumes {hypothesis.name}, which is to be shown")
    kept = tuple(step.assumptions - {hypothesis})
    return _prove(P[0], hypothesis.op, P[1], "induction", (base,), own=kept, inner=(step,))
