"""The setting of Li, Duan & Liang: features, tasks, attention, loss and gradients (Sections 3
and 4, Appendices B, C and F).
"""
