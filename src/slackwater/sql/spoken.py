"""What lower layers say to those who write Python, as those who write SQL would write it."""

from __future__ import annotations

import re

_SHARE = r"([\d.]+)"
_TEXT = r'"([^"]*)"'
# In this order: whole calls first, then what is left of them.
_WORDS: tuple[tuple[str, str], ...] = (
    (rf"Recall\({_SHARE}, over={_TEXT}\)", r"RECALL \1 OVER \2"),
    (rf"DropRatio\({_SHARE}, over={_TEXT}\)", r"DROP \1 OVER \2"),
    (rf"Recall\({_SHARE}\)", r"RECALL \1"),
    (rf"DropRatio\({_SHARE}\)", r"DROP \1"),
    (rf"RelativeError\({_SHARE}\)", r"ERROR \1"),
    (rf"Deadline\({_TEXT}\)", r"DEADLINE \1"),
    (rf"FixedSlack\({_TEXT}\)", r"SLACK \1"),
    (r"Early\(aggressiveness=0\.25\)|aggressiveness=0\.25", "EARLY 25%"),
    (r'Early\((?:\.\.\., )?estimate="raw"\)', "EARLY ... RAW"),
    (r"\bstream\(\.\.\., (\w+)=[^)]*\)", r"the option \1 of the stream"),
    (r"\bNoSlack\b(?:\(\))?", "NO SLACK"),
    (r"\bMaxSlack\b(?:\(\))?", "MAX SLACK"),
    (r"\bPunctuated\b(?:\(\))?", "PUNCTUATIONS"),
    (r"\bRecall\b", "RECALL"),
    (r"\bDropRatio\b", "DROP"),
    (r"\bRelativeError\b", "ERROR"),
    (r"\bDeadline\b", "DEADLINE"),
    (r"\bFixedSlack\b", "SLACK"),
    (r"(?<=[\d A-Z]) & (?=[A-Z])", " AND "),
    (rf"\bby={_TEXT}", r"GROUP BY \1 (PARTITION BY where there is no window)"),
    (r"\bby=", "GROUP BY or PARTITION BY"),
    (r"\bbuckets=(\d+)", r"BUCKETS \1"),
    (r"\bempty=(?=\W|$)", "EMPTY WINDOWS"),
    (r'\bscope="bucket"', "BUCKETS without POOLED"),
    (r'\bscope="global"', "BUCKETS ... POOLED"),
    *((rf"\b{word}=(?=\W|$)", f"{word.upper()} ") for word in ("cap", "over", "every", "at", "accuracy", "slide")),
    (r"\b(?:in|with) aggregate\b", "with windows and a SLIDE"),
    (r"leave slide out for windows without overlap", "write a SLIDE equal to the RANGE for windows without overlap"),
    (r'"5 seconds", "250 ms" or timedelta\(seconds=5\)', "5 SECONDS or 250 ms"),
    (r'"(\d+ [a-z]+)"', r"\1"),
)


def in_sql(said: str) -> str:
    """Return what was said with contracts and parameters in the words of SQL.

    >>> in_sql('use Recall(0.99) & Deadline("5 seconds"), or sw.DropRatio with cap="1 minute"')
    'use RECALL 0.99 AND DEADLINE 5 seconds, or DROP with CAP 1 minute'
    """
    said = said.replace("sw.control.", "").replace("sw.", "")
    for written, spoken in _WORDS:
        said = re.sub(written, spoken, said)
    return said
