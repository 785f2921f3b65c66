"""Run by weakincentives.ts as `python weakincentives.py DIR CALLS`.

Prints the microseconds of each bridged call with its feedback, in a session that has made so many calls before.
"""

import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime

root, history = sys.argv[1], int(sys.argv[2])
sys.path.insert(0, f"{root}/src")

from weakincentives.adapters._shared._bridge import create_bridged_tools  # noqa: E402
from weakincentives.prompt import (  # noqa: E402
    FeedbackProviderConfig,
    FeedbackTrigger,
    Prompt,
    PromptTemplate,
    StaticFeedbackProvider,
    Tool,
    ToolContext,
    ToolResult,
)
from weakincentives.prompt.feedback import collect_feedback  # noqa: E402
from weakincentives.prompt.policy import PolicyState, ReadBeforeWritePolicy, SequentialDependencyPolicy  # noqa: E402
from weakincentives.runtime.events import InProcessDispatcher  # noqa: E402
from weakincentives.runtime.events.types import ToolInvoked  # noqa: E402
from weakincentives.runtime.session import Session  # noqa: E402

MEASURED = 40


@dataclass(slots=True, frozen=True)
class Look:
    path: str


@dataclass(slots=True, frozen=True)
class Seen:
    files: int

    def render(self) -> str:
        return f"{self.files} files looked at\nconst total = parts.reduce((sum, part) => sum + part.size, 0);\nok"


def look(params: Look, *, context: ToolContext) -> ToolResult[Seen]:
    return ToolResult.ok(Seen(files=12), message="ok")


policies = [
    *(SequentialDependencyPolicy(dependencies={f"tool-{n}": frozenset({"read_file"})}) for n in range(8)),
    ReadBeforeWritePolicy(),
    ReadBeforeWritePolicy(write_tools=frozenset({"apply_patch"})),
]
providers = [
    FeedbackProviderConfig(
        provider=StaticFeedbackProvider(feedback="Keep to the plan."),
        trigger=FeedbackTrigger(every_n_calls=calls),
    )
    for calls in (200, 300, 400, 500, 750, 1_000, 1_000, 1_000, 1_000, 1_000)
]
tool = Tool[Look, Seen].create(name="read_file", description="Read a file", handler=look)
prompt = Prompt(PromptTemplate.create(ns="bench", key="calls", policies=policies, feedback_providers=providers))
prompt.resources.__enter__()
session = Session(dispatcher=InProcessDispatcher())
past = [
    ToolInvoked(
        prompt_name="bench:calls",
        adapter="claude_agent_sdk",
        name="read_file",
        params=Look(path=f"src/part-{n // 5}.ts"),
        result=Seen(files=12),
        session_id=None,
        created_at=datetime.now(UTC),
        rendered_output="12 files looked at",
        call_id=f"c{n}",
    )
    for n in range(history)
]
session[ToolInvoked].seed(past)
# Two of ten calls open a new file, as in workload.ts.
keys = frozenset(("read_file", f"src/part-{n}.ts") for n in range(history // 5))
session[PolicyState].seed(PolicyState(policy_name="read_before_write", invoked_tools=frozenset({"read_file"}), invoked_keys=keys))
(bridged,) = create_bridged_tools(
    (tool,),
    session=session,
    adapter=None,
    prompt=prompt,
    rendered_prompt=None,
    deadline=None,
    budget_tracker=None,
)
for n in range(MEASURED):
    started = time.perf_counter()
    result = bridged({"path": f"src/new-{n}.ts"})
    collect_feedback(prompt=prompt, session=session)
    print((time.perf_counter() - started) * 1e6)
    if result.get("isError"):
        raise SystemExit(f"the call failed: {result}")
if len(session[ToolInvoked].all()) <= history:
    raise SystemExit("the calls were not recorded")
