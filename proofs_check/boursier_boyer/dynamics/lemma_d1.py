"""Lemma D.1 of Boursier & Boyer: the output of attention for an infinite prompt is bounded in L^4
of the query. The lines of its proof are proved or refuted one by one, and the statement is derived,
and tried on the worst laws of tokens and queries that a search finds.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from sympy import Rational, cosh, exp, oo

from numerics.counterexamples.worst_case.worst_law import worst_law
from numerics.evidence import Contradiction, Evidence, all_of
from numerics.provers import Closed, Integers, forall, identity, trace_identity
from numerics.provers.remembered import cached
from numerics.token_laws import TokenLaw
from numerics.token_laws.edge_cases import DIMENSIONS, edge_case_laws, matrices
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.largest_norm import vectors
from proofs_check.instances.outcomes import TYPO, refuted_exactly
from theory.attention.layer import gaussian_output
from theory.bounds.sub_gaussian import fourth_moment_d1, lemma_d1
from theory.symbolic.algebra import Algebra

sigma, d = sp.symbols("sigma d", positive=True)
s2, kappa = sp.symbols("sigma2 kappa", positive=True)
#: The fourth powers of the two bounds, for floats and Arb balls.
FOURTH_MOMENT = sp.lambdify(d, fourth_moment_d1(d) ** 4)
OUTPUT = sp.lambdify((s2, kappa, d), lemma_d1(sp.sqrt(s2), 1, kappa, d) ** 4)
ALGEBRA = Algebra(general=["K", "Q"], vectors=["x", "z", "h", "g", "k", "X", "Y"], params=["s2", "psi"])
#: A product over all nodes of mu and nu stays below this size.
MAX_PRODUCT_NODES = 2000


def slope(populations: Any, numbers: Any) -> tuple[Any, Any]:
    """|grad Psi(a)|, the size of the tilted mean, and sigma^2 |a|."""
    (mu,) = populations
    a = numbers.reshape((mu.nodes.shape[1], *numbers.shape[1:]))
    tilted = mu.tilted(a)
    gradient = np.array([tilted.mean(mu.nodes[:, i]) for i in range(len(a))])
    return np.sqrt((gradient * gradient).sum(0)), mu.sigma2 * np.sqrt((a * a).sum(0))


def fourth(populations: Any, _: Any) -> tuple[Any, Any]:
    """E|z|^4 and sigma^4 times the bound for sigma = 1."""
    (nu,) = populations
    return nu.mean(nu.squares**2), nu.sigma2**2 * FOURTH_MOMENT(nu.nodes.shape[1])


def output(populations: Any, numbers: Any) -> tuple[Any, Any]:
    """E_nu |T|^4 and the bound for V = I and U = u on the line, or U with the entries given."""
    mu, nu = populations
    n = mu.nodes.shape[1]
    U = numbers.reshape((n, n, *numbers.shape[1:]))
    norm = np.abs(U[0, 0]) if n == 1 else np.linalg.norm(U, 2)
    total: Any = 0
    for node, mass in zip(nu.nodes, nu.masses):
        tilted = mu.tilted((U * node[None]).sum(1))
        mean = np.array([tilted.mean(mu.nodes[:, i]) for i in range(n)])
        square = (mean * mean).sum(0)
        total = total + mass * square * square  # not a power: the square may be a ball around 0
    return total, OUTPUT(mu.sigma2, norm, n) * nu.sigma2**2


def spread(n: int) -> list[TokenLaw]:
    """The hostile laws on R^n that are no point mass."""
    return [law for law in edge_case_laws(n) if law.sigma2]


def _tilts() -> list[tuple[str, Any, Any]]:
    return [
        (
            f"{law.name} in d = {n}, |a| = {r}",
            (law,),
            tuple(r * np.arange(1, n + 1) / np.linalg.norm(np.arange(1, n + 1))),
        )
        for n in DIMENSIONS
        for law in spread(n)
        for r in (1e-3, 0.3, 1.0, 3.0)
    ]


def token_and_query_laws() -> Iterator[tuple[str, Any, Any]]:
    """Hostile tokens and queries in d = 1, 2, 3 with hostile matrices; queries have constant 1."""
    for n in DIMENSIONS:
        for mu in spread(n):
            for nu in spread(n):
                if len(mu.weighted_nodes.nodes) * len(nu.weighted_nodes.nodes) <= MAX_PRODUCT_NODES:
                    unit = nu.weighted_nodes.scaled(nu.sigma2**-0.5)
                    for name, U in matrices(n).items():
                        yield f"{mu.name}, query {nu.name}, U = {name}, d = {n}", (mu, unit), tuple(U.ravel())


@cached
def _slope_of_Psi() -> Evidence:
    """Prove that the slope of the logarithm of m_0 + m_1 s at s = 0 is the tilted mean m_1/m_0."""
    s, m1, m0 = sp.Symbol("s", real=True), sp.Symbol("m_1", real=True), sp.Symbol("m_0", positive=True)
    return identity(sp.Subs(sp.Derivative(sp.log(m0 + m1 * s), s), s, 0), m1 / m0)


@cached
def _hessian() -> Evidence:
    """Prove that Hess Psi is a covariance, hence positive semi-definite, entry by entry and then
    for every d: derivatives of the logarithm from the moments m_0, m_1, m_2, m_12 of the tilted
    law, and the covariance from two independent copies Y and X of the tilted token.
    """
    s, t, m1, m2, m12 = sp.symbols("s t m_1 m_2 m_12", real=True)
    m0 = sp.Symbol("m_0", positive=True)
    start = sp.log(m0 + m1 * s + m2 * t + m12 * s * t)
    entry = sp.Subs(sp.Derivative(start, s, t), (s, t), (0, 0))
    h, X, Y = (ALGEBRA[name] for name in ("h", "X", "Y"))
    return all_of(
        _slope_of_Psi(),
        identity(entry, m12 / m0 - (m1 / m0) * (m2 / m0)),
        trace_identity((X * X.T + Y * Y.T) / 2 - (X * Y.T + Y * X.T) / 2, (Y - X) * (Y - X).T / 2),
        trace_identity(h.T * ((Y - X) * (Y - X).T) * h, (h.T * (Y - X)) * (h.T * (Y - X))),
    )


@cached
def _taylor() -> Evidence:
    """Prove that phi(z + h) less its Taylor bound is Psi's tangent at z less Psi, for every d."""
    z, h, slope_at_z, square, value = (ALGEBRA[name] for name in ("z", "h", "g", "s2", "psi"))
    tangent = value + slope_at_z.T * h
    return trace_identity(
        square * ((z + h).T * (z + h)) / 2 - tangent,
        square * (z.T * z) / 2 - value + (square * z - slope_at_z).T * h + square * (h.T * h) / 2,
    )


