"""The plain reference in the place of the compiled kernels, which are not the point."""

import pytest

import numerics.training.run as run
from numerics.training.full_tokens import full_token_kernel


@pytest.fixture
def plain(monkeypatch):
    monkeypatch.setattr(run, "sgd_kernel", full_token_kernel)
