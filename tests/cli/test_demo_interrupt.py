from __future__ import annotations

import os
import signal

import pytest

from slackwater.cli.demo.interrupt import interrupts_wait


def press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_waits_for_the_next_pause():
    with interrupts_wait() as pause:
        press_ctrl_c()
        with pytest.raises(KeyboardInterrupt):
            pause(60)


def test_second_ctrl_c_does_not_wait():
    with interrupts_wait():
        press_ctrl_c()
        with pytest.raises(KeyboardInterrupt):
            press_ctrl_c()


def test_ctrl_c_is_as_before_in_the_end():
    before = signal.getsignal(signal.SIGINT)
    with interrupts_wait():
        pass
    assert before is signal.getsignal(signal.SIGINT)
