"""How results show themselves: as lines in a terminal, as a table with typeset formulas in Jupyter,
and as a plot.

===========  =======================================================================================
`formulas`   reads LaTeX into MathML
`colours`    the colours of every plot
`result`     `Shown` and `Drawn`, the classes that results inherit, and values in a few words
===========  =======================================================================================
"""
