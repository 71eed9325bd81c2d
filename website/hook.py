"""What MkDocs asks while it builds the site: the pages that nobody writes by hand (home, gallery,
API, files that pages link to), the documents made from the ledger of the release, links that serve
GitHub and the site alike, and formulas as MathML, so that a page needs no network.
"""

from __future__ import annotations

import ast
import importlib
import json
import os
import posixpath
import re
import shlex
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
#: Where documents are made; what the folder in SITE_DOCUMENTS has of them is taken from there.
MADE = ROOT / "build/site-documents"
#: Pages that stand at the root of the repository.
AT_ROOT = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
#: What stays as it is when links are read: fenced code, code in a line, formulas.
_CODE = re.compile(r"(^```.*?^```|`[^`\n]*`|\$[^$\n]*\$)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")
_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)
_MATH = re.compile(r"<math\b.*?</math>", re.DOTALL)
_INLINE_CODE = re.compile(r"<code>[^<]*</code>")
_OPTION = re.compile(r"(?<![^\s>])--?\w[\w-]*")
#: How many signs of a formula a phone has room for.
WIDE = 20
#: What examples say to doctest and not to a reader.
_DOCTEST = re.compile(r"^<BLANKLINE>$|  # doctest: .*$", re.MULTILINE)
#: The marks in a page of a paper: its table, and a report with the command that makes it.
_PAPER = re.compile(r"<!-- paper: (\w+) -->")
_REPORT = re.compile(r"<!-- report ([\w-]+): largeprompt (.*?) -->")

#: The file of the repository behind a page that is not in docs/.
behind: dict[str, Path] = {}


def on_startup(command: str, dirty: bool) -> None:
    """Make the documents, once for each build or for as long as pages are served."""
    shutil.rmtree(MADE, ignore_errors=True)
    (MADE / "errata").mkdir(parents=True)
    ledger = ["--ledger", str(ROOT / "proofs_check/ledger.json")]
    wanted = {"errata": ["errata", *ledger], "blueprint.html": ["blueprint", *ledger]}
    for page in sorted((DOCS / "papers").glob("*.md")):
        wanted |= {
            name: [*shlex.split(words), "--quiet"]
            for name, words in _REPORT.findall(page.read_text(encoding="utf-8"))
        }
    for name, words in wanted.items():
        ready = (
            Path(os.environ["SITE_DOCUMENTS"], name).absolute() if "SITE_DOCUMENTS" in os.environ else None
        )
        if ready and ready.is_dir():
            shutil.copytree(ready, MADE / name, dirs_exist_ok=True)
        elif ready and ready.is_file():
            shutil.copy(ready, MADE / name)
        else:
            run = [sys.executable, "-m", "proofs_check.reports.cli", *words, "--out", str(MADE / name)]
            done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise PluginError(f"largeprompt {shlex.join(words)} failed:\n{done.stdout}{done.stderr}")


def on_config(config: Any) -> Any:
    """Name in the navigation what is there, pages that were added to docs/ included."""
    named = re.findall(r"[\w/-]+\.md", str(config.nav))
    more = [uri for name, uri in AT_ROOT.items() if (ROOT / name).exists() and uri not in named]
    more += [page.name for page in sorted(DOCS.glob("*.md")) if page.name not in named]
    config.nav[-1]["Project"].extend(more)
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made."""
    behind.clear()

    def add(uri: str, **what: Any) -> None:
        files.append(File.generated(config, uri, **what))

    todo = [(uri, ROOT / name) for name, uri in AT_ROOT.items() if (ROOT / name).exists()]
    examples = sorted((ROOT / "examples").glob("plot_*.py"))
    for script in examples:
        behind[f"gallery/{script.stem}.md"] = script
        add(f"gallery/{script.stem}.md", content=example_page(script))
    cards = [
        f"- [![]({picture(s).name})]({s.stem}.md)\n\n    [{parts(s)[0]}]({s.stem}.md)\n" for s in examples
    ]
    add(
        "gallery/index.md",
        content='# Gallery\n\n<div class="cards" markdown>\n\n' + "\n".join(cards) + "\n</div>\n",
    )
    for package in ("theory", "numerics", "proofs_check"):
        add(f"api/{package}.md", content=api_page(package))
    for path in MADE.rglob("*"):
        if path.suffix in (".html", ".svg", ".csv", ".json"):
            add(f"documents/{path.relative_to(MADE).as_posix()}", abs_src_path=str(path))
    # Files of the repository that pages link to become pages, and so do those that these link to.
    todo += [
        (page, None)
        for page in [f.src_uri for f in files.documentation_pages()]
        if page not in behind and page[:4] != "api/"
    ]
    while todo:
        uri, path = todo.pop()
        if path is not None:
            behind[uri] = path
            add(uri, content=source_page(path))
        text = (
            source_page(path)
            if path
            else (DOCS / uri).read_text(encoding="utf-8")
            if (DOCS / uri).is_file()
            else ""
        )
        for target in targets(text, path or DOCS / uri):
            linked = uri_of(target)
            if linked not in behind and target.is_file() and DOCS not in target.parents:
                behind[linked] = target
                todo.append((linked, target))
    return files


def real(target: Path) -> Path:
    """A folder is told by the README in it."""
    target = Path(os.path.normpath(target))
    return target / "README.md" if target.is_dir() else target


def targets(text: str, place: Path) -> list[Path]:
    """The files that a text links to, as they lie in the repository."""
    links = [found[0] for piece in _CODE.split(text)[::2] for found in _LINK.findall(piece)]
    return [real(place.parent / link) for link in links]


def uri_of(path: Path) -> str:
    """Where the site has a file of the repository.

    Examples
    --------
    >>> uri_of(DOCS / "ask.md"), uri_of(ROOT / "examples/own_law.py"), uri_of(ROOT / "README.md")
    ('ask.md', 'source/examples/own_law.py.md', 'index.md')
    """
    if DOCS in path.parents:
        return path.relative_to(DOCS).as_posix()
    name = path.relative_to(ROOT).as_posix() if ROOT in path.parents else path.as_posix()
    if re.fullmatch(r"examples/plot_\w+\.py", name):
        return f"gallery/{path.stem}.md"
    return AT_ROOT.get(name, f"source/{name.removesuffix('.md')}.md")


def relinked(text: str, uri: str, place: Path) -> str:
    """The text of a page with its links as the site has them."""

    def link(found: re.Match[str]) -> str:
        target = real(place.parent / found[1])
        if not target.exists():
            return found[0]
        return f"]({posixpath.relpath(uri_of(target), posixpath.dirname(uri) or '.')}{found[2] or ''})"

    pieces = _CODE.split(text)
    pieces[::2] = [_LINK.sub(link, piece) for piece in pieces[::2]]
    return "".join(pieces)


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Put in what the ledger says, and set the links right."""
    uri = page.file.src_uri
    place = behind.get(uri, DOCS / uri)
    if place.exists() and not uri.startswith("gallery/"):
        markdown = relinked(markdown, uri, place)
    markdown = _DOCTEST.sub("", markdown)
    return _REPORT.sub(report, _PAPER.sub(lambda found: account_of(found[1]), markdown))


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:
    """Formulas become MathML, and no line ends between the hyphens of an option and its name."""
    from proofs_check.reports.documents.latex import block, glued, inline

    html = _FORMULA.sub(lambda found: (inline if found[1] == "span" else block)(unescape(found[2])), html)
    html = _MATH.sub(_in_its_width, glued(html))
    html = _INLINE_CODE.sub(lambda found: _OPTION.sub(r'<span class="held">\g<0></span>', found[0]), html)
    return html.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")


