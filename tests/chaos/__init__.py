"""Kills and faults on a real local cluster: `make chaos`, or `slackwater chaos --kills 200`."""
