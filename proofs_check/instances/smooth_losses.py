"""Jointly 1-smooth losses, and laws on few atoms among which the worst one for a bound on means of
such losses is looked for. The atoms are rational, so that the law that breaks a bound can be
evaluated again without rounding, and is the witness.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp
from sympy import oo

from numerics.counterexamples.drawn.climb import climbed
from numerics.counterexamples.drawn.holds import Tried
from numerics.counterexamples.drawn.laws import POSITIVE, power
from numerics.counterexamples.drawn.scalars import Codes, decoded
from numerics.evidence import Evidence, Verdict, all_of
from numerics.provers import forall, identity
from numerics.provers.enclosures.balls import value
from theory.regression.transfer import gradient_gap, risk_gap_smooth

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = [
    "LOSSES",
    "Law",
    "Loss",
    "SmoothLosses",
    "gradients_of_smooth_losses",
    "risks_of_smooth_losses",
    "young_at_its_best",
]

#: Atoms of a law.
ATOMS = 3
#: Values are 0 up to this code, and 1 at the next one; the largest is 256.
LEAST, MIDDLE = 512, 2816
#: Means that differ by less are equal up to rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Loss:
    """A loss l(z, y) with l(0, 0) critical in z, and its derivative in z; ``m`` is `numpy` or
    `sympy`.
    """

    name: str
    loss: Callable[[Any, Any, Any], Any]
    slope: Callable[[Any, Any, Any], Any]


#: Four jointly 1-smooth losses; the last one is not convex.
LOSSES = (
    Loss("z^2/2", lambda m, z, y: z**2 / 2, lambda m, z, y: z),
    Loss("(z - y)^2/4", lambda m, z, y: (z - y) ** 2 / 4, lambda m, z, y: (z - y) / 2),
    Loss(
        "ln cosh((z - y)/sqrt(2))",
        lambda m, z, y: m.log(m.cosh((z - y) / m.sqrt(2))),
        lambda m, z, y: m.tanh((z - y) / m.sqrt(2)) / m.sqrt(2),
    ),
    Loss("1 - cos z", lambda m, z, y: 1 - m.cos(z), lambda m, z, y: m.sin(z)),
)


@dataclass(frozen=True)
class Law:
    """A law of several random variables on finitely many atoms: their masses, and their values by
    the name of the variable.
    """

    masses: tuple[Any, ...]
    values: dict[str, tuple[Any, ...]]

    def mean(self, f: Callable[..., Any], *names: str) -> Any:
        return sum(p * f(*point) for p, *point in zip(self.masses, *(self.values[n] for n in names)))

    def read_as(self, kind: Callable[[Any], Any]) -> Law:
        """The same law in other numbers: `float`, or SymPy's rationals."""
        return Law(tuple(map(kind, self.masses)), {n: tuple(map(kind, v)) for n, v in self.values.items()})

    def shown(self) -> dict[str, str]:
        """The law as it is written into a witness."""
        lists = {"probabilities": self.masses, **self.values}
        return {name: ", ".join(map(str, numbers)) for name, numbers in lists.items()}


