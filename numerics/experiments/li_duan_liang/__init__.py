"""The runs of Figures 1 to 4 of Li, Duan & Liang: the attention alone, and a whole block."""
