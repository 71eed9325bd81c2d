"""Means of a softmax average over sub-Gaussian tokens: Lemmas C.1 and C.4, R1, and their needs."""
