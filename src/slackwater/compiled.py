"""Kernels compiled to machine code: the one place that knows how, with the types that Numba does not give.

Numba is loaded with the first call of a kernel, not with the modules that have some: that takes half a second, and a
driver of Spark, or a reorder without keys and with a fixed slack, never calls one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, update_wrapper
from threading import Lock
from typing import Any, TypeVar, cast

_MAKING = Lock()

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def compiled(function: Kernel) -> Kernel:
    """Compile a function of a module at its first call, to run without the interpreter lock; kept on disk between runs.

    Not for kernels that take another kernel as an argument: each process would add its own copy to the disk and find
    none of the others'. Use `compiled_source` for these.
    """
    return cast(Kernel, _Compiled(function, keep=True))


def compiled_source(function: Kernel) -> Kernel:
    """Compile a function that is made at run time, or that takes a kernel as an argument; kept in memory only.

    Division by zero gives inf or nan, as in NumPy.

    >>> compiled_source(lambda x: x / 0)(1.0)
    inf
    """
    return cast(Kernel, _Compiled(function, keep=False))


class _Compiled:
    """A function that Numba gets to see when it is called, or when a kernel that calls it is compiled."""

    def __init__(self, function: Callable[..., Any], *, keep: bool) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._keep = keep

    def __call__(self, *arguments: Any) -> Any:
        """Run it."""
        return self._dispatcher(*arguments)

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Pickle by name; one that was made at run time by its function."""
        name = self.py_func.__qualname__
        return (compiled_source, (self.py_func,)) if "<" in name else name

    @property
    def _numba_type_(self) -> Any:
        """What Numba asks for where a kernel calls this one, or gets it as an argument."""
        return self._dispatcher._numba_type_

    @cached_property
    def _dispatcher(self) -> Any:
        with _MAKING:  # two threads that call it first must have the same, or each compiles its own
            kept = self.__dict__
            if "_dispatcher" not in kept:
                kept["_dispatcher"] = self._made()
            return kept["_dispatcher"]

    def _made(self) -> Any:
        import numba

        options: Any = {"nogil": True, "error_model": "numpy"}
        if self._keep:
            try:
                return numba.njit(self.py_func, cache=True, **options)
            except RuntimeError:  # no place to keep it: a package in an archive, or nowhere to write
                pass
        return numba.njit(self.py_func, **options)
