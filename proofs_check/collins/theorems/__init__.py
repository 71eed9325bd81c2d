"""The theorems of Collins et al. on the width of the attention window, on other tasks and on linear
attention (Section 3, Appendices E and F).
"""
