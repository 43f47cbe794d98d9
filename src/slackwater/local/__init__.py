"""The in-process runner over Arrow: the reference semantics."""
