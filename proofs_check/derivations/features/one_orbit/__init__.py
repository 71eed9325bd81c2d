"""Features that one finite group carries into each other: our R12."""
