import type { BuiltPrompt } from "../../../base/words/prompt.ts";
import type { MessageResult } from "../../../engine/moments/message.ts";
import type { PromptRequest } from "../../../engine/session/session-options.ts";
import type * as hook from "../shared/claude/native.ts";
import type { HookAnswer, HookEvent } from "../shared/claude/native.ts";
import {
  type CallSettings,
  onBatch,
  onFailure,
  onPermissionDenied,
  onPostToolUse,
  onPreToolUse,
  onStop,
  onSubagentStop,
} from "../shared/claude/tool-hooks.ts";
import { canAsk, isMessage, NOBODY, withContext } from "../shared/claude/translate.ts";
import type { QueryScopes } from "./adapter.ts";
import { type Announcements, announceText, type Waiting } from "./messages.ts";
import type { HookMatcher, Hooks } from "./native.ts";
import type { Shown } from "./person-texts.ts";
import type { Thinking } from "./thinking.ts";

/** How long a call waits for Conduct and for a person whom Conduct asks. */
const WAIT_MS = 3_600_000;
/** A question that timed out is still answered as a question; only a session that never answers reaches the limit. */
const GRACE_MS = 1_000;
/** Our timeout comes first, because the runtime's own explains less to the model. */
const RUNTIME_MS = 10_000;

export type HookSettings = MessageSettings & {
  readonly asker: boolean;
  readonly waitMs?: number;
  readonly home?: string;
};

/** The moments as the SDK's hooks. Each fails closed: with a reason where possible, else by `onFailure: "block"`. */
export function conductHooks(settings: HookSettings): Hooks {
  const { scopes, shown, request, asker, waitMs = WAIT_MS, home } = settings;
  const timeout = Math.ceil((waitMs + GRACE_MS + RUNTIME_MS) / 1_000);
  // The SDK calls a hook only with the event it was registered for.
  const matcher = <E extends HookEvent>(run: (event: E) => Promise<HookAnswer>): HookMatcher[] => [
    { hooks: [(event) => run(event as E)], timeout, onFailure: "block" },
  ];
  /** Debug lines for the person go with the answer. The runtime shows no output of a subagent's hooks. */
  const showing = <E extends HookEvent>(run: (event: E) => Promise<HookAnswer>) =>
    matcher(async (event: E) => {
      const answer = await run(event);
      return event.agent_id === undefined ? shown.beside(answer, [scopes.takeDebug()]) : answer;
    });
  const calls: CallSettings = {
    scopes,
    asks: (event) => canAsk(event, asker),
    waitMs,
    limitMs: waitMs + GRACE_MS,
    home,
    ownSource: "sdk",
  };
  return {
    UserPromptSubmit: matcher(onUserPrompt(settings)),
    PreToolUse: showing((event: hook.PreToolUse) => onPreToolUse(calls, event)),
    PostToolUse: showing((event: hook.PostToolUse) => onPostToolUse(calls, event)),
    PostToolUseFailure: showing((event: hook.PostToolUseFailure) => onFailure(calls, event)),
    PostToolBatch: showing((event: hook.PostToolBatch) => onBatch(calls, event)),
    PermissionDenied: matcher((event: hook.PermissionDenied) => onPermissionDenied(calls, event)),
    PostCompact: matcher(async ({ agent_id }) => {
      scopes.find(agent_id)?.session.notice({ kind: "compacted" });
      if (agent_id === undefined) scopes.told.forget();
      return {};
    }),
    // The prompt applies to subagents too, and their own prompt does not contain it.
    SubagentStart: matcher(async (event) => {
      const { session } = await scopes.of(event);
      return withContext("SubagentStart", (await session.onPrompt(request)).text);
    }),
    SubagentStop: matcher((event) => onSubagentStop(scopes, event)),
    Stop: showing((event: hook.Stop) => onStop(scopes, event)),
  };
}

export type MessageSettings = {
  readonly scopes: QueryScopes;
  readonly shown: Shown;
  readonly thinking: Thinking;
  /** The model's tools, as far as known. */
  readonly request: PromptRequest;
  /** The host announces every message here before it sends it. Without it, each prompt counts as a message. */
  readonly announcements?: Announcements;
  /** The prompt that was made for this message before the query began. */
  readonly prepared?: { readonly heard: MessageResult; readonly prompt: BuiltPrompt };
};

/** The moments `message` and `prompt`, when the runtime starts on a message. */
export function onUserPrompt(settings: MessageSettings) {
  const { scopes, shown, thinking, request, prepared } = settings;
  return async (event: hook.UserPromptSubmit): Promise<HookAnswer> => {
    if (!isMessage(event)) return {};
    const { session } = scopes;
    // Calls of an interrupted turn get no result.
    scopes.main.open.clear();
    scopes.final = "none";
    const messages = messagesIn(event, settings);
    const heard: MessageResult[] = [];
    for (const one of messages) heard.push(one.heard ?? (await session.onMessage(one.message)));
    const said = heard.flatMap(({ notes, reply }) => [...notes, ...(reply === undefined ? [] : [reply])]);
    if (heard.every(({ reply }) => reply !== undefined) && messages.every(({ attached }) => !attached)) {
      return shown.reply(said);
    }
    await thinking.set(session.modes);
    const isPrepared = prepared !== undefined && prepared.heard === heard.at(-1);
    const prompt = isPrepared ? prepared.prompt : await session.onPrompt(request);
    const context = [...unsent(event, heard, settings), scopes.told.say(prompt)].filter((text) => text !== undefined);
    return shown.beside(withContext("UserPromptSubmit", context.join("\n\n")), [said.join("\n"), scopes.takeDebug()]);
  };
}

function messagesIn({ prompt }: hook.UserPromptSubmit, { announcements }: MessageSettings): readonly Waiting[] {
  if (announcements === undefined) return [announceText(prompt)];
  const sent = announcements.take(prompt);
  // The agent itself can make the runtime submit a prompt later, which no person wrote.
  return sent.length > 0 ? sent : [announceText(prompt, { sender: NOBODY })];
}

/** A message that was not announced cannot be rewritten, so the model gets a note on how to read it. */
function unsent(
  { prompt }: hook.UserPromptSubmit,
  heard: readonly MessageResult[],
  { announcements }: MessageSettings,
): string[] {
  const text = heard.at(-1)?.text ?? "";
  if (announcements !== undefined || text === prompt) return [];
  return [`Conduct took commands out of the message above. It now reads:\n${text}`];
}
