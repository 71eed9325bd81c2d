"""What the reports of several papers share: a line for each law, with what the ledger declares and
what exact numbers say; exponents, pictures, and the page.
"""
