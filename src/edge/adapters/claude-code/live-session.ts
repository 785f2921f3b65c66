import { asList, asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { SessionHost } from "../../../engine/session/session-moments.ts";
import type { ToolEvent } from "../shared/claude/native.ts";
import { Scopes, type StoredScope } from "../shared/claude/scopes.ts";
import { OpenOnce } from "../shared/open-once.ts";
import { readSentPrompts, type SentPrompts } from "../shared/sent-prompt.ts";
import type { Origin } from "./events.ts";

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
export function isPlanted({ planted }: Pick<LiveSession, "planted">, prompt: string): boolean {
  const said = prompt.trim().slice(0, MAX_CHARS);
  return planted.some((text) => said === text || (text.length >= 20 && prompt.includes(text)));
}
