"""Conduct for agents in Python. Start with ``Conduct.local()`` or ``Conduct(url, token)``."""

from ._client import Conduct, ConductError, Unreachable
from ._guard import Guard
from ._session import AsyncSession, Session
from ._words import Allow, Ask, Decision, Delivered, Deny, Denied, Heard, Prompt, Stop, Tool

__all__ = [
    "Allow",
    "Ask",
    "AsyncSession",
    "Conduct",
    "ConductError",
    "Decision",
    "Delivered",
    "Denied",
    "Deny",
    "Guard",
    "Heard",
    "Prompt",
    "Session",
    "Stop",
    "Tool",
    "Unreachable",
]
