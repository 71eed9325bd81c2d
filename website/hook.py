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

from ledger_pages import LedgerPages, styles
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
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
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_INLINE_CODE = re.compile(r"<code>[^<]*</code>")
_OPTION = re.compile(r"(?<![^\s>])--?\w[\w-]*")
#: How many signs of a formula a phone has room for.
WIDE = 20
#: What examples say to doctest and not to a reader.
_DOCTEST = re.compile(r"^<BLANKLINE>$|  # doctest: .*$", re.MULTILINE)
#: The marks in a page of a paper: its table, and a report with the command that makes it.
_PAPER = re.compile(r"<!-- paper: (\w+) -->")
_README = re.compile(r"<!-- README: (.*?) -->")
#: The list of what is false, which the site shows with a choice of papers and kinds.
_FALSE = re.compile(r"<!-- errata:begin.*?<!-- errata:end -->", re.DOTALL)
FALSE = "false"
_REPORT = re.compile(r"<!-- report ([\w-]+): largeprompt (.*?) -->")

#: The file of the repository behind a page that is not in docs/.
behind: dict[str, Path] = {}
#: What stands below the Markdown of a page, as HTML.
below: dict[str, str] = {}
#: What the ledger of the release has for the pages, once they are to be made.
ledger: LedgerPages | None = None


def on_startup(command: str, dirty: bool) -> None:
    """Make the documents, once for each build or for as long as pages are served."""
    shutil.rmtree(MADE, ignore_errors=True)
    MADE.mkdir(parents=True)
    global ledger
    ledger = LedgerPages()
    for name, text in ledger.documents():
        (MADE / name).parent.mkdir(parents=True)
        (MADE / name).write_text(text, encoding="utf-8")
    for page in sorted((DOCS / "papers").glob("*.md")):
        for name, words in _REPORT.findall(page.read_text(encoding="utf-8")):
            ready = Path(os.environ.get("SITE_DOCUMENTS", ""), name).absolute()
            if "SITE_DOCUMENTS" in os.environ and ready.is_dir():
                shutil.copytree(ready, MADE / name)
            else:
                _report(name, [*shlex.split(words), "--quiet"])
            made = MADE / name / "report.html"
            back = f'<p><a href="../../papers/{page.stem}.html" target="_top">largeprompt</a></p>'
            text = re.sub(r"<body[^>]*>", rf"\g<0>{back}", made.read_text(encoding="utf-8"), count=1)
            made.write_text(text, encoding="utf-8")


def _report(name: str, words: list[str]) -> None:
    run = [sys.executable, "-m", "proofs_check.reports.cli", *words, "--out", str(MADE / name)]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise PluginError(f"largeprompt {shlex.join(words)} failed:\n{done.stdout}{done.stderr}")


