"""Kernels are compiled when they are called; until then Numba is not even loaded."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np

from slackwater.compiled import compiled, compiled_source

WITHOUT_KERNELS = """
import sys
import pyarrow as pa
import slackwater as sw

rows = pa.table({"ts": [1, 4, 3]})
assert 3 == sw.reorder(sw.stream(rows, event_time="ts", unit="s"), contract=sw.FixedSlack("1 second")).results.num_rows
import slackwater.spark.query
print("numba" in sys.modules)
"""


@compiled
def doubled(value):
    return 2 * value


@compiled
def doubled_twice(value):
    return doubled(doubled(value))


def applied(kernel, value):
    return kernel(value)


def test_a_reorder_and_the_driver_of_spark_do_not_load_numba():
    done = subprocess.run([sys.executable, "-c", WITHOUT_KERNELS], capture_output=True, text=True, check=True)
    assert "False" == done.stdout.strip()


def test_a_kernel_may_call_another():
    assert 12 == doubled_twice(3)


def test_a_kernel_may_be_an_argument():
    assert 6 == compiled_source(applied)(doubled, 3)


def test_a_kernel_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(doubled)) is doubled


def test_a_kernel_keeps_its_name_and_its_function():
    assert ("doubled", 6) == (doubled.__name__, doubled.py_func(3))


def test_a_kernel_is_compiled_for_each_type():
    assert np.float64(3.0) == doubled(1.5)
    assert 4 == doubled(2)
