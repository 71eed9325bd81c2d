"""R4: the powers of L with which the errors of output and gradients on Gaussian tokens decay,
averaged over Gaussian queries.

From above, the weights of Gaussian scores obey a Chernoff bound whose parameter theta = 1 + b makes
the average over queries flat. From below, one token dominates with the probability that its score
exceeds ln L + s/2, up to a logarithm, and then the softmax covariance almost vanishes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import log_ndtr
from sympy import oo

from numerics.attention.exact.dispatch import exact_errors
from numerics.attention.quadrature.score_moments import ScoreMoments, score_moments
from numerics.attention.quadrature.softmax_weights import softmax_moments
from numerics.attention.setting import AttentionSetting
from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.counterexamples.drawn.computed import Computed, Decades, Share
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import refuted_exactly, supported, undecided
from proofs_check.instances.plain_weights import plain_weights
from proofs_check.instances.random_query.averaged_errors import near_its_exponent
from proofs_check.ours.gaussian.theorem_b import averaged_directly
from theory.attention.query_average import sharp_exponent
from theory.attention.softmax_covariance import GRAD_U_MOMENTS, spread_moments

Floats = NDArray[np.float64]
b, lnL = sp.symbols("b Lambda", positive=True)  # Lambda = ln L
s = sp.Symbol("s", nonnegative=True)
VARIANCES, LENGTHS = (0.01, 0.5, 2.0, 8.6, 64.0, 400.0), np.array([1.0, 2.0, 10.0, 1e3, 1e8, 1e20, 1e100])
LONG_LENGTHS = (1e50, 1e100)


@cache
def _moments(variance: float) -> ScoreMoments:
    return score_moments(variance, LENGTHS)


@claim("OURS:R4.errors", control=dict(D2=5201, Sc=65, D_pi2=43, T2=2))
def errors_by_P2(*, D2: int = 5202, Sc: int = 66, D_pi2: int = 45, T2: int = 3) -> Evidence:
    r"""If every moment in the formulas of the gradients lies between 0 and $P_2$, then
    $\mathbb{E}D^2\leq5202(1+s)^2P_2$, $\mathbb{E}S_c\leq66(1+s)P_2$,
    $|\mathbb{E}[D\pi_2]|\leq45(1+s)P_2$ and $Q+\mathbb{E}T_2\leq3P_2$. The constants are `D2`,
    `Sc`, `D_pi2` and `T2`.

    The symbols that begin with `t` are the moments over $P_2$.
    """
    shares = {key: sp.Symbol("t" + "".join(map(str, key)), nonnegative=True) for key in GRAD_U_MOMENTS}
    spread = spread_moments(s, {**shares, (2,): sp.S.One})

    def at_most(moment: sp.Expr, bound: sp.Expr) -> Evidence:
        ranges = {x: Closed(0, 1) for x in shares.values() if moment.has(x)}
        return forall(moment, "<=", bound, {**ranges, **({s: Closed(0, oo)} if bound.has(s) else {})})

    return all_of(
        at_most(spread.D2, D2 * (1 + s) ** 2),
        at_most(spread.Sc, Sc * (1 + s)),
        at_most(spread.D_pi2, D_pi2 * (1 + s)),
        at_most(-spread.D_pi2, D_pi2 * (1 + s)),
        at_most(spread.Q + spread.T2, sp.Integer(T2)),
    )


@claim(
    "OURS:R4.above",
    sharp="c",
    hypotheses=("L in Integers", "L >= 1", "s >= 0", "beta > 0", "beta <= 1"),
)
def weights_from_above(*, c: int | Fraction = 20) -> Evidence:
    r"""$P_2\leq20\,L^{-\beta}e^{\beta(1+\beta)s/2}$ is derived for every $L$: where the sum $S$ of
    the weights is at least $S_0=\frac L2e^{s/2}$, the sum of the $p_i^2$ is at most that of the
    $(w_i/S_0)^{1+\beta}$; and $\mathbb{P}(S<S_0)\leq e^{-LU/4}$ with $U=4^{-1/\beta}
    e^{-(1+\beta)s/2}$ by Chernoff's method, as $e^{-y}\leq1-y+y^{1+\beta}$. It is tried by
    quadrature; `c` stands for the 20. Without scores $P_2=1/L$, which refutes every `c` below 1.
    """
    return derivation("OURS:R4.above", _from_above(c).replace(sides=(drawn_from_above(float(c)),)), c=c)


#: Lengths at which drawn scores are tried.
DRAWN_LENGTHS = (1.0, 2.0, 10.0, 1e2, 1e4, 1e8, 1e30)


def bound_of_P2(c: float, s: float, beta: float, L: Floats) -> Floats:
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(c * np.exp(-beta * np.log(L) + beta * (1 + beta) * s / 2))


def drawn_from_above(c: float) -> Computed:
    lengths = np.array(DRAWN_LENGTHS)
    return Computed(
        "s up to 400, beta from 0 to 1, L = 1 to 1e30",
        {"s": Decades(0.01, 400.0, zero=True), "beta": Share(0.0, 1.0)},
        lambda s, beta: (softmax_moments(s, lengths).P2, bound_of_P2(c, s, beta, lengths)),
        lambda s, beta, L: float(plain_weights(s, L).P2),
        along=("L", DRAWN_LENGTHS),
    )


def _from_above(c: int | Fraction) -> Evidence:
    if c < 1:
        witness: dict[str, Any] = {"L": 1, "s": 0, "beta": 1, "P2": 1, "bound": c, "c": c}
        return refuted_exactly(witness)
    slack, tightest = math.inf, dict[str, Any]()
    for variance in VARIANCES:
        for beta in (0.1, 0.25, 0.5, 0.75, 1.0):
            ratio = bound_of_P2(float(c), variance, beta, LENGTHS) / _moments(variance).P2
            i = int(np.argmin(ratio))
            if ratio[i] < slack:
                slack, tightest = float(ratio[i]), {"s": variance, "L": f"{LENGTHS[i]:g}", "beta": beta}
    covered = f"s = {VARIANCES}, beta = 0.1 to 1, L = 1 to 1e100"
    if slack < 1 - 1e-10:
        return undecided("quadrature", f"{covered}; least ratio {slack} at {tightest}")
    checked = rf"P_2 \le {c}\,L^{{-\beta}} e^{{\beta(1+\beta)s/2}}"
    return supported("quadrature", covered, checked=checked, slack=max(1.0, slack), tightest=tightest)


def log_probability(variance: float, L: float, half: float) -> float:
    """ln of P(sqrt(s) g >= ln L + half s + ln(8 (2 + s + g^2))); for s >= 1/2 the two sides cross
    once.
    """
    root = math.sqrt(variance)
    gap = lambda x: root * x - math.log(8 * (2 + variance + x**2)) - math.log(L) - half * variance
    return float(log_ndtr(-brentq(gap, 0.0, (math.log(L) + variance + 60.0) / root + 60.0)))


def _probability_again(variance: float, L: float, half: float) -> float:
    """The same probability in multiple precision, from another root finder."""
    from mpmath import mp, mpf

    with mp.workdps(30):
        v, level = mpf(variance), mp.log(mpf(L)) + mpf(half) * mpf(variance)
        x = level / mp.sqrt(v)
        for _ in range(200):
            x = (level + mp.log(8 * (2 + v + x**2))) / mp.sqrt(v)
        return float(mpf(L) * mp.erfc(x / mp.sqrt(2)) / 2)


@claim("OURS:R4.below/constants", control=dict(share=Fraction(17, 25), of_c=15, of_X=3))
def constants_of_one_token(*, share: Fraction = Fraction(16, 25), of_c: int = 16, of_X: int = 4) -> Evidence:
    r"""In the notation of the proof, with $r=|V|\tau/c$: $2X/w\leq c/(2|V|)$ where $X\leq
    w\tau/(4r)$, $\frac14(c-|V|T)^2\geq\frac1{16}c^2$ where $T\leq c/(2|V|)$, and
    $(w/(w+y))^2\geq\frac{16}{25}$ where $y\leq w/4$. Here `of_X`, `of_c` and `share` stand for 4,
    16 and $\frac{16}{25}$.
    """
    X, w, y, c, V, T = sp.symbols("X w y c V T", positive=True)
    where = [(X, "<=", w * c / (of_X * V))]
    trace = forall(2 * X / w, "<=", c / (2 * V), dict.fromkeys((X, w, c, V), (0, oo)), where=where)
    given = [(T, "<=", c / (2 * V))]
    rest = forall((c - V * T) ** 2 / 4, ">=", c**2 / of_c, dict.fromkeys((c, V, T), (0, oo)), where=given)
    weight = forall(
        (w / (w + y)) ** 2, ">=", sp.Rational(share), dict.fromkeys((w, y), (0, oo)), where=[(4 * y, "<=", w)]
    )
    return all_of(trace, rest, weight)


@claim(
    "OURS:R4.below",
    control=dict(half=Fraction(1, 4)),
    needs=("OURS:R4.Q", "OURS:R4.below/constants"),
    hypotheses=("L in Integers", "L >= 1", "s > 0"),
)
def one_token_dominates(*, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""For $\Pi=\mathbb{P}(\sqrt sg\geq\ln L+\frac s2+\ln(8(2+s+g^2)))$, $\mathbb{E}D^2\geq\frac
    L8\Pi$ and $P_2\geq\frac8{25}L\,\Pi$ are tried by quadrature up to $L=10^{100}$; `half` stands
    for the $\frac12$ of $\frac s2$.
    """
    return _from_below(half).replace(sides=(drawn_from_below(float(half)),))


