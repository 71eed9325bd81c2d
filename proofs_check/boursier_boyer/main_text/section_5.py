"""Section 5 of Boursier & Boyer: the covariance of the tokens of in-context regression, the risks,
the block manifold on which training stays, and the admissible range of alpha. Identities are proved
for every dimension and joined to the statements by arguments; the range is tried by integrating the
gradient flow.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import partial

import numpy as np
import sympy as sp
from sympy import Rational, oo, sqrt

from numerics.counterexamples.drawn.flows import drawn_ends
from numerics.evidence import Contradiction, Evidence, Verdict, all_of, confirmed
from numerics.provers import Closed, Integers, computed, forall, identity, trace_identity
from numerics.regression.flow.starts import Start, ends_at, theta_starts
from numerics.regression.risk.gap_to_infinite_prompt import finite_prompt_risk
from numerics.seeds import current_seed, generator
from proofs_check.boursier_boyer.main_text.lemma_2_1 import GENERATING_FUNCTION
from proofs_check.boursier_boyer.main_text.theorem_4_3 import CONSTANTS
from proofs_check.boursier_boyer.main_text.theorem_5_2 import remark
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import refuted_exactly, supported
from theory.attention.layer import softmax_attention
from theory.regression.any_parameters import full_risk
from theory.regression.finite_prompt import error_at_query
from theory.regression.task import RegressionTask
from theory.symbolic.algebra import Algebra
from theory.symbolic.regression_moments import DATA, risk_of_blocks, token_moments

# A token (x, y) and a query (z, 0).
TOKEN = Algebra(general=["A"], vectors=["x", "z", "b", "p"], params=["q", "y"])
# A mean token m, the coordinate e of the prediction and its target y; Gamma and a query z.
OUTPUT = Algebra(
    general=["V", "U"], symmetric=["Gamma"], vectors=["e", "m", "b", "c", "z"], params=["y", "a"]
)


@claim("BB:12", control={"factor": 2}, cites=(GENERATING_FUNCTION,))
def covariance_of_a_token(*, factor: int = 1) -> Evidence:
    r"""For $y=w^\top x$ and every $u=(a,b)$ it is derived that $\mathbb{E}e^{a^\top
    x+by}=e^{u^\top\Gamma_wu/2}$ at every task $w$, which is the law $\mathcal{N}(0,\Gamma_w)$;
    `factor` multiplies the blocks. The second route is $\mathbb{E}xx^\top=\Sigma$,
    $\mathbb{E}xy=\Sigma w$ and $\mathbb{E}y^2=w^\top\Sigma w$, by Isserlis' theorem.
    """
    square, column, corner = token_moments(noise=False)
    S, w = DATA["S"], DATA["w"]
    search = all_of(
        trace_identity(square, factor * S),
        trace_identity(column, factor * S * w),
        trace_identity(corner, factor * (w.T * S * w)),
    )
    return derivation("BB:12", search, factor=factor)


@claim("BB:5.Rinf", control={"power": 1})
def the_infinite_prompt_risk(*, power: int = 2) -> Evidence:
    r"""It is derived for every $d$, covariance $\Sigma=RR^\top$, $U$ and last row $v$ of $V$ that
    half the mean squared error of the last coordinate of attention on the law of $(x,w^\top x)$,
    averaged over the task and the query, is the printed mean; `power` stands for its exponent 2.

    Second route: the identity of the two integrands, the risk in blocks, which is multiplied out
    from it, and the closed form at exact instances.
    """
    V, Gamma, U, e, z, y = (OUTPUT[name] for name in ("V", "Gamma", "U", "e", "z", "y"))
    residual, printed = e.T * V * Gamma * U * z - y, (V.T * e).T * Gamma * U * z - y
    found = trace_identity(residual * residual / 2, (printed * printed if power == 2 else printed) / 2)
    if not found.verdict.accepted:
        return derivation("BB:5.Rinf", found, power=power)
    instances = []
    for d in (1, 2, 3):
        values = DATA.example(d, seed=d)
        block = sp.Matrix([[values["A"], sp.zeros(d, 1)], [values["b"].T, sp.zeros(1, 1)]])
        closed = full_risk(values["S"], block, sp.Matrix([values["p"], [values["q"]]]))
        instances.append(identity(risk_of_blocks(noise=False).evaluate(values), closed))
    return derivation("BB:5.Rinf", confirmed(found, *instances), power=power)


def drawn_risk(prompts: int = 6_000, L: int = 3, sigmas: float = 7.0) -> Evidence:
    """Compare definitions (2) and (3) on drawn tasks and prompts, with the attention of
    `theory.attention.layer`, and R6 by quadrature.
    """
    rng, S, A, u = generator(11), np.array([[1.0, 0.4], [0.4, 0.5]]), np.array([[0.6, 0.3], [-0.2, 0.5]]), 1.3
    root, U, V = np.linalg.cholesky(S).T, np.zeros((3, 3)), np.zeros((3, 3))
    U[:2, :2], V[2, 2], losses = A, u, np.empty(prompts)
    for k in range(prompts):
        w, x = rng.standard_normal(2), rng.standard_normal((L + 1, 2)) @ root
        tokens, query = np.column_stack([x[:-1], x[:-1] @ w]), np.append(x[-1], 0.0)
        losses[k] = (softmax_attention(tokens, query, U, V)[-1] - w @ x[-1]) ** 2 / 2
    exact = float(finite_prompt_risk(A, u, RegressionTask(S, noise=0.0, task_variance=1.0), L))
    score = abs(float(losses.mean()) - exact) / (float(losses.std()) / np.sqrt(prompts))
    if score > sigmas:
        raise Contradiction(
            f"the risk on {prompts} drawn prompts is {score:.1f} standard errors from its closed form {exact}"
        )
    covered = f"d = 2, L = {L}, against the closed form on the block manifold: {score:.1f} standard errors"
    return supported("Monte Carlo", covered, samples=prompts, seed=current_seed(), error=1e-6)


def one_token_risk(p: sp.Expr, last: int = 1) -> sp.Expr:
    """The mean of (p x + last q w x - w x_q)^2/2 over three normal numbers."""
    q, *normal = sp.symbols("q x w x_q", real=True)
    x, w, query = normal
    moments = lambda powers: sp.prod([sp.factorial2(k - 1) * (1 - k % 2) for k in powers])
    loss = sp.Poly((p * x + q * last * w * x - w * query) ** 2 / 2, *normal)
    return sum(c * moments(powers) for powers, c in loss.terms())


@claim("BB:5.RL", control={"factor": 2})
def the_finite_prompt_risk(*, factor: int = 1) -> Evidence:
    r"""It is derived for every $d$, $L$, $U$, last row $v$ of $V$ and any law of the covariates
    that half the mean squared error of the last coordinate of $V$ times the softmax average of the
    tokens $(x_k,w^\top x_k)$, averaged over task, prompt and query, is the printed mean with
    $v^\top z_k$; `factor` multiplies what the last entry of $v$ contributes there.

    Second route: the printed mean and the half mean square for one token $(x,wx)$ at $d=\Sigma=1$,
    $\frac12\mathbb{E}(px+qwx-wx_{\rm q})^2$ for $v=(p,q)$, and definitions (2) and (3) on drawn
    tasks and prompts.
    """
    p = sp.Symbol("p", real=True)
    found = identity(computed(r"\mathcal{R}_1", one_token_risk(p)), one_token_risk(p, factor))
    search = confirmed(found, drawn_risk()) if found.verdict.accepted else found
    return derivation("BB:5.RL", search, factor=factor)


@claim("BB:A5.1", control={"kernel": False})
def the_assumption_is_not_vacuous(*, kernel: bool = True) -> Evidence:
    r"""For $d=2$ and $\Sigma={\rm diag}(1,0)$ the start with $\Theta=e_1e_1^\top$ satisfies the
    assumption. The starts with $2e_1e_1^\top$, with $e_2e_2^\top$, with a $U(0)$ that is no block
    and with $V(0)=U(0)$ do not.

    With `kernel` false the condition $\Theta\Sigma\neq0$ is left out, and $\Theta=e_2e_2^\top$ gets
    in.
    """
    alpha, Sigma, e1, e2 = Rational(1, 2), sp.diag(1, 0), sp.diag(1, 0), sp.diag(0, 1)

    def start(Theta: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix]:
        return alpha * sp.diag(Theta * Theta.T, 0), alpha * sp.diag(0, 0, 1)

    def meets(Theta: sp.Matrix, U: sp.Matrix, V: sp.Matrix) -> bool:
        unit = (Theta * Theta.T).norm() == 1
        return bool(unit and (not kernel or not (Theta * Sigma).is_zero_matrix) and start(Theta) == (U, V))

    tilted = start(e1)[0] + sp.Matrix(3, 3, lambda i, j: int(i != j))
    outside = {
        "|Theta Theta'|_F = 4": (2 * e1, *start(2 * e1)),
        "Theta Sigma = 0": (e2, *start(e2)),
        "U(0) is no block": (e1, tilted, start(e1)[1]),
        "V(0) = U(0)": (e1, start(e1)[0], start(e1)[0]),
    }
    admitted = [name for name, case in outside.items() if meets(*case)]
    if admitted or not meets(e1, *start(e1)):
        at = {"d": 2, "Sigma": "diag(1, 0)", "alpha": alpha}
        witness = {**at, "admitted": ", ".join(admitted) or "nothing"}
        return refuted_exactly(witness, "examples")
    return supported("examples", "one start inside, four outside", dimension="d = 2")


@claim("BB:A5.1/sign", control={"mirror": 2})
def the_sign_of_alpha(*, mirror: int = -1) -> Evidence:
    r"""For every $d$ the vector field for infinite prompts, which is minus the gradient of the risk
    on the block manifold, is odd in $(U,u)$, and the error at a query for finite ones is even, as
    $s=h^\top Ux$ and $\|h\|^2$ with $h=\Sigma Ux$ are even and $x^\top h$ is odd; `mirror` stands
    for the factor $-1$. So the path from $-\alpha$ is minus that from $\alpha$, with the same risk,
    and 0 is a rest point of risk ${\rm tr}(\Sigma)/2$, which Theorem 5.2 excludes by $\alpha>0$.
    """
    U, u, S, x = (DATA[name] for name in ("A", "q", "S", "x"))
    motion = lambda U, u: -u * S * (u * S * U - DATA.I) * S
    slope = lambda U, u: -((u * S * U - DATA.I) * S * U.T * S).tr()
    risk = risk_of_blocks(noise=True).substitute("p", 0 * DATA["p"]).substitute("b", 0 * DATA["b"])
    field = (
        trace_identity(-1 * risk.grad("A"), motion(U, u)),
        trace_identity(-1 * risk.diff("q"), slope(U, u)),
    )
    odd = [trace_identity(f(mirror * U, mirror * u), mirror * f(U, u)) for f in (motion, slope)]
    sizes = (lambda U: (S * U * x).T * U * x, lambda U: (S * U * x).T * S * U * x)
    even = [trace_identity(f(mirror * U), f(U)) for f in sizes]
    score = trace_identity(x.T * S * (mirror * U) * x, mirror * (x.T * S * U * x))
    P2, P3, Q, h2, x2, trace = sp.symbols("P2 P3 Q h2 x2 trace", nonnegative=True)
    value, xh = sp.symbols("u xh", real=True)
    error = lambda v, inner: error_at_query(P2, P3, Q, trace=trace, h2=h2, xh=inner, x2=x2, u=v)
    moved = computed(rf"e({mirror}\,u, {mirror}\,x^\top h)", error(mirror * value, mirror * xh))
    return all_of(*field, *odd, *even, score, identity(moved, error(value, xh)))


@claim(
    "BB:5.rows",
    control={"factor": 2},
    cites=("dominated convergence: a mean may be differentiated under its sign",),
)
def only_the_last_row_of_v_matters(*, factor: int = 1) -> Evidence:
    r"""Attention is $Vm$ with a mean token $m$ that is free of $V$. In any dimension $e^\top
    Vm=(V^\top e)^\top m$ for the vector $e$ that selects the coordinate that is read; it is derived
    that $\frac12(e^\top Vm-y)^2$ has the gradient $(e^\top Vm-y)em^\top$ in $V$ at an outcome, and
    that along the flow of the mean of these all rows of $V$ but the one that $e$ selects stay as
    they are. Here `factor` multiplies each right side.

    Second routes: the gradient $G$ satisfies $\|e\|^2c^\top Gb=(e^\top c)(e^\top Gb)$ for any $b$
    and $c$, and an entry of $V$ that moves at a steady speed.
    """
    V, e, m, b, c, y = (OUTPUT[name] for name in ("V", "e", "m", "b", "c", "y"))
    residual = e.T * V * m - y
    G = (residual * residual / 2).grad("V")
    row = trace_identity(e.T * V * m, factor * ((V.T * e).T * m))
    at_an_outcome = trace_identity((e.T * e) * (c.T * G * b), factor * ((e.T * c) * (e.T * G * b)))
    one, start, speed, t = sp.symbols("e V_0 g t", real=True)
    left, right = (1 - one) * (start - one * speed * t), factor * ((1 - one) * start)
    steady = identity(left, right, given=[sp.Eq(one**2, one)])
    return all_of(row, derivation("BB:5.rows", at_an_outcome, steady, factor=factor))


@claim(
    "BB:5.block",
    control=({"mirror": 2}, {"keeps": False}),
    needs=("BB:5.rows", "BB:5.RL", "BB:5.Rinf"),
    cites=CONSTANTS,
)
def the_block_manifold_is_invariant(*, mirror: int = -1, keeps: bool = True) -> Evidence:
    r"""Let $v=(p,q)$ be the last row of $V$, and let $U$ have the rows $(A,*)$ and $(b^\top,*)$. If
    $(p,b)$ and all labels change their sign, then all scores stay, and all values change their
    sign; `mirror` stands for the factor $-1$. So the prediction of softmax attention changes its
    sign together with its target, and as the tasks $w$ and $-w$ have one law, it is derived that
    the risk for $L$ tokens of any law, and that for the infinite prompt, are even in $(p,b)$; that
    for the infinite prompt with label noise is seen to be even directly.

    So the mirror image of a gradient flow is one, and it is derived that where they start at one
    point of the block manifold, they stay the same, by Gronwall's inequality: $(p,b)$ stays 0.
    Without `keeps` the flow starts anywhere. The last column of $U$ meets the masked label, and the
    other rows of $V$ stay as they are, by BB:5.rows.

    Second routes: one token, trace identities, and the bound of Gronwall's inequality.
    """
    A, x, z, b, p, q, y = (TOKEN[name] for name in ("A", "x", "z", "b", "p", "q", "y"))
    score = trace_identity(x.T * A * z + (mirror * y) * ((mirror * b).T * z), x.T * A * z + y * (b.T * z))
    value = trace_identity((mirror * p).T * x + q * (mirror * y), -(p.T * x + q * y))
    images = []
    for noise in (False, True):
        risk = risk_of_blocks(noise=noise)
        image = risk.substitute("p", mirror * DATA["p"]).substitute("b", mirror * DATA["b"])
        images.append(trace_identity(image, risk))
    first = sp.Symbol("p", real=True)
    one_token = identity(computed(r"\mathcal{R}_1", one_token_risk(mirror * first)), one_token_risk(first))
    most, t = sp.Symbol("D_0", real=True), sp.Symbol("t", nonnegative=True)
    at_first = Closed(-1, 0 if keeps else 1)  # what the square of the distance is at most
    decays = forall(most * sp.exp(2 * t), "<=", 0, {most: at_first, t: Closed(0, oo)})
    even = derivation("BB:5.block", one_token, images[0], decays, mirror=mirror, keeps=keeps)
    return all_of(score, value, images[1], even)


def scaled(start: Start, t: float) -> Start:
    """The start with alpha = t sqrt(2)/(d^{1/4} |Sigma|_op)."""
    alpha = t * np.sqrt(2) / (len(start.Sigma) ** 0.25 * np.linalg.norm(start.Sigma, 2))
    covariance, Theta, _ = re.split("; |, alpha", start.name)
    return Start(
        f"{covariance}; {Theta}, alpha at {t:g} of its bound",
        start.Sigma,
        start.U0 * (alpha / start.u0),
        alpha,
    )


@claim("BB:T5.2.range", needs=("OURS:R5.limit/rate", "BB:T5.2.range/positive"), control={"sign": -1})
def every_printed_alpha_is_admissible(*, sign: int = 1) -> Evidence:
    r"""From every $\alpha>0$, the printed range among them, the infinite-prompt flow is derived to
    go to the limit of Remark 5.3, as for BB:R5.3.limits. The second route are integrated paths from
    both ends of the printed range and inside it; `sign` multiplies $\alpha$. From $\alpha<0$, which
    Assumption 5.1 admits, it goes to the negative of that limit.
    """
    starts = [scaled(start, sign * t) for t in (0.01, 0.5, 0.999) for start in theta_starts(scales=(1.0,))]
    limit = partial(remark, exponent=0.25)
    drawn = drawn_ends(limit, "balanced in the printed range", sign=sign)
    search = ends_at(limit, starts, checked=r"0<\alpha<\sqrt2/(d^{1/4}\|\Sigma\|_{\rm op})")
    search = search.replace(sides=(drawn,))
    return derivation("BB:T5.2.range", search, search, sign=sign)


@claim("BB:T5.2.range/positive", control={"least": Fraction(-1, 8)})
def every_printed_alpha_is_positive(*, least: Fraction = Fraction(0)) -> Evidence:
    r"""Every $\alpha=t\sqrt2/(d^{1/4}\|\Sigma\|_{\rm op})$ with $0<t<1$ is positive; `least` stands
    for the lower end 0.
    """
    d, top, t = (
        sp.Symbol("d", integer=True, positive=True),
        sp.Symbol("Sigma", positive=True),
        sp.Symbol("t", real=True),
    )
    interval = (Rational(least), 1)
    domain = {d: Integers(1, oo), top: (0, oo), t: interval}
    return forall(t * sqrt(2) / (d ** Rational(1, 4) * top), ">", 0, domain)


@claim(
    "BB:T5.2.range/inference",
    false="gap",
    costs="nothing",
    repair={"power": Fraction(1, 2)},
    control={"power": Fraction(5, 8)},
    hypotheses=("alpha > 0", "d in Integers", "d >= 1", "Sigma > 0", "alpha**4*d*Sigma**4 < 4"),
)
def the_condition_of_the_source_follows(*, power: Fraction = Fraction(1)) -> Evidence:
    r"""The cited theorem asks for $\alpha^2\|\Theta\Theta^\top\|_F\sqrt d\,\|\Sigma\|_{\rm op}<2$.
    For $\alpha=t\sqrt2/(d^{1/4}\|\Sigma\|_{\rm op})$ with $0<t<1$, the printed range, this may
    fail; with $\|\Sigma\|_{\rm op}^{1/2}$ in place of $\|\Sigma\|_{\rm op}$ (`power`) it holds.
    """
    t, top = sp.symbols("t Sigma", positive=True)
    d = sp.Symbol("d", integer=True, positive=True)
    alpha = t * sqrt(2) / (d ** Rational(1, 4) * top ** Rational(power))
    with sp.evaluate(False):
        condition = alpha**2 * sqrt(d) * top
    found = forall(condition, "<", 2, {t: (0, 1), d: Integers(1, oo), top: (0, oo)})
    if found.verdict is not Verdict.REFUTED:
        return found
    at = {symbol: sp.Rational(found.witness[str(symbol)]) for symbol in (t, d, top)}
    return found.replace(witness={**found.witness, "alpha": alpha.subs(at)})
