"""Combinations of hypotheses: what follows is found, what does not never is, and whatever is found
multiplies out.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy as sp

from numerics import Closed, Evidence, forall
from numerics.provers.exact.certificates import Certificate, Product, Reader
from numerics.provers.exact.consequences import consequence
from numerics.provers.exact.opaque import Fact, Opaque

x, y, z, a, b = sp.symbols("x y z a b", real=True)
p, q = sp.symbols("p q", positive=True)

#: A goal, what it follows from, and a hypothesis without which it does not.
FOLLOWS: dict[str, tuple[Fact, list[Fact]]] = {
    "a product of hypotheses": ((x * y - 1, False), [(x - 1, False), (y - 1, False)]),
    "a sum": ((x + y, True), [(x, False), (y, True)]),
    "a strict product": ((x * y, True), [(x, True), (y, True)]),
    "quotients": ((1 / x - 1 / y, True), [(x, True), (y - x, True)]),
    "an equation": ((x * z - y * z, False), [(x - y, False), (y - x, False)]),
    "convex combinations": (
        (z - x * a - (1 - x) * b, False),
        [(x, False), (1 - x, False), (z - a, False), (z - b, False)],
    ),
    "exponentials rise": ((sp.exp(y) - sp.exp(x), True), [(y - x, True)]),
    "logarithms rise": ((sp.log(y) - sp.log(x), True), [(y - x, True), (x, True), (y, True)]),
    "a tangent at another point": ((sp.exp(x) - 1 - x, True), [(x, True)]),
    "distances": ((2 - sp.Abs(x - z), False), [(1 - sp.Abs(x - y), False), (1 - sp.Abs(y - z), False)]),
    "the larger one": ((1 - sp.Max(x, y), False), [(1 - x, False), (1 - y, False)]),
}


@pytest.mark.parametrize(("goal", "facts"), FOLLOWS.values(), ids=FOLLOWS)
def test_what_follows_is_found_and_nothing_with_less(goal: Fact, facts: list[Fact]) -> None:
    found = consequence(goal, facts)
    assert found is not None
    assert found.holds()
    assert all(consequence(goal, [f for f in facts if f is not left_out]) is None for left_out in facts)


#: True by themselves.
ALWAYS = [
    (x**2 + y**2 - 2 * x * y, False),
    (sp.exp(x) - x, True),
    (p + q - 2 * sp.sqrt(p) * sp.sqrt(q), False),
    (sp.Abs(x) + sp.Abs(y) - sp.Abs(x + y), False),
    (sp.Max(x, y) - sp.Min(x, y), False),
    (p - 1 - sp.log(p), False),
    (sp.pi - 3, True),
    (p / sp.E - sp.log(p), False),
]


@pytest.mark.parametrize("goal", ALWAYS, ids=str)
def test_what_is_true_needs_no_hypothesis_and_what_is_sharp_no_more(goal: Fact) -> None:
    found = consequence(goal, [])
    assert found is not None
    assert found.holds()
    assert consequence((goal[0] - 1, goal[1]), []) is None


@pytest.mark.parametrize(
    ("goal", "facts"),
    [
        ((x * y, True), [(x, True), (y, False)]),  # equality at y = 0
        ((x**2 - y**2, False), [(x - y, False)]),  # x = 0, y = -1
        ((1 / x, True), [(x**2, True)]),
        ((sp.exp(y) - sp.exp(x), True), [(y - x, False)]),
        ((x - 1, False), [(x**2 - 1, False)]),
        ((y - x, False), [(x * y - x**2, False)]),
    ],
    ids=str,
)
def test_what_fails_at_a_boundary_is_not_found(goal: Fact, facts: list[Fact]) -> None:
    assert consequence(goal, facts) is None


def test_a_certificate_with_a_wrong_coefficient_or_factor_does_not_hold() -> None:
    found = consequence(*FOLLOWS["a product of hypotheses"])
    assert found is not None
    (c, factors, strict), *rest = found.terms
    for n, of in ((c + Fraction(1, 10**9), factors), (c, (*factors, x)), (-c, factors)):
        spoiled = (n, of, strict)
        assert not dataclasses.replace(found, terms=(spoiled, *rest)).holds()
    assert not Certificate(((Fraction(1), (), True),)).holds()


LETTERS = [
    *(sp.exp(x), sp.exp(-x - y), sp.exp(x / 2), sp.exp(x * y), sp.log(p), sp.log(p * q), sp.sqrt(p)),
    *(1 / sp.sqrt(p + q), p ** sp.Rational(2, 3), sp.Abs(x), sp.Abs(x + y), sp.Max(x, y, 1), sp.Min(x, y)),
    *(sp.sin(x), sp.cos(x), sp.tanh(x), sp.tanh(y), sp.pi, sp.E, sp.sqrt(2), sp.exp(1 + x)),
]


def test_what_is_said_of_letters_is_true_of_what_they_stand_for() -> None:
    """At drawn points, in double precision: each fact alone, and all of them read together."""
    rng = np.random.default_rng(0)
    words = Opaque(LETTERS)
    read = [words.rational(e) for e in LETTERS]
    facts = [*words.facts, *words.compared()]
    for e, rational in zip(LETTERS, read):
        assert sp.simplify(words.meaning(rational) - e) == 0
    meant = [(words.meaning(g), strict) for g, strict in facts]
    assert len(meant) > len(LETTERS)
    values = sp.lambdify((x, y, p, q), [g for g, _ in meant], "numpy")
    for _ in range(200):
        at = [*rng.uniform(-3, 3, 2), *rng.uniform(0.01, 5, 2)]
        for (g, strict), value in zip(meant, values(*at)):
            assert value > (-1e-9 if not strict else 0) - 1e-12 * abs(value), (g, at)


def test_a_spoiled_fact_is_seen() -> None:
    """The control of the test before: a tangent on the wrong side is false at a drawn point."""
    words = Opaque([sp.exp(x)])
    E = words.rational(sp.exp(x))
    assert words.meaning(E - 1 - x).subs(x, 1) > 0 > words.meaning(E - 1 - 2 * x).subs(x, 1)


def random_statement(rng: np.random.Generator) -> tuple[Fact, list[Fact]]:
    def term() -> sp.Expr:
        c = [sp.Rational(int(n), 2) for n in rng.integers(-4, 5, 6)]
        return c[0] + c[1] * x + c[2] * y + c[3] * x * y + c[4] * x**2 + c[5] * y**2

    return (term(), bool(rng.integers(2))), [(term(), bool(rng.integers(2))) for _ in range(rng.integers(3))]


def test_no_random_statement_is_found_that_fails_at_a_grid_point() -> None:
    rng = np.random.default_rng(1)
    grid = np.array([(n / 4, m / 4) for n in range(-16, 17) for m in range(-16, 17)])
    met = lambda value, strict: value > 0 if strict else value >= 0
    found = 0
    for _ in range(60):
        goal, facts = random_statement(rng)
        if consequence(goal, facts) is None:
            continue
        found += 1
        at = [np.broadcast_to(sp.lambdify((x, y), g)(*grid.T), len(grid)) for g, _ in (*facts, goal)]
        given = (
            np.all([met(v, s) for v, (_, s) in zip(at, facts)], axis=0) if facts else np.full(len(grid), True)
        )
        assert met(at[-1], goal[1])[given].all(), (goal, facts)
    assert found > 2


def test_the_prover_uses_them_and_says_so() -> None:
    line = dict.fromkeys((x, y, z), (-sp.oo, sp.oo))
    asked = lambda rhs: forall((x + y + z) ** 2, "<=", rhs, line, where=[(x**2 + y**2 + z**2, "<=", 1)])
    assert (asked(3).verdict.value, asked(3).engine) == ("PROVED", "Positivstellensatz")
    assert asked(sp.Rational(29, 10)).verdict.value == "REFUTED"
    shown = asked(3)
    assert any("x - y" in step for step in shown.steps)
    assert Evidence.from_json(shown.to_json()) == shown


def test_what_is_defined_by_a_hypothesis_is() -> None:
    m = sp.Symbol("m", real=True)
    domain = dict.fromkeys((x, a, b, m), (-sp.oo, sp.oo))
    where = [(a, "<", b), (x, ">", a), (m, ">=", (b - a) / (x - a))]
    assert forall(a + (b - a) / (m + 1), "<", x, domain, where=where).verdict.value == "PROVED"


def _either_factor_is_positive(p: Any, q: Any) -> Any:
    return dataclasses.replace(right_product(p, q), strict=p.strict or q.strict)


def _nonnegative_is_positive(reader: Any, p: sp.Expr) -> bool:
    return p in reader.least_0 or right_sign(reader, p)


def _tangents_above(words: Opaque, facts: Any) -> Iterator[Fact]:
    yield from ((-g, strict) for g, strict in right_facts(words, facts))


right_product, right_sign, right_facts = Product.__mul__, Reader._positive, Opaque.compared
#: A wrong version of a rule, and something false that it lets through.
WRONG: dict[str, tuple[type, str, Any, Fact, list[Fact]]] = {
    "what may be 0 is divided by": (
        *(Reader, "_positive", _nonnegative_is_positive),
        (y - x, False),
        [(x * y - x**2, False), (x, False)],
    ),
    "the base of a root is not negative": (
        *(Opaque, "_sure", lambda words, e, strict=False: True),
        (y, False),
        [(1 - z * sp.sqrt(y), False)],
    ),
    "tangents lie above an exponential": (
        *(Opaque, "compared", _tangents_above),
        (1 + x - sp.exp(x), False),
        [],
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_rule_lets_something_false_through(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, rule, wrong, goal, facts = WRONG[name]
    assert consequence(goal, facts) is None
    monkeypatch.setattr(owner, rule, wrong)
    assert consequence(goal, facts) is not None


def test_a_product_that_is_wrongly_called_positive_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the certificate, which knows the facts."""
    found: list[Certificate] = []
    right = Certificate.holds
    monkeypatch.setattr(Certificate, "holds", lambda self: bool(found.append(self)) or right(self))
    monkeypatch.setattr(Product, "__mul__", _either_factor_is_positive)
    assert consequence((x * y, True), [(x, True), (y, False)]) is None
    assert found


