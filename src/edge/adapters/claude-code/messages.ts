import type { HookAnswer } from "../shared/claude/native.ts";
import { toolName } from "../shared/claude/tool-map.ts";
import { isMessage, NOBODY, replyWith, withContext, withShown } from "../shared/claude/translate.ts";
import { joinTexts } from "../shared/content.ts";
import { confirmPrompt, givePrompt, MODES_HANDLED } from "../shared/sent-prompt.ts";
import type { EventOf } from "./events.ts";
import { type From, isPlanted, type LiveSession } from "./live-session.ts";
import { splitText } from "./split-text.ts";

/** An answer, and the text that does not fit into it. */
export type Answered = { readonly answer: HookAnswer; readonly further?: readonly string[] };

/** The moments `message` and `prompt`. */
export async function onUserPromptSubmit(
  live: LiveSession,
  event: EventOf<"UserPromptSubmit">,
  { interactive = false }: From,
): Promise<Answered> {
  if (!isMessage(event)) return { answer: {} };
  live.scopes.final = "none";
  // A person's no at the terminal interrupts the turn without a hook; the next message is the first sign of it.
  await settleCalls(live, "denied");
  // A program may resume a person's session, and the agent may have the runtime submit a prompt: no person wrote these.
  const sender = (live.interactive && !interactive) || isPlanted(live, event.prompt) ? NOBODY : undefined;
  const { text, reply, notes } = await live.scopes.main.session.onMessage({ text: event.prompt, sender });
  if (reply !== undefined) return { answer: replyWith([...notes, reply]) };
  const told = tell("UserPromptSubmit", [text === event.prompt ? undefined : MODES_HANDLED, await promptOf(live)]);
  return { ...told, answer: withShown(told.answer, [notes.join("\n"), live.scopes.takeDebug()]) };
}

/** Clears all open calls and reports them; with `denied`, only those that a person was asked about are reported. */
export async function settleCalls({ scopes }: LiveSession, outcome: "cancelled" | "denied"): Promise<void> {
  for (const { session, open } of scopes.all()) {
    for (const [id, { tool, asked }] of open) {
      if (outcome === "cancelled" || asked === true) await session.onResult({ id, tool }, { outcome, parts: [] });
    }
    open.clear();
  }
}

/** A compacted conversation has lost its prompt, and gets it again at once. */
export async function onSessionStart(live: LiveSession, event: EventOf<"SessionStart">): Promise<Answered> {
  // A person may have rewound the conversation before leaving it.
  if (event.source === "resume" && live.interactive) live.prompt = {};
  if (event.source !== "compact") return { answer: {} };
  compacted(live);
  const prompt = await promptOf(live);
  // The text is part of the conversation at once, even if the next message is blocked.
  confirmPrompt(live);
  return tell("SessionStart", [prompt]);
}

/** Follows the `SessionStart` of a compaction. If that event is missing, the prompt is lost all the same. */
export function onPostCompact(live: LiveSession): void {
  if (live.compacting) compacted(live);
}

function compacted(live: LiveSession): void {
  live.scopes.main.session.notice({ kind: "compacted" });
  live.compacting = false;
  live.prompt = {};
}

/** The prompt applies to subagents too, and their own prompt does not contain it. */
export async function onSubagentStart(live: LiveSession, event: EventOf<"SubagentStart">): Promise<Answered> {
  const { session } = await live.scopes.of(event);
  return tell("SubagentStart", [(await session.onPrompt({ toolName })).text]);
}

async function promptOf(live: LiveSession): Promise<string | undefined> {
  return givePrompt(live, await live.scopes.main.session.onPrompt({ toolName }));
}

function tell(
  name: "UserPromptSubmit" | "SessionStart" | "SubagentStart",
  texts: readonly (string | undefined)[],
): Answered {
  const [first, ...further] = splitText(joinTexts(texts));
  return { answer: withContext(name, first), further };
}
