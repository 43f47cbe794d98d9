"""Fuzzing: whatever bytes come, the answer is the right one or an error of ours. See docs/RELIABILITY.md."""
