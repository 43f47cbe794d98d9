"""Kernels compiled to machine code: the one place that knows how, with the types that Numba does not give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def compiled(function: Kernel) -> Kernel:
    """Compile a function of a module at its first call, to run without the interpreter lock; kept on disk between runs.

    Not for kernels that take another kernel as an argument: each process would add its own copy to the disk and find
    none of the others'. Use `compiled_source` for these.
    """
    try:
        return cast(Kernel, numba.njit(function, nogil=True, error_model="numpy", cache=True))
    except RuntimeError:  # no place to keep it: a package in an archive, or nowhere to write
        return compiled_source(function)


def compiled_source(function: Kernel) -> Kernel:
    """Compile a function that is made at run time, or that takes a kernel as an argument; kept in memory only.

    Division by zero gives inf or nan, as in NumPy.

    >>> compiled_source(lambda x: x / 0)(1.0)
    inf
    """
    return cast(Kernel, numba.njit(function, nogil=True, error_model="numpy"))
