"""In-context regression over finitely many features: features, tasks and masses, and parameters."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from numerics.strategies.arrays import Floats, floats
from numerics.strategies.numbers import SearchStrategy, checked, shares, signed, sizes, st
from theory.regression.features.data import FeatureRegression

__all__ = ["feature_problems", "reduced_problems"]

Drawn = tuple[FeatureRegression, Floats]


def feature_problems(
    *, most_classes: int = 4, most_prompts: int = 3, octaves: int = 4
) -> SearchStrategy[Drawn]:
    """Problems with a parameter Q: any features, tasks and masses.

    Parameters
    ----------
    most_classes, most_prompts : int
        There are two to so many classes, in one to four dimensions, and one to so many prompts.
    octaves : int
        Entries of features and values of tasks are 0 or have sizes from ``2^-octaves`` to
        ``2^octaves``, so that features are equal, collinear or zero and tasks constant now and
        then. Q has sizes from ``2^-octaves`` to ``2^2``.

    Returns
    -------
    strategy of (FeatureRegression, ndarray of shape (d, d))
        Masses are 0 now and then, which is an empty class. Features are scaled to length 1 at
        most, and so are tasks; their sizes only differ among themselves.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> from numerics.strategies.numbers import simplest
    >>> problem, Q = simplest(feature_problems())
    >>> problem.features.tolist(), problem.probabilities.tolist(), Q.tolist()
    ([[0.0, 0.0]], [0.5, 0.5], [[0.0]])
    """
    checked("most_classes", most_classes, 2, 8)
    checked("most_prompts", most_prompts, 1, 20)

    def lists(n: int) -> SearchStrategy[list[Fraction]]:
        return st.lists(signed(octaves), min_size=n, max_size=n)

    def of_shape(shape: tuple[int, int, int, int]) -> SearchStrategy[Drawn]:
        K, d, n, prompts = shape
        mass = st.tuples(st.sampled_from((1, 0)), sizes(octaves)).map(lambda drawn: drawn[0] * drawn[1])
        masses = st.lists(mass, min_size=K * prompts, max_size=K * prompts)
        classes = st.lists(sizes(3), min_size=K, max_size=K)

        def made(
            drawn: tuple[list[Fraction], list[Fraction], list[Fraction], list[Fraction], list[Fraction]],
        ) -> Drawn:
            entries, values, weights, p, parameter = drawn
            V, tasks = (floats(x, rows, K) for x, rows in ((entries, d), (values, n)))
            V, tasks = (x / max(1.0, float(np.abs(x).max()) * np.sqrt(x.shape[0])) for x in (V, tasks))
            m = floats(weights, prompts, K)
            m[~m.any(axis=1)] = 1.0  # a prompt has tokens
            probabilities = np.array([float(x) for x in p]) / float(sum(p))
            problem = FeatureRegression(V, tasks=tasks, probabilities=probabilities, masses=m)
            return problem, 4 * floats(parameter, d, d) / 2**octaves

        return st.tuples(lists(d * K), lists(n * K), masses, classes, lists(d * d)).map(made)

    integers = (
        st.integers(2, most_classes),
        st.integers(1, 4),
        st.integers(1, 3),
        st.integers(1, most_prompts),
    )
    return st.tuples(*integers).flatmap(of_shape)


def reduced_problems(
    *, most_classes: int = 6, octaves: int = 4
) -> SearchStrategy[tuple[int, float, float, float]]:
    """Classes K, the kappa of equiangular features, the spread of exchangeable tasks, and the share
    of their common value in their second moments.

    Parameters
    ----------
    most_classes, octaves : int

    Returns
    -------
    strategy of (int, float, float, float)

    Examples
    --------
    >>> from numerics.strategies.numbers import simplest
    >>> simplest(reduced_problems())
    (2, 1.0, 1.0, 0.5)
    """
    checked("most_classes", most_classes, 2, 16)
    return st.tuples(
        st.integers(2, most_classes),
        *(x.map(float) for x in (sizes(octaves), sizes(octaves), shares(octaves))),
    )
