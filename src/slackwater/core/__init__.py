"""Columnar operators: one per file, no clock of their own, no I/O, no engine, no controller, no payload."""
