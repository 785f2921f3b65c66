import { asList, asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { SessionHost } from "../../../engine/session/session-moments.ts";
import type { HookAnswer, ToolEvent } from "../shared/claude/native.ts";
import { openNextStep, Scopes, type StoredScope } from "../shared/claude/scopes.ts";
import { toolName } from "../shared/claude/tool-map.ts";
import { isMessage, NOBODY, replyWith, withContext, withShown } from "../shared/claude/translate.ts";
import { joinTexts } from "../shared/content.ts";
import { OpenOnce } from "../shared/open-once.ts";
import { confirmPrompt, givePrompt, MODES_HANDLED, readSentPrompts, type SentPrompts } from "../shared/sent-prompt.ts";
import type { EventOf, Origin } from "./events.ts";
import { splitText } from "./split-text.ts";

/** Facts about a request that only the transport knows. */
export type From = {
  /** A person types into this Claude Code. */
  readonly interactive?: boolean;
  /** Position among the hooks of the event. The first one acts; the others carry text that is too long for one. */
  readonly part?: number;
};

/** A session of Claude Code, with the adapter's state between two hooks. */
export type LiveSession = {
  readonly id: string;
  /** The initial folder; `cwd` of later events follows the agent's `cd`. */
  readonly root: string;
  /** A person was typing when the session was opened. */
  readonly interactive: boolean;
  readonly scopes: Scopes;
  prompt: SentPrompts;
  /** A compaction has begun, and the model has not received its prompt since. */
  compacting: boolean;
  /** Claude Code has ended the session. A resumed one begins with a message or a call. */
  ended?: boolean;
  /** Texts that the agent passed to the runtime's own tools; one may come back as if a person had typed it. */
  planted: readonly string[];
};

type Stored = Omit<LiveSession, "id" | "scopes"> & { readonly scopes: ReadonlyMap<string, StoredScope> };

/** The adapter's state of a session as JSON, so that the session continues after a restart. */
function write({ root, interactive, prompt, compacting, planted, scopes }: LiveSession): JsonObject {
  const open = scopes.all().map(({ name, run, step, open }) => ({ name, run, step, open: Object.fromEntries(open) }));
  return JSON.parse(JSON.stringify({ root, interactive, prompt, compacting, planted, scopes: open }));
}

/** Unreadable state counts as none: the model gets its prompt again, and no call is open. */
export function readState(stored: unknown): Stored | undefined {
  if (!isObject(stored) || typeof stored.root !== "string") return undefined;
  return {
    root: stored.root,
    interactive: stored.interactive === true,
    prompt: readSentPrompts(stored.prompt),
    compacting: stored.compacting === true,
    planted: asList(stored.planted).map(asString),
    scopes: new Map(asList(stored.scopes).filter(isObject).map(readScope)),
  };
}

function readScope({ name, run, step, open }: JsonObject): readonly [string, StoredScope] {
  const calls = Object.entries(asObject(open)).map(([id, call]) => {
    const { tool, key, asked } = asObject(call);
    return [id, { tool: asString(tool), key: asString(key), asked: asked === true || undefined }] as const;
  });
  return [asString(name), { run: asString(run), step: typeof step === "number" ? step : 1, open: new Map(calls) }];
}

/** Opens the session in Conduct, or continues from its stored state. */
async function openLive(host: SessionHost, event: Origin, from: From, stored?: Stored): Promise<LiveSession> {
  const id = event.session_id;
  const { root = event.cwd, interactive = from.interactive ?? false } = stored ?? {};
  const at = { runtime: "claude-code", cwd: root } as const;
  const session = await host.open({ ...at, id, interactive });
  const openChild = (child: string) => host.open({ ...at, id: child, parent: id, interactive: false });
  const fresh = { prompt: {}, compacting: false, planted: [] };
  return { ...fresh, ...stored, id, root, interactive, scopes: new Scopes(session, openChild, stored?.scopes) };
}

/** Maximum number of sessions in memory. The least recently used one without open calls is dropped first. */
const MAX_SESSIONS = 200;

/** The sessions of Claude Code by id. Conduct's sessions stay open when one ends there: `claude -r` resumes it. */
export class LiveSessions {
  readonly #host: SessionHost;
  readonly #opening = new OpenOnce<LiveSession>();
  /** Ordered by last use, the oldest first. */
  readonly #known = new Map<string, LiveSession>();
  readonly #stored = new Map<string, unknown>();

  constructor(host: SessionHost) {
    this.#host = host;
  }

  /** The session of an event; opens it at its first event. */
  async of(event: Origin, from: From): Promise<LiveSession> {
    const id = event.session_id;
    const live = this.#known.get(id) ?? (await this.#opening.get(id, () => this.#open(event, from)));
    this.#opening.forget(id);
    this.#known.delete(id);
    this.#known.set(id, live);
    this.#forget();
    return live;
  }

  has(id: string): boolean {
    return this.#known.has(id) || this.#opening.find(id) !== undefined || this.#stored.has(id);
  }

  find(id: string): LiveSession | undefined {
    return this.#known.get(id);
  }

  all(): readonly LiveSession[] {
    return [...this.#known.values()];
  }

  state(id: string): JsonObject | undefined {
    const live = this.#known.get(id);
    if (live !== undefined) return write(live);
    const stored = this.#stored.get(id);
    return isObject(stored) ? stored : undefined;
  }

  restore(id: string, state: unknown): void {
    if (!this.#known.has(id) && this.#opening.find(id) === undefined) this.#stored.set(id, state);
  }

  async #open(event: Origin, from: From): Promise<LiveSession> {
    const id = event.session_id;
    const live = await openLive(this.#host, event, from, readState(this.#stored.get(id)));
    this.#stored.delete(id);
    return live;
  }

  #forget(): void {
    for (const [id, { scopes }] of this.#known) {
      if (this.#known.size <= MAX_SESSIONS) return;
      if (scopes.all().every(({ open }) => open.size === 0)) this.#known.delete(id);
    }
  }
}

const MAX_PLANTED = 50;
const MAX_CHARS = 2_000;

/** Remembers the texts of a call to one of the runtime's own tools: a schedule, a wake-up, a message. */
export function notePlanted(live: LiveSession, { tool_name, tool_input }: ToolEvent): void {
  if (!/^(Cron|Schedule|SendMessage|Monitor|Task|Workflow|Skill)/.test(tool_name)) return;
  const texts = Object.values(asObject(tool_input)).flatMap(
    (value) => asString(value).trim().slice(0, MAX_CHARS) || [],
  );
  live.planted = [...live.planted, ...texts].slice(-MAX_PLANTED);
}

/** A short text counts as planted only as a whole: people say "continue" too. */
function isPlanted({ planted }: Pick<LiveSession, "planted">, prompt: string): boolean {
  const said = prompt.trim().slice(0, MAX_CHARS);
  return planted.some((text) => said === text || (text.length >= 20 && prompt.includes(text)));
}

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
  openNextStep(live.scopes.main);
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

export function compacted(live: LiveSession): void {
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
