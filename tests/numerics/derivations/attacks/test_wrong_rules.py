"""The kernel with one line changed derives what an attack or a finite world shows to be false."""

import importlib
import importlib.util
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from numerics.provers.remembered import remembering

PACKAGE, TESTS = "numerics.derivations", "tests.numerics.derivations.attacks"
FOLDER = Path(__file__).parents[4] / "numerics" / "derivations" / "kernel"

#: The module, the text that stands there once, and what is put in its place.
WRONG = (
    ("values", 'return min(inner, 1) if e.kind == "sum" and e.count > 1 else inner', "return inner"),
    ("values", "return 0 if 0 in signs else max(signs)", "return max(signs)"),
    ("values", "return 1 if even and signs[0] == 0 else signs[0]", "return 1 if signs[0] == 0 else signs[0]"),
    ("values", "return 0 if lo is None or lo < 0 else 2 if lo > 0 or e.range.lo_open else 1", "return 2"),
    ("values", "return e.value >= 1", "return True"),
    ("values", "sum((r for r, _ in known), Fraction(0)), sum(s for _, s in known))",
        "max(r for r, _ in known), 0)"),
    ("values", "return found is not None and (found[0] < 1 or found == ONE)", "return True"),
    ("values", "if _nonpositive(e.args[0]) or order(e.args[0], over) == BOUNDED:", "if True:"),
    ("values", "or order(e.args[0], over) == BOUNDED:", "or order(e.args[0], over) is not None:"),
    ("values",
        "return _order_of_inverse(body, over.union(names) if e.heads[0] in over else over)",
        "return _order_of_inverse(body, over)"),
    ("values", "if not all(map(finite, e.args)) and not all(map(nonnegative, e.args)):", "if False:"),
    ("values", "if nonnegative(e) or integrable(e, over):", "if True:"),
    ("values", 'if e.head == "log" and not positive(e.args[0]):', "if False:"),
    ("polynomials", "powers[a] = 1", "powers[a] = Fraction(0)"),
    ("polynomials", "powers[a] = powers[a] + x if a in powers else x", "powers[a] = x"),
    ("normal_form", "known = not u or set(u) == {ONE}  # the indicator of a number", "known = True"),
    ("normal_form", 'return inside if e.head == "ind" else', "return inside if True else"),
    ("normal_form", "if number is not None and c > 0 and all(nonnegative(a) for a, _ in m):",
        "if number is not None and c > 0:"),
    ("normal_form", "for n in range(used, count):", "for n in range(count - used):"),
    ("normal_form", "used = tuple(k for k in names if any(k in a.free for a, _ in m))", "used = names[:1]"),
    ("normal_form", "out = _scaled(_falling(0, len(names)), c)", "out = _scaled(_falling(0, 1), c)"),
    ("normal_form", "product((None, *bound), ", "product((None,), "),
    ("normal_form", "for p, n in _primes(k)]", "for p, n in _primes(k)][:1]"),
    ("normal_form", 'return again(Op("pow", (bind("mean", (token,), Op("exp", (total,))), LENGTH)))',
        'return again(bind("mean", (token,), Op("exp", (total,))))'),
    ("binding", "lambda v, depth: new[v.index - depth]", "lambda v, depth: new[0]"),
    ("arithmetic", 'u = e.args[0] if e.head == "ind" else -e.args[0]', "u = e.args[0]"),
    ("arithmetic", ' and (total < 0 or (total == 0 and "<" in (o, q))):', ":"),
    ("arithmetic", '[(sp.S.Zero, "<=", u) if v', '[(sp.S.Zero, "<", u) if v'),
    ("arithmetic", '("<" if is_open else "<=" for is_open in opened)', '("<", "<")'),
    ("arithmetic", "if not questions:", "if False:"),
    ("arithmetic", "if not finite(e) and not self.bounded(e):", "if False:"),
    ("arithmetic", "new, domain[theta] = {a: theta * b}", "new, domain[theta] = {a: b}"),
    ("arithmetic", "{a: b - slack} if alone(a, b) else {b: a + slack}", "{a: b} if alone(a, b) else {b: a}"),
    ("arithmetic", ' and "positive" in _sign(domain[x]):', ":"),
    ("arithmetic", "most == domain[x].lo + 1", "most == domain[x].lo + 2"),
    ("arithmetic", 'if left == right and op != "<":', "if left == right:"),
    ("judgements", "if first.rhs != second.lhs:", "if False:"),
    ("judgements", 'op = "<" if "<" in (first.op, second.op) else', 'op = "<" if second.op == "<=" else'),
    ("integrals", 'if thm.op == "<":\n        raise ProofError("<= or == is needed under an integral")',
        "if False:\n        raise ProofError"),
    ("judgements", "shown += check_in_range(new, old.range, given)", "pass"),
    ("integrals", "or delta in thm.lhs.free | Y.free | Z.free", ""),
    ("integrals", "or K in told:", ":"),
    ("integrals", "or K.range != POSITIVE or", "or"),
    ("integrals", "if not (nonnegative(X) and finite(bound.rhs)", "if not (finite(bound.rhs)"),
    ("integrals", "nonnegative(X) and finite(bound.rhs) and finite(u)", "nonnegative(X) and finite(u)"),
    ("integrals", "or bind(mean.kind, names, X) != mean:", ":"),
    ("integrals", "if LENGTH in speaks_of(left, delta):", "if LENGTH in left.free | delta.free:"),
    ("independence", "for n in range(1, len(parts)):", "for n in range(1, 1):"),
    ("independence", "LENGTH - term(len(parts))", "LENGTH"),
    ("independence", "LENGTH - term(len(parts))", "LENGTH - 1"),
    ("independence", "instantiated(weight, {own: k})", "term(1)"),
    ("independence", "(tokens - {k} | {prompt}) & e.free", "{prompt} & e.free"),
    ("independence", "(tokens - {k} | {prompt}) & e.free", "(tokens - {k}) & e.free"),
    ("independence", "or not all(integrable(e, k) for k, e in ((own, weight), *weighted))", ""),
    ("theorems", "own.add((LENGTH.name, LENGTH))", "pass"),
    ("theorems", "if any(K in others for K, others in needs.items()):", "if False:"),
    ("theorems", "if own and not free - numbers - tied:", "if False:"),
    ("theorems", "others.union(*(needs[v] for v in others & needs.keys()))", "others"),
    ("values", "positive(base) or (positive(exponent) and nonnegative(base))",
        "positive(base) or nonnegative(base)"),
    ("values", "else above_zero and finite(base)", "else above_zero"),
    ("judgements", "check_arbitrary(thm, values)", "pass"),
    ("judgements", "check_arbitrary(premise, [old for old in values if type(old) is Function])", "pass"),
    ("tasks", "check_arbitrary(premise, [old for old in values if type(old) is Function])", "pass"),
    ("terms", "type(self.index) is not int or self.index < 0 or", ""),
    ("judgements", "if type(old) is Function:", "if isinstance(old, Function):"),
    ("flows", "type(barrier) is not Assumption or", ""),
    ("integrals", "type(delta) is not Variable or delta.range", "delta.range"),
    ("judgements", "found is None or (old.order is None and found != BOUNDED)",
        "False and (old.order is None and found != BOUNDED)"),
    ("judgements", 'return Op("pow", (less(base), exponent))', 'return Op("pow", (more(base), exponent))'),
    ("judgements", "new = tuple(a if n in unknown else less(a) for n, a in enumerate(e.args))",
        "new = tuple(a if n in unknown else more(a) for n, a in enumerate(e.args))"),
    ("judgements", " and nonnegative(base) and fine(more(base)):", ":"),
    ("theorems", "if names.setdefault(name, thing) != thing:", "if False:"),
    ("theorems", "if e.tasks:", "if False:"),
    ("values", "return None if over else order(e.body, over)", "return order(e.body, over)"),
    ("terms", "self.body.plain or self.body.tasks - {self.task}", "self.body.tasks - {self.task}"),
    ("terms", "self.body.plain or self.body.tasks - {self.task}", "self.body.plain"),
    ("terms", "if Sort.TIME not in self.sorts or self.order != 1:", "if Sort.TIME not in self.sorts:"),
    ("normal_form", "from_atom(value) if isinstance(value, Given) else again(value)", "again(e.body)"),
    ("tasks", "or old.order not in (0, new.order)", ""),
    ("tasks", "shown += check_in_range(put[old], old.range, given)", "pass"),
    ("tasks", "if caught := a.every & (put.keys() | inside):", "if caught := a.every & put.keys():"),
    ("tasks", "if caught := a.every & (put.keys() | inside):", "if caught := a.every & inside:"),
    ("tasks", "inside = speaks_of(*(x for", "inside = frozenset().union(*(x.free for"),
    ("tasks", "(speaks_of(a.lhs, a.rhs) | a.every for a in", "(speaks_of(a.lhs, a.rhs) for a in"),
    ("tasks", "if not put.keys() & speaks_of(a.lhs, a.rhs):", "if True:"),
    ("theorems", "if loose := [v for v in self.fixes if isinstance(v, Variable)",
        "if loose := [v for v in self.fixes if False"),
    ("judgements", "or Sort.STEP in old.sorts or (of_time and not point):", "or (of_time and not point):"),
    ("judgements", "or (of_time and not point):", ":"),
    ("judgements", "if old in (GAUSSIAN, CLOCK) or", "if old == GAUSSIAN or"),
    ("judgements", "check_arbitrary(said, rates)", "pass"),
    ("judgements", "if spoken := rates & speaks_of(said.lhs, said.rhs):", "if spoken := set():"),
    ("judgements", "for said in (thm, *shown):", "for said in (thm,):"),
    ("judgements", "or old in (LENGTH, *ORIGINS):", "or old == LENGTH:"),
    ("tasks", "{Sort.TASK, Sort.TIME, Sort.STEP} & set()", "{Sort.TASK, Sort.TIME} & set()"),
    ("terms", "(Sort.STEP in random or (not random and Sort.TASK not in self.sorts))",
        "not random and Sort.TASK not in self.sorts"),
    ("theorems", "if Sort.STEP in g.sorts and names.get(g.after.name, g.after) != g.after:", "if False:"),
    ("steps", "type(hypothesis) is not Assumption or", ""),
    ("steps", "if steps - {t, FIRST}:", "if False:"),
    ("steps", "if [said.lhs, said.rhs] != sides or", "if"),
    ("steps", "or said.op not in ENOUGH[hypothesis.op]:", ":"),
    ("steps", "check_arbitrary(said, hypothesis.every)", "pass"),
    ("steps", "if hypothesis in base.assumptions:", "if False:"),
    ("steps", "return e.function.after(*e.args)", "return e"),
    ("judgements", "type(hypothesis) is not Assumption or not", "not"),
    ("judgements", "or own[0].chosen is not None:", ":"),
    ("judgements", "if hypothesis in shown.assumptions:", "if False:"),
    ("judgements", "(shown.lhs, shown.rhs) != (hypothesis.lhs, hypothesis.rhs) or", ""),
    ("judgements", "or shown.op not in ENOUGH[hypothesis.op]:", ":"),
    ("judgements", "check_arbitrary(shown, hypothesis.every)", "pass"),
    ("flows", 'Op("mul", (*e.args[:n], d, *e.args[n + 1 :]))', "d"),
    ("flows", "return e * _derivative(e.args[0], t)", "return e"),
    ("flows", "return _derivative(e.args[0], t) / e.args[0]", "return _derivative(e.args[0], t)"),
    ("flows", "Number(n - 1)", "Number(n)"),
    ("flows", "if positive(base) or (n.denominator == 1 and n >= 1):", "if True:"),
    ("flows", "or rate.rhs != ZERO:", ":"),
    ("flows", "if since == START:", "if True:"),
    ("flows", "clocks - {CLOCK} or", ""),
    ("flows", "or times - {_time(t)} or t == START or", "or t == START or"),
    ("flows", "or t == START or any(v.sort is Sort.TIME for e in said for v in e.free)", ""),
    ("flows", "c.range != NONNEGATIVE or c in frozenset().union(*(e.free for e in (*sides, *said)))",
        "c.range != NONNEGATIVE"),
    ("flows", 'barrier.op != "<=" or len(barrier.every) != 1 or moving or',
        'barrier.op != "<=" or len(barrier.every) != 1 or'),
    ("flows", '(below.lhs, below.op, below.rhs) != (inside.rhs, "<", barrier.rhs)',
        "(below.lhs, below.rhs) != (inside.rhs, barrier.rhs)"),
    ("flows", "if (start.lhs, start.rhs) != (instantiated(u, {t: START}), barrier.rhs) or", "if"),
    ("flows", "or barrier in start.assumptions:", ":"),
    ("flows", "derivative(u, t)  # refuses what is not known to be continuous", "pass"),
    ("flows", "if inside.lhs != u or", "if"),
    ("flows", "or a.every & (end.free | end.functions):", ":"),
    ("flows", "or a.every & (end.free | end.functions):", "or a.every & end.free:"),
    ("flows", 'enough = {"==": ("==",), "<=": ("==", "<=")}.get(a.op, ())', 'enough = ("==", "<=")'),
    ("flows", "if [p.lhs, p.rhs] == sides and p.op in enough]", "]"),
    ("flows", "if not (finite(end) and nonnegative(end)) or", "if"),
    ("uniqueness", "or u == CLOCK or", "or"),
    ("uniqueness", 'or flow.op != "==":', ":"),
    ("uniqueness", "and flow.lhs.function == u.rate else", "else"),
    ("uniqueness", "or len({*place, t}) != len(u.sorts):", ":"),
    ("uniqueness", "derivative(flow.rhs, t)  # refuses what may not be smooth", "pass"),
    ("uniqueness", "if any(x.sort is Sort.TIME and x not in (t, START)", "if any(False"),
    ("uniqueness", "if (said.lhs, said.op, said.rhs) != (lhs, \"==\", rhs):", "if False:"),
    ("uniqueness", "if (said.lhs, said.op, said.rhs) != (lhs, \"==\", rhs):", "if said.lhs != lhs:"),
    ("integrals", "if not nonnegative(e) or {g, h} & e.free:", "if {g, h} & e.free:"),
    ("integrals", "if not nonnegative(e) or {g, h} & e.free:", "if not nonnegative(e):"),
    ("integrals", "{g, h, k} & c.free or", ""),
    ("integrals", "or y in c.functions for c in parts", "for c in parts"),
    ("integrals", "or g == h or", "or"),
    ("integrals", '(same.lhs, same.op, same.rhs) != (first, "==", Op("add", tuple(rest)))',
        "same.lhs != first"),
    ("values", 'return order(Op("exp", (-e.args[0],)), over)', "return BOUNDED"),
    ("values", '_of_a_product(parts) if e.head == "mul" else None', "max(p for p in parts if p is not None)"),
    ("classes", "if not finite(X) or y in X.functions or", "if not finite(X) or"),
    ("classes", "or any(v.sort not in plain for v in X.free - {x}):", ":"),
    ("classes", "if any(v.sort not in plain for v in e.free - {prompt}):", "if False:"),
    ("classes", "if g != y and {*g.sorts} != {Sort.INDEX}]:", "if False]:"),
    ("classes", "_check_sums(e, y, size, ())", "pass"),
    ("classes", 'or bound[index.index] != ("coordinates", size):', ":"),
    ("classes", "or (isinstance(e, Bind) and e.kind not in BINDERS):", ":"),
    ("classes", 'if (thm.lhs, thm.op, thm.rhs) != (left, "==", right):', "if False:"),
    ("classes", 'if (thm.lhs, thm.op, thm.rhs) != (left, "==", right):', "if thm.lhs != left:"),
    ("theorems", 'if e.loose or any(name.startswith("#") for name, _ in _named(e)):', "if False:"),
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _one_answer_for_all_kernels():
    """Every kernel asks the same provers, in which nothing is changed, much the same questions."""
    with remembering():
        yield


def anywhere(text):
    """The text wherever the formatter breaks its lines."""
    spaced = re.sub(r"(?:\\\s)+", r"\\s+", re.escape(text))
    return re.compile(re.sub(r"(\\[)\]}])", r",?\\s*\1", re.sub(r"(\\[(\[{])", r"\1\\s*", spaced)))


@contextmanager
def kernel(wrong: str, old: str, new: str) -> Iterator[tuple[ModuleType, ModuleType]]:
    """The attacks and the probes over a fresh copy of the kernel with one text replaced."""
    mine = lambda name: name.startswith((PACKAGE, f"{TESTS}."))
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if mine(name)}
    source = (FOLDER / f"{wrong}.py").read_text()
    places = anywhere(old).findall(source)
    assert len(places) == 1, f"{old!r} stands {len(places)} times in {wrong}.py; follow the change there"

    class Changed:
        """A finder that gives one module another source."""

        @staticmethod
        def find_spec(name: str, path: object, target: object = None) -> object:
            return (
                importlib.util.spec_from_loader(name, Changed())
                if name == f"{PACKAGE}.kernel.{wrong}"
                else None
            )

        def create_module(self, spec: object) -> None:
            return None

        def exec_module(self, module: ModuleType) -> None:
            exec(compile(source.replace(places[0], new), f"{wrong}.py", "exec"), module.__dict__)

    sys.meta_path.insert(0, Changed)
    try:
        yield tuple(importlib.import_module(f"{TESTS}.{name}") for name in ("test_attacks", "probes"))
    finally:
        sys.meta_path.remove(Changed)
        for name in [name for name in sys.modules if mine(name)]:
            del sys.modules[name]
        sys.modules.update(kept)


def found(attacks: ModuleType, probes: ModuleType) -> str | None:
    for name, attack in attacks.ATTACKS.items():
        try:
            attack()
        except Exception:
            continue
        return name
    first: str | None = next(probes.false_results(), None)
    return first


def test_the_rules_as_they_are_are_not_caught():
    with kernel("judgements", "def trans(", "def trans(") as nets:
        assert not found(*nets)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda w: f"{w[0]}: {w[1][:50]}")
def test_a_wrong_rule_is_caught(wrong):
    with kernel(*wrong) as nets:
        assert found(*nets)


@pytest.mark.parametrize("new", ["a.every & put.keys():", "a.every & inside:"])
def test_random_derivations_find_a_capture(new):
    """A hypothesis that a value has made true, and what followed from it before, in some world."""
    with kernel("tasks", "a.every & (put.keys() | inside):", new):
        false_theorems = importlib.import_module(f"{TESTS}.random_proofs").false_theorems
        assert any(false_theorems(seed, 60)[0] for seed in range(5))
