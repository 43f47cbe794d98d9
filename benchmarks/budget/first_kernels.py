"""Runs every operator twice over a few rows, and says how many seconds each time took: kernels are what differs."""

from __future__ import annotations

import time

from slackwater.cli.prepare.first_queries import in_process

if __name__ == "__main__":
    for _ in range(2):
        began = time.perf_counter()
        in_process()
        print(time.perf_counter() - began)