def drawn_from_below(half: float) -> Computed:
    """Both bounds, that of P2 divided by 64/25, at drawn variances and lengths."""
    lengths = np.array(DRAWN_LENGTHS)

    def sides(s: float) -> tuple[list[float], Floats]:
        m = score_moments(s, lengths)
        least = [math.exp(math.log(L) + log_probability(s, L, half)) / 8 for L in DRAWN_LENGTHS]
        return least, np.minimum(m.spread.D2, np.asarray(m.P2) * 25 / 64)

    covered = "s from 1/2 to 400, L = 1 to 1e30"
    again = lambda s, L: _probability_again(s, L, half) / 8
    return Computed(
        covered, {"s": Decades(0.5, 400.0, 8.0)}, sides, again, along=("L", DRAWN_LENGTHS), each=5
    )


def _from_below(half: Fraction) -> Evidence:
    slack, tightest = math.inf, dict[str, Any]()
    for variance in VARIANCES:
        m = _moments(variance)
        for L, D2, P2 in zip(LENGTHS, m.spread.D2, m.P2):
            many = math.exp(math.log(L) + log_probability(variance, L, float(half)))
            at = {"s": variance, "L": int(L), "E D^2": float(D2), "half": half}
            if many / 8 > D2:
                again = _probability_again(variance, L, float(half)) / 8
                return refuted_by_two_routes("quadrature", at, many / 8, float(D2), again)
            ratio = float(min(8 * D2, P2 * 25 / 8)) / many if many else math.inf  # beyond floats
            if ratio < slack:
                slack, tightest = ratio, {"s": variance, "L": f"{L:g}"}
    if slack < 1:
        return undecided("quadrature", f"P2 is below (8/25) L Pi at {tightest}")
    event = r"\sqrt{s}\,g \ge \ln L + \tfrac{s}{2} + \ln(8(2+s+g^2))"
    checked = (
        r"\mathbb{E}D^2 \ge \tfrac{L}{8}\Pi,\ P_2 \ge \tfrac{8}{25}L\,\Pi,\quad \Pi = "
        rf"\mathbb{{P}}({event})"
    )
    covered = f"s = {VARIANCES}, L = 1 to 1e100"
    return supported("quadrature", covered, checked=checked, slack=slack, tightest=tightest)


