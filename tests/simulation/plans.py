"""Random cases, one for each seed."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.simulation.case import Case
from tests.simulation.contracts import random_contract
from tests.simulation.streams import random_rows

OPERATORS = ("reorder", "keyed reorder", "merge", "join", "join", "join", "aggregate", "aggregate", "aggregate")
CHAINS = ("levels", "chain")  # aggregates of aggregates, and of joins and merges
VALUES = {
    "n": "sw.count()",
    "known": 'sw.count("x")',
    "total": 'sw.sum("x")',
    "average": 'sw.mean("f")',
    "least": 'sw.min("x")',
    "most": 'sw.max("f")',
    "spread": 'sw.variance("x")',
    "tail": 'sw.quantile("x", 0.9)',
    "kinds": 'sw.distinct("key")',
}


def random_case(seed: int) -> Case:
    """Return the case of a seed: the same for ever, as long as this package stays as it is."""
    random = Random(seed)
    operator = random.choice(OPERATORS + CHAINS)
    pace = random.choice([1, 10, 500])
    if operator in CHAINS:
        return _levels(random, pace) if operator == "levels" else _chain(random, pace)
    make = {"merge": _merge, "join": _join, "aggregate": _aggregate}.get(operator, _reorder)
    return make(random, pace, keyed=operator == "keyed reorder")


def _case(random: Random, operator: str, options: dict[str, str], rows: tuple, **more: object) -> Case:
    cuts = sorted(random.sample(range(len(rows) + 1), min(random.choice([0, 1, 3, 8, 25]), len(rows) + 1)))
    replays = [number for number in range(len(cuts) + 1) if random.random() < 0.3]
    arrival = random.random() < 0.85
    shuffled = random.randint(1, 999) if arrival and random.random() < 0.5 else 0
    if random.random() < 0.08 and "then" not in options and options.get("late") != "'raise'":
        more["changes"] = _changes(random, operator, len(cuts) + 1, **more)
    return Case(
        operator, options, rows, cuts=tuple(cuts), replays=tuple(replays), shuffled=shuffled, arrival=arrival, **more
    )


def _changes(random: Random, operator: str, calls: int, *, streams: int = 1, **more: object) -> tuple:
    """Return other contracts, and the calls that they hold from."""
    at = sorted({random.randrange(calls + 1) for _ in range(random.randint(1, 3))})
    return tuple((call, random_contract(random, operator, streams=streams, pace=random.choice([1, 10]))) for call in at)


def _levels(random: Random, pace: int) -> Case:
    """Return windows of windows."""
    slide = random.choice([3, 10]) * pace
    size, by = slide * random.randint(1, 3), random.choice(["'key'", "['key', 'x']"])
    options = {
        "size": f'"{size} ms"',
        "slide": f'"{slide} ms"',
        "values": "{'n': sw.count(), 'total': sw.sum(\"x\")}",
        "by": by,
        "contract": random_contract(random, "levels", streams=1, pace=pace),
        "then": _then(random, slide, "n", random.choice([None, "'key'"])),
    }
    return _case(random, "aggregate", options, random_rows(random, streams=1, most=160, pace=pace))


def _chain(random: Random, pace: int) -> Case:
    """Return windows of the results of a join or a merge."""
    case = random.choice([_join, _merge])(random, pace, keyed=False)
    options = {name: text for name, text in case.options.items() if name not in ("late", "payload", "by")}
    column = "s0.x" if case.operator == "join" else "x"
    by = random.choice([None, "'s0.key'" if case.operator == "join" else "'key'"])
    return replace(case, options={**options, "then": _then(random, 5 * pace, column, by)}, changes=())


def _then(random: Random, unit: int, column: str, by: str | None) -> str:
    """Return the source of the options of an aggregate over results."""
    slide = unit * random.choice([1, 2])
    size = slide * random.choice([1, 3])
    values = f"{{'count': sw.count(), 'most': sw.max({column!r})}}"
    group = "" if by is None else f", 'by': {by}"
    return f"{{'size': '{size} ms', 'slide': '{slide} ms', 'values': {values}{group}}}"


def _reorder(random: Random, pace: int, *, keyed: bool) -> Case:
    options = {"contract": random_contract(random, "reorder", streams=1, pace=pace)}
    options |= _late(random, ["'drop'", "'adjust'"]) | _release(random, options)
    options |= {"by": random.choice(["'key'", "['key', 'x']"])} if keyed else {}
    return _case(random, "reorder", options, random_rows(random, streams=1, most=160, pace=pace))


def _merge(random: Random, pace: int, *, keyed: bool) -> Case:
    streams = random.randint(2, 4)
    options = {"contract": random_contract(random, "merge", streams=streams, pace=pace)}
    options |= _late(random, ["'drop'"]) | _release(random, options)
    options |= {"payload": "'structs'"} if random.random() < 0.3 else {}
    options |= {"by": "'key'"} if random.random() < 0.2 else {}
    rows = random_rows(random, streams=streams, most=140, pace=pace)
    return _case(random, "merge", options, rows, streams=streams)


def _join(random: Random, pace: int, *, keyed: bool) -> Case:
    streams = random.choice([2, 2, 2, 3, 3, 4])
    windows = [random.choice([1, 3, 8]) * pace for _ in range(streams)]
    same = random.random() < 0.5
    within = f'"{windows[0]} ms"' if same else str({f"s{s}": f"{window} ms" for s, window in enumerate(windows)})
    options = {"contract": random_contract(random, "join", streams=streams, pace=pace), "within": within}
    options |= random_condition(random, streams)
    options |= _late(random, ["'drop'"]) | _release(random, options)
    if random.random() < 0.15:
        options["closed"] = "'right'"
    if streams == 2 and random.random() < 0.1:
        options["situation2"] = "True"
    if random.random() < 0.1 and "Deadline" not in options["contract"]:
        options["synchronize"] = "False"
    rows = random_rows(random, streams=streams, most={2: 120, 3: 80, 4: 50}[streams], pace=pace)
    return _case(random, "join", options, rows, streams=streams)


def random_condition(random: Random, streams: int) -> dict[str, str]:
    """Return what must be equal, and what else must hold."""
    links = [random.choice(("key", "x")) for _ in range(streams - 1)]
    chain = " and ".join(f"s{s}.{column} = s{s + 1}.{column}" for s, column in enumerate(links))
    equal = [None, "'key'", "'key'", "['key', 'x']", repr(chain)]
    if streams > 2:
        equal.append("'s0.key = s1.key and s1.x = s2.x'")
    wheres = [
        "abs(s0.x - s1.x) < 3",
        "s0.x + s1.x > 8",
        "s1.x > 4",
        "s0.f < s1.f",
        "abs(s0.x - s1.x) <= 2 and abs(s0.f - s1.f) < 1",
        "s0.x > 2 or s1.x < 3",
    ]
    if streams > 2:
        wheres += ["s0.x + s1.x = s2.x", "abs(s1.x - s2.x) < 2"]
    on, where = random.choice(equal), None
    if random.random() < 0.5:
        where = "near" if random.random() < 0.15 else repr(random.choice(wheres))
    return {name: text for name, text in (("on", on), ("where", where)) if text is not None}


def _aggregate(random: Random, pace: int, *, keyed: bool) -> Case:
    slide = random.choice([1, 3, 10, 25]) * pace
    size = slide * random.randint(1, 5) + random.choice([0, 0, random.randint(0, slide)])
    names = random.sample(sorted(VALUES), random.randint(1, 4))
    options = {
        "size": f'"{size} ms"',
        "slide": f'"{slide} ms"',
        "values": f"{{{', '.join(f'{name!r}: {VALUES[name]}' for name in names)}}}",
        "contract": random_contract(random, "aggregate", streams=1, pace=pace),
    }
    by = random.choice([None, "'key'", "'key'", "['key', 'x']"])
    options |= {} if by is None else {"by": by}
    options |= _late(random, ["'drop'"])
    if random.random() < 0.45:
        options["early"] = _early(random, size, pace)
        if by == "['key', 'x']":  # of more than 64 groups, which ones are learned from depends on the batches (0021)
            options["early"] = "sw.Early(aggressiveness=0.25, estimate='raw')"
    if random.random() < 0.2:
        options["empty"] = "True"
        options["values"] = f"{{'n': sw.count(), 'total': {VALUES['total']}}}"  # a count tells which are empty
    if random.random() < 0.12:
        options["sideline"] = (
            f"sw.Sideline(over={random.choice([1, 50, 1_000])}, pace={random.choice([1, 40])}, one_in=3)"
        )
        options.pop("early", None)
    marks = random.random() < 0.4 and by != "['key', 'x']"  # a punctuation names all columns of a group, or none
    return _case(random, "aggregate", options, random_rows(random, streams=1, most=200, pace=pace, marks=marks))


def _early(random: Random, size: int, pace: int) -> str:
    when = [
        "",
        f"aggressiveness={random.choice([0, 0.25, 1])}",
        f'every="{random.choice([4, 30]) * pace} ms"',
        f'at=["{max(1, size // 2)} ms", "{2 * size} ms"]',
        f'aggressiveness=0.5, every="{20 * pace} ms"',
    ]
    if random.random() < 0.2:
        return f"sw.Early(accuracy={random.choice([0.5, 0.9])})"
    how = random.choice(["", "estimate='raw'", "estimate='raw'"])
    return f"sw.Early({', '.join(part for part in (random.choice(when), how) if part)})"


def _late(random: Random, others: list[str]) -> dict[str, str]:
    return {"late": random.choice([*others, "'raise'"])} if random.random() < 0.2 else {}


def _release(random: Random, options: dict[str, str]) -> dict[str, str]:
    return {"release": "'clock'"} if random.random() < 0.2 and "Deadline" not in options["contract"] else {}
