"""The table of Boursier & Boyer's reference instance agrees with exact sums over its prompts."""

from dataclasses import replace

import pytest

from numerics.attention.exact.law_moments import OF_THE_LAW
from numerics.attention.exact.softmax_average import error_squared
from numerics.counterexamples.worst_case.query_average import squared_error
from numerics.counterexamples.worst_case.query_average_instances import statement
from numerics.counterexamples.worst_case.statement import population
from proofs_check.core.judging import load_claims
from proofs_check.instances.random_query.query_average import RANDOM_QUERY, REFERENCE
from proofs_check.instances.reference import OF_PAPER, RADEMACHER
from proofs_check.papers.statements import papers, row

AVERAGE = RADEMACHER.point.average(RADEMACHER.length)


def test_the_table_says_what_the_instance_is():
    quantities = population(AVERAGE)
    for name in set(quantities) & set(RADEMACHER.values):
        assert float(RADEMACHER.values[name]) == pytest.approx(float(quantities[name]), rel=1e-14), name
    assert set(quantities) - {"EM4", "EQ4"} <= set(RADEMACHER.values)


def test_quantities_of_the_law_have_values_too():
    law = population(AVERAGE)
    assert "C_f2" not in RADEMACHER.values  # f(z) = z has no quadratic bound near 0, though one at the atoms
    for name in OF_THE_LAW.keys() - {"C_f2"}:
        assert float(RADEMACHER.values[name]) == pytest.approx(float(law[name])), name


def test_the_instance_averaged_over_its_query_is_the_instance_at_one_query():
    fixed = float(AVERAGE.mean(error_squared))
    assert RANDOM_QUERY.average(RADEMACHER.length, squared_error) == pytest.approx(fixed, rel=1e-12)
    meant = replace(statement(lambda L, s, u, d: 1.0, "output"), reference=REFERENCE)
    assert RADEMACHER.loss(meant) == pytest.approx(1 / fixed, rel=1e-12)


def test_every_paper_whose_claims_look_at_one_has_one():
    asked = {row(claim.id).paper for claim in load_claims().values() if claim.reference is not None}
    assert asked == set(OF_PAPER) <= set(papers())
