"""For long runs: what libraries do again and again in the same way is done once, and in this thread alone.

None of it is what the targets look for. It changes the libraries for the whole process, so no test does it.
"""

from __future__ import annotations

from functools import cache, partial, partialmethod
from typing import Any

import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

from slackwater.local import files
from slackwater.sql import computed, expressions

REMEMBERED = 100_000  # expressions


def make_quicker() -> None:
    """Remember types and which texts are expressions; files of a few kilobytes are not worth a change of threads."""
    files.arrow_type = cache(files.arrow_type)
    for module, name in ((pyarrow.csv, "read_csv"), (pyarrow.json, "read_json")):
        alone = module.ReadOptions(use_threads=False)
        setattr(module, name, partial(getattr(module, name), read_options=alone))
    batches = pyarrow.parquet.ParquetFile.iter_batches
    pyarrow.parquet.ParquetFile.iter_batches = partialmethod(batches, use_threads=False)
    computed.tree_of = expressions.tree_of  # this one uses trees
    expressions.tree_of = _remembering(expressions.tree_of)


def _remembering(tree_of: Any) -> Any:
    """Return what asks sqlglot once whether a text is an expression."""
    known: set[str] = set()

    def checked(expression: Any, text: str) -> None:
        if expression.text not in known:
            tree_of(expression, text)
            if len(known) < REMEMBERED:
                known.add(expression.text)

    return checked
