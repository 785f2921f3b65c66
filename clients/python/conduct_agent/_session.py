"""A session: the five moments of an agent. Everything that fails denies."""

from __future__ import annotations

import asyncio
import json
import uuid
from types import TracebackType
from typing import Any, Callable, Mapping, Optional, Sequence, Type, TypeVar

from ._client import Conduct, ConductError, Unreachable, long_wait
from ._guard import Guard
from ._words import Decision, Delivered, Deny, Heard, Prompt, Stop, Tool, read_decision

T = TypeVar("T")


class Session:
    """Use it with ``with``: leaving the block ends the session, unless it was opened with an ``id``."""

    def __init__(self, conduct: Conduct, opening: Mapping[str, Any], wait: float, *, ends: bool = True) -> None:
        self._conduct = conduct
        self._ends = ends
        self._opening = dict(opening)
        self._wait = wait
        self.id = ""
        self.agent = ""
        self.tools: Sequence[Tool] = ()

    def open(self) -> "Session":
        """Opens the session. Raises ``ConductError``, so no agent runs without one."""
        body = self._conduct.request("POST", "/api/v1/sessions", self._opening)
        self.id, self.agent = str(body["session"]), str(body.get("agent", ""))
        self.tools = tuple(
            Tool(str(one["name"]), str(one["description"]), one["inputSchema"]) for one in body.get("tools", [])
        )
        return self

    def close(self) -> None:
        """Ends the session. Open calls are cancelled. A server that does not answer is not an error here."""
        try:
            self._conduct.request("DELETE", f"/api/v1/sessions/{self.id}")
        except ConductError:
            pass

    def __enter__(self) -> "Session":
        return self.open()

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if self._ends:
            self.close()

    def child(self, id: Optional[str] = None) -> "Session":
        """The session of an agent that this one starts. Its calls are gated too."""
        opening = {**self._opening, "id": id or uuid.uuid4().hex, "parent": self.id}
        return Session(self._conduct, opening, self._wait, ends=id is None)

    def message(self, text: str, *, id: Optional[str] = None) -> Heard:
        """A person's message. Raises ``ConductError`` if it cannot be checked: do not run the agent then."""
        body = self._ask("message", {"id": id or uuid.uuid4().hex, "text": text})
        reply = body.get("reply")
        return Heard(
            str(body["text"]), None if reply is None else str(reply), tuple(body.get("notes", ())), body.get("modes", {})
        )

    def prompt(self, tools: Sequence[str] = ()) -> Prompt:
        """The system prompt for the next model request. Raises ``ConductError`` if it cannot be built."""
        body = self._ask("prompt", {"id": uuid.uuid4().hex, "tools": list(tools)})
        return Prompt(str(body["text"]), str(body["hash"]), int(body["tokens"]))

    def call(
        self, tool: str, input: Mapping[str, Any], *, id: str, step: Optional[str] = None, wait: Optional[float] = None
    ) -> Decision:
        """Decides on a call. Never raises: if Conduct cannot be asked, the call is denied."""
        seconds = self._wait if wait is None else wait
        body = {"id": id, "tool": tool, "input": dict(input), "waitMs": int(seconds * 1000)}
        if step is not None:
            body["step"] = step
        try:
            return read_decision(self._ask("call", body, seconds))
        except Exception as error:  # noqa: BLE001 - whatever fails, the call must not run
            return _undecided(error)

    def result(
        self, id: str, value: Any = None, *, error: Optional[BaseException] = None, outcome: Optional[str] = None
    ) -> Delivered:
        """Reports a call's result. Never raises: a result that cannot be checked is withheld."""
        try:
            shown = str(error) if error is not None else value
            body = {"id": id, "outcome": outcome or ("ok" if error is None else "failed"), "parts": _parts(shown)}
            answer = self._ask("result", body)
            text = answer.get("text")
            return Delivered(bool(answer["changed"]), None if text is None else str(text))
        except Exception as failure:  # noqa: BLE001 - an unchecked result must not reach the model
            text = f"[The tool ran, but Conduct withholds its result: {failure}. Tell the operator.]"
            return Delivered(True, text)

    def stop(self, output: Any = None, *, input_tokens: int = 0, output_tokens: int = 0) -> Stop:
        """Asks whether the agent may stop. If Conduct cannot be asked, it may: no call runs then anyway."""
        usage = {"inputTokens": input_tokens, "outputTokens": output_tokens}
        try:
            body = self._ask("stop", {"id": uuid.uuid4().hex, "output": output, **usage})
        except (ConductError, TypeError, ValueError) as error:
            return Stop(True, "bypassed", str(error))
        return Stop(bool(body["done"]), body.get("status"), body.get("why"), body.get("feedback"))

    def run_tool(self, name: str, input: Mapping[str, Any], *, id: Optional[str] = None) -> str:
        """Runs one of ``tools``, as the model asked for it. Returns what the model reads."""

        def run(**given: Any) -> str:
            body = self._ask("tool", {"id": call, "tool": name, "input": given})
            return "\n".join(str(part.get("text", part.get("value", ""))) for part in body["parts"])

        call = id or uuid.uuid4().hex
        return str(Guard(self, run, name=name)(call_id=call, **dict(input)))

    def guard(
        self,
        tool: Callable[..., T],
        *,
        name: Optional[str] = None,
        on_deny: str = "return",
    ) -> Guard[T]:
        """The tool behind the moments ``call`` and ``result``, with the same signature.

        A denied call returns the text for the model (``on_deny="raise"``: raises ``Denied``) and does not run.
        """
        return Guard(self, tool, name=name, on_deny=on_deny)

    def _ask(self, moment: str, body: Mapping[str, Any], wait: float = 0.0) -> dict[str, Any]:
        if self.id == "":
            raise Unreachable("the session is not open; use it with 'with'")
        path = f"/api/v1/sessions/{self.id}/{moment}"
        return self._conduct.request("POST", path, body, long=long_wait(moment, wait))


