"""Lemmas of books and papers, true ones and misquoted ones, as somebody would type them."""

import pytest

from numerics.evidence import Verdict
from numerics.lemmas import lemma

SGD = "given a(n+1) <= (1 - {c}/(n+1))*a(n) + 4/(n+1)^2, a(1) <= 4"
MILLS = "exp(x^2/2)*sqrt(pi/2)*erfc(x/sqrt(2))"
ON_01 = "for s > 0, X iid n in [0, 1], n in 1..20"

#: Kingma and Ba's Lemma 10.3, Chernoff's bound for every delta, the largest of n squared Gaussians,
#: the DKW inequality without its 2, squares of ordered matrices, step sizes of Adam, ...
FALSE = [
    "sum(sqrt(g(k)^2/k), k = 1..n) <= 2*G*sqrt(sum(g(k)^2, k = 1..n)) "
    "for G > 0, whole n >= 1 given |g(n)| <= G",
    "gamma(x) <= x^x for x >= 1/2",
    "(exp(d)/(1+d)^(1+d))^m <= exp(-m*d^2/3) for d, m > 0",
    "E(max(X^2)) <= 2*ln(n) for X iid n normal, n in 2..20",
    f"P(gap(X) > s) <= exp(-2*n*s^2) {ON_01}",
    "a(t) <= C/t for whole t >= 1 for some C given a(t+1) <= (1 - 1/(2*t))*a(t) + 1/t^2, a(1) <= 1",
    "A^2 >= B^2 for psd A, B of size 2 given A >= B",
    "tr(A*B*C) >= 0 for psd A, B, C of size 2",
    "(e^y/(1+e^y) - e^x/(1+e^x))^2 <= (1/4)^2*(y-x)^2*(1/2) for real x, y",
    "binomial(2*n, n) >= 4^n/sqrt(pi*n) for whole n >= 1",
    "p*log(p/q) + (1-p)*log((1-p)/(1-q)) >= 3*(p-q)^2 for p, q in (0, 1)",
    f"P(|mean(X) - E(X)| >= s) <= exp(-2*n*s^2) {ON_01}",
    "sqrt(b*v + (1-b)*g^2)*sqrt(n+1) >= sqrt(v)*sqrt(n) for v >= 0, 0 < b < 1, real g, whole n >= 1",
]
#: Pinsker, Gautschi, Mills, Chernoff, SGD, Nesterov, log det, Bernoulli divergences, digamma, ...
TRUE = [
    "g + h/2 <= 2*sqrt(g^2 + h^2) for g, h in [0, 1]",
    "p*log(p/q) + (1-p)*log((1-p)/(1-q)) >= 2*(p-q)^2 for p, q in (0, 1)",
    "gamma(x) <= 3*x^x for x >= 1/2",
    "x^(1-s) <= gamma(x+1)/gamma(x+s) <= (x+1)^(1-s) for x > 0, 0 < s < 1",
    "1 - 1/x^2 <= x*" + MILLS + " for x > 0",
    "lim x*" + MILLS + " = 1 as x -> oo for x > 0",
    "(exp(d)/(1+d)^(1+d))^m <= exp(-m*d^2/3) for m > 0, 0 < d <= 1",
    "(exp(d)/(1+d)^(1+d))^m <= exp(-m*d^2/(2+d)) for d, m > 0",
    "ln(1+x) <= x - x^2/2 + x^3/3 for x > -1",
    "a(n) <= 4/n for whole n >= 1 " + SGD.format(c=2),
    "t(k) >= (k+2)/2 for whole k >= 0 given t(k+1) = (1 + sqrt(1 + 4*t(k)^2))/2, t(0) = 1",
    "ln(det(X)) <= tr(X) - 2 for definite X of size 2",
    "tr(A*B) <= tr(A)*tr(B) for psd A, B of size 2",
    "tr(A^2) >= tr(B^2) for psd A, B of size 2 given A >= B",
    "binomial(2*n, n) <= 4^n/sqrt(pi*n) for whole n >= 1",
    "p*log(p/q) + (1-p)*log((1-p)/(1-q)) <= (p-q)^2/(q*(1-q)) for p, q in (0, 1)",
    "digamma(n+1) <= ln(n) + 1/(2*n) for whole n >= 1",
    "sum(1/k, k = 1..n) <= 1 + ln(n) for whole n >= 1",
    "sum(1/sqrt(k), k = 1..n) <= 2*sqrt(n) for whole n >= 1",
    "a + b <= C*sqrt(a^2 + b^2) for a, b > 0 for some C",
]
#: What speaks of every law is tried on many, and proved by nobody here.
SUPPORTED = [
    f"P(mean(X) - E(X) >= s) <= exp(-2*n*s^2) {ON_01}",
    f"P(gap(X) > s) <= 2*exp(-2*n*s^2) {ON_01}",
    "P(X - E(X) >= t) <= Var(X)/(Var(X) + t^2) for t > 0, X iid 1",
    "E(sum(X)^4) <= 3*n^2*E(X^4) for X iid n, n in 1..20 given E(X) = 0",
]


@pytest.mark.parametrize("text", FALSE)
def test_what_is_false_is_refuted(text):
    found = lemma(text)
    assert found.verdict is Verdict.REFUTED
    assert found.witness


@pytest.mark.parametrize("text", TRUE)
def test_what_is_true_is_proved(text):
    assert lemma(text).verdict.executed


@pytest.mark.parametrize("text", SUPPORTED)
def test_what_is_true_of_every_law_is_supported(text):
    assert lemma(text).verdict is Verdict.SUPPORTED
