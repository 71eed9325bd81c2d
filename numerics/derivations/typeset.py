"""Terms and theorems as LaTeX, for readers; nothing is decided here."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import chain, islice
from itertools import count as naturals
from types import MappingProxyType
from typing import NamedTuple

from numerics.derivations.kernel.binding import opened
from numerics.derivations.kernel.sorts import KINDS, Range, Sort
from numerics.derivations.kernel.terms import (
    CLOCK,
    GAUSSIAN,
    ORIGINS,
    START,
    Apply,
    Bind,
    Defined,
    Function,
    Given,
    Number,
    Op,
    Term,
    Variable,
)
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.kernel.values import MEANS
from numerics.derivations.names import dotted, printed, steps_later
from theory.shown.result import mathml, words

__all__ = [
    "assumptions_latex",
    "definitions_latex",
    "latex",
    "proof_lines",
    "relation",
    "theorem_page",
    "where_latex",
]

#: Letters for bound variables; the sort is seen by the letter.
LETTERS = {
    "mean": "Z",
    "query": "y x",
    "normal": "g h",
    "task": r"\mu",
    "sum": "k l n p",
    "coordinates": "i j r s",
}
SPOKEN = {Sort.REAL: "number", Sort.NORMAL: "Gaussian vector"}
OF_THE_LAW = {Sort.TOKEN, Sort.QUERY, Sort.PROMPT}
RELATIONS = {"<=": r"\leq", "<": "<", "==": "="}
SUM, PRODUCT, POWER = 1, 2, 3


def latex(e: Term) -> str:
    """The term as LaTeX, with letters for bound variables."""
    return _Page.of(e).tex(e)


def relation(lhs: Term, op: str, rhs: Term) -> str:
    page = _Page.of(lhs, rhs)
    return f"{page.tex(lhs)} {RELATIONS[op]} {page.tex(rhs)}"


def assumptions_latex(thm: Theorem) -> tuple[str, ...]:
    """Everything that a theorem assumes: hypotheses, orders of functions, and ranges."""
    known = _definitions(thm.lhs, thm.rhs)
    own = sorted(_hypothesis(a, known) for a in thm.assumptions)
    orders = []
    for g in sorted(thm.functions, key=lambda g: g.name):
        if Sort.TIME in g.sorts:
            means = " at every task, and a mean over the tasks" if Sort.TASK in g.sorts else ""
            if g.order and g != CLOCK:
                orders.append(rf"${printed(g.name)}$ has a continuous derivative{means}")
        elif g.order:
            orders.append(rf"$\mathbb{{E}}|{printed(g.name)}|^{{{g.order}}}<\infty$")
        elif g.order is None and g != GAUSSIAN:
            orders.append(rf"$\mathbb{{E}}e^{{t{printed(g.name)}}}<\infty$ for every $t$")
    variables = {
        v for e in (thm.lhs, thm.rhs, *(x for a in thm.assumptions for x in (a.lhs, a.rhs))) for v in e.free
    }
    variables |= {v for a in thm.assumptions for v in (*a.every, a.chosen) if isinstance(v, Variable)}
    ranged = [(v, v.range) for v in sorted(variables, key=lambda v: v.name) if v.range]
    return (*own, *orders, *(f"${printed(v.name)}{said}$" for v, r in ranged if (said := _range(r))))


def _hypothesis(a: Assumption, known: frozenset[Defined]) -> str:
    """A hypothesis with what its names stand for, without those of the theorem itself."""
    chosen = f"choice of ${printed(a.chosen.name)}$, which exists: " if a.chosen else ""
    said = "argued " if a.argument else "given " if a.cited else chosen
    said = said or (
        "hypothesis " if a.name.startswith(("argued ", "given ", "choice of ", "hypothesis ")) else ""
    )
    formula = relation(a.lhs, a.op, a.rhs) + _with(_definitions(a.lhs, a.rhs) - known)
    every = _every(a.every)
    return f"{said}{a.name}: ${formula}${f' for every {every}' if every else ''}"


def definitions_latex(thm: Theorem) -> tuple[str, ...]:
    """What the defined names stand for in all steps of a theorem."""
    return _defined(_definitions(*(e for t in thm.steps() for e in (t.lhs, t.rhs))))


def where_latex(*terms: Term) -> str:
    """What the defined names of terms stand for, and the free variables that are no numbers, as a
    clause that follows a formula.
    """
    every = _every({v for e in terms for v in e.free if v.sort is not Sort.REAL and v not in ORIGINS})
    words = re.sub(r"\$(.+?)\$", r"}\1\\text{", every)
    return _with(_definitions(*terms)) + (
        rf"\quad\text{{for every {words}}}".removesuffix(r"\text{}") if every else ""
    )


def _with(definitions: frozenset[Defined]) -> str:
    said = ", ".join(_defined(definitions))
    return rf"\quad\text{{with }}{said}" if said else ""


def _defined(definitions: frozenset[Defined]) -> tuple[str, ...]:
    return tuple(sorted(rf"{printed(d.name)} = {latex(d.body)}" for d in definitions))


def _every(things: Iterable[Variable | Function]) -> str:
    """What something is said for all of, by its sort."""
    page, said = _Page(frozenset(), frozenset()), []
    sort = lambda v: "~" * len(v.sorts) if isinstance(v, Function) else v.sort.value
    for v in sorted(things, key=lambda v: (sort(v), v.name)):
        if isinstance(v, Function):
            what = "vector" if len(v.sorts) == 1 else f"array of {len(v.sorts)} indices"
            said.append(f"{what} ${printed(v.name)}$")
        else:
            said.append(f"{SPOKEN.get(v.sort, v.sort.value)} ${page.variable(v)}$")
    return ", ".join(said)


@cache
def _parts(e: Term) -> frozenset[Defined]:
    inside = e.args if isinstance(e, Op) else (opened(e)[1],) if isinstance(e, Bind) else ()
    inside = (e.body,) if isinstance(e, (Defined, Given)) else inside
    return frozenset([e] if isinstance(e, Defined) else []).union(*map(_parts, inside))


def _definitions(*terms: Term) -> frozenset[Defined]:
    """The definitions in terms, and in those of other definitions."""
    return frozenset().union(*map(_parts, terms))


def _range(r: Range) -> str:
    if r.whole:
        return rf"\in\{{{r.lo},{r.lo + 1 if r.lo is not None else ''},\ldots\}}"
    lower = "" if r.lo is None else ("> " if r.lo_open else r"\geq ") + str(r.lo)
    upper = "" if r.hi is None else ("< " if r.hi_open else r"\leq ") + str(r.hi)
    return lower + (", " if lower and upper else "") + upper


class _Page(NamedTuple):
    """What a part of a formula is printed in: the names that letters may not take, functions among
    them, how bound variables are printed, how many prompts are bound, and whose laws hold.
    """

    names: frozenset[str]
    functions: frozenset[str]
    bound: Mapping[Variable, str] = MappingProxyType({})
    used: frozenset[str] = frozenset()
    prompts: int = 0
    task: str = ""

    @classmethod
    def of(cls, *terms: Term) -> _Page:
        """For terms that stand in one formula."""
        found = {d.name for d in _definitions(*terms)} | {v.name for e in terms for v in e.free}
        functions = {g.name for e in terms for g in e.functions if not _is_coordinate(g)}
        return cls(frozenset(map(printed, found)), frozenset(map(printed, functions)))

    def variable(self, v: Term) -> str:
        """A variable; a free token is one of a prompt."""
        assert isinstance(v, Variable)
        name = self.bound.get(v) or ("0" if v in ORIGINS else printed(v.name))
        return f"z_{{{name}}}" if v.sort is Sort.TOKEN and v not in self.bound else name

    def letters(self, alphabet: str, count: int, *, heads: bool) -> list[str]:
        """New letters, which are no names of functions either where they have indices."""
        *first, last = alphabet.split()
        taken = self.names.union(self.used, self.functions if heads else ())
        found = (x for x in chain((*first, last), (f"{last}_{{{n}}}" for n in naturals(1))) if x not in taken)
        return list(islice(found, count))

    def binding(self, names: tuple[Variable, ...], shown: list[str], letters: list[str]) -> _Page:
        return self._replace(
            bound={**self.bound, **dict(zip(names, shown, strict=True))}, used=self.used.union(letters)
        )

    def tex(self, e: Term, level: int = 0) -> str:
        """LaTeX of a part; `level` says what stands around it."""
        if isinstance(e, Number):
            n = e.value
            shown = str(n.numerator) if n.denominator == 1 else rf"\frac{{{n.numerator}}}{{{n.denominator}}}"
            closed = level >= (PRODUCT if n < 0 else POWER) and (n < 0 or n.denominator > 1)
            return rf"\left({shown}\right)" if closed else shown
        if isinstance(e, (Variable, Defined)):
            name = self.variable(e) if isinstance(e, Variable) else printed(e.name)
            return rf"\left({name}\right)" if level >= POWER and ("^" in name or name == "e") else name
        if isinstance(e, Apply):
            return self.value(e)
        if isinstance(e, Given):  # the means in it are those of the task
            return self._replace(task=self.variable(e.task)).tex(e.body, level)
        return self.binder(e, level) if isinstance(e, Bind) else self.operation(e, level)

    def value(self, e: Apply) -> str:
        """A value of a function. The token itself is the function z, the query y and a Gaussian
        vector xi, so that z_i(Z) is Z_i. A task is the first index.
        """
        g = e.function
        late = steps_later(g.name) if Sort.STEP in g.sorts else 0
        shown = [self.variable(a) + "+1" * (late if a.sort is Sort.STEP else 0) for a in e.args]
        if g == CLOCK:
            return r"\mathrm{time}(0)" if e.args == (START,) else shown[0]
        name = (
            (lambda at: dotted(g.name[:-1], at))
            if Sort.TIME in g.sorts and g.name.endswith("'")
            else lambda at: printed(g.name[: len(g.name) - late], at)
        )
        if g.sorts != tuple(sorted(g.sorts, key=lambda s: (s is not Sort.TASK, s is not Sort.INDEX))):
            return f"{name('')}({', '.join(shown)})"
        places = [x for x, a in zip(shown, e.args, strict=True) if a.sort is Sort.INDEX]
        tasks = [x for x, a in zip(shown, e.args, strict=True) if a.sort is Sort.TASK]
        indices = ",".join(
            [*tasks, *(["".join(places)] if all(len(x) == 1 for x in places) else places)]
        ).strip(",")
        at = [x for x, a in zip(shown, e.args, strict=True) if a.sort not in (Sort.INDEX, Sort.TASK)]
        if _is_coordinate(g):
            return f"{at[0][:-1]},{indices}}}" if at[0].endswith("}") else f"{at[0]}_{{{indices}}}"
        return name(indices) + (f"({at[0]})" if at else "")

    def operation(self, e: Term, level: int) -> str:
        assert isinstance(e, Op)
        if e.head == "add":
            parts = [self.tex(a, SUM) for a in e.args]
            out = parts[0] + "".join(p if p.startswith("-") else "+" + p for p in parts[1:])
            return rf"\left({out}\right)" if level > SUM else out
        if e.head == "mul":
            return self.product(e, level)
        if e.head == "pow":
            base, exponent = e.args
            if isinstance(exponent, Number) and exponent.value == Fraction(1, 2):
                return rf"\sqrt{{{self.tex(base)}}}"
            if isinstance(exponent, Number) and exponent.value < 0:
                return self.product(Op("mul", (e,)), level)
            out = f"{self.tex(base, POWER)}^{{{self.tex(exponent)}}}"
            return rf"\left({out}\right)" if level >= POWER else out
        inside = ", ".join(self.tex(a) for a in e.args)
        if e.head == "exp":
            return rf"\left(e^{{{inside}}}\right)" if level >= POWER else f"e^{{{inside}}}"
        if e.head in ("ind", "above"):
            than = r"\geq" if e.head == "ind" else ">"
            return rf"1\left\{{{inside} {than} 0\right\}}"
        return rf"\{e.head}\left({inside}\right)"

    def product(self, e: Op, level: int) -> str:
        above, below, number = [], [], Fraction(1)
        for a in _factors(e):
            exponent = a.args[1] if isinstance(a, Op) and a.head == "pow" else None
            if isinstance(a, Number):
                number *= a.value
            elif isinstance(a, Op) and isinstance(exponent, Number) and exponent.value < 0:
                below.append(
                    a.args[0] if exponent.value == -1 else Op("pow", (a.args[0], Number(-exponent.value)))
                )
            else:
                above.append(a)
        above = [Number(Fraction(abs(number.numerator))), *above] if abs(number.numerator) != 1 else above
        below = [Number(Fraction(number.denominator)), *below] if number.denominator != 1 else below
        top = self.factors(above) if above else "1"
        if len(above) == 1 and not below:
            top = self.tex(above[0], max(level, PRODUCT) if number < 0 else level)
        out = ("-" if number < 0 else "") + (rf"\frac{{{top}}}{{{self.factors(below)}}}" if below else top)
        bare = len(above) == 1 and not below and number > 0
        closed = not bare and (level >= POWER or (number < 0 and level >= PRODUCT))
        return rf"\left({out}\right)" if closed else out

    def factors(self, parts: list[Term]) -> str:
        """Factors beside one another, with a dot before a digit."""
        if len(parts) == 1:
            return self.tex(parts[0])
        shown = [self.tex(a, PRODUCT) for a in parts]
        return shown[0] + "".join((r"\cdot " if x[0].isdigit() else r"\,") + x for x in shown[1:])

    def binder(self, e: Bind, level: int) -> str:
        names, body = opened(e)
        if e.kind in MEANS:
            law = rf"\mid {self.task}" if self.task and KINDS[e.kind].sort in OF_THE_LAW else ""
            if e.kind == "prompt":
                shown = ["z" + "'" * self.prompts]
                sign, inside = f"{shown[0]}_{{1:L}}", self._replace(prompts=self.prompts + 1)
            else:
                shown = self.letters(LETTERS[e.kind], 1, heads=True)
                sign, inside = shown[0], self
            body_tex = inside.binding(names, shown, shown).tex(body)
            return rf"\mathbb{{E}}_{{{sign}{law}}}\left[{body_tex}\right]"
        letters = self.letters(LETTERS[e.kind], e.count, heads=False)
        if e.kind == "sum":
            prompt = self.variable(e.heads[0])
            bound = e.heads[0] in self.bound
            shown = [f"{prompt if bound else 'z'}_{{{x}}}" for x in letters]
            sign = _positions(letters, prompt, bound)
        else:
            ends = [self.variable(h) for h in e.heads]
            groups = (
                [(",".join(letters), ends[0])] if len(set(ends)) == 1 else zip(letters, ends, strict=True)
            )
            sign, shown = "".join(rf"\sum_{{{at}=1}}^{{{end}}}" for at, end in groups), letters
        out = sign + self.binding(names, shown, letters).tex(body, PRODUCT)
        return rf"\left({out}\right)" if level >= PRODUCT else out


def _positions(letters: list[str], prompt: str, bound: bool) -> str:
    """The sign of a sum over distinct positions; the first bound prompt is z_1, .., z_L."""
    apart = r" \neq ".join(letters) if len(letters) < 3 else ",".join(letters) + r"\text{ distinct}"
    if bound and prompt == "z":
        return rf"\sum_{{{letters[0]}=1}}^{{L}}" if len(letters) == 1 else rf"\sum_{{1 \leq {apart} \leq L}}"
    return rf"\sum_{{{apart} \in {prompt + '_{1:L}' if bound else prompt}}}"


def _is_coordinate(g: Function) -> bool:
    """Whether it is printed as a coordinate of its argument."""
    own = g.sorts[1:] if g.sorts[0] is Sort.TASK else g.sorts
    return (g.name, own) in {
        ("z", (Sort.INDEX, Sort.TOKEN)),
        ("y", (Sort.INDEX, Sort.QUERY)),
        ("xi", (Sort.INDEX, Sort.NORMAL)),
    }


def _factors(e: Term) -> Iterator[Term]:
    if isinstance(e, Op) and e.head == "mul":
        for a in e.args:
            yield from _factors(a)
    else:
        yield e


def proof_lines(thm: Theorem, elsewhere: Mapping[int, str] | None = None) -> list[tuple[int, str, str]]:
    """The steps of a derivation that are not mere rewriting: a number, the displayed line, and the
    rule with the numbers of the steps that it uses. A step whose `id` is a key of `elsewhere` is
    proved there, under the name that is the value, and its own steps are left out.
    """
    names = elsewhere or {}
    numbers: dict[int, int] = {}
    out: list[tuple[int, str, str]] = []

    def known(t: Theorem) -> list[int]:
        return [numbers[id(t)]] if id(t) in numbers else sorted({n for p in t.premises for n in known(p)})

    for t in thm.steps(frozenset(names)):
        if t is not thm and id(t) not in names and t.rule in ("normal form", "transitivity"):
            continue
        used = sorted({n for p in t.premises for n in known(p)}) if id(t) not in names else []
        rule = names.get(id(t), t.rule) + (f" of {', '.join(f'({n})' for n in used)}" if used else "")
        numbers[id(t)] = len(out) + 1
        out.append((len(out) + 1, relation(t.lhs, t.op, t.rhs), rule))
    return out


def theorem_page(thm: Theorem) -> str:
    """A theorem as HTML: what it says, what its names stand for, and what it assumes. Jupyter shows
    theorems so.

    >>> from numerics.derivations.kernel.rules import arithmetic
    >>> from numerics.derivations.kernel.terms import term
    >>> theorem_page(arithmetic(term(1), "<=", term(2)))[:31]
    '<p>Theorem, derived in 1 step: '
    """
    steps = len(thm.steps())
    said = (
        f"<p>Theorem, derived in {steps} step{'s' if steps > 1 else ''}: "
        f"{mathml(relation(thm.lhs, thm.op, thm.rhs))}</p>"
    )
    lists = {"where": map(mathml, definitions_latex(thm)), "assumes": map(words, assumptions_latex(thm))}
    items = {name: "".join(f"<li>{text}</li>" for text in texts) for name, texts in lists.items()}
    return said + "".join(f"<p>{name}</p><ul>{texts}</ul>" for name, texts in items.items() if texts)


def _tell_jupyter() -> None:
    """Ask a running Jupyter kernel to show theorems by `theorem_page`: the class itself, which has
    to be trusted, knows nothing of pages.
    """
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None:
        shell.display_formatter.formatters["text/html"].for_type(Theorem, theorem_page)


_tell_jupyter()
