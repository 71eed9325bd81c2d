"""Claims about Li, Duan & Liang, *Provable In-Context Learning of Nonlinear Regression with
Transformers*.
"""
