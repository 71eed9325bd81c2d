"""The best width of an attention window against the laws of Collins et al. and ours, R8 and R13 to
R16.
"""
