"""A source as a process of its own: writes a file of each stream every so often, however far behind its reader is.

python -m tests.load.feeder /data/join 2 10000 1.0      (the folder, streams, rows a second, seconds between two files)
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tests.load.rows import rows_of, write_chunk


def main(folder: Path, streams: int, rate: float, every: float) -> None:
    """Write files until a file `fed` is there, which then says how many rows there were."""
    fed, rows = folder / "fed", max(1, round(rate * every))
    began, number = time.monotonic(), 0
    while not fed.exists():
        time.sleep(max(0.0, began + number * every - time.monotonic()))
        write_chunk(folder, number, rows_of(number * rows, rows), streams)
        number += 1
    fed.write_text(f"{number * rows}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]))