@cached
def _lines_up_to_22(half: Fraction, curve: Fraction) -> tuple[Evidence, ...]:
    """Decide every line before the last two in another way, for every d, with sigma^2 times `curve`
    for the largest eigenvalue of the Hessian.
    """
    r, Psi, g, v = sp.symbols("r Psi g v", nonnegative=True)  # r = |z|, g = |grad phi|, and a variance v
    s2 = sigma**2
    phi = Rational(half) * s2 * r**2 - Psi
    domain = {sigma: (0, oo), r: Closed(0, oo), Psi: Closed(0, oo)}
    above = s2 * r**2 / 2 - v  # here r = |h|, and v is how far Psi is above its tangent
    ranges = {sigma: (0, oo), r: Closed(0, oo), v: Closed(0, oo)}
    taylor = forall(above, "<=", Rational(curve) * s2 * r**2 / 2, ranges)
    return (
        forall(0, "<=", phi, domain, where=[(Psi, "<=", s2 * r**2 / 2)]),
        forall(phi, "<=", s2 * r**2 / 2, domain),
        forall(
            s2 * r**2 - v,
            "<=",
            Rational(curve) * s2 * r**2,
            {sigma: (0, oo), r: Closed(0, oo), v: Closed(0, oo)},
        ),
        taylor,
        taylor,
        forall(
            Rational(half) * g**2, "<=", v, dict.fromkeys((g, v), Closed(0, oo)), where=[(v, ">=", g**2 / 2)]
        ),
    )


