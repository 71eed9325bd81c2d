"""What the tests of a run stand on: the plain reference in the place of the compiled kernels, where
these are not the point.
"""

from __future__ import annotations

import pytest

import numerics.training.run as run
from numerics.training.full_tokens import full_token_kernel


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """`train` by the reference kernel: nothing is compiled."""
    monkeypatch.setattr(run, "sgd_kernel", full_token_kernel)
