"""Claims, the printed statements that they settle, and the ledger of their verdicts."""