class AsyncSession:
    """A ``Session`` for asyncio. Requests run in a thread, so they never block the loop."""

    def __init__(self, session: Session) -> None:
        self.sync = session

    @property
    def id(self) -> str:
        return self.sync.id

    @property
    def tools(self) -> Sequence[Tool]:
        return self.sync.tools

    async def __aenter__(self) -> "AsyncSession":
        await asyncio.to_thread(self.sync.open)
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await asyncio.to_thread(self.sync.__exit__, kind, error, trace)

    async def message(self, text: str, *, id: Optional[str] = None) -> Heard:
        return await asyncio.to_thread(self.sync.message, text, id=id)

    async def prompt(self, tools: Sequence[str] = ()) -> Prompt:
        return await asyncio.to_thread(self.sync.prompt, tools)

    async def call(
        self, tool: str, input: Mapping[str, Any], *, id: str, step: Optional[str] = None, wait: Optional[float] = None
    ) -> Decision:
        return await asyncio.to_thread(self.sync.call, tool, input, id=id, step=step, wait=wait)

    async def result(
        self, id: str, value: Any = None, *, error: Optional[BaseException] = None, outcome: Optional[str] = None
    ) -> Delivered:
        return await asyncio.to_thread(self.sync.result, id, value, error=error, outcome=outcome)

    async def stop(self, output: Any = None, *, input_tokens: int = 0, output_tokens: int = 0) -> Stop:
        return await asyncio.to_thread(
            self.sync.stop, output, input_tokens=input_tokens, output_tokens=output_tokens
        )

    async def run_tool(self, name: str, input: Mapping[str, Any], *, id: Optional[str] = None) -> str:
        return await asyncio.to_thread(self.sync.run_tool, name, input, id=id)

    def guard(self, tool: Callable[..., T], *, name: Optional[str] = None, on_deny: str = "return") -> Guard[T]:
        """Like ``Session.guard``. A coroutine function stays one."""
        return self.sync.guard(tool, name=name, on_deny=on_deny)


def _undecided(error: Exception) -> Deny:
    text = (
        f"Denied by conduct: Conduct cannot be asked, so nothing runs: {error}.\n"
        "Next: stop and tell the person you work for."
    )
    return Deny("d_unreachable", "conduct", "unreachable", text)


def _parts(value: Any) -> list[dict[str, Any]]:
    if value is None:
        return []
    if isinstance(value, str):
        return [{"kind": "text", "text": value}]
    try:
        return [{"kind": "json", "value": json.loads(json.dumps(value, allow_nan=False))}]
    except (TypeError, ValueError):
        return [{"kind": "text", "text": str(value)}]
