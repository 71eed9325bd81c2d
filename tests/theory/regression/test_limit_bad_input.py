"""Every wrong input gets an error that names the value, the assumption and the remedy."""

import numpy as np
import pytest
import sympy as sp

from theory.regression.limit import limit_parameters

I = np.eye(2)
a, b = sp.symbols("a b", positive=True)
x = sp.Symbol("x")

BAD_SIGMA = [
    (None, TypeError, "None"),
    ("abc", TypeError, "'abc'"),
    ([["1", "0"], ["0", "1"]], TypeError, "text"),
    ({1: 2}, TypeError, "{1: 2}"),
    (len, TypeError, "len"),
    (sp.MatrixSymbol("S", 2, 2), TypeError, "explicit matrix"),
    (np.array([[1, None], [None, 1]]), TypeError, r"None at \[0, 1\]"),
    (I > 0, TypeError, "Booleans"),
    ([[True, False], [False, True]], TypeError, "Booleans"),
    (I.astype(complex), TypeError, "complex"),
    ([[1, 2], [3]], ValueError, r"different lengths \[2, 1\]"),
    ([], ValueError, "empty"),
    ([[]], ValueError, "empty"),
    (sp.Matrix(0, 0, []), ValueError, "empty"),
    (3.0, ValueError, r"3\.0.*\[\[s\]\]"),
    (x, ValueError, r"x, a matrix.*\[\[s\]\]"),
    ([1.0, 2.0], ValueError, r"shape \(2,\)"),
    (np.ones((2, 2, 2)), ValueError, r"shape \(2, 2, 2\)"),
    (np.ones((2, 3)), ValueError, "square"),
    (sp.ones(2, 3), ValueError, "square"),
    ([[1, 2], [0, 1]], ValueError, r"Sigma\[0,1\] = 2\.0 but Sigma\[1,0\] = 0\.0"),
    (sp.Matrix([[a, b], [2 * b, a]]), ValueError, "2\\*b.*one symbol"),
    ([[1, 2], [2, 1]], ValueError, "negative eigenvalue -1"),
    (-I, ValueError, "negative eigenvalue -1"),
    (sp.Matrix([[1, 2], [2, 1]]), ValueError, "semi-definite: -3"),
    (sp.diag(-a, b), ValueError, "-a is not positive"),
    ([[1, np.nan], [np.nan, 1]], ValueError, r"nan at \[0,1\]"),
    ([[np.inf, 0], [0, 1]], ValueError, r"inf at \[0,0\]"),
    (sp.diag(a, sp.oo), ValueError, r"\[1,1\] is oo"),
    (sp.diag(a, sp.nan), ValueError, r"\[1,1\] is nan"),
    ([[10**400]], ValueError, "beyond the range of floats"),
    (np.ma.masked_array(I, mask=[[1, 0], [0, 0]]), ValueError, "masked"),
    (0 * I, ValueError, "zero matrix"),
    (sp.zeros(2, 2), ValueError, "zero matrix"),
    (sp.Matrix([[1, sp.I], [-sp.I, 1]]), TypeError, r"\[0,1\] is I, which is not real"),
    (sp.Matrix([[0.5, 0], [0, 1]]), TypeError, "Rational"),
]


@pytest.mark.parametrize(
    ("Sigma", "kind", "says"), BAD_SIGMA, ids=lambda v: None if isinstance(v, type) else str(v)[:30]
)
def test_bad_sigma(Sigma, kind, says):
    with pytest.raises(kind, match=says) as caught:
        limit_parameters(Sigma)
    assert str(caught.value).startswith("Sigma")
    assert ";" in str(caught.value), "the remedy is missing"


