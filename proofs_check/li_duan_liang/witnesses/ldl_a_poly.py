"""Appendix A: |f(x) - f(0)| / |x| of f = x^2 + x passes every C."""
for C in (10, 1000):
    x = 2 * C
    left, right = x**2 + x, C * x
    print("C, x:", C, x, "left", left, "right", right)
    assert left > right
