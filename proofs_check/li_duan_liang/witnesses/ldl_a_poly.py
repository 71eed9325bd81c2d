"""Appendix A: |f(x) - f(0)| / |x| of f = A x^2 + b x, A = b = 1, passes every C."""
for C in (1, 1000):
    x = C
    left, right = x**2 + x, C * x
    print("C, x:", C, x, "left", left, "right", right)
    assert left > right
