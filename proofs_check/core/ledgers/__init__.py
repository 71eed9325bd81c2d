"""What a run found: its ledger, where that is kept, and what it says of a paper as a whole."""
