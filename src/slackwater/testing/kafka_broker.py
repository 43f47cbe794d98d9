"""A Kafka broker for tests and examples: one process on loopback, with its own folder, that ends when we do."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from slackwater.errors import QueryError

JARS = "SLACKWATER_KAFKA_JARS"  # the environment variable that says where they are
_CLUSTER = "slackwater-of-one-node"  # any 22 characters of base64

# `cat` ends when the pipe that it reads is closed: when whoever started the broker ends, even by SIGKILL.
_AS_LONG_AS_WE_LIVE = '"$@" & broker=$!; cat >/dev/null; kill -9 $broker'


def jars_folder() -> Path:
    """Return the folder that `make kafka` fills, with the subfolders `broker` and `connector`."""
    return Path(os.environ.get(JARS, "build/kafka")).absolute()


def connector_jars(jars: Path | None = None) -> str:
    """Return the jars of Spark's connector as its setting `spark.jars` takes them."""
    return ",".join(map(str, sorted(((jars or jars_folder()) / "connector").glob("*.jar"))))


@dataclass
class KafkaBroker:
    """A broker, and the controller of itself, that runs within a `with` block.

    Args:
        folder: for its data, settings and log; it may have been used by a broker before.
        jars: as `jars_folder`.
        patience: the most seconds until it answers.
        port: where it listens; 0 is one that is free.

    Raises:
        QueryError: it ended, or did not answer in time; the log says why.
    """

    folder: Path
    jars: Path = field(default_factory=jars_folder)
    patience: float = 120.0
    port: int = 0
    _process: subprocess.Popen[bytes] | None = field(init=False, default=None, repr=False)

    @property
    def servers(self) -> str:
        """What clients call `bootstrap.servers`."""
        return f"127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        free, controller = _free_ports(2)
        self.port = self.port or free
        settings = self.folder / "server.properties"
        settings.write_text(_properties(self.port, controller, self.folder / "data"))
        formats = ["kafka.tools.StorageTool", "format", "--ignore-formatted", "-t", _CLUSTER, "-c", str(settings)]
        with (self.folder / "broker.log").open("ab") as log:
            subprocess.run(self._java(*formats), stdout=log, stderr=log, check=True, timeout=self.patience)
            command = ["sh", "-c", _AS_LONG_AS_WE_LIVE, "broker", *self._java("kafka.Kafka", str(settings))]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log)
        try:
            self._wait_until_it_answers()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End it at once."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait(timeout=30)
            self._process = None

    def create_topic(self, name: str, *, partitions: int = 1, **settings: str) -> None:
        """Create a topic; settings have `__` for the dots of their names."""
        from confluent_kafka.cimpl import NewTopic

        given = {setting.replace("__", "."): value for setting, value in settings.items()}
        admin = self._admin()  # kept until the answer is there
        admin.create_topics([NewTopic(name, partitions, 1, config=given)])[name].result(timeout=30)

    def _admin(self) -> Any:
        from confluent_kafka.admin import AdminClient

        return AdminClient({"bootstrap.servers": self.servers, "log_level": 0})

    def _java(self, *arguments: str) -> list[str]:
        home = os.environ.get("JAVA_HOME")
        java = f"{home}/bin/java" if home else "java"
        quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
        return [java, "-Xmx768m", "-XX:+UseSerialGC", quiet, "-cp", str(self.jars / "broker" / "*"), *arguments]

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + self.patience
        while not self._answers():
            ended = self._process is None or self._process.poll() is not None
            if ended or time.monotonic() > deadline:
                problem = "it ended" if ended else f"no answer within {self.patience:g} seconds"
                log = self.folder / "broker.log"
                raise QueryError("the Kafka broker", problem=problem, remedy=f"see {log}, and run make kafka")

    def _answers(self) -> bool:
        from confluent_kafka import KafkaException

        try:
            return bool(self._admin().list_topics(timeout=1).brokers)
        except KafkaException:
            return False


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def _properties(port: int, controller: int, data: Path) -> str:
    """Return the settings of one node that needs no other, and says so fast."""
    settings: Mapping[str, object] = {
        "process.roles": "broker,controller",
        "node.id": 1,
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "controller.listener.names": "CONTROLLER",
        "log.dirs": data,
        "auto.create.topics.enable": "false",
        "group.initial.rebalance.delay.ms": 0,
        "offsets.topic.num.partitions": 1,
        "offsets.topic.replication.factor": 1,
        "transaction.state.log.num.partitions": 1,
        "transaction.state.log.replication.factor": 1,
        "transaction.state.log.min.isr": 1,
        "share.coordinator.state.topic.replication.factor": 1,
        "share.coordinator.state.topic.min.isr": 1,
    }
    return "".join(f"{name}={value}\n" for name, value in settings.items())
