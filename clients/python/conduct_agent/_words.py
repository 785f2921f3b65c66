"""The answers of Conduct, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence, Union


@dataclass(frozen=True)
class Allow:
    """Run the call, with ``input`` if it is set: rules have rewritten it."""

    decision: str
    input: Optional[Mapping[str, Any]] = None
    because: Optional[str] = None


@dataclass(frozen=True)
class Deny:
    """Do not run the call. The model reads ``text`` in place of a result."""

    decision: str
    rule: str
    code: str
    text: str
    end_turn: bool = False


@dataclass(frozen=True)
class Ask:
    """A person has to approve the call first. Send it again later, or give the model ``text``."""

    decision: str
    rule: str
    approval: str
    question: str
    text: str
    answer: Optional[str] = None


Decision = Union[Allow, Deny, Ask]


class Denied(Exception):
    """Raised by a guarded tool with ``on_deny="raise"``. The message is for the model."""

    def __init__(self, decision: Union[Deny, Ask]) -> None:
        super().__init__(decision.text)
        self.decision = decision


@dataclass(frozen=True)
class Heard:
    """A person's message. With ``reply``, show it and do not run the agent."""

    text: str
    reply: Optional[str]
    notes: Sequence[str]
    modes: Mapping[str, Any]


@dataclass(frozen=True)
class Prompt:
    """The system prompt for the next model request."""

    text: str
    hash: str
    tokens: int


@dataclass(frozen=True)
class Delivered:
    """What the model reads of a result: ``text`` if ``changed``, else the tool's own result."""

    changed: bool
    text: Optional[str] = None


@dataclass(frozen=True)
class Stop:
    """With ``done`` the agent may stop; otherwise it continues with ``feedback``."""

    done: bool
    status: Optional[str] = None
    why: Optional[str] = None
    feedback: Optional[str] = None


@dataclass(frozen=True)
class Tool:
    """A tool that Conduct adds to the agent's own. Declare it to the model; run it with ``Session.run_tool``."""

    name: str
    description: str
    input_schema: Mapping[str, Any]


def read_decision(body: Mapping[str, Any]) -> Decision:
    """Reads the answer to a call. Raises ``ValueError`` for anything else, which denies the call."""
    kind = body.get("kind")
    if kind == "allow":
        return Allow(str(body["decision"]), body.get("input"), body.get("because"))
    if kind == "deny":
        return Deny(
            str(body["decision"]), str(body["rule"]), str(body["code"]), str(body["text"]), bool(body.get("endTurn"))
        )
    if kind == "ask":
        return Ask(
            str(body["decision"]),
            str(body["rule"]),
            str(body["approval"]),
            str(body["question"]),
            str(body["text"]),
            body.get("answer"),
        )
    raise ValueError(f"unknown decision {kind!r}")
