"""Expectations of sums over Gaussian tokens weighted by their softmax weights, reduced by Stein's
lemma to power sums of the weights, for every prompt length L and every dimension.

Tokens ``z_1, ..., z_L`` are iid ``N(0, Gamma)``, ``p = softmax(a.z_1, ..., a.z_L)``,
``pi_k = sum_i p_i^k`` and ``h = Gamma a``. A linear form is ``u(z) = u.z``. Stein's lemma,
``E u(z_i) F = E (Gamma u).grad_{z_i} F``, needs two derivatives only,

    (Gamma u).grad_{z_i} p_j = u(h) p_j (1{i=j} - p_i),
    (Gamma u).grad_{z_i} v(z_j) = 1{i=j} u'Gamma v,

so that it acts on sums ``sum_i p_i^m u(z_i) v(z_i) ...`` without ever writing out their L terms.
Both L and d stay symbols.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sympy as sp
from sympy.polys.rings import PolyElement, ring

from theory.symbolic.letters import exact_number

__all__ = ["TokenAlgebra", "TokenSum"]

Slot = tuple[int, tuple[str, ...]]  # sum_i p_i^m u(z_i) v(z_i) ...
Slots = tuple[Slot, ...]


class TokenAlgebra:
    """Polynomials in sums over tokens of linear forms, with power sums up to ``highest``."""

    def __init__(self, *forms: str, highest: int = 12) -> None:
        self.forms, self.highest = tuple(sorted(forms)), highest
        pairs = [(u, v) for i, u in enumerate(self.forms) for v in self.forms[i:]]
        names = (
            [f"pi_{k}" for k in range(2, highest + 1)]
            + [f"h_{u}" for u in self.forms]
            + [f"Gamma_{u}{v}" for u, v in pairs]
        )
        self.symbols = (sp.Symbol("L", integer=True, positive=True), *sp.symbols(names, real=True))
        self.ring, L, *gens = ring(self.symbols, sp.QQ)
        self._pi = [L, self.ring(1), *gens[: highest - 1]]
        self._h = dict(zip(self.forms, gens[highest - 1 :]))
        self._Gamma = dict(zip(pairs, gens[highest - 1 + len(self.forms) :]))

    def _element(self, coefficient: PolyElement) -> TokenSum:
        """A coefficient as an element."""
        return TokenSum(self, {(): coefficient})

    def sum(self, power: int, *forms: str) -> TokenSum:
        """``sum_i p_i^power u(z_i) v(z_i) ...``; without forms the power sum itself, which is L for
        power 0 and 1 for power 1.
        """
        self._known(*forms)
        if not isinstance(power, int) or power < 0:
            raise ValueError(f"power = {power!r}; weights have the powers 0, 1, 2, ...")
        slots, coefficient = self.close([(power, tuple(forms))], self.ring(1))
        return TokenSum(self, {slots: coefficient})

    def _known(self, *forms: str) -> None:
        """Refuse names of linear forms that were not declared."""
        unknown = [u for u in forms if u not in self.forms]
        if unknown:
            raise ValueError(
                f"{', '.join(unknown)} is none of the forms {', '.join(self.forms) or '(there are none)'}"
            )

    def h(self, form: str) -> TokenSum:
        """``u(h) = u'Gamma a``."""
        self._known(form)
        return self._element(self._h[form])

    def Gamma(self, u: str, v: str) -> TokenSum:
        """``u'Gamma v``."""
        self._known(u, v)
        return self._element(self.covariance(u, v))

    def covariance(self, u: str, v: str) -> PolyElement:
        """``u'Gamma v`` as a coefficient."""
        return self._Gamma[min(u, v), max(u, v)]

    def close(self, slots: Iterable[Slot], coefficient: PolyElement) -> tuple[Slots, PolyElement]:
        """Sums without linear forms are power sums and move into the coefficient."""
        kept = []
        for m, forms in slots:
            if forms:
                kept.append((m, tuple(sorted(forms))))
            else:
                coefficient = coefficient * self.power_sum(m)
        return tuple(sorted(kept)), coefficient

    def power_sum(self, k: int) -> PolyElement:
        """``pi_k`` as a coefficient."""
        if k > self.highest:
            raise ValueError(
                f"the power sum pi_{k} is needed, but the algebra ends at {self.highest}; raise highest="
            )
        return self._pi[k]

    def slopes(self, c: PolyElement) -> list[tuple[int, PolyElement]]:
        """The terms ``e p_i^m`` of ``D_i c`` as (m, e), c a polynomial in the power sums:
        ``D_i pi_k = k (p_i^k - pi_k p_i)``.
        """
        out = []
        for k in range(2, self.highest + 1):
            dc = c.diff(self._pi[k])
            if dc:
                out += [(k, k * dc), (1, -k * self._pi[k] * dc)]
        return out

    def stein(self, slots: Slots, c: PolyElement) -> list[tuple[Slots, PolyElement]]:
        """Remove the first linear form of the first sum by Stein's lemma."""
        (m, (u, *rest)), others, h = slots[0], slots[1:], self._h[slots[0][1][0]]
        raised = lambda k: ((m + k, tuple(rest)), *others)
        out = [(raised(0), m * h * c), (raised(1), -m * h * c)]  # p_i^m itself
        out += [(raised(k), h * e) for k, e in self.slopes(c)]
        for t, v in enumerate(rest):
            out.append((((m, tuple(rest[:t] + rest[t + 1 :])), *others), self.covariance(u, v) * c))
        for j, (n, forms) in enumerate(others):
            left = others[:j] + others[j + 1 :]
            merged = lambda kept: ((m + n, (*rest, *kept)), *left)  # noqa: B023
            out += [(merged(forms), n * h * c), (raised(1), -n * h * c)]
            out += [
                (merged(forms[:t] + forms[t + 1 :]), self.covariance(u, v) * c) for t, v in enumerate(forms)
            ]
        return [self.close(s, e) for s, e in out]


