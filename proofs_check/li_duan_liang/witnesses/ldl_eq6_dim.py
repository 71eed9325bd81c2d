"""The rows of y: P has d + 1 of them, the features take d."""
d, N = 2, 3
printed, true = d, (d + 1) - d
print(printed, "=", true, "; difference", printed - true)
assert printed != true
