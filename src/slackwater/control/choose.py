"""Which controller keeps which contract, unless the contract names one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slackwater.combined import Combined
from slackwater.contracts import (
    Contract,
    ControllerConfig,
    DropRatio,
    FixedSlack,
    MaxSlack,
    NoSlack,
    Recall,
)
from slackwater.control.bounded_drops import BoundedDrops
from slackwater.control.capped import Capped
from slackwater.control.deadline_slack import DeadlineSlack
from slackwater.control.fixed import Fixed
from slackwater.control.max_delay import MaxDelay
from slackwater.control.needed_slack import NeededSlack
from slackwater.deadline import Deadline
from slackwater.errors import ParameterError
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.control.controller import Controller


def controller_for(
    contract: Contract, state: dict[str, Any] | None = None, *, windows: tuple[int, ...] = ()
) -> Controller:
    """Build the controller that keeps a contract, anew or from a snapshot; `windows` are those of a join, in us.

    >>> from slackwater.contracts import FixedSlack
    >>> controller_for(FixedSlack("2 seconds")).next_slack()
    Duration('2 seconds')
    """
    config = contract.controller or default_controller(contract)
    whose = _whose(contract, config)
    if state is not None and state.get("controller", whose) != whose:
        state = {"slack": int(state["slack"])} if "slack" in state else None  # another's memories mean nothing
    if contract.longest_wait is not None:
        config = Capped(config, contract.longest_wait)
    controller: Controller = config.build(state, contract.goal(windows))
    return controller


def controller_state(contract: Contract, controller: Controller) -> dict[str, Any]:
    """Return the snapshot of a contract's controller, and whose it is."""
    config = contract.controller or default_controller(contract)
    return {**controller.snapshot(), "controller": _whose(contract, config)}


def _whose(contract: Contract, config: ControllerConfig) -> str:
    """Name who remembers, and of what: what a controller knows of results means nothing for events."""
    return _kind(config) + ("/events" if contract.counts_events else "")


def _kind(config: ControllerConfig) -> str:
    inner = getattr(config, "inner", None)
    return type(config).__name__ + (f"({_kind(inner)})" if inner is not None else "")


def default_controller(contract: Contract) -> ControllerConfig:
    """Return the default controller of a contract."""
    match contract:
        case NoSlack():
            return Fixed(Duration.ZERO)
        case FixedSlack():
            return Fixed(contract.slack)
        case MaxSlack():
            return MaxDelay()
        case Recall():
            return NeededSlack()
        case DropRatio():
            return BoundedDrops()
        case Deadline():
            return DeadlineSlack()
        case Combined():
            return default_controller(contract.promise)
    raise ParameterError(
        "contract",
        contract,
        must="be one that this operator can keep",
        remedy="use Recall, DropRatio, Deadline, FixedSlack, MaxSlack or NoSlack",
    )
