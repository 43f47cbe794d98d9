"""Ctrl-C at a moment of our choosing."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interrupts_wait() -> Iterator[Callable[[float], None]]:
    """Let Ctrl-C wait for a pause: in the middle of a call to the JVM it would break the connection to it.

    Yields a function that sleeps, and raises KeyboardInterrupt if Ctrl-C was pressed. Pressed twice, it does not wait.
    """
    pressed = False

    def note(*_: Any) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True

    def pause(seconds: float) -> None:
        time.sleep(0 if pressed else seconds)
        if pressed:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, note)
    try:
        yield pause
    finally:
        signal.signal(signal.SIGINT, before)
