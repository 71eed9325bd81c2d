class MatrixProperty:
    def __init__(self, s): pass
