import type { Conduct } from "../../../engine/session/conduct.ts";
import { givePrompt, MODES_HANDLED } from "../shared/sent-prompt.ts";
import type { CodexEventOf } from "./events.ts";
import { followRollout, type LiveSession } from "./live-session.ts";
import { seenTools, toolName } from "./tool-map.ts";
import type { CodexAnswer } from "./translate.ts";
import { answerPrompt, answerReply, withShown } from "./translate.ts";

/** After a compaction the model has lost its prompt and gets it again at once. A resumed session still has it. */
export async function onSessionStart(
  event: CodexEventOf<"SessionStart">,
  live: LiveSession,
  conduct: Conduct,
): Promise<CodexAnswer> {
  followRollout(event, live);
  if (event.source !== "resume") live.prompt = {};
  return event.source === "compact" ? answerPrompt("SessionStart", [await promptToGive(live, conduct)]) : {};
}

/**
 * In code mode a subagent gets its task without a hook, so the prompt is sent at its start. For a task that arrives as
 * a message only changes are sent, usually none.
 */
export async function onSubagentStart(
  event: CodexEventOf<"SubagentStart">,
  live: LiveSession,
  conduct: Conduct,
): Promise<CodexAnswer> {
  followRollout(event, live);
  const prompt = await promptToGive(live, conduct);
  live.prompt = { had: live.prompt.given };
  return answerPrompt("SubagentStart", [prompt]);
}

export async function onMessage(
  event: CodexEventOf<"UserPromptSubmit">,
  live: LiveSession,
  conduct: Conduct,
): Promise<CodexAnswer> {
  followRollout(event, live);
  // A model wrote the subagent's message: it must not elevate, even in an operator's session.
  const sender = event.session === event.root ? undefined : ({ role: "viewer" } as const);
  const { text, reply, notes } = await live.session.onMessage({ text: event.prompt, sender });
  if (reply !== undefined) return answerReply([...notes, reply]);
  live.endedTurn = undefined;
  live.calls.clear();
  const read = text === event.prompt ? undefined : MODES_HANDLED;
  const prompt = await promptToGive(live, conduct);
  const answered = answerPrompt("UserPromptSubmit", [read, prompt, ...live.owed.splice(0)]);
  return withShown(answered, ...notes, live.session.takeDebug());
}

/** The part of the prompt that the model does not have yet. The model has it after the next request. */
async function promptToGive(live: LiveSession, conduct: Conduct): Promise<string | undefined> {
  const { session } = live;
  const agent = conduct.find(session.id)?.agent;
  const { tools = [] } = conduct.agents.find(({ name }) => name === agent) ?? {};
  const prompt = await session.onPrompt({ tools: seenTools(names(tools), names(session.tools())), toolName });
  return givePrompt(live, prompt);
}

function names(tools: readonly { readonly name: string }[]): readonly string[] {
  return tools.map(({ name }) => name);
}
