"""How results show themselves: as lines in a terminal, as a table with typeset formulas in Jupyter,
and as a plot. `result` has `Shown` and `Drawn`, the classes that results inherit; `formulas` reads
LaTeX into MathML.
"""
