"""A query that was stopped, as a file: paths in it are those of wherever it is unpacked."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from urllib.parse import quote

HOME = Path(__file__).parent
_HERE = b"/@FOLDER@"  # stands for where the query is


def pack(folder: Path, file: Path) -> None:
    """Write a folder to a file, without the checksums that Hadoop keeps beside files."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(file, "w:xz") as packed:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.name.endswith(".crc"):
                body = path.read_bytes()
                for form in (str(folder), quote(str(folder))):  # Spark writes paths in both
                    body = body.replace(form.encode(), _HERE)
                entry = tarfile.TarInfo(str(path.relative_to(folder)))
                entry.size = len(body)
                entry.mtime = int(path.stat().st_mtime)  # Spark takes files by their times
                packed.addfile(entry, io.BytesIO(body))


def unpack(file: Path, folder: Path) -> None:
    """Read a folder from a file; its path is one that is written in URLs as it is."""
    assert quote(str(folder)) == str(folder), folder
    with tarfile.open(file) as packed:
        packed.extractall(folder, filter="data")
    for path in folder.rglob("*"):
        if path.is_file() and _HERE in path.read_bytes():
            path.write_bytes(path.read_bytes().replace(_HERE, str(folder).encode()))
