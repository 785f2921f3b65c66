import { asList, asString, isObject } from "../../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../../base/words/json.ts";
import type { SessionHost, SessionMoments } from "../../../../engine/session/session-moments.ts";
import { OpenOnce } from "../open-once.ts";
import { cancelCall } from "../refusals.ts";
import { readSentPrompts, type SentPrompts } from "../sent-prompt.ts";
import type { HookOrigin } from "./hook-event.ts";

/**
 * A call that was allowed and has no result yet. `key` identifies its native name and input, `own` the name and
 * arguments of a Conduct tool.
 */
export type OpenCall = { readonly id: string; readonly tool: string; readonly key: string; readonly own?: string };

/** A session of the runtime, with the adapter's state between two hooks. */
export type LiveSession = {
  readonly session: SessionMoments;
  readonly root: string;
  /** A person typed the first message. */
  readonly interactive: boolean;
  calls: readonly OpenCall[];
  step: number;
  /** When the first result of the open step arrived; a later call belongs to the next step. */
  resultAt?: number | undefined;
  prompt: SentPrompts;
  /** Texts for the model that no answer could carry yet. */
  owed: readonly string[];
  /** A denial has ended the turn. */
  endedTurn: boolean;
  /** The text that refused the last stop. The runtime submits it as if a person had typed it. */
  refusal?: string | undefined;
  /** Hash of the first text of the conversation; a compaction replaces that text. */
  opening?: string | undefined;
};

type Stored = Omit<LiveSession, "session">;

/** The adapter's state of a session as JSON, so that a restarted daemon continues from it. */
function writeState({ session: _, ...live }: LiveSession): JsonObject {
  return JSON.parse(JSON.stringify(live));
}

/** The inverse of `writeState`. */
function readState(stored: JsonObject): Stored {
  const { root, interactive, calls, step, resultAt, prompt, owed, endedTurn, refusal, opening } = stored;
  return {
    root: asString(root),
    interactive: interactive === true,
    calls: asList(calls).flatMap(readCall),
    step: typeof step === "number" ? step : 1,
    resultAt: typeof resultAt === "number" ? resultAt : undefined,
    prompt: readSentPrompts(prompt),
    owed: asList(owed).map(asString),
    endedTurn: endedTurn === true,
    refusal: typeof refusal === "string" ? refusal : undefined,
    opening: typeof opening === "string" ? opening : undefined,
  };
}

function readCall(call: Json): readonly OpenCall[] {
  if (!isObject(call)) return [];
  const { id, tool, key, own } = call;
  return [{ id: asString(id), tool: asString(tool), key: asString(key), own: asString(own) || undefined }];
}

/** Maximum number of sessions in memory; the state of the others is saved with their session. */
const MAX_SESSIONS = 200;

/** The sessions of one runtime and its subagents, each opened at its first event. */
export class HookSessions {
  readonly #runtime: string;
  readonly #host: SessionHost;
  readonly #lives = new OpenOnce<LiveSession>();

  constructor(runtime: string, host: SessionHost) {
    this.#runtime = runtime;
    this.#host = host;
  }

  async of(event: HookOrigin): Promise<LiveSession> {
    const live = await this.#lives.get(event.session, () => this.#open(event));
    await this.#forget(event.session);
    return live;
  }

  async knows(session: string): Promise<boolean> {
    return this.#lives.find(session) !== undefined || (await this.#host.adapterData?.(session)) !== undefined;
  }

  /** Every session in memory. */
  async all(): Promise<readonly LiveSession[]> {
    const found = await Promise.allSettled(this.#lives.entries().map(([, opening]) => opening));
    return found.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  }

  save(live: LiveSession): Promise<void> | undefined {
    return this.#host.saveAdapterData?.(live.session.id, writeState(live));
  }

  async #open(event: HookOrigin): Promise<LiveSession> {
    const { session: id, root: above, model } = event;
    const parent = id === above ? undefined : await this.of({ ...event, session: above });
    const saved = await this.#host.adapterData?.(id);
    const state: Stored = saved === undefined ? newState(event, parent) : readState(saved);
    const { root: cwd, interactive } = state;
    const origin = { runtime: this.#runtime, id, parent: parent?.session.id, cwd, model, interactive };
    return { ...state, session: await this.#host.open(origin) };
  }

  async #forget(current: string): Promise<void> {
    for (const [id, opening] of this.#lives.entries()) {
      if (this.#lives.entries().length <= MAX_SESSIONS) return;
      const live = await opening.catch(() => undefined);
      if (id !== current && (live === undefined || live.calls.length === 0)) this.#lives.forget(id);
    }
  }
}

function newState({ cwd, interactive }: HookOrigin, parent: LiveSession | undefined): Stored {
  const isTyped = parent === undefined && interactive === true;
  const root = parent?.root ?? cwd;
  return { root, interactive: isTyped, calls: [], step: 1, prompt: {}, owed: [], endedTurn: false };
}

/** Reports the calls that the runtime dropped: a person refused them, or they failed without a hook. */
export async function settleCalls(live: LiveSession): Promise<void> {
  const dropped = live.calls;
  live.calls = [];
  for (const call of dropped) await cancelCall(live.session, call);
}

export function closeStep(live: LiveSession): void {
  live.step += 1;
  live.resultAt = undefined;
  live.session.notice({ kind: "step-closed" });
}
