"""Linear combinations of terms, the sums that calculus works on: what is left of an element of the
algebra when its shape and its history are dropped.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping
from typing import Any

from sympy.polys.rings import PolyElement

from theory.symbolic.letters import Alphabet, Term, Word

__all__ = ["Terms"]


class Terms(Mapping[Term, PolyElement]):
    """Normal form -> coefficient: ``((closed scalars), open word)`` -> polynomial in d and the
    parameters; zeros are dropped. Shapes are not looked at: a number stands for itself and for that
    multiple of the identity.
    """

    __slots__ = ("_coefficients", "alphabet")

    def __init__(self, alphabet: Alphabet, coefficients: Mapping[Term, PolyElement]) -> None:
        self.alphabet = alphabet
        self._coefficients = {k: c for k, c in coefficients.items() if c}

    @classmethod
    def of_word(cls, alphabet: Alphabet, word: Word) -> Terms:
        """A word of letters, which may hold closed scalars and cancellations."""
        closed, rest = alphabet.split(word)
        return cls(alphabet, {(tuple(sorted(closed)), rest): alphabet.ring(1)})

    @classmethod
    def number(cls, alphabet: Alphabet, c: Any) -> Terms:
        """A rational number, or an element of the ring of coefficients."""
        return cls(alphabet, {((), ()): alphabet.ring(c)})

    def __getitem__(self, term: Term) -> PolyElement:
        return self._coefficients[term]

    def __iter__(self) -> Iterator[Term]:
        return iter(self._coefficients)

    def __len__(self) -> int:
        return len(self._coefficients)

    def items(self) -> ItemsView[Term, PolyElement]:
        return self._coefficients.items()

    def __repr__(self) -> str:
        return repr(self._coefficients)

    def sorted(self) -> Terms:
        """The same, short words first: the order in which terms are shown."""
        order = lambda item: (len(item[0][1]), len(item[0][0]), item[0][1], item[0][0])
        return Terms(self.alphabet, dict(sorted(self.items(), key=order)))

    def __add__(self, other: Terms) -> Terms:
        out = dict(self._coefficients)
        for k, c in other.items():
            out[k] = out.get(k, 0) + c
        return Terms(self.alphabet, out)

    def __neg__(self) -> Terms:
        return Terms(self.alphabet, {k: -c for k, c in self.items()})

    def __mul__(self, other: Terms) -> Terms:
        out: dict[Term, PolyElement] = {}
        for (s1, w1), c1 in self.items():
            for (s2, w2), c2 in other.items():
                closed, rest = self.alphabet.split(w1 + w2)
                k = (tuple(sorted((*s1, *s2, *closed))), rest)
                out[k] = out.get(k, 0) + c1 * c2
        return Terms(self.alphabet, out)

    @property
    def T(self) -> Terms:
        """The transpose."""
        return Terms(self.alphabet, {(s, self.alphabet.transpose(w)): c for (s, w), c in self.items()})

    def tr(self) -> Terms:
        """The trace; that of the identity is d."""
        out: dict[Term, PolyElement] = {}
        for (s, w), c in self.items():
            closed = self.alphabet.close(w)
            if closed is None:
                closed, c = [], c * self.alphabet.scalar("d")
            k: Term = (tuple(sorted((*s, *closed))), ())
            out[k] = out.get(k, 0) + c
        return Terms(self.alphabet, out)

    def letters(self) -> set[str]:
        """Names of the matrices and vectors that occur."""
        return {n for s, w in self for word in (*s, w) for n, _ in word}
