"""Theorem 4.4 and Lemma H.2 of Collins et al. by minimisation over all symmetric matrices, the last
steps of the proof of Theorem H.5, and Lemma B.5 by a derivation and by free minimisation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product

import numpy as np
import sympy as sp
from sympy import oo

from numerics.attention.window.free_matrix import (
    Prompts,
    every_prompt,
    free_minimum,
    loss_and_gradient,
    low_rank_prompts,
)
from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, computed, forall, identity
from proofs_check.core.claim import claim
from proofs_check.core.witnessed import fails_at
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import charge, supported, undecided
from proofs_check.instances.window.free_minima import (
    NOISES,
    affine_kernel,
    circle_prompts,
    constant_kernel,
    exponential_kernel,
    least_general,
    least_low_rank,
)
from theory.attention.window.low_rank import noise_of_signs, signal_of_signs

first, second, E, c = sp.symbols("alpha_1 alpha_2 E c", positive=True)
WITHIN = 1e-5
ONE_TOKEN = r"With one token its weight is $1$ for every $M$; "
LEAST_VALUE = ("Weierstrass: a continuous function on an interval has a least value",)
BY_ITS_PARTS = (
    *(f"COL:T4.4/{part}" for part in ("direction", "length", "multiples")),
    *("COL:B.1-dec", "COL:D.noise", "COL:D4.2", "COL:H.2.rot"),
)
#: Controls of what is said of the blocks of a minimiser.
OF_THE_FORM = tuple(dict(least_n=2, c_v=1) | x for x in (dict(most=-1), dict(sign=-1), dict(times=2)))
FORM = r"M^{*}=cBB^{\top},\ 0<c\leq C_p/c_u^{2}"
UNIQUE = ("n in Integers", "n >= 1", "c_u > 0", "c_v >= 0")


def of_equal_loss(M: np.ndarray, other: np.ndarray, prompts: Prompts, sigma: float) -> bool:
    return abs(loss_and_gradient(M, prompts, sigma)[0] - loss_and_gradient(other, prompts, sigma)[0]) < 1e-12


def tie(n: int, c_v: int, text: str, sigma: float = 0.0, bounds: tuple[float, ...] = (1.0, 2.0)) -> Evidence:
    """Refute uniqueness for k = 1, d = 2, c_u = 1 and the bounds C: CBB' has the least loss, and
    CBB' + BB_perp' + B_perp B' the same.
    """
    prompts, scale = low_rank_prompts(n, 1, 2), np.diag([1.0, float(c_v)])
    for bound in bounds:
        least, other = (
            scale @ np.array(M) @ scale for M in ([[bound, 0.0], [0.0, 0.0]], [[bound, 1.0], [1.0, 0.0]])
        )
        # With c_u = 1 the scores see M through the blocks of scale M scale, and c_v = 1 is the
        # freest case.
        best = least_low_rank(n, 1, 2, sigma, bound).loss
        if (
            not of_equal_loss(least, other, prompts, sigma)
            or loss_and_gradient(least, prompts, sigma)[0] > best + 1e-9
        ):
            return undecided("exact arithmetic", "the two losses differ, or are not the least")
    shown = " and ".join(f"{bound:g}" for bound in bounds)
    pair = f"[[C, 1], [1, 0]], beside [[C, 0], [0, 0]], for C = {shown}"
    point = {"n": n, "k": 1, "d": 2, "c_u": 1, "c_v": c_v, "sigma": sp.nsimplify(sigma), "M": pair}
    return fails_at(point, sp.S.One, text)


def of_structure(cases: list[tuple[int, int, int, float, float]], checked: str) -> Evidence:
    """Minimise freely for (n, k, d, sigma, bound), and compare with c BB', 0 < c <= bound."""
    worst = 0.0
    for n, k, d, sigma, bound in cases:
        found, B = least_low_rank(n, k, d, sigma, bound), np.eye(d)[:, :k]
        off, scale = found.off_structure(B), found.M[0, 0]
        worst = max(worst, off)
        if off > WITHIN or not 0 < scale <= bound + 1e-9:
            reason = (
                f"the least loss from three starts is at {found.M.tolist()} for n, k, d, sigma, bound "
                f"= {n, k, d, sigma, bound}"
            )
            return undecided("enumeration", reason)
    kinds = dict.fromkeys((k, d) for _, k, d, _, _ in cases)
    tokens = [(k, d, sorted({n for n, *of, _, _ in cases if tuple(of) == (k, d)})) for k, d in kinds]
    shown = "; ".join(f"k = {k}, d = {d}, n = {', '.join(map(str, ns))}" for k, d, ns in tokens)
    covered = f"{len(cases)} cases with three starts each: {shown}; off by at most {worst:.0e}"
    return supported("enumeration", covered, checked=checked)


