"""The command `demo`: a live Spark stream put in order under two policies at the same time."""
