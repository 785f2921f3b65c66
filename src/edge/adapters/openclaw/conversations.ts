import { asObject, asString } from "../../../base/kernel/json.ts";
import type { Modes } from "../../../base/words/modes.ts";
import type { SessionHost } from "../../../engine/session/session-moments.ts";
import { Conversation } from "./conversation.ts";
import { channelOf } from "./messages.ts";
import type { AgentContext, OpenClawApi } from "./native.ts";

/** Reasons that end a conversation for good; a compaction or a restart does not. */
const OVER = new Set(["new", "reset", "idle", "daily", "deleted"]);

/** Maximum number in memory. Conduct still has the sessions of the others. */
const MAX_LIVE = 500;

/** OpenClaw's conversations by key. After `/new` a conversation keeps its key but gets a new session in Conduct. */
export class Conversations {
  readonly #host: SessionHost;
  readonly #runtime: () => OpenClawApi["runtime"];
  readonly #live = new Map<string, { readonly id: string; readonly conversation: Conversation }>();
  readonly #parents = new Map<string, string>();

  /** `runtime` may change when the plugin is loaded again. */
  constructor(host: SessionHost, runtime: () => OpenClawApi["runtime"]) {
    this.#host = host;
    this.#runtime = runtime;
  }

  /** Throws if OpenClaw does not name the conversation. */
  of({
    sessionKey: key,
    sessionId,
    channel,
  }: Pick<AgentContext, "sessionKey" | "sessionId" | "channel">): Conversation {
    if (key === undefined || key === "") throw new Error("OpenClaw did not name the session");
    const known = this.#live.get(key);
    if (known !== undefined) return known.conversation;
    const entry = this.entry(key);
    const part = entry?.lifecycleRevision ?? sessionId ?? entry?.sessionId;
    if (part === undefined) throw new Error("OpenClaw has not started this session yet");
    const id = `${key}@${part}`;
    const cwd = () => this.#cwdOf(key);
    const open = () => {
      const parent = this.#live.get(this.#parents.get(key) ?? "")?.id;
      return this.#host.open({ runtime: "openclaw", id, cwd: cwd(), parent, channel: channelOf({ channel }) });
    };
    const conversation = new Conversation(open, cwd);
    this.#live.set(key, { id, conversation });
    this.#forgetIdle();
    return conversation;
  }

  /** `undefined` before its first event. */
  find(key: string | undefined): Conversation | undefined {
    return key === undefined ? undefined : this.#live.get(key)?.conversation;
  }

  /** OpenClaw's own record; `undefined` before the first message. */
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
      if (conversation.admitted.size === 0) this.#live.delete(key);
    }
  }

  /** The session's own folder, else its agent's. */
  #cwdOf(key: string): string {
    const own = this.entry(key)?.spawnedCwd;
    if (own !== undefined && own !== "") return own;
    const { agent, config } = this.#runtime();
    const current = config.current();
    const { entries, defaults } = asObject(asObject(current).agents);
    const configured = asString(asObject(asObject(entries)[agentOf(key)]).cwd ?? asObject(defaults).cwd);
    return configured || agent.resolveAgentWorkspaceDir(current, agentOf(key));
  }
}

/** `agent:<id>:…` */
function agentOf(key: string): string {
  return key.split(":")[1] ?? "main";
}

/** Sets the thinking level of `/think`, and restores each conversation's own level afterwards. */
export class Thinking {
  /** The levels that conversations had before. */
  readonly #own = new Map<string, string | undefined>();

  /** Applies from the next run on. A level that cannot be set is ignored. */
  async set({ agent }: OpenClawApi["runtime"], sessionKey: string, { think, thinkLevel }: Modes): Promise<void> {
    const name = { agentId: agentOf(sessionKey), sessionKey };
    const entry = agent.session.getSessionEntry(name);
    const level = think ? thinkLevel : undefined;
    if (entry === undefined || (level === undefined && (think || !this.#own.has(sessionKey)))) return;
    const now = entry.thinkingLevel ?? undefined;
    const wanted = level ?? this.#own.get(sessionKey);
    if (level === undefined) this.#own.delete(sessionKey);
    else if (!this.#own.has(sessionKey)) this.#own.set(sessionKey, now);
    if (wanted === now) return;
    await agent.session
      .patchSessionEntry({ ...name, update: () => ({ thinkingLevel: wanted }) })
      .catch(() => undefined);
  }
}
