"""What the demo says of its contract."""

from __future__ import annotations

from types import SimpleNamespace

import slackwater as sw
from slackwater.cli.demo.run import verdict


def said_of(late_share):
    return verdict(SimpleNamespace(policy="DropRatio(0.01)", late_share=late_share), sw.DropRatio(0.01))


def test_a_contract_that_was_kept_is_said_to_be():
    assert "DropRatio(0.01) promised that at most 1.0% come late; 0.231% did: kept" == said_of(0.00231)


def test_a_broken_contract_is_admitted():
    assert "DropRatio(0.01) promised that at most 1.0% come late; 1.200% did: broken" == said_of(0.012)
