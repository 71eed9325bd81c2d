"""Jointly 1-smooth losses, and laws on few atoms among which the worst one for a bound on means of
such losses is looked for. The atoms are rational, so that the law that breaks a bound can be
evaluated again without rounding, and is the witness.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from numerics.evidence import Evidence, Verdict
from numerics.provers.enclosures.balls import value
from numerics.seeds import generator

__all__ = ["LOSSES", "Law", "Loss", "worst_law"]

#: Random laws that are tried after the simplest ones.
RANDOM_LAWS = 400


@dataclass(frozen=True)
class Loss:
    """A loss l(z, y) with l(0, 0) critical in z, and its derivative in z; ``m`` is `math` or
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
    """A law of several random variables on finitely many atoms.

    Attributes
    ----------
    masses : tuple
        Probabilities of the atoms.
    values : dict
        Values at the atoms, by the name of the variable.
    """

    masses: tuple[Any, ...]
    values: dict[str, tuple[Any, ...]]

    def mean(self, f: Callable[..., Any], *names: str) -> Any:
        """The mean of f at the named variables."""
        return sum(p * f(*point) for p, *point in zip(self.masses, *(self.values[n] for n in names)))

    def read_as(self, kind: Callable[[Any], Any]) -> Law:
        """The same law in other numbers: `float`, or SymPy's rationals."""
        return Law(tuple(map(kind, self.masses)), {n: tuple(map(kind, v)) for n, v in self.values.items()})

    def shown(self) -> dict[str, str]:
        """The law as it is written into a witness."""
        lists = {"probabilities": self.masses, **self.values}
        return {name: ", ".join(map(str, numbers)) for name, numbers in lists.items()}


def _laws(names: Sequence[str]) -> Iterator[Law]:
    """Point masses on 0 and 1 first, then random laws over four orders of magnitude, with zeros."""
    for atom in itertools.product((0, 1), repeat=len(names)):
        yield Law((Fraction(1),), {name: (Fraction(x),) for name, x in zip(names, atom)})
    rng = generator(7)
    for _ in range(RANDOM_LAWS):
        n = int(rng.integers(1, 6))
        shares = rng.integers(1, 9, size=n)
        values = {}
        for name in names:
            scale = Fraction(10) ** int(rng.integers(-3, 2)) * int(rng.integers(0, 2))
            values[name] = tuple(Fraction(int(x), 8) * scale for x in rng.integers(-16, 17, size=n))
        yield Law(tuple(Fraction(int(k), int(shares.sum())) for k in shares), values)


def worst_law(names: Sequence[str], sides: Callable[[Any, Loss, Law], tuple[Any, Any]]) -> Evidence:
    """Look for the law and the loss at which ``left <= right`` is tightest.

    Parameters
    ----------
    names : sequence of str
        The random variables.
    sides : callable
        Maps a module (`math` or `sympy`), a loss and a law to left and right.

    Returns
    -------
    Evidence
        SUPPORTED with the ratio at the tightest law, or REFUTED by the law that was found, whose
        two sides are evaluated again from its rational atoms by Arb.

    Examples
    --------
    >>> def jensen(m, l, law):
    ...     return law.mean(abs, "T") ** 2, law.mean(lambda T: T**2, "T")
    >>> worst_law(("T",), jensen).verdict.value
    'SUPPORTED'
    """
    worst: tuple[float, Loss, Law] | None = None
    for law in _laws(names):
        rounded = law.read_as(float)
        for loss in LOSSES:
            left, right = map(float, sides(math, loss, rounded))
            ratio = left / right if right > 1e-12 else 0.0
            if worst is None or ratio > worst[0] * (1 + 1e-12):
                worst = ratio, loss, law
    assert worst is not None
    ratio, loss, law = worst
    if ratio > 1 + 1e-9:
        exact = sides(sp, loss, law.read_as(sp.Rational))
        witness = {"loss": loss.name, **law.shown(), "left": str(exact[0]), "right": str(exact[1])}
        if value(sp.sympify(exact[0])).real > value(sp.sympify(exact[1])).real:
            return Evidence(verdict=Verdict.REFUTED, engine="property search", witness=witness, witness_by="Arb")
        return Evidence(verdict=Verdict.OPEN, engine="property search", reason=f"ratio {ratio:.6g}, not confirmed at {witness}")
    point_masses = f"{2 ** len(names)} point masses on 0 and 1"
    random_laws = f"{RANDOM_LAWS} random laws of ({', '.join(names)}) on up to 5 atoms over 4 orders of magnitude, zeros included"
    covered = f"{len(LOSSES)} losses, one of them not convex; {point_masses}, {random_laws}"
    tightest = {"loss": loss.name, **law.shown()}
    slack = max(1.0, 1 / ratio)  # below 1 by rounding only
    return Evidence(verdict=Verdict.SUPPORTED, engine="property search", covered=covered, slack=slack, tightest=tightest)
