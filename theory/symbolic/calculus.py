"""Gradients and Gaussian expectations of linear combinations of terms, word by word."""

from __future__ import annotations

import sympy as sp

from theory.symbolic.letters import Term, Word
from theory.symbolic.terms import Terms

__all__ = ["expectation", "gradient"]


def gradient(f: Terms, name: str) -> Terms:
    """Gradient of a scalar by a matrix or a vector: `theory.symbolic.elements.Words.grad`."""
    A = f.alphabet
    if name not in (*A.general, *A.symmetric, *A.vectors):
        raise ValueError(f"no matrix or vector is called {name!r}; for a parameter use diff")
    if name in A.projectors or any(name in triple for triple in A.pseudo_inverse):
        raise ValueError(
            f"{name} obeys a relation of projectors and has no free neighbourhood; no gradient is defined"
        )
    partner = next((b if a == name else a for a, b in A.inverse if name in (a, b)), None)
    out = Terms(A, {})
    for (scalars, _), c in f.items():
        for i, word in enumerate(scalars):
            rest = Terms(A, {(scalars[:i] + scalars[i + 1 :], ()): c})
            for j, (letter, t) in enumerate(word):
                if letter not in (name, partner):
                    continue
                # The word is tr(X around) or tr(X' around), and the gradient of tr(X' G) is G.
                around = Terms.of_word(A, word[j + 1 :] + word[:j])
                if letter == partner:  # dX^{-1} = -X^{-1} dX X^{-1}
                    inverse = Terms.of_word(A, ((letter, t),))
                    around = -inverse * around * inverse
                out = out + rest * (around if t else around.T)
    # Among symmetric matrices the gradient is the symmetric part.
    return (out + out.T) * Terms.number(A, sp.QQ(1, 2)) if name in A.symmetric else out


def expectation(f: Terms, name: str, covariance: Terms) -> Terms:
    """Expectation over a centred Gaussian vector: Isserlis' theorem with words for indices."""
    A = f.alphabet
    known: dict[Term, Terms] = {}

    def pair(term: Term) -> Terms:
        """Stein's lemma for the first x: it is contracted with every other one in turn."""
        scalars, word = term
        row, column = (name, 1), (name, 0)
        turned = [v if v[0] == row else A.transpose(v) for v in scalars if row == v[0] or column == v[-1]]
        if not turned:
            at = [j for j, letter in enumerate(word) if letter[0] == name]
            if not at:
                return Terms(A, {term: A.ring(1)})
            if len(at) == 1:
                return Terms(A, {})
            return Terms(A, {(scalars, ()): A.ring(1)}) * _between(word, at[0], at[1] + 1, covariance)
        first = turned[0]
        others = list(scalars)
        others.remove(A.canonical(first))
        partner = covariance * Terms.of_word(A, first[1:])
        outside = Terms(A, {((), word): A.ring(1)})
        rest = lambda j: Terms(A, {(tuple(others[:j] + others[j + 1 :]), ()): A.ring(1)})
        out = Terms(A, {})
        if first[-1] == column:
            out = out + (covariance * Terms.of_word(A, first[1:-1])).tr() * rest(len(others)) * outside
        for j, other in enumerate(others):
            for v in (other, A.transpose(other)):  # x' W x has two legs
                if v[0] == row:
                    out = out + partner.T * Terms.of_word(A, v[1:]) * rest(j) * outside
        for j, letter in enumerate(word):
            if letter[0] == name:
                out = out + rest(len(others)) * _between(word, j, j + 1, partner.T if letter[1] else partner)
        return of(out)

    def of(g: Terms) -> Terms:
        out = Terms(A, {})
        for term, c in g.items():
            if term not in known:
                known[term] = pair(term)
            out = out + Terms.number(A, c) * known[term]
        return out

    return of(f)


def _between(word: Word, i: int, j: int, middle: Terms) -> Terms:
    """An open word with the letters from i to j replaced."""
    A = middle.alphabet
    return Terms.of_word(A, word[:i]) * middle * Terms.of_word(A, word[j:])
