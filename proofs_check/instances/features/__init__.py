"""Instances of regression over finitely many features, for Li, Duan & Liang and for our results R7
and R9 to R12.
"""
