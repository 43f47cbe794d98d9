"""Which functions a text may use: Spark's on Spark; in process those of them that give the same there.

What `LOCAL` names is evaluated by DuckDB in process, after sqlglot has translated it; a test compares it with Spark.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from slackwater.errors import SqlError
from slackwater.sql.tokens import OPERATORS, Token, tokenize
from slackwater.sql.tree import Expression
from slackwater.wording import did_you_mean

LOCAL = frozenset(
    (
        *("abs", "ceil", "floor", "round", "sqrt", "exp", "ln", "log10", "power", "pow", "sign", "mod", "pi"),
        *("sin", "cos", "tan", "atan", "atan2", "radians", "degrees", "greatest", "least"),
        *("coalesce", "nvl", "ifnull", "nullif", "if"),
        *("concat", "upper", "lower", "length", "trim", "ltrim", "rtrim", "substring", "substr", "replace"),
        *("startswith", "endswith", "contains", "left", "right", "lpad", "rpad", "reverse", "repeat"),
        *("year", "month", "day", "hour", "minute", "second", "date_trunc"),
        *("cast", "try_cast", "dist", "min", "max"),
    )
)
AGGREGATES = (
    *("count", "sum", "avg", "mean", "average", "min", "max", "variance", "var_samp"),
    *("approx_percentile", "percentile_approx", "approx_count_distinct"),
)
_NO_FUNCTIONS = frozenset(
    (
        *(word.lower() for word in OPERATORS),
        *(
            "as",
            "interval",
            "exists",
            "over",
            "filter",
            "decimal",
            "numeric",
            "varchar",
            "char",
            "struct",
            "array",
            "map",
        ),
    )
)


def functions_of(expression: Expression, text: str) -> Iterator[Token]:
    """Yield the names of functions, each with its place in the text."""
    start, stop = expression.place
    tokens = tokenize(text[start:stop]) if stop else tokenize(expression.text)
    for token, following in pairwise(tokens):
        if token.kind == "word" and following.is_symbol("(") and token.text.lower() not in _NO_FUNCTIONS:
            yield Token("word", token.text, token.start + start, token.stop + start)


def check_local(expression: Expression, text: str, *, where: str) -> None:
    """Refuse what only Spark has, or nobody.

    Raises:
        SqlError: at the function; it says which engine has it.
    """
    for token in functions_of(expression, text):
        name = token.text.lower()
        if name in LOCAL or name in AGGREGATES:
            continue
        meant = did_you_mean(name, (*LOCAL, *AGGREGATES))
        if is_of_spark(name):
            problem, remedy = (
                f"{token.text} is a function of Spark, which {where}",
                f"{meant}in SELECT on Spark it works",
            )
        else:
            problem = f"there is no function {token.text}, in process or on Spark"
            remedy = meant.strip() or f"in process there are: {', '.join(sorted(LOCAL | set(AGGREGATES)))}"
        raise SqlError(text, start=token.start, stop=token.stop, problem=problem, remedy=remedy)


def is_of_spark(name: str) -> bool:
    """Whether Spark has a function of this name."""
    from slackwater.spark.functions import has_function

    return has_function(name)
