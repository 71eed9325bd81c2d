"""`Algebra`: matrix and trace identities, and Gaussian expectations, for every dimension at once.

An element is a linear combination of products ``tr(w_1) ... (x'w_k y) ... W`` of traces, inner
products and at most one open word, with polynomials in the parameters and ``d`` as coefficients.
Each product has a normal form: traces up to rotation and transposition, inner products up to
transposition, declared inverses (pseudo-inverses, projectors) cancelled. Each step is an identity
of matrices, so equal normal forms mean equal values in every dimension. The converse holds only for
d large against the words (Cayley-Hamilton); hence `Words.is_zero` proves, and `Words.evaluate`
refutes.
"""

from __future__ import annotations

from typing import Any

from theory.symbolic.elements import Words
from theory.symbolic.letters import Alphabet
from theory.symbolic.values import example

__all__ = ["Algebra", "Words"]


class Algebra(Alphabet):
    """Letters for square matrices of a symbolic dimension ``d``, columns and scalars, with the
    relations between them.

    Parameters
    ----------
    general, symmetric : iterable of str
        Names of (d, d) matrices.
    vectors : iterable of str
        Names of columns (d, 1).
    params : iterable of str
        Names of scalars.
    inverse : iterable of (str, str)
        Pairs of declared matrices that are inverse to each other.
    projectors : iterable of str
        Declared symmetric matrices with ``P P = P``.
    pseudo_inverse : iterable of (str, str, str)
        ``(S, G, P)``, declared symmetric: G is the Moore-Penrose inverse of S and
        ``P = S G = G S``. So ``tr(P)`` is the rank of S.

    Raises
    ------
    ValueError
        If a name is used twice, is ``d`` or ``I``, or a relation names a matrix that is not
        declared as it needs to be.

    Examples
    --------
    The characteristic property of Gaussian tilting, completing the square, in every dimension:

    >>> letters = dict(symmetric=["Gamma", "Lambda"], vectors=["x", "a"])
    >>> A = Algebra(**letters, inverse=[("Gamma", "Lambda")])
    >>> Gamma, Lambda, x, a = (A[name] for name in ("Gamma", "Lambda", "x", "a"))
    >>> y = x - Gamma * a
    >>> (a.T * x - x.T * Lambda * x / 2 == a.T * Gamma * a / 2 - y.T * Lambda * y / 2)
    True
    """

    I = property(lambda self: self["I"], doc="The identity matrix.")

    def __repr__(self) -> str:
        kinds = {name: getattr(self, name) for name in ("general", "symmetric", "vectors", "params")}
        return f"Algebra({', '.join(f'{kind}={names}' for kind, names in kinds.items() if names)})"

    def __getitem__(self, name: str) -> Words:
        if name in self._scalars:
            return Words(self, {((), ()): self._scalars[name]}, "scalar")
        if name == "I":
            return Words(self, {((), ()): self.ring(1)}, "matrix")
        if name in self.vectors:
            return Words(self, {((), ((name, 0),)): self.ring(1)}, "column")
        if name in self.general or name in self.symmetric:
            return Words(self, {((), ((name, 0),)): self.ring(1)}, "matrix")
        known = [*self._scalars, "I", *self.general, *self.symmetric, *self.vectors]
        raise KeyError(f"no letter is called {name!r}; there are {', '.join(known)}")

    def example(self, d: int, seed: int = 0) -> dict[str, Any]:
        """An exact instance of every letter in dimension d, which meets the declared relations:
        matrices of small rationals, or a rational. Symmetric matrices are positive semidefinite;
        one with a declared pseudo-inverse is singular for d >= 2.
        """
        return example(self, d, seed)