@claim(
    "BB:LD.1.phi",
    assumes=("E e^{z.Z} is differentiated twice under the expectation",),
    sharp="c",
    control=(dict(half=Fraction(1, 3)), dict(half=Fraction(2, 3)), dict(curve=Fraction(9, 10))),
)
def gradient_of_the_log_laplace_transform(
    *, c: int | Fraction = 2, half: Fraction = Fraction(1, 2), curve: int | Fraction = 1
) -> Evidence:
    r"""Every line of the proof is derived for every dimension: $0\leq\phi\leq\sigma^2\|z\|^2/2$,
    $\nabla^2\phi\preceq\sigma^2I$, the Taylor bound and the line after it, inequality (22), and at
    last $\|\nabla\phi(z)\|\leq\sigma^2\|z\|$ and $\|\nabla\Psi(z)\|\leq2\sigma^2\|z\|$, where `c`
    stands for the factor 2. That the gradient of $\Psi$ is the tilted mean and its Hessian the
    covariance is an identity.
    """
    g, q, psi = sp.symbols("g q psi", nonnegative=True)  # |grad phi|, sigma^2 |z| and |grad Psi|
    hypotheses = [(psi, "<=", q + g), (g, "<=", q)]
    domain = dict.fromkeys((g, q), Closed(0, oo))
    of_phi = forall(g, "<=", (sp.Rational(c) - 1) * q, domain, where=[(g, "<=", q)])
    ranges = dict.fromkeys((g, q, psi), Closed(0, oo))
    of_Psi = forall(psi, "<=", sp.Rational(c) * q, ranges, where=hypotheses)
    searches = (*_lines_up_to_22(half, Fraction(curve)), of_phi, of_Psi)
    return all_of(derivation("BB:LD.1.phi", *searches, c=c, half=half, curve=curve), _hessian(), _taylor())


@claim("BB:LD.1.phi/gradient", sharp="c", reference={})
def gradient_at_the_tightest_laws(*, c: int | Fraction = 2) -> Evidence:
    r"""The inequality $\|\nabla\Psi(a)\|\leq2\sigma^2\|a\|$ is derived from the tangent of the
    exponential under the tilted law, and tried on skewed laws at their exact sub-Gaussian constant
    and on the hostile laws; `c` stands for the factor 2.

    A rare atom that carries the whole exponential moment comes near the constant 2 as its
    probability tends to 0.
    """
    checked = rf"|\nabla\Psi(a)| \le {sp.latex(Rational(c))}\,\sigma^2|a|"
    search = worst_law(slope, Fraction(c), checked=checked, numbers=((0.01, 20.0),), cases=_tilts)
    return derivation("BB:LD.1.phi/gradient", search, c=c)


@claim("BB:LD.1.4th", sharp="c", reference={})
def fourth_moment_of_the_query(*, c: int | Fraction = 2) -> Evidence:
    r"""The bound $\mathbb{E}\|z\|^4\leq(2\sqrt d)^4$ is derived from one Gaussian integral, and
    tried on 1-sub-Gaussian laws with two and three atoms and on the hostile laws, scaled to
    $\sigma=1$; `c` stands for the factor 2.
    """
    checked = r"\mathbb{E}\|z\|^4 \le " + sp.latex(fourth_moment_d1(d, Rational(c)) ** 4)
    search = all_of(
        worst_law(fourth, Fraction(c, 2) ** 4, checked=checked, laws=("two atoms",)),
        worst_law(fourth, Fraction(c, 2) ** 4, checked=checked, laws=("three atoms",), cases=vectors),
    )
    return derivation("BB:LD.1.4th", search, c=c)


