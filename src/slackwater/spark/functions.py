"""Which functions Spark's SQL has, known without a session."""

from __future__ import annotations

from pyspark.sql import functions

_ONLY_PYTHON = frozenset(
    {"col", "column", "lit", "expr", "broadcast", "udf", "udtf", "pandas_udf", "arrow_udf", "when"}
)


def has_function(name: str) -> bool:
    """Whether there is a function of this name; operators that look like functions are not looked for.

    >>> has_function("xxhash64"), has_function("list_sum")
    (True, False)
    """
    found = getattr(functions, name.lower(), None)
    return callable(found) and not name.startswith("_") and name.lower() not in _ONLY_PYTHON
