"""What the pages of trained figures of several papers share: running the jobs, and the page."""