def _in_its_width(found: re.Match[str]) -> str:
    """A formula that may be wider than a phone scrolls there; browsers break no line within it."""
    long = len(re.sub(r"<.*?>|&\w+;", "", found[0])) > WIDE
    return f'<span class="long">{found[0]}</span>' if long else found[0]


def account_of(key: str) -> str:
    """The main results of a paper as the ledger of the release has them, and where to read more."""
    from proofs_check.core.ledgers.outcomes import account
    from proofs_check.core.ledgers.stored import RELEASE, find_ledger
    from proofs_check.papers.statements import paper
    from proofs_check.reports.documents.errata.markdown import github

    told, known = account(find_ledger(str(RELEASE)).document, key), paper(key)
    rows = [(r.title, github(r.says), github(r.told), github(r.to_change)) for r in told.headline]
    lines = ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows]
    size = (MADE / "blueprint.html").stat().st_size / 1e6
    errata = (
        f"- [Errata](../documents/errata/{key}/errata.html), for the authors: each error with a "
        "counterexample and a repair.\n"
    )
    return (
        f"{known['authors']}, *{known['title']}*.\n\n"
        + "\n".join(["| main result | what it says | stands | what to change |", "|---|---|---|---|", *lines])
        + f"\n\n{told.losses}\n\n{told.sentence}\n\n"
        + (errata if (MADE / "errata" / key).is_dir() else "")
        + (
            "- [Blueprint](../documents/blueprint.html): a page for every statement, and the graph of what "
            f"needs what (one file of {size:.0f} MB for all papers)."
        )
    )


def report(found: re.Match[str]) -> str:
    """A link to a report, and the report itself in a frame."""
    path = f"../documents/{found[1]}/report.html"
    return (
        f'[The report]({path}) of `largeprompt {found[2]}`:\n\n<iframe class="report" src="{path}" '
        'title="report"></iframe>'
    )


def parts(script: Path) -> tuple[str, str, str]:
    """Title, description and code of an example."""
    text = script.read_text(encoding="utf-8")
    title, _, about = (ast.get_docstring(ast.parse(text)) or "").partition("\n")
    return title, about.lstrip("=\n"), text.split('"""\n', 2)[-1].lstrip("\n")


def picture(script: Path) -> Path:
    """Where the picture of an example is kept."""
    return DOCS / "gallery" / f"{script.stem.removeprefix('plot_')}.svg"


def example_page(script: Path) -> str:
    """The page of an example: what it shows, its picture, its code."""
    title, about, code = parts(script)
    about = re.sub(r"``(.*?)``", r"`\1`", about)
    return (
        f"# {title}\n\n{about}\n\n![{title}]({picture(script).name})\n\n`examples/{script.name}`:\n\n"
        f"```python\n{code}```\n"
    )


def source_page(path: Path) -> str:
    """A file of the repository as a page."""
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(ROOT).as_posix()
    if path.suffix == ".ipynb":
        cells = [("".join(cell["source"]), cell["cell_type"]) for cell in json.loads(text)["cells"]]
        shown = [f"```python\n{source}\n```" if kind == "code" else source for source, kind in cells]
        return "\n\n".join([*shown, f"The notebook is `{name}`.\n"])
    return text if path.suffix == ".md" else f"# {name}\n\n```{path.suffix[1:]}\n{text}```\n"


def api_page(package: str) -> str:
    """The public names of a package, in alphabetical order."""
    module = importlib.import_module(package)
    home = module._HOME
    entries = "\n".join(f"::: {home[name]}.{name}\n" for name in sorted(home, key=str.lower))
    return f"# {package}\n\n{(module.__doc__ or '').partition(chr(10) * 2)[0]}\n\n{entries}"
