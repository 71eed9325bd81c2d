"""The rate at which the flow with infinite prompts reaches its limit, on integrated paths, and what
its derivation needs.
"""

from dataclasses import replace

import numpy as np
import pytest

from numerics.derivations.kernel.sorts import ProofError
from numerics.derivations.statements import proved
from numerics.regression.flow.starts import theta_starts
from proofs_check.derivations.proofs import PROOFS
from theory.regression.limit import limit_parameters
from theory.regression.risk import icl_risk, vector_field


@pytest.mark.parametrize("start", theta_starts(singular=True)[::4], ids=lambda start: start.name)
def test_paths_keep_the_bounds_that_were_derived(start):
    S, U, u = start.Sigma, np.array(start.U0), start.u0
    eigenvalues = np.linalg.eigvalsh(S)
    top, lam = eigenvalues.max(), min(x for x in eigenvalues if x > 1e-9)
    least = (8 * top**3 / np.linalg.norm(S @ S) + 4 / u**2) ** -0.5
    limit = limit_parameters(S, U0=start.U0, u0=start.u0)
    goal, v = limit.U[:-1, :-1], float(limit.V[-1, -1])
    first = 2 * float(icl_risk(S, U, u)) / lam**3
    step = 0.02 / (top**2 * (1 + u**2 * top))
    for n in range(2000):
        decayed = first * np.exp(-2 * lam**3 * least**2 * n * step) * (1 + 1e-6) + 1e-12
        assert u >= least * (1 - 1e-9)
        assert (u - v) ** 2 <= decayed / v**2
        assert np.linalg.norm(U - goal) ** 2 <= 4 * decayed / least**2
        dU, du = vector_field(S, U, u)
        middle = vector_field(S, U + step / 2 * dU, u + step / 2 * du)
        U, u = U + step * middle[0], u + step * middle[1]


@pytest.mark.parametrize("id", ["OURS:R5.limit/rate", "BB:R5.3.limits"])
def test_every_hypothesis_is_used_and_no_rate_is_doubled(id):
    statement, theorem = PROOFS[id].statements()[-1], PROOFS[id].theorems[-1]()
    assert statement.assumptions == theorem.assumptions
    with pytest.raises(ProofError):
        proved(replace(statement, rhs=statement.rhs / 2), theorem)
