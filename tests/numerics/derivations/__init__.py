from flint import ctx

from numerics.derivations.worlds import PRECISION

ctx.prec = PRECISION  # of the worlds in which theorems are evaluated
