"""What a checkpoint depends on, parameter by parameter: so that a refusal can name the one that was changed.

Names are those that users write. What decides whether state can be read is the identity that buckets check; this says
the same in parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from slackwater.plan.nodes import AggregateNode, JoinNode, MergeNode, ReorderNode, streams_of
from slackwater.spark.join_call import condition_of
from slackwater.spark.plan_file import NONE, OPERATOR

if TYPE_CHECKING:
    import pyarrow as pa

    from slackwater.plan.feed import Feed
    from slackwater.plan.nodes import StreamNode, StreamsNode

_Parts: TypeAlias = Iterator[tuple[str, str]]


def parameters_of(
    node: ReorderNode | StreamsNode | AggregateNode,
    schemas: Sequence[pa.Schema],
    then: AggregateNode | None = None,
    feed: Feed | None = None,
) -> dict[str, str]:
    """Return what the state of a plan depends on; of a chain, with the aggregate and where its columns are from."""
    parts: list[_Parts] = [iter([(OPERATOR, node.operator + (" then aggregate" if then else ""))])]
    streams = streams_of(node)
    parts += [_of_stream(stream, schema) for stream, schema in zip(streams, schemas, strict=True)]
    parts.append(_of_node(node))
    if then is not None:
        parts.append(_of_aggregate(then))
    if feed is not None:
        parts.append(iter([("columns of the aggregate", ", ".join(column for _, column in feed.columns))]))
    return {"streams": ", ".join(stream.name for stream in streams), **dict(chain.from_iterable(parts))}


def _of_stream(stream: StreamNode, schema: pa.Schema) -> _Parts:
    yield f"event_time of {stream.name}", f"{stream.event_time}{f' in {stream.unit}' if stream.unit else ''}"
    yield f"arrival of {stream.name}", stream.arrival or NONE
    for number, field in enumerate(schema):
        yield f"column {number + 1} of {stream.name}", f"{field.name} {field.type}"


def _of_node(node: ReorderNode | StreamsNode | AggregateNode) -> _Parts:
    if isinstance(node, AggregateNode):
        yield from _of_aggregate(node)
        yield "buckets", str(node.buckets)
        return
    if isinstance(node, ReorderNode | MergeNode):
        yield "by", ", ".join(node.by) or NONE
    if isinstance(node, JoinNode):
        yield from _of_join(node)
    if not isinstance(node, ReorderNode):
        yield "release", node.release
    yield "buckets", str(node.buckets)


def _of_join(node: JoinNode) -> _Parts:
    for stream, window in zip(node.streams, node.windows, strict=True):
        yield f"within of {stream.name}", str(window)
    yield "condition", condition_of(node)
    yield "closed", node.closed
    yield "synchronize", str(node.synchronize)
    yield "situation2", str(node.situation2)


def _of_aggregate(node: AggregateNode) -> _Parts:
    """Name what each level computes; of several, by the number of the level."""
    for number, level in enumerate(node.levels, start=1):
        of = f" of level {number}" if len(node.levels) > 1 else ""
        yield f"by{of}", ", ".join(level.by) or NONE
        yield f"size{of}", str(level.size)
        yield f"slide{of}", str(level.slide)
        for name, value in level.values:
            yield f"value {name}{of}", repr(value)
        yield f"order of values{of}", ", ".join(name for name, _ in level.values)
        compared = ", compared with final ones" if level.compares_early else ""
        yield f"early{of}", NONE if level.early is None else f"given{compared}"
