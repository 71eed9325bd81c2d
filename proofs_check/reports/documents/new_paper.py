"""``largeprompt new-paper DIR`` writes a folder for a paper of one's own: its list of statements, a
true and a false claim to begin with, and a README.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from numerics.terminal.inputs import InputError, writable_folder
from proofs_check.core.ledgers.files import write_text
from proofs_check.papers.registered import collections

__all__ = ["new_paper"]

TEMPLATE = Path(__file__).parent / "template"
#: The files of a folder, by their names in the template. The module is named by the key of the
#: paper, so that those of two papers can be imported together, and the script by the id of its
#: claim.
FILES = {
    "statements.toml": "statements.toml",
    "lemmas.py": "lemmas_of_{}.py",
    "README.md": "README.md",
    "claims.yml": "claims.yml",
    "l2.py": "witnesses/{}_l2.py",
}
_KEY = re.compile(r"[A-Z][A-Z]*")


def new_paper(folder: Path, title: str, id: str, authors: str = "") -> list[Path]:
    """Write a folder that is new or empty, and return its files; `id` is the key of the paper, with
    which the ids of its statements begin. An InputError says that the folder holds something, that
    the key is no word of capital letters, or that another paper has it.
    """
    if not _KEY.fullmatch(id):
        raise InputError(f"--id {id[:40]!r} is no key; write capital letters A to Z, such as ME")
    if not title.strip():
        raise InputError("--title is empty; give the title of the paper")
    for other in collections():
        if id in other.keys:
            raise InputError(f"{other.name} holds a paper {id} already; choose another --id")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is there already and is no empty folder; choose another")
    writable_folder(folder)
    writable_folder(folder / "witnesses")
    # A string of JSON is one of TOML as well, if letters beyond ASCII are left as they are.
    spelled = {"id": id, "title": " ".join(title.split()), "authors": " ".join(authors.split())}
    in_toml = {
        name: json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
        for name, text in spelled.items()
    }
    written = []
    for name, target in FILES.items():
        text = (TEMPLATE / f"{name}.template").read_text(encoding="utf-8").replace("ME:", f"{id}:")
        values = in_toml if name.endswith(".toml") else spelled | {"folder": str(folder), "key": id.lower()}
        fields = "|".join(values)
        # text and names by turns, so that no value is read again
        parts = re.split(rf"\{{({fields})\}}", text)
        text = "".join(values[part] if n % 2 else part for n, part in enumerate(parts))
        path = folder / target.format(id.lower())
        write_text(path, text)
        written.append(path)
    return written
