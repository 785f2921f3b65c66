import type { SessionHost, SessionOrigin } from "../../../engine/session/session-moments.ts";
import { Conversation } from "./conversation.ts";
import type { OpenClawApi } from "./native.ts";

/** Where a conversation ends for good; after a compaction or a restart it is the same. */
const OVER = new Set(["new", "reset", "idle", "daily", "deleted"]);

/** As many are remembered between their runs; of the others Conduct still has the session, which is found again. */
const MAX_LIVE = 500;

/** What a hook tells of the conversation that it is about. */
export type Named = {
  readonly sessionKey?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly channel?: string | undefined;
};

/** OpenClaw's conversations by their keys. One that begins anew, with `/new`, keeps its key and is another session of Conduct's. */
export class Conversations {
  readonly #host: SessionHost;
  readonly #runtime: () => OpenClawApi["runtime"];
  readonly #live = new Map<string, { readonly id: string; readonly conversation: Conversation }>();
  readonly #parents = new Map<string, string>();

  /** `runtime` may be another one after the plugin was loaded again. */
  constructor(host: SessionHost, runtime: () => OpenClawApi["runtime"]) {
    this.#host = host;
    this.#runtime = runtime;
  }

  /** Throws when OpenClaw does not say which one it is about. */
  of({ sessionKey: key, sessionId, channel }: Named): Conversation {
    if (key === undefined || key === "") throw new Error("OpenClaw does not say which session this is");
    const known = this.#live.get(key);
    if (known !== undefined) return known.conversation;
    const entry = this.entry(key);
    const part = entry?.lifecycleRevision ?? sessionId ?? entry?.sessionId;
    if (part === undefined) throw new Error("OpenClaw has not begun this session yet");
    const id = `${key}@${part}`;
    const cwd = () => this.#cwdOf(key);
    const conversation = new Conversation(() => this.#host.open(this.#originOf(key, id, cwd(), channel)), cwd);
    this.#live.set(key, { id, conversation });
    this.#forgetIdle();
    return conversation;
  }

  /** `undefined` when nothing was heard of it yet. */
  find(key: string | undefined): Conversation | undefined {
    return key === undefined ? undefined : this.#live.get(key)?.conversation;
  }

  /** What OpenClaw keeps of it; `undefined` before its first message. */
  entry(sessionKey: string) {
    return this.#runtime().agent.session.getSessionEntry({ agentId: agentOf(sessionKey), sessionKey });
  }

  spawned(child: string, parent: string | undefined): void {
    if (parent !== undefined) this.#parents.set(child, parent);
  }

  ended(key: string | undefined, reason = "unknown"): void {
    if (key === undefined || !OVER.has(reason)) return;
    this.find(key)?.notice({ kind: "ended", reason });
    this.#live.delete(key);
    this.#parents.delete(key);
  }

  #forgetIdle(): void {
    for (const [key, { conversation }] of this.#live) {
      if (this.#live.size <= MAX_LIVE) return;
      if (conversation.idle) this.#live.delete(key);
    }
  }

  #originOf(key: string, id: string, cwd: string, channel: string | undefined): SessionOrigin {
    const parent = this.#live.get(this.#parents.get(key) ?? "")?.id;
    const origin: SessionOrigin & { readonly channel?: string } = {
      runtime: "openclaw",
      id,
      cwd,
      ...(parent === undefined ? {} : { parent }),
      ...(channel === undefined ? {} : { channel }),
    };
    return origin;
  }

  /** The folder that a session works in: its own, else its agent's. */
  #cwdOf(key: string): string {
    const own = this.entry(key)?.spawnedCwd;
    if (own !== undefined && own !== "") return own;
    const { agent, config } = this.#runtime();
    const current = config.current();
    return configuredCwd(current, agentOf(key)) ?? agent.resolveAgentWorkspaceDir(current, agentOf(key));
  }
}

/** `agent:<id>:…` */
export function agentOf(key: string): string {
  return key.split(":")[1] ?? "main";
}

function configuredCwd(config: object, agentId: string): string | undefined {
  const { agents } = config as {
    readonly agents?: {
      readonly defaults?: { readonly cwd?: unknown };
      readonly entries?: { readonly [id: string]: { readonly cwd?: unknown } | undefined };
    };
  };
  const cwd = agents?.entries?.[agentId]?.cwd ?? agents?.defaults?.cwd;
  return typeof cwd === "string" && cwd !== "" ? cwd : undefined;
}
