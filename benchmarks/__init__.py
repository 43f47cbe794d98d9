"""Benchmarks: ours against a rival in the same run, interleaved, as a ratio with its spread."""
