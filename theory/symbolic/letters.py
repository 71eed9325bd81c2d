"""The letters of an algebra of matrix words, the relations that they obey, and the normal form of
words: what every other module of this room stands on.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import sympy as sp
from sympy.polys.rings import PolyElement, ring

from theory.inputs.kinds import read_items

__all__ = ["Alphabet", "Letter", "Term", "Word", "exact_number"]

Letter = tuple[str, int]  # a name, and 1 where it is transposed; symmetric letters are never transposed
Word = tuple[Letter, ...]
Term = tuple[tuple[Word, ...], Word]  # closed scalars, and the open word that they multiply


def exact_number(value: Any, advice: str) -> Fraction:
    """An integer or a fraction, of Python or of SymPy; anything else, such as a float, is refused.

    >>> exact_number(sp.Rational(1, 2), "pass a fraction")
    Fraction(1, 2)
    """
    if isinstance(value, sp.Rational):
        return Fraction(int(value.p), int(value.q))
    if isinstance(value, bool) or not isinstance(value, (int, Fraction)):
        raise TypeError(f"{value!r} is no exact number; {advice}")
    return Fraction(value)


def _alike(name: str, value: Any, size: int) -> tuple[Any, ...]:
    """Groups of names, each of the same size."""
    groups = tuple(read_items(str, **{name: group}) for group in read_items(**{name: value}))
    if any(len(group) != size for group in groups):
        raise ValueError(
            f"{name} = {value!r:.200} does not consist of groups of {size} names; write a list of them"
        )
    return groups


class Alphabet:
    """Letters for square matrices, columns and scalars, with the relations between them, as in
    `theory.symbolic.algebra.Algebra`.
    """

    def __init__(
        self,
        *,
        general: Iterable[str] = (),
        symmetric: Iterable[str] = (),
        vectors: Iterable[str] = (),
        params: Iterable[str] = (),
        inverse: Iterable[tuple[str, str]] = (),
        projectors: Iterable[str] = (),
        pseudo_inverse: Iterable[tuple[str, str, str]] = (),
    ) -> None:
        self.general, self.symmetric = read_items(str, general=general), read_items(str, symmetric=symmetric)
        self.vectors, self.params = read_items(str, vectors=vectors), read_items(str, params=params)
        self.inverse = _alike("inverse", inverse, 2)
        self.pseudo_inverse = _alike("pseudo_inverse", pseudo_inverse, 3)
        self.projectors = (*read_items(str, projectors=projectors), *(P for _, _, P in self.pseudo_inverse))
        names = [*self.general, *self.symmetric, *self.vectors, *self.params]
        twice = sorted({n for n in names if names.count(n) > 1 or n in ("d", "I")})
        if twice:
            raise ValueError(
                f"the names {', '.join(twice)} are taken (d is the dimension, I the identity); give each "
                "letter its own"
            )
        for pair in self.inverse:
            self._declared(pair, self.general + self.symmetric, "an inverse pair needs two declared matrices")
            if (pair[0] in self.symmetric) != (pair[1] in self.symmetric):
                raise ValueError(
                    f"{pair[0]} and {pair[1]} are inverse, but only one is symmetric; declare both alike"
                )
        self._declared(self.projectors, self.symmetric, "a projector must be declared symmetric")
        for triple in self.pseudo_inverse:
            self._declared(triple, self.symmetric, "a pseudo-inverse needs three declared symmetric matrices")
        rules = [r for a, b in self.inverse for r in ((a, b, ""), (b, a, ""))] + [
            (P, P, P) for P in self.projectors
        ]
        for S, G, P in self.pseudo_inverse:
            rules += [(S, G, P), (G, S, P), (P, S, S), (S, P, S), (P, G, G), (G, P, G)]
        self._symmetric, self._columns = frozenset(self.symmetric), frozenset(self.vectors)
        self._rules: dict[tuple[Letter, Letter], Word] = {}
        for one, two, product in rules:  # each with its transpose; an empty product is the identity
            result: Word = ((product, 0),) if product else ()
            self._rules[(one, 0), (two, 0)] = result
            transposed = self.transpose(((one, 0), (two, 0)))
            self._rules[transposed[0], transposed[1]] = self.transpose(result)
        self._canonical: dict[Word, Word] = {}
        #: Coefficients are polynomials in the dimension d and the parameters.
        self.ring, *gens = ring(["d", *self.params], sp.QQ)
        self._scalars = dict(zip(["d", *self.params], gens))

    @staticmethod
    def _declared(names: Iterable[str], known: tuple[str, ...], what: str) -> None:
        unknown = [n for n in names if n not in known]
        if unknown:
            raise ValueError(f"{what}, but {', '.join(unknown)} is none of {', '.join(known) or 'them'}")

    def transpose(self, word: Word) -> Word:
        """``(A B x)' = x' B' A'``."""
        return tuple((name, t if name in self._symmetric else 1 - t) for name, t in reversed(word))

    def is_inner(self, word: Word) -> bool:
        """Whether a scalar word is an inner product ``x' W y``; otherwise it is a trace."""
        return word[0][0] in self._columns

    def canonical(self, word: Word) -> Word:
        """The representative of a scalar word up to rotation (traces) and transposition."""
        found = self._canonical.get(word)
        if found is None:
            both = (word, self.transpose(word))
            turns = both if self.is_inner(word) else [w[i:] + w[:i] for w in both for i in range(len(w))]
            found = self._canonical[word] = min(turns)
        return found

    def reduce(self, word: Word) -> Word:
        """Apply the rules to neighbours until none applies."""
        out: list[Letter] = []
        for letter in word:
            out.append(letter)
            while len(out) > 1 and (out[-2], out[-1]) in self._rules:
                result = self._rules[out[-2], out[-1]]
                del out[-2:]
                out.extend(result)
        return tuple(out)

    def split(self, word: Word) -> tuple[list[Word], Word]:
        """The closed scalars ``x' W y`` inside a word, and what remains of it."""
        word, scalars = self.reduce(word), []
        ends = [i for i, (name, _) in enumerate(word) if name in self._columns]
        for i, j in reversed(list(pairwise(ends))):
            if word[i][1] and not word[j][1]:
                scalars.append(self.canonical(word[i : j + 1]))
                word = word[:i] + word[j + 1 :]
        return scalars, word

    def close(self, word: Word) -> list[Word] | None:
        """The scalars whose product is the trace of a word; None for that of the identity."""
        start = next((i for i, (name, t) in enumerate(word) if t and name in self._columns), None)
        if start is not None:  # tr(W x y' M) = y' M W x
            return self.split(word[start:] + word[:start])[0]
        word = self.reduce(word)
        while len(word) > 1 and (word[-1], word[0]) in self._rules:
            word = self.reduce(self._rules[word[-1], word[0]] + word[1:-1])
        return [self.canonical(word)] if word else None

    def scalar(self, name: str) -> PolyElement:
        """A parameter, or ``d``, as an element of the ring of coefficients."""
        return self._scalars[name]
