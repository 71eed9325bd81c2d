"""The laws of tokens that come with the library, each with its optimal sub-Gaussian parameter, and
the way back from their JSON description.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.terminal.progress import Advance
from numerics.token_laws.atomic import Atomic
from numerics.token_laws.checks import DIMENSION
from numerics.token_laws.embeddings import EmbeddingTable, silent
from numerics.token_laws.independent import Independent
from numerics.token_laws.radial import LARGEST_DIMENSION, ROUND, of_coordinates
from numerics.token_laws.token_law import TokenLaw
from theory.inputs.arrays import read_arrays
from theory.inputs.whole_numbers import read_whole

__all__ = ["atoms", "ball", "embedding_table", "from_identity", "gaussian", "rademacher", "sphere", "uniform"]

Floats = NDArray[np.float64]
#: The laws of F g by name, and the kind of the coordinates g.
KIND_OF = {"rademacher": "sign", "uniform": "uniform", "sphere": "sphere", "ball": "ball"}
#: The largest d of a law that is named by it.
MOST_ROWS = 4096


def gaussian(Gamma: ArrayLike) -> TokenLaw:
    """N(0, Gamma). The optimal sigma is the root of the largest eigenvalue: ``ln E e^{v.Z}`` is
    ``v'Gamma v / 2``.
    """
    return TokenLaw.of(Independent.gaussian(Gamma))


def rademacher(d: int) -> TokenLaw:
    """Independent signs. sigma = 1 is optimal: ``cosh t <= e^{t^2/2}`` term by term, and no sigma
    is below the standard deviation.
    """
    return _standard("rademacher", d)


def uniform(d: int) -> TokenLaw:
    """Uniform on the cube [-sqrt 3, sqrt 3]^d, of covariance I. sigma = 1 is optimal:
    ``sinh(sqrt 3 t) / (sqrt 3 t) = sum 3^k t^{2k} / (2k + 1)!`` is below ``e^{t^2/2}`` term by
    term, since ``(2k + 1)! = 2^k k! 3 5 .. (2k + 1) >= 6^k k!``; and the standard deviation is 1.
    """
    return _standard("uniform", d)


def sphere(d: int) -> TokenLaw:
    """Uniform on the sphere of radius sqrt d, d <= 500, of covariance I; d = 1 is the Rademacher
    law. sigma = 1 is optimal:
    ``E e^{v.Z} = sum (d |v|^2 / 4)^k / (k! (d/2)(d/2 + 1)..(d/2 + k - 1))`` is below
    ``e^{|v|^2/2}`` term by term, since each factor of the product is at least d/2; and the standard
    deviation is 1 in every direction.
    """
    return _standard("sphere", d)


def ball(d: int) -> TokenLaw:
    """Uniform in the ball of radius sqrt(d + 2), d <= 500, of covariance I; d = 1 is the uniform
    law. sigma = 1 is optimal: this is a projection of the uniform law on the sphere of radius
    sqrt(d + 2) in R^{d+2}, whose sigma is 1; and the standard deviation is 1 in every direction.
    """
    return _standard("ball", d)


def atoms(
    points: ArrayLike | Sequence[Sequence[int | Fraction]],
    weights: ArrayLike | Sequence[Fraction],
    sigma: float | None = None,
    *,
    sigma2: float | Fraction | None = None,
) -> TokenLaw:
    """A law on finitely many points (k, d) with mean 0 under positive weights of sum 1; where all
    are `int` or `fractions.Fraction`, the law keeps them exactly, too. ``sigma2`` stands in place
    of sigma, so that no digit of it is lost to a root.

    Without either sigma is searched for: the optimal one, raised by 1e-6 of itself unless it is the
    largest standard deviation. In one dimension the search is exhaustive, in more it climbs from a
    hundred directions. Half the diameter of the points would be certain (Hoeffding).
    """
    return TokenLaw.of(Atomic.of(points, weights, sigma=sigma, sigma2=sigma2))


def embedding_table(X: ArrayLike, *, progress: Advance = silent, diameter: bool = False) -> TokenLaw:
    """Tokens that are rows of an embedding table X (n, d), each row as likely as any other, less
    their mean. The table is not copied, and may be of single or half precision or memory-mapped
    (``numpy.load(file, mmap_mode="r")``); leave it unchanged while the law is in use. ``progress``
    is called with (done, total, doing) during long computations, now and later.

    A score is a.x + a.m with a = Uz and the mean m of the rows, so that softmax weights are those
    of the rows less their mean. Outputs V sum p_k (x_k + m) move by V m for every prompt and for
    the infinite one: the errors of output and gradients stay the same, and errors relative to the
    size of the output do not.

    sigma is half the diameter of the table (Hoeffding), raised by what single precision rounds,
    which is 1e-4 of it for d = 768; ``law.structure.says_mean`` and ``says_sigma`` are sentences
    for reports. Pairs of rows are compared from the outermost inwards, until no other pair can be
    farther apart or after 4e10 products, which is all pairs of 10 000 rows of 768 numbers; the sum
    of two distances from the mean bounds what is left, and it is said by how much at most sigma
    then exceeds half the diameter. With ``diameter=True`` all pairs that may be farthest apart are
    compared: half a minute for 50 000 rows of 768 numbers that lie all equally far out.
    """
    limits = {"most_products": math.inf} if diameter else {}
    return TokenLaw.of(EmbeddingTable.of(X, progress, **limits))


def from_identity(identity: Mapping[str, Any]) -> TokenLaw:
    """The built-in law that a description stands for, the inverse of ``law.identity``: a mapping
    with ``kind`` and what the constructor of that name takes: ``gaussian`` with ``Gamma``;
    ``atoms`` with ``points``, ``weights`` and optionally ``sigma``; ``rademacher``, ``uniform``,
    ``sphere`` and ``ball`` with ``d``, or with ``factor`` for F g.
    """
    if not isinstance(identity, Mapping):
        raise TypeError(
            f"a law is described by a table such as {{'kind': 'sphere', 'd': 3}}, not by {identity!r:.200}"
        )
    makers: dict[str, Callable[..., TokenLaw]] = {"gaussian": _gaussian, "atoms": atoms}
    keys = {
        "gaussian": [{"Gamma"}, {"factor"}],
        "atoms": [{"points", "weights"}, {"points", "weights", "sigma"}],
    }
    for name in KIND_OF:
        makers[name], keys[name] = lambda name=name, **given: _standard(name, **given), [{"d"}, {"factor"}]
    kind, given = identity.get("kind"), {k: v for k, v in identity.items() if k != "kind"}
    if not isinstance(kind, str) or kind not in makers:
        raise ValueError(
            f"kind = {kind!r} is no law that comes with the library; choose one of {', '.join(makers)}"
        )
    if set(given) not in keys[kind]:
        wanted = " or ".join("{" + ", ".join(sorted(k)) + "}" for k in keys[kind])
        raise ValueError(
            f"a law of kind {kind!r} is described by {wanted}, not by "
            f"{{{', '.join(sorted(map(str, given)))}}}"
        )
    return makers[kind](**given)


def _gaussian(Gamma: ArrayLike = (), factor: ArrayLike | None = None) -> TokenLaw:
    """N(0, Gamma), or the law of F g."""
    if factor is None:
        return gaussian(Gamma)
    (F,) = read_arrays(factor=(factor, "d r"))
    return gaussian(np.eye(F.shape[1])).image(F)


def _standard(name: str, d: int | None = None, factor: ArrayLike | None = None) -> TokenLaw:
    """The law of F g, with F = I if only d is given.

    Its optimal sigma is |F|: that of g is 1, and no sigma is below a standard deviation.
    """
    if factor is None:
        rows = read_whole("d", d, DIMENSION)
        if rows > MOST_ROWS:
            raise ValueError(f"d = {d} is beyond {MOST_ROWS}, up to which matrices of d rows are held")
        F, identity = np.eye(rows), {"kind": name, "d": rows}
    else:
        (F,) = read_arrays(factor=(factor, "d r"))
        F, identity = F.copy(), {"kind": name, "factor": F.tolist()}
    kind = KIND_OF[name]
    if kind in ROUND and F.shape[1] > LARGEST_DIMENSION:
        raise ValueError(
            f"the {name} in {F.shape[1]} dimensions is beyond {LARGEST_DIMENSION}, where its transform "
            "leaves the range of floats; gaussian(np.eye(d)) is close to it there"
        )
    return TokenLaw.of(of_coordinates(kind, F, identity))
