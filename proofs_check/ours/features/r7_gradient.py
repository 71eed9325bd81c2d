"""R7: the gradient of the loss over finitely many features, which is that of Li, Duan & Liang for
orthonormal features only, and the loss of exchangeable tasks.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, computed, forall, identity, trace_identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.features.problems import with_symbols
from theory.symbolic.algebra import Algebra

#: Features, a direction in Q, the attention of a query as a diagonal matrix and as a column, the
#: query itself, the second moments of a task, and the probability of the class of the query.
A = Algebra(
    general=["V", "E", "U"], symmetric=["D", "C"], vectors=["a", "e", "o"], params=["p", "spread", "b"]
)
V, E, U, D, C, a, e, o, p = (A[name] for name in ("V", "E", "U", "D", "C", "a", "e", "o", "p"))


def on_a_line(sign: int) -> Evidence:
    """The derivative of the loss by Q, from the code of the loss, is -V H V^T for two and three
    classes on a line, with a symbol for every feature, value, mass and probability.
    """
    parts = []
    for K in (2, 3):
        problem, Q = with_symbols(K, 1)
        V, H, loss = problem.features, problem.H(Q), problem.loss(Q)
        slopes = [computed(rf"\partial_{{{x}}}\mathrm{{loss}}", sp.diff(loss, x)) for x in Q]
        parts.append(identity(slopes, list(-sign * V * H * V.T)))
    return all_of(*parts)


@claim("OURS:R7.H", control=({"half": Fraction(1, 4)}, {"sign": -1}, {"whole": 2}))
def the_gradient_in_every_dimension(
    *, half: Fraction = Fraction(1, 2), sign: int = 1, whole: int = 1
) -> Evidence:
    r"""Along any path of $Q$ the loss $\frac12\sum_kp_k\mathbb{E}(f_k-\hat y_k)^2$ changes by
    $-{\rm tr}(\dot Q^\top VHV^\top)$, the entries of each column of $H$ add up to 0, and
    $V^\top(VHV^\top)V=GHG$. This is derived for every number of classes and any features, laws of
    tasks with two moments, and prompts of tokens with any masses.

    Tried are the derivative of the loss from its code, for two and three classes on a line with
    a symbol for every number; and, in words of matrices, that along a direction $E$ the loss
    $\frac12p(e-a)^\top C(e-a)$ of a query changes by $-{\rm tr}(E^\top VHV^\top)$ with
    $H=p(D-aa^\top)C(e-a)e^\top$, and that the entries $a_m(f_m-\hat y)$ sum to 0. Here `half`
    stands for the $\frac12$ of the loss, `sign` multiplies the derivative and $GHG$, and
    `whole` stands for the sum 1 of the attentions.
    """
    words, factor = Algebra(general=["V", "H"]), sp.Rational(half)
    moved = (D - a * a.T) * V.T * E * V * e
    H = p * (D - a * a.T) * C * (e - a) * e.T
    square = trace_identity(2 * factor * (e - a).T * C * (e - a), e.T * C * e - 2 * a.T * C * e + a.T * C * a)
    words_of_slope = trace_identity(-p * (e - a).T * C * moved, -sign * (E.T * V * H * V.T).tr())
    slope = all_of(words_of_slope, on_a_line(sign))
    one, value, others, task = sp.symbols(
        "a_m f_m b f_k", real=True
    )  # b: what the other classes add to the prediction
    predicted = one * value + others
    summed = identity(
        (task - predicted) * (one * (value - predicted) + others - (whole - one) * predicted), 0
    )
    outer = words["V"].T * (words["V"] * words["H"] * words["V"].T) * words["V"]
    inner = words["V"].T * words["V"]
    grams = trace_identity(outer, sign * (inner * words["H"] * inner))
    return derivation("OURS:R7.H", square, slope, summed, grams, half=half, sign=sign, whole=whole)


@claim("OURS:R7.only", control=({"own": 2}, {"whole": 2}), needs=("OURS:R7.H",))
def only_orthonormal_features_leave_it_alone(*, own: int = 1, whole: int = 1) -> Evidence:
    r"""For any positive attentions it is derived that, if $GHG=H$ for every task and all positive
    $p$, $(G\beta)_k=\beta_k$ for every vector $\beta$ and every class $k$ beside which there is
    another one, $m$: the task with $f_k=A_{mk}$, $f_m=-A_{kk}$ and 0 elsewhere has a column $h_k$
    that is a positive multiple of $e_k-e_m$. And $IHI=H$ for any $H$.

    Tried is a diagonal $G$, where the entries of $G he_k^\top G-he_k^\top$ for $h=e_k-e_m$ are
    $c_k^2-1$ and $1-c_kc_m$, which at $c_k\geq0$ vanish together for $c_k=c_m=1$ only. Here `own`
    multiplies $\beta_k$ and stands for these 1, and `whole` multiplies the last $H$.
    """
    c_k, c_m = sp.symbols("c_k c_m", nonnegative=True)
    G, h = sp.diag(c_k, c_m), sp.Matrix([1, -1])
    found = G * h * sp.Matrix([[1, 0]]) * G - h * sp.Matrix([[1, 0]])
    shown = [computed("(GHG-H)_{kk}", found[0, 0]), computed("(GHG-H)_{mk}", found[1, 0])]
    entries = identity(shown, [c_k**2 - own, own - c_k * c_m])
    both = identity((c_k - 1) * (c_k + own), 0, given=[sp.Eq(c_k**2, 1)])
    back = trace_identity(A.I * V * A.I, whole * V)
    return all_of(derivation("OURS:R7.only", all_of(entries, both), own=own), back)


@claim("OURS:R7.one", control={"factor": 2})
def exact_where_both_queries_are_equally_fast(*, factor: int = 1) -> Evidence:
    r"""For two features with $G=I+b\mathbf1\mathbf1^\top$ and any $H$ with the columns $x(1,-1)$
    and $-y(1,-1)$, $GHG-H$ is $b(x-y)$ times the matrix with the rows $(1,1)$ and $(-1,-1)$;
    `factor` multiplies this matrix.
    """
    b, x, y = sp.symbols("b x y", real=True)
    G, H = sp.eye(2) + b * sp.ones(2), sp.Matrix([[x, -y], [-x, y]])
    left = [computed(f"(GHG-H)_{{{k // 2 + 1}{k % 2 + 1}}}", entry) for k, entry in enumerate(G * H * G - H)]
    return identity(left, [sign * factor * b * (x - y) for sign in (1, 1, -1, -1)])


@claim("OURS:R7.loss", control=({"most": Fraction(19, 10)}, {"least": Fraction(11, 10)}, {"own": 3}))
def the_loss_in_the_weights(
    *, most: Fraction = Fraction(2), least: Fraction = Fraction(1), own: int = 2
) -> Evidence:
    r"""The mean squared error and its bounds are derived for every number of classes from the
    second moments $\sigma_f^2I+b\mathbf1\mathbf1^\top$ of exchangeable values. Tried is that
    $x^\top(\sigma_f^2I+ b\mathbf1\mathbf1^\top)x=\sigma_f^2|x|^2+b(\mathbf1^\top x)^2$ at $x=e-w$,
    and $|x|^2=1-2w_k+|w|^2$, which lies between 1 and 2 times $(1-w_k)^2$. Here `own` stands for
    the factor of $w_k$, and `least` and `most` for the bounds.
    """
    spread, b, x = A["spread"], A["b"], e - a
    left = x.T * (spread * A.I + b * o * o.T) * x
    contrast = trace_identity(left, spread * (e.T * e - own * e.T * a + a.T * a) + b * (o.T * x) * (o.T * x))
    w, B, s, t = sp.symbols("w B s t", nonnegative=True)
    error, domain = (1 - w) ** 2 + B, {w: Closed(0, 1), B: Closed(0, 1)}
    above = all_of(
        forall(s**2 + t**2, "<=", (most - 1) * (s + t) ** 2, {s: Closed(0, oo), t: Closed(0, oo)}),
        forall(error, "<=", most * (1 - w) ** 2, domain, where=[(B, "<=", (1 - w) ** 2)]),
    )
    exact = all_of(contrast, identity(1 - own * w + (w**2 + B), error))
    below = forall(error, ">=", least * (1 - w) ** 2, domain)
    return derivation("OURS:R7.loss", exact, below, above, most=most, least=least, own=own)
