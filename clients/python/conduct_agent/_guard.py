"""A tool behind the moments ``call`` and ``result``."""

from __future__ import annotations

import asyncio
import functools
import inspect
import uuid
from typing import TYPE_CHECKING, Any, Callable, Generic, Mapping, Optional, TypeVar, Union

from ._words import Allow, Ask, Denied, Deny

if TYPE_CHECKING:
    from ._session import Session

T = TypeVar("T")


class Guard(Generic[T]):
    """Call it like the tool. ``call_id=`` and ``step=`` name the call; a coroutine function is awaited.

    Returns the tool's value, or the text that the model has to read instead. If the tool raises, the call
    counts as failed and the error is raised on.
    """

    def __init__(
        self, session: "Session", tool: Callable[..., T], *, name: Optional[str] = None, on_deny: str = "return"
    ) -> None:
        if on_deny not in ("return", "raise"):
            raise ValueError("on_deny is 'return' or 'raise'")
        self._session = session
        self._tool = tool
        self._raises = on_deny == "raise"
        self.name = name or getattr(tool, "__name__", type(tool).__name__)
        functools.update_wrapper(self, tool)
        try:
            self.__signature__: Optional[inspect.Signature] = inspect.signature(tool)
        except (TypeError, ValueError):
            self.__signature__ = None
        self._is_async = inspect.iscoroutinefunction(tool)
        if self._is_async and hasattr(inspect, "markcoroutinefunction"):
            inspect.markcoroutinefunction(self)

    def __call__(
        self, *args: Any, call_id: Optional[str] = None, step: Optional[str] = None, **named: Any
    ) -> Any:
        call = call_id or uuid.uuid4().hex
        if self._is_async:
            return self._run_async(call, step, self._input(args, named))
        return self._run(call, step, self._input(args, named))

    def _run(self, call: str, step: Optional[str], input: Mapping[str, Any]) -> Union[T, str]:
        decision = self._session.call(self.name, input, id=call, step=step)
        if not isinstance(decision, Allow):
            return self._refuse(call, decision)
        try:
            value = self._tool(**(input if decision.input is None else decision.input))
        except BaseException as error:
            self._session.result(call, error=error, outcome=_outcome(error))
            raise
        delivered = self._session.result(call, value)
        return delivered.text or "" if delivered.changed else value

    async def _run_async(self, call: str, step: Optional[str], input: Mapping[str, Any]) -> Union[Any, str]:
        decision = await asyncio.to_thread(self._session.call, self.name, input, id=call, step=step)
        if not isinstance(decision, Allow):
            return await asyncio.to_thread(self._refuse, call, decision)
        try:
            value: Any = await self._tool(**(input if decision.input is None else decision.input))  # type: ignore[misc]
        except BaseException as error:
            self._session.result(call, error=error, outcome=_outcome(error))
            raise
        delivered = await asyncio.to_thread(self._session.result, call, value)
        return delivered.text or "" if delivered.changed else value

    def _refuse(self, call: str, decision: Union[Deny, Ask]) -> str:
        # The question stays open: a later yes admits the same call once.
        if isinstance(decision, Ask):
            self._session.result(call, outcome="cancelled")
        if self._raises:
            raise Denied(decision)
        return decision.text

    def _input(self, args: Any, named: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments by name, as rules see them."""
        if not args:
            return dict(named)
        if self.__signature__ is None:
            raise TypeError(f"{self.name} must be called with named arguments")
        input: dict[str, Any] = {}
        for key, value in self.__signature__.bind(*args, **named).arguments.items():
            kind = self.__signature__.parameters[key].kind
            if kind is inspect.Parameter.VAR_KEYWORD:
                input.update(value)
            elif kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_ONLY):
                raise TypeError(f"{self.name} must be called with named arguments")
            else:
                input[key] = value
        return input


def _outcome(error: BaseException) -> str:
    return "failed" if isinstance(error, Exception) else "cancelled"
