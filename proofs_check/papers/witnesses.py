"""Witness scripts: for each refuted claim at most ten lines that an author can type in and that
import nothing of this project. They lie in a folder ``witnesses`` beside or above the
``statements.toml``, are named by `slug`, and are run in a process in which our packages cannot be
found.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

from proofs_check.papers.registered import collections, forgets

if TYPE_CHECKING:
    from numerics.terminal.progress import Advance

__all__ = [
    "ALLOWED",
    "MOST_LINES",
    "Output",
    "differing",
    "every_choice",
    "faults",
    "point",
    "run",
    "script",
    "script_path",
    "scripts",
    "slug",
]

#: What a script may import: an author has it, or installs it in a minute.
ALLOWED = ("fractions", "itertools", "math", "mpmath", "numpy", "scipy", "sympy")
#: What must be out of its reach.
OURS = ("theory", "numerics", "proofs_check")
MOST_LINES = 10
#: How `numerics` names what it knows of the other constants.
_EVERY = "every other choice"
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_QUOTIENTS = (re.compile(r"(\d+) ?/ ?(\d+)"), re.compile(r"\((\d+), (\d+)\)"))  # 1/3 and Fraction(1, 3)


@dataclass(frozen=True)
class Output:
    """What a script printed, and why it stopped, if it did."""

    printed: str
    error: str = ""


def point(witness: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a witness, without what is known of other constants."""
    return {name: value for name, value in witness.items() if name != _EVERY}


def every_choice(witness: Mapping[str, Any]) -> str:
    """What a witness tells of the constants that it does not show, with the sequence between
    backquotes; empty if nothing.

    >>> every_choice({"C": 1, "every other choice": "right/left -> 0 as k -> oo along w = k"})
    'No other choice of the constants helps: `right/left -> 0 as k -> oo along w = k`.'
    """
    return f"No other choice of the constants helps: `{witness[_EVERY]}`." if _EVERY in witness else ""


def slug(id: str) -> str:
    """The name of a claim's script."""
    return re.sub(r"[^a-z0-9]+", "_", id.lower()).strip("_")


@forgets
@cache
def _files() -> Mapping[str, Path]:
    folders = {f.parent / "witnesses" for c in collections() for f in c.files}
    folders |= {f.parents[1] / "witnesses" for c in collections() for f in c.files if c.root in f.parents[1:]}
    return {path.stem: path for folder in sorted(folders) for path in sorted(folder.glob("*.py"))}


def scripts() -> dict[str, str]:
    """The text of every script, by its name."""
    return {name: path.read_text(encoding="utf-8") for name, path in _files().items()}


def script_path(id: str) -> Path | None:
    """Where a claim's script lies, None if there is none.

    >>> script_path("BB:CC.3.b").name
    'bb_cc_3_b.py'
    """
    return _files().get(slug(id))


def script(id: str) -> str | None:
    """The text of a claim's script, None if there is none."""
    path = script_path(id)
    return path.read_text(encoding="utf-8") if path else None


