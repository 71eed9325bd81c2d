"""The risks of finite and infinite prompts: how far they are apart, for the squared loss and for a
smooth one (Lemma E.2 of Boursier & Boyer).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial

import sympy as sp

from numerics.derivations.derived import cauchy_schwarz, sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume, begin, instantiate
from numerics.derivations.kernel.terms import CLOCK, START, Term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.transfer.risks import segment
from proofs_check.derivations.transfer.risks.outcomes import (
    OUTCOME,
    Over,
    inner,
    j,
    k,
    labels,
    mean,
    mean_of_a_product,
    outputs,
    size,
    size_of_a_mean,
    size_of_a_sum,
    square_bounded,
    variable,
    vector,
)
from proofs_check.derivations.transfer.risks.segment import OUTCOMES, flat, origin
from theory.regression.transfer import risk_gap, risk_gap_smooth

#: For the squared loss the residual r = T - y of the infinite prompt, and D = T_L - T.
r, shift = variable("r")(k), variable("D")(k)
R, R_L, D2 = mean(r**2) / 2, mean((r + shift) ** 2) / 2, mean(shift**2)

#: For a smooth loss its values at T and at T_L, the output T, D = T_L - T, the label, and the slope
#: of the loss at T.
loss, loss_L = variable("loss", 1)(k), variable("lossL", 1)(k)
T, D, y, slope = (vector(name)(j, k) for name in ("T", "D", "y", "slope"))
square_T, square_D, square_y = outputs(T**2), outputs(D**2), labels(y**2)
smooth = assume(
    "Nesterov (2004), Lemma 1.2.3: a 1-smooth loss lies near its tangent",
    size(loss_L - loss - outputs(slope * D)),
    "<=",
    square_D / 2,
    every=(k,),
    cited=True,
)
from_the_origin = assume(
    "1-smooth loss, from the output 0 and the label 0",
    outputs((slope - origin(j)) ** 2),
    "<=",
    square_T + square_y,
    every=(k,),
)


def squared_statement(c: int | Fraction = 1) -> Statement:
    """|R_L - R| <= c(sqrt(2 R E D^2) + E D^2/2), from the bound of `theory`."""
    names = sp.symbols("R D2", positive=True)
    bound = from_sympy(risk_gap(*names), dict(zip(names, (R, D2), strict=True)))
    return Statement(size(R_L - R), "<=", Fraction(c) * bound)


def _smooth_bound(*squares: Term) -> Term:
    names = sp.symbols("T2 y2 D2", positive=True)
    return from_sympy(risk_gap_smooth(*names), dict(zip(names, squares, strict=True)))


def smooth_statement(c: int | Fraction = 1) -> Statement:
    """|R_L - R| <= c(sqrt((E|T|^2 + E|y|^2) E|D|^2) + E|D|^2/2), from the bound of `theory`."""
    bound = _smooth_bound(mean(square_T), mean(square_y), mean(square_D))
    given = hypotheses(smooth, from_the_origin, flat)
    return Statement(size(mean(loss_L) - mean(loss)), "<=", Fraction(c) * bound, given)


def statements(factor: int | Fraction = 1) -> tuple[Statement, Statement]:
    """The bounds for the squared loss and for a smooth one; a factor multiplies them."""
    return squared_statement(factor), segment_statement(factor)


@proves("OURS:E.risk", squared_statement)
@proves("BB:LE.2", statements, part=1)
@cache
def squared() -> Theorem:
    """R_L - R = E rD + E D^2/2, and |E rD|^2 <= E r^2 E D^2."""
    near = mean(r * shift)
    schwarz = square_bounded(cauchy_schwarz("mean", (k,), r, shift), near)
    return calc(
        size(R_L - R),
        ("<=", size(near) + size(D2 / 2), size_of_a_sum(near, D2 / 2)),
        ("<=", sqrt(mean(r**2) * D2) + D2 / 2, schwarz, show(size(D2 / 2), "<=", D2 / 2, D2)),
    )


def on_average(
    over: Over, losses: tuple[Term, Term], slope: Term, D: Term, close: Theorem, grown: Theorem
) -> Theorem:
    """The loss changes by at most |slope||D| + |D|^2/2 at every outcome, as `close` says, where
    |slope|^2 is at most what `grown` says; so do their means.
    """
    (after, before), along, square, E = losses, outputs(slope * D), outputs(D**2), partial(bind, *over)
    steep = sqrt(grown.rhs) * sqrt(square)
    near = calc(inner(slope, D), ("<=", steep, grown))
    point = calc(
        size(after - before),
        ("<=", size(after - before - along) + size(along), size_of_a_sum(after - before - along, along)),
        ("<=", square / 2 + steep, close, near),
    )
    return calc(
        size(E(after) - E(before)),
        ("<=", E(size(after - before)), size_of_a_mean(after - before, over)),
        ("<=", E(steep) + E(square) / 2, point),
        (
            "<=",
            sqrt(E(grown.rhs)) * sqrt(E(square)) + E(square) / 2,
            mean_of_a_product(sqrt(grown.rhs), sqrt(square), over),
        ),
    )


@cache
def growth() -> Theorem:
    """|slope|^2 <= |T|^2 + |y|^2, as the slope at the output 0 and the label 0 is 0."""
    turned = outputs((slope - origin(j)) ** 2)
    return calc(outputs(slope**2), ("==", turned, flat), ("<=", square_T + square_y, from_the_origin))


@cache
def with_a_smooth_loss() -> Theorem:
    """The mean of the bound at every outcome."""
    return on_average(OUTCOME, (loss_L, loss), slope, D, smooth, growth())


def segment_statement(c: int | Fraction = 1) -> Statement:
    """The same at the time t of segments from T to T_L, and so at their ends, where t = 1; the loss
    has a 1-Lipschitz gradient, and D is t(T_L - T).
    """
    bound = _smooth_bound(*(bind(*OUTCOMES, e) for e in (segment.B, segment.Y, outputs(segment.way**2))))
    before, after = (bind(*OUTCOMES, segment.loss(at)) for at in (START, segment.t))
    given = (segment.chain_rule, segment.smooth, segment.from_the_origin, flat)
    return Statement(size(after - before), "<=", Fraction(c) * bound, hypotheses(*given))


@proves("OURS:E.risk/smooth", segment_statement)
@proves("BB:LE.2", statements, part=2)
@cache
def along_segments() -> Theorem:
    """The loss is within |D|^2/2 of its tangent at every outcome."""
    B, S, Y, mixed, zero = segment.B, segment.S, segment.Y, outputs(segment.b * segment.step), CLOCK(START)
    first = calc(
        instantiate(segment.growth(), {segment.t: START}),
        ("==", B + 2 * zero * mixed + zero**2 * S + Y),
        ("==", B + Y, begin(), B, S, Y, mixed),
    )
    losses = segment.loss(segment.t), segment.loss(START)
    return on_average(OUTCOMES, losses, segment.slope(START), segment.way, segment.tangent(), first)
