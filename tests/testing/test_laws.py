"""Every controller, and the reorder operator under every controller, keep the shared laws."""

from __future__ import annotations

import pytest

from slackwater.control import Speculative
from slackwater.testing.discover import controller_configs
from slackwater.testing.laws import controller_laws, operator_laws
from slackwater.testing.scripted import Scripted

SCRIPTED = Scripted(("1 second", "4 seconds", "0 seconds", "2 seconds"))
CONFIGS = [*controller_configs(), SCRIPTED, Speculative(SCRIPTED, alpha=0.5)]
LAWS = [law for config in CONFIGS for law in (*controller_laws(config), *operator_laws(config))]


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_law(law):
    if law.skipped:
        pytest.skip(law.skipped)
    law.check()
