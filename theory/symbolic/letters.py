"""Words of matrix and vector letters: transposition, cancellation, closed scalars, and one
representative for each cyclic class.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

__all__ = ["Alphabet", "Letter", "Term", "Word"]

Letter = tuple[str, int]  # a name, and 1 where it is transposed; symmetric letters are never transposed
Word = tuple[Letter, ...]
Term = tuple[tuple[Word, ...], Word]  # closed scalars, and the open word that they multiply


class Alphabet:
    """The letters and the rules ``a b -> word of length at most 1`` that they obey.

    Parameters
    ----------
    symmetric, vectors : iterable of str
        Names; a vector letter is a column, its transpose a row.
    rules : iterable of (str, str, str)
        ``(a, b, c)``: the product of the matrices a and b is c, or the identity if c is empty.
        Their transposes are added.
    """

    def __init__(self, symmetric: Iterable[str], vectors: Iterable[str], rules: Iterable[tuple[str, str, str]]) -> None:
        self.symmetric, self.vectors = frozenset(symmetric), frozenset(vectors)
        self._rules: dict[tuple[Letter, Letter], Word] = {}
        for a, b, c in rules:
            result: Word = ((c, 0),) if c else ()
            self._rules[(a, 0), (b, 0)] = result
            transposed = self.transpose(((a, 0), (b, 0)))
            self._rules[transposed[0], transposed[1]] = self.transpose(result)
        self._canonical: dict[Word, Word] = {}

    def transpose(self, word: Word) -> Word:
        """``(A B x)' = x' B' A'``."""
        return tuple((name, t if name in self.symmetric else 1 - t) for name, t in reversed(word))

    def is_inner(self, word: Word) -> bool:
        """Whether a scalar word is an inner product ``x' W y``; otherwise it is a trace."""
        return word[0][0] in self.vectors

    def canonical(self, word: Word) -> Word:
        """The representative of a scalar word: traces may be rotated and transposed, inner products
        transposed.
        """
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
        ends = [i for i, (name, _) in enumerate(word) if name in self.vectors]
        for i, j in reversed(list(pairwise(ends))):
            if word[i][1] and not word[j][1]:
                scalars.append(self.canonical(word[i : j + 1]))
                word = word[:i] + word[j + 1 :]
        return scalars, word

    def close(self, word: Word) -> list[Word] | None:
        """The scalars whose product is the trace of a matrix word; None for the trace of the
        identity.
        """
        start = next((i for i, (name, t) in enumerate(word) if t and name in self.vectors), None)
        if start is not None:  # tr(W x y' M) = y' M W x
            return self.split(word[start:] + word[:start])[0]
        word = self.reduce(word)
        while len(word) > 1 and (word[-1], word[0]) in self._rules:
            word = self.reduce(self._rules[word[-1], word[0]] + word[1:-1])
        return [self.canonical(word)] if word else None
