"""Published inequalities, true and false, that other provers were tried on, and lemmas of
textbooks: how many `numerics.forall` and `numerics.identity` settle, and in what time, beside z3:
``python -m benchmarks.problems [--only ID ...] [--cap SECONDS]``.

Each is asked in a process of its own. ``problems.json`` has them with their sources: the exercises
and libraries of estimates, Polya, HOL Light, Lean's sums of squares, Formal_ineqs, NLCertify,
miniF2F, MetiTarski and Fungrim, and books and papers on statistics and optimisation.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import signal
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import sympy as sp
from sympy.parsing.sympy_parser import parse_expr, rationalize, standard_transformations

from numerics import Integers, forall, identity

PROBLEMS = Path(__file__).with_suffix(".json")
NAMES = {
    name: getattr(sp, name)
    for name in (
        *("exp", "log", "sqrt", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"),
        *("Abs", "Min", "Max", "pi", "E", "oo", "Rational", "gamma", "loggamma", "digamma", "erf", "erfc"),
        *("polygamma", "harmonic", "EulerGamma", "LambertW", "factorial", "binomial", "S"),
    )
}
#: By how a source begins: whose problems they are, and what is behind their prover.
SOURCES = {
    "MetiTarski": "MetiTarski: resolution, rational bounds, real closed fields (Akbarpour, Paulson 2010)",
    "imandra-ai": "MetiTarski: its proofs rebuilt in Isabelle",
    "avigad": "Polya: sums and products apart, and axioms (Avigad, Lewis, Roux 2016)",
    "jrh13": "HOL Light: sums of squares (Harrison 2007), and its library",
    "leanprover": "Lean: sums of squares, and its library",
    "yangky11": "miniF2F: olympiads in Lean (Zheng, Han, Polu 2022)",
    "fredrik-johansson": "Fungrim: formulas, no prover",
    "teorth": "estimates: tactics by hand (Tao)",
    "thery": "NLCertify and Formal_ineqs: Taylor models, sums of squares",
    "torobomath": "quantifier elimination",
}
BOOKS = "books and papers: lemmas"
RELATION = re.compile(r"^(.*?) (<=|>=|==|!=|<|>) (.*)$")
Sides = tuple[sp.Expr, str, sp.Expr]
Domain = dict[sp.Symbol, Any]


class Answer(NamedTuple):
    """What became of a problem: solved, open, refused or WRONG, and in how much processor time."""

    word: str
    seconds: float


def read(problem: dict[str, Any]) -> tuple[Sides, Domain, list[Sides]]:
    """The statement, its domain and its hypotheses."""
    symbols, domain = {}, {}
    for name, text in problem["for"].items():
        if whole := re.match(r"^(.*)\.\.(.*)$", text):
            x = sp.Symbol(name, integer=True)
            domain[x] = Integers(*(sp.sympify(end, rational=True) for end in whole.groups()))
        else:
            lo, hi = (sp.sympify(end, rational=True) for end in text[1:-1].split(","))
            sign = {"positive": True} if lo > 0 or (lo == 0 and text[0] == "(") else {}
            x = sp.Symbol(name, **(sign or ({"nonnegative": True} if lo == 0 else {"real": True})))
            domain[x] = sp.Interval(lo, hi, text[0] == "(", text[-1] == ")")
        symbols[name] = x
    rules = (*standard_transformations, rationalize)
    side = lambda text: parse_expr(text, local_dict={**NAMES, **symbols}, transformations=rules)
    relation = lambda text: (side((m := RELATION.match(text))[1]), m[2], side(m[3]))
    return relation(problem["statement"]), domain, [relation(text) for text in problem.get("given", ())]


def ask(problem: dict[str, Any]) -> str:
    """The verdict."""
    (lhs, op, rhs), domain, given = read(problem)
    if op == "==":
        return str(identity(lhs, rhs).verdict)
    return str(forall(lhs, op, rhs, domain, where=given).verdict)


def ask_z3(problem: dict[str, Any]) -> str:
    """The verdict of z3, which is told bounds of exp, and may take its time."""
    from numerics.second_opinion.asking import ask as asked
    from numerics.second_opinion.goals import Goal, Span

    end = lambda e: None if sp.S(e).is_infinite else Fraction(int(e.p), int(e.q))
    span = lambda s: (
        Span(end(s.lo), end(s.hi), whole=True)
        if isinstance(s, Integers)
        else Span(end(s.start), end(s.end), bool(s.left_open), bool(s.right_open))
    )
    (lhs, op, rhs), domain, given = read(problem)
    spans = tuple((x, span(s)) for x, s in domain.items())
    goal = Goal(spans, tuple(given), lhs, op, rhs, defined=op != "==")
    words = {"confirmed": "PROVED", "contradicted": "REFUTED", "unknown": "OPEN"}
    return words[asked(goal, resources=0).word]


def answer(problem: dict[str, Any], cap: int, prover: Callable[[dict[str, Any]], str] = ask) -> Answer:
    """The answer of a process of its own, whose processor time is limited."""
    reads, writes = os.pipe()
    if not (child := os.fork()):
        began = time.process_time()
        os.close(reads)
        resource.setrlimit(resource.RLIMIT_CPU, (cap, cap + 1))
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        try:
            word = prover(problem)
        except (TypeError, ValueError) as stop:
            word = f"refused: {stop}"
        os.write(writes, f"{time.process_time() - began}\n{word}"[:2000].encode())
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as pipe:
        seconds, _, word = pipe.read().partition("\n")
    os.waitpid(child, 0)
    settled = {True: ("PROVED", "CERTIFIED"), False: ("REFUTED",)}
    right = word in settled[problem["true"]]
    wrong = word in settled[not problem["true"]]
    short = "solved" if right else "WRONG" if wrong else "refused" if word.startswith("refused") else "open"
    return Answer(short, float(seconds or cap))


def rows(found: list[tuple[dict[str, Any], Answer, Answer | None]]) -> list[str]:
    """The table, by source and by kind."""
    groups: dict[str, list[Any]] = defaultdict(list)
    kinds: dict[str, list[Any]] = defaultdict(list)
    for one in found:
        source = one[0]["source"]
        groups[next((name for head, name in SOURCES.items() if source.startswith(head)), BOOKS)].append(one)
        kinds["of kind " + one[0]["kind"]].append(one)
    lines = [
        "| from | true | proved | false | refuted | wrong | median | z3 settles |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, of in (*groups.items(), *sorted(kinds.items()), ("all", found)):
        solved = lambda true, of=of: sum(p["true"] is true and a.word == "solved" for p, a, _ in of)
        true = sum(p["true"] for p, *_ in of)
        median = statistics.median(a.seconds for _, a, _ in of) if of else 0.0
        other = sum(b is not None and b.word == "solved" for *_, b in of)
        wrong = sum("WRONG" in (a.word, b and b.word) for _, a, b in of)
        lines.append(
            f"| {name} | {true} | {solved(True)} | {len(of) - true} | {solved(False)} | {wrong} | "
            f"{median:.2f} s | {other} |"
        )
    return lines


def main(arguments: list[str] | None = None) -> int:
    """Ask all and print the table; 1 if an answer is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", nargs="*", default=(), metavar="ID", help="ask these, and say what became of each"
    )
    parser.add_argument("--cap", type=int, default=60, help="seconds of processor time for each")
    options = parser.parse_args(arguments)
    found = []
    for problem in json.loads(PROBLEMS.read_text(encoding="utf-8")):
        if options.only and problem["id"] not in options.only:
            continue
        one = answer(problem, options.cap)
        other = answer(problem, options.cap, ask_z3) if find_spec("z3") else None
        found.append((problem, one, other))
        if options.only or "WRONG" in (one.word, other and other.word):
            beside = f"; z3: {other.word}, {other.seconds:.2f} s" if other else ""
            print(f"{problem['id']}: {one.word}, {one.seconds:.2f} s{beside}", flush=True)
    print("\n".join(rows(found)))
    return int(any(one.word == "WRONG" for _, one, _ in found))


if __name__ == "__main__":
    sys.exit(main())