BAD_REST = [
    (I, {"U0": np.eye(3), "u0": 1}, ValueError, r"U0 has shape \(3, 3\).*upper-left block"),
    (I, {"U0": np.ones((2, 1)), "u0": 1}, ValueError, r"\(2, 1\)"),
    (I, {"U0": [[1, 0], [0]], "u0": 1}, ValueError, "U0 has rows of different lengths"),
    (I, {"U0": np.full((2, 2), np.inf), "u0": 1}, ValueError, "U0 has the entry inf"),
    (I, {"U0": 1j * I, "u0": 1}, TypeError, "U0 holds complex"),
    (I, {"U0": "abc", "u0": 1}, TypeError, "U0 is 'abc'"),
    (I, {"U0": I}, ValueError, "U0 without u0.*pass both"),
    (I, {"u0": 1}, ValueError, "u0 without U0.*pass both"),
    (I, {"U0": I, "u0": np.nan}, ValueError, "u0 is nan"),
    (I, {"U0": I, "u0": "x"}, TypeError, "u0 is 'x'"),
    (I, {"U0": I, "u0": True}, TypeError, "u0 is True"),
    (I, {"U0": I, "u0": 1j}, TypeError, "u0 is 1j"),
    (I, {"U0": I, "u0": [1, 2]}, TypeError, r"u0 is \[1, 2\]"),
    (I, {"U0": I, "u0": x}, TypeError, "u0 is x"),
    (I, {"U0": sp.eye(2), "u0": 1}, TypeError, "Sigma is numeric"),
    (sp.diag(a, b), {"U0": np.eye(2), "u0": 1}, TypeError, "Rationals"),
    (I, {"prompt_length": 0}, ValueError, "prompt_length is 0.*at least one token"),
    (I, {"prompt_length": -3}, ValueError, "prompt_length is -3"),
    (I, {"prompt_length": 2.5}, ValueError, "2.5"),
    (I, {"prompt_length": np.inf}, ValueError, "leave prompt_length out"),
    (I, {"prompt_length": True}, TypeError, "True"),
    (I, {"prompt_length": "5"}, TypeError, "'5'"),
    (I, {"prompt_length": sp.I}, TypeError, "which is not real"),
    (sp.diag(a, b), {"prompt_length": sp.zoo}, TypeError, "which is not real"),
    (I, {"prompt_length": sp.Symbol("L")}, TypeError, "SymPy Sigma"),
    (sp.diag(a, b), {"prompt_length": -a}, ValueError, "-a"),
    (I, {"noise": 1.0}, ValueError, "noise = 1.0 without prompt_length"),
    (I, {"noise": 0}, ValueError, "without prompt_length"),
    (1e308 * I, {"U0": 1e3 * I, "u0": 1.0}, ValueError, "overflows.*rescale"),
    (1.7e308 * I, {"prompt_length": 2}, ValueError, "overflows.*rescale"),
    (I, {"prompt_length": 3, "noise": -1}, ValueError, "noise is -1, a variance is nonnegative"),
    (sp.diag(a, b), {"prompt_length": 3, "noise": -a}, ValueError, "noise is -a"),
    (I, {"prompt_length": 3, "noise": np.nan}, ValueError, "noise is nan"),
    (I, {"prompt_length": 3, "noise": 10**400}, ValueError, "beyond the range of floats"),
    (I, {"prompt_length": 3, "noise": [[1, 2], [3]]}, TypeError, "no real number"),
    (I, {"prompt_length": 3, "noise": np.ma.masked}, TypeError, "no real number"),
    (sp.diag(a, b), {"U0": x * sp.eye(2), "u0": 1}, ValueError, "declare them so that x >= 0"),
    (sp.diag(a, b), {"U0": sp.eye(2), "u0": x}, ValueError, "x > 0"),
    (sp.diag(a, b), {"U0": x * sp.eye(2), "u0": 0}, ValueError, "> 0"),
]


@pytest.mark.parametrize(("Sigma", "keywords", "kind", "says"), BAD_REST, ids=lambda v: str(v)[:40])
def test_bad_keywords(Sigma, keywords, kind, says):
    with pytest.raises(kind, match=says) as caught:
        limit_parameters(Sigma, **keywords)
    assert ";" in str(caught.value), "the remedy is missing"


def test_an_eigenvalue_near_roundoff_is_not_dropped_in_silence():
    near = np.array([[1.0, 1 - 1e-14], [1 - 1e-14, 1.0]])
    with pytest.warns(RuntimeWarning, match=r"condition number 1\.99e\+14 .* 14 of 16 digits"):
        assert "invertible" in limit_parameters(near).regime
    # A matrix that is singular up to roundoff is what it looks like.
    rng = np.random.default_rng(5)
    for d in (2, 5, 20):
        A = rng.standard_normal((d, d - 1))
        assert f"rank {d - 1} of {d}" in limit_parameters(A @ A.T).regime
