"""Reports without plots: drawing is what takes their time."""

import pytest

from proofs_check.reports.pages.svg import Plot


@pytest.fixture
def no_plots(monkeypatch):
    for module in ("report.plots", "report.overlays", "lines.pictures"):
        undrawn = lambda name, title, *_, **__: Plot(name, title, "", "")
        monkeypatch.setattr(f"proofs_check.reports.rates.{module}.figure", undrawn)
