"""Lemma C.7: the product of two positive increasing functions increases."""
f, g, slope_f, slope_g = 1, 1, 1, 1
slope = slope_f * g + f * slope_g
print("values", f, g, "; slopes", slope_f, slope_g, "; slope of the product", slope)
assert slope > 0
