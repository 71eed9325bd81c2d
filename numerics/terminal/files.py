"""Writes the files of a page together, so that a page never points to files that are missing or
old.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from numerics.terminal.inputs import make_folder

__all__ = ["replace_together"]


def replace_together(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files into a folder, which is made if it is missing in a folder that exists; what stood
    there stays whole until every new one is written. They are put into place in the order given, so
    that a page comes after what it points to; a name may have a folder in front.
    """
    for path in (folder / name for name in files):
        if path.exists() and not path.is_file():  # the system would put a file in the place of a device
            raise OSError(errno.EINVAL, f"{path.name} is a folder or a device there")
    make_folder(folder)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".new-") as scratch:
        for name, content in files.items():
            (Path(scratch) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(scratch) / name).write_bytes(
                content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
            )
        for name in files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(Path(scratch) / name, folder / name)
