"""Controllers: they see measurements and say how long to wait. One policy per file, each names its document."""

from slackwater.control.adaptive_max import AdaptiveMax
from slackwater.control.alpha_pd import AlphaPD
from slackwater.control.bounded_drops import BoundedDrops
from slackwater.control.bounded_error import BoundedError
from slackwater.control.capped import Capped
from slackwater.control.choose import controller_for
from slackwater.control.controller import Controller
from slackwater.control.deadline_slack import DeadlineSlack
from slackwater.control.fixed import Fixed
from slackwater.control.late_degree import LateDegreeModel
from slackwater.control.max_delay import MaxDelay
from slackwater.control.max_timestamp import MaxTimestamp
from slackwater.control.model_search import ModelSearch
from slackwater.control.needed_slack import NeededSlack
from slackwater.control.normal_delay import NormalDelay
from slackwater.control.pd import PD
from slackwater.control.sl_tuner import SLTuner
from slackwater.control.speculative import Speculative
from slackwater.control.static import StaticHigh, StaticLow
from slackwater.control.tcp import Tcp

__all__ = [
    "PD",
    "AdaptiveMax",
    "AlphaPD",
    "BoundedDrops",
    "BoundedError",
    "Capped",
    "Controller",
    "DeadlineSlack",
    "Fixed",
    "LateDegreeModel",
    "MaxDelay",
    "MaxTimestamp",
    "ModelSearch",
    "NeededSlack",
    "NormalDelay",
    "SLTuner",
    "Speculative",
    "StaticHigh",
    "StaticLow",
    "Tcp",
    "controller_for",
]
