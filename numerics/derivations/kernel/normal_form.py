"""The normal form: linearity of integrals, the theorems of Tonelli and Fubini, independence.

Every step is an equation between defined terms: a mean is taken apart only where each of its parts
is nonnegative or integrable. That a normal form is not reached proves nothing.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import cache, partial

from numerics.derivations.kernel.binding import bind, instantiated, last_fresh, opened
from numerics.derivations.kernel.polynomials import (
    ONE,
    Mono,
    Poly,
    add,
    constant,
    content,
    from_atom,
    multiply,
    sorted_term,
    split_exponential,
    times,
    to_term,
)
from numerics.derivations.kernel.sorts import Sort, whole
from numerics.derivations.kernel.terms import Bind, Defined, Given, Number, Op, Term, Variable, text
from numerics.derivations.kernel.values import MEANS, finite, integrable, nonnegative, positive, summable

__all__ = ["LENGTH", "normal_form"]

#: The number of tokens of a prompt.
LENGTH = Variable("L", Sort.REAL, whole(1))


@cache
def normal_form(e: Term, split: bool = False) -> Term:
    """The defined term as a sum of products, with coordinates outside means, and means over a
    prompt taken token by token; with `split`, and under such a mean, products of sums over the
    prompt become sums over distinct positions.
    """
    return to_term(_poly(e, split))


@cache
def _poly(e: Term, split: bool) -> Poly:
    again = partial(_poly, split=split)
    if isinstance(e, Number):
        return constant(e.value)
    if isinstance(e, Defined):
        return again(e.body)
    if isinstance(e, Bind):
        return _spread(_binder(e, split), split)
    if isinstance(e, Given):
        value = _inwards(e.task, to_term(again(e.body)))
        return from_atom(value) if isinstance(value, Given) else again(value)
    if not isinstance(e, Op):
        return from_atom(e)
    if e.head == "add":
        return add(map(again, e.args))
    if e.head == "mul":
        out = constant(1)
        for a in e.args:
            out = _spread(multiply(out, again(a), again), split)
        return out
    if e.head == "pow":
        return _spread(_power(e.args[0], e.args[1], split), split)
    if e.head == "exp":
        u = again(e.args[0])
        return from_atom(Op("exp", (to_term(u),))) if u else constant(1)
    if e.head in ("ind", "above"):
        u = again(e.args[0]) if e.head == "ind" else again(-e.args[0])
        scale = content(u)
        at = Op("ind", (to_term({m: c / scale for m, c in u.items()}),))
        known = not u or set(u) == {ONE}  # the indicator of a number
        inside = constant(int(u.get(ONE, 0) >= 0)) if known else from_atom(at)
        return inside if e.head == "ind" else add([constant(1), {m: -c for m, c in inside.items()}])
    if e.head == "log":
        u = again(e.args[0])
        ((m, c),) = u.items() if len(u) == 1 else ((ONE, Fraction(0)),)
        if c > 0 and all(positive(a) and finite(a) for a, _ in m):  # the logarithm of a product
            primes = [
                (p, Fraction(n * s))
                for k, s in ((c.numerator, 1), (c.denominator, -1))
                for p, n in _primes(k)
            ]
            parts = [*m, *((Number(Fraction(p)), n) for p, n in primes)]
            return add({((Op("log", (a,)), 1),): Fraction(x)} for a, x in parts)
    args = tuple(to_term(again(a)) for a in e.args)
    return from_atom(Op(e.head, tuple(sorted(set(args), key=text)) if e.head in ("max", "min") else args))


def _inwards(task: Term, e: Term) -> Term:
    """The value at a task: only means and sums over tokens, and functions of them, depend on it."""
    if not e.tasks:
        return e
    if isinstance(e, Op):
        return Op(e.head, tuple(_inwards(task, a) for a in e.args))
    if isinstance(e, Bind) and e.kind == "coordinates":
        names, body = opened(e, last_fresh(task))
        return bind(e.kind, names, _inwards(task, body), e.heads)
    return Given(task, e)


def _power(base: Term, exponent: Term, split: bool) -> Poly:
    """Powers: whole ones are multiplied out, others distribute over positive factors."""
    again = partial(_poly, split=split)
    p, n = again(base), again(exponent)
    number = n.get(ONE, Fraction(0)) if set(n) <= {ONE} else None
    if number is not None and number.denominator == 1 and number >= 0:
        out = constant(1)
        for _ in range(int(number)):
            out = _spread(multiply(out, p, again), split)
        return out
    if len(p) == 1:
        ((m, c),) = p.items()
        if number is None and c == 1 and len(m) == 1 and isinstance(m[0][0], Op) and m[0][0].head == "exp":
            return again(Op("exp", (Op("mul", (exponent, m[0][0].args[0])),)))
        if number is not None and c > 0 and all(nonnegative(a) for a, _ in m):
            out = _number_power(c, number)
            for a, x in m:
                out = multiply(out, {times(((a, x * number),), ONE, again): Fraction(1)}, again)
            return out
    if number is None:
        return from_atom(Op("pow", (to_term(p), to_term(n))))
    scale = content(p) if p else Fraction(1)
    return multiply(
        _number_power(scale, number), from_atom(to_term({m: c / scale for m, c in p.items()}), number), again
    )


def _number_power(c: Fraction, n: Fraction) -> Poly:
    """A power of a positive number: a rational one, times powers of primes below 1."""
    value, factors = Fraction(1), []
    for whole_number, sign in ((c.numerator, 1), (c.denominator, -1)):
        for prime, times_it_occurs in _primes(whole_number):
            x = n * sign * times_it_occurs
            value *= Fraction(prime) ** (x.numerator // x.denominator)
            if rest := x - x.numerator // x.denominator:
                factors.append((Number(Fraction(prime)), rest))
    return {tuple(sorted(factors, key=lambda pair: text(pair[0]))): value}


def _primes(n: int) -> list[tuple[int, int]]:
    """The primes of a positive whole number with their exponents; a large rest counts as prime."""
    found, p = [], 2
    while p * p <= n and p < 1000:
        count = 0
        while n % p == 0:
            n, count = n // p, count + 1
        if count:
            found.append((p, count))
        p += 1
    return [*found, (n, 1)] if n > 1 else found


def _binder(e: Bind, split: bool) -> Poly:
    names, raw = opened(e)
    inner = split or e.kind == "prompt"
    body = _poly(raw, inner)
    if e.kind in MEANS and not all(summable(to_term({m: c}), names[0]) for m, c in body.items()):
        return _apart(e, names, body, inner)
    return add(_scaled(_integral(e, names, m, split), c) for m, c in body.items())


def _scaled(p: Poly, c: Fraction) -> Poly:
    return {m: c * d for m, d in p.items()}


def _apart(e: Bind, names: tuple[Variable, ...], body: Poly, split: bool) -> Poly:
    """A mean that may not be taken term by term: powers of positive numbers leave it, and those of
    nonnegative numbers that are factors of all its terms.
    """
    again = partial(_poly, split=split)
    powers = [dict(m) for m in body]
    leaves = lambda a: positive(a) or (nonnegative(a) and all(m.get(a, 0) > 0 for m in powers))
    fixed = {a for m in powers for a in m if not a.free.intersection(names) and finite(a) and leaves(a)}
    least = ((a, min(m.get(a, 0) for m in powers)) for a in sorted(fixed, key=text))
    outside: Mono = tuple((a, x) for a, x in least if x)
    scale = content(body)
    inverse = times(tuple((a, -x) for a, x in outside), ONE, again)
    inside = {times(m, inverse, again): c / scale for m, c in body.items()}
    return {times(outside, ((_closed(e.kind, names, to_term(inside), e.heads), 1),), again): scale}


def _integral(e: Bind, names: tuple[Variable, ...], m: Mono, split: bool) -> Poly:
    """One monomial under one binder."""
    inner = split or e.kind == "prompt"
    again, under = partial(_poly, split=split), partial(_poly, split=inner)
    touches = lambda a: bool(a.free.intersection(names))
    outside, inside = split_exponential(m, touches, under)
    beyond = max(last_fresh(*names), last_fresh(*(a for a, _ in m)))
    outer: Poly = {outside: Fraction(1)}
    if not inside and e.kind in MEANS:
        return _spread(outer, split)
    if e.kind == "coordinates":
        return _spread(multiply(outer, _coordinates(names, e.heads, inside), again), split)
    for n, (a, x) in enumerate(inside):  # coordinates leave means and sums over positions
        if isinstance(a, Bind) and a.kind == "coordinates" and x.denominator == 1 and x > 0:
            indices, each = opened(a, beyond)
            rest = to_term(
                {times(inside[:n] + inside[n + 1 :], ((a, x - 1),) if x > 1 else ONE, under): Fraction(1)}
            )
            product = Op("mul", (each, rest))
            if e.kind == "sum" or all(summable(to_term({k: c}), names[0]) for k, c in under(product).items()):
                pulled = bind("coordinates", indices, bind(e.kind, names, product, e.heads), a.heads)
                return _spread(multiply(outer, again(pulled), again), split)
    if e.kind == "sum":
        return _spread(multiply(outer, _positions(e.heads[0], names, inside), again), split)
    if e.kind == "prompt":
        return _spread(multiply(outer, _expectation(names[0], inside, split), again), split)
    return multiply(outer, from_atom(_closed(e.kind, names, to_term({inside: Fraction(1)}), e.heads)), again)


@cache
def _coordinates(names: tuple[Variable, ...], heads: tuple[Term, ...], m: Mono) -> Poly:
    """Sums over coordinates of a monomial: nested sums become one, and sums over indices that no
    factor joins become a product.
    """
    again = partial(_poly, split=False)
    for n, (a, x) in enumerate(m):
        if isinstance(a, Bind) and a.kind == "coordinates" and x.denominator == 1 and x > 0:
            beyond = last_fresh(*names, *(b for b, _ in m))
            indices, each = opened(a, beyond)
            rest = m[:n] + m[n + 1 :] + (((a, x - 1),) if x > 1 else ONE)
            flat = multiply({times(rest, ONE, again): Fraction(1)}, again(each), again)
            joint = ((*names, *indices), (*heads, *a.heads))
            return add(_scaled(_coordinates(*joint, k), c) for k, c in flat.items())
    out, left, sizes = constant(1), list(m), dict(zip(names, heads))
    todo = set(names)
    while todo:
        group = {min(todo, key=text)}
        while more := {v for a, _ in left if a.free & group for v in a.free & todo} - group:
            group |= more
        members = tuple(pair for pair in left if pair[0].free & group)
        left = [pair for pair in left if pair not in members]
        order = tuple(sorted(group, key=text))
        one = (
            from_atom(sizes[order[0]])
            if not members
            else from_atom(
                _closed("coordinates", order, to_term({members: Fraction(1)}), tuple(sizes[v] for v in order))
            )
        )
        out, todo = multiply(out, one, again), todo - group
    return multiply(out, {tuple(left): Fraction(1)}, again)


def _mentions(v: Variable, e: Term) -> bool:
    return v in e.free


def _falling(used: int, count: int) -> Poly:
    """(L - used)(L - used - 1) .. (L - count + 1): how many ways to choose the positions left."""
    out = constant(1)
    for n in range(used, count):
        out = multiply(out, add([from_atom(LENGTH), constant(-n)]), lambda e: constant(0))
    return out


def _positions(prompt: Term, names: tuple[Variable, ...], m: Mono) -> Poly:
    """A sum over distinct positions; one that no factor mentions counts for those that are left."""
    used = tuple(k for k in names if any(k in a.free for a, _ in m))
    one = from_atom(_closed("sum", used, to_term({m: Fraction(1)}), (prompt,))) if used else {m: Fraction(1)}
    return multiply(one, _falling(len(used), len(names)), partial(_poly, split=False))


def _expectation(prompt: Variable, m: Mono, split: bool) -> Poly:
    """The mean over the prompt of a sum of products over distinct positions, which are
    independent, or of the exponential of a sum.
    """
    again, under = partial(_poly, split=split), partial(_poly, split=True)
    if len(m) == 1 and m[0][1] == 1:
        a = m[0][0]
        if isinstance(a, Bind) and a.kind == "sum":
            names, body = opened(a, last_fresh(prompt))
            product = under(body)
            if len(product) == 1:
                ((rest, c),) = product.items()
                groups = []
                for k in names:
                    rest, group = split_exponential(rest, partial(_mentions, k), under)
                    groups.append(to_term({group: Fraction(1)}))
                apart = not rest and all(
                    not g.free & ({*names} - {k} | {prompt}) for k, g in zip(names, groups)
                )
                if apart and (all(map(nonnegative, groups)) or all(map(integrable, groups, names))):
                    out = _scaled(_falling(0, len(names)), c)
                    for k, g in zip(names, groups):
                        out = multiply(out, again(bind("mean", (k,), g)), again)
                    return out
        if isinstance(a, Op) and a.head == "exp":
            token = Variable(f"#{last_fresh(a, prompt) + 1:02}", Sort.TOKEN)
            exponent = []
            for mono, c in under(a.args[0]).items():
                sums = [
                    b
                    for b, x in mono
                    if isinstance(b, Bind)
                    and b.kind == "sum"
                    and b.count == 1
                    and b.heads == (prompt,)
                    and x == 1
                ]
                others = tuple(pair for pair in mono if pair[0] not in sums)
                if len(sums) != 1 or any(prompt in b.free for b, _ in others):
                    break
                (one,), body = opened(sums[0], last_fresh(a, prompt))
                exponent.append(Op("mul", (to_term({others: c}), instantiated(body, {one: token}))))
            else:
                total = Op("add", tuple(exponent))
                if prompt not in total.free:
                    return again(Op("pow", (bind("mean", (token,), Op("exp", (total,))), LENGTH)))
    return from_atom(_closed("prompt", (prompt,), to_term({m: Fraction(1)}), ()))


def _spread(p: Poly, split: bool) -> Poly:
    """Products of sums over one prompt as sums over distinct positions, if `split`."""
    return add(_spread_one(m, c) for m, c in p.items()) if split else p


def _spread_one(m: Mono, c: Fraction) -> Poly:
    again = partial(_poly, split=True)
    sums = [(a, x) for a, x in m if isinstance(a, Bind) and a.kind == "sum" and x > 0 and x.denominator == 1]
    for prompt in {a.heads[0] for a, _ in sums}:
        mine = [(a, x) for a, x in sums if a.heads[0] == prompt]
        rest = tuple(pair for pair in m if pair not in mine)
        beyond = last_fresh(*(a for a, _ in m))
        for n, (a, x) in enumerate(rest):
            if (
                isinstance(a, Bind)
                and a.kind == "coordinates"
                and prompt in a.free
                and x > 0
                and x.denominator == 1
            ):
                indices, each = opened(a, beyond)
                less = rest[:n] + rest[n + 1 :] + (((a, x - 1),) if x > 1 else ONE)
                product = Op("mul", (each, to_term({tuple(mine): Fraction(1)})))
                under = again(bind("coordinates", indices, product, a.heads))
                return _scaled(_spread(multiply({less: Fraction(1)}, under, again), True), c)
        if sum(x for _, x in mine) > 1:
            joined = _joined(prompt, [a for a, x in mine for _ in range(int(x))], beyond)
            return _scaled(_spread(multiply({rest: Fraction(1)}, joined, again), True), c)
    return {m: c}


def _joined(prompt: Term, sums: list[Term], beyond: int) -> Poly:
    """The product of sums over distinct positions: each new position is one of the old ones or
    none of them.
    """
    terms: list[tuple[tuple[Variable, ...], Term]] = [((), Number(Fraction(1)))]
    for s in sums:
        more, factor = opened(s, beyond)
        beyond = last_fresh(*more)
        longer: list[tuple[tuple[Variable, ...], Term]] = []
        for bound, body in terms:
            for same in itertools.product((None, *bound), repeat=len(more)):
                met = {k: x for k, x in zip(more, same) if x is not None}
                if len(set(met.values())) == len(met):
                    new = tuple(k for k in more if k not in met)
                    longer.append(((*bound, *new), Op("mul", (body, instantiated(factor, met)))))
        terms = longer
    return add(_poly(bind("sum", bound, body, (prompt,)), True) for bound, body in terms)


@cache
def _closed(kind: str, names: tuple[Variable, ...], body: Term, heads: tuple[Term, ...]) -> Term:
    """The binder; the order of its variables does not matter. They are sorted by where they stand
    in the body, and all orders are tried of those that stand alike.
    """
    if len(names) == 1:
        return sorted_term(bind(kind, names, body, heads))
    own = heads if kind == "coordinates" else heads[:1] * len(names)
    mark, rest = (Variable(name, names[0].sort) for name in ("#mark", "#rest"))
    place: dict[int, tuple[str, str]] = {}
    for n, v in enumerate(names):
        shown = instantiated(body, {w: mark if w == v else rest for w in names})
        place[n] = (text(own[n]) if own else "", text(sorted_term(shown)))
    alike = [
        tuple(group)
        for _, group in itertools.groupby(sorted(place, key=place.__getitem__), key=place.__getitem__)
    ]
    found = []
    for orders in itertools.product(*map(itertools.permutations, alike)):
        places = tuple(itertools.chain(*orders))
        order = tuple(names[n] for n in places)
        found.append(
            sorted_term(
                bind(kind, order, body, tuple(heads[n] for n in places) if kind == "coordinates" else heads)
            )
        )
    return min(found, key=text)
