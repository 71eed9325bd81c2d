"""Formulas as SymPy expressions. The names stand for what the lemma says that they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from operator import add, mul, sub, truediv
from typing import Any

import sympy as sp

from numerics.lemmas.laws import words as samples
from numerics.lemmas.matrices import heads as matrices
from numerics.lemmas.text.formulas import Bound, Call, Formula, Name, Number, Relation, named
from numerics.lemmas.text.tokens import unread

__all__ = ["CONSTANTS", "FUNCTIONS", "HEADS", "Builder"]

CONSTANTS: Mapping[str, Any] = {"pi": sp.pi, "e": sp.E, "oo": sp.oo, "∞": sp.oo, "EulerGamma": sp.EulerGamma}
#: Functions of numbers, by the names that are read.
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **{
        name: getattr(sp, name)
        for name in ("exp", "sin", "cos", "tan", "sinh", "cosh", "tanh", "erf", "erfc")
    },
    **{
        name: getattr(sp, name)
        for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh", "sqrt", "cbrt")
    },
    **{
        name: getattr(sp, name)
        for name in ("gamma", "loggamma", "digamma", "factorial", "binomial", "harmonic")
    },
    **{name: getattr(sp, name) for name in ("floor", "ceiling", "erfinv", "erfcinv", "LambertW", "sinc")},
    **{f"arc{name}": getattr(sp, f"a{name}") for name in ("sin", "cos", "tan")},
    **{"log": sp.log, "ln": sp.log, "abs": sp.Abs, "max": sp.Max, "min": sp.Min, "psi": sp.digamma},
}
#: Words about samples; `max` of a sample is its largest value.
OF_SAMPLES: Mapping[str, Callable[..., Any]] = {
    **{
        "mean": samples.SampleMean,
        "sum": samples.SampleSum,
        "max": samples.SampleMax,
        "min": samples.SampleMin,
    },
    **{"median": samples.SampleMedian, "var": samples.SampleVar, "gap": samples.CdfGap},
}
OF_LAWS: Mapping[str, Callable[..., Any]] = {
    **{"E": samples.E, "Var": samples.Var, "P": samples.P, "Quantile": samples.Quantile},
}
OF_MATRICES: Mapping[str, Callable[..., Any]] = {
    **{"tr": sp.Trace, "det": sp.Determinant, "inv": sp.Inverse, "norm": matrices.OperatorNorm},
    **{"normF": matrices.FrobeniusNorm, "lambda_max": matrices.LargestEigenvalue},
    **{"lambda_min": matrices.SmallestEigenvalue},
}
HEADS = frozenset((*FUNCTIONS, *OF_SAMPLES, *OF_LAWS, *OF_MATRICES, "sum", "prod", "I"))
RELATIONS = {"<=": sp.Le, "<": sp.Lt, ">=": sp.Ge, ">": sp.Gt, "==": sp.Eq, "!=": sp.Ne}

#: The operations of two things.
OPERATIONS = {"+": add, "-": sub, "*": mul, "/": truediv}
#: Powers of numbers with larger exponents are left as they are.
LARGEST = 1000


def _inverses(e: Any) -> set[Any]:
    """The matrices and numbers that are inverted in an expression."""
    found = sp.sympify(e).atoms(sp.Pow, sp.MatPow)
    return {p.base for p in found if getattr(p.exp, "is_negative", False)}


@dataclass(frozen=True)
class Builder:
    """Builds expressions from formulas: with values of names, names of sequences and of samples,
    and the size of the identity matrix.
    """

    text: str
    values: Mapping[str, Any]
    sequences: frozenset[str] = frozenset()
    samples: frozenset[str] = frozenset()
    size: Any = None

    def number(self, f: Formula) -> sp.Expr | None:
        """The value of a formula without variables; None if it has some."""
        known = {name: v for name, v in self.values.items() if getattr(v, "is_number", False)}
        if named(f) - set(known) - set(CONSTANTS):
            return None
        with sp.evaluate(True):
            found = replace(self, values=known)(f)
        return found if getattr(found, "is_number", False) else None

    def __call__(self, f: Formula) -> Any:
        match f:
            case Number():
                return f.value
            case Name():
                return self._name(f)
            case Relation():
                if len(f.signs) != 1:
                    raise ValueError(
                        f"a chain of signs stands for one event in {self.text!r}; join two by and"
                    )
                a, b = map(self, f.sides)
                return RELATIONS[f.signs[0]](a, b, evaluate=False)
            case Bound():
                return self._bound(f)
        if f.head in ("and", "or"):
            return (sp.And if f.head == "and" else sp.Or)(*map(self, f.args), evaluate=False)
        args = [self(a) for a in f.args]
        try:
            return self._called(f, args) if f.place >= 0 else self._operation(f.head, args)
        except (TypeError, AttributeError, NotImplementedError) as error:
            raise ValueError(
                f"{f.head} cannot be formed in {self.text!r}: {error}; check what stands in it"
            ) from None

    def _name(self, f: Name) -> Any:
        if f.text in self.values:
            return self.values[f.text]
        if f.text in CONSTANTS:
            return CONSTANTS[f.text]
        if f.text == "I" and self.size is not None:
            return sp.Identity(self.size)
        ways = f"add 'for real {f.text}' or 'for {f.text} > 0'"
        unread(self.text, f.place, f"nothing says what {f.text} is; {ways}")

    def _operation(self, sign: str, args: list[Any]) -> Any:
        """Numbers and matrices are put together at once, if no inverse is cancelled by that, and
        other formulas as they are written, if whoever asks builds them so.
        """
        if not any(getattr(a, "is_Matrix", False) for a in args):
            return self._put(sign, args, all(getattr(a, "is_Rational", False) for a in args))
        found = self._put(sign, args, True)
        if len(args) == 1 or all(_inverses(a) <= _inverses(found) for a in args):
            return found
        a, b = args
        b = -b if sign == "-" else sp.Pow(b, -1, evaluate=False) if sign == "/" else b
        kinds = {"+": sp.MatAdd, "-": sp.MatAdd, "^": sp.MatPow}
        return kinds.get(sign, sp.MatMul)(a, b, evaluate=False)

    def _put(self, sign: str, args: list[Any], at_once: bool) -> Any:
        plain = all(getattr(a, "is_Rational", False) for a in args)
        with sp.evaluate(True) if at_once else nullcontext():
            match sign, args:
                case "neg", [a]:
                    return -a
                case "!", [a]:
                    return sp.factorial(a)
                case "'", [a]:
                    return a.T
                case "abs", [a]:
                    return sp.Abs(a)
                case "/", [_, b] if b == 0:
                    raise ValueError(f"{self.text!r} divides by 0; no number is meant")
                case "^", [sp.E, b]:  # SymPy calls a power of e that is not evaluated an exp, too
                    return sp.exp(b)
                case "^", [a, b]:
                    return sp.Pow(a, b, evaluate=False) if plain and abs(b) > LARGEST else a**b
                case "+" | "-", [a, b] if not at_once:  # in one row, as it is printed
                    return sp.Add(*sp.Add.make_args(a), b if sign == "+" else -b)
                case "*", [a, b] if not at_once:
                    return sp.Mul(*sp.Mul.make_args(a), b)
                case _:
                    return OPERATIONS[sign](*args)

    def _called(self, f: Call, args: list[Any]) -> Any:
        head = f.head
        if head in self.sequences:
            return sp.Function(head)(*args)
        of_a_sample = len(args) == 1 and named(f.args[0]) & self.samples  # max(X, 0) is of two numbers
        for heads in (OF_SAMPLES if of_a_sample else {}, OF_LAWS, OF_MATRICES, FUNCTIONS):
            if head in heads:
                return heads[head](*args)
        known = ", ".join(sorted(HEADS))
        hint = f"there are {known}; a sequence {head} needs a condition, such as 'given {head}(1) <= 1'"
        unread(self.text, f.place, f"no function is called {head}; {hint}")

    def _bound(self, f: Bound) -> Any:
        low, high = map(self, f.ends)
        whole = getattr(low, "is_Integer", False) and low >= 0
        signs = {"positive" if low > 0 else "nonnegative": True} if whole else {}
        k = sp.Symbol(f.name, integer=True, **signs)
        body = replace(self, values={**self.values, f.name: k})(f.body)
        return (sp.Sum if f.head == "sum" else sp.Product)(body, (k, low, high))
