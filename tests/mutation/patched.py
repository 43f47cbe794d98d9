"""Changes one function of a module that is loaded already: whoever has imported it runs the change."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from tests.mutation.mutants import Mutant, mutated


def patch(mutant: Mutant, root: Path) -> bool:
    """Put the change into its function; False where it is in none, or in one that cannot be reached."""
    module = sys.modules.get(f"{root.name}.{mutant.file.removesuffix('.py').replace('/', '.')}")
    function = _function(module, mutant.function) if module is not None and mutant.function else None
    if function is None:
        return False
    path = str(root / mutant.file)
    whole = compile(mutated(Path(path).read_text(), mutant.number), path, "exec", dont_inherit=True)
    found = [code for code in _codes(whole) if code.co_qualname == mutant.function]
    if len(found) != 1 or found[0].co_freevars != function.__code__.co_freevars:
        return False
    if found[0].co_firstlineno != function.__code__.co_firstlineno:
        return False
    function.__code__ = found[0]
    return True


def _function(module: Any, name: str) -> FunctionType | None:
    owner: Any = module
    for part in name.split("."):
        owner = vars(owner).get(part)
        if owner is None:
            return None
    owner = getattr(owner, "py_func", owner)  # a kernel, which runs as plain Python
    for attribute in ("fget", "__func__", "func", "__wrapped__"):
        if isinstance(owner, property | classmethod | staticmethod | cached_property) or hasattr(owner, "cache_clear"):
            owner = getattr(owner, attribute, owner)
    return owner if isinstance(owner, FunctionType) else None


def _codes(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _codes(each)
