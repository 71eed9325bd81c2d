"""No predictor beats the noise of the query's own label, which is independent of all that the
predictor sees.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume
from numerics.derivations.kernel.sorts import NONNEGATIVE, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc
from proofs_check.derivations.proof import proves

#: What a predictor sees, with the task; and what the noise of the query's label depends on.
seen, rest = Variable("o", Sort.TOKEN), Variable("k", Sort.TOKEN)
#: The error w.x less the prediction, and the noise.
error, noise = (Function(name, (Sort.TOKEN,), Fraction(2)) for name in ("r", "eta"))
tau2 = Variable("tau2", range=NONNEGATIVE)

mean = lambda e, of: bind("mean", (of,), e)
centred = assume("the noise is centred", mean(noise(rest), rest), "==", 0)
variance = assume("the noise has the variance tau2", mean(noise(rest) ** 2, rest), "==", tau2)


def risk() -> Term:
    """Half the mean squared error at the noisy label, w.x + eta."""
    return mean(mean((error(seen) + noise(rest)) ** 2, rest), seen) / 2


def statement(share: int | Fraction = 1) -> Statement:
    """share tau^2/2 is at most the risk of any predictor."""
    return Statement(Fraction(share) * tau2 / 2, "<=", risk(), hypotheses(centred, variance))


@proves("OURS:T5.2/bayes", statement)
@cache
def theorem() -> Theorem:
    """The risk is half of E r^2 + 2 E r E eta + tau^2."""
    own, squares = mean(error(seen), seen), mean(error(seen) ** 2, seen)
    return calc(
        tau2 / 2,
        ("<=", (squares + tau2) / 2, squares),
        ("==", (squares + 2 * own * centred.lhs + variance.lhs) / 2, centred, variance, own, squares),
        ("==", risk()),
    )
