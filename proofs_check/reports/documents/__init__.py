"""Documents made from a ledger, and the commands that make them."""
