"""Laws of tokens: what they are, how they are drawn, their transforms, and whether their
sub-Gaussian parameter is honest.

===================  ==============================================================================
`token_law`          `TokenLaw`, the one object that every engine takes
`built_in`           Gaussian, signs, cube, sphere, ball, finitely many points, the rows of a table;
                     `from_identity`
`independent`        their structure: F g with independent coordinates g
`radial`             the same with g on a sphere or in a ball, and the Laplace transform of a sphere
`atomic`             finitely many points, exactly where they are rational
`embeddings`         the rows of a large table, and `diameter`, of which their sigma is half
`weighted_nodes`     the view of a law that exact sums take, and cubature rules for continuous laws
`hostile`            the boundary cases on which every probabilistic statement is tried
`sub_gaussian`       optimal variance proxies of laws on the line, also proved by Arb
`checks`             what a law of a user's own must pass when it is made
`tilted_by_cauchy`   means and covariances of tilted laws from the log-mgf alone
`honest`             `honest_sigma`, with its `search`, its `second_route`, and `from_samples` where
                     there is no log-mgf
===================  ==============================================================================
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
