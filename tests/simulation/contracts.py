"""Random contracts and controllers, as source."""

from __future__ import annotations

from random import Random

LOSSLESS = 'sw.FixedSlack("3000 days"'


def random_contract(random: Random, operator: str, *, streams: int, pace: int, values: tuple[str, ...] = ()) -> str:
    """Return the source of a contract that an operator may be asked to keep; `pace` is ms per row."""
    interval = random.choice([3, 10, 40]) * pace
    common = f'adaptation_interval="{interval} ms"'
    if random.random() < 0.25:
        common += f', cap="{random.choice([2, 8, 30]) * pace} ms"'
    target = random.choice([0.001, 0.05, 0.2, 0.6])
    kinds = ["none", "fixed", "fixed", "lossless", "max", "drop", "drop", "drop"]
    kinds += {
        "join": ["recall"] * 4 + ["by stream", "deadline", "both", "recall both"],
        "levels": [],
        "merge": ["by stream", "deadline", "deadline", "both"],
        "reorder": ["deadline", "both"],
        "aggregate": ["error", "error", "punctuated"],
    }[operator]
    kind = random.choice(kinds)
    over = f'over="{interval * random.choice([1, 4, 12])} ms"'
    slack = f"{random.choice([0, 1, 5, 12, 40]) * pace} ms"
    limit = f'"{random.choice([1, 6, 20]) * pace} ms"'
    both = f'sw.DropRatio({target}, {over}, adaptation_interval="{interval} ms")', f"sw.Deadline({limit})"
    named = ", ".join(f'"s{s}": "{random.choice([0, 3, 12]) * pace} ms"' for s in range(streams))
    controller = _controller(random, kind, operator, pace)
    return {
        "none": lambda: f"sw.NoSlack({common})",
        "fixed": lambda: f'sw.FixedSlack("{slack}", {common})',
        "lossless": lambda: f'{LOSSLESS}, adaptation_interval="{interval} ms")',
        "by stream": lambda: f"sw.FixedSlack({{{named}}}, {common})",
        "max": lambda: f"sw.MaxSlack({common}{controller})",
        "drop": lambda: f"sw.DropRatio({target}, {over}, {common}{controller})",
        "recall": lambda: f"sw.Recall({1 - target}, {over}, {common}{controller})",
        "error": lambda: f"sw.RelativeError({target}, confidence={random.choice([0.6, 0.95])}, {common}{controller})",
        "punctuated": lambda: f'sw.Punctuated(cap="{40 * pace} ms", adaptation_interval="{interval} ms")',
        "deadline": lambda: f"sw.Deadline({limit}, {common}{controller})",
        "both": lambda: " & ".join(random.sample(both, 2)),
        "recall both": lambda: " & ".join(random.sample((f"sw.Recall({1 - target}, {over}, {common})", both[1]), 2)),
    }[kind]()


def _controller(random: Random, kind: str, operator: str, pace: int) -> str:
    """Return what follows `controller=`; often nothing: the default."""
    if random.random() < 0.4:
        return ""
    ms = f'"{pace} ms"'
    equation = random.choice(("11", "12", "exact"))
    any_contract = [
        "control.MaxDelay()",
        "control.MaxTimestamp()",
        "control.StaticLow()",
        "control.StaticHigh()",
        f"control.AdaptiveMax(window={random.choice([2, 10])})",
        f'control.Fixed("{random.choice([0, 7]) * pace} ms")',
        f"control.Speculative(control.MaxDelay(), alpha={random.choice([0.0, 0.3, 1.0])})",
        f"control.Capped(control.AdaptiveMax(window=3), cap={ms})",
    ]
    with_target = [
        f'control.PD(kp="{20 * pace} ms", kd="{9 * pace} ms", overall={random.random() < 0.5})',
        "control.AlphaPD()",
        f"control.LateDegreeModel(granularity={ms}, overall={random.random() < 0.5})",
        f"control.NormalDelay(estimate_every=5, sample_every=1, samples=5, floor=2, equation={equation!r})",
        "control.BoundedDrops()",
    ]
    of_joins = [
        f"control.ModelSearch(granularity={ms}, basic_window={ms}, selectivity={random.choice(('eq', 'noneq'))!r})",
        "control.NeededSlack()",
        "control.NeededSlack(tolerance=0)",
        "control.Speculative(control.NeededSlack(), alpha=0.5)",
    ]
    of_deadlines = [f'control.Tcp(step={ms}, first="{5 * pace} ms")', "control.DeadlineSlack()"]
    of_deadlines.append(f"control.SLTuner(step={ms})")
    fitting = {
        "max": any_contract,
        "drop": any_contract + with_target * 2,
        "recall": any_contract + with_target + of_joins * 2,
        "error": [*any_contract, *with_target[:2], "control.BoundedError()"],
        "deadline": of_deadlines,
    }.get(kind, [])
    return f", controller={random.choice(fitting)}" if fitting else ""
