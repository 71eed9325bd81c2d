"""Published inequalities, true and false, that other provers were tried on, by kind: how many
`numerics.forall` and `numerics.identity` settle, and in what time: ``python -m benchmarks.problems
[--only ID ...] [--cap SECONDS]``.

Each is asked in a process of its own. ``problems.json`` has them with their sources: the exercises
and libraries of estimates, Polya, HOL Light, Lean's sums of squares, Formal_ineqs, NLCertify,
miniF2F, MetiTarski and Fungrim.
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
RELATION = re.compile(r"^(.*?) (<=|>=|==|!=|<|>) (.*)$")


class Answer(NamedTuple):
    """What became of a problem: solved, open, refused or WRONG, and in how much processor time."""

    word: str
    seconds: float


def ask(problem: dict[str, Any]) -> str:
    """The verdict."""
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
    read = lambda text: parse_expr(text, local_dict={**NAMES, **symbols}, transformations=rules)
    relation = lambda text: (read((m := RELATION.match(text))[1]), m[2], read(m[3]))
    lhs, op, rhs = relation(problem["statement"])
    if op == "==":
        return str(identity(lhs, rhs).verdict)
    return str(forall(lhs, op, rhs, domain, where=map(relation, problem.get("given", ()))).verdict)


def answer(problem: dict[str, Any], cap: int) -> Answer:
    """The answer of a process of its own, whose processor time is limited."""
    reads, writes = os.pipe()
    if not (child := os.fork()):
        began = time.process_time()
        os.close(reads)
        resource.setrlimit(resource.RLIMIT_CPU, (cap, cap + 1))
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        try:
            word = ask(problem)
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


def main(arguments: list[str] | None = None) -> int:
    """Ask all and print the table; 1 if an answer is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", nargs="*", default=(), metavar="ID", help="ask these, and say what became of each"
    )
    parser.add_argument("--cap", type=int, default=60, help="seconds of processor time for each")
    options = parser.parse_args(arguments)
    found: dict[str, list[Answer]] = defaultdict(list)
    for problem in json.loads(PROBLEMS.read_text(encoding="utf-8")):
        if options.only and problem["id"] not in options.only:
            continue
        one = answer(problem, options.cap)
        found[problem["kind"] if problem["true"] else "false ones"].append(one)
        if options.only or one.word == "WRONG":
            print(f"{problem['id']}: {one.word}, {one.seconds:.2f} s", flush=True)
    print("| kind | problems | settled | open or refused | wrong | median |\n|---|--:|--:|--:|--:|--:|")
    for kind, answers in (*sorted(found.items()), ("all", [a for of in found.values() for a in of])):
        count = lambda *words, answers=answers: sum(a.word in words for a in answers)
        median = statistics.median(a.seconds for a in answers) if answers else 0.0
        print(
            f"| {kind} | {len(answers)} | {count('solved')} | {count('open', 'refused')} | {count('WRONG')} "
            f"| {median:.2f} s |"
        )
    return int(any(a.word == "WRONG" for of in found.values() for a in of))


if __name__ == "__main__":
    sys.exit(main())
