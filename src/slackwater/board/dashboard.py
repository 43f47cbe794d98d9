"""The dashboard of queries: started in the background, on any port that is free."""

from __future__ import annotations

import os
import threading
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self


class Dashboard:
    """A page that runs until it is stopped, or the program ends.

    Args:
        checkpoints: of queries, running or not.
        host: where to listen; others than this machine need a token.
        port: 0 takes one that is free.
        token: what every request must bring along, at least 16 letters.
    """

    def __init__(
        self, *checkpoints: str | os.PathLike[str], host: str = "127.0.0.1", port: int = 0, token: str | None = None
    ) -> None:
        # Nobody should wait for a server whose first import is only to say `sw.Dashboard`.
        from slackwater.board.access import Access
        from slackwater.board.found import checked_checkpoint
        from slackwater.board.server import BoardServer
        from slackwater.board.watched import Watched

        access = Access(host, token)
        folders = [checked_checkpoint(Path(each)) for each in checkpoints]
        self._server = BoardServer((host, port), [Watched(folder) for folder in folders], access)
        self._token = token
        serve = partial(self._server.serve_forever, poll_interval=0.05)  # how soon `stop` is heard, in seconds
        self._thread = threading.Thread(target=serve, name="slackwater-dashboard", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where to look, with the token where there is one."""
        return self._server.url + (f"?token={self._token}" if self._token else "")

    def stop(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"Dashboard({self._server.url!r})"