def faults(text: str) -> list[str]:
    """What keeps a text from being a witness script: it is too long, imports more than `ALLOWED`,
    or prints or asserts nothing.
    """
    lines = text.strip("\n").count("\n") + 1
    out = [f"it has {lines} lines; at most {MOST_LINES} can be typed in"] if lines > MOST_LINES else []
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except SyntaxError as error:
        return [*out, f"it is no Python: {error}"]
    alien = sorted({name for name in _imports(nodes) if name.split(".")[0] not in ALLOWED})
    if alien:
        out.append(f"it imports {', '.join(alien)}; allowed are {', '.join(ALLOWED)}")
    called = {n.func.id for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    if "print" not in called:
        out.append("it prints nothing; print both sides of what was printed")
    if not any(isinstance(n, ast.Assert) for n in nodes):
        out.append("it has no assert; end it with the violation")
    return out + [
        f"it calls {name}"
        for name in sorted(called & {"open", "exec", "eval", "__import__", "compile", "input"})
    ]


def _imports(nodes: Iterable[ast.AST]) -> list[str]:
    """The modules that a script imports."""
    names = [a.name for n in nodes if isinstance(n, ast.Import) for a in n.names]
    return names + [n.module or "." for n in nodes if isinstance(n, ast.ImportFrom)]


# Runs in a process of its own, in which our packages cannot be found and a script cannot import
# what an author might not have: reads the scripts, and writes a line [name, printed, error] for
# each. It imports what several of them import, and where the system can do that forks for each:
# none sees what another did. Processor time is limited there: on a busy machine scripts wait, and
# are none the worse.
_RUNNER = """
import builtins, contextlib, io, json, os, sys
texts, allowed, ours, shared, seconds = json.load(sys.stdin)
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ours:
            raise ImportError(f"{name} is out of reach of a witness script")
sys.meta_path.insert(0, Blocker())
original = builtins.__import__
def guarded(name, globals=None, locals=None, fromlist=(), level=0):
    if (globals or {}).get("__name__") == "__witness__" and name.split(".")[0] not in allowed:
        raise ImportError(f"a witness script may not import {name}")
    return original(name, globals, locals, fromlist, level)
builtins.__import__ = guarded
def told(name, text):
    printed, error = io.StringIO(), ""
    try:
        with contextlib.redirect_stdout(printed):
            code = compile(text, name + ".py", "exec", dont_inherit=True, optimize=0)
            exec(code, {"__name__": "__witness__"})
    except BaseException as e:
        error = f"{type(e).__name__}: {e}".rstrip(": ")
    return json.dumps([name, printed.getvalue(), error])
def forked(name, text):
    reading, writing = os.pipe()
    if not (child := os.fork()):
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        with open(writing, "w") as line:
            line.write(told(name, text))
        os._exit(0)
    os.close(writing)
    with open(reading) as line:
        said = line.read()
    stopped = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if stopped == -signal.SIGXCPU:
        sys.exit(f"{name} took more than {seconds} s of processor time; see whether it loops")
    return said if stopped == 0 else sys.exit(f"{name} stopped with status {stopped}")
for name in shared:
    with contextlib.suppress(ImportError):
        __import__(name)
try:
    import resource, signal
except ImportError:
    forked = told
for name, text in texts.items():
    print(forked(name, text), flush=True)
"""


def _shared(texts: Iterable[str]) -> list[str]:
    """What more than one script imports; one that is no Python says so when it runs."""
    imported: Counter[str] = Counter()
    for text in texts:
        with suppress(SyntaxError):
            imported.update({*_imports(ast.walk(ast.parse(text)))})
    return [name for name, times in imported.items() if times > 1 and name.split(".")[0] in ALLOWED]


def run(texts: Mapping[str, str], seconds: int = 120, advance: Advance | None = None) -> dict[str, Output]:
    """Run scripts, by name, one after the other in a process that has none of our packages;
    `seconds` of processor time for each. A RuntimeError says that one takes longer, or that its
    process breaks.
    """
    # -I keeps out what the environment and the working directory offer; without -O the asserts of
    # the scripts are executed.
    command = [sys.executable, "-I", "-c", _RUNNER]
    shared = _shared(texts.values())
    out: dict[str, Output] = {}
    with TemporaryFile("w+") as given, TemporaryFile("w+") as said:
        json.dump([dict(texts), ALLOWED, OURS, shared, seconds], given)
        given.seek(0)
        with subprocess.Popen(
            command, stdin=given, stdout=subprocess.PIPE, stderr=said, text=True
        ) as process:
            for line in process.stdout or ():
                name, *found = json.loads(line)
                out[name] = Output(*found)
                if advance:
                    advance(len(out), len(texts))
        if process.returncode:
            said.seek(0)
            # above it stand warnings, or where in our own lines it broke
            why = said.read().strip().split("\n")[-1]
            raise RuntimeError(f"the witness scripts stopped: {why or f'status {process.returncode}'}")
    return out


def differing(witness: Mapping[str, Any], text: str, printed: str, *, sampled: bool = False) -> list[str]:
    """Numbers of a ledger's witness that neither stand in the script nor are printed by it. If the
    script draws a sample of its own, decimal numbers may differ by a fifth.
    """
    known = [x for source in (text, printed) for x in _numbers(source)]
    return [
        f"{k} = {v}"
        for k, v in witness.items()
        if (x := _read(v)) is not None and not _near(x, v, known, sampled)
    ]


def _numbers(source: str) -> list[float]:
    quotients = [int(p) / int(q) for pattern in _QUOTIENTS for p, q in pattern.findall(source) if int(q)]
    return [float(n) for n in _NUMBER.findall(source)] + quotients


def _read(value: Any) -> float | None:
    try:
        return None if isinstance(value, bool) else abs(float(Fraction(value)))
    except (ValueError, TypeError, OverflowError, ZeroDivisionError):
        return None


def _near(x: float, value: Any, known: list[float], sampled: bool) -> bool:
    # A decimal number was computed, and people round what they print; a rational is a parameter.
    relative = (0.2 if sampled else 1e-3) if isinstance(value, float) or "." in str(value) else 1e-12
    return any(abs(x - k) <= relative * max(x, k) or x == k for k in known)
