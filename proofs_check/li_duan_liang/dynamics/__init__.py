"""The dynamics of Li, Duan & Liang: phases, times and regimes (Sections 4 and 5, Appendices D
and E).
"""
