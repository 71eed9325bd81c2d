"""`theory` is a common name: a module of another project that hides ours is refused in words."""

from __future__ import annotations

import theory

__all__: list[str] = []

if not hasattr(theory, "_HOME"):
    at = theory.__spec__.origin if theory.__spec__ else "an unknown place"
    raise ImportError(
        f"the module theory of {at} hides the package theory of largeprompt; rename that file or folder, or "
        "start Python in another folder or environment"
    )