@claim("OURS:R4.exponent/flat", control=dict(two=3))
def flat_average(*, two: int = 2) -> Evidence:
    r"""For $\theta=1+b$, $\frac1\lambda=b^2+b$ and $X=\frac{2\ln L}{1+b}$,
    $\theta^2-\theta=\frac1\lambda$, $\frac X{2\lambda}=b\ln L$ and $\ln L-\frac X2=\frac b{1+b}\ln
    L$; `two` stands for the 2 of $X$.
    """
    theta, X, inverse = 1 + b, two * lnL / (1 + b), b**2 + b
    return all_of(
        identity(theta**2 - theta, inverse),
        identity(X * inverse / 2, b * lnL),
        identity(lnL - X / 2, b / (1 + b) * lnL),
    )


@claim("OURS:R4.exponent/limit", sharp="two", control=dict(share=2))
def limit_is_positive(*, two: int | Fraction = 2, share: int | Fraction = 1) -> Evidence:
    r"""In every dimension it is derived that $v^\top\Gamma v\,{\rm tr}\,\Gamma$ is at most the
    bracket of R4.limit, as the rest of it is $|(v^\top h)h+\Gamma v|^2+(v^\top h)^2{\rm
    tr}\,\Gamma+v^\top\Gamma v|h|^2$, and at least $|\Gamma v|^2$, so that the bracket is positive
    for a row $v$ of $V$ with $\Gamma v\neq0$. Here `two` stands for the 2 before the last term of
    the bracket, and `share` multiplies $|\Gamma v|^2$. The second routes are $2xy\leq x^2+y^2$ for
    $x=|v^\top h||h|$ and $y=|\Gamma v|$, and the case $d=1$.
    """
    x, y = sp.symbols("x y", positive=True)
    cross = forall(sp.Rational(two) * x * y, "<=", x**2 + y**2, {x: (0, oo), y: (0, oo)})
    line = forall(sp.Rational(share) * x**2 * y, "<=", x**2 * y, {x: (0, oo), y: (0, oo)})
    return derivation("OURS:R4.exponent/limit", cross, line, two=two, share=share)