class TokenSum:
    """A polynomial in sums over tokens; made by `TokenAlgebra.sum`, ``+ - *`` and ``**``."""

    __slots__ = ("algebra", "terms")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, algebra: TokenAlgebra, terms: Mapping[Slots, PolyElement]) -> None:
        self.algebra = algebra
        self.terms = {k: c for k, c in terms.items() if c}

    def _other(self, other: Any) -> TokenSum:
        if isinstance(other, TokenSum):
            if other.algebra is not self.algebra:
                raise ValueError(
                    "the two sums belong to different algebras; build both from one TokenAlgebra"
                )
            return other
        number = exact_number(other, "use int, Fraction or sympy.Rational")
        return TokenSum(self.algebra, {(): self.algebra.ring(sp.QQ(number.numerator, number.denominator))})

    def __add__(self, other: Any) -> TokenSum:
        return TokenSum(self.algebra, _collected([*self.terms.items(), *self._other(other).terms.items()]))

    __radd__ = __add__

    def __neg__(self) -> TokenSum:
        return TokenSum(self.algebra, {k: -c for k, c in self.terms.items()})

    def __sub__(self, other: Any) -> TokenSum:
        return self + (-self._other(other))

    def __rsub__(self, other: Any) -> TokenSum:
        return self._other(other) - self

    def __mul__(self, other: Any) -> TokenSum:
        products = [
            (tuple(sorted(s1 + s2)), c1 * c2)
            for s1, c1 in self.terms.items()
            for s2, c2 in self._other(other).terms.items()
        ]
        return TokenSum(self.algebra, _collected(products))

    __rmul__ = __mul__

    def __pow__(self, n: int) -> TokenSum:
        out = self._other(1)
        for _ in range(n):
            out = out * self
        return out

    def expectation(self) -> sp.Expr:
        """A polynomial in the power sums (and L, ``u(h)``, ``u'Gamma v``) that has the same
        expectation, in the `symbols` of the algebra. It is not unique, since power sums have
        relations in expectation.
        """
        pending, done = dict(self.terms), self.algebra.ring(0)
        while pending:
            slots = max(pending, key=lambda key: sum(len(forms) for _, forms in key))
            c = pending.pop(slots)
            if not slots:
                done += c
            elif c:
                for key, e in self.algebra.stein(slots, c):
                    pending[key] = pending.get(key, 0) + e
        return done.as_expr()

    def as_expr(self) -> sp.Expr:
        """The polynomial itself, where no linear form occurs."""
        if any(self.terms):
            raise ValueError("a linear form of the tokens occurs; take the expectation first")
        return self.terms.get((), self.algebra.ring(0)).as_expr()

    def heat(self) -> sp.Expr:
        """``(1/2) sum_i d^2/dy_i^2`` in the scores ``y``, where no linear form occurs: for iid N(0,
        s) scores its expectation is the derivative by s.
        """
        A = self.algebra
        self.as_expr()
        total = A.ring(0)
        for m, e in A.slopes(self.terms.get((), A.ring(0))):
            total += e * m * (A.power_sum(m) - A.power_sum(m + 1))
            total += sum((c * A.power_sum(m + k) for k, c in A.slopes(e)), A.ring(0))
        return (total / 2).as_expr()

    def at_one_token(self) -> sp.Expr:
        """The expectation at L = 1: every weight is 1, and moments are those of a Gaussian."""
        return sp.expand(
            self.expectation().subs(dict.fromkeys(self.algebra.symbols[: self.algebra.highest], 1))
        )


def _collected(items: Iterable[tuple[Slots, PolyElement]]) -> dict[Slots, PolyElement]:
    """The coefficients of equal terms added up."""
    out: dict[Slots, PolyElement] = {}
    for k, c in items:
        out[k] = out.get(k, 0) + c
    return out