@cached
def _fourth_power_below_cosh(k: Fraction) -> Evidence:
    x = sp.Symbol("x", real=True)
    return forall(x**4, "<=", Rational(k) * (cosh(2 * x) - 1), {x: (-oo, oo)})


@claim("BB:LD.1.4th/line", sharp="c", control=dict(k=Fraction(3, 5)))
def fourth_moment_on_the_line(*, c: int | Fraction = 2, k: Fraction = Fraction(5, 8)) -> Evidence:
    r"""For every real $x$, $x^4\leq\frac58(\cosh2x-1)$, so that $\mathbb{E}x^4\leq2^4$ for a
    1-sub-Gaussian $x$, by the definition at $\pm2$; both are derived. In the second route
    $\frac58(m-1)\leq2^4$ wherever $m\leq e^2$. Here `k` stands for $\frac58$ and `c` for the base
    2.
    """
    m = sp.Symbol("m", positive=True)
    constant = forall(Rational(k) * (m - 1), "<=", Rational(c) ** 4, {m: (0, oo)}, where=[(m, "<=", exp(2))])
    return derivation("BB:LD.1.4th/line", _fourth_power_below_cosh(k), constant, c=c, k=k)


@claim("BB:LD.1.4th/every_d", sharp="c", control=dict(share=Fraction(9, 10)))
def from_coordinates_to_the_norm(*, c: int | Fraction = 2, share: int | Fraction = 1) -> Evidence:
    r"""For real coordinates $z_i^2z_j^2\leq\frac12(z_i^4+z_j^4)$, so that the bound on the line,
    for each coordinate, gives $\mathbb{E}\|z\|^4\leq(2\sqrt d)^4$; both are derived for every
    vector with 1-sub-Gaussian coordinates, as are those of a 1-sub-Gaussian vector. In the second
    route $d^2m\leq(2\sqrt d)^4$ wherever $m\leq16$. Here `share` multiplies the first right side
    and `c` stands for the factor 2.
    """
    x, y = sp.symbols("x y", real=True)
    m = sp.Symbol("m", nonnegative=True)
    pairs = forall(x**2 * y**2, "<=", Rational(share) * (x**4 + y**4) / 2, {x: (-oo, oo), y: (-oo, oo)})
    domain = {m: Closed(0, 16), d: Integers(1, oo)}
    norm = forall(d**2 * m, "<=", fourth_moment_d1(d, Rational(c)) ** 4, domain)
    return derivation("BB:LD.1.4th/every_d", pairs, norm, c=c, share=share)


