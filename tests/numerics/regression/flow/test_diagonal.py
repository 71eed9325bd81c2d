"""The compiled field of the diagonal flow against NumPy, SciPy's splines and differences."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.interpolate import make_interp_spline

from numerics.attention.quadrature.softmax_weights import softmax_moments
from numerics.regression.flow.diagonal import ROOTS, Spectrum, _constants, _field
from numerics.regression.flow.dormand_prince import python_field
from numerics.regression.risk.gap_to_infinite_prompt import finite_prompt_risk
from tests.numerics.regression.unit_tasks import unit

Floats = NDArray[np.float64]


def compiled(y, spectrum, L, noise, nodes=56):
    out = np.empty(len(y) + 1)
    python_field(_field)(y, _constants(spectrum, L, noise, nodes, 0.0), out)
    return out[-1], -out[:-1] * np.append(spectrum.multiplicities, 1.0)


def by_numpy(y: Floats, spectrum: Spectrum, L: float, noise: float, nodes: int = 56) -> tuple[float, Floats]:
    a, u, l, m = y[:-1], y[-1], np.array(spectrum.eigenvalues), np.array(spectrum.multiplicities, dtype=float)
    x2, w = spectrum.query(nodes)
    level, bracket = spectrum.trace + noise, u * l * a - 1
    moments = softmax_moments(ROOTS**2, L)
    data = np.stack([np.log(moments.P2), -1 - 6 * (moments.P3 - moments.Q) / moments.P2], axis=1)
    pair = make_interp_spline(
        np.concatenate([-ROOTS[:0:-1], ROOTS]), np.concatenate([data[:0:-1], data]), k=5
    )
    s, h2, xh = x2 @ (l * a**2), x2 @ (l**2 * a**2), x2 @ (l * a)
    root = np.minimum(np.sqrt(s), ROOTS[-1])
    (log_P2, r), (dlog, dr) = pair(root).T, pair.derivative()(root).T
    half = 1 / (2 * np.maximum(root, 1e-9))
    P2 = np.exp(np.minimum(log_P2, 0.0))
    dP2, db, b = P2 * dlog * half, P2 * (dlog * r + dr) * half, P2 * r
    risk = float(m @ (l * bracket**2)) / 2 + float(w @ (u**2 * (level * P2 + b * h2) + 2 * u * P2 * xh)) / 2
    by_s = w * (u**2 * (level * dP2 + h2 * db) + 2 * u * xh * dP2) / 2
    to_a = m * l**2 * u * bracket
    to_a = to_a + (by_s @ x2) * 2 * l * a + ((w * b) @ x2) * u**2 * l**2 * a + ((w * P2) @ x2) * u * l
    to_u = float(m @ (l * bracket * l * a)) + float(w @ (u * (level * P2 + b * h2) + P2 * xh))
    return risk, np.append(to_a, to_u)


@pytest.mark.parametrize("y", [[0.7, 0.9, 1.2], [0.0, 0.0, 0.5], [-0.4, 3.0, -2.0], [90.0, 40.0, 1.0]])
@pytest.mark.parametrize("L", [1.0, 30.0, 1e6])
def test_compiled_sums_are_those_of_numpy(y, L):
    """Zero scores, and roots beyond the table, are among the states."""
    spectrum = Spectrum((1.0, 0.25), (2, 1))
    found, known = compiled(np.array(y), spectrum, L, 0.3), by_numpy(np.array(y), spectrum, L, 0.3)
    assert found[0] == pytest.approx(known[0], rel=1e-11)
    assert found[1] == pytest.approx(known[1], rel=1e-9, abs=1e-9 * np.abs(known[1]).max())


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_field_of_the_flow(noise):
    y, e = np.array([0.7, 0.9, 1.2]), 1e-5
    field = lambda y: compiled(y, Spectrum((1.0, 0.25), (2, 1)), 100.0, noise)
    exact = (
        finite_prompt_risk(np.diag([0.7, 0.7, 0.9]), 1.2, unit(np.diag([1.0, 1.0, 0.25]), noise), 100)
        - noise / 2
    )
    assert field(y)[0] == pytest.approx(float(exact), rel=1e-9)
    slopes = [(field(y + e * v)[0] - field(y - e * v)[0]) / (2 * e) for v in np.eye(3)]
    assert field(y)[1] == pytest.approx(np.array(slopes), rel=1e-7)
