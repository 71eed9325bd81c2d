"""R12: features that one orthogonal group carries into each other are trained along the identity,
which makes the whole training one number; and the time to one half lies between two bounds.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy import E, Rational, exp, oo

from numerics.evidence import Evidence, all_of, confirmed
from numerics.provers import Closed, computed, forall, identity
from numerics.regression.features.descent import attention_descent
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.compared import Compared, agree
from proofs_check.instances.features.problems import descended, exchangeable, hexagon, margin_of, roots_of_E8
from theory.regression.features.data import FeatureRegression
from theory.regression.features.orbits import cube, lattice, polygon, simplex

a, s, mu, r, R, Delta, eta, sigma = sp.symbols("a s mu r R Delta eta sigma", positive=True)
lam = sp.Symbol("lambda", real=True)


def corners(d: int) -> NDArray[np.float64]:
    """The corners of the cube, as columns."""
    return np.array(np.meshgrid(*[[1.0, -1.0]] * d, indexing="ij")).reshape(d, -1)


def _apart(Q: NDArray[np.float64], scale: float) -> float:
    """1 plus the relative distance of Q from a multiple of the identity."""
    identity_of = scale * np.eye(len(Q))
    return 1 + float(np.linalg.norm(Q - identity_of) / np.linalg.norm(identity_of))


def _apart_after(problem: FeatureRegression, eta: float, steps: int, scale: float) -> float:
    return _apart(descended(problem, eta, steps), scale)


def along_the_identity() -> Evidence:
    """The distance of Q from lambda I after steps of descent, with lambda from the orbit."""
    cases = []
    for name, V, orbit, step, steps in (
        ("hexagon", hexagon(), polygon(6), 2.0, 200),
        ("cube in R^3", corners(3), cube(3), 0.5, 200),
        ("E8, norm 1", roots_of_E8(), lattice("E8"), 20.0, 40),
    ):
        problem, scalar = exchangeable(V), 0.0
        for _ in range(steps):
            scalar += step * float(orbit.slope(scalar))
        Q = attention_descent(problem, step, steps, records=[steps]).Q[0]
        again = partial(_apart_after, problem, step, steps, scalar)
        cases.append(Compared(f"{name}, {steps} steps", _apart(Q, scalar), 1.0, again))
    return agree("enumeration", cases, 1e-12, checked=r"1+|Q_t-\lambda_tI|/|\lambda_tI|=1", to=".15g")


def of_figures(trace: int, half: Fraction, stretch: int = 1) -> Evidence:
    r"""For the triangle, the square and every $\lambda$ the gradient at $Q=\lambda I$ is $\frac1r$
    times the derivative of the loss $\frac12(1-2w_k+|w|^2)$, times $I$, from the code of the
    gradient; `trace` stands for $r=2$, `half` for the $\frac12$, and `stretch` multiplies the first
    coordinate, so that the groups are no longer orthogonal.
    """
    root = sp.sqrt(3) / 2
    figures = {
        "triangle": sp.Matrix([[1, -Rational(1, 2), -Rational(1, 2)], [0, root, -root]]),
        "square": sp.Matrix([[1, 0, -1, 0], [0, 1, 0, -1]]),
    }
    parts = []
    for V in (sp.diag(stretch, 1) * figure for figure in figures.values()):
        K = V.shape[1]
        gradient = FeatureRegression(V, sp.eye(K)).gradient(lam * sp.eye(2))
        weights = [exp(lam * (V[:, m].T * V[:, 0])[0]) for m in range(K)]
        w = [weight / sp.Add(*weights) for weight in weights]
        loss = Rational(half) * (1 - 2 * w[0] + sp.Add(*(x**2 for x in w)))
        entries = [computed(rf"\nabla_{{{i // 2 + 1}{i % 2 + 1}}}", g) for i, g in enumerate(gradient)]
        parts.append(identity(entries, [sp.diff(loss, lam) / trace, 0, 0, sp.diff(loss, lam) / trace]))
    return all_of(*parts)


@claim(
    "OURS:R12.orbit",
    control=({"trace": 3}, {"half": Fraction(1, 3)}, {"stretch": 2}),
    needs=("OURS:R7.H", "OURS:R7.loss"),
    cites=("Schur's lemma",),
)
def training_along_the_identity(
    *, trace: int = 2, half: Fraction = Fraction(1, 2), stretch: int = 1
) -> Evidence:
    r"""It is derived for every number of classes, dimension and finite group of orthogonal matrices
    that permutes the features that $Q=\lambda I$, after every step of gradient descent and at every
    time of the flow: minus the gradient at $\lambda I$, from the definition of the loss, is not
    changed by the group, and so it is its trace $T$ over $r$, times $I$, by Schur's lemma, which is
    cited. So $\lambda$ moves by $\frac\eta rT$; the derivative of the loss along any $\lambda$ is
    $-T\dot\lambda$; and over one orbit the loss is $\frac12\sigma_f^2(1-2w_k+|w|^2)$ and $T$ is
    $\sigma_f^2(\mu(w_k-|w|^2)+\sum w_n^2h_n)$ at every query $k$, with $h_n=(v_k-v_n)\cdot v_k$ and
    $\mu=\sum w_nh_n$.

    Tried are the triangle and the square, from the code of the gradient, and steps of descent over
    a hexagon, a cube and the vectors of E8, which stay at $\lambda_tI$. Here `trace` stands for
    $r=2$, whose share of 2 multiplies $T$, `half` for the $\frac12$, and `stretch` multiplies the
    first coordinate of triangle and square, whose groups are then no longer orthogonal.
    """
    if stretch != 1:
        return of_figures(trace, half, stretch)
    steps, losses = of_figures(trace, Fraction(1, 2)), of_figures(2, half)
    if trace == 2:
        steps = confirmed(steps, along_the_identity())
    searches = (steps, steps, losses, losses, steps)
    return derivation("OURS:R12.orbit", *searches, share=Fraction(2, trace), half=Fraction(half))


@claim(
    "OURS:R12.margin",
    control=({"half": Fraction(1, 3)}, {"one": 2}, {"four": 3}),
    needs=("OURS:R7.loss", "OURS:R11", "OURS:R12.orbit", "OURS:R12.upper"),
    cites=("Schur's lemma",),
)
def the_margin_of_an_orbit(*, half: Fraction = Fraction(1, 2), one: int = 1, four: int = 4) -> Evidence:
    r"""It is derived for every group of OURS:R12.orbit that no matrix of norm 1 has a margin above
    $\Delta^2/(2\sqrt r)$, where two features are at the distance $\Delta$, as the mean over the
    group of the margins of $Q$ at their images is that of $\frac{{\rm tr}\,Q}rI$ by Schur's lemma;
    that $I/\sqrt r$, whose norm is `one` = 1, has this margin; and that the attention $a$ of the
    flow has $t(1-a)^3\leq4rK/(\eta\sigma_f^2\Delta^4)$, so that by R7.loss the loss becomes as
    small as R11 demands. At this margin the late loss $1/(4\eta\gamma^2t)$ of R11 is
    $r/(\eta\Delta^4t)$.

    Tried is that $(v_k-v_m)\cdot v_k=\frac12\Delta^2$ with $|v_k|=|v_m|$, and the time of the
    simplex where the odds of the others are $\sqrt{K-1}$; three margins are computed. Here `half`
    stands for both $\frac12$, and `four` for the 4.
    """
    n, inner, t = sp.symbols("n u t", real=True, positive=True)  # |v|^2 and v_k.v_m
    gamma = Rational(half) * Delta**2 / sp.sqrt(r)
    pair = identity(n - inner, Rational(half) * computed("|v_k-v_m|^2", n - 2 * inner + n))
    unit = identity(computed(r"|I/\sqrt r|^2", r * (1 / sp.sqrt(r)) ** 2), sp.Integer(one))
    late = late_on_the_simplex(four)
    found = derivation("OURS:R12.margin", pair, unit, pair, late, half=half, one=one, four=four)
    law = identity(computed(r"1/(4\eta\gamma^2t)", 1 / (4 * eta * gamma**2 * t)), r / (eta * Delta**4 * t))
    found = all_of(found, law)
    if (half, one, four) != (Fraction(1, 2), 1, 4):
        return found
    cases = [
        margin_of("hexagon", hexagon(), polygon(6).margin),
        margin_of("cube in R^3", corners(3), cube(3).margin),
        margin_of("simplex", np.eye(4) - 0.25, simplex(4, 2**0.5).margin),
    ]
    return confirmed(found, agree("enumeration", cases, 1e-9, checked=r"\gamma=\Delta^2/(2\sqrt r)"))


def _spent(S: sp.Expr, m: sp.Expr) -> sp.Expr:
    """The time of the simplex in units of r/(eta sigma^2 Delta^4), until the odds of the others
    have fallen from m = K - 1 to S.
    """
    at = lambda x: x + 3 * sp.log(x) - 3 / x - 1 / (2 * x**2)
    return 4 * m / (m + 1) * (at(m) - at(S))


def late_on_the_simplex(four: int) -> Evidence:
    """Compare t (1 - a)^3 with its bound, where the odds of the others are the root of m."""
    y = sp.Symbol("y", positive=True)
    return forall(_spent(y, y**2) * (y / (1 + y)) ** 3, "<=", four * (y**2 + 1), {y: Closed(1, oo)})


def simplex_times(thirty_two: int) -> Evidence:
    """Compare the time of the simplex to one half, in units of r/(eta sigma^2 Delta^4), with its
    bound.
    """
    S, m = sp.symbols("S m", positive=True)  # the odds of the others, from m = K - 1 down to 1
    grown = identity(-sp.Derivative(_spent(S, m), S), 4 * m / (m + 1) * (1 + 1 / S) ** 3)
    return all_of(grown, forall(_spent(sp.S.One, m), "<=", thirty_two * (m + 1), {m: Closed(1, oo)}))


@claim(
    "OURS:R12.upper",
    control=({"cube": 2}, {"four": 3}, {"thirty_two": 6}, {"quotient": 191}),
    needs=("OURS:R12.orbit", "OURS:R12.lower"),
    cites=("Schur's lemma",),
)
def the_upper_bound_for_one_orbit(
    *, cube: int = 3, four: int = 4, thirty_two: int = 32, quotient: int = 192
) -> Evidence:
    r"""It is derived from the gradient flow of $Q$, for every number of classes, dimension and
    group of OURS:R12.orbit and for every query, that its attention $a$ on its own class has $\dot
    a\geq\frac{\eta\sigma_f^2\Delta^4}{4r}a^2(1-a)^3$, and that every time at which $a\leq\frac12$
    is at most $32rK/(\eta\sigma_f^2\Delta^4)$: $\lambda\geq0$, as the loss does not rise, and
    $\frac{\eta\sigma_f^2\Delta^4}{4r}t(1-a)^3+\frac1a$ falls.

    Two distances are tried: with $\mu=\sum w_nh_n$ the loss falls at $\mu(a-a^2-\beta)+\sum
    w_n^2h_n$; and the time of the simplex, where all distances are $\Delta$ and $\dot a$ is $\frac
    K{K-1}$ times its bound, so that it is an integral in closed form: for $K=7$ it takes
    $6.54\,rK/(\eta\sigma_f^2\Delta^4)$. The quotient of the bounds is an identity. Here `four`,
    `cube`, `thirty_two` and `quotient` stand for these numbers and the 192.
    """
    h, g, m, n = sp.symbols(
        "h g m n", positive=True
    )  # half the squared distances, and how many features lie there
    K = sp.Symbol("K", positive=True)
    Z = 1 + m * exp(-lam * h) + n * exp(-lam * g)
    own, near, far = 1 / Z, exp(-lam * h) / Z, exp(-lam * g) / Z
    loss = (1 - 2 * own + own**2 + m * near**2 + n * far**2) / 2
    mean, others = m * near * h + n * far * g, m * near**2 + n * far**2
    falls = mean * (own - own**2 - others) + m * near**2 * h + n * far**2 * g
    with sp.evaluate(False):
        ratio = (32 * r * K / (eta * sigma**2 * Delta**4)) / (K / (6 * E * eta * sigma**2 * R**4))
    slope = all_of(identity(-sp.diff(loss, lam), falls), identity(sp.Derivative(own, lam), own * mean))
    left, right = a * mu * s * a * (1 - a) ** 2, Rational(4, four) * s**2 * a**2 * (1 - a) ** cube
    rises = forall(left, ">=", right, {a: (0, 1), s: (0, oo), mu: (0, oo)}, where=[(mu, ">=", s * (1 - a))])
    of_simplex = simplex_times(thirty_two)
    found = derivation(
        "OURS:R12.upper", all_of(slope, rises), of_simplex, cube=cube, four=four, thirty_two=thirty_two
    )
    return all_of(found, identity(ratio, quotient * E * r * R**4 / Delta**4))
