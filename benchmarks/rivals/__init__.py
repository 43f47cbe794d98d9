"""Four jobs, each written for several engines as their users would: who does the same work in less time?

`python -m benchmarks.rivals setup` makes an environment for each rival, `python -m benchmarks.rivals run` runs them.
"""
