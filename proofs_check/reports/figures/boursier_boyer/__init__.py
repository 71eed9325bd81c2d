"""Figures 1 to 8 of Boursier & Boyer: curves over several seeds, captions, files, and the page."""
