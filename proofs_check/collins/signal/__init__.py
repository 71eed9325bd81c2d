"""The signal term of Collins et al.: what the attention window loses to averaging over distant
tokens (Appendix C).
"""
