"""Theorems 3.4, E.1 and E.2 of Collins et al.: the best width, exactly, beside the printed powers
of Lambda; and Theorem 3.5 at that width.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

import sympy as sp

from numerics.attention.window.best_width import optimal_window
from numerics.attention.window.loss import window_loss
from numerics.attention.window.plain import plain_window_loss
from numerics.evidence import Evidence
from numerics.provers import Integers, computed, forall, identity, integral_evidence
from numerics.refutation import refuted_by_two_routes
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging
from proofs_check.core.witnessed import along
from proofs_check.instances.window.along_lengths import learned_loss, widths_between
from theory.attention.window.classes import TaskClass, affine, relu

n = Diverging.n
DIMENSIONS, LENGTHS = (2, 3, 5), (3, 100, 10**5)
#: For E.1 the hypothesis is sigma^2 >= L^2 n^{-2/d}; of all ranges sigma^2 = n L^2 is the upper
#: end.
SEARCHED = "The best width has no closed form; it is computed exactly on a grid of dimensions, lengths and noises."


def noises(d: int, n: int) -> Iterable[float]:
    """Variances from L^2 n^{-2/d} to n L^2, at L = 1."""
    return (n ** (-2 / d), 1.0, float(n))


def between(
    tasks: Callable[[float], TaskClass], power: Callable[[int], float], constant: float, floor: bool, stated: str
) -> Evidence:
    """Compare the best widths on the grid with a power of Lambda."""
    return widths_between(
        tasks, power, constant, floor=floor, dimensions=DIMENSIONS, lengths=LENGTHS, noises=noises, checked=stated
    )


#: n = 2, d = 3, sigma = 1: every minimiser is below 16, and Lambda = 2L^2.
SATURATED = Diverging(
    point={"c": Fraction(1)},
    hypotheses=("n >= 2", "sigma2 >= n**(-3/2)", "sigma2 <= n*L**2"),
    sequence=lambda k, c: {"n": 2, "sigma2": sp.S.One, "L": 100 * c * (k + 1)},
    ratio=lambda n, sigma2, L: (n * L**2 / sigma2) ** sp.Rational(1, 7) / 16,
    exceeds=n ** sp.Rational(1, 4) / 20,
)


@claim(
    "COL:T3.4/range",
    false="gap",
    why=r"The lower end of the noise, a damaged place, shows no $L$: with two tokens, $\sigma=1$, $d=3$ and $L\to\infty$ the best "
    r"width stays below 16, and $\Lambda^{\alpha}$ does not.",
    instead=r"For $\Omega(L^2n^{-2/d})\leq\sigma^2\leq O(nL^2)$.",
    details=r"The lower end is that of Theorem E.1, which states no upper one. For every fixed $n\geq2$ the best width without "
    r"noise is finite, since an average over two tokens at nearly the same distance is better than the nearest one. Should "
    r"$L^2$ have been lost in the scan, the line is true.",
    costs="a hypothesis",
    needs=("COL:T3.4/finite",),
    repair=dict(with_L=True),
    control=dict(with_L=True, share=Fraction(1, 10)),
    hypotheses=("n >= 2",),
)
def range_of_the_noise(*, with_L: bool = False, share: Fraction = Fraction(1, 20)) -> Evidence:
    r"""Printed (`with_L` = False): for two tokens, $d=3$, the lower end over the best width exceeds
    every constant. For $L^2n^{-2/d}\leq\sigma^2\leq nL^2$ the best width of affine tasks is at
    least 3/5 of `share` = 1/20 times $\Lambda^{1/(d+4)}$ on a grid.
    """
    if not with_L:
        return along(SATURATED, d=3)
    return between(affine, lambda d: 1 / (d + 4), float(share) * 0.6, True, r"w^*\geq c\,\Lambda^{1/(d+4)}")


D = sp.Symbol("D", positive=True)


def two_tokens(w: int | sp.Expr) -> sp.Expr:
    """Return the integrand over the difference D of two heights of 2 minus 9/L^2 times the signal
    of affine tasks with two tokens, d = 3.
    """
    falls = sp.exp(-2 * w * D)
    tanh = (1 - falls) / (1 + falls)
    product_of_heights = ((2 - D) ** 2 / 3 - D**2) / 4
    return (2 - D) / 2 * (D * tanh + (1 - tanh**2) / 2 * (1 - product_of_heights))


@claim(
    "COL:T3.4/finite",
    control=dict(widest=6),
    argument=r"For two tokens and $d=3$, $\frac{9}{L^2}$ times the signal is $2-\mathbb E[\Delta\tanh w\Delta]-\frac12\mathbb "
    r"E[\mathrm{sech}^2(w\Delta)(1-t_1t_2)]$. "
    r"From a width $W$ on it is at least $\frac43-\frac1W$, as $\tanh\leq1$ and $\mathrm{sech}^2$ falls; the noise term never "
    r"falls, so that "
    r"no minimiser is above $W$ if the signal at $\frac{13}{10}$ is smaller.",
)
def best_width_of_two_tokens(*, widest: int = 16) -> Evidence:
    r"""At $w=\frac{13}{10}$ the integral that is 2 minus $\frac{9}{L^2}$ times the signal is at
    least $\frac23$ plus 1 over `widest` = 16.
    """
    return integral_evidence(two_tokens(sp.Rational(13, 10)), D, (0, 2), ">=", sp.Rational(2, 3) + sp.Rational(1, widest))


@claim("COL:T3.4/affine.lower", control=dict(share=Fraction(1, 20)), needs=("COL:B.5",))
def affine_lower(*, share: Fraction = Fraction(3, 100)) -> Evidence:
    r"""With $\sigma^2\geq L^2n^{-2/d}$ the best width of affine tasks is at least `share` = 3/100
    times $\Lambda^{1/(d+4)}$, on a grid.
    """
    return between(affine, lambda d: 1 / (d + 4), float(share), True, r"w^*\geq c\,\Lambda^{1/(d+4)}")


@claim("COL:T3.4/affine.upper", control=dict(share=Fraction(1, 4)), needs=("COL:B.5",))
def affine_upper(*, share: Fraction = Fraction(1, 2)) -> Evidence:
    r"""With $\sigma^2\geq L^2n^{-2/d}$ the best width of affine tasks is at most `share` = 1/2
    times $\Lambda^{2/(d+2)}$, on a grid.
    """
    return between(affine, lambda d: 2 / (d + 2), float(share), False, r"w^*\leq C\,\Lambda^{2/(d+2)}")


@claim("COL:T3.4/relu.lower", control=dict(share=Fraction(1, 40)), needs=("COL:B.5",))
def relu_lower(*, share: Fraction = Fraction(1, 70)) -> Evidence:
    r"""With $\sigma^2\geq L^2n^{-2/d}$ the best width of ReLU tasks is at least `share` = 1/70
    times $\Lambda^{1/(d+2)}$, on a grid.
    """
    return between(relu, lambda d: 1 / (d + 2), float(share), True, r"w^*\geq c\,\Lambda^{1/(d+2)}")


@claim("COL:T3.4/relu.upper", control=dict(share=Fraction(1, 4)), needs=("COL:B.5",))
def relu_upper(*, share: Fraction = Fraction(1, 2)) -> Evidence:
    r"""With $\sigma^2\geq L^2n^{-2/d}$ the best width of ReLU tasks is at most `share` = 1/2 times
    $\Lambda^{2/(d+2)}$, on a grid.
    """
    return between(relu, lambda d: 2 / (d + 2), float(share), False, r"w^*\leq C\,\Lambda^{2/(d+2)}")


@claim(
    "COL:T3.4/inference",
    false="gap",
    why=r"Case 1 is drawn from Theorem E.2, whose upper end has the exponent $\frac{2(d+2)}{d(d+4)}$, which is larger than "
    r"$2\beta=\frac{2}{d+2}$.",
    instead=r"The upper end $\Lambda^{2\beta}$ is true for affine tasks by the sharp law of our R8, whose exponent is "
    r"$\frac{2}{d+3}$.",
    costs="nothing",
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


@claim("COL:E.1/lower", control=dict(share=Fraction(1, 40)), needs=("COL:E.1.low", "COL:B.5"))
def width_of_relu_tasks_from_below(*, share: Fraction = Fraction(1, 70)) -> Evidence:
    r"""The best width of ReLU tasks is at least `share` = 1/70 times $\Lambda^{1/(d+2)}$, on a
    grid.
    """
    return between(relu, lambda d: 1 / (d + 2), float(share), True, r"w^*\geq c\,\Lambda^{1/(d+2)}")


@claim("COL:E.1/upper", control=dict(share=Fraction(1, 4)), needs=("COL:E.1.up", "COL:B.5"))
def width_of_relu_tasks_from_above(*, share: Fraction = Fraction(1, 2)) -> Evidence:
    r"""The best width of ReLU tasks is at most `share` = 1/2 of $\Lambda^{2/(d+2)}$ on a grid."""
    return between(relu, lambda d: 2 / (d + 2), float(share), False, r"w^*\leq C\,\Lambda^{2/(d+2)}")


@claim("COL:E.2/lower", control=dict(share=Fraction(1, 20)), needs=("COL:E.2p/value", "COL:B.5"))
def width_of_affine_tasks_from_below(*, share: Fraction = Fraction(3, 100)) -> Evidence:
    r"""The best width of affine tasks is at least `share` = 3/100 times $\Lambda^{1/(d+4)}$, on a
    grid.
    """
    return between(affine, lambda d: 1 / (d + 4), float(share), True, r"w^*\geq c\,\Lambda^{1/(d+4)}")


@claim("COL:E.2/upper", control=dict(share=Fraction(1, 4)), needs=("COL:E.2p/value", "COL:B.5"))
def width_of_affine_tasks_from_above(*, share: Fraction = Fraction(1, 3)) -> Evidence:
    r"""The best width of affine tasks is at most `share` = 1/3 times $\Lambda^{2(d+2)/(d(d+4))}$,
    on a grid.
    """
    return between(affine, lambda d: 2 * (d + 2) / (d * (d + 4)), float(share), False, r"w^*\leq C\,\Lambda^{2(d+2)/(d(d+4))}")


@claim("COL:T3.5", control=dict(constant=1), needs=("COL:T3.4/relu.lower", "COL:T3.4/relu.upper", "COL:E.3.cvx"))
def other_tasks_of_one_constant(*, constant: int | Fraction = 2) -> Evidence:
    r"""In the range of Theorem 3.4 the loss on affine and on ReLU tasks at the width learned on
    ReLU tasks is at most `constant` = 2 times $\Lambda^{-1/(d+2)}$ at $L=1$, on a grid.
    """
    stated = r"\mathcal L\leq C\,\Lambda^{-1/(d+2)}"
    bound = lambda d, whole: float(constant) * whole ** (-1 / (d + 2))
    return learned_loss(relu, (affine, relu), bound, dimensions=DIMENSIONS, lengths=LENGTHS, noises=noises, checked=stated)


NO_NOISE = Diverging(
    point={"c": Fraction(1)},
    hypotheses=("n >= 1", "sigma2 > 0"),
    # one token: the loss of ReLU tasks is twice the mean square of f less its mean, at least
    # L^2/(3d)
    sequence=lambda k, c: {"n": 1, "sigma2": c / k**5},
    ratio=lambda n, sigma2: sp.Rational(1, 9) * (n / sigma2) ** sp.Rational(1, 5),
    exceeds=n / 10,
)


@claim(
    "COL:T3.5/inference",
    false="gap",
    why=r"No hypothesis on $n$ and $\sigma$ is stated: with few tokens and little noise $\Lambda$ is large, and the loss is not "
    r"small. For one token "
    r"and $d=3$ it is at least $\frac{L^2}{9}$.",
    instead=r"Under the hypotheses of Theorem E.1.",
    costs="a hypothesis",
    repair=dict(hypothesis=True),
    control=dict(hypothesis=True, two=3),
    argument=r"At the end $\sigma^2=L^2n^{-2/d}$ of the range $\Lambda^{1/(d+2)}$ is $n^{1/d}$, which the distance of the "
    r"nearest token allows.",
    hypotheses=NO_NOISE.hypotheses,
)
def without_a_hypothesis(*, hypothesis: bool = False, two: int = 2) -> Evidence:
    r"""Printed, one token and vanishing noise defeat every constant for $d=3$. With the hypothesis
    the exponent of $n$ in $\Lambda^{1/(d+2)}$ at its end, $(1+\frac2d)\frac{1}{d+2}$, is $\frac1d$;
    the first 2 is `two`.
    """
    if not hypothesis:
        return along(NO_NOISE, d=3, L=1)
    d = sp.Symbol("d", integer=True, positive=True)
    return identity(computed(r"(1+\tfrac2d)\tfrac{1}{d+2}", sp.together((1 + sp.S(two) / d) / (d + 2))), 1 / d)


@claim(
    "COL:T3.5.iff",
    false="gap",
    why=r"The window learned on ReLU tasks with $L=1$ also learns affine tasks with $L=10$: for $d=3$, $\sigma=1$ and $n=10^6$ "
    r"the loss is a "
    r"seven-thousandth of their variance, and it tends to $0$.",
    instead=r"Where noise dominates, tasks of $rL$ lose a factor of the best loss that tends to "
    r"$R(r)=\frac{r^2+s/p}{(1+s/p)r^{2p/(s+p)}}$ in $n$, and so is bounded for fixed $r$ (our R15).",
    details=r"Without noise nothing is lost at all, since the best width does not depend on $L$.",
    costs="constants",
    needs=("OURS:R15",),
    repair=dict(factor=True),
    control=dict(factor=True, least=Fraction(11, 10)),
    argument=r"For smooth tasks and $d=3$, where $s=2$ and $p=1$; at $r=1$ the factor is 1.",
    hypotheses=("d >= 2", "n >= 1"),
)
def only_if_similar(*, factor: bool = False, least: int | Fraction = 1) -> Evidence:
    r"""Printed, the mean square of affine tasks with $L=10$ is at most 100 times their loss at the
    width that ReLU tasks with $L=1$ teach, for $d=3$, $\sigma=1$, $n=10^6$. With `factor`: for
    $y=r^{2/3}$ the factor $\frac{y^3+2}{3y}$ is at least `least` = 1.
    """
    y = sp.Symbol("y", positive=True)
    if factor:
        return forall((y**3 + 2) / (3 * y), ">=", least, {y: (0, sp.oo)})
    steep, length = affine(10).spectrum(3), 10**6
    w = round(optimal_window(relu(1), 3, length, 1.0).w, 3)
    times = steep.varying / float(window_loss(steep, 3, length, w, 1.0).loss)
    again = steep.varying / plain_window_loss(steep, length, w, 1.0, nodes=1600)
    witness = {"d": 3, "n": length, "L of the new tasks": 10, "w": w, "variance over loss, to hundreds": round(times, -2)}
    return refuted_by_two_routes("quadrature", witness, times, 100.0, again)
