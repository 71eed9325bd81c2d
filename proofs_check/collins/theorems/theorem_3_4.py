"""Theorems 3.4, E.1 and E.2 of Collins et al.: the best width, exactly, beside the printed powers
of Lambda; and Theorem 3.5 at that width.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import sympy as sp

from numerics.attention.window.best_width import optimal_window
from numerics.attention.window.loss import window_loss
from numerics.attention.window.plain import plain_window_loss
from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.evidence import Evidence
from numerics.provers import Integers, forall
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging
from proofs_check.core.witnessed import along
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import charge
from proofs_check.instances.window.along_lengths import learned_loss, widths_between
from theory.attention.window.classes import TaskClass, affine, relu

n = Diverging.n
Tasks = Callable[[float], TaskClass]
LENGTHS = (3, 100, 10**5)
GRID: dict[str, Any] = {"dimensions": (2, 3, 5), "lengths": LENGTHS}


def noises(least: Fraction | int = 1, most: Fraction | int = 1) -> Callable[[int, int], Iterable[float]]:
    return lambda d, n: (float(least) * n ** (-2 / d), 1.0, float(most) * n)


def at_least(tasks: Tasks, add: int, share: float, times: int | Fraction = 1) -> Evidence:
    """The best widths on the grid, for prompts of up to 1000 tokens, are at least share
    Lambda^{times/(d + add)}.
    """
    stated, grid = rf"w^*\geq c\,\Lambda^{{1/(d+{add})}}", GRID | {"lengths": (3, 100, 1000)}
    power = lambda d: float(times) / (d + add)
    return widths_between(tasks, power, share, floor=True, noises=noises(), checked=stated, **grid)


def at_most(
    tasks: Tasks,
    times: int | Fraction,
    share: Fraction,
    most: int = 1,
    power: Callable[[float, int], float] = lambda times, d: times * 2 / (d + 2),
    shown: str = "2/(d+2)",
) -> Evidence:
    """The same beside a power from above, with so many times the exponent."""
    stated, grid = rf"w^*\leq C\,\Lambda^{{{shown}}}", noises(most=most)
    return widths_between(
        tasks,
        lambda d: power(float(times), d),
        float(share),
        floor=False,
        noises=grid,
        checked=stated,
        **GRID,
    )


#: n = 2, d = 3, sigma = 1: every minimiser is below 16 by OURS:R8.two, and Lambda = 2L^2.
SATURATED = Diverging(
    point={"c": Fraction(1)},
    hypotheses=("n >= 2", "sigma2 >= n**(-3/2)", "sigma2 <= n*L**2"),
    sequence=lambda k, c: {"n": 2, "sigma2": sp.S.One, "L": 100 * c * (k + 1)},
    ratio=lambda n, sigma2, L: (n * L**2 / sigma2) ** sp.Rational(1, 7) / 16,
    exceeds=n ** sp.Rational(1, 4) / 20,
)


@claim(
    "COL:T3.4/range",
    **charge(false="gap", costs="a hypothesis"),
    needs=("OURS:R8.two", "COL:B.5", "COL:C.3", "COL:C.3.1", "COL:C.7"),
    repair=dict(with_L=True),
    control=(
        dict(with_L=True, affine_lower=4),
        dict(with_L=True, relu_lower=3),
        dict(with_L=True, upper=Fraction(3, 2)),
    ),
    hypotheses=("n >= 2",),
)
def range_of_the_noise(
    *, with_L: bool = False, affine_lower: int = 1, relu_lower: int = 1, upper: int | Fraction = 2
) -> Evidence:
    r"""Printed (`with_L` = False): for two tokens, $d=3$, the lower end over the best width exceeds
    every constant. For $L^2n^{-2/d}\leq\sigma^2\leq cnL^2$ no width below a constant times
    $\Lambda^{1/(d+4)}$, where the 1 is `affine_lower`, is a minimiser for affine tasks, none below
    one times $\Lambda^{1/(d+2)}$, where the 1 is `relu_lower`, for ReLU tasks, and none above one
    times $\Lambda^{2/(d+2)}$, where the first 2 is `upper`, for either, derived for every $d\geq2$,
    with a small constant $c$ of $d$, so that $n$ is at least a number of $d$, and tried on a grid
    with $c=1$ and the constants $\frac{3}{100}$, $\frac{1}{70}$ and $\frac12$.
    """
    if not with_L:
        return along(SATURATED, d=3)
    return derivation(
        "COL:T3.4/range",
        at_least(affine, 4, 0.03, affine_lower),
        at_least(relu, 2, 1 / 70, relu_lower),
        *(at_most(tasks, Fraction(upper) / 2, Fraction(1, 2)) for tasks in (affine, relu)),
        from_d_plus_4=affine_lower,
        from_d_plus_2=relu_lower,
        twice=upper,
    )


def _affine_from_below(id: str, times: int) -> Evidence:
    """No width below the order is a minimiser for affine tasks, by a derivation and on a grid."""
    return derivation(id, at_least(affine, 4, 0.03, times), times=times)


def _relu_from_below(id: str, times: int) -> Evidence:
    return derivation(id, at_least(relu, 2, 1 / 70, times), times=times)


@claim(
    "COL:T3.4/inference",
    **charge(false="gap", costs="nothing"),
    needs=("OURS:R8.law",),
    repair=dict(proved=False),
    control=dict(proved=False, add=1),
    hypotheses=("d >= 2",),
)
def upper_end_for_affine_tasks(*, proved: bool = True, add: int = 3) -> Evidence:
    r"""The exponent of Theorem E.2 (printed), or that of the sharp law with $d+3$ (3 is `add`), is
    at most $\frac{2}{d+2}$ for every $d\geq2$.
    """
    d = sp.Symbol("d", integer=True, positive=True)
    mine = 2 * (d + 2) / (d * (d + 4)) if proved else sp.S(2) / (d + add)
    return forall(mine, "<=", sp.S(2) / (d + 2), {d: Integers(2, sp.oo)})


def much_noise(power: sp.Rational, *enough_tokens: str) -> Diverging:
    """Defeat a lower end that is a power of Lambda for d = 3 and L = 1, where every minimiser is at
    most the root of 6 e^8 Lambda: it is at most 2 sqrt(3) e^4 Lambda, and Lambda is below 1/2.
    """
    return Diverging(
        point={"c": Fraction(1)},
        hypotheses=("n >= 2", *enough_tokens),
        sequence=lambda k, c: {"n": k + 1, "sigma2": 10**5 * c * (k + 1) ** 11},
        ratio=lambda n, sigma2: (n / sigma2) ** (power - sp.Rational(1, 2)) / sp.sqrt(6 * sp.exp(8)),
        exceeds=n**3 / 5,
    )


NO_UPPER_END = (
    r"No hypothesis bounds $\sigma^2$ from above: as $\sigma^2\to\infty$ the best width is at "
    r"most of the order "
)
IN_THE_RANGE = r"In the range $\Omega(L^2n^{-2/d})\leq\sigma^2\leq O(nL^2)$."


@claim(
    "COL:E.1/noisy",
    control=dict(power=3),
    needs=("COL:B.1-dec", "COL:B.5", "COL:C.3", "COL:C.3.1", "COL:C.7"),
)
def width_under_much_noise(*, power: int | Fraction = 1) -> Evidence:
    r"""For $n\geq2$ and $2\sqrt d\,e^4\Lambda\leq1$ no width above $2\sqrt d\,e^4\Lambda$, that
    power `power` = 1 of $\Lambda$, is a minimiser, for affine and ReLU tasks, derived for every $d$
    and every $n$; it is tried for $d=3$, $n=2,20$ and $\Lambda=\frac{1}{200}$.
    """
    whole, constant = 1 / 200, 2 * math.sqrt(3) * math.exp(4)
    searches = (
        widths_between(
            tasks,
            lambda d: float(power),
            constant,
            floor=False,
            dimensions=(3,),
            lengths=(2, 20),
            noises=lambda d, n: (n / whole,),
            checked=r"w^*\leq2\sqrt d\,e^4\Lambda",
        )
        for tasks in (affine, relu)
    )
    return derivation("COL:E.1/noisy", *searches, power=power)


RELU_NOISE = much_noise(sp.Rational(1, 5), "n >= sigma2**(-3/2)")
AFFINE_NOISE = much_noise(sp.Rational(1, 7), "n >= (log(n)/sigma2)**(7/2)")


@claim(
    "COL:E.1/lower",
    **charge(false="gap", costs="a hypothesis"),
    why=NO_UPPER_END + r"$\Lambda^{1/2}$, far below $\Lambda^{1/(d+2)}$.",
    instead=IN_THE_RANGE,
    needs=("COL:E.1/noisy", "COL:E.1.low", "COL:B.5", "COL:C.7"),
    repair=dict(ranged=True),
    control=dict(ranged=True, times=3),
    hypotheses=RELU_NOISE.hypotheses,
)
def width_of_relu_tasks_from_below(*, ranged: bool = False, times: int = 1) -> Evidence:
    r"""Printed (`ranged` = False): for $d=3$ a sequence of noises defeats every constant. For
    $L^2n^{-2/d}\leq\sigma^2\leq cnL^2$ no width below a constant times $\Lambda^{1/(d+2)}$, with
    `times` = 1 times that exponent, is a minimiser for ReLU tasks, derived for every
    $d\geq2$, with a small constant $c$ of $d$, so that $n$ is at least a number of $d$, and tried
    on a grid with $c=1$ and the constant $\frac{1}{70}$.
    """
    if not ranged:
        return along(RELU_NOISE, d=3, L=1)
    return _relu_from_below("COL:E.1/lower", times)


def _whatever_the_noise(
    id: str, tasks: Tasks, times: int | Fraction, share: Fraction, **power: Any
) -> Evidence:
    """The upper end with much signal, in between and with little signal, by derivations."""
    searches = (at_most(tasks, times, share, most, **power) for most in (1, 10**2, 10**4))
    return derivation(id, *searches, times=times)


@claim("COL:E.1/upper", control=dict(times=Fraction(3, 4)), needs=("COL:B.1-dec", "COL:B.5", "COL:C.7"))
def width_of_relu_tasks_from_above(*, times: int | Fraction = 1) -> Evidence:
    r"""No width above $C\Lambda^{2/(d+2)}$, that exponent `times` = 1, is a minimiser for ReLU
    tasks, where $\sigma^2\geq L^2n^{-2/d}$ and $n$ is at least a number of $d$, derived for every
    $d\geq2$ and every noise in three cases: $\Lambda\geq1$, $2\sqrt d\,e^4\Lambda\leq1$, and what
    is between. It is tried on grids with $C=\frac12$, and with $\sigma^2$ up to $nL^2$, $10^2nL^2$
    and $10^4nL^2$.
    """
    return _whatever_the_noise("COL:E.1/upper", relu, times, Fraction(1, 2))


@claim(
    "COL:E.2/lower",
    **charge(false="gap", follows="COL:E.1/lower", costs="a hypothesis"),
    why=NO_UPPER_END + r"$\Lambda^{1/2}$, far below $\Lambda^{1/(d+4)}$.",
    instead=IN_THE_RANGE,
    needs=("COL:E.1/noisy", "COL:E.2p/value", "COL:B.5", "COL:C.3", "COL:C.3.1"),
    repair=dict(ranged=True),
    control=dict(ranged=True, times=4),
    hypotheses=AFFINE_NOISE.hypotheses,
)
def width_of_affine_tasks_from_below(*, ranged: bool = False, times: int = 1) -> Evidence:
    r"""Printed (`ranged` = False): for $d=3$ a sequence of noises defeats every constant. For
    $L^2n^{-2/d}\leq\sigma^2\leq cnL^2$ no width below a constant times $\Lambda^{1/(d+4)}$, with
    `times` = 1 times that exponent, is a minimiser for affine tasks, derived for every
    $d\geq2$, with a small constant $c$ of $d$, so that $n$ is at least a number of $d$, and tried
    on a grid with $c=1$ and the constant $\frac{3}{100}$.
    """
    if not ranged:
        return along(AFFINE_NOISE, d=3, L=1)
    return _affine_from_below("COL:E.2/lower", times)


@claim(
    "COL:E.2/upper",
    control=dict(times=Fraction(3, 4)),
    needs=("COL:B.1-dec", "COL:B.5", "COL:C.3", "COL:C.3.1"),
)
def width_of_affine_tasks_from_above(*, times: int | Fraction = 1) -> Evidence:
    r"""No width above $C\Lambda^{2(d+2)/(d(d+4))}$, that exponent `times` = 1, is a minimiser for
    affine tasks, where $\sigma^2\geq L^2n^{-2/d}$ and $n$ is at least a number of $d$, derived for
    every $d\geq2$ and every noise in the cases of COL:E.1/upper. It is tried on grids with
    $C=\frac13$, and with $\sigma^2$ up to $nL^2$, $10^2nL^2$ and $10^4nL^2$.
    """
    power = lambda times, d: times * 2 * (d + 2) / (d * (d + 4))
    told = dict(power=power, shown="2(d+2)/(d(d+4))")
    return _whatever_the_noise("COL:E.2/upper", affine, times, Fraction(1, 3), **told)


#: For every width, task and dimension the loss is at least the noise term, and that at least
#: sigma^2/n, which is L^2/Lambda; here d = 3 and L = 1.
LOUD = Diverging(
    point={"c": Fraction(1)},
    hypotheses=("n >= 1", "sigma2 > 0"),
    sequence=lambda k, c: {"n": k, "sigma2": c * k**6},
    ratio=lambda n, sigma2: (n / sigma2) ** sp.Rational(-4, 5),
    exceeds=n**4 / 2,
)


@claim(
    "COL:T3.5",
    **charge(false="gap", costs="a hypothesis"),
    instead=IN_THE_RANGE,
    needs=("COL:B.1-dec", "COL:B.5", "COL:C.7"),
    repair=dict(ranged=True),
    control=(
        dict(ranged=True, times=Fraction(7, 2), lengths=(1000,)),
        dict(ranged=True, least=Fraction(1, 2**18), lengths=(3,)),
    ),
    hypotheses=LOUD.hypotheses,
)
def other_tasks_of_one_constant(
    *,
    ranged: bool = False,
    times: int | Fraction = 1,
    least: int | Fraction = 1,
    lengths: tuple[int, ...] = LENGTHS,
) -> Evidence:
    r"""Printed (`ranged` = False): for $d=3$ a sequence of noises defeats every constant. For
    $L^2n^{-2/d}\leq\sigma^2\leq nL^2$, the lower end times `least` = 1, the loss on every
    $L$-Lipschitz task at a width that minimises the loss of ReLU tasks is at most $cL^2$ times
    $\Lambda^{-1/(d+2)}$, that exponent `times` = 1, with a constant $c$ of $d$, derived for every
    $d\geq2$ and every $n$. It is tried on a grid with $c=4$.
    """
    if not ranged:
        return along(LOUD, d=3, L=1)
    bound = lambda d, whole: 4 * whole ** (-float(times) / (d + 2))
    checked, grid = r"\mathcal L\leq C\,\Lambda^{-1/(d+2)}", GRID | {"lengths": lengths}
    search = learned_loss(relu, (affine, relu), bound, noises=noises(least), checked=checked, **grid)
    return derivation("COL:T3.5", search, times=times, least=least)


#: How many times as steep as the tasks that were learned the others are where this is tried.
STEEP = 10


def steep_affine(L: float) -> TaskClass:
    return affine(STEEP * L)


def steep_relu(L: float) -> TaskClass:
    return relu(STEEP * L)


@claim(
    "COL:T3.5.iff",
    **charge(false="gap", costs="constants"),
    needs=("COL:B.1-dec", "COL:B.5", "COL:C.7"),
    repair=dict(any_constant=True),
    control=dict(any_constant=True, times=4, lengths=(1000,)),
    hypotheses=("d >= 2", "n >= 1"),
)
def only_if_similar(
    *, any_constant: bool = False, times: int | Fraction = 1, lengths: tuple[int, ...] = LENGTHS
) -> Evidence:
    r"""Printed, the mean square of affine tasks with $L=10$ is at most 100 times their loss at the
    width that ReLU tasks with $L=1$ teach, for $d=3$, $\sigma=1$, $n=10^6$. With `any_constant` the
    loss on every $L'$-Lipschitz task at a width that minimises the loss of ReLU tasks of the
    constant $L$ is at most $c(L^2+L'^2)$ times $\Lambda^{-1/(d+2)}$, that exponent `times` = 1, for
    $L^2n^{-2/d}\leq\sigma^2\leq nL^2$, with a constant $c$ of $d$, derived for every $d\geq2$ and
    every $n$. It is tried on a grid with $L'=10L$ and $c=4$.
    """
    if any_constant:
        bound = lambda d, whole: 4 * (1 + STEEP**2) * whole ** (-float(times) / (d + 2))
        checked, grid = r"\mathcal L\leq C(L^2+L'^2)\Lambda^{-1/(d+2)}", GRID | {"lengths": lengths}
        others = (steep_affine, steep_relu)
        search = learned_loss(relu, others, bound, noises=noises(), checked=checked, steepness=STEEP, **grid)
        return derivation("COL:T3.5.iff", search, times=times)
    steep, length = affine(10).spectrum(3), 10**6
    w = round(optimal_window(relu(1), 3, length, 1.0).w, 3)
    ratio = steep.varying / float(window_loss(steep, 3, length, w, 1.0).loss)
    again = steep.varying / plain_window_loss(steep, length, w, 1.0, nodes=1600)
    witness = {
        "d": 3,
        "n": length,
        "L of the new tasks": 10,
        "w": w,
        "variance over loss, to hundreds": round(ratio, -2),
    }
    return refuted_by_two_routes("quadrature", witness, ratio, 100.0, again)
