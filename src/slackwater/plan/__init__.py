"""Frozen descriptions of queries: engine-free, what every way to write a query builds."""
