"""Tests that are a table of calls, each of which is refused with an error that says why."""

import pytest


def refusals(*cases, error=ValueError, of=lambda call: call()):
    """A test of cases (CALL, WORDS) or (CALL, KIND OF ERROR, WORDS); `of` calls what is no call."""

    @pytest.mark.parametrize("case", cases, ids=[says[:50] for *_, says in cases])
    def refused(case):
        call, *kind, says = case
        with pytest.raises(*(kind or [error]), match=says):
            of(call)

    return refused
