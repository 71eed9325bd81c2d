"""The public functions, and how to call each of them well."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

import numerics
import proofs_check
import theory
from numerics import provers, strategies, token_laws
from numerics.evidence import Evidence, Verdict
from proofs_check.core.claim import REGISTRY

__all__ = ["TARGETS", "Target"]


class Target(NamedTuple):
    """A function with good arguments.

    Attributes
    ----------
    function : callable
    good : callable
        Makes the good arguments, by name.
    work : tuple of str
        Arguments that say how much is computed: no large number is tried there.
    positional : bool
        Whether the arguments go without their names.
    """

    function: Callable[..., Any]
    good: Callable[[], Mapping[str, Any]]
    work: tuple[str, ...] = ()
    positional: bool = False

    def call(self, arguments: Mapping[str, Any]) -> Any:
        """The result."""
        return self.function(*arguments.values()) if self.positional else self.function(**arguments)


ONE3 = np.eye(3)
ONE, TWO = np.eye(2), np.array([[1.0, 0.2], [0.1, 0.5]])
COV, POINT = np.array([[1.0, 0.3], [0.3, 0.5]]), np.array([0.4, -0.3])
LENGTHS = np.array([10.0, 30.0, 100.0, 300.0, 1000.0])
X, Y = sp.symbols("x y", positive=True)


def _task() -> Any:
    return theory.RegressionTask(COV, noise=0.1, task_variance=1.0)


def _setting() -> Any:
    return numerics.AttentionSetting(COV, TWO, ONE, POINT)


@lru_cache(maxsize=1)
def _errors() -> Any:
    return numerics.attention_errors(_setting(), lengths=[10, 100], replicates=500, seed=1)


def _features() -> Any:
    return theory.FeatureRegression(np.eye(3), np.eye(3), prompt_length=4)


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


def _words() -> Any:
    algebra = theory.Algebra(general=["M", "N"])
    return algebra["M"], algebra["N"]


def _mean() -> Any:
    from numerics.attention.softmax_average import normaliser
    from numerics.search.statement import Mean

    return Mean(normaliser)


def _bound() -> Any:
    from numerics.attention.softmax_average import symbol

    return symbol("L") * sp.exp(symbol("a2") / 2)


def _families() -> Any:
    from numerics.search.families import TWO_ATOMS

    return (TWO_ATOMS,)


def _check(*, c: int = 1) -> Evidence:
    return provers.identity(sp.Integer(c), sp.Integer(1))


def _exact_law() -> Any:
    return token_laws.atoms([[1], [-1]], [Fraction(1, 2), Fraction(1, 2)])


def _registered(check: Any) -> Any:
    """A claim of a check, which is forgotten again."""
    try:
        return proofs_check.claim("BB:X")(check)
    finally:
        REGISTRY.pop("BB:X", None)


PROVED = Evidence(verdict=Verdict.PROVED, engine="identity", checked="a=a")
SEEN = Evidence(verdict=Verdict.SUPPORTED, engine="quadrature", covered="L = 1, 2")
RISK = lambda: dict(Sigma=COV, U=TWO, u=0.5, prompt_length=7, noise=0.1)
ATTENTION = lambda: dict(prompt=np.arange(6.0).reshape(3, 2) / 6, query=POINT, U=TWO, V=ONE)

_THEORY: dict[str, Target] = {
    "Algebra": Target(
        theory.Algebra,
        lambda: dict(general=["M", "T"], symmetric=["S"], vectors=["v"], params=["t"], inverse=[("M", "T")]),
    ),
    "FeatureRegression": Target(
        theory.FeatureRegression,
        lambda: dict(
            features=np.eye(3),
            tasks=np.array([[1.0, 0.0, 1.0], [0.0, 1.0, -1.0]]),
            probabilities=np.full(3, 1 / 3),
            prompt_length=4,
        ),
    ),
    "FeatureRegression, covariance": Target(
        theory.FeatureRegression,
        lambda: dict(features=np.eye(2), value_covariance=COV, masses=np.array([[0.5, 0.5]])),
    ),
    "FeatureRegression, at Q": Target(
        _loss_and_gradient,
        lambda: dict(features=TWO, value_covariance=COV, masses=np.array([[0.5, 0.5], [0.2, 0.8]]), Q=TWO),
    ),
    "FeatureRegression, tasks at Q": Target(
        _loss_and_gradient, lambda: dict(features=TWO, tasks=TWO, prompt_length=3, Q=TWO)
    ),
    "ReducedAttention": Target(theory.ReducedAttention, lambda: dict(K=4, c=1.5, prompt_length=6)),
    "RegressionTask": Target(
        theory.RegressionTask, lambda: dict(Sigma=COV, noise=0.1, task_variance=1.0, query_covariance=ONE)
    ),
    **{
        name: Target(getattr(theory, name), lambda: dict(L=1.5))
        for name in ("affine", "cosine", "linear", "relu")
    },
    "low_rank": Target(theory.low_rank, lambda: dict(k=2, L=1.5)),
    "from_rho": Target(theory.from_rho, lambda: dict(rho=lambda t: t * t, name="mine")),
    "from_spectrum": Target(
        theory.from_spectrum, lambda: dict(b=np.array([0.0, 1.0, 0.5]), name="mine", total=1.5)
    ),
    "effective_covariance": Target(
        theory.effective_covariance, lambda: dict(Sigma=COV, prompt_length=7, noise=0.1)
    ),
    "gaussian_output": Target(
        theory.gaussian_output, lambda: dict(m=POINT, Gamma=COV, U=TWO, V=ONE, z=POINT)
    ),
    **{
        name: Target(getattr(theory, name), RISK)
        for name in ("icl_risk", "icl_risk_gradient", "vector_field")
    },
    "invariants": Target(theory.invariants, lambda: dict(Sigma=COV, U=TWO, u=0.5)),
    "lemma_c4": Target(
        theory.lemma_c4,
        lambda: dict(
            L=100, a2=1.0, F4=1.0, sigma2=1.0, C_f=1.0, d=2, p=1, Z8=1.0, power=1, positive_part=False
        ),
    ),
    "limit_parameters": Target(
        theory.limit_parameters, lambda: dict(Sigma=COV, U0=TWO, u0=0.5, prompt_length=7, noise=0.1)
    ),
    "linear_attention": Target(theory.linear_attention, ATTENTION),
    "softmax_attention": Target(theory.softmax_attention, ATTENTION),
    "task_covariance": Target(theory.task_covariance, lambda: dict(Sigma=COV, w=POINT, noise=0.1)),
    "theorem_A": Target(theory.theorem_A, lambda: dict(s=1.0, L=np.array([10.0, 100.0]), t=1.0, q=1.0)),
}
_NUMERICS: dict[str, Target] = {
    "AttentionSetting": Target(
        numerics.AttentionSetting,
        lambda: dict(Gamma=COV, U=None, V=ONE, query=POINT, K=TWO, Q=ONE, name="mine"),
    ),
    "TokenLaw": Target(
        numerics.TokenLaw,
        lambda: dict(
            name="mine", d=2, sigma=1.0, sample=lambda rng, n: rng.standard_normal((n, 2)), log_mgf=None
        ),
    ),
    "assess": Target(numerics.assess, lambda: dict(setting=_setting(), errors=_errors())),
    "attention_descent": Target(
        numerics.attention_descent,
        lambda: dict(
            problem=_features(),
            eta=0.1,
            steps=3,
            start=np.zeros((3, 3)),
            records=np.array([1, 3]),
            checkpoint=None,
        ),
        work=("steps",),
    ),
    "attention_errors": Target(
        numerics.attention_errors,
        lambda: dict(
            Gamma=COV,
            U=TWO,
            V=ONE,
            query=POINT,
            lengths=np.array([10, 20]),
            replicates=200,
            seed=1,
            threads=1,
            method="auto",
            against="linear",
        ),
        work=("replicates", "lengths", "threads"),
    ),
    "attention_flow": Target(
        numerics.attention_flow,
        lambda: dict(problem=_features(), times=np.array([0.0, 1.0]), start=np.zeros((3, 3))),
    ),
    "attention_flow, of features": Target(
        lambda times, start, **given: numerics.attention_flow(
            theory.FeatureRegression(**given), times, start=start
        ),
        lambda: dict(features=TWO, value_covariance=COV, times=np.array([0.0, 1.0]), start=TWO),
    ),
    "attention_descent, of features": Target(
        lambda start, eta, **given: numerics.attention_descent(
            theory.FeatureRegression(**given), eta, 3, start=start
        ),
        lambda: dict(features=TWO, value_covariance=COV, eta=0.1, start=TWO),
    ),
    "attention_margin": Target(
        numerics.attention_margin, lambda: dict(features=np.eye(3), same_elsewhere=False)
    ),
    "clopper_pearson": Target(
        numerics.clopper_pearson,
        lambda: dict(event=lambda rng, n: rng.random(n) < 0.1, op="<=", bound=0.2, n=100, error=1e-6),
        work=("n",),
    ),
    "exact_errors": Target(
        numerics.exact_errors,
        lambda: dict(
            Gamma=COV,
            U=TWO,
            V=ONE,
            lengths=np.array([10.0, 100.0]),
            query=POINT,
            K=None,
            Q=None,
            tolerance=1e-3,
        ),
    ),
    "exact_errors, averaged": Target(
        numerics.exact_errors,
        lambda: dict(Gamma=COV, U=TWO, V=ONE, lengths=np.array([10.0]), query_cov=COV / 9),
    ),
    "exact_risk": Target(
        numerics.exact_risk,
        lambda: dict(U11=TWO, u=0.5, task=COV, prompt_length=7, noise=0.1, attention="softmax"),
    ),
    "honest_sigma": Target(
        numerics.honest_sigma,
        lambda: dict(law=token_laws.rademacher(1), seed=1, samples=1000),
        work=("samples",),
    ),
    "hostile_laws": Target(numerics.hostile_laws, lambda: dict(d=2), work=("d",)),
    "how_linear": Target(
        numerics.how_linear, lambda: dict(setting=_setting(), lengths=np.array([10.0, 100.0]), mean=POINT)
    ),
    "integrate_flow": Target(
        numerics.integrate_flow,
        lambda: dict(
            Sigma=COV, U0=TWO, u0=0.5, prompt_length=7, noise=0.1, t_max=1.0, tolerance=1e-4, rtol=1e-6
        ),
    ),
    "log_power_fit": Target(
        numerics.log_power_fit,
        lambda: dict(
            lengths=LENGTHS,
            values=(1 + 2 / LENGTHS) / LENGTHS,
            standard_errors=0.01 / LENGTHS,
            log_power=None,
            next_order=False,
        ),
    ),
    "power_law_fit": Target(
        numerics.power_law_fit,
        lambda: dict(
            lengths=LENGTHS, values=(1 + 2 / LENGTHS) / LENGTHS, standard_errors=0.01 / LENGTHS, order=1.0
        ),
    ),
    "optimal_window": Target(
        numerics.optimal_window, lambda: dict(spectrum=np.array([0.0, 1.0]), d=3, n=5, noise=0.1)
    ),
    "optimal_window, a narrow one": Target(
        numerics.optimal_window, lambda: dict(spectrum=np.array([0.0, 1e-3, 1.0]), d=4, n=5, noise=10.0)
    ),
    "window_loss": Target(
        numerics.window_loss,
        lambda: dict(
            spectrum=np.array([0.0, 1.0]), d=3, n=np.array([5, 6]), w=np.array([0.0, 1.0]), noise=0.1
        ),
    ),
    "softmax_moments": Target(
        numerics.softmax_moments, lambda: dict(s=np.array([0.5, 1.0]), L=np.array([10.0, 100.0]))
    ),
    "train": Target(
        numerics.train,
        lambda: dict(
            attention="softmax",
            prompt_length=3,
            Sigma=COV,
            noise=0.1,
            task_variance=1.0,
            batch=4,
            lr=0.01,
            steps=2,
            seed=0,
            variant="as written",
            every=1,
            checkpoint=None,
            start=None,
            progress=None,
            until=None,
        ),
        work=("prompt_length", "batch", "steps"),
    ),
    "train, a start": Target(
        numerics.train,
        lambda: dict(
            attention="linear",
            prompt_length=3,
            d=2,
            batch=4,
            steps=2,
            every=1,
            start=[np.zeros(3), ONE3, ONE3, ONE3],
        ),
        work=("prompt_length", "batch", "steps", "d"),
    ),
    "initial_parameters": Target(
        numerics.training.initial_parameters, lambda: dict(d=2, seed=0), work=("d",)
    ),
    "worst_ratio": Target(
        numerics.worst_ratio,
        lambda: dict(left=_mean(), op="<=", right=_bound(), families=_families(), exponents=False),
    ),
}
_LAWS: dict[str, Target] = {
    "atoms": Target(
        token_laws.atoms,
        lambda: dict(points=np.array([[1.0], [-1.0]]), weights=np.array([0.5, 0.5]), sigma=1.0),
    ),
    **{
        name: Target(getattr(token_laws, name), lambda: dict(d=2), work=("d",))
        for name in ("ball", "rademacher", "sphere", "uniform")
    },
    "embedding_table": Target(token_laws.embedding_table, lambda: dict(X=np.arange(8.0).reshape(4, 2))),
    "from_identity": Target(token_laws.from_identity, lambda: dict(identity={"kind": "ball", "d": 2})),
    "from_identity, Gaussian": Target(
        lambda Gamma: token_laws.from_identity({"kind": "gaussian", "Gamma": Gamma}), lambda: dict(Gamma=COV)
    ),
    "gaussian": Target(token_laws.gaussian, lambda: dict(Gamma=COV)),
}
_PROVERS: dict[str, Target] = {
    "Closed": Target(provers.Closed, lambda: dict(lo=0, hi=1)),
    "Integers": Target(provers.Integers, lambda: dict(lo=1, hi=5)),
    "computed": Target(provers.computed, lambda: dict(name="a", value=X)),
    "forall": Target(
        provers.forall,
        lambda: dict(
            lhs=sp.exp(-X),
            op="<=",
            rhs=5 * X**-4,
            domain={X: (0, sp.oo)},
            where=[X > 1],
            via={Y: X + 1},
            effort=2000,
        ),
        work=("effort",),
    ),
    "forall, an interval": Target(
        lambda lo, hi: provers.forall(X, "<=", sp.Integer(7), {X: (lo, hi)}, effort=2000),
        lambda: dict(lo=0, hi=7),
    ),
    "identity": Target(
        provers.identity, lambda: dict(lhs=sp.log(X * sp.exp(Y)), rhs=Y + sp.log(X), given=[])
    ),
    "integral": Target(
        provers.integral,
        lambda: dict(f=sp.sqrt(X), x=X, interval=(0, 1), tail=None, rel=Fraction(1, 1000)),
        work=("rel",),
    ),
    "integral_evidence": Target(
        provers.integral_evidence,
        lambda: dict(f=1 / (1 + X**2), x=X, interval=(0, 1), op="<", closed=sp.Rational(22, 28)),
    ),
    "trace_identity": Target(provers.trace_identity, lambda: dict(zip(("lhs", "rhs"), _words()))),
}
_EVIDENCE: dict[str, Target] = {
    "Evidence": Target(
        Evidence,
        lambda: dict(
            verdict=Verdict.REFUTED,
            engine="exact arithmetic",
            witness_by="exact",
            witness={"L": 1},
            checked="a",
            slack=0.5,
            samples=1,
            seed=0,
            error=0.0,
            seconds=0.1,
            parts=(),
            routes=(),
            cites=("A",),
        ),
    ),
    "all_of": Target(numerics.all_of, lambda: dict(first=PROVED, second=SEEN), positional=True),
    "confirmed": Target(numerics.confirmed, lambda: dict(first=PROVED, second=SEEN), positional=True),
    "plain": Target(numerics.evidence.plain, lambda: dict(value=1)),
}
_STRATEGIES: dict[str, Target] = {
    "covariances": Target(_drawn("covariances"), lambda: dict(d=2, singular=True, octaves=10), work=("d",)),
    "feature_problems": Target(
        _drawn("feature_problems"), lambda: dict(most_classes=4, most_prompts=3, octaves=4)
    ),
    "functions": Target(_drawn("functions"), lambda: dict(law=_exact_law(), octaves=12)),
    "gaussian_tasks": Target(
        _drawn("gaussian_tasks"), lambda: dict(d=2, singular=True, octaves=10), work=("d",)
    ),
    "laws": Target(_drawn("laws"), lambda: dict(d=1, most_atoms=4, octaves=10), work=("d", "most_atoms")),
    "lengths": Target(_drawn("lengths"), lambda: dict(least=1, most=100)),
    "matrices": Target(_drawn("matrices"), lambda: dict(d=2, octaves=10), work=("d",)),
    "queries": Target(_drawn("queries"), lambda: dict(d=2, octaves=10), work=("d",)),
    "reduced_problems": Target(_drawn("reduced_problems"), lambda: dict(most_classes=6, octaves=4)),
    "starts": Target(
        _drawn("starts"),
        lambda: dict(d=2, kind="theta", singular=True, prompt_length=7, noise=0.1),
        work=("d",),
    ),
    "tasks": Target(_drawn("tasks"), lambda: dict(most=3, octaves=5, exact=False), work=("most",)),
}
_CLAIMS: dict[str, Target] = {
    "claim": Target(
        proofs_check.claim,
        lambda: dict(
            id="BB:X",
            false="gap",
            at="",
            follows="",
            open="",
            repair={"c": 2},
            control={"c": 3},
            dial="c",
            needs=("BB:16",),
            why="why",
            instead="that",
            costs="constants",
            hypotheses=(),
            cites=(),
        ),
    ),
    "claim, a check": Target(_registered, lambda: dict(check=_check)),
    "Ledger": Target(
        lambda **given: proofs_check.Ledger(**given).to_json(),
        lambda: dict(entries=[], needs={}, run={"seconds": 1.0}),
    ),
    "load_claims": Target(proofs_check.load_claims, lambda: dict(scope=())),
    "row": Target(proofs_check.row, lambda: dict(id="BB:16")),
    "rows": Target(proofs_check.rows, dict),
}
TARGETS: dict[str, Target] = {
    **_THEORY,
    **_NUMERICS,
    **_LAWS,
    **_PROVERS,
    **_EVIDENCE,
    **_STRATEGIES,
    **_CLAIMS,
}
