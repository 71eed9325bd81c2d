"""Proof of Lemma E.1: theta_L(t) = 2 rho t/tau leaves the open ball of radius 2 rho at tau; is it inside for any t <= tau?"""

rho, tau = 1, 1
theta_L = lambda t: 2 * rho * t / tau
t = tau
print("|theta_L(t)| =", abs(theta_L(t)), "< 2 rho =", 2 * rho, "at t =", t)
assert not abs(theta_L(t)) < 2 * rho
