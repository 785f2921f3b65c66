import { asList, asString, isObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { Conduct } from "../../../engine/session/conduct.ts";
import type { SessionHost, SessionMoments } from "../../../engine/session/session-moments.ts";
import type { SessionOptions } from "../../../engine/session/session-options.ts";
import { localHost } from "../../host/opening/local-host.ts";
import { OpenOnce } from "../shared/open-once.ts";
import { givePrompt, MODES_HANDLED, readSentPrompts, type SentPrompts } from "../shared/sent-prompt.ts";
import type { CodexEventOf, CodexOrigin, CodexToolUse } from "./events.ts";
import { turnFacts } from "./outcome-map.ts";
import { seenTools, toolName } from "./tool-map.ts";
import { answerPrompt, answerReply, type CodexAnswer, withShown } from "./translate.ts";

/** A call that was allowed and has no result yet. `folder` is where it should run. */
type OpenCall = { readonly use: CodexToolUse; readonly tool: string; readonly folder: string };

/** A session of Codex, with the adapter's state between two hooks. */
export type LiveSession = {
  readonly session: SessionMoments;
  readonly root: string;
  /** A person typed the first message. */
  readonly interactive: boolean;
  readonly calls: Map<string, OpenCall>;
  step: number;
  prompt: SentPrompts;
  /** Feedback that no answer could carry yet. */
  owed: string[];
  /** The turn that a denial has ended; Codex has no way to end a turn. */
  endedTurn?: string | undefined;
  readonly window?: number;
  transcript?: string | undefined;
};

export type OpenOptions = {
  readonly agent: string;
  /** More options for a session opened at its first hook: user, deadline, budget, modes, a snapshot. */
  readonly sessionOptions?: (first: CodexOrigin) => Partial<SessionOptions>;
  /** How many ended sessions stay available for resuming. Default: 200. */
  readonly keep?: number;
  /** Opens and stores the sessions and the adapter's state. Without it they end with this process. */
  readonly host?: SessionHost;
};

/** Opens the session at its first hook, in Codex's folder; a subagent's session is a child of its root's. */
async function openLive(
  conduct: Conduct,
  options: OpenOptions,
  event: CodexOrigin,
  parent: LiveSession | undefined,
): Promise<LiveSession> {
  const more = options.sessionOptions?.(event) ?? {};
  const host = options.host ?? localHost(conduct, { agent: options.agent, sessionOptions: () => more });
  const saved = await host.adapterData?.(event.session);
  const kept = saved === undefined ? undefined : readState(saved);
  // The `cwd` of a call may be its own folder, which must not become the workspace.
  const facts = "use" in event && kept === undefined ? await turnFacts(event.transcript) : {};
  const root = kept?.root ?? facts.cwd ?? event.cwd;
  const isNew = conduct.find(event.session) === undefined;
  const { interactive } = kept ?? { interactive: parent === undefined && event.interactive === true };
  const session = await host.open({
    runtime: "codex",
    interactive,
    id: event.session,
    parent: parent?.session.id,
    cwd: root,
    model: event.model,
  });
  const state = kept ?? { root, interactive, calls: new Map(), step: 0, prompt: {}, owed: [] };
  const live: LiveSession = { session, ...state, window: more.window };
  await tellStarted(live, event, isNew);
  return live;
}

/**
 * A rewound conversation continues in another rollout. The model may have lost its prompt and its evidence, so the
 * prompt is sent again and the evidence is discarded.
 */
function followRollout({ transcript }: CodexOrigin, live: LiveSession): void {
  if (transcript === undefined || transcript === live.transcript) return;
  if (live.transcript !== undefined) {
    live.prompt = {};
    live.session.notice({ kind: "compacted" });
  }
  live.transcript = transcript;
}

/** Reports model and window. A new session already knows its model. */
async function tellStarted({ session, window }: LiveSession, event: CodexOrigin, isNew = false): Promise<void> {
  const known = window ?? (await turnFacts(event.transcript)).window;
  if (isNew && known === undefined) return;
  session.notice({ kind: "started", adapter: "codex", model: event.model, window: known });
}

/** Any of these ended sessions may be resumed. */
const KEPT = 200;

/**
 * The sessions of Codex and its subagents by id. `codex exec` ends its session after every message and resumes it for
 * the next one, so an ended session is parked: it continues at its next hook, and its open approvals can be answered
 * until then. It ends for good when too many others were parked after it.
 */
export class LiveSessions {
  readonly #conduct: Conduct;
  readonly #options: OpenOptions;
  readonly #lives = new OpenOnce<LiveSession>();
  /** Root sessions, the oldest parked one first. */
  readonly #parked = new Set<string>();

  constructor(conduct: Conduct, options: OpenOptions) {
    this.#conduct = conduct;
    this.#options = options;
  }

  /** The session of an event, opened at its first event. */
  async of(event: CodexOrigin): Promise<LiveSession> {
    if (this.#parked.delete(event.root)) {
      const root = await this.#open({ ...event, session: event.root });
      this.#conduct.find(event.root)?.opened("resumed");
      await tellStarted(root, event);
    }
    return this.#open(event);
  }

  /** Has it ended, and not been resumed since? */
  isParked(root: string): boolean {
    return this.#parked.has(root);
  }

  find(id: string): Promise<LiveSession> | undefined {
    return this.#lives.find(id);
  }

  /** The session has ended in Codex, and its subagents with it. */
  async park(root: string): Promise<void> {
    this.#parked.delete(root);
    this.#parked.add(root);
    for (const live of await this.#livesOf(root)) live.session.notice({ kind: "left" });
    const { keep = KEPT } = this.#options;
    for (const oldest of this.#parked) {
      if (this.#parked.size <= keep) return;
      this.#parked.delete(oldest);
      await this.#end(oldest);
    }
  }

  #open(event: CodexOrigin): Promise<LiveSession> {
    return this.#lives.get(event.session, async () => {
      const isRoot = event.session === event.root;
      const parent = isRoot ? undefined : await this.#open({ ...event, session: event.root });
      return openLive(this.#conduct, this.#options, event, parent);
    });
  }

  async #end(root: string): Promise<void> {
    const reason = "the session ended in Codex, and too many others ended after it";
    for (const { session } of await this.#livesOf(root)) {
      this.#lives.forget(session.id);
      session.notice({ kind: "ended", reason });
    }
  }

  /** The open sessions of a Codex session and its subagents. */
  async #livesOf(root: string): Promise<readonly LiveSession[]> {
    const found: LiveSession[] = [];
    for (const [id, opening] of this.#lives.entries()) {
      const live = await opening.catch(() => undefined);
      if (live !== undefined && (id === root || this.#conduct.find(id)?.parent?.id === root)) found.push(live);
    }
    return found;
  }
}

type Stored = Omit<LiveSession, "session" | "window">;

/** The adapter's state of a session as JSON, so that a restarted daemon continues from it. */
export function writeState({ session: _, window: __, ...live }: LiveSession): JsonObject {
  return JSON.parse(JSON.stringify({ ...live, calls: [...live.calls] }));
}

/** The inverse of `writeState`. */
export function readState(stored: JsonObject): Stored {
  const { root, interactive, calls, step, prompt, owed, endedTurn, transcript } = stored;
  return {
    root: asString(root),
    interactive: interactive === true,
    calls: new Map(asList(calls).flatMap(readCall)),
    step: typeof step === "number" ? step : 0,
    prompt: readSentPrompts(prompt),
    owed: asList(owed).map(asString),
    endedTurn: typeof endedTurn === "string" ? endedTurn : undefined,
    transcript: typeof transcript === "string" ? transcript : undefined,
  };
}

function readCall(entry: Json): readonly [string, OpenCall][] {
  if (!Array.isArray(entry)) return [];
  const [id, call] = entry as readonly Json[];
  return isObject(call) ? [[asString(id), call as unknown as OpenCall]] : [];
}

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
  // A model wrote a subagent's message, and a program may resume a person's session: neither may elevate or direct.
  const isForeign = event.session !== event.root || (live.interactive && event.interactive !== true);
  const sender = isForeign ? ({ role: "viewer" } as const) : undefined;
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
