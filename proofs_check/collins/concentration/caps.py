"""Lemmas G.1 to G.3, G.6 and G.7 of Collins et al.: caps of the sphere and truncated gamma sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics import forall as for_every
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, computed, forall
from proofs_check.core.claim import claim
from proofs_check.core.robust import Robust
from proofs_check.core.witnessed import at_point
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, charge
from theory.attention.window.caps import cap_measure, truncated_gamma

eps, x, alpha, d, i, m = sp.symbols("epsilon x alpha d i m", positive=True)
HEIGHTS = {eps: (0, 1)}
ODD = (3, 5, 7)
HEIGHT_OF_A_CAP = ("0 < epsilon", "epsilon <= 2")


def base(dimension: int) -> sp.Expr:
    return (2 * eps - eps**2) ** sp.Rational(dimension - 1, 2)


def at_heights(
    op: str, bound: Callable[[int], sp.Expr], at: tuple[int, int | Fraction], dimensions: Iterable[int] = ODD
) -> Evidence:
    """Caps of some dimensions beside a bound, between two heights."""
    heights = {eps: sp.Interval.Lopen(*at)}
    return all_of(*(forall(cap_measure(eps, k), op, bound(k), heights) for k in dimensions))


@claim(
    "COL:G.1/lower",
    control=(dict(two=1), dict(half=Fraction(3, 2)), dict(half=4)),
    needs=("COL:G.1.low",),
)
def caps_from_below(*, two: int = 2, half: int | Fraction = 2) -> Evidence:
    r"""The cap is at least $(2\varepsilon-\varepsilon^2)^{(d-1)/2}$ over $\sqrt{2\pi d}$, where the
    first 2 under the root is `two`, derived for $\varepsilon<1$ from polar coordinates on the
    sphere, which are cited, and for $1\leq\varepsilon\leq2$ as it is at least that over `half` = 2.
    It is tried for $d=3,5,7$, and the last bounds for $d=2,3$.
    """
    low = at_heights(">=", lambda k: base(k) / sp.sqrt(two * sp.pi * k), (0, 1))
    roots = forall(1 / sp.sqrt(4 * sp.pi) + 0 * eps, "<=", 1 / sp.Rational(half), HEIGHTS)
    wide = at_heights(">=", lambda k: base(k) / sp.Rational(half), (1, 2))
    return derivation("COL:G.1/lower", low, roots, wide, two=two, wide_share=half)


@claim(
    "COL:G.1/upper",
    **charge(false="edge", at="caps of more than half of the sphere", costs="nothing"),
    repair=dict(most=1),
    control=(dict(share=Fraction(2, 5)), dict(most=Fraction(7, 4))),
    needs=("COL:G.1.up",),
    hypotheses=HEIGHT_OF_A_CAP,
)
def caps_from_above(*, share: int | Fraction = 1, most: int | Fraction = 2) -> Evidence:
    r"""For $\varepsilon$ up to `most` (printed: 2, repaired: 1) the cap is at most
    $(2\varepsilon-\varepsilon^2)^{(d-1)/2}$ times `share` = 1, derived for `most` = 1, below it and
    at it, and tried for $d=3,5,7$.
    """
    return _up_to(most, "COL:G.1/upper", share=share)


def _up_to(most: int | Fraction, id: str, **share: int | Fraction) -> Evidence:
    """A bound from above of the caps up to a height; for that of the half sphere it is derived."""
    (factor,) = share.values()
    if most == 1:
        half = forall(cap_measure(sp.S.One, 3), "<=", sp.Rational(factor) + 0 * eps, HEIGHTS)
        return derivation(id, at_heights("<=", lambda k: factor * base(k), (0, 1)), half, **share)
    return at_heights("<=", lambda k: factor * base(k), (0, most))


@claim(
    "COL:G.1/last",
    **charge(false="gap", costs="nothing"),
    repair=dict(less=1),
    control=dict(less=Fraction(1, 2)),
    hypotheses=("0 < epsilon", "epsilon <= 1"),
)
def last_link(*, less: int | Fraction = 0) -> Evidence:
    r"""The link with $e^{-\varepsilon(d-\ell)/4}$, where $\ell$ is `less` (printed: 0), derived for
    $\ell=1$, every $d$ and $\varepsilon\leq2$. To the power $\frac{2}{d-1}$ it is tried for $d=3$,
    as $2\varepsilon-\varepsilon^2\leq2\varepsilon e^{-\varepsilon(3-\ell)/4}$.
    """
    search = forall(2 * eps - eps**2, "<=", 2 * eps * sp.exp(-eps * (3 - less) / 4), HEIGHTS)
    return derivation("COL:G.1/last", search, less=less)


@claim("COL:G.1.low", control=(dict(two=1), dict(ball=2)))
def ball_below_the_cap(*, two: int = 2, ball: int | Fraction = 1) -> Evidence:
    r"""The cap is at least `ball` = 1 times $C(2\varepsilon-\varepsilon^2)^{(d-1)/2}$ with
    $C=\frac{\Gamma(d/2)}{2\sqrt\pi\,\Gamma((d+1)/2)}$, for $\varepsilon<1$ and for
    $1\leq\varepsilon\leq2$, and $C$ is at least 1 over $\sqrt{2\pi d}$, where the second 2 is
    `two`, derived for every $d\geq2$ from polar coordinates and a bound of Gautschi's. It is tried
    for caps with $d=3,5,7$, the larger ones also with $d=2$, and constants with $d=2,3,4$ and $40$.
    """
    of_gammas = lambda k: sp.gamma(sp.Rational(k, 2)) / (2 * sp.sqrt(sp.pi) * sp.gamma(sp.Rational(k + 1, 2)))
    margins = [sp.simplify(of_gammas(k) ** 2 * two * sp.pi * k) for k in (2, 3, 4, 40)]
    constants = all_of(*(forall(computed("C_d", x) + 0 * eps, ">=", 1, HEIGHTS) for x in margins))
    stated = lambda k: sp.simplify(ball * of_gammas(k)) * base(k)
    caps = at_heights(">=", stated, (0, 1)), at_heights(">=", stated, (1, 2), (2, *ODD))
    return derivation("COL:G.1.low", *caps, constants, two=two, ball=ball)


@claim(
    "COL:G.1.up",
    **charge(
        false="edge", at="caps of more than half of the sphere", follows="COL:G.1/upper", costs="nothing"
    ),
    repair=dict(most=1),
    control=(dict(half=Fraction(2, 5)), dict(most=Fraction(7, 4))),
    hypotheses=HEIGHT_OF_A_CAP,
)
def half_sphere_above_the_cap(*, half: Fraction = Fraction(1, 2), most: int | Fraction = 2) -> Evidence:
    r"""For $\varepsilon$ up to `most` (printed: 2, repaired: 1) the cap is at most
    $(2\varepsilon-\varepsilon^2)^{(d-1)/2}$ times `half` = 1/2, derived for `most` = 1, below it
    and at it, and tried for $d=3,5,7$.
    """
    return _up_to(most, "COL:G.1.up", half=half)


@claim("COL:G.2", control=dict(first=2))
def truncated_sum(*, first: int = 1) -> Evidence:
    r"""For every whole $m\geq0$ and real $d,\alpha>0$ the library's sum is the sequence that starts
    at 0 and of which each value is the one before and a term, the first term that of $i={}$`first`
    = 1, the next that of $i+1$, and so on.
    """
    number, sums = sp.Symbol("m", integer=True, nonnegative=True), sp.Function("gamma", real=True)
    everywhere = {number: Integers(0, oo), d: (0, oo), alpha: (0, oo)}
    term = (number + first) ** d * sp.exp(-alpha * (number + first))
    where = [(sums(0), "==", 0), (sums(number + 1), "==", sums(number) + term)]
    of_library = truncated_gamma(d, alpha, number)
    return all_of(*(for_every(of_library, op, sums(number), everywhere, where=where) for op in ("<=", ">=")))


ONE_TERM = Robust(
    point={"alpha": Fraction(11, 10), "d": 6},
    hypotheses=("d >= 5", "1 < alpha", "alpha < 2"),
    violation=lambda alpha, d: sp.exp(-sp.Rational(alpha)) - sp.exp(-sp.Rational(alpha) - sp.Rational(1, 2)),
)


@claim(
    "COL:G.3/small.upper",
    **charge(false="typo", costs="constants"),
    repair=dict(sign=1),
    control=dict(sign=-1),
    needs=("COL:G.3.low",),
    hypotheses=ONE_TERM.hypotheses,
)
def small_sums_from_above(*, sign: int = -1) -> Evidence:
    r"""With one term the sum $e^{-\alpha}$ is at most $e^{-\alpha}$ times $e^{s/2}$, where $s$ is
    `sign` (printed: -1). For $s=1$ the sum over at most $m$ numbers of $(0,m]$, such as
    $1,\dots,m$, is at most $m^{d+1}e^{-\alpha m+1/2}$ for $m<\frac{d+\sqrt d}{\alpha}$, derived for
    real $d$ and $\alpha$ and tried with one term.
    """
    if sign < 0:
        return at_point(ONE_TERM, r"\gamma(d,\alpha,1)\leq e^{-\alpha-1/2}", m=1)
    search = forall(sp.exp(-alpha), "<=", sp.exp(-alpha + sp.Rational(sign, 2)), {alpha: Closed(1, 2)})
    return derivation("COL:G.3/small.upper", search, sign=sign)


@claim("COL:G.3/small.lower", control=dict(half=-1))
def small_sums_from_below(*, half: int = 1) -> Evidence:
    r"""The sum of $N^de^{-\alpha N}$ over a list of numbers of $(0,m]$ that contains $m$, such as
    $1,\dots,m$, is at least $m^de^{-\alpha m-h/2}$, where $h$ is `half` = 1. It is tried with the
    whole sum for $m=1,2$.
    """
    everywhere = {alpha: Closed(1, 2), d: Closed(5, oo)}
    stated = lambda m: sp.Integer(m) ** d * sp.exp(-alpha * m - sp.Rational(half, 2))
    search = all_of(*(forall(truncated_gamma(d, alpha, m), ">=", stated(m), everywhere) for m in (2, 1)))
    return derivation("COL:G.3/small.lower", search, half=half)


def least_sums(op: str, factor: Fraction) -> Evidence:
    """The sums over the least m beside a share of the gamma function."""
    parts = []
    for k in (5, 8, 12, 20):
        for a in (sp.S.One, sp.Rational(3, 2), sp.S(2)):
            least = int(sp.ceiling((k + sp.sqrt(k)) / a))
            stated = sp.factorial(k) / a ** (k + 1) * factor
            total = computed(rf"\gamma({k},{a},{least})", truncated_gamma(k, a, least) / stated)
            parts.append(forall(total + 0 * eps, op, 1, HEIGHTS))
    return all_of(*parts)


@claim("COL:G.3/large.upper", control=dict(two=Fraction(3, 4)), needs=("COL:G.3.cite",))
def large_sums_from_above(*, two: int | Fraction = 2) -> Evidence:
    r"""For real $d\geq5$, $\alpha\leq2$ and every $m$ the sum is at most `two` = 2 times
    $\frac{\Gamma(d+1)}{\alpha^{d+1}}$, derived by the levels below the function: each is an
    interval, which holds at most one number more than its length. Stirling's lower bound is cited.
    It is tried for $d=5,8,12,20$, $\alpha=1,\frac32,2$ and the least $m\geq\frac{d+\sqrt
    d}{\alpha}$.
    """
    return derivation("COL:G.3/large.upper", least_sums("<=", Fraction(two)), two=two)


@claim("COL:G.3/large.lower", control=dict(constant=1))
def large_sums_from_below(*, constant: int | Fraction = Fraction(8, 3)) -> Evidence:
    r"""For real $d\geq5$, $1\leq\alpha\leq2$ and every $m\geq\frac{d+\sqrt d}{\alpha}$ the sum
    is at least $\frac{\Gamma(d+1)}{\alpha^{d+1}}$ over `constant` = 8/3, derived by the same
    levels; the area beyond $m+1$ is $\Gamma(d+1,\alpha(m+1))$. It is tried as the bound from above.
    """
    return derivation("COL:G.3/large.lower", least_sums(">=", 1 / Fraction(constant)), constant=constant)


@claim(
    "COL:G.3a",
    **TYPO,
    repair=dict(end=Fraction(3, 2)),
    control=dict(end=Fraction(9, 5)),
    hypotheses=("0 < x", "x < 2"),
)
def geometric_series(*, end: int | Fraction = 2) -> Evidence:
    r"""For $x$ from 0 to `end` (printed: 2) it is $\frac{1}{1-e^{-x}}\leq\frac2x$."""
    return forall(1 / (1 - sp.exp(-x)), "<=", 2 / x, {x: (0, end)})


@claim("COL:G.3.sum", control=dict(root=2))
def ratio_of_the_tail(*, root: int = 1) -> Evidence:
    r"""For $i\geq\frac{d+\sqrt d}{\alpha}$ the quotient $(1+\frac1i)^de^{-\alpha}$ of two terms is
    at most $e^{-\alpha\sqrt d/(d+\sqrt d)}$, with `root` = 1 times the exponent; the logarithms of
    both are tried for $d\geq1$, at $i=s\frac{d+\sqrt d}{\alpha}$.
    """
    q, s = sp.symbols("q s", positive=True)  # q is the root of d
    quotient = q**2 * sp.log(1 + alpha / (s * (q**2 + q))) - alpha
    everywhere = {q: Closed(1, oo), alpha: Closed(1, 2), s: Closed(1, oo)}
    search = forall(quotient, "<=", -root * alpha * q / (q**2 + q), everywhere)
    return derivation("COL:G.3.sum", search, root=root)


@claim("COL:G.3.low", control=dict(half=Fraction(2, 5)))
def terms_compared(*, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""For $i\leq m<\frac{d+\sqrt d}{\alpha}$ it is $m^de^{-\alpha m}\geq e^{-h}i^de^{-\alpha i}$
    where $h$ is `half` = 1/2, and real $d,\alpha,i,m>0$: with $i=\frac{d}{\alpha}u$ and $m=\frac
    d\alpha v$ the logarithm of the quotient is $d(\log v-v-\log u+u)$. It is tried at the largest
    term, $u=1$, with $v=1+\frac{y}{\sqrt d}$, $0\leq y\leq1$ and $d\geq1$.
    """
    y = sp.Symbol("y", nonnegative=True)
    quotient = d * (sp.log(1 + y / sp.sqrt(d)) - y / sp.sqrt(d))
    search = forall(quotient, ">=", -half, {d: Closed(1, oo), y: Closed(0, 1)})
    return derivation("COL:G.3.low", search, half=half)


