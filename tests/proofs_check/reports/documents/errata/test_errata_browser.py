"""The errata of the release in a browser: printed, on a phone, and opened at an entry."""

import re
import unicodedata

import pytest
from pypdf import PdfReader

from proofs_check.papers.witnesses import slug
from proofs_check.reports.documents.errata import as_html
from tests.proofs_check.reports.documents.chromium import opened

#: The smallest letters outside of formulas, in points.
SMALLEST = 7


@pytest.fixture(scope="module")
def page(errata):
    return as_html(errata)


def run(browser, page, fragment, folder, *options):
    file = folder / "errata.html"
    file.write_text(page, encoding="utf-8")
    return opened(browser, file, *options, fragment=fragment)


def printed(browser, page, folder):
    run(browser, page, "", folder, "--no-pdf-header-footer", f"--print-to-pdf={folder / 'errata.pdf'}")
    return list(PdfReader(folder / "errata.pdf").pages)


def words(*pages):
    """The text of printed pages, with single spaces and without ligatures."""
    return " ".join(unicodedata.normalize("NFKC", " ".join(p.extract_text() for p in pages)).split())


def sizes(page):
    """The sizes of the letters outside of formulas, in points."""
    found = set()

    def visit(text, of_page, of_text, font, size):
        if text.strip() and font and "Math" not in font.get("/BaseFont", "Math"):
            found.add(round(abs(size * of_text[3] * of_page[3]), 2))

    page.extract_text(visitor_text=visit)
    return found


def holds_all(errata, pages):
    """Whether two pages hold the main results, the count and the table, and no more."""
    first = words(*pages[:2])
    table = (f"{i} {e.short}" for i, e in enumerate(errata.entries, 1))
    lines = (*(h.title for h in errata.headline), errata.count, *table)
    held = all(re.search(in_print(line), first) for line in lines)
    return held and words(pages[2]).startswith("How to read")


def in_print(line):
    """What words look like on a printed page, as a pattern; a formula is a few letters."""
    return ".{1,9}".join(re.escape(" ".join(piece.split())) for piece in line.split("$")[::2])


@pytest.fixture(scope="module")
def short(page):
    """The page with two entries, which is printed faster."""
    top, *entries = page.split("<details>")
    return "<details>".join([top, *entries[:2]]) + "</section>" + page[page.index("<script>") :]


@pytest.fixture(scope="module")
def pages(browser, short, tmp_path_factory):
    return printed(browser, short, tmp_path_factory.mktemp("printed"))


def test_two_printed_pages_hold_the_main_results_and_the_table(errata, pages):
    assert holds_all(errata, pages)
    assert [(round(p.mediabox.width), round(p.mediabox.height)) for p in pages[:2]] == [(595, 842)] * 2
    assert min(sizes(pages[0]) | sizes(pages[1])) >= SMALLEST - 0.05


def test_no_paper_needs_more_than_twelve_printed_pages(errata_by_paper, browser, tmp_path):
    for paper, told in errata_by_paper.items():
        assert len(printed(browser, as_html(told), tmp_path)) <= 12, paper


def test_larger_letters_would_need_a_third_page(errata, browser, short, tmp_path):
    assert not holds_all(errata, printed(browser, short.replace("font: 7pt/", "font: 9pt/"), tmp_path))


def test_an_entry_is_printed_open(errata, pages):
    count = sum(len(e.errors) for e in errata.entries[:2])
    assert words(*pages[2:]).count("Counterexample") == count


def test_an_entry_opens_where_a_link_leads_to_it(errata, browser, page, tmp_path):
    id = errata.entries[3].id
    dom = run(browser, page, slug(id), tmp_path, "--dump-dom")
    unfolded = re.findall(r'<details open="">.*?</details>', dom, re.DOTALL)
    assert len(unfolded) == 1
    assert f'id="{slug(id)}"' in unfolded[0]
    assert "<details open" not in run(browser, page, "nowhere", tmp_path, "--dump-dom")


MEASURE = """<script>for (const d of document.querySelectorAll("details")) d.open = true;
document.title = [innerWidth, document.documentElement.scrollWidth].join(" ");</script>"""


def test_nothing_overflows_a_phone(browser, page, tmp_path):
    inside = tmp_path / "inside.html"
    measured = f"{MEASURE}<script>parent.postMessage(document.title, '*')</script></body>"
    inside.write_text(page.replace("</body>", measured))
    frame = f"""<iframe src="{inside.as_uri()}" style="width: 390px; height: 800px; border: 0"></iframe>
<script>addEventListener("message", event => {{ document.title = event.data; }})</script>"""
    dom = run(browser, f"<html><head><title></title></head>{frame}", "", tmp_path, "--dump-dom")
    ((seen, needed),) = re.findall(r"<title>(\d+) (\d+)</title>", dom)
    assert seen == "390"
    assert int(needed) <= 390
