"""How pytest runs claims: in how many processes, and with which modules left as they are. It
imports nothing of ours, since the plugin loads it in every pytest run of the environment.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    import pytest

__all__ = ["Unrewritten", "spread"]

PACKAGES = ("theory", "numerics", "proofs_check")
#: Options by which a user asks for a part of the claims, for one process or for other ones. Each
#: process imports all claims first, which takes as long as judging a few.
_ASKED = (
    *("keyword", "markexpr", "deselect", "lf", "stepwise", "maxfail"),
    *("collectonly", "setuponly", "setupplan", "usepdb", "trace"),
    *("distload", "tx", "looponfail"),
)


class Unrewritten:
    """Finds our modules before pytest does, which rewrites the assertions of every package that
    comes with a plugin: four hundred modules that hold no test.
    """

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The place of a module of ours; None leaves it to others."""
        return PathFinder.find_spec(name, path, target) if name.partition(".")[0] in PACKAGES else None

    @classmethod
    def install(cls, config: pytest.Config) -> None:
        """Come first until the run is over."""
        sys.meta_path.insert(0, cls)
        config.add_cleanup(lambda: sys.meta_path.remove(cls))


def spread(config: pytest.Config) -> int:
    """Spread a run over all cores, if pytest-xdist, which has yet to read `config`, is there and
    the user asked for nothing else: the number of processes, or 0.
    """
    option = config.option
    # Without pytest-xdist there is no such option, and its workers have been told already.
    if getattr(option, "numprocesses", 0) is not None or hasattr(config, "workerinput"):
        return 0
    if (
        option.dist != "no"
        or getattr(option, "capture", "") == "no"
        or any(getattr(option, name, None) for name in _ASKED)
    ):
        return 0
    count = int(config.hook.pytest_xdist_auto_num_workers(config=config))
    if count > 1:
        # Neighbours share what they derive: each process begins with a part of its own.
        option.numprocesses, option.dist = count, "worksteal"
    return count if count > 1 else 0
