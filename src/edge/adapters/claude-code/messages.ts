import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { HookAnswer } from "../claude/native.ts";
import { replyWith, withShown } from "../claude/shown.ts";
import { toolName } from "../claude/tool-names.ts";
import { isMessage, withContext } from "../claude/translate.ts";
import { NOBODY } from "../claude/user-message.ts";
import { promptNews, toldPrompt } from "../codex/told-prompt.ts";
import { MODES_HANDLED } from "../codex/translate.ts";
import type { EventOf } from "./events.ts";
import { confirmTold, type From, isPlanted, type LiveSession } from "./live-session.ts";
import { splitText } from "./parts.ts";

/** An answer, and what is too long for it. */
export type Answered = { readonly answer: HookAnswer; readonly further?: readonly string[] };

/** The moments `message` and `prompt`. No answer of a hook changes the text, so that the model is told how to read it. */
export async function onUserPromptSubmit(
  live: LiveSession,
  event: EventOf<"UserPromptSubmit">,
  from: From,
): Promise<Answered> {
  if (!isMessage(event)) return { answer: {} };
  const { session } = live.scopes.main;
  await settleRefused(live);
  const { text, reply, notes } = await session.onMessage({ text: event.prompt, ...senderOf(live, event, from) });
  if (reply !== undefined) return { answer: replyWith([...notes, reply]) };
  const read = text === event.prompt ? undefined : MODES_HANDLED;
  const told = await tell("UserPromptSubmit", [read, await promptToGive(live)]);
  return { ...told, answer: withShown(told.answer, [notes.join("\n"), live.scopes.takeDebug()]) };
}

/** A no at the terminal breaks the turn off, and no hook tells of it: the next message does. The rest is over, too. */
async function settleRefused({ scopes }: LiveSession): Promise<void> {
  scopes.final = "none";
  for (const { session, open } of scopes.all()) {
    for (const [id, { tool, asked }] of open) {
      if (asked === true) await session.onResult({ id, tool }, { outcome: "denied", parts: [] });
    }
    open.clear();
  }
}

/**
 * A session that a person had opened can be resumed by a program, and the agent can have the runtime submit a prompt
 * later: neither is that person's word.
 */
function senderOf(live: LiveSession, { prompt }: EventOf<"UserPromptSubmit">, { interactive = false }: From) {
  return (live.interactive && !interactive) || isPlanted(live, prompt) ? { sender: NOBODY } : {};
}

/** A conversation that was compacted has lost what it was told, and is told again at once. */
export async function onSessionStart(live: LiveSession, event: EventOf<"SessionStart">): Promise<Answered> {
  // A person may have cut the conversation back before it was left.
  if (event.source === "resume" && live.interactive) live.prompt = {};
  if (event.source !== "compact") return { answer: {} };
  live.scopes.main.session.notice({ kind: "compacted" });
  live.compacting = false;
  live.prompt = {};
  const prompt = await promptToGive(live);
  // It becomes part of the conversation at once, whatever becomes of the next message.
  confirmTold(live);
  return tell("SessionStart", [prompt]);
}

/** Comes after the `SessionStart` of a compaction; where that one did not come, what was told is gone all the same. */
export function onPostCompact(live: LiveSession): void {
  if (!live.compacting) return;
  live.compacting = false;
  live.scopes.main.session.notice({ kind: "compacted" });
  live.prompt = {};
}

/** What the agent is told binds its subagents too, and their own prompt does not say it. */
export async function onSubagentStart(live: LiveSession, event: EventOf<"SubagentStart">): Promise<Answered> {
  const { session } = await live.scopes.of(event);
  return tell("SubagentStart", [(await promptOf(session)).text]);
}

/** What the model does not have yet of the prompt as it is now. */
async function promptToGive(live: LiveSession): Promise<string | undefined> {
  const prompt = await promptOf(live.scopes.main.session);
  // Nothing is said to an agent that is only watched, not even that something no longer holds.
  if (prompt.text === "") return undefined;
  const news = promptNews(live.prompt.had, prompt);
  live.prompt = { ...live.prompt, given: toldPrompt(prompt) };
  return news;
}

function promptOf(session: SessionMoments) {
  return session.onPrompt({ toolName });
}

async function tell(
  name: "UserPromptSubmit" | "SessionStart" | "SubagentStart",
  texts: readonly (string | undefined)[],
): Promise<Answered> {
  const [first, ...further] = splitText(texts.filter((text) => text !== undefined && text !== "").join("\n\n"));
  return { answer: withContext(name, first), further };
}
