"""The claims about what time it takes to learn in context over finitely many features, beside the
laws that Li, Duan & Liang print.
"""
