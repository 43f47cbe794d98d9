"""What a plan's processor asks of Spark's state: nothing that the JVM would have to parse."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pyspark.sql.types import StructType

from slackwater.spark.shell import open_state


@dataclass
class Handle:
    """Notes the layouts that it is asked for."""

    layouts: list[Any] = field(default_factory=list)

    def getValueState(self, name: str, schema: Any) -> str:  # noqa: N802  (as Spark calls it)
        self.layouts.append(schema)
        return name

    def getMapState(self, name: str, key: Any, value: Any) -> str:  # noqa: N802  (as Spark calls it)
        self.layouts += [key, value]
        return name


def test_layouts_of_the_state_are_no_text_which_the_jvm_would_parse_in_every_batch():
    handle = Handle()
    assert ("meta", ["chunks", "marks"]) == open_state(handle, ["chunks", "marks"])
    assert 5 == len(handle.layouts)
    assert all(isinstance(layout, StructType) for layout in handle.layouts)


def test_layouts_of_the_state_are_those_that_checkpoints_have():
    handle = Handle()
    open_state(handle, ["chunks"])
    assert ["body:string", "number:bigint", "body:binary"] == [
        layout.simpleString()[len("struct<") : -1] for layout in handle.layouts
    ]
