"""Compares pinned versions with advisories that are at hand, for where those of PyPI cannot be reached.

advisories.py constraints.txt             with those of the package safety-db, which come with it
advisories.py constraints.txt FOLDER      with a copy of https://github.com/pypa/advisory-database

Says of when they are: what was found out later is in none of them. The exit code is 1 if a version is concerned.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from packaging.requirements import Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name


class Advisory(NamedTuple):
    """What is known of some versions of a package."""

    package: str
    name: str
    day: str
    affected: tuple[str, ...]  # specifiers of versions, any of which counts

    def concerns(self, version: str) -> bool:
        """Whether a version is one of them.

        >>> known = Advisory("a", "A-1", "2024-01-31", (">=2,<2.3.1", "===1.7"))
        >>> [known.concerns(version) for version in ("2.3", "2.3.1", "1.7")]
        [True, False, True]
        """
        try:
            return any(SpecifierSet(each).contains(version, prereleases=True) for each in self.affected)
        except InvalidSpecifier:
            return True  # who cannot read an advisory has to look


def of_package() -> Iterator[Advisory]:
    """Yield the advisories of safety-db."""
    package = find_spec("safety_db")  # to import it would fail
    assert package, "safety-db is not installed"
    known = json.loads(Path(str(package.origin)).with_name("insecure_full.json").read_text())
    day = datetime.fromtimestamp(known.pop("$meta")["timestamp"], UTC).date().isoformat()
    for package, advisories in known.items():
        yield from (Advisory(canonicalize_name(package), each["id"], day, tuple(each["specs"])) for each in advisories)


def of_folder(folder: Path) -> Iterator[Advisory]:
    """Yield the advisories of a copy of PyPI's own, but for those that were taken back."""
    for file in folder.rglob("PYSEC-*.yaml"):
        read = yaml.load(file.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        if "withdrawn" not in read:
            for each in read["affected"]:
                package = canonicalize_name(each["package"]["name"])
                yield Advisory(package, read["id"], str(read["modified"])[:10], tuple(_affected(each)))


def _affected(package: Mapping[str, Any]) -> Iterator[str]:
    """Yield versions as specifiers: those that are listed, and ranges, of which one without an end goes on.

    >>> events = [{"introduced": "0"}, {"fixed": "1.2"}, {"introduced": "2"}, {"last_affected": "2.5"}]
    >>> list(_affected({"versions": ["1.1"], "ranges": [{"type": "ECOSYSTEM", "events": events}]}))
    ['===1.1', '>=0,<1.2', '>=2,<=2.5']
    """
    yield from (f"==={version}" for version in package.get("versions", ()))
    for each in package.get("ranges", ()):
        begin = None
        for event in each["events"] if each["type"] == "ECOSYSTEM" else ():
            begin = event.get("introduced", begin)
            if "introduced" not in event:
                yield f">={begin},<{event['fixed']}" if "fixed" in event else f">={begin},<={event['last_affected']}"
                begin = None
        if begin is not None:
            yield f">={begin}"


def main(pinned: Path, folder: Path | None) -> int:
    """Print what is known of pinned versions; return the exit code."""
    lines = (line.partition("#")[0].strip() for line in pinned.read_text().splitlines())
    pins = [Requirement(line) for line in lines if line]
    versions: dict[str, str] = {canonicalize_name(pin.name): next(iter(pin.specifier)).version for pin in pins}
    advisories = list(of_package() if folder is None else of_folder(folder))
    named = [each for each in advisories if each.package in versions]
    found = [each for each in named if each.concerns(versions[each.package])]
    for each in found:
        sys.stdout.write(f"{each.package} {versions[each.package]}: {each.name}\n")
    newest = max((each.day for each in advisories), default="never")
    sys.stdout.write(
        f"slackwater: {len(versions)} versions, {len(advisories):,} advisories, the newest of {newest}, AND NONE"
        f" LATER; {len(named)} are about these packages, {len(found)} about these versions\n"
    )
    return 1 if found or not advisories else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None))
