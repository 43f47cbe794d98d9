"""Join two streams under a recall contract, in process, and compare with what sorted input would give."""

import slackwater as sw
from slackwater.sources import load

data = load("syn3", seed=1, duration="1 minute")  # out of order, with delays that change
streams = [
    sw.stream(data.streams[name], name=name, event_time="event_time", arrival="arrival") for name in ("s1", "s2")
]


def pairs(contract):
    """Find combinations with equal keys within a second."""
    return sw.join(*streams, on="a1", within="1 second", contract=contract)


truth = pairs(sw.FixedSlack("1 hour")).results.num_rows
for contract in (sw.NoSlack(), sw.Recall(0.95, over="20 seconds"), sw.MaxSlack()):
    found = pairs(contract)
    slack = found.decisions["slack"].to_numpy().mean() / 1e6
    name = type(contract).__name__
    print(f"{name:9} {found.results.num_rows / truth:6.1%} of {truth:,} results, waited {slack:5.2f} s on average")
