"""Every hostile law goes through every engine that takes a law of tokens: the search for the worst
case, exact errors, Monte Carlo, and a sweep. An engine that cannot take a law says so.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from numerics import attention_errors, exact_errors
from numerics.attention.enumeration import expectation
from numerics.evidence import Verdict
from numerics.jobs.store import Store
from numerics.monte_carlo.estimate import Estimate
from numerics.search.worst_law import worst_law
from numerics.sweep.grid import read_grid
from numerics.sweep.run import sweep
from numerics.terminal.inputs import InputError
from numerics.token_laws import TokenLaw, uniform
from numerics.token_laws.hostile import DIMENSIONS, hostile_laws

EVERY_LAW = [pytest.param(law, id=f"{law.name}, d = {d}") for d in DIMENSIONS for law in hostile_laws(d)]
LENGTHS, REPLICATES = [1, 2, 5], 20_000
QUANTITIES = ("output", "grad_V", "grad_U")


def moment_of_the_tilted_law(laws, numbers):  # type: ignore[no-untyped-def]
    """``|E_a Z|`` under the law tilted by a is at most ``2 sigma^2 |a|`` (Lemma D.1)."""
    (mu,) = laws
    a = numbers.reshape((mu.nodes.shape[1], *numbers.shape[1:]))
    tilted = mu.tilted(a)
    mean = [tilted.mean(mu.nodes[:, i]) for i in range(len(a))]
    return np.sqrt(sum(m * m for m in mean)), 2 * mu.sigma2 * np.sqrt((a * a).sum(0))


def tilts() -> list[tuple[str, Any, Any]]:
    return [(f"{law.name} {d}", (law,), 0.7 * np.ones(d)) for d in DIMENSIONS for law in hostile_laws(d)]


def cube() -> list[tuple[str, Any, Any]]:
    return [("cube", (uniform(2),), np.ones(2))]


def problem(law: TokenLaw) -> dict[str, Any]:
    """Scores of size 1/2 for a token of size sigma, so that the softmax weights differ."""
    d, size = law.d, law.sigma or 1.0
    return {"U": 0.5 * np.eye(d), "V": np.eye(d), "query": np.arange(1.0, d + 1) / np.linalg.norm(np.arange(1.0, d + 1)) / size}


def agree(estimate: Estimate, exact: np.ndarray) -> bool:
    """Whether they agree within 6 standard errors, which fails with probability 2e-9; 1e-6 is for
    single precision.
    """
    return bool(np.all(np.abs(estimate.mean - exact) <= 6 * estimate.standard_error + 1e-6 * exact))


def test_the_search_for_the_worst_law_takes_them_all() -> None:
    found = worst_law(moment_of_the_tilted_law, 1, checked="", numbers=((0.01, 6.0),), cases=tilts)
    assert found.verdict is Verdict.SUPPORTED
    assert f"{len(EVERY_LAW)} further cases" in found.covered
    with pytest.raises(ValueError, match="uniform in d = 2 has infinitely many values and no cubature rule"):
        worst_law(moment_of_the_tilted_law, 1, checked="", numbers=((0.01, 6.0),), cases=cube)


@pytest.mark.parametrize("law", EVERY_LAW)
def test_exact_errors_and_monte_carlo_agree(law: TokenLaw) -> None:
    setting = problem(law)
    exact = exact_errors(law, setting["U"], setting["V"], LENGTHS, query=setting["query"])
    drawn = attention_errors(law, lengths=LENGTHS, replicates=REPLICATES, seed=11, threads=1, **setting)
    for name in QUANTITIES:
        known, found = getattr(exact, name), getattr(drawn, name)
        assert agree(found, known), name
    # one token: the mean is 0 and the limit the tilted mean
    h, _ = law.tilted(setting["U"] @ setting["query"])
    assert exact.output[0] == pytest.approx(np.trace(law.covariance) + h @ h, rel=1e-9)


@pytest.mark.parametrize("law", EVERY_LAW)
def test_only_laws_on_atoms_are_enumerated(law: TokenLaw) -> None:
    if any(kind in law.name for kind in ("Gaussian", "sphere", "ball")):
        with pytest.raises(ValueError, match=f"the law {law.name} has no atoms"):
            expectation(law, 2, lambda counts: counts[:, 0])
        return
    share = expectation(law, 3, lambda counts: counts) / 3
    np.testing.assert_allclose(share, law.weighted_nodes.masses, rtol=1e-14)


def as_table(law: TokenLaw) -> str:
    """The law as an entry of a sweep's file."""
    assert law.identity is not None
    given = dict(law.identity)
    lines = [f"name = {json.dumps(law.name)}", f"law = {json.dumps(given.pop('kind'))}"]
    given.pop("sigma", None)  # a sweep draws tokens only
    for key, value in given.items():
        lines.append(f"{key} = {{ matrix = {value} }}" if key in ("Gamma", "points") else f"{key} = {value}")
    return "\n".join(["[[tokens]]", *lines])


@pytest.mark.parametrize("d", DIMENSIONS)
def test_a_sweep_takes_every_law_with_spread(d: int, tmp_path: Path) -> None:
    laws = {law.name: law for law in hostile_laws(d)}
    nothing = laws.pop("point mass at 0")
    query = [1.0, *[0.0] * (d - 1)]
    rest = f"[[U]]\nidentity = {d}\nscale = 0.1\n[[V]]\nidentity = {d}\n[[query]]\nvector = {query}\n"
    head = f"lengths = [2, 5]\nreplicates = {REPLICATES}\nseed = 5\n"
    path = tmp_path / "laws.toml"
    path.write_text("\n".join([head, *map(as_table, laws.values()), rest]))
    grid = read_grid(path)
    assert len(grid.runs) == len(laws)
    with Store(tmp_path / "results.sqlite") as store:
        for law, (_, errors) in zip(laws.values(), sweep(grid, store, threads=1), strict=True):
            exact = exact_errors(law, 0.1 * np.eye(d), np.eye(d), [2, 5], query=query)
            assert agree(errors.output, exact.output), law.name
    path.write_text("\n".join([head, as_table(nothing), rest]))
    with pytest.raises(InputError, match="V Gamma = 0"):
        read_grid(path)
