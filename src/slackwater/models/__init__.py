"""Predicted quality for a slack: pure functions, each cites its equation."""
