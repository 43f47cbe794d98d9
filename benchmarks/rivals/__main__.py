"""`python -m benchmarks.rivals setup`, then `python -m benchmarks.rivals run --quick --jobs join2 --engines duckdb`."""

from __future__ import annotations

import sys

from benchmarks.rivals.command import main

sys.exit(main())
