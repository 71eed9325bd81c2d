"""Terms that are built of the same arguments in the same way are one object: they are checked and
built once, and compared by a look.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Once"]

#: What was built, by its class, its arguments and their types.
BUILT: dict[Any, Any] = {}


class Once(type):
    """The class of classes whose objects, built of equal arguments of the same types, are one."""

    def __call__(cls, *args: Any, **named: Any) -> Any:
        values = (*args, *named.values()) if named else args
        # An int is equal to a Fraction and is no argument in its place: hence the types.
        key = (cls, values, tuple(map(type, values)), *named)
        try:
            return BUILT[key]
        except KeyError:
            return BUILT.setdefault(key, super().__call__(*args, **named))
        except TypeError:  # what has no hash is no part of a term, and is refused
            return super().__call__(*args, **named)
