"""The slide of a join's windows: they move with every event, which is what SUN15 takes SLIDE for.

SUN15 assumes a slide of the smallest time unit: of the data, whose times are then multiples of it. With a coarser one
windows would miss partners at their older end that ours find, so that such a text is refused where times can be seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slackwater.pipeline.columns import read_batch

if TYPE_CHECKING:
    from slackwater.sql.bound import Bound


def check_slide(bound: Bound) -> None:
    """Refuse a slide that event times are no multiples of; on Spark they are not known yet, and nothing is checked."""
    for number, (ref, stream) in enumerate(zip(bound.query.streams, bound.streams, strict=True)):
        if ref.window is None or ref.window.slide is None or bound.on_spark:
            continue
        slide = bound.duration(ref.window.slide, number)
        with bound.places.at(ref.place):
            times = read_batch(stream.node, stream.frame, processing_time=0).events.time
        if not slide or np.any(times % slide.microseconds):
            remedy = "leave SLIDE out: windows of a join move with every event"
            bound.places.fail(ref.place, f"times of {ref.called} are not multiples of the slide, {slide}", remedy)
