"""The claims about Collins, Parulekar, Mokhtari, Sanghavi & Shakkottai, one folder for each part of
the paper.
"""