def at_the_least(noisy: bool, most: int, sign: int, times: int, free: Evidence) -> list[Evidence]:
    """What is said of the blocks of a minimiser, refuted where it is false at M = C_p BB', of which
    the loss is the least for two tokens: without noise for k = 1, and with it for k = 2.
    """
    k, sigma, bound = (2, 0.3, 1) if noisy else (1, 0.0, 2)
    best = least_low_rank(2, k, k + 1, sigma, float(bound)).loss
    least = np.diag([float(bound)] * k + [0.0])
    if loss_and_gradient(least, low_rank_prompts(2, k, k + 1), sigma)[0] > best + 1e-9:
        return [undecided("exact arithmetic", "there are matrices of less loss")] * 4
    point = {"n": 2, "k": k, "d": k + 1, "c_u": 1, "c_v": 1, "sigma": sp.nsimplify(sigma), "M": f"{bound}BB'"}
    gaps = {
        r"|N|^2+|Q|^2": -most,
        r"k|A-\frac{\mathrm{tr}A}kI|^2": -most,
        r"-\mathrm{tr}A": -sign * k * bound,
        r"\frac{c_u^2}k\mathrm{tr}A": (times - 1) * bound,
    }
    return [fails_at(point, sp.Integer(gap), text) if gap > 0 else free for text, gap in gaps.items()]


def of_the_form(id: str, free: Evidence, noisy: Evidence, **numbers: int) -> Evidence:
    """What is derived of the blocks of a minimiser without noise and with it."""
    searches = (*at_the_least(False, free=free, **numbers), *at_the_least(True, free=noisy, **numbers))
    return derivation(id, *searches, **numbers)


@claim(
    "COL:T4.4",
    **charge(false="edge", at="c_v = 0, and n = 1 in Case 1", follows="COL:H.2", costs="a hypothesis"),
    why=ONE_TOKEN
    + r"with $c_v=0$ the scores see only $B^\top MB$, and $CBB^\top+BB_\perp^\top+B_\perp B^\top$ is as "
    r"good as $CBB^\top$.",
    repair=dict(least_n=2, c_v=1),
    control=(dict(least_n=1), dict(c_v=0), *OF_THE_FORM),
    needs=BY_ITS_PARTS,
    cites=LEAST_VALUE,
    hypotheses=UNIQUE,
)
def minimiser_ignores_spurious_directions(
    *, least_n: int = 1, c_v: int = 0, most: int = 0, sign: int = 1, times: int = 1
) -> Evidence:
    r"""Printed, two matrices share the least loss. Repaired, where $m$ is the least loss of
    $\frac c{c_u^2}BB^\top$, $0\leq c\leq C$, and $M$ has at most the loss $m$: the squares of the
    blocks $B_\perp^\top MB$ and $B_\perp^\top MB_\perp$ sum to at most `most` = 0, and so does
    $k|A-\frac{\mathrm{tr}A}kI|^2$ for $A=B^\top MB$; `sign` = 1 times $\mathrm{tr}A$ is positive,
    and `times` = 1 times $\frac{c_u^2}k\mathrm{tr}A$ at most $C$, for any $0<C\leq C_p$. The free
    minimiser is tried: Case 1 with the bounds 1 and 2, Case 2 with the bound 1.
    """
    if least_n == 1 or c_v == 0:
        return tie(2 if c_v == 0 else 1, c_v, FORM)
    free, noisy = of_structure(without_noise(range(2, 9)), FORM), of_structure(with_noise(), FORM)
    return of_the_form("COL:T4.4", free, noisy, most=most, sign=sign, times=times)


def without_noise(lengths: Iterable[int]) -> list[tuple[int, int, int, float, float]]:
    cases = [(n, 1, 2, 0.0, bound) for n in lengths for bound in (1.0, 2.0)]
    return cases + [(2, k, d, 0.0, 2.0) for k, d in ((1, 3), (2, 3))]


def with_noise() -> list[tuple[int, int, int, float, float]]:
    return [(2, k, d, sigma, 1.0) for k, d in ((1, 2), (1, 3), (2, 3)) for sigma in NOISES]