def _settings() -> Iterator[AttentionSetting]:
    """One direction; V blind to the direction of the scores, so that rho = 0; lambda = 1/2 with
    tokens on a line; no scores.
    """
    yield AttentionSetting([[1.0]], [[1.2]], [[1.0]], query_cov=[[1.0]], name="d = 1, lambda = 1.44")
    name = "V blind to the scores, lambda = 1.44"
    yield AttentionSetting(np.eye(2), np.diag([1.2, 0.0]), [[0.0, 1.0]], query_cov=np.eye(2), name=name)
    line = np.diag([1.0, 0.0])
    yield AttentionSetting(
        line,
        math.sqrt(0.5) * np.eye(2),
        np.ones((1, 2)),
        query_cov=np.eye(2),
        name="singular Gamma, lambda = 1/2",
    )
    yield AttentionSetting(np.eye(2), np.zeros((2, 2)), np.eye(2), query_cov=np.eye(2), name="U = 0")


@cache
def _far_errors() -> list[tuple[AttentionSetting, Floats, Floats]]:
    found = [(x, exact_errors(x, lengths=LONG_LENGTHS, tolerance=1e-2)) for x in _settings()]
    return [(setting, e.output, e.grad_U) for setting, e in found]


@claim(
    "OURS:R4.exponent",
    control=dict(scale=Fraction(11, 10)),
    needs=(
        "OURS:R4.A.ode",
        "OURS:R4.Q",
        "OURS:R4.limit",
        "OURS:R4.above",
        "OURS:R4.errors",
        "OURS:R4.below",
        "OURS:R4.B/exponent",
        "OURS:R4.exponent/flat",
        "OURS:R4.exponent/limit",
    ),
    cites=("Fatou's lemma",),
)
def exponent_of_all_errors(*, scale: int | Fraction = 1) -> Evidence:
    r"""At $L=10^{50}$ the slope $\ln(\mathcal{E}(L)/\mathcal{E}(L^2))/\ln L$ is $\min(1,b)$ up to
    $0.025$; a factor $(\ln L)^k$ of the error changes it by $k\ln2/\ln L=0.006\,k$. Here `scale`
    multiplies $\min(1,b)$.
    """
    return _at_far_lengths(scale).replace(sides=(near_its_exponent(float(scale)),))


def _at_far_lengths(scale: int | Fraction) -> Evidence:
    farthest = 0.0
    for setting, *errors in _far_errors():
        exponent = float(scale) * sharp_exponent(setting.score_variance)
        for name, e in zip(("output", "grad_U"), errors):
            slope = math.log(e[0] / e[1]) / math.log(LONG_LENGTHS[0])
            off = abs(slope - exponent)
            if off > 0.025:
                at = {"setting": setting.name, "quantity": name, "L": LONG_LENGTHS[0], "exponent": exponent}
                again = (
                    [averaged_directly(setting.score_variance, L) for L in LONG_LENGTHS]
                    if (setting.d, name) == (1, "output")
                    else None
                )
                if again is None:
                    return undecided("quadrature", f"the slope is {slope} at {at}")
                off_again = abs(math.log(again[0] / again[1]) / math.log(LONG_LENGTHS[0]) - exponent)
                return refuted_by_two_routes("quadrature", at, off, 0.025, off_again)
            farthest = max(farthest, off)
    covered = (
        f"{'; '.join(x.name for x, *_ in _far_errors())}; L = 1e50 to 1e100, where the slope is "
        f"min(1, b) to {farthest:.2g}"
    )
    checked = r"|\ln(\mathcal{E}(L)/\mathcal{E}(L^2))/\ln L - \min(1,b)| \le 1/40,\quad L = 10^{50}"
    return supported("quadrature", covered, checked=checked)
