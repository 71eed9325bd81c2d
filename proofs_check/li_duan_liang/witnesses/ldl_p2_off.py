"""Proposition 2: |g_{k,k'}| <= c L^2/K^2, at t = 1. v_k = e_k + s_k c_k b, c_1 = 10, c_k = 1 or 5 on half of the
others, s_k = +-1, f = +-s L/sqrt(2), eta = 1/(100 L^2): it is at least L^2/2000."""

for K in (48, 4800):
    left, right = 1 / 2000, 1 / K**2
    print("K, c1:", K, 1, "left", left, "right", right)
    assert left > right
