"""Files of rows, read and put in order: every row leaves or is late, or the file is refused.

The first byte says of which kind a file is, and how it is read.
"""

from __future__ import annotations

from contextlib import suppress

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

import slackwater as sw
from slackwater.errors import SlackwaterError
from slackwater.local.files import read_files
from tests.fuzz.memory import folder
from tests.lying import lying_file

KINDS = ("csv", "json", "parquet")
COLUMNS = ((), (("ts", "BIGINT"), ("text", "STRING")), (("ts", "TIMESTAMP"), ("x", "DOUBLE")))
TABLE = pa.table({"ts": [5, 3, 9], "text": ["a", None, "b"], "x": [1.5, 2.5, None]})


def files(data: bytes) -> None:
    """Read a file; put the rows of one in four in the order of its first column."""
    if not data:
        return
    kind, columns = KINDS[data[0] % 3], COLUMNS[data[0] // 3 % 3]
    file = folder() / "rows"
    file.write_bytes(data[1:])
    try:
        table = read_files(file, kind, columns)
    except SlackwaterError:
        return
    with suppress(SlackwaterError):
        if data[0] >= 192 and table.num_columns and table.num_rows < 1_000:
            stream = sw.stream(table, name="s", event_time=table.column_names[0], unit="ms")
            found = sw.reorder(stream, contract=sw.FixedSlack("2 ms"))
            assert found.results.num_rows + found.late.num_rows == table.num_rows, "a row is lost or came twice"


def seeds() -> list[bytes]:
    """Return a file of each kind, for each way to read it."""
    csv, parquet = pa.BufferOutputStream(), pa.BufferOutputStream()
    pa.csv.write_csv(TABLE, csv)
    pq.write_table(TABLE, parquet, compression="none")
    times = b'{"ts": "2026-01-01T00:00:00", "x": 1}\n{"ts": "2026-01-01 00:00:01+02:00", "x": null}\n'
    rows = b'{"ts": 5, "text": "a", "x": 1.5}\n{"ts": 3, "text": null}\n'
    bodies = (
        csv.getvalue().to_pybytes(),
        rows,
        parquet.getvalue().to_pybytes(),
        b"ts,x\n2026-01-01T00:00:00,1\n2025-01-01 00:00:00Z,\n",
        times,
        lying_file(1_000_000_000),
    )
    ways = [way * 3 for way in range(3)]
    ways += [way + 198 for way in ways]  # 198: divided by 9, and past 192
    return [bytes([way + place % 3]) + body for way in ways for place, body in enumerate(bodies)]
