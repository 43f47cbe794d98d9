"""What to write instead of names that other engines have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from slackwater.wording import did_you_mean

_MEDIAN, _QUANTILE, _MEAN = "sw.quantile(column, 0.5)", "sw.quantile(column, 0.95)", "sw.mean(column)"
_ROOT, _DISTINCT = "sw.variance(column), and take its root", "sw.distinct(column)"
_WINDOW = 'sw.aggregate(stream, size="30 seconds", slide="10 seconds", ...)'
_WATERMARK = 'sw.with_watermark(rows, "ts", sw.DropRatio(0.01)), or contract= of an operator'
_LATE = "contract= to say how long to wait, late= what happens to rows that come too late"

INSTEAD: Mapping[str, str] = {
    "median": _MEDIAN,
    **dict.fromkeys(("percentile", "percentile_approx", "approx_percentile", "approx_quantile"), _QUANTILE),
    **dict.fromkeys(("avg", "average"), _MEAN),
    **dict.fromkeys(("std", "stdev", "stddev", "stddev_samp"), _ROOT),
    **dict.fromkeys(("var", "var_samp"), "sw.variance(column)"),
    **dict.fromkeys(("approx_count_distinct", "count_distinct", "countDistinct", "nunique", "n_unique"), _DISTINCT),
    **dict.fromkeys(("window", "tumble", "tumbling", "hop", "hopping", "sliding"), _WINDOW),
    **dict.fromkeys(("group_by", "groupBy", "groupby"), "sw.aggregate(stream, by=column, ...)"),
    **dict.fromkeys(("watermark", "withWatermark"), _WATERMARK),
    **dict.fromkeys(("grace", "allowed_lateness"), _LATE),
    **dict.fromkeys(("sort", "order_by", "orderBy"), "sw.reorder(stream, contract=...)"),
    "concat": "sw.merge(first, second, contract=...)",
}


def no_such_name(name: str, known: Iterable[str]) -> str:
    """Return what to say of a name that slackwater does not have.

    >>> no_such_name("median", [])
    "slackwater has no 'median'; use sw.quantile(column, 0.5)"
    >>> no_such_name("Recal", ["Recall"]), no_such_name("zzz", ["Recall"])
    ("slackwater has no 'Recal'; did you mean Recall?", "slackwater has no 'zzz'")
    """
    remedy = f"use {INSTEAD[name]}" if name in INSTEAD else did_you_mean(name, known).strip()
    return f"slackwater has no {name!r}" + (f"; {remedy}" if remedy else "")
