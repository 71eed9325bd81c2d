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
from numerics.provers.as_written import LONGEST, scalar

__all__ = ["CONSTANTS", "FUNCTIONS", "HEADS", "Builder"]

CONSTANTS: Mapping[str, Any] = {
    **{"pi": sp.pi, "π": sp.pi, "e": sp.E, "oo": sp.oo, "∞": sp.oo, "EulerGamma": sp.EulerGamma},
}
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
#: Any other function has one argument.
TWO, ANY = ("binomial", "Quantile"), ("max", "min")
RELATIONS = {"<=": sp.Le, "<": sp.Lt, ">=": sp.Ge, ">": sp.Gt, "==": sp.Eq, "!=": sp.Ne}

#: The operations of two things.
OPERATIONS = {"+": add, "-": sub, "*": mul, "/": truediv}


def _inverses(e: Any) -> set[Any]:
    """The matrices and numbers that are inverted in an expression."""
    found = sp.sympify(e).atoms(sp.Pow, sp.MatPow)
    return {p.base for p in found if getattr(p.exp, "is_negative", False)}


def _whole_power(a: Any, b: Any) -> bool:
    """Whether a power of numbers is a number that can be written out."""
    bits = max(abs(a.p), a.q).bit_length()
    return bool(b.is_Integer and (a != 0 or b >= 0) and abs(b) * bits <= LONGEST)


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
        """The value of a formula without variables that is rational or infinite; otherwise None."""
        known = {name: v for name, v in self.values.items() if getattr(v, "is_number", False)}
        if named(f) - set(known) - set(CONSTANTS):
            return None
        with sp.evaluate(False):
            found = replace(self, values=known)(f)
        if found in (sp.oo, -sp.oo):
            return found
        read = scalar(found)  # what is not surely defined is a hypothesis
        return read.value if read.value.is_Rational and not read.conditions else None

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
            return self._called(f, args) if f.place >= 0 else self._operation(f.head, *args)
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

    def _operation(self, sign: str, a: Any, b: Any = None) -> Any:
        """Numbers and matrices are put together at once, if no inverse is cancelled by that, and
        other formulas as they are written, if whoever asks builds them so.
        """
        matrices = [getattr(x, "is_Matrix", False) for x in (a, b)]
        if sign == "'" and not matrices[0]:
            raise ValueError(f"' is the transpose of a matrix in {self.text!r}; call another variable x1")
        if sign == "/" and matrices[1]:
            raise ValueError(f"{self.text!r} divides by a matrix; write A*inv(B) or inv(B)*A")
        if not any(matrices):
            return self._put(sign, a, b, getattr(a, "is_Rational", False) and (b is None or b.is_Rational))
        found = self._put(sign, a, b, True)
        if b is None or all(_inverses(x) <= _inverses(found) for x in (a, b)):
            return found
        b = -b if sign == "-" else sp.Pow(b, -1, evaluate=False) if sign == "/" else b
        kinds = {"+": sp.MatAdd, "-": sp.MatAdd, "^": sp.MatPow}
        return kinds.get(sign, sp.MatMul)(a, b, evaluate=False)

    def _put(self, sign: str, a: Any, b: Any, at_once: bool) -> Any:
        with sp.evaluate(True) if at_once else nullcontext():
            match sign:
                case "neg":
                    return -a
                case "!":
                    return sp.factorial(a, evaluate=False)
                case "'":
                    return a.T
                case "/" if b == 0:
                    raise ValueError(f"{self.text!r} divides by 0; no number is meant")
                case "^" if a == sp.E:  # SymPy calls a power of e that is not evaluated an exp, too
                    return sp.exp(b)
                case "^" if at_once and a.is_Rational and not _whole_power(a, b):
                    return sp.Pow(a, b, evaluate=False)
                case "^":
                    return a**b
                case "+" | "-" if not at_once:  # in one row, as it is printed
                    return sp.Add(*sp.Add.make_args(a), b if sign == "+" else -b)
                case "*" if not at_once:
                    return sp.Mul(*sp.Mul.make_args(a), b)
                case _:
                    return OPERATIONS[sign](a, b)

    def _called(self, f: Call, args: list[Any]) -> Any:
        head = f.head
        if head in self.values:
            unread(self.text, f.place, f"{head} is a variable and a function; write {head}*( for a product")
        if head in self.sequences:
            return sp.Function(head)(*args)
        of_a_sample = len(args) == 1 and named(f.args[0]) & self.samples  # max(X, 0) is of two numbers
        for heads in (OF_SAMPLES if of_a_sample else {}, OF_LAWS, OF_MATRICES, FUNCTIONS):
            if head in heads:
                if heads is FUNCTIONS and any(getattr(a, "is_Matrix", False) for a in args):
                    unread(self.text, f.place, f"{head} of a matrix is not read; write tr, det or norm")
                if head not in ANY and len(args) != (1 + (head in TWO)):
                    many = "two arguments" if head in TWO else "one argument"
                    unread(self.text, f.place, f"{head} has {many}; a logarithm to base b is log(x)/log(b)")
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
