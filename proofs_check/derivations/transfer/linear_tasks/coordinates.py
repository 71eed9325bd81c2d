"""The gradient flow of R in the coordinates kappa theta is that of kappa^2 R(theta/kappa), in which
Theorem 5.2 of Boursier & Boyer is derived.
"""

from __future__ import annotations

from fractions import Fraction

from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import assume
from numerics.derivations.kernel.sorts import POSITIVE, Sort
from numerics.derivations.kernel.terms import Function, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.transfer.flows.two_flows import t
from proofs_check.derivations.transfer.risks.outcomes import i, parameters

kappa = Variable("kappa", range=POSITIVE)
theta, g = Function("theta", (Sort.INDEX, Sort.TIME), Fraction(1)), Function("g", (Sort.INDEX, Sort.TIME))
risk = Function("R", (Sort.TIME,), Fraction(1))
flow = assume("the flow of theta", theta.rate(i, t), "==", -g(i, t), every=(i, t))
chain_rule = assume(
    "chain rule along it",
    risk.rate(t),
    "==",
    parameters(g(i, t) * theta.rate(i, t)),
    every=(t,),
    cited=True,
)


def statements(power: int = 2, factor: int = 1) -> tuple[Statement, Statement]:
    """kappa theta moves with -factor kappa g for the gradient g, and kappa^power R changes at the
    rate of kappa g times this.
    """
    speed = derivative(kappa * theta(i, t), t)
    return (
        Statement(speed, "==", -(factor * kappa * g(i, t)), flow.assumptions),
        Statement(
            derivative(kappa**power * risk(t), t),
            "==",
            parameters(kappa * g(i, t) * speed),
            chain_rule.assumptions,
        ),
    )


@proves("BB:T5.2/coordinates", statements, part=(1, 2))
def theorems() -> tuple[Theorem, Theorem]:
    first, second = statements()
    return show(first.lhs, "==", first.rhs, flow), show(second.lhs, "==", second.rhs, chain_rule)
