"""`Words`, the elements of an algebra of matrix words: their shapes, arithmetic, calculus and
display. What they mean and what their equality proves is in `theory.symbolic.algebra`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp
from sympy.polys.rings import PolyElement

from theory.symbolic.calculus import expectation, gradient
from theory.symbolic.letters import Alphabet, Letter, Term, exact_number
from theory.symbolic.terms import Terms
from theory.symbolic.values import evaluate, substitute
from theory.symbolic.written import formula

__all__ = ["Words"]

#: Shapes that may be multiplied, and the shape of the product.
_PRODUCT = {
    ("matrix", "matrix"): "matrix",
    ("matrix", "column"): "column",
    ("row", "matrix"): "row",
    ("row", "column"): "scalar",
    ("column", "row"): "matrix",
}
_TRANSPOSED = {"column": "row", "row": "column"}
#: Operations behind an element beyond which it shows its normal form instead of its history.
LONGEST_HISTORY = 150


class Words:
    """An element of an `Algebra`: a scalar, a column, a row or a matrix; made from its letters by
    ``+ - * / **``, `T` and `tr`.
    """

    __slots__ = ("algebra", "origin", "shape", "size", "terms")
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        algebra: Alphabet,
        terms: Mapping[Term, PolyElement],
        shape: str,
        origin: tuple[Any, ...] | None = None,
    ) -> None:
        self.algebra, self.shape = algebra, shape
        #: Operations down to the letters. Beyond what can be read an element forgets how it was
        #: made and shows its normal form.
        self.size: int = 1 + sum(part.size for part in origin or () if isinstance(part, Words))
        #: The operation and the operands that made it, for `written`; None for a letter, a number
        #: or an inner result.
        self.origin = origin if self.size <= LONGEST_HISTORY else None
        if self.origin is None:
            self.size = 1
        #: The normal form; see `Terms`.
        self.terms = Terms(algebra, terms).sorted()

    def made_by(self, operation: str, *operands: Any) -> Words:
        """The same element, remembered as one operation instead of the steps inside it."""
        return Words(self.algebra, self.terms, self.shape, (operation, *operands))

    # -- arithmetic

    def _other(self, other: Any) -> Words:
        """The other operand: an element of the same algebra, or an exact number."""
        if isinstance(other, Words):
            if other.algebra is not self.algebra:
                raise ValueError("the two elements belong to different algebras; build both from one Algebra")
            return other
        number = exact_number(other, "use int, Fraction or sympy.Rational, or declare a parameter")
        return Words(
            self.algebra, Terms.number(self.algebra, sp.QQ(number.numerator, number.denominator)), "scalar"
        )

    def __add__(self, other: Any) -> Words:
        other = self._other(other)
        if not other.terms or not self.terms:  # zero has every shape, so that sum() works
            return self if self.terms else other
        if other.shape != self.shape:
            hint = "; multiply the scalar by the identity I" if "scalar" in (self.shape, other.shape) else ""
            raise ValueError(f"cannot add a {other.shape} to a {self.shape}: {other} and {self}{hint}")
        return Words(self.algebra, self.terms + other.terms, self.shape, ("+", self, other))

    __radd__ = __add__

    def __neg__(self) -> Words:
        return Words(self.algebra, -self.terms, self.shape, ("-", self))

    def __sub__(self, other: Any) -> Words:
        return self + (-self._other(other))

    def __rsub__(self, other: Any) -> Words:
        return self._other(other) - self

    def __mul__(self, other: Any) -> Words:
        other = self._other(other)
        if "scalar" in (self.shape, other.shape):
            shape = other.shape if self.shape == "scalar" else self.shape
        elif (self.shape, other.shape) in _PRODUCT:
            shape = _PRODUCT[self.shape, other.shape]
        else:
            raise ValueError(
                f"a {self.shape} times a {other.shape} has no meaning: {self} times {other}; transpose one "
                "with .T"
            )
        return Words(self.algebra, self.terms * other.terms, shape, ("*", self, other))

    def __rmul__(self, other: Any) -> Words:
        return self._other(other) * self

    def __truediv__(self, other: Any) -> Words:
        number = exact_number(other, "division is by exact numbers only: declare the inverse as a letter")
        return (self * (1 / number)).made_by("/", self, other)

    def __pow__(self, n: int) -> Words:
        if self.shape not in ("scalar", "matrix") or not isinstance(n, int) or n < 0:
            raise ValueError(
                f"a {self.shape} has no power {n!r}; only scalars and matrices have powers 0, 1, 2, ..."
            )
        out = Words(self.algebra, self._other(1).terms, self.shape)  # the number 1, or the identity
        for _ in range(n):
            out = out * self
        return out.made_by("**", self, n)

    def __eq__(self, other: object) -> bool:
        return (self - other).is_zero()

    def is_zero(self) -> bool:
        """Whether the normal form is zero: then the element vanishes in every dimension."""
        return not self.terms

    def without(self, i: int) -> Words:
        """The same element with its i-th term dropped."""
        dropped = list(self.terms)[i]
        return Words(self.algebra, {k: c for k, c in self.terms.items() if k != dropped}, self.shape)

    @property
    def T(self) -> Words:
        """The transpose."""
        return Words(self.algebra, self.terms.T, _TRANSPOSED.get(self.shape, self.shape), ("T", self))

    def tr(self) -> Words:
        """The trace of a matrix; that of the identity is ``d``."""
        if self.shape != "matrix":
            raise ValueError(f"a {self.shape} has no trace: {self}; a scalar times the identity I has one")
        return Words(self.algebra, self.terms.tr(), "scalar", ("tr", self))

    # -- calculus

    def diff(self, param: str) -> Words:
        """Derivative by a scalar parameter."""
        if param not in self.algebra.params:
            raise ValueError(
                f"{param!r} is none of the parameters {self.algebra.params}; for matrices and vectors use "
                "grad"
            )
        x = self.algebra.scalar(param)
        return Words(
            self.algebra, {k: c.diff(x) for k, c in self.terms.items()}, self.shape, ("diff", self, param)
        )

    def grad(self, name: str) -> Words:
        """Gradient of a scalar: the G with ``df = tr(G' dX)`` for a matrix X, ``df = G' dx`` for a
        vector x. For a symmetric matrix it is the gradient among the symmetric matrices; a declared
        inverse moves along, and a letter that obeys another relation cannot move freely.
        """
        if self.shape != "scalar":
            raise ValueError(
                f"only a scalar has a gradient, not the {self.shape} {self}; contract it with a letter first"
            )
        shape = "column" if name in self.algebra.vectors else "matrix"
        return Words(self.algebra, gradient(self.terms, name), shape, ("grad", self, name))

    def gauss(self, name: str, covariance: Words, mean: Words | None = None) -> Words:
        """Expectation over a Gaussian vector letter, by Isserlis' theorem with words in place of
        indices; the result is free of it. That the covariance, a symmetric matrix, is positive
        semidefinite is taken for granted. Neither moment may contain the vector itself; the mean is
        zero by default.
        """
        if name not in self.algebra.vectors:
            raise ValueError(
                f"{name!r} is none of the vectors {self.algebra.vectors}; only a vector can be Gaussian here"
            )
        if covariance.shape != "matrix" or covariance != covariance.T:
            raise ValueError(
                f"{covariance} is no symmetric matrix, so no covariance; declare it symmetric or symmetrise "
                "it"
            )
        if mean is not None and mean.shape != "column":
            raise ValueError(f"the mean {mean} is a {mean.shape}; a column is needed")
        for moment in (covariance, mean):
            if moment is not None and name in moment.letters():
                raise ValueError(f"the moment {moment} contains {name} itself; use another letter")
        x = Terms.of_word(self.algebra, ((name, 0),))
        centred = self.terms if mean is None else substitute(self.terms, name, x + mean.terms)
        found = expectation(centred, name, covariance.terms)
        return Words(self.algebra, found, self.shape, ("gauss", self, name, covariance, mean))

    def letters(self) -> set[str]:
        """Names of the matrices and vectors that occur."""
        return self.terms.letters()

    # -- homomorphisms

    def substitute(self, name: str, value: Words) -> Words:
        """Put an element in the place of a matrix or vector letter that obeys no relation."""
        A = self.algebra
        if any(name in relation for relation in (*A.inverse, *A.pseudo_inverse, A.projectors)):
            raise ValueError(
                f"{name} obeys a declared relation, which {value} need not obey; nothing is substituted"
            )
        shape = "column" if name in A.vectors else "matrix" if name in A.general + A.symmetric else None
        if shape != value.shape:
            raise ValueError(
                f"{name!r} is no {value.shape} letter of this algebra, and {value} cannot take its place"
            )
        if name in A.symmetric and value != value.T:
            raise ValueError(f"{name} is symmetric and {value} is not; nothing is substituted")
        return Words(
            A, substitute(self.terms, name, value.terms), self.shape, ("substitute", self, name, value)
        )

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """The value at an explicit instance: matrices multiplied entry by entry, which shares
        nothing with the normal form. Each letter that occurs needs a value (sympy.Matrix or nested
        lists; columns (d, 1)); others are checked against the declared relations too. Where nothing
        else fixes the dimension, give ``"d"``.
        """
        return evaluate(self.terms, self.shape, values)

    # -- display

    def _show(
        self, letter: Callable[[Letter], str], times: str, trace: str, number: Callable[[PolyElement], str]
    ) -> str:
        """The normal form as text, in a spelling of letters, products, traces and numbers."""
        parts = []
        for (scalars, word), c in self.terms.items():
            factors = [times.join(map(letter, s)) for s in scalars]
            factors = [f if self.algebra.is_inner(s) else trace.format(f) for f, s in zip(factors, scalars)]
            factors += [times.join(map(letter, word))] if word else ["I"] if self.shape == "matrix" else []
            text = number(c)
            if factors and text in ("1", "-1"):
                text = text[:-1]
                factors[0] = text + factors[0]
            else:
                factors.insert(0, f"({text})" if len(c) > 1 and factors else text)
            parts.append(times.join(factors))
        return " + ".join(parts).replace("+ -", "- ") or "0"

    def __str__(self) -> str:
        return self._show(lambda a: a[0] + "'" * a[1], " ", "tr({})", lambda c: str(c.as_expr()))

    __repr__ = __str__

    def latex(self) -> str:
        """The element as LaTeX; declared inverses and pseudo-inverses are written as such."""
        names = {b: sp.latex(sp.Symbol(a)) + "^{-1}" for a, b in self.algebra.inverse}
        names.update({G: sp.latex(sp.Symbol(S)) + "^{+}" for S, G, _ in self.algebra.pseudo_inverse})

        def letter(a: Letter) -> str:
            text = names.get(a[0], sp.latex(sp.Symbol(a[0])))
            return (f"({text})" if a[0] in names else text) + r"^{\top}" if a[1] else text

        return self._show(letter, r"\, ", r"\operatorname{{tr}}({})", lambda c: sp.latex(c.as_expr()))

    def written(self) -> str:
        """The element as LaTeX as it was put together, before any normal form."""
        return formula(self).text

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"
