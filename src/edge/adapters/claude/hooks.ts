import type { BuiltPrompt, BuiltSection } from "../../../base/words/prompt.ts";
import { SEPARATOR } from "../../../behavior/prompt/section-measures.ts";
import type { MessageResult } from "../../../engine/moments/message.ts";
import type { PromptRequest } from "../../../engine/session/session-options.ts";
import type * as hook from "../shared/claude/native.ts";
import type { HookAnswer, HookEvent } from "../shared/claude/native.ts";
import { openNextStep } from "../shared/claude/scopes.ts";
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
import { canAsk, isMessage, NOBODY, replyWith, withContext, withShown } from "../shared/claude/translate.ts";
import type { QueryScopes } from "./adapter.ts";
import { type Announcements, announceText, type Waiting } from "./messages.ts";
import type { HookMatcher } from "./native.ts";
import type { Thinking } from "./thinking.ts";

const BLOCKED = "UserPromptSubmit operation blocked by hook:\n";
/** The runtime puts the hook's name before each line. */
const SAYS = /^\w+(?::\S+)? says: /gm;

/** Texts for the person, which the runtime shows with its own prefixes; `plain` removes them from the stream. */
export class Shown {
  readonly #said = new Set<string>();
  readonly #replies = new Set<string>();

  beside(answer: HookAnswer, texts: readonly (string | undefined)[]): HookAnswer {
    const shown = withShown(answer, texts);
    if (shown !== answer && shown.systemMessage !== undefined) this.#said.add(shown.systemMessage);
    return shown;
  }

  reply(texts: readonly string[]): HookAnswer {
    const reply = replyWith(texts);
    this.#replies.add(reply.reason);
    return reply;
  }

  /** A message of the stream, without the prefix if it shows a text from here. */
  plain<M extends { readonly type: string }>(message: M): M {
    const { subtype, content, result } = message as { subtype?: unknown; content?: unknown; result?: unknown };
    if (message.type === "result" && typeof result === "string") {
      const reply = result.startsWith(BLOCKED) ? result.slice(BLOCKED.length) : "";
      return this.#replies.delete(reply) ? { ...message, result: reply } : message;
    }
    if (subtype !== "informational" || typeof content !== "string") return message;
    const said = content.replace(SAYS, "");
    if (this.#said.delete(said)) return { ...message, content: said };
    const reply = content.startsWith(BLOCKED) ? content.slice(BLOCKED.length) : "";
    return this.#replies.has(reply) ? { ...message, content: reply } : message;
  }
}

/**
 * The sections that the model has in a session, so that only changes are sent. The runtime caches the system prompt as
 * one block: it contains the lasting sections, and sections of the turn go with each message.
 */
export class Told {
  #system = new Map<string, BuiltSection>();
  /** Sections sent with messages since then; `undefined` for a withdrawn one. */
  #said = new Map<string, BuiltSection | undefined>();

  /** The system prompt of a new query. A resumed conversation keeps the sections of its messages. */
  begin(prompt: BuiltPrompt, resumed: boolean): string {
    const sections = lasting(prompt);
    this.#system = byContributor(sections);
    if (!resumed) this.#said.clear();
    return textOf(sections);
  }

  /** The conversation was compacted: the sections of its messages are gone, the system prompt stays. */
  forget(): void {
    this.#said.clear();
  }

  /** The text to send with a message: changed lasting sections, and the sections of this turn. */
  say(prompt: BuiltPrompt): string | undefined {
    const now = byContributor(lasting(prompt));
    const known = new Map<string, BuiltSection | undefined>([...this.#system, ...this.#said]);
    const changed = [...now].filter(([id, { hash }]) => known.get(id)?.hash !== hash);
    const gone = [...known].filter(([id, section]) => section !== undefined && !now.has(id));
    for (const [id, section] of changed) this.#said.set(id, section);
    for (const [id] of gone) this.#said.set(id, undefined);
    const ofTurn = prompt.sections.filter(({ zone }) => zone === "turn");
    const parts = [
      ...(changed.length === 0 ? [] : [CHANGED, textOf(changed.map(([, section]) => section))]),
      ...(gone.length === 0 ? [] : [`${GONE} ${gone.map(([, section]) => nameOf(section)).join(", ")}.`]),
      ...(ofTurn.length === 0 ? [] : [OF_TURN, textOf(ofTurn)]),
    ];
    return parts.length === 0 ? undefined : parts.join(SEPARATOR);
  }
}

const CHANGED = "Your instructions have changed. From now on these parts of them read:";
const GONE = "These parts of your instructions no longer apply:";
const OF_TURN = "For this turn:";

function lasting({ sections }: BuiltPrompt): readonly BuiltSection[] {
  return sections.filter(({ zone }) => zone !== "turn");
}

function byContributor(sections: readonly BuiltSection[]): Map<string, BuiltSection> {
  return new Map(sections.map((section) => [section.contributor, section]));
}

function textOf(sections: readonly BuiltSection[]): string {
  return sections.map(({ text }) => text).join(SEPARATOR);
}

/** By its heading, else by its first words. */
function nameOf(section: BuiltSection | undefined): string {
  const { heading, text = "" } = section ?? {};
  return `"${heading ?? text.split("\n", 1)[0]?.slice(0, 80)}"`;
}

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
export function conductHooks(settings: HookSettings) {
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
    openNextStep(scopes.main);
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
  return [`Conduct removed commands from the message above. It now reads:\n${text}`];
}
