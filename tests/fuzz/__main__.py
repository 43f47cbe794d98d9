"""Coverage-guided fuzzing with atheris: `python -m tests.fuzz sql --runs 1000000 --folder fuzz-output`.

What is found on the way is kept in the folder and is where the next run goes on; an input that fails is written there
too, and is the argument that repeats it: `python -m tests.fuzz sql --repeat fuzz-output/crash-...`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

# Only these are watched: Numba cannot compile what is instrumented, and the less is watched, the faster it is.
TRACED = ("sql", "plan", "spark", "local", "contracts", "duration", "units", "combined")
TRACED += ("disorder.json_lines", "parquet", "pipeline.prod", "pipeline.read_marks", "pipeline.marks")
LONGEST = 8192
PATIENCE = 1000  # inputs grow only when short ones, which take a third of the time, have long found nothing new


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("target", choices=("sql", "contract", "control", "state", "files"))
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, default=Path("fuzz-output"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repeat", type=Path, help="an input that failed")
    given = parser.parse_args()
    if given.repeat:
        from tests.fuzz.targets import TARGETS

        TARGETS[given.target].run(given.repeat.read_bytes())
        return
    try:
        import atheris
    except ImportError:
        sys.exit("fuzzing needs atheris: pip install atheris (Linux and macOS, Python 3.11 to 3.13)")
    with atheris.instrument_imports(include=["slackwater"], exclude=_unwatched(), enable_loader_override=False):
        from tests.fuzz.quicker import make_quicker
        from tests.fuzz.targets import TARGETS
    make_quicker()
    target = TARGETS[given.target]
    atheris.Setup(_options(given, target.seeds(), target.words), target.run)
    atheris.Fuzz()


def _unwatched() -> list[str]:
    """Return the modules that are not to be instrumented: atheris takes packages as a whole, but leaves out modules."""
    source = Path(__file__).parents[2] / "src"
    files = (path.relative_to(source).with_suffix("") for path in source.rglob("*.py"))
    modules = [".".join(path.parts).removesuffix(".__init__") for path in files]
    watched = tuple(f"slackwater.{name}" for name in TRACED)
    return [name for name in modules if not name.startswith(watched)]


def _options(given: argparse.Namespace, seeds: list[bytes], words: tuple[str, ...]) -> list[str]:
    """Return the arguments of libFuzzer, after writing what it begins with."""
    corpus = given.folder / given.target
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds):
        (corpus / f"seed-{number}").write_bytes(seed)
    dictionary = given.folder / f"{given.target}.dict"
    quoted = (word.replace("\\", "\\\\").replace('"', '\\"') for word in words)
    dictionary.write_text("".join(f'"{word}"\n' for word in quoted))
    limits = (f"-runs={given.runs}", f"-seed={given.seed}", f"-max_len={LONGEST}", f"-len_control={PATIENCE}")
    limits += ("-timeout=30", "-rss_limit_mb=3000")
    limits += ("-keep_seed=1",)  # of what Arrow does nothing is seen: files that it can read are no more than others
    kept = (f"-artifact_prefix={given.folder}/{given.target}-", f"-dict={dictionary}", "-print_final_stats=1")
    return [sys.argv[0], *limits, *kept, str(corpus)]


if __name__ == "__main__":
    main()
