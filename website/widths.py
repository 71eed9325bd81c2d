"""Opens every page of the built site in Chromium, on a phone and on a desk: ``python
website/widths.py build/site`` names what is wider than its screen and does not scroll by itself,
and exits with 1 if there is anything.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from html import unescape
from pathlib import Path

WIDTHS = (390, 1400)
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
#: Pages load one after the other in a frame as wide as the screen; what is folded is opened.
SCRIPT = """
const frame = document.querySelector("iframe"), found = [];
const scrolls = e => {
  for (let p = e.parentElement; p; p = p.parentElement)
    if (/auto|scroll/.test(frame.contentWindow.getComputedStyle(p).overflowX)) return true;
  return false;
};
for (const page of PAGES) {
  await new Promise(loaded => { frame.onload = loaded; frame.src = page; });
  const inside = frame.contentDocument, width = frame.clientWidth;
  inside.querySelectorAll("details").forEach(d => { d.open = true; });
  if (inside.documentElement.scrollWidth > width) found.push([page, "the page"]);
  for (const e of inside.querySelectorAll("article *")) {
    const box = e.getBoundingClientRect();
    const words = e.textContent.trim().replace(/\\s+/g, " "), seen = words || e.tagName == "IMG";
    if (seen && box.right > width + 1 && !e.closest("svg, math, button") && !scrolls(e)) {
      found.push([page, e.tagName + " " + e.className + ": " + words.slice(0, 60)]);
      break;
    }
  }
}
document.querySelector("pre").textContent = JSON.stringify(found);
"""


def too_wide(browser: str, pages: list[Path], width: int, folder: Path) -> list[tuple[str, str]]:
    """The pages on which something is wider than the screen, and its words."""
    told = SCRIPT.replace("PAGES", json.dumps([page.as_uri() for page in pages]))
    frame = (
        f'<iframe sandbox="allow-same-origin" style="width: {width}px; height: 900px; border: 0"></iframe>'
    )
    driver = folder / "driver.html"
    driver.write_text(
        f'<!doctype html>{frame}<pre></pre><script type="module">{told}</script>', encoding="utf-8"
    )
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
    options += [f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=600000", "--dump-dom"]
    done = subprocess.run(
        [browser, *options, driver.as_uri()], capture_output=True, text=True, check=True, timeout=600
    )
    return [
        (page, what) for page, what in json.loads(unescape(re.findall("<pre>(.*?)</pre>", done.stdout)[0]))
    ]


def main(site: str) -> int:
    """Print what is too wide."""
    browser = next(filter(None, map(shutil.which, NAMES)), None)
    if browser is None:
        print("widths: no Chromium on this machine, so no page was measured")
        return 0
    pages = sorted(p for p in Path(site).resolve().rglob("*.html") if "documents" not in p.parts)
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        for width in WIDTHS:
            for page, what in too_wide(browser, pages, width, Path(folder)):
                faults += 1
                print(f"at {width} pixels: {page}: {what}")
    print(f"widths: {len(pages)} pages at {' and '.join(map(str, WIDTHS))} pixels, {faults} too wide")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
