from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slackwater.core.reach import first_reaching


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=40),
    st.lists(st.tuples(st.integers(0, 39), st.integers(0, 10)), max_size=20),
)
def test_equals_a_scan_from_the_start(values, questions):
    questions = [(start % len(values), target) for start, target in questions]
    expected = [
        next((i for i in range(start, len(values)) if values[i] >= target), len(values)) for start, target in questions
    ]
    start = np.array([q[0] for q in questions], np.int64)
    target = np.array([q[1] for q in questions], np.int64)
    assert expected == first_reaching(np.array(values), start=start, target=target).tolist()
