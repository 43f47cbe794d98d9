"""Addresses of brokers: what can be said of them before Kafka is asked, and what is wrong when none answers."""

from __future__ import annotations

from slackwater.errors import ParameterError

PATIENCE = 10  # seconds


def check_servers(servers: str | None) -> None:
    """Refuse addresses without a port: clients say nothing of use about these, or wait. None are left to the client.

    Raises:
        ParameterError: one is no `host:port`; the remedy has what was probably meant.

    >>> check_servers("broker:9092, SSL://other:9093, [::1]:9092")
    """
    for address in [] if servers is None else servers.split(","):
        host, _, port = address.strip().rpartition(":")
        if not (host and port.isascii() and port.isdigit() and 0 < int(port) < 65_536):
            remedy = f'write it with its port, such as "{_named(address.strip())}:9092"'
            raise ParameterError("servers", servers, must="be addresses with ports, host:port", remedy=remedy)


def _named(address: str) -> str:
    """Return the host of an address that has no usable port, with the protocol where there is one.

    >>> _named("broker:"), _named("SSL://broker"), _named("[::1]"), _named(":9092")
    ('broker', 'SSL://broker', '[::1]', 'broker')
    """
    protocol, separator, rest = address.rpartition("://")
    host = rest if rest.endswith("]") else rest.partition(":")[0]
    return f"{protocol}{separator}{host or 'broker'}"


def unreachable(servers: str, said: str, *, is_unknown: bool) -> ParameterError:
    """Return the error that says why no broker answers: its name is not known here, or nobody listens."""
    if is_unknown:
        remedy = f"no host of that name is known on this machine: check the spelling ({said})"
        return ParameterError("servers", servers, must="name hosts that can be found", remedy=remedy)
    remedy = f"check the address, and that a broker listens there ({said})"
    must = f"be brokers of which one answers within {PATIENCE} seconds"
    return ParameterError("servers", servers, must=must, remedy=remedy)
