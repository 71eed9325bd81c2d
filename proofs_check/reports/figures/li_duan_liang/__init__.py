"""Figures 1 to 4 of Li, Duan & Liang: prompts, the attention alone and a whole block trained on
them, and the page.
"""

from __future__ import annotations
