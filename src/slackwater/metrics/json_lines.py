"""Log records as lines of JSON, for systems that collect logs."""

from __future__ import annotations

import datetime as dt
import json
import logging

from slackwater.metrics.events import ATTRIBUTE


class JsonLines(logging.Formatter):
    """Formats each record as one line: when, how grave, who, what, and all values that it has.

    >>> record = logging.makeLogRecord({"name": "queries", "levelname": "INFO", "msg": "jams: ended", "created": 0})
    >>> JsonLines().format(record)
    '{"time": "1970-01-01T00:00:00+00:00", "level": "INFO", "logger": "queries", "message": "jams: ended"}'
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return one line; line breaks within texts are escaped."""
        said = {
            "time": dt.datetime.fromtimestamp(record.created, dt.UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, ATTRIBUTE, {}),
        }
        if record.exc_info:
            said["exception"] = self.formatException(record.exc_info)
        return json.dumps(said, default=str)
