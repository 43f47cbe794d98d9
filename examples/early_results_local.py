"""Show windows before they are final, in process: by the clock, on demand, and the last that is known of each."""

import pyarrow as pa

import slackwater as sw

rows = pa.table(
    {
        "ts": [1, 3, 8, 2, 11, 9, 14, 18, 27],
        "line": ["5", "7", "5", "5", "5", "7", "7", "5", "5"],
        "delay": [30, 10, 60, 20, 15, 90, 5, 40, 25],
    }
)
bus = sw.stream(rows, name="bus", event_time="ts", unit="s")
worst = sw.aggregate(
    bus,
    by="line",
    size="10 seconds",
    values={"worst": sw.max("delay"), "n": sw.count()},
    contract=sw.FixedSlack("5 seconds"),
    early=sw.Early(aggressiveness=0.25, estimate="raw"),  # a quarter of the slide before the end: what has come by then
)


def show(table):
    """Print one line for each result."""
    for row in table.to_pylist():
        values = f"worst {row['worst']}, n {row['n']}"
        print(f"  until {row['window']['end'].second}, line {row['line']}: {values}, {row['kind']} {row['revision']}")


print("as they come:")
show(worst.results)
print("the last of each:")
show(sw.last_revision(worst.results, by="line"))

print("on demand:")
live = worst.live()
live.feed(rows.slice(0, 2))
show(live.prod(where={"line": "7"}).results)
