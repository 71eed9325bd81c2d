"""The public functions, and how to call each of them well."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

import numerics
import proofs_check
import theory
from numerics import lemmas, provers, strategies, token_laws
from numerics.attention.exact.softmax_average import normaliser, symbol
from numerics.counterexamples.worst_case.families import TWO_ATOMS
from numerics.counterexamples.worst_case.statement import Mean
from numerics.evidence import Evidence, Verdict
from numerics.models.tiny import tiny_model
from proofs_check.core.claim import REGISTRY

__all__ = ["TARGETS", "Target"]


class Target(NamedTuple):
    """A function, what makes good arguments by name, and which of them say how much is computed:
    no large number is tried there.
    """

    function: Callable[..., Any]
    good: Callable[[], Mapping[str, Any]]
    work: tuple[str, ...] = ()
    positional: bool = False

    def call(self, arguments: Mapping[str, Any]) -> Any:
        """The result; some functions take their arguments without names."""
        return self.function(*arguments.values()) if self.positional else self.function(**arguments)


TARGETS: dict[str, Target] = {}


def put(
    function: Callable[..., Any], name: str = "", /, *, work: str = "", positional: bool = False, **good: Any
) -> None:
    """Add a function, under its own name if it is given none, with good arguments."""
    TARGETS[name or function.__name__] = Target(function, lambda: dict(good), tuple(work.split()), positional)


ONE3 = np.eye(3)
ONE, TWO = np.eye(2), np.array([[1.0, 0.2], [0.1, 0.5]])
COV, POINT = np.array([[1.0, 0.3], [0.3, 0.5]]), np.array([0.4, -0.3])
LENGTHS = np.array([10.0, 30.0, 100.0, 300.0, 1000.0])
X, Y = sp.symbols("x y", positive=True)


SETTING = numerics.AttentionSetting(COV, TWO, ONE, POINT)
FEATURES = theory.FeatureRegression(np.eye(3), np.eye(3), prompt_length=4)


@lru_cache(maxsize=1)
def _errors() -> Any:
    return numerics.attention_errors(SETTING, lengths=[10, 100], replicates=500, seed=1)


def _loss_and_gradient(Q: Any, **given: Any) -> tuple[Any, ...]:
    problem = theory.FeatureRegression(**given)
    return problem.loss(Q), problem.gradient(Q), problem.updates(Q), problem.attention(Q)


def _drawn(name: str) -> Callable[..., Any]:
    """One example of a strategy."""

    def draw(**arguments: Any) -> Any:
        found = getattr(strategies, name)(**arguments)
        found.validate()
        return found

    return draw


def _check(*, c: int = 1) -> Evidence:
    return provers.identity(sp.Integer(c), sp.Integer(1))


def _registered(check: Any) -> Any:
    """A claim of a check, which is forgotten again."""
    try:
        return proofs_check.claim("BB:X")(check)
    finally:
        REGISTRY.pop("BB:X", None)


PROVED = Evidence(verdict=Verdict.PROVED, engine="identity", checked="a=a")
SEEN = Evidence(verdict=Verdict.SUPPORTED, engine="quadrature", covered="L = 1, 2")
LETTERS = theory.Algebra(general=["M", "N"])
RISK = dict(Sigma=COV, U=TWO, u=0.5, prompt_length=7, noise=0.1)
ATTENTION = dict(prompt=np.arange(6.0).reshape(3, 2) / 6, query=POINT, U=TWO, V=ONE)
FIT = dict(lengths=LENGTHS, values=(1 + 2 / LENGTHS) / LENGTHS, standard_errors=0.01 / LENGTHS)
OF_VALUES = dict(features=TWO, value_covariance=COV)

# theory
TASKS = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, -1.0]])
put(theory.Algebra, general=["M", "T"], symmetric=["S"], vectors=["v"], params=["t"], inverse=[("M", "T")])
put(theory.FeatureRegression, features=ONE3, tasks=TASKS, probabilities=np.full(3, 1 / 3), prompt_length=4)
spread = dict(features=ONE, value_covariance=COV, masses=np.array([[0.5, 0.5]]))
put(theory.FeatureRegression, "FeatureRegression, covariance", **spread)
MASSES = np.array([[0.5, 0.5], [0.2, 0.8]])
put(_loss_and_gradient, "FeatureRegression, at Q", **OF_VALUES, masses=MASSES, Q=TWO)
put(_loss_and_gradient, "FeatureRegression, tasks at Q", features=TWO, tasks=TWO, prompt_length=3, Q=TWO)
put(theory.ReducedAttention, K=4, c=1.5, prompt_length=6)
put(theory.RegressionTask, Sigma=COV, noise=0.1, task_variance=1.0, query_covariance=ONE)
for window in ("affine", "cosine", "linear", "relu"):
    put(getattr(theory, window), window, L=1.5)
put(theory.low_rank, k=2, L=1.5)
put(theory.from_rho, rho=lambda t: t * t, name="mine")
put(theory.from_spectrum, b=np.array([0.0, 1.0, 0.5]), name="mine", total=1.5)
put(theory.effective_covariance, Sigma=COV, prompt_length=7, noise=0.1)
put(theory.gaussian_output, m=POINT, Gamma=COV, U=TWO, V=ONE, z=POINT)
for risk in ("icl_risk", "icl_risk_gradient", "vector_field"):
    put(getattr(theory, risk), risk, **RISK)
put(theory.invariants, Sigma=COV, U=TWO, u=0.5)
C4 = dict(L=100, a2=1.0, F4=1.0, sigma2=1.0, C_f=1.0, d=2, p=1, Z8=1.0, power=1, positive_part=False)
put(theory.lemma_c4, **C4)
put(theory.limit_parameters, Sigma=COV, U0=TWO, u0=0.5, prompt_length=7, noise=0.1)
put(theory.linear_attention, **ATTENTION)
put(theory.softmax_attention, **ATTENTION)
put(theory.task_covariance, Sigma=COV, w=POINT, noise=0.1)
put(theory.theorem_A, s=1.0, L=np.array([10.0, 100.0]), t=1.0, q=1.0)

# numerics
AT = dict(Gamma=COV, U=TWO, V=ONE)
START = np.zeros((3, 3))
put(numerics.AttentionSetting, Gamma=COV, U=None, V=ONE, query=POINT, K=TWO, Q=ONE, name="mine")
normal = lambda rng, n: rng.standard_normal((n, 2))
put(numerics.TokenLaw, name="mine", d=2, sigma=1.0, sample=normal, log_mgf=None)
TARGETS["assess"] = Target(numerics.assess, lambda: dict(setting=SETTING, errors=_errors()))
descent = dict(eta=0.1, steps=3, start=START, records=np.array([1, 3]), checkpoint=None)
put(numerics.attention_descent, work="steps", problem=FEATURES, **descent)
of_features = lambda **given: theory.FeatureRegression(**given)
descend = lambda eta, start, **given: numerics.attention_descent(of_features(**given), eta, 3, start=start)
put(descend, "attention_descent, of features", **OF_VALUES, eta=0.1, start=TWO)
sampled = dict(replicates=200, seed=1, threads=1, method="auto", against="linear")
more_work = "replicates lengths threads"
put(numerics.attention_errors, work=more_work, **AT, query=POINT, lengths=np.array([10, 20]), **sampled)
put(numerics.attention_flow, problem=FEATURES, times=np.array([0.0, 1.0]), start=START)
flow = lambda times, start, **given: numerics.attention_flow(of_features(**given), times, start=start)
put(flow, "attention_flow, of features", **OF_VALUES, times=np.array([0.0, 1.0]), start=TWO)
put(numerics.attention_margin, features=ONE3, same_elsewhere=False)
rare = lambda rng, n: rng.random(n) < 0.1
put(numerics.clopper_pearson, work="n", event=rare, op="<=", bound=0.2, n=100, error=1e-6)
fixed = dict(query=POINT, K=None, Q=None, tolerance=1e-3)
put(numerics.exact_errors, **AT, lengths=np.array([10.0, 100.0]), **fixed)
put(numerics.exact_errors, "exact_errors, averaged", **AT, lengths=np.array([10.0]), query_cov=COV / 9)
put(numerics.exact_risk, U11=TWO, u=0.5, task=COV, prompt_length=7, noise=0.1, attention="softmax")
put(numerics.check_variance_proxy, work="samples", law=token_laws.rademacher(1), seed=1, samples=1000)
put(numerics.edge_case_laws, work="d", d=2)
put(numerics.how_linear, setting=SETTING, lengths=np.array([10.0, 100.0]), mean=POINT)
flow = dict(prompt_length=7, noise=0.1, t_max=1.0, tolerance=1e-4, rtol=1e-6)
put(numerics.integrate_flow, Sigma=COV, U0=TWO, u0=0.5, **flow)
put(numerics.log_power_fit, **FIT, log_power=None, next_order=False)
put(numerics.power_law_fit, **FIT, order=1.0)
put(numerics.optimal_window, spectrum=np.array([0.0, 1.0]), d=3, n=5, noise=0.1)
narrow = dict(spectrum=np.array([0.0, 1e-3, 1.0]), d=4, n=5, noise=10.0)
put(numerics.optimal_window, "optimal_window, a narrow one", **narrow)
widths = dict(n=np.array([5, 6]), w=np.array([0.0, 1.0]), noise=0.1)
put(numerics.window_loss, spectrum=np.array([0.0, 1.0]), d=3, **widths)
put(numerics.softmax_moments, s=np.array([0.5, 1.0]), L=np.array([10.0, 100.0]))
few = dict(batch=4, steps=2, every=1)
drawn = dict(Sigma=COV, noise=0.1, task_variance=1.0, lr=0.01, seed=0, variant="as written")
unset = dict(checkpoint=None, start=None, progress=None, until=None)
hard = "prompt_length batch steps"
put(numerics.train, work=hard, attention="softmax", prompt_length=3, **few, **drawn, **unset)
start = [np.zeros(3), ONE3, ONE3, ONE3]
given = dict(attention="linear", prompt_length=3, d=2, start=start)
put(numerics.train, "train, a start", work=f"{hard} d", **given, **few)
put(numerics.training.initial_parameters, work="d", d=2, seed=0)
bound = symbol("L") * sp.exp(symbol("a2") / 2)
searched = dict(families=(TWO_ATOMS,), exponents=False)
put(numerics.worst_ratio, left=Mean(normaliser), op="<=", right=bound, **searched)

# token laws
put(token_laws.atoms, points=np.array([[1.0], [-1.0]]), weights=np.array([0.5, 0.5]), sigma=1.0)
for law in ("ball", "rademacher", "sphere", "uniform"):
    put(getattr(token_laws, law), law, work="d", d=2)
MODEL = tiny_model(tokens=20)
chosen = dict(layers=[0], heads=[0, 1], frequencies=np.arange(1.0, 21.0), query_count=3, seed=1)
put(numerics.attention_heads, model=MODEL, lengths=np.array([10.0, 100.0]), **chosen, work="query_count")
states = dict(states=np.arange(96.0).reshape(4, 3, 8) % 7, layers=[1], queries=np.ones(8))
put(numerics.attention_heads, "attention_heads, states", model=MODEL, **states)


@lru_cache
def _model_file() -> str:
    """A file of weights; its names are those of BERT."""
    path = Path(mkdtemp()) / "model.npz"
    parts = {part: np.eye(4) for part in ("query", "key", "value")}
    np.savez(path, **{f"encoder.layer.0.attention.self.{part}.weight": x for part, x in parts.items()})
    return str(path)


TARGETS["read_model"] = Target(numerics.read_model, lambda: {"path": _model_file(), "n_heads": 2})
put(token_laws.embedding_table, X=np.arange(8.0).reshape(4, 2))
put(token_laws.from_identity, identity={"kind": "ball", "d": 2})
of_gamma = lambda Gamma: token_laws.from_identity({"kind": "gaussian", "Gamma": Gamma})
put(of_gamma, "from_identity, Gaussian", Gamma=COV)
put(token_laws.gaussian, Gamma=COV)

# provers and evidence
put(provers.Closed, lo=0, hi=1)
put(provers.Integers, lo=1, hi=5)
put(provers.computed, name="a", value=X)
asked = dict(lhs=sp.exp(-X), op="<=", rhs=5 * X**-4, domain={X: (0, sp.oo)})
put(provers.forall, work="effort", **asked, where=[X > 1], via={Y: X + 1}, effort=2000)
within = lambda lo, hi: provers.forall(X, "<=", sp.Integer(7), {X: (lo, hi)}, effort=2000)
put(within, "forall, an interval", lo=0, hi=7)
put(provers.identity, lhs=sp.log(X * sp.exp(Y)), rhs=Y + sp.log(X), given=[])
put(provers.integral, work="rel", f=sp.sqrt(X), x=X, interval=(0, 1), tail=None, rel=Fraction(1, 1000))
closed = sp.Rational(22, 28)
put(provers.integral_evidence, f=1 / (1 + X**2), x=X, interval=(0, 1), op="<", closed=closed)
put(provers.trace_identity, lhs=LETTERS["M"], rhs=LETTERS["N"])
put(numerics.lemma, work="effort", text="x <= c*x + 1 for x > 0", numbers={"c": "1"}, effort=2000)
some, far = dict(domain={X: (0, sp.oo)}, where=[], effort=2000), {X: sp.oo}
C = sp.Symbol("C", positive=True)
put(numerics.exists, work="effort", C=C, lhs=X, op="<=", rhs=C * X, **some, regime=far)
put(numerics.order, work="effort", f=X, kind="O", g=X**2, regime=far, **some)
put(numerics.limit, work="effort", f=1 / X, x=X, to=sp.oo, value=0, side="", **some)
put(lemmas.read_lemma, text="x <= c*x + 1 for x > 0", numbers={"c": "1"})
N, K = sp.symbols("n k", integer=True, positive=True)
whole = {N: provers.Integers(1, 9)}
summed = lambda lhs, rhs, where: lemmas.forall(lhs, "<=", rhs, whole, where=where, effort=2000)
put(summed, "forall, a sum", lhs=sp.Sum(K, (K, 1, N)), rhs=N**2, where=[])
A = sp.MatrixSymbol("A", 2, 2)
psd = lambda lhs, op: lemmas.forall(lhs, op, 0, {A: numerics.Matrices.PSD}, effort=100)
put(psd, "forall, matrices", lhs=sp.Trace(A), op=">=")
sampled = lambda lhs, rhs: lemmas.forall(lhs, "<=", rhs, {X: numerics.Iid(2, on=(0, 1))}, effort=1)
put(sampled, "forall, a sample", lhs=lemmas.E(X), rhs=sp.S.One)
for word in (
    "E",
    "Var",
    "CdfGap",
    *(f"Sample{name}" for name in ("Max", "Mean", "Median", "Min", "Sum", "Var")),
):
    put(getattr(lemmas, word), word, positional=True, of=X)
put(lemmas.P, positional=True, event=X > 1)
put(lemmas.Quantile, positional=True, of=X, level=sp.Rational(1, 2))
for head in ("FrobeniusNorm", "OperatorNorm", "LargestEigenvalue", "SmallestEigenvalue"):
    put(getattr(lemmas, head), head, positional=True, matrix=A)
put(numerics.Iid, size=3, on=sp.Interval(0, 1), law=None)
growing = dict(left=X, right=C, k=X, at={"x": X}, where={"d": 1})
put(numerics.defeated, **growing, work="least", least=1)
refuted = dict(verdict=Verdict.REFUTED, engine="exact arithmetic", witness_by="exact", witness={"L": 1})
counted = dict(slack=0.5, samples=1, seed=0, error=0.0, seconds=0.1)
put(Evidence, **refuted, checked="a", **counted, parts=(), routes=(), cites=("A",))
put(numerics.all_of, positional=True, first=PROVED, second=SEEN)
put(numerics.evidence.as_one, positional=True, first=PROVED, second=SEEN)
put(numerics.confirmed, positional=True, first=PROVED, second=SEEN)
put(numerics.evidence.plain, value=1)

# strategies
ATOMS = token_laws.atoms([[1], [-1]], [Fraction(1, 2), Fraction(1, 2)])
start = dict(kind="theta", singular=True, prompt_length=7, noise=0.1)
for strategy, work, good in (
    ("covariances", "d", dict(d=2, singular=True, octaves=10)),
    ("feature_problems", "", dict(most_classes=4, most_prompts=3, octaves=4)),
    ("functions", "", dict(law=ATOMS, octaves=12)),
    ("gaussian_tasks", "d", dict(d=2, singular=True, octaves=10)),
    ("laws", "d most_atoms", dict(d=1, most_atoms=4, octaves=10)),
    ("lengths", "", dict(least=1, most=100)),
    ("matrices", "d", dict(d=2, octaves=10)),
    ("queries", "d", dict(d=2, octaves=10)),
    ("reduced_problems", "", dict(most_classes=6, octaves=4)),
    ("starts", "d", dict(d=2, **start)),
    ("tasks", "most", dict(most=3, octaves=5, exact=False)),
):
    put(_drawn(strategy), strategy, work=work, **good)

# claims
told = dict(false="gap", at="", follows="", open="", why="why", instead="that", costs="constants")
numbers = dict(repair={"c": 2}, control={"c": 3}, sharp="c")
put(proofs_check.claim, id="BB:X", **told, **numbers, needs=("BB:16",), hypotheses=(), cites=())
put(_registered, "claim, a check", check=_check)
ledger = lambda **given: proofs_check.Ledger(**given).to_json()
put(ledger, "Ledger", entries=[], needs={}, run={"seconds": 1.0})
put(proofs_check.load_claims, scope=())
put(proofs_check.row, id="BB:16")
put(proofs_check.rows)
