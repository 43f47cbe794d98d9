"""Which contract rules in a bucket: the plan's, or one that a control record has put in its place.

What rules is kept in the state of every bucket, with the contract that it replaced: a query that is started again goes
on under it, unless its plan has been given another contract meanwhile. See docs/decisions/0035.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from slackwater.errors import ParameterError, SlackwaterError
from slackwater.plan.changed_contract import under_contract
from slackwater.plan.contract_text import contract_text, parse_contract
from slackwater.spark.pace import Pace

if TYPE_CHECKING:
    from slackwater.contracts import Contract

_MOST_LETTERS = 600  # of a refusal: it is a row of decisions, not a place to write to


@dataclass(frozen=True, slots=True)
class Changed:
    """What became of a record that asks for another contract."""

    before: str
    asked: str
    after: str | None = None  # None: refused
    why: str = ""

    @property
    def words(self) -> str:
        """What decisions say of it."""
        if self.after is None:
            return f"refused: contract {self.asked!r}: {self.why}"[:_MOST_LETTERS]
        return f"contract: {self.before} -> {self.after}"


@dataclass(frozen=True)
class Ruling:
    """A plan as it was given, and the contracts that may rule it."""

    given: Any  # the node, before its trigger was looked at
    schemas: Sequence[pa.Schema]
    pace: Pace = field(default_factory=Pace)
    timers: bool = True  # whether the query has any: those cannot be had later
    is_shared: bool = False  # whether a tuner divides one deadline among several queries: it hears of no other

    @property
    def stated(self) -> str:
        """The plan's own contract, by which it is recognized."""
        return repr(self.given.contract)

    def kept(self, text: str) -> tuple[str, str]:
        """Return what a bucket remembers of a contract that rules instead of the plan's."""
        return self.stated, text

    def node(self, kept: Sequence[str] | None) -> Any:
        """Return the plan under the contract that rules; what was kept for a plan with another one is void."""
        if not kept or kept[0] != self.stated:
            return self.pace.within(self.given)
        return self._under(parse_contract(kept[1]))

    def change(self, kept: Sequence[str] | None, asked: str) -> Changed:
        """Say what a bucket does with a contract that it is asked to keep; nothing that is asked for stops a query."""
        now = self.contract(kept)
        before = text_of(now)
        try:
            if self.is_shared:
                raise own_change_refused(asked)
            wanted = read_contract(asked, now)
            self._under(wanted)
            return Changed(before, asked, contract_text(wanted))
        except (SlackwaterError, ValueError, ArithmeticError) as error:
            return Changed(before, asked, why=str(error))

    def contract(self, kept: Sequence[str] | None) -> Contract:
        """Return the contract that rules, as it was stated."""
        own: Contract = self.given.contract
        return own if not kept or kept[0] != self.stated else parse_contract(kept[1])

    def _under(self, contract: Contract) -> Any:
        node = self.pace.within(under_contract(self.given, contract, self.schemas))
        if not self.timers and has_timers(node):
            raise ParameterError(
                "contract",
                text_of(contract),
                must="need no timers, which the query was started without",
                remedy="stop the query and start it with this contract",
            )
        return node


def own_change_refused(contract: str) -> ParameterError:
    """Return the error of one query of several with a shared deadline that is to have another contract."""
    return ParameterError(
        "contract",
        contract,
        must="stay as it is where several queries share a deadline, which a tuner divides among them",
        remedy="stop them, and start all with sw.shared_deadline(sw.Deadline(...), ...) on the same folders",
    )


def read_contract(text: str, now: Contract) -> Contract:
    """Read a contract that is to follow another: period and interval stay where the text does not name them.

    >>> from slackwater.contracts import Recall
    >>> read_contract("recall 0.95", Recall(0.99, over="5 minutes"))
    Recall(0.95, over='5 minutes')
    """
    return parse_contract(text, over=now.period or "1 minute", every=now.interval)


def text_of(contract: Contract) -> str:
    """Return a contract as text that can be read back, or where it has none, as Python writes it."""
    try:
        return contract_text(contract)
    except ParameterError:
        return repr(contract)


def has_timers(node: Any) -> bool:
    """Whether buckets are called without rows, because streams have been silent for too long."""
    streams = node.streams if hasattr(node, "streams") else (node.stream,)
    return any(stream.idle_after for stream in streams)
