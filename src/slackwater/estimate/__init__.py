"""Memories of the recent past: `update` and `get`."""
