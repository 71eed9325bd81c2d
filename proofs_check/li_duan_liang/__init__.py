"""The claims about Li, Duan & Liang, one folder for each part of the paper."""
