"""Tokens F g whose g is uniform on a sphere or in a ball of covariance I, and the Laplace transform
of the uniform law on a sphere, for complex arguments and without overflow.

The ball of radius sqrt(r + 2) in R^r is the projection of the sphere of that radius in R^{r+2}.
Both laws therefore have the log-mgf of a sphere of radius sqrt(q) in R^q, with q = r for the sphere
and q = r + 2 for the ball. At b the transform depends on w = b.b alone: it is
``0F1(; q/2; q w / 4)``, an entire function of w, and with x = sqrt(q w) it equals
``Gamma(q/2) (x/2)^{1 - q/2} I_{q/2 - 1}(x)`` (DLMF 10.39.9; 10.25 for Bessel functions, 10.40 for
large arguments). As q grows it tends to that of N(0, I), ``e^{w/2}``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.token_laws.independent import Independent, Linear
from numerics.token_laws.kinds import check_law

__all__ = ["LARGEST_DIMENSION", "ROUND", "Radial", "bessel_ratio", "of_coordinates", "sphere_derivatives"]

Floats = NDArray[np.float64]
#: Kinds of coordinates that are projections of a sphere.
ROUND = ("sphere", "ball")
#: The power series is used where ``|x|^2 / 4`` is at most a small multiple of the order. Beyond it
#: the Bessel function itself stays in the range of floats up to this dimension.
LARGEST_DIMENSION = 500
#: Terms of the power series.
TERMS = 80
#: Modulus up to which SciPy computes Bessel functions.
LARGEST_ARGUMENT = 1e9
#: Terms of the expansion of I_{q/2} / I_{q/2 - 1} at infinity.
EXPANSION = 16


def sphere_derivatives(q: int, w: NDArray[Any], count: int = 5) -> tuple[Floats, NDArray[np.complex128]]:
    """The transform phi(w) = 0F1(; q/2; q w / 4) and its derivatives in w, ``count`` of them, for
    ``sqrt(q w)`` up to 1e9 in modulus and without overflow: ``phi^(k)(w) = e^shift D[..., k]``,
    where shift is about ``|Re x|`` less a logarithm. The relative error is about 1e-13 (1e-11 in
    hundreds of dimensions) away from zeros.

    >>> shift, D = sphere_derivatives(3, np.array([1e6]), 1)
    >>> x = np.sqrt(3e6)  # the transform is sinh(x) / x
    >>> np.allclose(shift + np.log(D[:, 0].real), x - np.log(2 * x))
    True
    """
    from scipy.special import gammaln, ive

    order, shape = q / 2, np.shape(w)
    x = np.sqrt(q * np.atleast_1d(w).astype(complex))
    if not (np.abs(x) <= LARGEST_ARGUMENT).all():
        raise ValueError(
            f"the transform of a sphere is asked for at sqrt(q w) = {x.flat[np.abs(x).argmax()]:.3g}; "
            f"{LARGEST_ARGUMENT:g} is the limit; choose other units, or a smaller U"
        )
    quarter, shift, D = x * x / 4, x.real.copy(), np.empty((*x.shape, count), complex)
    near = np.abs(quarter) <= (1.0 if order <= 150 else 5.0) * order
    scale = 1.0
    for k in range(count):
        term = np.full(int(near.sum()), scale, complex)
        total = term.copy()
        for j in range(1, TERMS):
            term = term * quarter[near] / (j * (order + k + j - 1))
            total += term
            if j % 8 == 0 and np.abs(term).max(initial=0.0) < 1e-18 * scale:
                break
        D[near, k] = total * np.exp(-shift[near])
        scale *= q / 4 / (order + k)
    far = x[~near]
    power = gammaln(order) + (1 - order) * np.log(far / 2)
    shift[~near] += power.real
    for k in range(count):
        D[~near, k] = np.exp(1j * power.imag) * (q / (2 * far)) ** k * ive(order - 1 + k, far)
    return shift.reshape(shape), D.reshape(*shape, count)


def bessel_ratio(q: int, x: Floats) -> tuple[Floats, Floats, Floats]:
    """``A = I_{q/2}(x) / I_{q/2 - 1}(x)``, ``q A / x`` and ``q A'`` for x >= 0: the law on the
    sphere tilted by a vector. Tilted by b, the coordinate along b has mean ``sqrt(q) A`` at
    x = sqrt(q) |b| and variance q A'; every coordinate across it has variance ``q A / x``.
    """
    shape, x = np.shape(x), np.atleast_1d(x)
    if q == 1:
        decay = np.exp(-2 * np.abs(x))
        A, along = np.tanh(x), 4 * decay / (1 + decay) ** 2
        return (
            A.reshape(shape),
            np.where(x == 0, 1.0, A / np.where(x == 0, 1.0, x)).reshape(shape),
            along.reshape(shape),
        )
    far = x > 60 + 20 * (q - 1)
    near = np.where(far, 1.0, x)
    D = sphere_derivatives(q, near * near / q, 2)[1].real
    across = 2 * D[..., 1] / D[..., 0]
    A = near * across / q
    along = q * (1 - A) * (1 + A) - (q - 1) * across  # the Riccati equation A' = 1 - A^2 - (q - 1) A / x
    # For large x that difference cancels; there A = sum c_k x^{-k} is put into the equation.
    c = [1.0, -(q - 1) / 2]
    for k in range(1, EXPANSION):
        c.append(((k - q + 1) * c[k] - math.fsum(c[i] * c[k + 1 - i] for i in range(1, k + 1))) / 2)
    inverse = 1 / x[far]
    A[far] = np.polyval(c[::-1], inverse)
    across[far] = q * inverse * A[far]
    along[far] = -q * inverse * np.polyval([k * c[k] for k in range(EXPANSION, -1, -1)], inverse)
    return A.reshape(shape), across.reshape(shape), along.reshape(shape)


class Radial(Linear):
    """The law of F g, g uniform on a sphere (radius sqrt r) or in a ball (sqrt(r + 2)) of R^r."""

    @property
    def q(self) -> int:
        """Dimension of the sphere, of radius sqrt(q), of which g is a projection."""
        check_law(self.kind, ROUND, "the transform of a sphere")
        return int(self.factor.shape[1]) + 2 * (self.kind == "ball")

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        """n tokens, shape (n, d)."""
        check_law(self.kind, ROUND, "the sampler")
        r = self.factor.shape[1]
        # The volume of a ball grows with the r-th power of its radius.
        radius = math.sqrt(self.q / r) * rng.random((n, 1)) ** (1 / r) if self.kind == "ball" else 1.0
        g = rng.standard_normal((n, r))
        return radius * (np.sqrt(r) * g / np.linalg.norm(g, axis=1, keepdims=True)) @ self.factor.T

    def fourth_moment(self, W: Floats) -> float:
        """``E (Z'WZ)^2``."""
        return self.q / (self.q + 2) * self._gaussian_fourth_moment(W)[0]

    def log_mgf(self, a: NDArray[Any]) -> NDArray[Any]:
        """ln E e^{a.Z}, real or complex; -inf at a zero of the transform."""
        b = a @ self.factor
        w = np.asarray((b * b).sum(-1))
        shift, D = sphere_derivatives(self.q, w, 1)
        with np.errstate(divide="ignore"):
            value = np.asarray(shift + np.log(D[..., 0]))
        near = np.asarray(np.abs(w) * self.q < 1)
        y, term, total = self.q * w[near] / 4, 1.0, 0.0
        for k in range(1, 15):
            term = term * y / (k * (self.q / 2 + k - 1))
            total = total + term
        value[near] = np.log1p(total)
        return value if np.iscomplexobj(a) else value.real

    def tilted(self, a: Floats) -> tuple[Floats, Floats]:
        """Mean (..., d) and covariance (..., d, d) under the tilted law."""
        b = a @ self.factor
        largest = np.abs(b).max(-1, keepdims=True)
        unit = b / np.where(largest > 0, largest, 1.0)  # its squares do not overflow
        length = largest[..., 0] * np.linalg.norm(unit, axis=-1)
        _, across, along = bessel_ratio(self.q, math.sqrt(self.q) * length)
        direction = unit / np.where(length > 0, np.linalg.norm(unit, axis=-1), 1.0)[..., None]
        image, F = direction @ self.factor.T, self.factor
        covariance = across[..., None, None] * (F @ F.T)
        covariance = (
            covariance + (along - across)[..., None, None] * image[..., :, None] * image[..., None, :]
        )
        return (across[..., None] * b) @ F.T, covariance


def of_coordinates(
    kind: str, factor: Floats, identity: Mapping[str, Any] | None = None
) -> Independent | Radial:
    """The law of F g for coordinates of any kind."""
    return (Radial if kind in ROUND else Independent)(kind, factor, identity or {})
