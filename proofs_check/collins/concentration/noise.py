"""Appendix D of Collins et al., and the noise in their sketch: the noise term has the exponent of a
sphere of dimension d - 1, and not d.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, computed, forall, identity, trace_identity
from proofs_check.core.claim import claim
from proofs_check.core.robust import Diverging
from proofs_check.core.witnessed import along
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, charge
from proofs_check.instances.window.along_lengths import at_most, only_noise
from theory.symbolic.algebra import Algebra

n = Diverging.n
w, r, s, t = sp.symbols("w r s t", positive=True)


@claim(
    "COL:3.1.w",
    **charge(false="typo", follows="COL:B.eq7", costs="constants"),
    repair=dict(half=2),
    control=(dict(half=3), dict(half=2, factor=Fraction(3, 2))),
    hypotheses=("e > 0",),
)
def weights_in_the_window(*, half: int = 1, factor: int | Fraction = 2) -> Evidence:
    r"""At $\|x-x_i\|^2=\frac cw$ on the sphere, with $c=1+e>1$, the score $w(x^\top x_i-1)$ is
    $-c$ over `half` (printed: 1). For $w\|x-x_i\|^2=s\leq1$ the weight $e^{-s/2}$ is at least 1
    over `factor` = 2.
    """
    c = 1 + sp.Symbol("e", positive=True)
    height = sp.solve(sp.Eq(2 - 2 * t, c / w), t)[0]
    exponent = identity(computed(r"w(x^\top x_i-1)", sp.expand(w * (height - 1))), sp.expand(-c / half))
    inside = forall(sp.exp(-s / 2), ">=", 1 / sp.Rational(factor), {s: sp.Interval.Lopen(0, 1)})
    return all_of(exponent, inside)


CAP = Diverging(
    point={"c": Fraction(1)},
    hypotheses=("w > 0", "c > 0"),
    # d = 3: the cap 1 - t <= 1/(2w) has the measure 1/(4w)
    sequence=lambda k, c: {"c": c, "w": c * k**2},
    ratio=lambda c, w: w ** sp.Rational(3, 2) / (4 * w),
    exceeds=n / 5,
)


@claim(
    "COL:3.1.noise",
    **charge(false="gap", follows="COL:G.5/large", costs="constants"),
    needs=("COL:G.1/lower", "COL:G.1/upper"),
    repair=dict(dimensions=1),
    control=dict(dimensions=1, four=5),
    hypotheses=CAP.hypotheses,
)
def tokens_in_the_window(*, dimensions: int = 0, four: int = 4) -> Evidence:
    r"""Printed (`dimensions` = 0), for $d=3$ the power $w^{3/2}$ over $4w$ exceeds every constant.
    With `dimensions` = 1 one over the measure of the cap is `four` = 4 times $w^{(3-1)/2}$.
    """
    if not dimensions:
        return along(CAP, d=3)
    height = sp.Symbol("h", real=True)
    measure = sp.integrate(sp.Rational(1, 2), (height, 1 - 1 / (2 * w), 1))
    return identity(computed(r"1/\sigma_{1/(2w)}", 1 / measure), four * w)


@claim("COL:D.noise", control=dict(square=2), assumes=("independent noise of variance sigma^2",))
def noise_of_a_prompt(*, square: int = 1) -> Evidence:
    r"""For any number of tokens $(\sum\gamma_i\epsilon_i)^2$ is
    $\gamma^\top\epsilon\epsilon^\top\gamma$, with the mean `square` = 1 times
    $\sigma^2\sum\gamma_i^2$, as $\mathbb E\epsilon\epsilon^\top=\sigma^2I$.
    """
    A = Algebra(vectors=["gamma", "epsilon"], params=["s"])
    g, epsilon, variance = (A[name] for name in ("gamma", "epsilon", "s"))
    pairs = trace_identity((g.T * epsilon) * (g.T * epsilon), g.T * (epsilon * epsilon.T) * g)
    return all_of(pairs, trace_identity(g.T * (variance * A.I) * g, square * variance * (g.T * g)))


#: d = 3, n = m^3 and w = m, inside the range of the lemma; the bound of ours on the noise, times n.
POWERS = Diverging(
    point={"c": Fraction(1)},
    hypotheses=("m >= 100", "w > 0"),
    sequence=lambda k, c: {"m": (k + 100) ** 2, "w": c * (k + 100) ** 2},
    ratio=lambda m, w: sp.sqrt(w) / 36,
    exceeds=n / 100,
    least=1,
)


def in_range(d: int, tokens: int) -> NDArray[np.float64]:
    """Widths of the lemma, from d + sqrt d to (n/log n)^{2/d}."""
    low, high = d + math.sqrt(d), (tokens / math.log(tokens)) ** (2 / d)
    return np.geomspace(low, min(high, 300.0), 6) if high > low else np.empty(0)


CASES = (2, 3, 5), (100, 10_000, 10**6)


@claim(
    "COL:D.1/lower",
    **charge(false="false", follows="COL:G.5/large", costs="constants"),
    robust=POWERS,
    needs=("OURS:R8.above",),
    repair=dict(dimensions=1),
    control=dict(dimensions=Fraction(1, 2)),
    hypotheses=POWERS.hypotheses,
)
def noise_from_below(*, dimensions: int | Fraction = 0) -> Evidence:
    r"""Printed (`dimensions` = 0), a sequence for $d=3$ defeats every constant. With `dimensions` =
    1, which is the 1 in $d-1$, the noise is at least $c\sigma^2\frac{w^{(d-1)/2}}{n}$ in the range,
    derived for every $d\geq2$ with a constant of $d$. It is tried with $c=\frac35$ for $d=2,3,5$.
    """
    if not dimensions:
        return along(POWERS, d=3)
    bound = lambda d, tokens, x: 0.6 * x ** ((d - float(dimensions)) / 2) / tokens
    stated = r"\mathcal L_{\rm noise}\geq c\,w^{(d-1)/2}/n"
    search = at_most(
        only_noise,
        bound,
        dimensions=CASES[0],
        lengths=CASES[1],
        widths=in_range,
        noise=1.0,
        checked=stated,
        floor=True,
    )
    return derivation("COL:D.1/lower", search, dimensions=dimensions)


@claim("COL:D.1/upper", control=dict(less=2), needs=("COL:D.noise",))
def noise_from_above(*, less: int = 0) -> Evidence:
    r"""The noise is at most $C\sigma^2\frac{1+w^{(d-l)/2}}{n}$ in the range, for $l$ the number
    `less` = 0, derived for every $d\geq2$ and $n$ with a constant of $d$. It is tried with
    $C=2$ for $d=2,3,5$.
    """
    bound = lambda d, tokens, x: 2 * (1 + x ** ((d - less) / 2)) / tokens
    stated = r"\mathcal L_{\rm noise}\leq C(1+w^{d/2})/n"
    search = at_most(
        only_noise, bound, dimensions=CASES[0], lengths=CASES[1], widths=in_range, noise=1.0, checked=stated
    )
    return derivation("COL:D.1/upper", search, less=less)


@claim("COL:D.1p", control=dict(two=3))
def powers_in_the_quotient(*, two: int = 2) -> Evidence:
    r"""For $g_0(r)$ between $C_bnr^{-d/2}$ and $C^bnr^{-d/2}$ the quotient of the bounds is
    $\frac{C^b}{C_b^22^{d/2}}\frac{w^{d/2}}{n}$, for every real $d>0$, where the 2 is `two`.
    """
    tokens, dimension, low, high = sp.symbols("n d C_b C^b", positive=True)
    order = lambda x: tokens * x ** (-dimension / 2)
    stated = high / (low**2 * two ** (dimension / 2)) * w ** (dimension / 2) / tokens
    return identity(computed(r"g_0(2w)/g_0(w)^2", high * order(2 * w) / (low * order(w)) ** 2), stated)


@claim(
    "COL:D.1w",
    **TYPO,
    repair=dict(scaled=True),
    control=dict(scaled=True, most=Fraction(9, 10)),
    hypotheses=("0 < s", "s <= 1"),
)
def worst_case(*, scaled: bool = False, most: int | Fraction = 1) -> Evidence:
    r"""For a sum $s\leq1$ of squared weights, $\sigma^2s$ is at most 1 (printed), or at most `most`
    = 1 times $\sigma^2$.
    """
    sigma2 = sp.Symbol("sigma2", positive=True)
    return forall(sigma2 * s, "<=", most * sigma2 if scaled else 1, {sigma2: (0, oo), s: (0, 1)})


@claim(
    "COL:D.2",
    **charge(false="edge", at="n = 1", costs="nothing"),
    repair=dict(tokens=2),
    control=dict(tokens=2, power=1),
    hypotheses=("0 < s", "s < t"),
    needs=("COL:D.noise",),
)
def noise_grows_with_the_width(*, tokens: int = 1, power: int = 2) -> Evidence:
    r"""With one token (printed allows it) $\sigma^2>\sigma^2$. With at least `tokens` = 2 uniform
    tokens of the sphere, in every dimension and for every number of them, the noise term, with the
    weights to the `power` = 2, rises strictly from each width $w^\prime\geq0$ to each larger one,
    which is the equivalence. It is tried for two tokens whose weights have the quotient $s<t\leq1$,
    the smaller the larger the width.
    """
    if tokens == 1:
        wide, narrow = (computed(rf"\mathcal L({name})/\sigma^2", sp.S.One) for name in ("w", r"w^\prime"))
        return forall(wide + 0 * s, ">", narrow + 0 * t, {s: (0, 1), t: (0, 1)}, where=[(s, "<", t)])
    total = lambda x: (1 + x**power) / (1 + x) ** power
    search = forall(total(s), ">", total(t), {s: (0, 1), t: (0, 1)}, where=[(s, "<", t)])
    return derivation("COL:D.2", search, tokens=tokens, power=power)


@claim("COL:D.2p", control=dict(sign=-1))
def one_order(*, sign: int = 1) -> Evidence:
    r"""For a positive width $w$, times `sign` = 1, the weight $e^{-ws}$ at the squared distance $s$
    is larger than at $s+t$, so that $a_i>a_j$ and $b_i>b_j$ are both the order of the distances.
    """
    near = sp.Symbol("s", nonnegative=True)
    everywhere = {w: (0, oo), near: Closed(0, oo), t: (0, oo)}
    return forall(sp.exp(-sign * w * near), ">", sp.exp(-sign * w * (near + t)), everywhere)
