"""Makes the pictures of the gallery: ``python website/pictures.py`` runs the examples that changed,
at their full size, and keeps each picture in docs/gallery with the digest of its script. This takes
up to a minute an example, which is why the site shows what is stored.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
GALLERY = ROOT / "docs/gallery"
DIGESTS = GALLERY / "digests.json"


def digest(script: Path) -> str:
    """What tells that a script is the one that a picture was made with."""
    return hashlib.sha256(script.read_bytes()).hexdigest()


def stale() -> list[Path]:
    """The examples whose picture is missing, or was made by another version of the script."""
    known = json.loads(DIGESTS.read_text(encoding="utf-8")) if DIGESTS.exists() else {}
    scripts = sorted((ROOT / "examples").glob("plot_*.py"))
    kept = lambda script: (GALLERY / f"{script.stem.removeprefix('plot_')}.svg").is_file()
    return [script for script in scripts if not kept(script) or known.get(script.name) != digest(script)]


def main() -> None:
    """Make what is stale."""
    # The same picture has the same bytes; its words stay words.
    same = {"SOURCE_DATE_EPOCH": "0", "MATPLOTLIBRC": str(GALLERY / "matplotlibrc"), "PYTHONPATH": str(ROOT)}
    for script in stale():
        print(script.name, flush=True)
        made_with = digest(script)
        subprocess.run(
            [sys.executable, str(script)],
            cwd=GALLERY,
            env=os.environ | same,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        known = json.loads(DIGESTS.read_text(encoding="utf-8")) if DIGESTS.exists() else {}
        DIGESTS.write_text(
            json.dumps(known | {script.name: made_with}, indent=1, sort_keys=True) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
