"""The blueprint: a ledger as one HTML file with the graph of needs and a page a statement."""

from __future__ import annotations

from proofs_check.reports.documents.blueprint.document import Site
from proofs_check.reports.documents.blueprint.render import (
    Blueprint,
    as_html,
    statement_pages,
    write_blueprint,
)

__all__ = ["Blueprint", "Site", "as_html", "statement_pages", "write_blueprint"]
