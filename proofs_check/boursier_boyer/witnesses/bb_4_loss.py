"""Section 4: is the squared loss (a - y)^2/2 jointly 1-smooth? Its gradient (a - y, y - a) at (0, 0) and at (0, 1)."""

from math import dist

gradient = lambda a, y: (a - y, y - a)
moved, step = dist(gradient(0, 0), gradient(0, 1)), dist((0, 0), (0, 1))
print("|difference of gradients| =", moved, " <= 1 *", step)
assert moved > 1.4 * step
