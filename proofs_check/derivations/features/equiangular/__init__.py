"""R7: equiangular features of one norm, over which training is one number."""
