"""Lemma C.4 of Boursier & Boyer, the proof: every deterministic step, from the inclusion of one
event in another to the last exponent, proved or refuted over its whole domain.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import Max, exp, log, oo, sqrt

from numerics.evidence import Contradiction, Evidence, Verdict, all_of, confirmed
from numerics.provers import Closed, Integers, forall, identity, integral_evidence
from proofs_check.core.claim import MEANS, claim
from theory.attention.layer import softmax_attention
from theory.bounds.concentration import delta_0
from theory.bounds.concentration_moments import tail_integral, threshold_c4, threshold_c7

L = sp.Symbol("L", integer=True, positive=True)
a2 = sp.Symbol("a2", nonnegative=True)  # sigma^2 |Uz|^2
K, sigma2, C_f, t = sp.symbols("K sigma2 C_f t", positive=True)  # K = sqrt(E|f|^4)
u, v, x, y, h = sp.symbols("u v x y h", positive=True)
theta, rho = sp.symbols("theta rho", nonnegative=True)  # in [0, 1]: how far an inequality that is used is from equality
UNIT_INTERVAL = Closed(0, 1)
q = sp.Symbol("q", nonnegative=True)  # |R/S|^2
m = sp.Symbol("m", positive=True)  # sqrt(E|Z|^(4p))
PROMPT_DOMAIN = {L: Integers(1, oo), a2: Closed(0, oo)}
SCALE = {1: 16 * sigma2 * C_f**2, 2: 16 * sigma2 * C_f}  # 16 sigma^2 C_f^(2/p)


def root(p: int, e: sp.Expr) -> sp.Expr:
    """Return the p-th root."""
    return e if p == 1 else sqrt(e)


@claim(
    "BB:LC.4.impl",
    false="typo",
    repair=dict(sign=">="),
    control=dict(c=Fraction(19, 10)),
    why=r"The first implication ends in '$\leq t$', which fails whenever the error is large: for $L=1$, $U=0$, $f(z)=z$, the "
    r"token $z=1$ of the law $P(\pm1)=1/4$, $P(0)=1/2$ and $t=1>t_0=\sqrt{1/2}$ the error is $1\geq t$, and "
    r"$2\cdot1^2+2\cdot0^2=2>1$.",
    instead=r"$\|R_L/S_L-R/S\|^2\geq t\Rightarrow 2\|R_L/S_L\|^2+2\|R/S\|^2\geq t$; the two implications that follow are then "
    r"right.",
    needs=("BB:LC.4.hull",),
    argument="|u - v| <= |u| + |v| reduces vectors to their norms; the third implication is |R_L/S_L| <= max |f(z_l)| from "
    "LC.4.hull",
    hypotheses=("u >= 0", "v >= 0", "theta > 0", "theta * (u + v)**2 > 0"),
)
def the_event_moves_to_the_largest_token(*, sign: str = "<=", c: int | Fraction = 2) -> Evidence:
    """c|u|^2 + c|v|^2 >= t with c = 2 (printed: <= t), where u = R_L/S_L and v = R/S; t = theta
    (|u| + |v|)^2 with theta in (0, 1] runs through the values that the error |u - v|^2 can reach.

    Then |u|^2 >= t/2 - |v|^2 by rearrangement.
    """
    b, a = sp.symbols("v u", nonnegative=True)
    error = theta * (a + b) ** 2
    first = forall(c * (a**2 + b**2), sign, error, {b: Closed(0, oo), a: Closed(0, oo), theta: sp.Interval.Lopen(0, 1)})
    if not first.verdict.accepted:
        return first
    return all_of(first, identity(c * (a**2 - (t / c - b**2)), c * a**2 + c * b**2 - t)).replace(control=None)


@claim(
    "BB:LC.4.hull",
    false="typo",
    repair=dict(hull="f(z_k)"),
    control=dict(hull="f(z_k) and 0"),
    why=r"What is averaged are the values $f(z_\ell)$, not the tokens: for $L=1$, $f(z)=2z$, $z_1=1$ it is 2, outside the "
    r"hull $\{1\}$.",
    instead=r"$R_L/S_L$ lies in the convex hull of $(f(z_\ell))_\ell$, so $\|R_L/S_L\|\leq\max_\ell\|f(z_\ell)\|$, which is "
    r"what the proof uses.",
    hypotheses=("d in Integers", "d >= 1", "L in Integers", "L >= 1"),
    argument="by induction v.(R_L/S_L) <= M = max v.f(z_k) for every v, which puts the average into the hull of the f(z_k)",
)
def average_lies_in_a_convex_hull(*, hull: str = "z_k") -> Evidence:
    """For every v, token by token, M - v.(R_L/S_L) stays a mean of the M - v.f(z_k) >= 0 with
    positive weights, M = max v.f(z_k); printed: the hull of the z_k.
    """
    if hull != "f(z_k)":
        average = softmax_attention([[1.0]], [0.0], [[0.0]], [[2.0]])[0]  # f(z) = 2z at the only token 1
        if average != 2:
            raise Contradiction(f"one token z = 1 with f(z) = 2z has the average {average}, not 2")
        witness = {"d": 1, "L": 1, "z_1": 1, "f(z_1)": 2, "R_L/S_L": 2, "largest point of the hull": 1}
        return Evidence(verdict=Verdict.REFUTED, engine="exact arithmetic", witness=witness, witness_by="exact")
    S_L, w = sp.symbols("S_L w", positive=True)
    R, y, M = sp.symbols("R y M", real=True)  # v.R_L, the new v.f(z), and the bound of all of these
    longer = (R + w * y) / (S_L + w)
    return identity(M - longer, S_L / (S_L + w) * (M - R / S_L) + w / (S_L + w) * (M - y))


@claim("BB:LC.4.log", control=dict(c=Fraction(5, 2)), reference={})
def logarithm_of_delta_0(*, c: int | Fraction = 64) -> Evidence:
    """1 - ln(delta_0) = 1 + 2 ln L - 6 ln 2 - 4 a2 <= 2 ln L, with c = 64 in delta_0; any c >= e
    would do.
    """
    value = 1 - log(delta_0(L, a2, c))
    bound = forall(value, "<=", 2 * log(L), PROMPT_DOMAIN)
    return all_of(identity(value, 1 + 2 * log(L) - log(c) - 4 * a2), bound) if bound.verdict.accepted else bound


@claim(
    "BB:LC.4.t0",
    assumes=(MEANS,),
    control=dict(exponent=Fraction(9, 10)),
    needs=("BB:LC.1.15",),
    argument="|R/S| <= e^{a2} sqrt(E|f|^2) is (15), and E|f|^2 <= sqrt(E|f|^4) = K by Jensen",
)
def thresholds_and_limit(*, exponent: int | Fraction = 1) -> Evidence:
    """t_0 = L K and, for Lemma C.7, t_0 = L K^2; |R/S|^2 <= e^{2 a2} K, where |R/S| = rho e^{a2}
    sqrt(theta K), rho, theta <= 1.
    """
    ratio = rho * exp(a2) * sqrt(theta * K)
    domain = {rho: UNIT_INTERVAL, theta: UNIT_INTERVAL, K: (0, oo), a2: Closed(0, oo)}
    limit = forall(ratio**2, "<=", exp(2 * sp.Rational(exponent) * a2) * K, domain)
    if not limit.verdict.accepted:
        return limit
    fourth = forall(ratio**4, "<=", exp(4 * a2) * K**2, domain)
    return all_of(identity(threshold_c4(L, a2, K), L * K), identity(threshold_c7(L, a2, K), L * K**2), limit, fourth)


@claim(
    "BB:LC.4.lo",
    control=dict(c=Fraction(9, 10)),
    needs=("BB:LC.4.t0",),
    argument="t_0 = L K and |R/S|^2 = theta e^{2 a2} K with theta <= 1; multiply by K, take the p-th root, which is increasing, "
    "and divide by 16 sigma^2 C_f^{2/p}",
    reference=dict(theta=sp.tanh(sp.Rational(1, 2)) ** 2 / exp(sp.Rational(1, 2))),
)
def lower_limit_from_below(*, c: int | Fraction = 1) -> Evidence:
    """(t_0/2 - |R/S|^2)_+ >= (L/2 - c e^{2 a2})_+ K with c = 1; both sides to the power 1/p, over
    the same scale, for p = 1, 2.
    """
    positive, least = (Max(L / 2 - e * exp(2 * a2), 0) for e in (theta, sp.Rational(c)))
    found = forall(positive, ">=", least, {**PROMPT_DOMAIN, theta: UNIT_INTERVAL})
    if not found.verdict.accepted:
        return found
    g = sp.Symbol("g", nonnegative=True)  # either positive part
    return all_of(found, *(identity(root(p, K * g) / SCALE[p], root(p, K) / SCALE[p] * root(p, g)) for p in (1, 2)))


@claim(
    "BB:LC.4.up",
    assumes=(MEANS,),
    control=dict(c=23),
    needs=("BB:LC.4.t0",),
    argument="K = theta C_f^2 m, m = sqrt(E|Z|^(4p)), theta <= 1: the expectation of |f(z)|^4 <= C_f^4 |z|^(4p); (t_0/2 - "
    "|R/S|^2)_+ is at most t_0/2 = L K/2, whose p-th root over the scale is the identity checked",
    reference=dict(m=1, theta=1, y=50, q=sp.tanh(sp.Rational(1, 2)) ** 2),
)
def lower_limit_from_above(*, c: int | Fraction = 22) -> Evidence:
    """(t_0/2)^{1/p}/(16 sigma^2 C_f^{2/p}) <= (L m)^{1/p}/(2^{4+1/p} sigma^2), for p = 2 at most
    sqrt(L m)/(22 sigma^2).
    """
    target = {p: root(p, L * m) / (2 ** (4 + sp.Rational(1, p)) * sigma2) for p in (1, 2)}
    domain = {L: Integers(1, oo), m: (0, oo), sigma2: (0, oo)}
    lemma = forall(target[2], "<=", sqrt(L * m) / (sp.Rational(c) * sigma2), domain)
    if not lemma.verdict.accepted:
        return lemma
    dropped = forall(Max(y - q, 0), "<=", y, {y: (0, oo), q: Closed(0, oo)})
    steps = [identity(root(p, L * theta * C_f**2 * m / 2) / SCALE[p], root(p, theta) * target[p]) for p in (1, 2)]
    smaller = [forall(root(p, theta) * target[p], "<=", target[p], {**domain, theta: UNIT_INTERVAL}) for p in (1, 2)]
    return all_of(lemma, dropped, *steps, *smaller)


@claim(
    "BB:LC.4.sub",
    false="gap",
    repair=dict(power=2),
    why=r"The substitution $v=u/(16\sigma^2C_f^{2/p})$ puts the factor $(16\sigma^2C_f^{2/p})^p=16^p\sigma^{2p}C_f^2$ in front, "
    r"where $C_f$ is printed; the statement of Lemma C.4 inherits it.",
    instead=r"$\int_x^\infty u^{p-1}e^{-u/(16\sigma^2C_f^{2/p})}du=16^p\sigma^{2p}C_f^2\,\Gamma(p,x/(16\sigma^2C_f^{2/p}))$.",
    needs=("BB:LC.4.sub/closed", "BB:LC.4.Gam"),
    argument="for p = 1, 2 both sides have a closed form",
    hypotheses=("C_f >= 0", "sigma2 > 0"),
)
def substitution_in_the_tail(*, power: int = 1) -> Evidence:
    """The integral is 16^p sigma^(2p) C_f^power Gamma(p, x/(16 sigma^2 C_f^(2/p))), p = 1, 2;
    printed with power 1.
    """
    gamma = {1: exp(-v), 2: (1 + v) * exp(-v)}
    right = {p: 16**p * sigma2**p * C_f**power * gamma[p].subs(v, x / SCALE[p]) for p in (1, 2)}
    at_zero = forall(tail_integral(0, SCALE[1], 1), "<=", right[1].subs(x, 0), {C_f: (0, oo), sigma2: (0, oo)})
    if not at_zero.verdict.accepted:
        return at_zero
    return all_of(*(identity(tail_integral(x, SCALE[p], p), right[p]) for p in (1, 2)))


@claim(
    "BB:LC.4.sub/closed",
    argument="minus its derivative is the integrand, and it vanishes at infinity, as exp(-x/s) outweighs s + x",
)
def closed_form_of_the_tail() -> Evidence:
    """The integral of u^(p-1) e^{-u/s} from x on is s e^{-x/s} or (s^2 + s x) e^{-x/s}: by its
    derivative, once by quadrature.
    """
    s = sp.Symbol("s", positive=True)
    parts = [identity(-sp.diff(tail_integral(x, s, p), x), x ** (p - 1) * exp(-x / s)) for p in (1, 2)]
    tail = integral_evidence(u * exp(-u), u, (1, oo), "==", tail_integral(sp.S.One, sp.S.One, 2), tail=8 * exp(-u / 2))
    return confirmed(all_of(*parts), tail)


@claim(
    "BB:LC.4.Gam",
    cites=("Pinelis 2020",),
    needs=("BB:LC.4.sub/closed",),
    argument="an equality for p = 1, 2: the two sides have the same derivative, -x^(p-1) e^{-x}, and both vanish at infinity",
)
def incomplete_gamma_function() -> Evidence:
    """d/dx of (1 + x 1_{p=2}) e^{-x} is -x^(p-1) e^{-x}, that of Gamma(p, x): equality holds, for
    every x >= 0.
    """
    y = sp.Symbol("x", nonnegative=True)
    parts = [identity(sp.diff((1 + y * (p - 1)) * exp(-y), y), sp.diff(sp.uppergamma(p, y), y).doit()) for p in (1, 2)]
    looks = [
        integral_evidence(u * exp(-u), u, (n, oo), "==", (1 + n) * exp(-n), tail=8 * exp(-u / 2)) for n in map(sp.Integer, (0, 2))
    ]
    return confirmed(all_of(*parts), *looks)


@claim(
    "BB:LC.4.subadd",
    control=dict(c=Fraction(9, 10)),
    argument="p = 2: with w = e^{a2} and sqrt(L/2) = w + h the root is sqrt(h (h + 2w)), and for L/2 < w^2 the right side is "
    "negative; the exponent of the first bound is thus the smaller one; that the first bound holds is BB:LC.4.subadd/display",
)
def subadditivity_of_the_root(*, c: int | Fraction = 1) -> Evidence:
    """((L/2 - e^{2 a2})_+)^{1/p} >= (L/2)^{1/p} - c e^{2 a2/p} with c = 1, for p = 1, 2."""
    factor, w = sp.Rational(c), sp.Symbol("w", positive=True)
    linear = forall(Max(L / 2 - exp(2 * a2), 0), ">=", L / 2 - factor * exp(2 * a2), PROMPT_DOMAIN)
    if not linear.verdict.accepted:
        return linear
    inside = identity((w + h) ** 2 - w**2, h * (h + 2 * w))
    above = forall(sqrt(h * (h + 2 * w)), ">=", (w + h) - factor * w, {h: (0, oo), w: (0, oo)})
    below = forall(0, ">=", (1 - theta) * w - factor * w, {theta: UNIT_INTERVAL, w: (0, oo)})
    return all_of(linear, inside, above, below)