@pytest.mark.parametrize("seed", range(2))
def test_a_program_that_lies_is_not_believed(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is proposed: what is false is not found, and what is found multiplies out."""
    rng = np.random.default_rng(seed)

    def lies(cost: Any, **given: Any) -> Any:
        few = rng.integers(2, size=len(cost)) * (rng.random(len(cost)) < 4 / len(cost))
        return SimpleNamespace(status=0, x=few.astype(float))

    monkeypatch.setattr("scipy.optimize.linprog", lies)
    for goal, facts in FOLLOWS.values():
        spoiled = [(facts[0][0] + 10, facts[0][1]), *facts[1:]]
        for given in (facts, spoiled):
            found = consequence(goal, given)
            assert found is None or (found.holds() and given is facts)


HALF_LINE, BOTH = {x: Closed(0, sp.oo)}, {y: (-sp.oo, sp.oo)}
with sp.evaluate(False):
    SPLIT = sp.sqrt(x**2 * y)


@pytest.mark.parametrize(
    ("rhs", "domain", "where", "via"),
    [
        (y, {x: Closed(0, 1), y: Closed(-1, 1)}, (sp.sqrt(x * y), "<=", 1), {}),
        (y, {x: Closed(0, 1), y: Closed(-1, 1)}, ((x * y) ** sp.Rational(3, 2), "<=", 1), {}),
        (y + sp.sqrt(x * y), HALF_LINE | BOTH, (x * y, ">=", 0), {}),
        (y, {x: (-sp.oo, sp.oo)} | BOTH, (SPLIT, "<=", 1), {}),
        (y + sp.sqrt((x - 1) * y), {x: Closed(1, sp.oo)} | BOTH, ((x - 1) * y, ">=", 0), {z: x - 1}),
    ],
)
def test_a_root_that_sympy_splits_says_nothing_of_its_factors(
    rhs: Any, domain: Any, where: Any, via: Any
) -> None:
    """sqrt(x*y) is 0 at x = 0, whatever the sign of y."""
    assert not forall(0, "<=", rhs, domain, where=[where], via=via, effort=40_000).verdict.accepted
