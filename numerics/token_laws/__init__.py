"""Laws of tokens: what they are (`token_law`, `built_in` and their structures), how they are drawn,
their transforms (`tilted_by_cauchy` where only a log-mgf is known), exact sums over them
(`weighted_nodes`), the boundary cases (`edge_cases`), and whether their sub-Gaussian parameter is
honest (`honest`, with its `search`, its `independent_check`, and `from_samples`; `sub_gaussian` on
the line).
"""

from __future__ import annotations

from numerics.token_laws.built_in import (
    atoms,
    ball,
    embedding_table,
    from_identity,
    gaussian,
    rademacher,
    sphere,
    uniform,
)
from numerics.token_laws.honest import honest_sigma
from numerics.token_laws.token_law import TokenLaw

__all__ = [
    "TokenLaw",
    "atoms",
    "ball",
    "embedding_table",
    "from_identity",
    "gaussian",
    "honest_sigma",
    "rademacher",
    "sphere",
    "uniform",
]
