"""Theorem E.1 of Collins et al.: the width for ReLU tasks, case by case."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Integers, computed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging
from proofs_check.core.witnessed import along
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, charge
from proofs_check.instances.window.from_below import BELOW, EVERY, WIDE, d, w

n = Diverging.n
X, c, k = sp.symbols("X c k", positive=True)
y = sp.Symbol("y", real=True)
#: A power of both sides that the engine reads: d/2 and the like.
half_d = d / sp.S(2)
#: Classes with L = 1/k, whose signal term is at most 4L^2 by Lemma C.2.
SMALL_TASKS = Diverging(
    point={"scale": Fraction(1)},
    hypotheses=("scale > 0",),
    sequence=lambda k, scale: {"scale": scale / k},
    ratio=lambda scale: 1 / (4 * scale**2),
    exceeds=n**2 / 5,
)


@claim(
    "COL:E.1-c1",
    **TYPO,
    follows="COL:C.5/narrow",
    repair=dict(square=True),
    control=dict(square=True, share=10),
    needs=("OURS:R8.below", "COL:C.9"),
    hypotheses=("scale > 0",),
)
def case_one(*, square: bool = False, share: int = 15) -> Evidence:
    r"""Printed (`square` = False): classes with $L=1/k$ are below every constant. With $L^2$, for
    $d\geq2$ and $w<d+\sqrt d$, the root of $6d/L^2$ times the signal term of ReLU tasks is at least
    1 over `share` = 15, derived for every prompt length; it is tried on $\frac{d-1}{d-1+4w}$.
    """
    if not square:
        return along(SMALL_TASKS)
    search = forall(BELOW, ">=", sp.Rational(1, share), EVERY, where=[(w, "<", d + sp.sqrt(d))])
    return derivation("COL:E.1-c1", search, share=share)


def loss_from_above(m: sp.Expr, width: sp.Expr) -> sp.Expr:
    """The loss over the noise for d = 3, n = m^3 and L^2 = sigma^2/n, from above: 4L^2 for the
    signal, and the bound of ours for the noise.
    """
    return (4 + 36 * width) / m**3


BEYOND = Diverging(
    point={"c": Fraction(1)},
    hypotheses=("m >= 100", "w > 0"),
    sequence=lambda k, c: {"m": k + 720, "w": c * (k + 720) ** 2},
    ratio=lambda m, w: 1 / (3 * sp.log(m) * loss_from_above(m, w)),
    exceeds=sp.sqrt(n) / 1000,
    least=1,
)


@claim(
    "COL:E.1-c2",
    **charge(false="gap", follows="COL:D.1/lower", costs="constants"),
    needs=("OURS:R8.above", "COL:C.2"),
    repair=dict(power=True),
    control=dict(power=True, share=Fraction(1, 2)),
    hypotheses=BEYOND.hypotheses,
)
def case_two(*, power: bool = False, share: int | Fraction = 1) -> Evidence:
    r"""Printed (`power` = False): for $d=3$ the loss over $\sigma^2$ is below every constant times
    $1/\log n$. With `power` the noise is at least $c\sigma^2n^{-1/d}(\log n)^{-(d-1)/d}$ for
    $w>(\frac n{\log n})^{2/d}$ with a constant $c$ of $d$, both exponents times `share` = 1,
    derived for every $d\geq2$ and $n\geq3$; the exponents are tried at the threshold.
    """
    if not power:
        return along(BEYOND)
    threshold = (d - 1) / sp.S(2) * 2 / d
    large, share_ = {d: Integers(2, sp.oo)}, sp.Rational(share)
    of_n = forall(-share_ / d, "<=", computed(r"\text{exponent of }n", threshold - 1), large)
    of_log = forall(-share_ * (d - 1) / d, "<=", computed(r"\text{of }\log n", -threshold), large)
    return derivation("COL:E.1-c2", all_of(of_n, of_log), share=share)


@claim("COL:E.1-c3/argmin", **TYPO, repair=dict(two=2), control=dict(two=3), hypotheses=("w > 0",))
def least_width(*, two: int = 1) -> Evidence:
    r"""Where $w^{(d+2)/2}$ is `two` (printed: 1) times $\Lambda/d$ the two parts of the derivative
    of $\frac1w+\frac{w^{d/2}}{\Lambda}$ cancel, printed; otherwise this bound is at $we^y$ at least
    that at $w$, for every real $y$.
    """
    if two != 1:
        bound = lambda width: 1 / width + two * width**half_d / (d * w ** (half_d + 1))
        everywhere = {w: (0, oo), y: (-oo, oo), d: Integers(1, oo)}
        return forall(bound(w * sp.exp(y)), ">=", bound(w), everywhere)
    rising = half_d * w ** (half_d - 1) / (d * w ** (half_d + 1) / two)
    return identity(computed(r"\partial_w(w^{d/2}/\Lambda)", sp.powsimp(sp.simplify(rising))), 1 / w**2)


@claim("COL:E.1-c3/value", control=(dict(four=2), dict(one=2)))
def value_at_the_printed_width(*, four: int = 4, one: int = 1) -> Evidence:
    r"""At the printed width, $\frac1X$ with $X=(\frac{d}{\Lambda})^{2/(d+2)}$, the bound is $2cL^2$
    times $X(1+\frac1d)$, where the 1 in $\frac1d$ is `one`, at most `four` = 4 times $cL^2X$.
    """
    value = X + sp.powsimp(sp.simplify(X ** (half_d + 1) / d * X**-half_d))
    whole = identity(computed(r"\tfrac1w+\tfrac{w^{d/2}}{\Lambda}", value), X * (1 + one / d))
    return all_of(whole, forall(2 * X * (1 + 1 / d), "<=", four * X, {X: (0, oo), d: Integers(1, oo)}))


@claim("COL:E.1.low", control=dict(four=3))
def lower_end(*, four: int = 4) -> Evidence:
    r"""From the bound of the optimal loss follows
    $w\geq(\frac{nL^2}{d\sigma^2})^{1/(d+2)}\sqrt{\frac{c^\prime}{4c}}$, where the last 4 is `four`;
    it is tried with $X=(d/\Lambda)^{2/(d+2)}$: if $\frac{c^\prime}{w^2}\leq4cX$ then
    $w^2\geq\frac{c^\prime}{4cX}$.
    """
    where = [(k / w**2, "<=", 4 * c * X)]
    search = forall(w**2, ">=", k / (four * c * X), dict.fromkeys((w, X, c, k), (0, oo)), where=where)
    return derivation("COL:E.1.low", search, four=four)


@claim("COL:E.1.up", control=(dict(halves=3), dict(four=3)))
def upper_end(*, halves: int = 2, four: int = 4) -> Evidence:
    r"""From the bound of the optimal loss follows
    $w\leq(\frac{nL^2}{\sigma^2})^{2/(d+2)}(\frac{4c}{c^\prime}d^{2/(d+2)})^{2/d}$, where the first
    2 is `halves` and the last 4 is `four`, for every real $d>0$; it is tried for $d=2$ with
    $y=\Lambda^{1/4}$: if $c^\prime w\leq4c\sqrt2\,y^2$ then $w\leq\frac{4c}{c^\prime}\sqrt2\,y^2$.
    """
    y = sp.Symbol("y", positive=True)
    where = [(k * w, "<=", 4 * c * sp.sqrt(2) * y**2)]
    search = forall(
        w, "<=", four * c / k * sp.sqrt(2) * y**halves, dict.fromkeys((w, y, c, k), (0, oo)), where=where
    )
    return derivation("COL:E.1.up", search, halves=halves, four=four)


@claim(
    "COL:E.1.up/inference",
    **charge(false="gap", follows="COL:D.1/lower", costs="nothing"),
    needs=("OURS:R8.law",),
    repair=dict(printed=False),
    control=dict(printed=False, extra=2),
    hypotheses=("e >= 1",),
)
def upper_end_with_the_true_noise(*, printed: bool = True, extra: int = 1) -> Evidence:
    r"""With the noise $w^{(d-1)/2}$ the exponent $(1-\frac{2}{d+2})\frac{2}{d-1}$ is the printed
    $\frac{2}{d+2}$, or (`printed` = False) $\frac{2d}{(d-1)(d+2)}$ over `extra` = 1.
    """
    e = sp.Symbol(
        "e", integer=True, positive=True
    )  # the exponent has a pole at d = 1, which e + 1 leaves out
    stated = sp.S(2) / (e + 3) if printed else 2 * (e + 1) / (extra * e * (e + 3))
    return identity(computed(r"(1-\tfrac{2}{d+2})\tfrac{2}{d-1}", (1 - sp.S(2) / (e + 3)) * 2 / e), stated)


AT_THE_END = Diverging(
    point={"c": Fraction(1)},
    hypotheses=("n >= 3", "r > 0"),
    # r = L^2/sigma^2 with n = r^(3/2): the ends are (n r)^(2/5) and (n/log n)^(2/3)
    sequence=lambda k, c: {"n": (k + 2) ** 3, "r": c * (k + 2) ** 2},
    ratio=lambda n, r: (n * r) ** sp.Rational(2, 5) * (sp.log(n) / n) ** sp.Rational(2, 3),
    exceeds=sp.log(n) ** sp.Rational(1, 2) / 2,
)


@claim(
    "COL:E.1.vac",
    **charge(false="gap", costs="a hypothesis"),
    repair=dict(logarithm=True),
    control=(dict(logarithm=True, halves=1), dict(logarithm=True, extra=1)),
    hypotheses=AT_THE_END.hypotheses,
)
def ends_compared(*, logarithm: bool = False, halves: int = 2, extra: int = 2) -> Evidence:
    r"""Printed (`logarithm` = False): for $d=3$ a sequence at the end of the range. With
    $R=\frac{L^2}{\sigma^2}$ and $n=e^N\geq CR^{d/2}(\log n)^{(d+2)/2}$, where the 2 beside $d$ is
    `extra`, it is $(nR)^{2/(d+2)}\leq C^{-4/(d(d+2))}(\frac{n}{\log n})^{2/d}$, where the 2 in
    $\frac2d$ is `halves`, derived for every $d\geq1$, $R>0$, $C>0$ and $n>1$. The exponents of $n$
    and $\frac1{\log n}$ are tried at the end of the range.
    """
    if not logarithm:
        return along(AT_THE_END, d=3)
    whole = {d: Integers(1, sp.oo)}
    of_n = forall((1 + sp.S(2) / d) * 2 / (d + 2), "<=", sp.Rational(halves) / d, whole)
    of_log = forall(2 / d, "<=", (d + extra) / sp.S(2) * 2 / d * 2 / (d + 2), whole)
    search = all_of(of_n, of_log)
    return derivation("COL:E.1.vac", search, halves=halves, logarithms=extra)


#: d = 2, L = 1: the least whole width of Case 3, the fewest tokens of the theorem, and less and
#: less noise.
QUIET = Diverging(
    point={"c": Fraction(1)},
    hypotheses=("w > 2 + sqrt(2)", "w < n/log(n)", "n >= 1/sigma2"),
    sequence=lambda k, c: {"w": 4, "n": (k + 10) ** 2, "sigma2": c / (k + 10) ** 2},
    ratio=lambda w, n, sigma2: 1 / (sigma2 * w**2),  # the noise term is at most sigma^2
    exceeds=n**2 / 20,
)


@claim(
    "COL:E.1.ref",
    **TYPO,
    repair=dict(whole=True),
    control=dict(whole=True, share=5),
    needs=("OURS:R8.below",),
    hypotheses=QUIET.hypotheses,
)
def which_loss(*, whole: bool = False, share: int = 8) -> Evidence:
    r"""Printed, for $d=2$ and $L=1$ a sequence of noises in the range of Case 3 defeats every
    constant. For the loss, whose signal term is counted, the root of $3d/L^2$ times it is at least
    $\frac{d-1}{w}$ over `share` = 8 for $w\geq\frac{d+\sqrt d}{2}$.
    """
    if not whole:
        return along(QUIET, d=2, L=1)
    return forall(BELOW, ">=", (d - 1) / (share * w), EVERY, where=[WIDE])