@claim("COL:T4.4/direction", control=dict(times=2))
def direction_of_the_query(*, times: int = 1) -> Evidence:
    r"""`times` = 1 times $c_u^4\frac{k|A|^2-(\mathrm{tr}A)^2}{k(k+2)}$ is at most the mean of
    $\lambda^2(1-\cos^2)$, for a symmetric $M$, $A=B^\top MB$. It is tried for $k=2$, diagonal $A$.
    """
    p, q = sp.symbols("p q", real=True)
    off = over_the_circle(lambda u, Au: Au.dot(Au) - u.dot(Au) ** 2, p, q)
    left = computed(r"\mathbb E(|Au|^2-(u^{\top}Au)^2)", off)
    search = identity(left, sp.Rational(times, 8) * (2 * (p**2 + q**2) - (p + q) ** 2))
    return derivation("COL:T4.4/direction", search, times=times)


@claim("COL:T4.4/length", control=dict(times=2))
def mean_length(*, times: int = 1) -> Evidence:
    r"""The mean of $\lambda$ is `times` = 1 times $\frac{c_u^2}k\mathrm{tr}A$ and that of
    $\lambda(1-\cos)$. It is tried for $k=2$ and diagonal $A$.
    """
    p, q = sp.symbols("p q", real=True)
    left = computed(r"\mathbb Eu^{\top}Au", over_the_circle(lambda u, Au: u.dot(Au), p, q))
    return derivation("COL:T4.4/length", identity(left, sp.Rational(times, 2) * (p + q)), times=times)


@claim("COL:T4.4/multiples", control=dict(times=2))
def loss_of_multiples(*, times: int = 1) -> Evidence:
    r"""The loss of $\frac c{c_u^2}BB^\top$ is `times` = 1 times that of weights $e^{cu_i^\top u}$
    for a fixed $u$: for two tokens, and without noise for every $n$. It is tried for $k=1$ and two
    and three tokens, by enumeration.
    """
    searches = []
    for n in (2, 3):
        signs = list(product((1, -1), repeat=n))
        errors = sum((sum(E**s * s for s in at) / sum(E**s for s in at) - 1) ** 2 for at in signs) / 2**n
        searches.append(identity(computed("H", sp.cancel(errors)), times * signal_of_signs([1] * n, E)))
    return derivation("COL:T4.4/multiples", *searches, times=times)


def over_the_circle(value: Callable[[sp.Matrix, sp.Matrix], sp.Expr], p: sp.Symbol, q: sp.Symbol) -> sp.Expr:
    """The mean over u on the circle of a value of u and Au, for the diagonal A with the entries p
    and q.
    """
    angle = sp.Symbol("theta", real=True)
    u = sp.Matrix([sp.cos(angle), sp.sin(angle)])
    return sp.integrate(sp.expand(value(u, sp.diag(p, q) * u)), (angle, 0, 2 * sp.pi)) / (2 * sp.pi)


@claim(
    "COL:H.2",
    **charge(false="edge", at="c_v = 0, and n = 1", costs="a hypothesis"),
    why=ONE_TOKEN
    + r"with $c_v=0$ every $B_\perp^\top M$ is as good as any other: $CBB^\top+BB_\perp^\top+B_\perp "
    r"B^\top$ as $CBB^\top$.",
    repair=dict(least_n=2, c_v=1),
    control=(dict(least_n=1), dict(c_v=0), *OF_THE_FORM),
    needs=BY_ITS_PARTS,
    cites=LEAST_VALUE,
    hypotheses=UNIQUE,
)
def minimiser_is_diagonal_in_the_blocks(
    *, least_n: int = 1, c_v: int = 0, most: int = 0, sign: int = 1, times: int = 1
) -> Evidence:
    r"""Printed, a matrix with the block $B^\top MB_\perp\neq0$ shares the least loss. Repaired, the
    minimiser has this form in both cases of Theorem 4.4, with $c_2=0$ and $c_1>0$: the statements
    are those of COL:T4.4. It is tried for noises and bounds beyond that theorem, too.
    """
    text = r"M^{*}=c_1BB^{\top}+c_2B_{\perp}B_{\perp}^{\top}"
    if least_n == 1 or c_v == 0:
        return tie(2 if c_v == 0 else 1, c_v, text)
    bounds, tokens = (0.3, 1.0, 3.0), (2, 3, 5, 8)
    cases = [[(n, 1, 2, s, bound) for n in tokens for s in of for bound in bounds] for of in ((0.0,), NOISES)]
    free, noisy = (of_structure(case, text) for case in cases)
    return of_the_form("COL:H.2", free, noisy, most=most, sign=sign, times=times)


