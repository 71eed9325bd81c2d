"""Training over finitely many features (Li, Duan & Liang): gradient descent and the gradient flow
of the attention in compiled code, and the margin that decides late times.
"""

from __future__ import annotations
