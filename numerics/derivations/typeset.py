"""Terms and theorems as LaTeX, for readers; nothing is decided here."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import count

from numerics.derivations.binding import instantiated, opened
from numerics.derivations.sorts import KINDS, Range, Sort
from numerics.derivations.terms import CLOCK, GAUSSIAN, Apply, Bind, Defined, Given, Number, Op, Term, Variable, text
from numerics.derivations.theorems import Theorem
from numerics.derivations.values import MEANS
from theory.shown.result import mathml, words

__all__ = ["assumptions_latex", "definitions_latex", "latex", "proof_lines", "relation", "theorem_page", "where_latex"]

GREEK = (
    *("alpha", "beta", "gamma", "delta", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "tau"),
    *("phi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Sigma", "Phi", "Psi", "Omega", "varepsilon"),
)
LETTERS = {Sort.TOKEN: "klnp", Sort.INDEX: "ijrs", Sort.QUERY: "yx", Sort.NORMAL: "gh", Sort.PROMPT: "PQ", Sort.REAL: "tu"}
RELATIONS = {"<=": r"\leq", "<": "<", "==": "="}
SUM, PRODUCT, POWER = 1, 2, 3


def latex(e: Term) -> str:
    """The term as LaTeX, with letters for bound variables.

    Examples
    --------
    >>> from numerics.derivations.sorts import REALS
    >>> latex(Variable("x", range=REALS) ** 2 / 3)
    '\\\\frac{x^{2}}{3}'
    """
    return _tex(e, 0)


def relation(lhs: Term, op: str, rhs: Term) -> str:
    return f"{latex(lhs)} {RELATIONS[op]} {latex(rhs)}"


def assumptions_latex(thm: Theorem) -> tuple[str, ...]:
    """Everything that a theorem assumes: hypotheses, orders of functions, and ranges."""
    said = lambda a: "given " if a.cited else f"choice of ${_name(a.chosen.name)}$, which exists: " if a.chosen else ""
    every = lambda a: ", ".join(f"${_name(v.name)}$" for v in sorted(a.every, key=lambda v: v.name))
    own = sorted(
        f"{said(a)}{a.name}: ${relation(a.lhs, a.op, a.rhs)}${f' for every {every(a)}' if a.every else ''}" for a in thm.assumptions
    )
    orders = []
    for g in sorted(thm.functions, key=lambda g: g.name):
        if Sort.TIME in g.sorts:
            means = " at every task, and a mean over the tasks" if Sort.TASK in g.sorts else ""
            orders += [rf"${_name(g.name)}$ has a continuous derivative{means}"] if g.order and g != CLOCK else []
        elif g.order:
            orders.append(rf"$\mathbb{{E}}|{g.name}|^{{{g.order}}}<\infty$")
        elif g.order is None and g != GAUSSIAN:
            orders.append(rf"$\mathbb{{E}}e^{{t{g.name}}}<\infty$ for every $t$")
    variables = {v for e in (thm.lhs, thm.rhs, *(x for a in thm.assumptions for x in (a.lhs, a.rhs))) for v in e.free}
    ranges = [f"${_name(v.name)}{_range(v.range)}$" for v in sorted(variables, key=lambda v: v.name) if v.range and _range(v.range)]
    return (*own, *orders, *ranges)


def definitions_latex(thm: Theorem) -> tuple[str, ...]:
    """What the defined names stand for in all steps of a theorem."""
    found: dict[str, Defined] = {}
    for t in thm.steps():
        for e in (t.lhs, t.rhs):
            _definitions(e, found)
    return tuple(rf"{_name(name)} = {latex(d.body)}" for name, d in sorted(found.items()))


def where_latex(*terms: Term) -> str:
    """The defined names of terms, as a clause that follows a formula."""
    found: dict[str, Defined] = {}
    for e in terms:
        _definitions(e, found)
    said = ", ".join(rf"{_name(name)} = {latex(d.body)}" for name, d in sorted(found.items()))
    return rf"\quad\text{{with }}{said}" if said else ""


def _definitions(e: Term, found: dict[str, Defined]) -> None:
    if isinstance(e, Defined):
        found[e.name] = e
    parts = e.args if isinstance(e, Op) else (opened(e)[1],) if isinstance(e, Bind) else ()
    parts = (e.body,) if isinstance(e, (Defined, Given)) else parts
    for part in parts:
        _definitions(part, found)


def _range(r: Range) -> str:
    if r.whole:
        return rf"\in\{{{r.lo},{r.lo + 1 if r.lo is not None else ''},\ldots\}}"
    lower = "" if r.lo is None else ("> " if r.lo_open else r"\geq ") + str(r.lo)
    upper = "" if r.hi is None else ("< " if r.hi_open else r"\leq ") + str(r.hi)
    return lower + (", " if lower and upper else "") + upper


#: Names that are written otherwise.
WRITTEN = {"normU": r"\|U\|", "normV": r"\|V\|", "C_f": "C_f", "gq": r"\mathbf{g}", "zq": "y", "err2": r"\|\mathrm{err}\|^2"}
WRITTEN |= {"thetaL": r"\theta^L", "gL": r"\nabla\mathcal{R}_L(\theta^L)", "gS": r"\nabla\mathcal{R}_{\infty}(\theta^L)"}
WRITTEN |= {
    "gI": r"\nabla\mathcal{R}_{\infty}(\theta)",
    "top": r"\|\Sigma\|",
    "lnL": r"\ln(L)",
    "epsilon": r"\varepsilon",
    "eps": r"\varepsilon",
}


def _name(name: str) -> str:
    if name in WRITTEN:
        return WRITTEN[name]
    if name.endswith("'"):
        return rf"\dot{{{_name(name[:-1])}}}"
    head = name.rstrip("0123456789_")
    tail = name[len(head) :].strip("_")
    head = "\\" + head if head in GREEK else head if len(head) == 1 else rf"\mathrm{{{head}}}"
    return f"{head}_{{{tail}}}" if tail else head


def _tex(e: Term, level: int, used: frozenset[str] = frozenset()) -> str:
    """LaTeX of a part; `level` says what stands around it, `used` which letters are taken."""
    if isinstance(e, Number):
        n = e.value
        shown = str(n.numerator) if n.denominator == 1 else rf"\frac{{{n.numerator}}}{{{n.denominator}}}"
        return rf"\left({shown}\right)" if n < 0 and level >= PRODUCT else shown
    if isinstance(e, (Variable, Defined)):
        name = _name(e.name)
        return rf"\left({name}\right)" if level >= POWER and "^" in name else name
    if isinstance(e, Apply):
        return _value(e)
    if isinstance(e, Given):  # the functions in it have the task as an index
        return _tex(e.body, level, used)
    return _binder(e, level, used) if isinstance(e, Bind) else _operation(e, level, used)


def _value(e: Apply) -> str:
    """A function of a token; the token itself is the function z, so that z_i(Z) is Z_i, and xi_i(g)
    is the coordinate g_i of a Gaussian vector. A task is the first index.
    """
    indices = ",".join("".join(x if "\\" in x else _name(x) for x in named) for named in _indices(e) if named)
    random = [text(a) for a in e.args if a.sort not in (Sort.INDEX, Sort.TASK)]
    if Sort.TIME in e.function.sorts:
        return random[0] if e.function == CLOCK else f"{_name(e.function.name)}{f'_{{{indices}}}' if indices else ''}({random[0]})"
    own = _name(e.function.name)
    if random and e.function.name == "z":
        copy = random[0].removeprefix("Z").lstrip("_")  # Z_1 is the second token, and Z_{1,i} its coordinate
        return f"Z_{{{f'{copy},' if copy else ''}{indices}}}" if random[0].startswith("Z") else f"z_{{{random[0]},{indices}}}"
    if e.function.name == "y":  # the coordinates of the query
        return f"{own}_{{{indices}}}"
    if e.function == GAUSSIAN:
        own, random = _name(random[0]), []
    at = [x if x.startswith("Z") else f"z_{{{x}}}" for x in random]
    if indices and own.endswith("}") and "_{" in own:  # a name with an index of its own
        own, indices = own.rsplit("_{", 1)[0], own.rsplit("_{", 1)[1][:-1] + "," + indices
    return own + (f"_{{{indices}}}" if indices else "") + (f"({at[0]})" if at else "")


def _indices(e: Apply) -> tuple[list[str], list[str]]:
    """The tasks and the indices of a value."""
    tasks, places = ([text(a) for a in e.args if a.sort is sort] for sort in (Sort.TASK, Sort.INDEX))
    return tasks, places


def _operation(e: Term, level: int, used: frozenset[str]) -> str:
    assert isinstance(e, Op)
    if e.head == "add":
        parts = [_tex(a, SUM, used) for a in e.args]
        out = parts[0] + "".join(p if p.startswith("-") else "+" + p for p in parts[1:])
        return rf"\left({out}\right)" if level > SUM else out
    if e.head == "mul":
        return _product(e, level, used)
    if e.head == "pow":
        base, exponent = e.args
        if isinstance(exponent, Number) and exponent.value == Fraction(1, 2):
            return rf"\sqrt{{{_tex(base, 0, used)}}}"
        if isinstance(exponent, Number) and exponent.value < 0:
            return _product(Op("mul", (e,)), level, used)
        out = f"{_tex(base, POWER, used)}^{{{_tex(exponent, 0, used)}}}"
        return rf"\left({out}\right)" if level >= POWER else out
    inside = ", ".join(_tex(a, 0, used) for a in e.args)
    if e.head == "exp":
        return rf"\left(e^{{{inside}}}\right)" if level >= POWER else f"e^{{{inside}}}"
    if e.head in ("ind", "above"):
        than = r"\geq" if e.head == "ind" else ">"
        return rf"1\left\{{{inside} {than} 0\right\}}"
    return rf"\{e.head}\left({inside}\right)"


def _product(e: Op, level: int, used: frozenset[str]) -> str:
    above, below, number = [], [], Fraction(1)
    for a in _factors(e):
        exponent = a.args[1] if isinstance(a, Op) and a.head == "pow" else None
        if isinstance(a, Number):
            number *= a.value
        elif isinstance(a, Op) and isinstance(exponent, Number) and exponent.value < 0:
            below.append(a.args[0] if exponent.value == -1 else Op("pow", (a.args[0], Number(-exponent.value))))
        else:
            above.append(a)
    above = [Number(Fraction(abs(number.numerator))), *above] if abs(number.numerator) != 1 else above
    below = [Number(Fraction(number.denominator)), *below] if number.denominator != 1 else below
    joined = lambda parts: r"\,".join(_tex(a, PRODUCT, used) for a in parts) if len(parts) > 1 else _tex(parts[0], 0, used)
    top = joined(above) if above else "1"
    if len(above) == 1 and not below:
        top = _tex(above[0], max(level, PRODUCT) if number < 0 else level, used)
    out = ("-" if number < 0 else "") + (rf"\frac{{{top}}}{{{joined(below)}}}" if below else top)
    bare = len(above) == 1 and not below and number > 0
    return rf"\left({out}\right)" if not bare and (level >= POWER or (number < 0 and level >= PRODUCT)) else out


def _factors(e: Term) -> Iterator[Term]:
    if isinstance(e, Op) and e.head == "mul":
        for a in e.args:
            yield from _factors(a)
    else:
        yield e


def _binder(e: Bind, level: int, used: frozenset[str]) -> str:
    names, body = opened(e)
    letters = iter(x for x in _letters(e.kind) if x not in used and x not in {v.name for v in e.free})
    shown = {v: Variable(next(letters), v.of, v.range) for v in names}
    own = [v.name for v in shown.values()]
    under = used | set(own)
    inside = instantiated(body, shown)
    if e.kind in MEANS:
        sign = "z_{1:L}" if e.kind == "prompt" else own[0]
        return rf"\mathbb{{E}}_{{{sign}}}\left[{_tex(inside, 0, under)}\right]"
    out = rf"\sum_{{{','.join(own)}}}{_tex(inside, PRODUCT, under)}"
    return rf"\left({out}\right)" if level >= PRODUCT else out


def _letters(kind: str) -> Iterator[str]:
    """Letters for the variables of a binder, without end."""
    base = {"mean": ["Z"], "task": [r"\mu"]}.get(kind) or list(LETTERS[KINDS[kind].sort])
    yield from base
    yield from (f"{base[-1]}_{n}" for n in count(1))


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

    Examples
    --------
    >>> from numerics.derivations.rules import arithmetic
    >>> from numerics.derivations.terms import term
    >>> theorem_page(arithmetic(term(1), "<=", term(2)))[:31]
    '<p>Theorem, derived in 1 step: '
    """
    steps = len(thm.steps())
    said = f"<p>Theorem, derived in {steps} step{'s' if steps > 1 else ''}: {mathml(relation(thm.lhs, thm.op, thm.rhs))}</p>"
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