@claim("COL:H.5i", control=dict(power=1))
def loss_is_homogeneous(*, power: int = 0) -> Evidence:
    r"""$H(u,c^{\prime}\alpha)$ is $c^{\prime}$ to the power `power` = 0 times $H(u,\alpha)$: what
    is averaged, for any number of tokens, any errors and any noise; two tokens with the errors
    $z_i$ are tried.
    """
    x, y, sigma = sp.symbols("z_1 z_2 sigma", real=True)
    p, q = sp.symbols("e_1 e_2", positive=True)
    inside = lambda a, b: (
        ((p * a * x + q * b * y) ** 2 + sigma**2 * ((p * a) ** 2 + (q * b) ** 2)) / (p * a + q * b) ** 2
    )
    search = identity(
        computed(r"H(u,c^{\prime}\alpha)", inside(c * first, c * second)), c**power * inside(first, second)
    )
    return derivation("COL:H.5i", search, power=power)


@claim(
    "COL:H.5ii",
    **charge(false="edge", at="c_v = 0", follows="COL:H.2", costs="a hypothesis"),
    repair=dict(spurious=True),
    control=dict(spurious=False),
    hypotheses=("c_v >= 0", "c >= 0"),
)
def weights_are_equal_only_without_spurious_part(*, spurious: bool = False) -> Evidence:
    r"""The logarithms of the weights of $v$ and $-v$ differ by $2|\tilde c|c_v^2$, which is
    positive for $\tilde c\neq0$, printed for every $c_v$.
    """
    c_v = sp.Symbol("c_v", nonnegative=True)
    return forall(2 * c * c_v**2, ">", 0, {c: (0, oo), c_v: (0, oo) if spurious else Closed(0, oo)})


@claim("COL:H.5.red", control=dict(sign=-1), needs=("COL:H.3", "COL:H.4", "COL:H.5i"))
def equal_weights_are_best(*, sign: int = 1) -> Evidence:
    r"""Three tokens, $k=1$: the derivative of $H_{\rm signal}(m,m,1)$ in $m$ is the sum of those in
    $\alpha_1$ and $\alpha_2$. For two tokens $H_{\rm signal}(\alpha,1)>H_{\rm signal}(1,1)$.
    """
    m = sp.Symbol("m", positive=True)
    capped = signal_of_signs([m, m, 1], sp.Integer(2))
    free = signal_of_signs([first, second, 1], sp.Integer(2))
    slopes = (sp.diff(free, first) + sp.diff(free, second)).subs({first: m, second: m})
    path = identity(computed(r"\frac{d}{dm}H(\min(\alpha,m))", sp.diff(capped, m)), sign * slopes)
    pair = sp.factor(sp.cancel(signal_of_signs([first, 1], sp.sqrt(E)) - signal_of_signs([1, 1], sp.sqrt(E))))
    return all_of(path, forall(sign * pair, ">", 0, {first: (1, oo), E: (1, oo)}))


@claim(
    "COL:H.1.sk/reduce",
    control=(dict(E_max=50), dict(least=Fraction(1, 2)), dict(sign=-1)),
    needs=("COL:H.3", "COL:H.4"),
)
def sketch_reduces_the_largest_weight(
    *, E_max: int | Fraction = Fraction(37, 5), least: int | Fraction = 1, sign: int = 1
) -> Evidence:
    r"""(21) for $k=1$ and two tokens, $\alpha_1>{}$`least` = 1 and $\alpha_2=1$: without noise the
    derivative is positive for every $c$, and with any noise for $e^{2c}\leq{}$`E_max` = 37/5, which
    the sketch does not say; beyond $c=1.91$ it may be negative with much noise.
    """
    slopes = [
        sp.factor(sp.diff(sp.cancel(f([first, 1], sp.sqrt(E))), first))
        for f in (signal_of_signs, noise_of_signs)
    ]
    ranges = ((1, oo), sp.Interval.Lopen(1, E_max))
    return all_of(
        *(forall(sign * s, ">", 0, {first: (least, oo), E: where}) for s, where in zip(slopes, ranges))
    )


