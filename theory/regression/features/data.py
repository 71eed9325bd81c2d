"""In-context regression over finitely many features (Li, Duan & Liang, Section 3) as one object:
the features, the second moments of the task on them, and the prompts; its loss, gradient and
attention. The parameter is the d x d matrix Q. The query ``v_k`` gives feature ``v_m`` the score
``q_{k,m} = v_m' Q v_k``, and the class m the attention ``Attn_m``: the share of m in the prompt
times ``exp(q_{k,m})``, divided by the sum over all classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theory.inputs.arrays import is_symbolic, read_in_kind
from theory.inputs.overflow import within_floats
from theory.regression.features.arguments import read_probabilities, read_prompts, read_second_moments
from theory.shown.result import in_a_table

__all__ = ["FeatureRegression"]

#: An array of floats, or of SymPy expressions.
Array = NDArray[Any]
_exp = np.frompyfunc(sp.exp, 1, 1)


@within_floats("an inner product of the features, or a second moment of the tasks,")
def _squares(x: Array) -> Array:
    return np.asarray(x.T @ x)


class FeatureRegression:
    """Predict ``f(x_query)`` from tokens ``(x_i, f(x_i))`` whose covariates are K fixed features.

    Parameters
    ----------
    features : array_like or Matrix of shape (d, K)
        The features ``v_1, ..., v_K`` as columns, K at least 2.
    value_covariance : array_like or Matrix of shape (K, K), optional
        Second moments ``E f(v_i) f(v_j)`` of a task; positive semidefinite.
    tasks : array_like or Matrix of shape (n, K), optional
        In place of ``value_covariance``: the values of n equally likely tasks on the features.
    probabilities : array_like of shape (K,), optional
        Probability ``p_k`` of each class, in the prompt and at the query; 1/K if left out.
    prompt_length : int, optional
        N iid tokens in a prompt; the expectation is then taken over every prompt. None is the
        population prompt, in which class k has the share ``p_k``.
    masses : array_like of shape (n, K), optional
        In place of ``prompt_length``: the shares of the classes in n equally likely prompts,
        nonnegative and in any unit. An empty class has mass 0.

    Attributes
    ----------
    features : ndarray or Matrix of shape (d, K)
    value_covariance : ndarray or Matrix of shape (K, K)
    probabilities : ndarray or Matrix of shape (K,) or (K, 1)
    prompt_length : int or None

    Raises
    ------
    TypeError
        If an argument does not consist of real numbers or expressions.
    ValueError
        If shapes do not fit, K is 1, a probability is not positive, they do not sum to 1, the
        value covariance is not positive semidefinite, a prompt is empty, or there are too many
        prompts to list.

    Notes
    -----
    Li, Duan & Liang, arXiv:2507.20443, Section 3.1 and eqs. (6) and (7). SymPy matrices give SymPy
    answers.

    Examples
    --------
    Two orthonormal features, and two tasks that tell them apart:

    >>> problem = FeatureRegression(np.eye(2), tasks=[[1, -1], [-1, 1]])
    >>> float(problem.loss(np.zeros((2, 2)))), float(problem.loss(20 * np.eye(2))) < 1e-8
    (0.5, True)
    >>> problem.attention(np.eye(2)).round(4)
    array([[0.7311, 0.2689],
           [0.2689, 0.7311]])
    """

    def __init__(
        self,
        features: Any,
        value_covariance: Any = None,
        *,
        tasks: Any = None,
        probabilities: Any = None,
        prompt_length: int | None = None,
        masses: Any = None,
    ) -> None:
        given = [x for x in (features, value_covariance, tasks, probabilities, masses) if x is not None]
        self.exact = any(is_symbolic(x) for x in given)
        shapes = {"features": (features, "d K")}
        if (value_covariance is None) == (tasks is None):
            raise ValueError(
                "one of value_covariance and tasks is needed, and not both; pass the second moments of "
                "f(v_1), ..., f(v_K), or the values of each task on the features"
            )
        name, value = ("tasks", tasks) if value_covariance is None else ("value_covariance", value_covariance)
        shapes[name] = (value, "n K" if value_covariance is None else "K K")
        for extra, (x, shape) in {
            "probabilities": (probabilities, "K"),
            "masses": (masses, "prompts K"),
        }.items():
            if x is not None:
                shapes[extra] = (x, shape)
        if self.exact:
            shapes = {
                key: (x if is_symbolic(x) else sp.Matrix(x), shape) for key, (x, shape) in shapes.items()
            }
        read = dict(zip(shapes, (self._array(x) for x in read_in_kind(**shapes))))
        self._V = read["features"]
        if self.K == 1:
            raise ValueError(
                "there is one feature, so that every prediction is exact; pass at least two columns, one "
                "for each v_k"
            )
        exact, values = self.exact, read[name]
        self._p = read_probabilities(read.get("probabilities"), self.K, exact=exact)
        self._C = (
            _squares(values) / len(values) if name == "tasks" else read_second_moments(values, exact=exact)
        )
        self._G = _squares(self._V)
        self.prompt_length = prompt_length
        self._masses, self._weights = read_prompts(prompt_length, read.get("masses"), self._p, exact=exact)

    @property
    def K(self) -> int:
        """Number of classes."""
        return self._V.shape[1]

    @property
    def d(self) -> int:
        """Dimension of the features."""
        return self._V.shape[0]

    @property
    def features(self) -> Any:
        """The features, (d, K)."""
        return self._out(self._V)

    @property
    def value_covariance(self) -> Any:
        """Second moments of the values of a task on the features, (K, K)."""
        return self._out(self._C)

    @property
    def probabilities(self) -> Any:
        """Probability of each class, (K,)."""
        return self._out(self._p)

    @property
    def gram(self) -> Any:
        """Inner products of the features, (K, K)."""
        return self._out(self._G)

    @property
    def prompts(self) -> tuple[Any, Any]:
        """Tokens or masses of each class in a prompt (n, K), and the probability of each, (n,)."""
        return self._masses, self._weights

    def scores(self, Q: Any) -> Any:
        """The scores ``q_{k,m} = v_m' Q v_k`` (K, K): row m, column k, what the query ``v_k`` gives
        to feature ``v_m``.
        """
        return self._out(self._scores(Q))

    def attention(self, Q: Any) -> Any:
        """The attention of each query on each class, averaged over the prompts (eq. (10)): row m,
        column k is ``Attn_m`` where the query is ``v_k``, and every column sums to 1.
        """
        return self._out(self._mean(self._attention(Q)))

    def loss(self, Q: Any) -> Any:
        """The population loss (eq. (7)): half the mean squared error of the prediction."""
        A = self._attention(Q)
        D = self._errors(A)
        found = self._mean(((D * (self._C @ D)).sum(axis=-2) * self._p).sum(axis=-1)) / 2
        return found if self.exact else float(found)

    def H(self, Q: Any) -> Any:
        """The matrix (K, K) that Lemma 2 prints as the updates: for each class m and query k,
        ``p_k E[Attn_m (f(v_k) - yhat) (f(v_m) - yhat)]``. The gradient of the loss is ``-V H V'``,
        and its columns sum to 0.
        """
        return self._out(self._H(Q))

    def gradient(self, Q: Any) -> Any:
        """Gradient of `loss` in Q (Frobenius inner product), ``-V H V'``."""
        return self._out(-self._V @ self._H(Q) @ self._V.T)

    def updates(self, Q: Any) -> Any:
        """The updates ``g_{k,m} = -v_m' (gradient) v_k`` of the scores in a step of size 1, row m,
        column k, which are ``G H G`` with the Gram matrix G of the features.
        """
        return self._out(self._G @ self._H(Q) @ self._G)

    _repr_html_ = in_a_table

    def __repr__(self) -> str:
        prompts = f"prompts of {self.prompt_length} tokens"
        if self.prompt_length is None:
            several = len(self._masses) > 1
            prompts = f"{len(self._masses)} prompts by mass" if several else "population prompt"
        return f"FeatureRegression({self.K} features in R^{self.d}, {prompts})"

    # What is computed, on arrays of floats or of expressions.

    @within_floats("a score")
    def _scores(self, Q: Any) -> Array:
        if self.exact and not is_symbolic(Q):
            Q = sp.Matrix(Q)
        (Q,) = read_in_kind(Q=(Q, "d d"))
        if is_symbolic(Q) and not self.exact:
            raise TypeError(
                "Q is a SymPy matrix, but the features and tasks are floats; pass the features as a SymPy "
                "matrix too"
            )
        if Q.shape != (self.d, self.d):
            raise ValueError(
                f"Q has shape {Q.shape}, but the features lie in R^{self.d}; pass a matrix ({self.d}, "
                f"{self.d})"
            )
        return np.asarray(self._V.T @ self._array(Q) @ self._V)

    def _attention(self, Q: Any) -> Array:
        """Attention of query k on class m in prompt n, of shape (n, K, K)."""
        S, masses = self._scores(Q), self._masses[:, :, None]
        if self.exact:
            raised = masses * _exp(S)
        else:
            # The greatest score of a class that is there becomes 0: no sum of weights vanishes.
            there = np.where(masses > 0, S, -np.inf)
            raised = masses * np.exp(there - there.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def _errors(self, A: Array) -> Array:
        """``e_k - A_k`` in column k; its entry k is a sum, since 1 - A_kk loses digits near 1."""
        k = np.arange(self.K)
        off = A.copy()
        off[:, k, k] = 0
        D = -off
        D[:, k, k] = off.sum(axis=1)
        return D

    def _H(self, Q: Any) -> Array:
        A = self._attention(Q)
        B = self._C @ self._errors(A)
        return self._mean(A * (B - (A * B).sum(axis=1, keepdims=True))) * self._p

    def _mean(self, of_prompts: Array) -> Any:
        """The mean over the prompts, which are the first axis."""
        return (
            np.tensordot(self._weights, of_prompts, axes=(0, 0))
            if of_prompts.ndim > 1
            else self._weights @ of_prompts
        )

    # What the arguments are turned into.

    def _array(self, x: Any) -> Array:
        """An array of floats, or of the expressions of a SymPy matrix."""
        if not is_symbolic(x):
            return np.asarray(x)
        return np.array(x.tolist(), dtype=object)

    def _out(self, x: Array) -> Any:
        return sp.Matrix(x) if self.exact else x
