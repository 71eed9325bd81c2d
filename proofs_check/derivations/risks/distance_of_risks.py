"""The risks of finite and infinite prompts: how far they are apart, for the squared loss and for a
smooth one (Lemma E.2 of Boursier & Boyer).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import cauchy_schwarz, chain, integrated, sqrt
from numerics.derivations.rules import arithmetic, assume, integrate, replace
from numerics.derivations.statements import Statement, from_sympy
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.risks.outcomes import (
    absolute,
    both_signs,
    hypotheses,
    inner,
    j,
    k,
    labels,
    m,
    mean,
    mean_of_a_product,
    outputs,
    size,
    square_bounded,
    variable,
    vector,
)
from proofs_check.derivations.risks.segment import flat, origin, tangent_statement
from theory.regression.transfer import risk_gap, risk_gap_smooth

#: For the squared loss the residual r = T - y of the infinite prompt, and D = T_L - T.
r, shift = variable("r")(k), variable("D")(k)
R, R_L, D2 = mean(r**2) / 2, mean((r + shift) ** 2) / 2, mean(shift**2)

#: For a smooth loss its values at T and at T_L, the output T, D = T_L - T, the label, and the slope
#: of the loss at T.
loss, loss_L = variable("loss", 1)(k), variable("lossL", 1)(k)
T, D, y, slope = (vector(name)(j, k) for name in ("T", "D", "y", "slope"))
square_T, square_D, square_y = outputs(T**2), outputs(D**2), labels(y**2)
smooth = assume("1-smooth loss, by its tangent", size(loss_L - loss - outputs(slope * D)), "<=", square_D / 2, every=(k,))
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


@cache
def squared() -> Theorem:
    """R_L - R = E rD + E D^2/2, and |E rD|^2 <= E r^2 E D^2."""
    product = square_bounded(cauchy_schwarz("mean", (k,), r, shift), mean(r * shift))
    bound = product.rhs + D2 / 2
    sides = [
        arithmetic(thm.lhs + sign * D2 / 2, "<=", bound, thm, hide=(D2, product.rhs))
        for sign, thm in zip((1, -1), both_signs(product), strict=True)
    ]
    return absolute(R_L - R, *sides)


def smooth_statement(c: int | Fraction = 1) -> Statement:
    """|R_L - R| <= c(sqrt((E|T|^2 + E|y|^2) E|D|^2) + E|D|^2/2), from the bound of `theory`."""
    names = sp.symbols("T2 y2 D2", positive=True)
    values = (mean(square_T), mean(square_y), mean(square_D))
    bound = from_sympy(risk_gap_smooth(*names), dict(zip(names, values, strict=True)))
    return Statement(size(mean(loss_L) - mean(loss)), "<=", Fraction(c) * bound, hypotheses(smooth, from_the_origin, flat))


@cache
def growth() -> Theorem:
    """|slope|^2 <= |T|^2 + |y|^2, as the slope at the output 0 and the label 0 is 0."""
    each = arithmetic(slope**2, "==", (slope - origin(j)) ** 2, flat)
    return chain(integrate("coordinates", (j,), each, (m,)), from_the_origin)


@cache
def with_a_smooth_loss() -> Theorem:
    """The loss changes by at most |slope||D| + |D|^2/2, where |slope|^2 <= |T|^2 + |y|^2."""
    near = inner(slope, D)
    near = chain(near, replace(near.rhs, growth()))
    product = mean_of_a_product(sqrt(square_T + square_y), sqrt(square_D))
    sides = []
    for sign, close, turned in zip((1, -1), both_signs(smooth), both_signs(near), strict=True):
        X = sign * (loss_L - loss)
        point = arithmetic(X, "<=", near.rhs + square_D / 2, close, turned, hide=(near.rhs,))
        average = integrated("mean", (k,), point, sign * (mean(loss_L) - mean(loss)), product.lhs + mean(square_D) / 2)
        sides.append(chain(average, replace(average.rhs, product)))
    return absolute(mean(loss_L) - mean(loss), *sides)


def smooth_statements(c: int | Fraction = 1) -> tuple[Statement, Statement]:
    """A smooth loss is within c/2 times the squared distance of its tangent, and the bound."""
    return tangent_statement(Fraction(c) / 2), smooth_statement(c)


def statements(factor: int | Fraction = 1) -> tuple[Statement, Statement, Statement]:
    """The bounds for the squared loss and for a smooth one; a factor multiplies them."""
    return squared_statement(factor), *smooth_statements(factor)
