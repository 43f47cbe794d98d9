"""Load: what a query does at its limit, far above it, for an hour, and on streams that nobody wishes for."""
