"""Tables from bytes that others may have written: Arrow believes what bytes say of themselves."""

from __future__ import annotations

from typing import Any

import pyarrow as pa


def readable(table: pa.Table) -> pa.Table:
    """Return a table that is what it says: sizes fit, texts are UTF-8, and so are names, also within columns.

    O(bytes of its texts and offsets).

    Raises:
        pa.ArrowInvalid: values are not those of their type.
        UnicodeDecodeError: a name is no text.

    >>> readable(pa.table({"a": [1, 2]})).column_names
    ['a']
    """
    table.validate(full=True)
    for field in table.schema:
        _check_names(field)
    return table


def _check_names(field: pa.Field[Any]) -> None:
    """Read the name of a field and of all within it. As many steps as it has fields: Arrow bounds how deep they are."""
    str(field.name)
    kind = field.type
    if isinstance(kind, pa.DictionaryType):
        _check_names(pa.field("", kind.value_type))
    for place in range(kind.num_fields):
        _check_names(kind.field(place))
