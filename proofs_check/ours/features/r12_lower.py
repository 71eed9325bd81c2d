"""R12: the time that training takes at least until a query attends to its own class, whatever the
features: derived for the gradient flow and for the steps of gradient descent.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.optimize import brentq
from sympy import Rational, oo

from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.counterexamples.drawn.computed import Computed, Entries, OneOf, Share
from numerics.evidence import Contradiction, Evidence, all_of
from numerics.provers import Closed, forall
from numerics.regression.features.flow import attention_flow
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.features.problems import descended, exchangeable
from proofs_check.instances.outcomes import supported
from theory.regression.features.data import FeatureRegression
from theory.regression.features.orbits import cube, lattice
from theory.regression.features.reduced import ReducedAttention

Train = Callable[[FeatureRegression, float], NDArray[np.float64]]
K = sp.Symbol("K", positive=True)


def _opposite(K: int) -> FeatureRegression:
    """One feature at 1 and all others at -1, with nearly all queries at the first."""
    rare = 1e-9
    often = [1 - (K - 1) * rare] + [rare] * (K - 1)
    return exchangeable([[1.0] + [-1.0] * (K - 1)], probabilities=often, masses=np.full((1, K), 1 / K))


def _time_of_opposites(K: int) -> float:
    """The time of the flow to one half there, where Q is one number, by quadrature."""
    own = lambda q: 1 / (1 + (K - 1) * np.exp(-2 * q))
    speed = lambda q: 2 * own(q) * (1 - own(q)) ** 2 * K / (K - 1)
    return float(quad(lambda q: 1 / speed(q), 0, np.log(K - 1) / 2, epsabs=0)[0])


@cache
def _times_of_opposites(K: int) -> tuple[float, float]:
    """That time, and the one that the flow itself takes, which controls have in common."""
    problem = _opposite(K)
    reached = lambda time: float(problem.attention(attention_flow(problem, [0.0, time]).Q[-1])[0, 0]) - 0.5
    time, again = _time_of_opposites(K), float(brentq(reached, 1.0, 1000.0, rtol=1e-9))
    if abs(time / again - 1) > 1e-6:
        raise Contradiction(
            f"the time of opposite features is {time} by quadrature and {again} along the flow"
        )
    return time, again


def _times_above(times: Rational) -> Evidence:
    """How far times to one half lie above the bound, at eta = sigma_f = 1."""
    bound = lambda K, norm=1.0: K / (float(times) * np.e * norm**4)
    K = 100
    time, again = _times_of_opposites(K)
    if time < bound(K):
        witness = {"features": "one at 1, 99 at -1", "time": time, "bound": bound(K)}
        return refuted_by_two_routes("quadrature", witness, bound(K) / time, 1.0, bound(K) / again)
    above = {
        "one feature at 1, 99 at -1": time / bound(K),
        "E8": lattice("E8").attention_time(0.5) / bound(240),
        "64 orthonormal features": ReducedAttention(64, 1.0).attention_time(0.5) / bound(64),
        "cube in R^10": cube(10).attention_time(0.5) / bound(1024, 10**0.5),
    }
    covered = "; ".join(f"{name}: {ratio:.4g} times the bound" for name, ratio in above.items())
    return supported("quadrature", covered, slack=min(above.values()))


def _attention_at_the_bound(six: int, times: Rational, half: Rational, train: Train) -> Computed:
    """Training on drawn features, all equally likely, leads to no attention of 1/2 at the displayed
    time.
    """

    def largest(K: int, v: NDArray[np.float64], scale: float) -> float:
        problem = exchangeable(scale * v[: 2 * K].reshape(2, K))
        norm = np.linalg.norm(problem.features, axis=0).max()
        if not norm:
            return float("nan")
        Q = train(problem, K / (float(times) * np.e * norm**4))
        return float(np.diag(problem.attention(Q)).max())

    return Computed(
        "features in the plane",
        {"K": OneOf((six, six + 1, 2 * six)), "v": Entries(4 * six, high=3.0), "scale": Share(0.1, 3.0)},
        lambda **at: (largest(**at), float(half)),
        largest,
        accuracy=1e-6,
        each=2,
    )


@claim(
    "OURS:R12.lower",
    control=({"times": Rational(1)}, {"six": 2}, {"half": Rational(1, 10)}),
    needs=("OURS:R7.H", "OURS:R7.loss", "OURS:R11.sign"),
)
def the_universal_lower_bound(
    *, six: int = 6, times: Rational = Rational(6), half: Rational = Rational(1, 2)
) -> Evidence:
    r"""Every time of the flow at which a query has at least the attention $\frac12$ on its own
    class is at least $K/(6e\eta\sigma_f^2R^4)$, for any features with $|v_k|\leq R$, any $p$,
    exchangeable tasks, balanced population prompts, $Q(0)=0$ and $K\geq{}$`six`. It is derived for
    every number of classes and dimension: while $|Q|\leq\frac1{2R^2}$ every attention is at most
    $\frac eK$, so that $|Q|$ grows at most at the speed $3e\eta\sigma_f^2R^2/K$. Here `half` and
    `times` stand for the $\frac12$ and the 6.

    Tried are the attention $\frac1K$ at the start, the exact times of four families, and drawn
    features in the plane, whose flow is integrated up to the displayed time.
    """
    at_first = forall(1 / K, "<", half, {K: Closed(six, oo)})
    search = all_of(at_first, _times_above(times))
    found = derivation("OURS:R12.lower", search, six=six, times=Fraction(times), half=Fraction(half))
    flow = lambda problem, time: attention_flow(problem, [0.0, time]).Q[-1]
    return found.replace(sides=(*found.sides, _attention_at_the_bound(six, times, half, flow)))


@cache
def _steps_of_opposites(K: int) -> tuple[int, int]:
    """The steps of the rate 1 to one half over opposite features: those of the one number that Q
    is, and those of the descent itself.
    """
    own = lambda q: 1 / (1 + (K - 1) * np.exp(-2 * q))
    q, steps, problem = 0.0, 0, _opposite(K)
    while own(q) < 0.5:
        q, steps = q + 2 * own(q) * (1 - own(q)) ** 2 * K / (K - 1), steps + 1
    again = next(n for n in range(1, 1000) if problem.attention(descended(problem, 1.0, n))[0, 0] >= 0.5)
    return steps, again


def _steps_above(times: Rational) -> Evidence:
    """How far the steps of opposite features lie above the bound, at eta = sigma_f = 1."""
    K = 100
    (steps, again), bound = _steps_of_opposites(K), K / (float(times) * np.e)
    if steps < bound:
        witness = {"features": "one at 1, 99 at -1", "eta": 1, "n": steps, "bound": bound}
        return refuted_by_two_routes("enumeration", witness, bound / steps, 1.0, bound / again)
    return supported(
        "enumeration", f"one feature at 1, 99 at -1: {steps / bound:.4g} times the bound", slack=steps / bound
    )


@claim(
    "OURS:R12.steps",
    control=({"times": Rational(1)}, {"six": 2}, {"half": Rational(1, 10)}),
    needs=("OURS:R7.H", "OURS:R7.loss", "OURS:R11.sign"),
)
def the_least_number_of_steps(
    *, six: int = 6, times: Rational = Rational(6), half: Rational = Rational(1, 2)
) -> Evidence:
    r"""At every step of gradient descent from $Q=0$ up to the number $K/(6e\eta\sigma_f^2R^4)$
    every attention on the own class is below $\frac12$, in the setting of R12.lower and for
    every $\eta$. It is derived for every number of classes and dimension by induction over the
    steps: $|Q|\leq\frac{3e\eta\sigma_f^2R^2}Kn$ after $n$ steps, which is at most
    $\frac1{2R^2}$ up to the displayed number, so that the next step adds at most
    $\frac{3e\eta\sigma_f^2R^2}K$. Here `half` and `times` stand for the $\frac12$ and the 6,
    and `six` for the least $K$.

    Tried are the attention $\frac1K$ at the start, one feature opposite to 99 others, and drawn
    features in the plane, at a rate for which the displayed number is 12.
    """
    at_first = forall(1 / K, "<", half, {K: Closed(six, oo)})
    search = all_of(at_first, _steps_above(times))
    found = derivation("OURS:R12.steps", search, six=six, times=Fraction(times), half=Fraction(half))
    twelve_steps = lambda problem, time: descended(problem, time / 12, 12)
    return found.replace(sides=(*found.sides, _attention_at_the_bound(six, times, half, twelve_steps)))
