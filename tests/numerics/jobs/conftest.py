"""The files that the tests of the store begin with."""

import shutil

import pytest

from tests.numerics.jobs.stores import fill


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.sqlite"


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return fill(tmp_path_factory.mktemp("template") / "results.sqlite")


@pytest.fixture
def filled(path, template):
    """A copy: to write it each time means to wait for the disk each time."""
    shutil.copy(template, path)
    return path
