"""Entries in an eigenbasis stand for matrices of every size; compared, and made to fail."""

import numpy as np
import pytest
import sympy as sp

from numerics.evidence import Verdict
from numerics.provers.eigenbasis import (
    U_ij,
    cases,
    delta,
    entrywise,
    l_i,
    l_j,
    m_i,
    motion,
    p_i,
    p_j,
    slope,
    u,
)
from theory.regression.risk import effective_covariance, vector_field


@pytest.mark.parametrize(("d", "rank"), [(1, 1), (3, 2), (4, 4)])
def test_entries_add_up_to_the_field(d, rank):
    rng = np.random.default_rng(7)
    l = np.concatenate([rng.uniform(0.5, 2, rank), np.zeros(d - rank)])
    U, v, L, noise = rng.normal(size=(d, d)), 0.7, 3, 0.4
    m = np.diag(effective_covariance(np.diag(l), L, noise))
    field, speed = vector_field(np.diag(l), U, v, prompt_length=L, noise=noise)
    value = lambda f, i, j: float(
        f.subs({l_i: l[i], l_j: l[j], m_i: m[i], U_ij: U[i, j], u: v, delta: int(i == j)})
    )
    cells = [(i, j) for i in range(d) for j in range(d)]
    np.testing.assert_allclose(field.ravel(), [value(motion, *c) for c in cells], atol=1e-13)
    assert speed == pytest.approx(sum(value(slope, *c) for c in cells))


def test_every_case_is_a_pair_of_pseudo_inverses():
    seen = set()
    for case in cases():
        l, p, k, q = (sp.sympify(case[s]) for s in (l_i, p_i, l_j, p_j))
        assert sp.simplify(l**2 * p - l) == sp.simplify(l * p**2 - p) == sp.simplify(k**2 * q - k) == 0
        assert case[delta] == 0 or (l, p) == (k, q)
        seen.add((l == 0, k == 0, case[delta]))
    assert len(seen) == 6


@pytest.mark.parametrize(
    ("lhs", "rhs"),
    [
        (l_i * p_i * U_ij, U_ij),  # false in the kernel only
        (l_i * U_ij, l_j * U_ij),  # false off the diagonal only
        (delta * l_i, 0 * l_i),  # false on the diagonal only
        ((1 - l_i * p_i) * (1 - l_j * p_j) * U_ij, 0 * U_ij),  # false where both indices are outside
    ],
)
def test_what_fails_in_one_case_is_refuted(lhs, rhs):
    assert entrywise(lhs, rhs).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("lhs", "rhs"),
    [(l_i * p_i * l_i, l_i), (p_i * motion * l_i, motion * l_i * p_i), ((1 - l_i * p_i) * l_i, 0)],
)
def test_what_holds_is_proved_with_a_control_that_fails(lhs, rhs):
    found = entrywise(lhs, rhs)
    assert found.verdict is Verdict.PROVED
    assert found.control.verdict is Verdict.REFUTED
    assert "every d" in found.dimension


def test_an_entry_that_is_undefined_in_the_kernel_is_refused():
    with pytest.raises(ValueError, match="is 0 in the kernel"):
        entrywise(l_i / (1 + 1 / l_i), l_i**2 / (1 + l_i))  # SymPy takes 1/(1 + 1/0) for 0
