"""Refuses arguments of another kind than a function takes: a number for a flag, a text for
a list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

__all__ = ["check_kind", "read_items"]

#: What an error calls the kinds.
_CALLED: dict[Any, str] = {
    bool: "True or False",
    str: "a text",
    Callable: "a function",
    Mapping: "a mapping, as {name: value}",
}


def check_kind(kind: Any, /, **values: Any) -> None:
    """Refuse what is no instance of a kind, or of one of several; NumPy's Booleans count."""
    for name, value in values.items():
        item = (
            value.item() if kind is bool and type(value).__module__ == "numpy" and value.size == 1 else value
        )
        if not isinstance(item, kind):
            called = _CALLED.get(kind) or " or ".join(
                k.__name__ for k in (kind if isinstance(kind, tuple) else (kind,))
            )
            raise TypeError(f"{name} = {value!r:.200} is not {called}; pass {called}")


def read_items(kind: Any = object, /, **values: Any) -> tuple[Any, ...]:
    """The items of a list, in order, all of one kind; a text is no list."""
    ((name, value),) = values.items()
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable) or getattr(value, "ndim", 1) == 0:
        raise TypeError(f"{name} = {value!r:.200} is not a list; pass a list or a tuple")
    items = tuple(value)
    check_kind(kind, **{f"{name}[{i}]": item for i, item in enumerate(items)})
    return items
