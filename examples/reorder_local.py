"""Put a small table in event-time order, in process, and see where every row went."""

import pyarrow as pa

import slackwater as sw

rows = pa.table({"ts": [1, 4, 3, 5, 7, 8, 6, 9], "stop": ["a", "b", "c", "d", "e", "f", "g", "h"]})
bus = sw.stream(rows, name="bus", event_time="ts", unit="s")
ordered = sw.reorder(bus, contract=sw.FixedSlack("1 second"))

print(ordered.explain())
print("results:", ordered.results["ts"].to_pylist())
print("late:   ", ordered.late.to_pylist())
last = ordered.decisions.to_pylist()[-1]
print("counts: ", {name: last[name] for name in ("arrived", "released", "late", "buffered")})