@claim("COL:H.1.sk/only", control=dict(least=1))
def only_zero_gives_equal_weights(*, least: int = 2) -> Evidence:
    r"""Where the first token has $v_{n+1}$ and the others have $-v_{n+1}$, the numbers of the
    others are together $2(n-1)|c^{\prime}|$ away from that of the first, which is positive
    for $n\geq{}$`least` = 2 and $c^{\prime}\neq0$. One number is equal to itself for every
    $c^{\prime}$.
    """
    n = sp.Symbol("n", integer=True, positive=True)
    return forall(2 * (n - 1) * c, ">", 0, {n: Integers(least, oo), c: (0, oo)})


@claim(
    "COL:B.5",
    **charge(false="edge", at="n = 1, and constant tasks without noise", costs="a hypothesis"),
    why=ONE_TOKEN
    + r"read as not strict, constant functions meet Assumption B.4 with a constant $\rho$, and without noise "
    r"every $M$ has the loss $0$.",
    repair=dict(least_n=2, strict=True),
    control=(
        dict(least_n=1, strict=True),
        dict(least_n=2, strict=False),
        dict(least_n=2, strict=True, share=-1),
    ),
    needs=("COL:B.eq7",),
    hypotheses=("n in Integers", "n >= 1"),
)
def minimiser_is_a_multiple_of_the_identity(
    *, least_n: int = 1, strict: bool = False, share: int = 1
) -> Evidence:
    r"""Printed, a matrix that is no multiple of the identity shares the least loss at $n=1$; so it
    does for constant tasks without noise. For $n\geq2$ and strictly increasing $\rho$ each entry of
    a minimiser $M$ is that of $\Sigma^{-1}$ times $w$, `share` = 1 times
    $\frac1d\mathrm{tr}(\Sigma^{1/2}M\Sigma^{1/2})$, and $w\geq0$, derived for every $d$, every
    noise and all tasks of Assumption B.4; free minimisations over all $M$ on the circle, for affine
    tasks and for $\rho(t)=e^t$, end there.
    """
    text = r"M^{*}=wI,\ w\geq0"
    if least_n == 1 or not strict:
        kernel, sigma = (affine_kernel, 1.0) if least_n == 1 else (constant_kernel, 0.0)
        points = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
        prompts = every_prompt(points, least_n, kernel)
        if not of_equal_loss(np.array([[0.0, 1.0], [0.0, 0.0]]), np.eye(2), prompts, sigma):
            return undecided("exact arithmetic", "the two losses differ", checked=text)
        return fails_at({"n": least_n, "d": 2, "M": "[[0, 1], [0, 0]], beside I"}, sp.S.One, text)
    return derivation("COL:B.5", *of_multiples(share, text), share=share)


def of_multiples(share: int, checked: str) -> tuple[Evidence, Evidence]:
    """Minimise freely over all matrices, and compare with w I and w with 0, where w is a share of
    the mean of the diagonal; a second descent is over symmetric matrices.
    """
    worst, cases = 0.0, [(2, affine_kernel), (2, exponential_kernel), (3, exponential_kernel)]
    for (n, kernel), sigma in product(cases, (0.3, 1.0)):
        found = least_general(n, kernel, sigma).M
        again = free_minimum(circle_prompts(n, kernel), sigma, np.eye(2) / 2).M
        w, w_again = (share * np.trace(M) / 2 for M in (found, again))
        pairs = (found, w), (again, w_again)
        off, off_again = (float(np.linalg.norm(M - v * np.eye(2))) for M, v in pairs)
        worst = max(worst, off / float(np.linalg.norm(found)))
        if worst > WITHIN and w >= 0:
            missed = undecided("enumeration", f"the least loss is at {found.tolist()}", checked=checked)
            return missed, missed
        if w < 0:
            at = {"n": n, "d": 2, "sigma": sigma, "M": found.tolist(), "w": w}
            routes = ((-w, -w_again), (off, off_again))
            negative, distant = (
                refuted_by_two_routes("enumeration", at, float(one), 0.0, float(two), checked=checked)
                for one, two in routes
            )
            return negative, distant
    covered = (
        "d = 2, n = 2, affine tasks, and n = 2, 3, rho = e^t, sigma = .3, 1, every M; off by at "
        f"most {worst:.0e}"
    )
    same = supported("enumeration", covered, checked=checked)
    return same, same
