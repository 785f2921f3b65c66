import type { Conduct } from "../../../engine/session/conduct.ts";
import type { CodexAnswer } from "./answer.ts";
import type { CodexEventOf } from "./events.ts";
import { followRollout, type LiveSession } from "./live-session.ts";
import { promptNews, toldPrompt } from "./told-prompt.ts";
import { seenTools, toolName } from "./tool-map.ts";
import { answerPrompt, answerReply, MODES_HANDLED, withShown } from "./translate.ts";

/** After a compaction the model has lost what it was told: it is told again at once. A resumed one still has it. */
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
 * Models in code mode hand a subagent its task without a hook that we could answer, so that it is told at its start. One that
 * gets its task as a message is told with it what has changed since, as a rule nothing.
 */
export async function onSubagentStart(
  event: CodexEventOf<"SubagentStart">,
  live: LiveSession,
  conduct: Conduct,
): Promise<CodexAnswer> {
  followRollout(event, live);
  const prompt = await promptToGive(live, conduct);
  live.prompt = live.prompt.given === undefined ? {} : { had: live.prompt.given };
  return answerPrompt("SubagentStart", [prompt]);
}

export async function onMessage(
  event: CodexEventOf<"UserPromptSubmit">,
  live: LiveSession,
  conduct: Conduct,
): Promise<CodexAnswer> {
  followRollout(event, live);
  // What a subagent is told was written by a model: it must not elevate, whoever the session's operator is.
  const sender = event.session === event.root ? {} : { sender: { role: "viewer" } as const };
  const { text, reply, notes } = await live.session.onMessage({ text: event.prompt, ...sender });
  if (reply !== undefined) return answerReply([...notes, reply]);
  live.endedTurn = undefined;
  live.calls.clear();
  const read = text === event.prompt ? undefined : MODES_HANDLED;
  const prompt = await promptToGive(live, conduct);
  const answered = answerPrompt("UserPromptSubmit", [read, prompt, ...live.owed.splice(0)]);
  return withShown(answered, ...notes, live.session.takeDebug());
}

/** What the model does not have yet of the prompt as it is now. It has it once a request has gone out with it. */
async function promptToGive(live: LiveSession, conduct: Conduct): Promise<string | undefined> {
  const { session } = live;
  const agent = conduct.find(session.id)?.agent;
  const { tools = [] } = conduct.agents.find(({ name }) => name === agent) ?? {};
  const prompt = await session.onPrompt({ tools: seenTools(names(tools), names(session.tools())), toolName });
  // In shadow, or while paused, it is told nothing, and nothing of what it was told before is taken back.
  if (prompt.text === "") return undefined;
  const news = promptNews(live.prompt.had, prompt);
  live.prompt = { ...live.prompt, given: toldPrompt(prompt) };
  return news;
}

function names(tools: readonly { readonly name: string }[]): readonly string[] {
  return tools.map(({ name }) => name);
}