@dataclass(frozen=True)
class SmoothLosses:
    """A bound ``left <= factor * right`` on means of smooth losses, as a property of laws on up to
    three rational atoms: point masses, zeros, and values and probabilities over several decades.
    `sides` maps a module (`numpy` or `sympy`), a loss and a law to left and right.

    An example has two codes for the masses of the second and third atom beside that of the first,
    which is 1, and then those of the values, variable by variable.
    """

    names: tuple[str, ...]
    sides: Callable[[Any, Loss, Law], tuple[Any, Any]]
    factor: Fraction = Fraction(1)

    @property
    def drawn(self) -> Codes:
        """Codes of masses and values."""
        return Codes(ATOMS - 1 + ATOMS * len(self.names))

    def strategy(self) -> SearchStrategy[Any]:
        return self.drawn.strategy()

    @property
    def covered(self) -> str:
        variables = ", ".join(self.names)
        return (
            f"{len(LOSSES)} losses, one of them not convex, and laws of ({variables}) on up to {ATOMS} "
            "atoms, zeros included"
        )

    def tried(self, example: tuple[int, ...]) -> Tried:
        """The worst ratio over the losses, on a short climb from the example."""
        return climbed(self._ratios, [example], range(len(example)), 2, (0, 128, -128, 1024, -1024))[0]

    def _ratios(self, codes: Any) -> Any:
        size = np.abs(codes)
        masses = np.where(codes > 0, power(codes - 2560), 0.0).T[: ATOMS - 1]
        values = np.where(size < LEAST, 0.0, np.sign(codes) * power(8 * (size - MIDDLE) // 9)).T
        law = self._law((np.ones(len(codes)), *masses), list(values[ATOMS - 1 :]))
        with np.errstate(all="ignore"):
            sides = [self.sides(np, loss, law) for loss in LOSSES]
            return np.max([_ratio(left, float(self.factor) * right) for left, right in sides], axis=0)

    def _law(self, masses: Sequence[Any], values: Sequence[Any]) -> Law:
        total = sum(masses)
        by_name = {name: tuple(values[ATOMS * i : ATOMS * (i + 1)]) for i, name in enumerate(self.names)}
        return Law(tuple(m / total for m in masses), by_name)

    def _point(self, at: Sequence[int]) -> Law:
        masses = [
            Fraction(1),
            *(decoded(POSITIVE, c - 2560) if c > 0 else Fraction(0) for c in at[: ATOMS - 1]),
        ]
        size = lambda c: decoded(POSITIVE, 8 * (abs(c) - MIDDLE) // 9) if abs(c) >= LEAST else Fraction(0)
        law = self._law(masses, [size(c) * (1 if c > 0 else -1) for c in at[ATOMS - 1 :]])
        kept = [i for i, p in enumerate(law.masses) if p]
        return Law(
            tuple(law.masses[i] for i in kept), {n: tuple(v[i] for i in kept) for n, v in law.values.items()}
        )

    def _at(self, law: Law) -> tuple[Loss, Any, Any]:
        """The loss for which the bound is tightest at a law, and both sides, exactly."""
        rounded = law.read_as(float)
        found = [self.sides(np, loss, rounded) for loss in LOSSES]
        with np.errstate(all="ignore"):
            loss = LOSSES[int(np.argmax([_ratio(left, float(self.factor) * right) for left, right in found]))]
        left, right = self.sides(sp, loss, law.read_as(sp.Rational))
        return loss, sp.sympify(left), sp.Rational(self.factor) * sp.sympify(right)

    def exactly(self, example: tuple[int, ...], at: tuple[int, ...]) -> Evidence:
        law = self._point(at)
        loss, left, right = self._at(law)
        difference = value(left - right).real
        if difference > 0:
            witness = {"loss": loss.name, **law.shown(), "left": str(left), "right": str(right)}
            return Evidence(
                verdict=Verdict.REFUTED, engine="property test", witness=witness, witness_by="Arb"
            )
        if difference < 0 or float(difference.abs_upper()) <= 1e-12 * (
            1 + float(value(right).real.abs_upper())
        ):
            return Evidence(verdict=Verdict.SUPPORTED, engine="property test", covered="one law")
        return Evidence(
            verdict=Verdict.OPEN,
            engine="property test",
            reason="neither side could be shown to be the larger one",
        )

    def shown(self, example: tuple[int, ...], at: tuple[int, ...]) -> Mapping[str, Any]:
        law = self._point(at)
        return {"loss": self._at(law)[0].name, **law.shown()}

    def scaled(self, factor: Fraction) -> SmoothLosses:
        return replace(self, factor=factor * self.factor)


def _ratio(left: Any, right: Any) -> Any:
    """Left over right; where the right side is not positive, whether the left one exceeds it."""
    return np.where(right > ROUNDING, np.divide(left, right), np.where(left > right + ROUNDING, np.inf, 0.0))


def risk_of_a_smooth_loss(m: Any, l: Loss, law: Law) -> tuple[Any, Any]:
    """Return the change of the risk from T to T + D, and its bound."""
    change = law.mean(lambda T, y, D: l.loss(m, T + D, y) - l.loss(m, T, y), "T", "y", "D")
    return abs(change), risk_gap_smooth(*(law.mean(lambda x: x**2, name) for name in ("T", "y", "D")))


def gradient_of_a_smooth_loss(m: Any, l: Loss, law: Law) -> tuple[Any, Any]:
    """Return the change of the gradient, with the gradients J and J + dJ of the prediction in the
    plane, and its bound.
    """
    square = lambda *names: sum(law.mean(lambda x: x**2, name) for name in names)
    moments = square("T", "y") / 2, square("D"), square("J1", "J2"), square("dJ1", "dJ2")
    change = lambda T, y, D, J, dJ: (J + dJ) * l.slope(m, T + D, y) - J * l.slope(m, T, y)
    means = (law.mean(change, "T", "y", "D", f"J{i}", f"dJ{i}") for i in (1, 2))
    return m.sqrt(sum(x**2 for x in means)), gradient_gap(*moments)


def young_at_its_best(c: int | Fraction, *products: tuple[sp.Expr, sp.Expr]) -> tuple[Evidence, ...]:
    """Prove ``x y <= c (l x^2 / 2 + y^2 / (2 l))`` for real x, y and every l > 0, and that the mean
    of the right side at c = 1 and the best l is ``sqrt(E x^2 E y^2)``, for pairs of these means.
    """
    x, y = sp.symbols("x y", real=True)
    l = sp.Symbol("l", positive=True)
    mean = lambda left, right: l * left / 2 + right / (2 * l)
    ranges = {x: (-oo, oo), y: (-oo, oo), l: (0, oo)}
    young = forall(x * y, "<=", sp.Rational(c) * mean(x**2, y**2), ranges)
    return (young, *(identity(sp.Subs(mean(p, q), l, sp.sqrt(q / p)), sp.sqrt(p * q)) for p, q in products))


def risks_of_smooth_losses(c: int | Fraction) -> Evidence:
    """Young's bound of the change of a smooth risk, and four losses on drawn laws; c multiplies the
    right side.
    """
    T2, y2, D2 = sp.symbols("T2 y2 D2", positive=True)
    found = all_of(
        *young_at_its_best(c, (T2 + y2, D2)),
        identity(sp.sqrt((T2 + y2) * D2) + D2 / 2, risk_gap_smooth(T2, y2, D2)),
    )
    return found.replace(
        sides=(*found.sides, SmoothLosses(("T", "y", "D"), risk_of_a_smooth_loss, Fraction(c)))
    )


def gradients_of_smooth_losses(c: int | Fraction) -> Evidence:
    """The same for the gradient and the three products into which its change splits."""
    T2, y2, D2, J2, dJ2 = sp.symbols("T2 y2 D2 J2 dJ2", positive=True)
    products = (T2 + y2, dJ2), (D2, dJ2), (J2, D2)
    total = sum(sp.sqrt(p * q) for p, q in products)
    found = all_of(
        *young_at_its_best(c, *products), identity(total, gradient_gap((T2 + y2) / 2, D2, J2, dJ2))
    )
    names = ("T", "y", "D", "J1", "J2", "dJ1", "dJ2")
    return found.replace(sides=(*found.sides, SmoothLosses(names, gradient_of_a_smooth_loss, Fraction(c))))
