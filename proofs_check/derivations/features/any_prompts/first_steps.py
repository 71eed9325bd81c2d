"""Phase I of Li, Duan & Liang: what is known of its tasks, of the probabilities of classes, and of
the number of its steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from numerics.derivations.kernel.rules import assume
from numerics.derivations.kernel.sorts import POSITIVE, Sort
from numerics.derivations.kernel.terms import FIRST, Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from proofs_check.derivations.features.any_prompts.descent import (
    descent,
    from_zero,
    q,
    t,
)
from proofs_check.derivations.features.any_prompts.setting import (
    B,
    close,
    of_tasks,
    orthonormal,
)
from proofs_check.derivations.features.equiangular.phases import others
from proofs_check.derivations.features.equiangular.setting import (
    K,
    eta,
    exchangeable,
    k,
    m,
    spread,
    task,
)
from proofs_check.derivations.features.gradient import (
    b,
    l,
    member,
    one_class,
    p,
    pi,
    prompts,
)
from proofs_check.derivations.features.updates import modulus

P = Variable("P", range=POSITIVE)
number = Function("steps", (Sort.STEP,))
#: What the number of a step is, and how many there are.
counted = assume("a step more", number.after(t), "==", number(t) + 1, every=(t,))
uncounted = assume("no step before the first", number(FIRST), "==", 0)
rare = (
    assume("the query is v_k with probability at most P/K", p(k), "<=", P / K, every=(k,)),
    assume(
        "a token is v_m with probability at most P/K",
        prompts(pi(b) * member(b, l, m)),
        "<=",
        P / K,
        every=(l, m),
    ),
)


@dataclass(frozen=True, eq=False)
class Phase:
    """The first phase of training, for tasks of which something is known, and as long as is said.

    `size` bounds the square of an error in the mean over the tasks, and `own` times it that of the
    query's own class. The number of steps is at most `limit` K^2/(eta P^2 size), and e^tau at most
    `lift` until then, where tau is what no score of another class exceeds.
    """

    tasks: Theorem
    size: Term
    own: int
    limit: Fraction
    lift: Fraction
    steps: str

    @cached_property
    def unit(self) -> Term:
        return P**2 * self.size / K**2

    @cached_property
    def most(self) -> Term:
        """The bound of an update."""
        return Fraction(3, 2) * self.unit

    @cached_property
    def far(self) -> Term:
        """The bound of a score so far, tau."""
        return eta * self.most * number(t)

    @cached_property
    def early(self) -> Theorem:
        least = self.limit.denominator * eta * P**2 * self.size * number(t)
        return assume(self.steps, least, "<=", self.limit.numerator * K**2, every=(t,))

    @cached_property
    def so_far(self) -> Theorem:
        return assume("scores so far", others * modulus(q), "<=", others * self.far, every=(m, k, t))

    @cached_property
    def setting(self) -> tuple[Theorem, ...]:
        known = (one_class, orthonormal, self.tasks, descent, from_zero, counted, uncounted)
        return (*known, self.early, *rare)


#: Tasks whose values differ by at most B, and exchangeable ones, by the spread of their values.
BOUNDED = Phase(
    close(of_tasks, task), B**2, 1, Fraction(2, 15), Fraction(5, 4), "at most 2 K^2/(15 eta P^2 B^2) steps"
)
EXCHANGEABLE = Phase(
    exchangeable, spread, 2, Fraction(1, 8), Fraction(121, 100), "at most K^2/(8 eta P^2 sigma_f^2) steps"
)
