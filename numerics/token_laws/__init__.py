"""Laws of tokens: Gaussian, independent coordinates, radial, atoms, and a user's own; and whether
the sigma of a law is honest.

==================  =====================================================================================================
`law`               `TokenLaw`: sampler, sub-Gaussian parameter, Laplace transform, what the compiled kernels need
`built_in`          the constructors, and `from_identity`
`independent`       Z = F g with independent coordinates: normal, sign, uniform
`radial`            Z = F g with g uniform on a sphere or in a ball
`atomic`            finitely many points
`bessel`            the transform of a sphere
`differentiate`     moments and tilts of a law from its log-mgf alone
`door`              the checks that a law passes when it is made
`honest`            `honest_sigma`
`search`            the v at which ``2 ln E exp(v.Z) / |v|^2`` is largest
`second_route`      the same value by other means
`from_samples`      what samples alone can refute
==================  =====================================================================================================
"""

from __future__ import annotations

from numerics.token_laws.built_in import atoms, ball, from_identity, gaussian, rademacher, sphere, uniform
from numerics.token_laws.honest import honest_sigma
from numerics.token_laws.token_law import TokenLaw

__all__ = ["TokenLaw", "atoms", "ball", "from_identity", "gaussian", "honest_sigma", "rademacher", "sphere", "uniform"]
