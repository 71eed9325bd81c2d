"""Values of linear combinations of terms: other words in the place of a letter, explicit matrices,
and random exact matrices that obey the declared relations.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from theory.symbolic.letters import Alphabet, Term, Word
from theory.symbolic.terms import Terms

__all__ = ["evaluate", "example", "substitute"]


def _image(
    alphabet: Alphabet,
    term: Term,
    start: Any,
    letter: Callable[[str], Any],
    inner: Callable[[Any], Any],
    trace: Callable[[Any], Any],
) -> Any:
    """The image of a term under the homomorphism that is given on the letters."""

    def product(word: Word) -> Any:
        out: Any = None
        for name, t in word:
            factor = letter(name).T if t else letter(name)
            out = factor if out is None else out * factor
        return out

    for scalar in term[0]:
        start = start * (inner if alphabet.is_inner(scalar) else trace)(product(scalar))
    return start * product(term[1]) if term[1] else start


def substitute(f: Terms, name: str, value: Terms) -> Terms:
    """Another linear combination in the place of a letter."""
    A = f.alphabet
    letter = lambda n: value if n == name else Terms.of_word(A, ((n, 0),))
    out = Terms(A, {})
    for term, c in f.items():
        out = out + _image(A, term, Terms.number(A, c), letter, lambda x: x, lambda M: M.tr())
    return out


def evaluate(f: Terms, shape: str, values: Mapping[str, Any]) -> Any:
    """The value at an explicit instance, as `theory.symbolic.elements.Words.evaluate` says; the
    shape is "scalar", "column", "row" or "matrix".
    """
    A = f.alphabet
    given = _instance(A, values)
    missing = sorted(
        (f.letters() | {p for p in A.params if any(c.diff(A.scalar(p)) for c in f.values())}) - set(given)
    )
    if missing:
        raise ValueError(f"no value for {', '.join(missing)}; each letter that occurs needs one")
    d = given["d"]
    numbers = [given.get(n, sp.S.Zero) for n in ("d", *A.params)]
    size = {"matrix": (d, d), "column": (d, 1), "row": (1, d)}.get(shape)
    out = sp.zeros(*size) if size else sp.S.Zero
    for term, c in f.items():
        start = sum(
            sp.Rational(str(q)) * sp.prod([x**e for x, e in zip(numbers, powers)]) for powers, q in c.terms()
        )
        if shape == "matrix" and not term[1]:
            start = start * sp.eye(d)
        out += _image(A, term, start, given.__getitem__, lambda M: M[0, 0], lambda M: M.trace())
    return out


def _instance(A: Alphabet, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values as SymPy objects, checked against shapes and relations; a declared inverse that is
    missing is computed.
    """
    given: dict[str, Any] = {}
    for name, value in values.items():
        if name == "d" or name in A.params:
            given[name] = sp.sympify(value)
        elif name in (*A.general, *A.symmetric, *A.vectors):
            given[name] = sp.Matrix(value)
        else:
            raise ValueError(f"no letter is called {name!r}; remove its value")
    sizes = {M.rows for M in given.values() if isinstance(M, sp.MatrixBase)} | (
        {int(given["d"])} if "d" in given else set()
    )
    if len(sizes) != 1:
        raise ValueError(
            f"the values fix the dimensions {sorted(sizes) or 'nowhere'}; exactly one is needed, give d or "
            "mend the shapes"
        )
    d = given["d"] = sizes.pop()
    for a, b in (*A.inverse, *((b, a) for a, b in A.inverse)):
        if a in given and b not in given:
            if given[a].det() == 0:
                raise ValueError(f"{a} = {given[a].tolist()} is singular, but {b} is declared its inverse")
            given[b] = given[a].inv()
    for name, M in given.items():
        shape = (d, 1) if name in A.vectors else (d, d)
        if isinstance(M, sp.MatrixBase) and M.shape != shape:
            raise ValueError(f"{name} has shape {M.shape}, but {shape} is needed; vectors are columns")
        if name in A.symmetric and _differ(M, M.T):
            raise ValueError(f"{name} = {M.tolist()} is declared symmetric; pass a symmetric matrix")
    relations = [(a, b, None) for a, b in A.inverse] + [(P, P, P) for P in A.projectors]
    relations += [r for S, G, P in A.pseudo_inverse for r in ((S, G, P), (P, S, S), (P, G, G))]
    for a, b, c in relations:
        if {a, b, c} - {None} <= set(given) and _differ(given[a] * given[b], given[c] if c else sp.eye(d)):
            raise ValueError(
                f"{a} times {b} is not {c or 'the identity'}, as was declared; pass matrices that obey the "
                "relation"
            )
    return given


def _differ(M: Any, N: Any) -> bool:
    return M != N and (M - N).applyfunc(sp.cancel) != sp.zeros(*M.shape)


def example(A: Alphabet, d: int, seed: int) -> dict[str, Any]:
    """Random small rationals for every letter, as `theory.symbolic.algebra.Algebra.example` says.

    The random numbers depend on the seed and the dimension alone.
    """
    draw = random.Random(f"{seed} {d}")
    some = lambda rows, columns: sp.Matrix(rows, columns, lambda i, j: draw.randint(-3, 3))
    values: dict[str, Any] = {name: sp.Rational(draw.randint(1, 9), draw.randint(1, 4)) for name in A.params}
    values.update({name: some(d, 1) for name in A.vectors})
    values.update({name: some(d, d) for name in A.general})
    for name in A.symmetric:
        B = some(d, d)
        values[name] = B * B.T
    for a, b in A.inverse:
        while values[a].det() == 0:
            values[a] = values[a] + sp.eye(d)
        values[b] = values[a].inv()
    triples = {P: (S, G) for S, G, P in A.pseudo_inverse}
    for P in A.projectors:
        B = sp.zeros(d, max(1, d - 1))
        while (B.T * B).det() == 0:
            B = some(*B.shape)
        core = (B.T * B).inv()
        values[P] = B * core * B.T
        if P in triples:
            S, G = triples[P]
            values[S], values[G] = B * B.T, B * core * core * B.T
    return values
