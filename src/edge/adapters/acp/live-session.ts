import type { CallInput } from "../../../base/words/call.ts";
import type { SessionHost, SessionMoments } from "../../../engine/session/session-moments.ts";
import { openOnce } from "../shared/open-once.ts";
import type { SentPrompt } from "../shared/sent-prompt.ts";
import type { ToolSeen } from "./translate.ts";

/** A command in one of the client's terminals. `given`: the output that the agent got when it was over. */
export type Terminal = {
  readonly call: CallInput;
  readonly advice: readonly string[];
  exit?: number | null;
  given?: string;
};

export type Known = {
  readonly id: string;
  readonly cwd: string;
  readonly servers: readonly string[];
  /** Set for a subagent: only its parent is prompted, and gets the refusals. */
  readonly parent?: LiveSession;
};

export class LiveSession {
  readonly id: string;
  readonly cwd: string;
  readonly servers: readonly string[];
  /** Opens the session on first use, and again after a failure. Rejects while Conduct is unreachable. */
  readonly moments: () => Promise<SessionMoments>;
  /** The agent's calls of this turn, as reported so far. */
  readonly seen = new Map<string, ToolSeen>();
  readonly waiting = new Set<() => unknown>();
  /** Allowed calls by the agent's id; the agent may ask twice about one. */
  readonly granted = new Map<string, readonly CallInput[]>();
  /** Calls that are finished: refused, settled, or made through the client. */
  readonly done = new Set<string>();
  readonly handled = new Set<string>();
  /** Files whose text the agent got shortened or changed: writing them back would lose text. */
  readonly altered = new Set<string>();
  readonly terminals = new Map<string, Terminal>();
  readonly commands = new Set<string>();
  /** `ended`: by a denial; no more calls run. */
  turn: "none" | "open" | "cancelled" | "ended" = "none";
  /** Settles when all prompts so far are done; prompts run one after the other. */
  turns: Promise<void> = Promise.resolve();
  /** Settles when all results so far are reported, before the next decision. */
  settling: Promise<void> = Promise.resolve();
  sent: SentPrompt | undefined;
  /** Refusals, which are sent in a prompt at once, and advice, which can wait for the next one. */
  readonly denials: string[];
  readonly advice: string[];
  text = "";
  /** The agent replays an old conversation; its calls are not made now. */
  replaying = false;
  used: number | undefined;
  window: number | undefined;

  /** Conduct's session has the agent's id, so a loaded session continues. */
  constructor({ parent, id, cwd, servers }: Known, host: SessionHost, interactive: boolean) {
    this.id = id;
    this.cwd = cwd;
    this.servers = servers;
    this.denials = parent?.denials ?? [];
    this.advice = parent?.advice ?? [];
    const kin = parent === undefined ? { interactive } : { interactive: false, parent: `acp-${parent.id}` };
    this.moments = openOnce(() => host.open({ runtime: "acp", id: `acp-${id}`, cwd, ...kin }));
  }
}

/** Equal for the agent's tool call and for its matching request to the client. */
export function handledKey({ tool, args, paths = [] }: Pick<CallInput, "tool" | "args" | "paths">): string {
  return `${tool === "edit_file" ? "write_file" : tool} ${tool === "shell" ? args.command : paths[0]?.path}`;
}

/** Runs `work` after all earlier reports, and before the next decision. */
export function settle(live: LiveSession, work: () => Promise<void>): Promise<void> {
  const settled = live.settling.then(work);
  live.settling = settled.catch(() => undefined);
  return live.settling;
}
