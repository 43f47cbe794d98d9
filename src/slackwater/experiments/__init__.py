"""Experiments: each configures, runs and returns results as data; reports render them."""
