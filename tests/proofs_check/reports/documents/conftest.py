"""The browser in which tests open what was written."""

import os
import shutil

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


@pytest.fixture(scope="session")
def browser():
    """Chromium; its absence is a failure with CI=true, elsewhere the test did not run."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None and os.environ.get("CI") == "true":
        pytest.fail("no Chromium: install it with apt-get install -y chromium")
    if found is None:
        pytest.skip("DID NOT RUN: no Chromium on this machine, so nobody opened the page in a browser")
    return found