@claim(
    "BB:LD.1.arg",
    **TYPO,
    repair=dict(argument="K'Q"),
    control=(dict(factor=3), dict(slope=Fraction(3, 2)), dict(norm=Fraction(9, 10))),
    needs=("BB:LD.1.phi", "BB:LD.1.4th"),
    assumes=("E e^{z.Z} is differentiated under the expectation",),
    hypotheses=("d in Integers", "d >= 1", "sigma > 0"),
)
def lines_of_the_last_display(
    *,
    argument: str = "Q'K",
    factor: int | Fraction = 4,
    slope: int | Fraction = 2,
    norm: int | Fraction = 1,
) -> Evidence:
    r"""As printed the gradient of $\Psi$ is taken at $Q^\top Kz$, which two matrices refute in
    $d=2$. Repaired, the score is $z'^\top K^\top Qz$ in every dimension, at which the gradient of
    $\Psi$ is the mean under the tilted law, as for BB:LD.1.phi, and the four lines are derived in
    fourth powers with $U=K^\top Q$ and the printed constants, `slope` and `factor`; `norm`
    multiplies the norms that enter.
    """
    K, Q, at_z, z = (ALGEBRA[name] for name in ("K", "Q", "x", "z"))
    if argument == "Q'K":
        k, q, at = (
            np.array([[1.0, 0.0], [0.0, 0.0]]),
            np.array([[0.0, 1.0], [0.0, 0.0]]),
            np.array([0.0, 1.0]),
        )
        true = gaussian_output(np.zeros(2), np.eye(2), k.T @ q, np.eye(2), at)
        printed = q.T @ k @ at  # grad Psi is the identity for N(0, I)
        if true.tolist() != [1.0, 0.0] or printed.tolist() != [0.0, 0.0]:
            raise Contradiction(f"the output is {true} and the printed one {printed}, not (1, 0) and (0, 0)")
        law = {"d": 2, "sigma": 1, "K": "[1 0; 0 0]", "Q": "[0 1; 0 0]", "V": "I", "mu": "N(0, I)"}
        witness = {**law, "z": "(0, 1)"}
        witness |= {"T(z)": "(1, 0)", "printed": "(0, 0)"}
        return refuted_exactly(witness)
    # |grad Psi|, sigma^2 |K'Q z|, |K'Q| and |V|, and what these are put before
    psi, t, kappa, V, x, r = sp.symbols("psi t kappa V x r", nonnegative=True)
    # In the order of their names: a question has to be the same in every process.
    below = lambda left, right, ends: forall(
        left,
        "<=",
        right,
        dict.fromkeys(sorted(left.free_symbols | right.free_symbols, key=str), Closed(0, oo)),
        where=[ends],
    )
    n = sp.Symbol("n", nonnegative=True)  # (E|z|^4)^{1/4}
    searches = (
        below(x**4, (Rational(norm) * V * psi) ** 4, (x, "<=", V * psi)),
        below(psi**4, (Rational(slope) * t) ** 4, (psi, "<=", 2 * t)),
        below(t**4, (Rational(norm) * kappa * r) ** 4, (t, "<=", kappa * r)),
        forall(
            2 * sigma**2 * V * kappa * n,
            "<=",
            lemma_d1(sigma, V, kappa, d, Rational(factor)),
            {sigma: (0, oo), d: Integers(1, oo), **dict.fromkeys((V, kappa, n), Closed(0, oo))},
            where=[(n, "<=", fourth_moment_d1(d))],
        ),
    )
    lines = derivation("BB:LD.1.arg", *searches, factor=factor, slope=slope, norm=norm)
    return all_of(trace_identity((Q * z).T * (K * at_z), at_z.T * K.T * Q * z), _slope_of_Psi(), lines)


@claim("BB:LD.1", sharp="c", reference={})
def output_for_an_infinite_prompt(*, c: int | Fraction = 4) -> Evidence:
    r"""The bound $\mathbb{E}_\nu\|T[\mu]\|^4\leq(4\sigma^2\|V\|_{\rm op}\|U\|_{\rm op}\sqrt d)^4$
    is derived from $\|T\|\leq2\sigma^2\|V\|\|U\|\|z\|$ and the fourth moment of the query. It is
    tried with $V=I$ on skewed tokens and queries on the line and on hostile pairs in $d=1,2,3$; `c`
    stands for the factor 4.
    """
    bound = lemma_d1(sigma, 1, sp.Symbol("|U|", positive=True), d, Rational(c)) ** 4
    checked = r"\mathbb{E}_\nu\|T[\mu]\|^4 \le " + sp.latex(bound)
    search: dict[str, Any] = dict(checked=checked, numbers=((0.01, 6.0),))
    found = all_of(
        worst_law(output, Fraction(c, 4) ** 4, laws=("two atoms", "two atoms"), **search),
        worst_law(
            output,
            Fraction(c, 4) ** 4,
            laws=("three atoms", "three atoms"),
            cases=token_and_query_laws,
            **search,
        ),
    )
    return derivation("BB:LD.1", found, c=c)
