"""Streams to try things on: the documents' generators, real sets, files, and their replay in arrival order.

Everything is seeded (same seed, same output) and comes as a `Dataset` of Arrow tables; `load(name)` has all by name.
"""

from slackwater.sources.catalog import NAMES, load
from slackwater.sources.dataset import Dataset, delays_of, summarize
from slackwater.sources.freeway import freeway
from slackwater.sources.poisson import poisson, poisson_changing
from slackwater.sources.replay import read_files, replay
from slackwater.sources.soccer import soccer
from slackwater.sources.syn import syn3, syn4
from slackwater.sources.traffic import traffic
from slackwater.sources.values import values
from slackwater.sources.wireless import wireless

__all__ = [
    "NAMES",
    "Dataset",
    "delays_of",
    "freeway",
    "load",
    "poisson",
    "poisson_changing",
    "read_files",
    "replay",
    "soccer",
    "summarize",
    "syn3",
    "syn4",
    "traffic",
    "values",
    "wireless",
]
