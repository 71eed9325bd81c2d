"""In-context regression over finitely many features (Li, Duan & Liang): data and loss, the reduced
dynamics of the attention, and the laws of the time that it takes to learn.
"""

from __future__ import annotations
