"""Our own results."""
