"""Gradients and Gaussian expectations of matrix words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theory.symbolic.letters import Term

if TYPE_CHECKING:
    from theory.symbolic.algebra import Words

__all__ = ["expectation", "gradient"]


def gradient(f: Words, name: str) -> Words:
    """The documented `theory.symbolic.algebra.Words.grad`."""
    A = f.algebra
    if f.shape != "scalar":
        raise ValueError(f"only a scalar has a gradient, not the {f.shape} {f}; contract it with a letter first")
    if name not in (*A.general, *A.symmetric, *A.vectors):
        raise ValueError(f"no matrix or vector is called {name!r}; for a parameter use diff")
    if name in A.projectors or any(name in triple for triple in A.pseudo_inverse):
        raise ValueError(f"{name} obeys a relation of projectors and has no free neighbourhood; no gradient is defined")
    vector = name in A.vectors
    partner = next((b if a == name else a for a, b in A.inverse if name in (a, b)), None)
    out = f.like({}, "column" if vector else "matrix")
    for (scalars, _), c in f.terms.items():
        for i, word in enumerate(scalars):
            rest = f.like({(scalars[:i] + scalars[i + 1 :], ()): c}, "scalar")
            for j, (letter, t) in enumerate(word):
                if letter not in (name, partner):
                    continue
                # the word is tr(X around) or tr(X' around), and the gradient of tr(X' G) is G
                around = f.word(word[j + 1 :] + word[:j], "matrix" if not vector else "column" if t else "row")
                if letter == partner:  # dX^{-1} = -X^{-1} dX X^{-1}
                    inverse = f.word(((letter, t),), "matrix")
                    around = -inverse * around * inverse
                out = out + rest * (around if t else around.T)
    return (out + out.T) / 2 if name in A.symmetric else out


def expectation(f: Words, name: str, covariance: Words, mean: Words | None) -> Words:
    """The documented `theory.symbolic.algebra.Words.gauss`."""
    A = f.algebra
    if name not in A.vectors:
        raise ValueError(f"{name!r} is none of the vectors {A.vectors}; only a vector can be Gaussian here")
    if covariance.shape != "matrix" or covariance != covariance.T:
        raise ValueError(f"{covariance} is no symmetric matrix, so no covariance; declare it symmetric or symmetrise it")
    if mean is not None and mean.shape != "column":
        raise ValueError(f"the mean {mean} is a {mean.shape}; a column is needed")
    for moment in (covariance, mean):
        if moment is not None and name in moment.letters():
            raise ValueError(f"the moment {moment} contains {name} itself; use another letter")
    known: dict[tuple[Term, str], Words] = {}

    def pair(term: Term, shape: str) -> Words:
        """Stein's lemma for the first x: it is contracted with every other one in turn."""
        scalars, word = term
        row, column = (name, 1), (name, 0)
        turned = [v if v[0] == row else A.alphabet.transpose(v) for v in scalars if row == v[0] or column == v[-1]]
        if not turned:
            at = [j for j, letter in enumerate(word) if letter[0] == name]
            if not at:
                return f.like({term: A.ring(1)}, shape)
            if len(at) == 1:
                return f.like({}, shape)
            return f.like({(scalars, ()): A.ring(1)}, "scalar") * _between(f, word, at[0], at[1] + 1, covariance, shape)
        first = turned[0]
        others = list(scalars)
        others.remove(A.alphabet.canonical(first))
        partner = covariance * f.word(first[1:], "column")
        outside = f.like({((), word): A.ring(1)}, shape)
        rest = lambda j: f.like({(tuple(others[:j] + others[j + 1 :]), ()): A.ring(1)}, "scalar")
        out = f.like({}, shape)
        if first[-1] == column:
            out = out + (covariance * f.word(first[1:-1], "matrix")).tr() * rest(len(others)) * outside
        for j, other in enumerate(others):
            for v in (other, A.alphabet.transpose(other)):  # x' W x has two legs
                if v[0] == row:
                    out = out + partner.T * f.word(v[1:], "column") * rest(j) * outside
        for j, letter in enumerate(word):
            if letter[0] == name:
                out = out + rest(len(others)) * _between(f, word, j, j + 1, partner.T if letter[1] else partner, shape)
        return of(out)

    def of(g: Words) -> Words:
        out = f.like({}, g.shape)
        for term, c in g.terms.items():
            key = (term, g.shape)
            if key not in known:
                known[key] = pair(term, g.shape)
            out = out + f.like({((), ()): c}, "scalar") * known[key]
        return out

    return of(f if mean is None else f.substitute(name, A[name] + mean))


def _between(f: Words, word: tuple[tuple[str, int], ...], i: int, j: int, middle: Words, shape: str) -> Words:
    """An open word with the letters from i to j replaced."""
    left, right = word[:i], word[j:]
    out = middle
    if left:
        out = f.word(left, "column" if middle.shape == "row" else "matrix") * out
    if right:
        out = out * f.word(right, "row" if middle.shape == "column" else "matrix")
    return out
