import type { SessionHost, SessionOrigin } from "../../../engine/moments/session-moments.ts";
import { Conversation } from "./conversation.ts";
import type { KeyedStore, OpenClawApi } from "./native.ts";

/** Where a conversation ends for good; after a compaction or a restart it is the same. */
const OVER = new Set(["new", "reset", "idle", "daily", "deleted"]);

/** What OpenClaw tells of the end of a session. */
type SessionEnd = {
  readonly sessionKey?: string | undefined;
  readonly sessionId: string;
  readonly reason?: string | undefined;
  readonly nextSessionId?: string | undefined;
};

/** OpenClaw's conversations by their keys. A key that begins anew, with `/new`, is another session of Conduct's. */
export class Conversations {
  readonly #host: SessionHost;
  readonly #runtime: () => OpenClawApi["runtime"];
  readonly #live = new Map<string, Conversation>();
  readonly #parents = new Map<string, string>();
  readonly #ids = new Map<string, string>();
  #store: KeyedStore | undefined;

  /** `runtime` may be another one after the plugin was loaded again. */
  constructor(host: SessionHost, runtime: () => OpenClawApi["runtime"]) {
    this.#host = host;
    this.#runtime = runtime;
  }

  /** Throws when OpenClaw does not say which one it is about. */
  of(key: string | undefined, channel?: string): Conversation {
    if (key === undefined || key === "") throw new Error("OpenClaw does not say which session this is");
    const known = this.#live.get(key);
    if (known !== undefined) return known;
    const cwd = () => cwdOf(this.#runtime(), key);
    const made = new Conversation(async () => this.#host.open(await this.#originOf(key, cwd(), channel)), cwd);
    this.#live.set(key, made);
    return made;
  }

  /** `undefined` when nothing was heard of it yet. */
  find(key: string | undefined): Conversation | undefined {
    return key === undefined ? undefined : this.#live.get(key);
  }

  spawned(child: string, parent: string | undefined): void {
    if (parent !== undefined) this.#parents.set(child, parent);
  }

  async ended({ sessionKey: key, sessionId, reason = "unknown", nextSessionId }: SessionEnd): Promise<void> {
    if (key === undefined || !OVER.has(reason)) return;
    this.find(key)?.notice({ kind: "ended", reason });
    this.#live.delete(key);
    this.#parents.delete(key);
    const id = `${key}@${nextSessionId ?? `after-${sessionId}`}`;
    this.#ids.set(key, id);
    await this.#kept().register(key, { id });
  }

  async #originOf(key: string, cwd: string, channel: string | undefined): Promise<SessionOrigin> {
    const parent = this.#parents.get(key);
    const origin: SessionOrigin & { readonly channel?: string } = {
      runtime: "openclaw",
      id: await this.#idOf(key),
      cwd,
      ...(parent === undefined ? {} : { parent: await this.#idOf(parent) }),
      ...(channel === undefined ? {} : { channel }),
    };
    return origin;
  }

  async #idOf(key: string): Promise<string> {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const kept = await this.#kept().lookup(key);
    const id = typeof kept === "object" && kept !== null && "id" in kept ? String(kept.id) : key;
    this.#ids.set(key, id);
    return id;
  }

  #kept(): KeyedStore {
    this.#store ??= this.#runtime().state.openKeyedStore({ namespace: "sessions", retention: "retained" });
    return this.#store;
  }
}

/** `agent:<id>:…` */
export function agentOf(key: string): string {
  return key.split(":")[1] ?? "main";
}

/** The folder that a session works in: its own, else its agent's. */
function cwdOf({ agent, config }: OpenClawApi["runtime"], sessionKey: string): string {
  const agentId = agentOf(sessionKey);
  const own = agent.session.getSessionEntry({ agentId, sessionKey })?.spawnedCwd;
  if (own !== undefined && own !== "") return own;
  const current = config.current();
  return configuredCwd(current, agentId) ?? agent.resolveAgentWorkspaceDir(current, agentId);
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
