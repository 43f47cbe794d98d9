"""The aggregate functions over what another query gives: of its columns, or of what is computed in its streams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from sqlglot import exp

from slackwater.errors import ParameterError
from slackwater.plan.validate_chain import short_name
from slackwater.sql.calls import Calls
from slackwater.sql.computed import Computed, column_at, column_name, with_paths, written
from slackwater.sql.expressions import DIALECT
from slackwater.sql.items import Chosen, Find
from slackwater.sql.places import QUERY
from slackwater.wording import did_you_mean

if TYPE_CHECKING:
    from slackwater.sql.bound import Bound
    from slackwater.sql.output import SqlOutput


@dataclass
class ChainCalls(Calls):
    """The values of windows over the results of another query.

    `find` gives what `sw.aggregate` calls a column: `bus.line` of a join. What is computed from columns of one stream
    becomes a column of that stream, since a plan of several operators computes nothing in between.
    """

    paths: dict[str, Sequence[str]] = field(default_factory=dict)  # where results have a column, by that name
    own: dict[str, str] = field(default_factory=dict)  # what the other query calls it, by that name
    added: dict[str, list[Chosen]] = field(default_factory=dict)  # to streams, by their names

    @classmethod
    def of(cls, bound: Bound, output: SqlOutput) -> ChainCalls:
        """Return the values of windows over a query, none so far."""
        if output.selected is None:
            assert output.find is not None  # only of a join or a merge all is selected
            calls = cls(bound, output.find)
            calls.find = partial(calls._name, output.find)
            return calls
        calls = cls(bound, _nothing)
        named = {each.name.lower(): each for each in output.selected}
        calls.find = partial(calls._name_of_selected, named)
        return calls

    def compute(self, name: str, computed: Computed) -> str:
        """Note an expression over one stream as a column of that stream.

        Raises:
            ParameterError: it is over several, or over what is in none of them.
        """
        paths = [self.paths[column.name] for column in computed.tree.find_all(exp.Column)]
        streams = {path[0] for path in paths}
        if len(streams) != 1 or any(len(path) != 2 for path in paths):
            remedy = "else write what the query gives INTO a sink, and aggregate that"
            must = "be a column of the other query, or computed from columns of one stream"
            raise ParameterError(QUERY, name, must=must, remedy=remedy)
        (stream,) = streams
        own = with_paths(computed.tree, lambda parts: [self.paths[parts[-1]][1]])
        return self._noted([stream, self._added(stream, written(own.tree, DIALECT), own)], name, name)

    def _added(self, stream: str, text: str, computed: Computed) -> str:
        """Return the column of a stream that is computed so, which may be there already."""
        added = self.added.setdefault(stream, [])
        for each in added:
            if each.computed == computed:
                return each.name
        names = dict(self.bound.schemas())[stream].names
        added.append(Chosen(column_name(text, [*names, *(each.name for each in added)]), computed))
        return added[-1].name

    def told_apart(self, by: Sequence[str]) -> dict[str, str]:
        """Return what `sw.aggregate` calls groups; those of one name in several streams get that of the stream too."""
        by = tuple(dict.fromkeys(by))
        short = [short_name(column) for column in by]
        return {
            column: column if short.count(name) == 1 else self._with_stream(column)
            for column, name in zip(by, short, strict=True)
        }

    def _with_stream(self, column: str) -> str:
        """Add a column that is called after its stream, and return what `sw.aggregate` calls it."""
        path, own = self.paths[column], self.own[column]
        if len(path) != 2:
            return column
        name = "_".join(path)
        column = self._added(path[0], name, Computed(column_at(path[1:])))
        return self._noted([path[0], column], name, name if own == path[1] else own)

    def _name(self, find: Find, parts: list[str]) -> list[str]:
        path = find(parts)
        return [self._noted(path, ".".join(parts), path[-1])]

    def _name_of_selected(self, named: Mapping[str, Chosen], parts: list[str]) -> list[str]:
        """Return a column by the name that the other query gives it, which may be of something computed."""
        called = self.bound.query.streams[0].called.lower()
        own = parts[1:] if len(parts) > 1 and parts[0].lower() == called else parts
        chosen = named.get(own[0].lower())
        if chosen is None:
            choice = ", ".join(each.name for each in named.values())
            remedy = f"{did_you_mean(own[0], named)}its columns are: {choice}"
            must = f"name columns of the query in brackets, not {'.'.join(own)!r}"
            raise ParameterError(QUERY, own[0], must=must, remedy=remedy)
        path = chosen.computed.path
        if path:
            return [self._noted([*path, *own[1:]], ".".join(parts), [chosen.name, *own[1:]][-1])]
        tree = with_paths(chosen.computed.tree, lambda path: [self._noted(path, ".".join(path), path[-1])])
        return [self._noted(self.paths[self.compute(chosen.name, tree)], ".".join(parts), chosen.name)]

    def _noted(self, path: Sequence[str], as_written: str, own: str) -> str:
        """Return what `sw.aggregate` calls a column; remember where it is, and how results call it."""
        name = ".".join(path)
        self.paths[name] = path
        self.written[name], self.own[name] = as_written, own
        return name


def _nothing(parts: list[str]) -> list[str]:
    return parts
