"""Laws of tokens: what they are (`token_law`, `built_in` and their structures), how they are drawn,
their transforms (`tilted_by_cauchy` where only a log-mgf is known), exact sums over them
(`weighted_nodes`), the boundary cases (`edge_cases`), and whether their sub-Gaussian parameter is
valid (`variance_proxies`, with the `search`;
`sub_gaussian` on the line).
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
from numerics.token_laws.token_law import TokenLaw
from numerics.token_laws.variance_proxies.check import check_variance_proxy

__all__ = [
    "TokenLaw",
    "atoms",
    "ball",
    "check_variance_proxy",
    "embedding_table",
    "from_identity",
    "gaussian",
    "rademacher",
    "sphere",
    "uniform",
]
