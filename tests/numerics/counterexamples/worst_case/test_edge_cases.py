"""The edge cases tell both sides of a limit apart, and can prevent support."""

import numpy as np
import pytest
import sympy as sp

import numerics.counterexamples.worst_case.worst_average as module
from numerics.attention.exact.softmax_average import deviation_R, error_squared, softmax_average, symbol
from numerics.counterexamples.worst_case.edge_cases import Worst, _evaluated, worst_edge_case
from numerics.counterexamples.worst_case.families import TWO_ATOMS
from numerics.counterexamples.worst_case.statement import Mean, Tail, normal_form
from numerics.counterexamples.worst_case.worst_average import worst_ratio
from numerics.evidence import Verdict
from numerics.seeds import seeded
from numerics.token_laws.edge_cases import edge_case_laws, functions, queries

L, a2, F4, EQ2 = map(symbol, ("L", "a2", "F4", "EQ2"))
delta = sp.Symbol("delta", positive=True)
R1 = sp.exp(4 * a2) * F4 / L


def test_the_worst_case_is_a_plain_mean_of_signs():
    statement = normal_form(Mean(error_squared), R1).statement
    worst = worst_edge_case(statement, 1.0)
    assert worst.ratio == pytest.approx(1)
    assert "Rademacher" in worst.where
    assert 0.9 < worst.estimate < 1.2
    assert worst.noisy > 0
    assert not worst.broken
    assert worst_edge_case(statement, 0.5).broken


def test_samples_know_the_inequality_of_chebyshev():
    statement = normal_form(Tail(deviation_R, ">=", EQ2 * L / delta, delta), delta).statement
    assert not worst_edge_case(statement, 1.0).broken
    assert worst_edge_case(statement, 1.0).ratio == pytest.approx(1)
    assert worst_edge_case(statement, 0.2).broken


def test_a_population_quantity_needs_no_samples():
    worst = worst_edge_case(normal_form(symbol("S"), L * sp.exp(a2 / 2)).statement, 1.0)
    assert worst.samples == 0
    assert not worst.broken
    # Gaussian tokens have equality for every query
    assert worst.ratio == pytest.approx(1, abs=1e-6)


def test_an_edge_case_above_the_bound_prevents_support(monkeypatch):
    monkeypatch.setattr(module, "worst_edge_case", lambda *_: Worst(3.0, "the case", 0.0, 1, 0, 0, True))
    e = worst_ratio(Mean(error_squared), "<=", 2 * R1, families=(TWO_ATOMS,))
    assert e.verdict is Verdict.OPEN
    assert "the case" in e.reason


def test_a_batch_agrees_with_its_cases_one_by_one():
    statement = normal_form(Mean(error_squared), R1).statement
    batches = {(labels.law, labels.L): (labels, ratio) for labels, _, ratio, _, _ in _evaluated(statement, 0)}
    for d in (1, 2):
        for law in edge_case_laws(d):
            if not law.atoms:
                continue
            mu = law.weighted_nodes
            labels, ratio = batches[f"{law.name} in d = {d}", 3]
            for i, query in enumerate(queries(d).values()):
                reach = np.sqrt(law.sigma2) * np.linalg.norm(query)
                a = query * min(1.0, 3.0 / reach) if reach else query
                for j, f in enumerate(functions(d).values()):
                    c = softmax_average(3, mu.nodes @ a, f(mu.nodes).T, mu.masses, law.sigma2 * a @ a)
                    expected = float(statement.ratios(c))
                    assert ratio[i, j] == pytest.approx(expected, rel=1e-10, abs=1e-25), labels.name((i, j))


def test_claims_share_their_samples_and_other_random_numbers_replace_them():
    statement = normal_form(Mean(error_squared), R1).statement
    estimates = []
    for claim, reseed in (("BB:LC.1", 0), ("BB:LC.2", 0), ("BB:LC.1", 1)):
        with seeded(claim, reseed):
            estimates.append(worst_edge_case(statement, 1.0).estimate)
    one, other, reseeded = estimates
    assert one == other
    assert one != reseeded
