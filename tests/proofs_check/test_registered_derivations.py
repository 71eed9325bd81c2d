"""A derivation registers itself beside its theorem; a claim of several parts is put together."""

import pytest

from numerics.derivations.kernel.rules import equal
from numerics.derivations.kernel.sorts import REALS
from numerics.derivations.kernel.terms import Variable
from numerics.derivations.statements import Statement, proved
from proofs_check.derivations import proof
from proofs_check.derivations.proof import proves, registered
from proofs_check.derivations.proofs import joined

x = Variable("x", range=REALS)


@pytest.fixture(autouse=True)
def _nothing_else(monkeypatch):
    monkeypatch.setattr(proof, "REGISTERED", {})


def statement(two=2):
    return Statement(x + x, "==", two * x)


def statements(two=2):
    return statement(two), Statement(x * x, "==", x**two), Statement(0 * x, "==", x - x)


def test_one_derivation_is_registered_as_it_is():
    @proves("NOTE:1", statement)
    def doubled():
        return equal(x + x, 2 * x)

    found = registered()["NOTE:1"]
    assert found.theorems == (doubled,)
    assert proved(*found.statements(), doubled()).op == "=="
    assert found.statements(two=3) == (statement(3),)


def test_parts_are_put_in_their_order_from_wherever_they_come():
    @proves("NOTE:2", statements, part=(2, 3))
    def last():
        return equal(x * x, x**2), equal(0 * x, x - x)

    proves("NOTE:2", statements, part=1)(lambda: equal(x + x, 2 * x))
    found = registered()["NOTE:2"]
    for part, theorem in zip(found.statements(), found.theorems, strict=True):
        assert proved(part, theorem()).op == "=="


def test_a_family_is_called_with_its_numbers():
    @proves("NOTE:3", statements, at=(1, 5))
    def multiple(c):
        return equal(x * c, c * x)

    assert [theorem().rhs for theorem in registered()["NOTE:3"].theorems] == [1 * x, 5 * x]


def test_a_part_has_one_derivation_and_a_claim_one_statement():
    proves("NOTE:4", statements, part=1)(lambda: equal(x + x, 2 * x))
    with pytest.raises(ValueError, match="part 1 of NOTE:4 has a derivation already"):
        proves("NOTE:4", statements, part=1)(lambda: equal(x, x))
    with pytest.raises(ValueError, match="NOTE:4 has other statements already"):
        proves("NOTE:4", statement, part=2)(lambda: equal(x, x))


def test_a_claim_of_a_table_and_of_a_decorator_is_refused():
    proves("NOTE:5", statement)(lambda: equal(x, x))
    with pytest.raises(ValueError, match="NOTE:5 has two derivations"):
        joined(registered(), registered())
