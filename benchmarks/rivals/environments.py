"""An environment for each rival, from its requirements, so that none has to agree with another about versions."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.rivals.catalog import Engine

HERE = Path(__file__).parent
ENVIRONMENTS = HERE / ".envs"
REQUIREMENTS = HERE / "requirements"


def interpreter(engine: Engine) -> Path:
    """Return the Python that runs an engine."""
    return Path(sys.executable) if engine.environment is None else _python(engine.environment)


def reason_to_skip(engine: Engine) -> str:
    """Return why an engine cannot be run at all; nothing if it can."""
    if engine.skipped or interpreter(engine).exists():
        return engine.skipped
    failed = ENVIRONMENTS / f"{engine.environment}.failed"
    if failed.exists():
        return f"could not be installed: {failed.read_text()}"
    return "not installed: make rivals"


def set_up(engines: list[Engine]) -> None:
    """Make the environments that are missing; what cannot be installed is noted with the reason, and left out."""
    ENVIRONMENTS.mkdir(exist_ok=True)
    for name in sorted({engine.environment for engine in engines if engine.environment and not engine.skipped}):
        if _python(name).exists():
            print(f"{name}: is there")
        else:
            print(f"{name}: {_install(name) or 'installed'}", flush=True)


def _install(name: str) -> str:
    """Install; return the reason if that fails."""
    folder, failed = ENVIRONMENTS / name, ENVIRONMENTS / f"{name}.failed"
    failed.unlink(missing_ok=True)
    subprocess.run([str(_base_python()), "-m", "venv", str(folder)], check=True)
    pip = [str(_python(name)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*pip, "-r", str(REQUIREMENTS / f"{name}.txt")], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    shutil.rmtree(folder)
    reason = (done.stderr.strip() or "pip failed").splitlines()[-1]
    failed.write_text(reason)
    return reason


def _python(name: str) -> Path:
    return ENVIRONMENTS / name / "bin" / "python"


def _base_python() -> str:
    """Return the interpreter outside of our own environment."""
    return str(getattr(sys, "_base_executable", sys.executable))