def on_config(config: Any) -> Any:
    """Name in the navigation what is there, pages that were added to docs/ included."""
    named = [*re.findall(r"[\w/-]+\.md", str(config.nav)), "index.md"]
    more = [uri for name, uri in AT_ROOT.items() if (ROOT / name).exists() and uri not in named]
    more += [page.name for page in sorted(DOCS.glob("*.md")) if page.name not in named]
    config.nav[-1]["Project"].extend(more)
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made."""
    behind.clear()

    def add(uri: str, **what: Any) -> None:
        files.append(File.generated(config, uri, **what))

    todo = [
        (uri, ROOT / name)
        for name, uri in AT_ROOT.items()
        if (ROOT / name).exists() and not (DOCS / uri).exists()
    ]
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
    below.clear()
    for uri, text, html in ledger.pages() if ledger else ():
        below[uri] = html
        add(uri, content=text)
    add("statements/parts.css", content=styles())
    for path in MADE.rglob("*"):
        if path.suffix in (".html", ".svg", ".csv", ".json"):
            add(f"documents/{path.relative_to(MADE).as_posix()}", abs_src_path=str(path))
    # Files of the repository that pages link to become pages, and so do those that these link to.
    todo += [
        (page, None)
        for page in [f.src_uri for f in files.documentation_pages()]
        if page not in behind and page not in below and page[:4] != "api/"
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
    if uri == AT_ROOT["CHANGELOG.md"] or uri.startswith("source/"):
        page.meta["search"] = {"exclude": True}
    place = behind.get(uri, DOCS / uri)
    if place.exists() and not uri.startswith("gallery/"):
        markdown = relinked(markdown, uri, place)
    markdown = _DOCTEST.sub("", markdown)
    markdown = _FALSE.sub(_place_of_false(), _README.sub(of_readme, markdown))
    if ledger:
        markdown = _PAPER.sub(lambda found: ledger.account(found[1]), markdown)
    return _REPORT.sub(report, markdown)


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:
    """Formulas become MathML, and no line ends between the hyphens of an option and its name."""
    from proofs_check.reports.documents.latex import block, glued, inline

    html = _FORMULA.sub(lambda found: (inline if found[1] == "span" else block)(unescape(found[2])), html)
    html = _MATH.sub(_in_its_width, glued(html))
    html = _INLINE_CODE.sub(lambda found: _OPTION.sub(r'<span class="held">\g<0></span>', found[0]), html)
    html = _TABLE.sub(_labelled, html)
    if ledger:
        html = html.replace(f'<div id="{FALSE}"></div>', ledger.false())
    return html + (below.get(page.file.src_uri, "") if page else "")


def _labelled(found: re.Match[str]) -> str:
    """A table whose cells name their columns, for on a phone each stands on a line of its own."""
    names = [
        re.sub(r"<math\b.*?</math>|<.*?>", "", name)
        for name in re.findall(r"<th\b[^>]*>(.*?)</th>", found[0])
    ]
    rows = found[0].split("<tr>")
    for i, row in enumerate(rows):
        cells = row.split("<td")
        labels = [f'<td data-label="{name.strip()}"' for name in [*names, *[""] * len(cells)]]
        rows[i] = cells[0] + "".join(label + cell for label, cell in zip(labels, cells[1:], strict=False))
    return f'<div class="wide">{"<tr>".join(rows)}</div>'


@event_priority(-50)  # after the search was written, before it is copied for pages without a server
def on_post_build(config: Any) -> None:
    """The search with its formulas as they are read, which halves it; no maps of scripts."""
    path = Path(config.site_dir, "search/search_index.json")
    text = json.dumps(json.loads(path.read_bytes()), ensure_ascii=False, separators=(",", ":"))
    path.write_text(text, encoding="utf-8")
    for source_map in Path(config.site_dir).rglob("*.map"):  # of the theme's scripts, which no reader needs
        source_map.unlink()


def _in_its_width(found: re.Match[str]) -> str:
    """A formula that may be wider than a phone scrolls there; browsers break no line within it."""
    long = len(re.sub(r"<.*?>|&\w+;", "", found[0])) > WIDE
    return f'<span class="long">{found[0]}</span>' if long else found[0]


def _place_of_false() -> str:
    """Where the list of what is false comes; a fragment names a paper."""
    return (
        "".join(f'<a id="{key}"></a>' for key in (ledger.errata if ledger else ()))
        + f'\n\n<div id="{FALSE}"></div>'
    )


def of_readme(found: re.Match[str]) -> str:
    """The paragraph of the README that begins so; of an item in a list, what follows its name."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for piece in re.split(r"\n\n|\n(?=- )", text):
        item = re.fullmatch(r"- \*\*(.+?)\*\* (.*)", piece, re.DOTALL)
        if item and item[1].startswith(found[1]):
            return " ".join(item[2].split())
        if piece.startswith(found[1]):
            return relinked(piece, "index.md", ROOT / "README.md")
    raise PluginError(f"no paragraph of README.md begins with {found[1]!r}; name one that it has")


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
