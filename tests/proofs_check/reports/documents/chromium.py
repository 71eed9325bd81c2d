"""A page opened in Chromium: what its scripts have made of it, and not a word on the console."""

import json
import subprocess
from html import unescape

COMMAND = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")
#: A page may look into another file, as into one of its own server.
COMMAND += ("--hide-scrollbars", "--enable-logging=stderr", "--virtual-time-budget=4000")
COMMAND += ("--allow-file-access-from-files",)


def opened(browser, file, *options, fragment=""):
    """What Chromium prints when it opens the file: its document, with ``--dump-dom``."""
    profile, page = f"--user-data-dir={file.parent / 'profile'}", f"{file.as_uri()}#{fragment}"
    command = [browser, *COMMAND, profile, *options, page]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == []
    return done.stdout


def answer(browser, file, script):
    """What an asynchronous script returns in a page of its own at that place."""
    told = f'document.querySelector("pre").textContent = JSON.stringify(await (async () => {{{script}}})());'
    page = f'<!doctype html><meta charset="utf-8"><pre></pre><script type="module">{told}</script>'
    file.write_text(page, encoding="utf-8")
    return json.loads(unescape(opened(browser, file, "--dump-dom").split("<pre>", 1)[1].split("</pre>")[0]))
