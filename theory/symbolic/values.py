"""Homomorphisms of matrix words: substitution, explicit instances, and random exact instances of an
algebra.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import sympy as sp

from theory.symbolic.letters import Alphabet, Term, Word

if TYPE_CHECKING:
    from theory.symbolic.algebra import Algebra, Words

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


def substitute(f: Words, name: str, value: Words) -> Words:
    """The documented `theory.symbolic.algebra.Words.substitute`."""
    A = f.algebra
    if any(name in relation for relation in (*A.inverse, *A.pseudo_inverse, A.projectors)):
        raise ValueError(f"{name} obeys a declared relation, which {value} need not obey; nothing is substituted")
    if name not in A.vectors + A.general + A.symmetric or A[name].shape != value.shape:
        raise ValueError(f"{name!r} is no {value.shape} letter of this algebra, and {value} cannot take its place")
    if name in A.symmetric and value != value.T:
        raise ValueError(f"{name} is symmetric and {value} is not; nothing is substituted")
    out = f.like({}, f.shape)
    for term, c in f.terms.items():
        start = f.like({((), ()): c}, "matrix" if f.shape == "matrix" and not term[1] else "scalar")
        out = out + _image(A.alphabet, term, start, lambda n: value if n == name else A[n], lambda x: x, lambda M: M.tr())
    return out


def evaluate(f: Words, values: Mapping[str, Any]) -> Any:
    """The documented `theory.symbolic.algebra.Words.evaluate`."""
    A = f.algebra
    given = _instance(A, values)
    missing = sorted((f.letters() | {p for p in A.params if any(c.diff(A.scalar(p)) for c in f.terms.values())}) - set(given))
    if missing:
        raise ValueError(f"no value for {', '.join(missing)}; each letter that occurs needs one")
    d = given["d"]
    numbers = [given.get(n, sp.S.Zero) for n in ("d", *A.params)]
    size = {"matrix": (d, d), "column": (d, 1), "row": (1, d)}.get(f.shape)
    out = sp.zeros(*size) if size else sp.S.Zero
    for term, c in f.terms.items():
        start = sum(sp.Rational(str(q)) * sp.prod([x**e for x, e in zip(numbers, powers)]) for powers, q in c.terms())
        if f.shape == "matrix" and not term[1]:
            start = start * sp.eye(d)
        out += _image(A.alphabet, term, start, given.__getitem__, lambda M: M[0, 0], lambda M: M.trace())
    return out


def _instance(A: Algebra, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values as SymPy objects, checked against shapes and relations, with inverses filled in."""
    given: dict[str, Any] = {}
    for name, value in values.items():
        if name == "d" or name in A.params:
            given[name] = sp.sympify(value)
        elif name in (*A.general, *A.symmetric, *A.vectors):
            given[name] = sp.Matrix(value)
        else:
            raise ValueError(f"no letter is called {name!r}; remove its value")
    sizes = {M.rows for M in given.values() if isinstance(M, sp.MatrixBase)} | ({int(given["d"])} if "d" in given else set())
    if len(sizes) != 1:
        raise ValueError(
            f"the values fix the dimensions {sorted(sizes) or 'nowhere'}; exactly one is needed, give d or mend the shapes"
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
            raise ValueError(f"{a} times {b} is not {c or 'the identity'}, as was declared; pass matrices that obey the relation")
    return given


def _differ(M: Any, N: Any) -> bool:
    return M != N and (M - N).applyfunc(sp.cancel) != sp.zeros(*M.shape)


def example(A: Algebra, d: int, seed: int) -> dict[str, Any]:
    """The documented `theory.symbolic.algebra.Algebra.example`."""
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
