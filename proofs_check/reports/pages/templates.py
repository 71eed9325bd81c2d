"""The environment of page templates: they are looked for in a package and then here, where theme,
styles and the keys of plots are shared.
"""

from __future__ import annotations

from typing import Any

from proofs_check.reports.pages.text import marked, numbered, sci, spaced
from theory.shown.colours import COLOURS

__all__ = ["environment"]

#: The package whose templates all pages share.
SHARED = "proofs_check.reports.pages"


def environment(package: str) -> Any:
    r"""The Jinja environment of a package, with the filters and colours that all pages share. What
    the package does not have is taken from `SHARED`; a name that a template uses and nobody gave is
    an error.

    >>> environment("proofs_check.reports.pages").from_string("{{ 40000 | spaced }}").render()
    '40\u202f000'
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape

    found = Environment(
        loader=ChoiceLoader([PackageLoader(place, ".") for place in dict.fromkeys((package, SHARED))]),
        autoescape=select_autoescape(["html.jinja"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"sci": sci, "spaced": spaced, "typeset": marked, "numbered": numbered}
    found.globals["colours"] = COLOURS
    return found
