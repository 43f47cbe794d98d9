"""A page on a running query: what its checkpoint and outputs say, and the few things that can be asked of it."""
