"""The gradients of the risks of finite and infinite prompts: how far they are apart, for the
squared loss and for a smooth one (Lemma E.4 of Boursier & Boyer).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import sqrt
from numerics.derivations.kernel.rules import assume, equal, instantiate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Function, Term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.transfer.risks.distance_of_risks import (
    D2,
    R,
    from_the_origin,
    growth,
    r,
    shift,
    square_D,
    square_T,
    square_y,
)
from proofs_check.derivations.transfer.risks.mean_of_a_vector import norm, norm_of_a_mean, triangle
from proofs_check.derivations.transfer.risks.outcomes import (
    i,
    j,
    k,
    mean,
    outputs,
    parameters,
    variable,
    vector,
)
from proofs_check.derivations.transfer.risks.segment import flat
from theory.regression.transfer import gradient_gap

#: The gradients of the two risks.
grad_L, grad = (Function(name, (Sort.INDEX,))(i) for name in ("gradL", "grad"))
UNDER = "the gradient of a mean is the mean of the gradients, for %s prompts"

#: The gradient J of the output for the squared loss, and what a finite prompt adds to it.
J, dJ = vector("J")(i, k), vector("dJ")(i, k)
under_the_mean = (
    assume(UNDER % "finite", grad_L, "==", mean((J + dJ) * (r + shift)), every=(i,)),
    assume(UNDER % "infinite", grad, "==", mean(J * r), every=(i,)),
)


def gap(risk: Term, *squares: Term) -> Term:
    """The bound of `theory`, from the risk and E D^2, E J^2 and E dJ^2."""
    names = sp.symbols("R D2 J2 dJ2", positive=True)
    return from_sympy(gradient_gap(*names), dict(zip(names, (risk, *squares), strict=True)))


def squared_statement(c: int | Fraction = 1) -> Statement:
    """|grad R_L - grad R| <= c((sqrt(2 R) + sqrt(E D^2)) sqrt(E|dJ|^2) + sqrt(E|J|^2 E D^2))."""
    bound = gap(R, D2, mean(parameters(J**2)), mean(parameters(dJ**2)))
    return Statement(norm(grad_L - grad), "<=", Fraction(c) * bound, hypotheses(*under_the_mean))


def split_statement(factor: int | Fraction = 1) -> Statement:
    """(J + dJ)(r + D) - J r = dJ r + J D + factor dJ D, on average."""
    right = mean(dJ * r) + mean(J * shift) + Fraction(factor) * mean(dJ * shift)
    return Statement(grad_L - grad, "==", right, hypotheses(*under_the_mean))


def statements(factor: int | Fraction = 1) -> tuple[Statement, Statement]:
    """The bounds for the squared loss and for a smooth one; a factor multiplies them."""
    return squared_statement(factor), smooth_statement(factor)


@proves("OURS:E.gradient/split", split_statement)
@cache
def split() -> Theorem:
    return show(grad_L - grad, "==", split_statement().rhs, *under_the_mean)


@proves("OURS:E.gradient", squared_statement)
@proves("BB:LE.4", statements, part=1)
@cache
def squared() -> Theorem:
    """The Cauchy-Schwarz inequality for each of the three terms of the split."""
    product = lambda X, h: equal(parameters((X * h) ** 2), parameters(X**2) * h**2)
    parts = (
        (mean(X * h), norm_of_a_mean(X * h, parameters(X**2), h**2, product(X, h)))
        for X, h in ((dJ, r), (J, shift), (dJ, shift))
    )
    return in_norm(split(), triangle(*parts))


def in_norm(difference: Theorem, bound: Theorem) -> Theorem:
    """From u = w for vectors of parameters and |w| <= b to |u| <= b."""
    u, w = difference.lhs, difference.rhs
    return calc(norm(u), ("<=", norm(w), difference), ("<=", bound.rhs, bound))


# For a smooth loss: the Jacobian J of the output with its operator norm, what a finite prompt adds
# to it, and the slopes of the loss at T and at T_L.
Jacobian, change = (Function(name, (Sort.INDEX, Sort.INDEX, Sort.TOKEN), Fraction(2)) for name in ("J", "dJ"))
norm_J, norm_dJ = variable("normJ")(k), variable("normdJ")(k)
slope, slope_L = vector("slope")(j, k), vector("slopeL")(j, k)
direction = Function("b", (Sort.INDEX,))
turned = slope_L - slope
smooth_under_the_mean = tuple(
    assume(UNDER % kind, gradient, "==", mean(outputs(product)), every=(i,))
    for kind, gradient, product in (
        ("finite", grad_L, (Jacobian(i, j, k) + change(i, j, k)) * slope_L),
        ("infinite", grad, Jacobian(i, j, k) * slope),
    )
)
smooth = assume("1-smooth loss", outputs(turned**2), "<=", square_D, every=(k,))


def operator_norm(A: Function, size: Term) -> Theorem:
    """|A b| <= |A||b| for every vector b, at every outcome."""
    image = parameters(outputs(A(i, j, k) * direction(j)) ** 2)
    bound = size**2 * outputs(direction(j) ** 2)
    return assume(f"|{A.name}| is its operator norm", image, "<=", bound, every=(k, direction))


norms = {Jacobian: operator_norm(Jacobian, norm_J), change: operator_norm(change, norm_dJ)}


def _product(A: Function, size: Term, h: Term, *bound: Theorem) -> tuple[Term, Theorem]:
    """|E A h| <= sqrt(E|A|^2) sqrt(E|h|^2), and the latter by a bound of |h|^2."""
    X, square = outputs(A(i, j, k) * h), bound[0].rhs if bound else outputs(h**2)
    image = calc(instantiate(norms[A], {direction: ((j,), h)}), ("<=", size**2 * square, *bound))
    return mean(X), norm_of_a_mean(X, size**2, square, image)


def smooth_statement(c: int | Fraction = 1) -> Statement:
    """The same bound with E|T|^2 + E|y|^2 for 2 R."""
    risk = (mean(square_T) + mean(square_y)) / 2
    bound = gap(risk, mean(square_D), mean(norm_J**2), mean(norm_dJ**2))
    given = hypotheses(*smooth_under_the_mean, *norms.values(), smooth, from_the_origin, flat)
    return Statement(norm(grad_L - grad), "<=", Fraction(c) * bound, given)


@proves("OURS:E.gradient/smooth", smooth_statement)
@proves("BB:LE.4", statements, part=2)
@cache
def with_a_smooth_loss() -> Theorem:
    """The split with the slope g at T for r, and the difference of the slopes for D."""
    parts = (
        _product(change, norm_dJ, slope, growth()),
        _product(Jacobian, norm_J, turned, smooth),
        _product(change, norm_dJ, turned, smooth),
    )
    total = parts[0][0] + parts[1][0] + parts[2][0]
    return in_norm(show(grad_L - grad, "==", total, *smooth_under_the_mean), triangle(*parts))


def halves_statements(factor: int | Fraction = 1, share: int | Fraction = 1) -> tuple[Statement, Statement]:
    """The difference of the gradients is E dJ g_L + factor E J (g_L - g), and its norm is at most
    share (sqrt(E|dJ|^2 E|g_L|^2) + sqrt(E|J|^2 E|D|^2)).
    """
    first, second = mean(outputs(change(i, j, k) * slope_L)), mean(outputs(Jacobian(i, j, k) * turned))
    bound = sqrt(mean(norm_dJ**2)) * sqrt(mean(outputs(slope_L**2))) + sqrt(mean(norm_J**2)) * sqrt(
        mean(square_D)
    )
    given = hypotheses(*smooth_under_the_mean)
    return (
        Statement(grad_L - grad, "==", first + Fraction(factor) * second, given),
        Statement(
            norm(grad_L - grad), "<=", Fraction(share) * bound, given | hypotheses(*norms.values(), smooth)
        ),
    )


@proves("BB:LE.4.split", halves_statements, part=1)
@cache
def halves() -> Theorem:
    return show(grad_L - grad, "==", halves_statements()[0].rhs, *smooth_under_the_mean)


@proves("BB:LE.4.split", halves_statements, part=2)
@cache
def norm_of_the_halves() -> Theorem:
    """The Cauchy-Schwarz inequality for both halves, and the second one by smoothness."""
    return in_norm(
        halves(), triangle(_product(change, norm_dJ, slope_L), _product(Jacobian, norm_J, turned, smooth))
    )