@claim("COL:G.3.cite", control=dict(most=6))
def largest_term(*, most: int = 2) -> Evidence:
    r"""For $d\geq5$ and $\alpha\leq$ `most` = 2 it is $(\frac{d}{\alpha
    e})^d<\frac{\Gamma(d+1)}{\alpha^{d+1}}$, from Stirling's lower bound, which is cited. It is
    tried for $d=5,8,20$.
    """
    sides = lambda k: ((sp.Integer(k) / (alpha * sp.E)) ** k, sp.factorial(k) / alpha ** (k + 1))
    search = all_of(
        *(forall(left, "<", right, {alpha: Closed(1, most)}) for left, right in map(sides, (5, 8, 20)))
    )
    return derivation("COL:G.3.cite", search, most=most)


@claim(
    "COL:G.6",
    control=(
        dict(upper=Fraction(1, 3)),
        dict(lower=2),
        dict(half=Fraction(1, 4)),
        dict(twelve=24),
    ),
)
def gamma_function(
    *, upper: int | Fraction = 1, lower: int = 1, half: int | Fraction = Fraction(1, 2), twelve: int = 12
) -> Evidence:
    r"""For every real $d\geq1$ Stirling's bounds hold, the lower one with `lower` = 1 and the upper
    one with `upper` = 1 times its right side. The upper one is shown for whole $d$ as it stands,
    and for all by $\Gamma(d+1)\leq e^{1/(td)}\sqrt{2\pi d}(\frac de)^d$, where $t$ is `twelve` =
    12. For every real $z\geq0$ the second quotient is at least $\frac{1}{\sqrt{z+h}}$, where $h$ is
    `half` = 1/2.
    """
    stirling, z = sp.sqrt(2 * sp.pi * d) * (d / sp.E) ** d, sp.Symbol("z", nonnegative=True)
    whole, quotient = (
        sp.Symbol("d", integer=True, positive=True),
        sp.gamma(z + sp.Rational(1, 2)) / sp.gamma(z + 1),
    )
    least, most, near = 1 / sp.sqrt(z + sp.Rational(half)), upper * sp.E * stirling, sp.exp(1 / (twelve * d))
    every = {d: Closed(1, oo)}
    return all_of(
        forall(sp.gamma(d + 1), ">=", lower * stirling, every),
        forall(sp.gamma(whole + 1), "<=", most.subs(d, whole), {whole: Integers(1, oo)}),
        forall(sp.gamma(d + 1), "<=", near * stirling, every),
        forall(near, "<=", upper * sp.E, every),
        *(forall(quotient, ">=", least, {z: at}) for at in (Closed(0, 1), (0, oo))),
    )


@claim("COL:G.7", control=dict(half=Fraction(2, 5)))
def root_exponential(*, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""For every real $d\geq1$ it is $(1+\frac{1}{\sqrt d})^de^{-\sqrt d}\geq e^{-h}$, where $h$ is
    `half` = 1/2.
    """
    return forall(
        (1 + 1 / sp.sqrt(d)) ** d * sp.exp(-sp.sqrt(d)), ">=", sp.exp(-sp.Rational(half)), {d: Closed(1, oo)}
    )


@claim(
    "COL:G.7.txt",
    **TYPO,
    repair=dict(lower=True),
    control=dict(lower=True, half=Fraction(2, 5)),
    hypotheses=("d >= 1",),
)
def two_terms_of_the_series(*, lower: bool = False, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""Printed, $\log(1+\frac1{\sqrt d})$ is at most $\frac1{\sqrt d}-\frac1{2d}$; with `lower` it
    is at least that, where $\frac12$ is `half`.
    """
    return forall(
        sp.log(1 + 1 / sp.sqrt(d)), ">=" if lower else "<=", 1 / sp.sqrt(d) - half / d, {d: Closed(1, sp.oo)}
    )
