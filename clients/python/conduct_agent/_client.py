"""The connection to a gateway or to the daemon of this machine. Standard library only."""

from __future__ import annotations

import http.client
import json
import os
import ssl
import stat
import threading
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any, Mapping, Optional
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from ._session import AsyncSession, Session

#: A stop may run the project's tests, and a call may wait for a person.
_LONG_S = 130.0
_SHORT_S = 15.0


class ConductError(Exception):
    """Conduct rejected a request. ``status`` and ``code`` say why."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class Unreachable(ConductError):
    """Conduct could not be asked, or its answer could not be read."""

    def __init__(self, message: str) -> None:
        super().__init__(0, "UNREACHABLE", message)


class Conduct:
    """A gateway, or the daemon of this machine (``Conduct.local()``). Safe to share between threads."""

    def __init__(self, url: str, token: str, *, timeout: float = _SHORT_S) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise ValueError(f"{url!r} is not an http address")
        if parts.scheme == "http" and parts.hostname not in ("127.0.0.1", "localhost", "::1"):
            raise ValueError("use https, except on this machine: the token would be readable on the way")
        self._parts = parts
        self._token = token
        self._timeout = timeout
        #: What a person can do if nothing answers.
        self._fix = "is the gateway running?"
        self._local = threading.local()

    @classmethod
    def local(cls, home: Optional[str] = None, *, timeout: float = _SHORT_S) -> "Conduct":
        """The daemon of this account. Raises ``Unreachable`` if it was never started."""
        folder = Path(home or os.environ.get("CONDUCT_HOME") or Path.home() / ".conduct")
        file = folder / "daemon.json"
        try:
            if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & 0o077:
                raise Unreachable(f"{file} can be read by others: chmod 600 {file}")
            settings = json.loads(file.read_text("utf-8"))
            port, token = int(settings["port"]), str(settings["token"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Unreachable(f"the daemon is not set up ({error}): run conduct daemon start") from error
        daemon = cls(f"http://127.0.0.1:{port}", token, timeout=timeout)
        # It ends when nothing has used it for a while.
        daemon._fix = "run conduct daemon start"
        return daemon

    @classmethod
    def from_env(cls) -> "Conduct":
        """The gateway at ``CONDUCT_URL`` with ``CONDUCT_TOKEN``; without them, the daemon."""
        url, token = os.environ.get("CONDUCT_URL"), os.environ.get("CONDUCT_TOKEN")
        return cls(url, token) if url and token else cls.local()

    def session(
        self,
        agent: Optional[str] = None,
        *,
        id: Optional[str] = None,
        cwd: Optional[str] = None,
        model: Optional[str] = None,
        parent: Optional[str] = None,
        wait: float = 0.0,
    ) -> "Session":
        """Opens a session; use it with ``with``. The same ``id`` continues the same session.

        ``wait`` is how many seconds a call waits for a person's approval.
        """
        from ._session import Session

        return Session(self, self._open_body(agent, id, cwd, model, parent), wait, ends=id is None)

    def async_session(
        self,
        agent: Optional[str] = None,
        *,
        id: Optional[str] = None,
        cwd: Optional[str] = None,
        model: Optional[str] = None,
        parent: Optional[str] = None,
        wait: float = 0.0,
    ) -> "AsyncSession":
        """Like ``session``, for ``async with``."""
        from ._session import AsyncSession

        return AsyncSession(self.session(agent, id=id, cwd=cwd, model=model, parent=parent, wait=wait))

    @staticmethod
    def _open_body(
        agent: Optional[str], id: Optional[str], cwd: Optional[str], model: Optional[str], parent: Optional[str]
    ) -> dict[str, Any]:
        # Named, so that a repeated request opens one session.
        given = {"agent": agent, "id": id or uuid.uuid4().hex, "model": model, "parent": parent}
        body = {key: value for key, value in given.items() if value is not None}
        return {**body, "cwd": os.path.abspath(cwd or os.getcwd())}

    def request(
        self, method: str, path: str, body: Optional[Mapping[str, Any]] = None, *, long: float = 0.0
    ) -> dict[str, Any]:
        """Sends one request. A lost connection is tried once more, because every request has a name.

        Raises ``ConductError`` for a rejected request and ``Unreachable`` if there is no answer.
        """
        content = None if body is None else json.dumps(body, allow_nan=False).encode("utf-8")
        last: Optional[Exception] = None
        for attempt in range(2):
            connection = self._connection(fresh=attempt > 0)
            try:
                if connection.sock is not None:
                    connection.sock.settimeout(self._timeout + long)
                else:
                    connection.timeout = self._timeout + long
                connection.request(method, path, content, self._headers())
                response = connection.getresponse()
                text = response.read()
                return _read(response.status, text)
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                last = error
        where = f"{self._parts.netloc} ({last or 'no answer'})"
        raise Unreachable(f"Conduct does not answer at {where}: {self._fix}") from last

    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self._token}", "content-type": "application/json"}

    def _connection(self, fresh: bool) -> http.client.HTTPConnection:
        """One connection per thread."""
        known: Optional[http.client.HTTPConnection] = getattr(self._local, "connection", None)
        if known is not None and not fresh:
            return known
        host, port = self._parts.hostname or "", self._parts.port
        made: http.client.HTTPConnection
        if self._parts.scheme == "https":
            made = http.client.HTTPSConnection(host, port, context=ssl.create_default_context())
        else:
            made = http.client.HTTPConnection(host, port)
        self._local.connection = made
        return made


def _read(status: int, text: bytes) -> dict[str, Any]:
    try:
        body = json.loads(text)
    except ValueError as error:
        raise Unreachable(f"the answer ({status}) is not JSON") from error
    if not isinstance(body, dict):
        raise Unreachable(f"the answer ({status}) is not an object")
    if 200 <= status < 300:
        return body
    detail = str(body.get("detail") or body.get("error") or f"status {status}")
    raise ConductError(status, str(body.get("code") or "REJECTED"), detail)


def long_wait(moment: str, wait: float) -> float:
    """Seconds that a moment may take on top of the usual timeout."""
    return _LONG_S if moment == "stop" else wait
