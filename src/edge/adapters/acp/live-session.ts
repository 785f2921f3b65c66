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

export type LiveSession = {
  readonly id: string;
  readonly cwd: string;
  readonly servers: readonly string[];
  /** Opens the session on first use, and again after a failure. Rejects while Conduct is unreachable. */
  moments(): Promise<SessionMoments>;
  /** The agent's calls of this turn, as reported so far. */
  readonly seen: Map<string, ToolSeen>;
  readonly waiting: Set<() => void>;
  /** Allowed calls by the agent's id; the agent may ask twice about one. */
  readonly granted: Map<string, readonly CallInput[]>;
  /** Calls that are finished: refused, settled, or made through the client. */
  readonly done: Set<string>;
  readonly handled: Set<string>;
  /** Files whose text the agent got shortened or changed: writing them back would lose text. */
  readonly altered: Set<string>;
  readonly terminals: Map<string, Terminal>;
  readonly commands: Set<string>;
  /** `ended`: by a denial; no more calls run. */
  turn: "none" | "open" | "cancelled" | "ended";
  /** Settles when all prompts so far are done; prompts run one after the other. */
  turns: Promise<void>;
  /** Settles when all results so far are reported, before the next decision. */
  settling: Promise<void>;
  sent?: SentPrompt;
  /** Refusals, which are sent in a prompt at once, and advice, which can wait for the next one. */
  readonly denials: string[];
  readonly advice: string[];
  text: string;
  /** The agent replays an old conversation; its calls are not made now. */
  replaying: boolean;
  used?: number;
  window?: number;
};

export type Known = {
  readonly id: string;
  readonly cwd: string;
  readonly servers: readonly string[];
  /** Set for a subagent: only its parent is prompted, and gets the refusals. */
  readonly parent?: LiveSession;
};

/** Conduct's session has the agent's id, so a loaded session continues. */
export function liveSession({ parent, ...known }: Known, host: SessionHost, interactive: boolean): LiveSession {
  const kin = parent === undefined ? { interactive } : { interactive: false, parent: `acp-${parent.id}` };
  return {
    ...known,
    moments: openOnce(() => host.open({ runtime: "acp", id: `acp-${known.id}`, cwd: known.cwd, ...kin })),
    seen: new Map(),
    waiting: new Set(),
    granted: new Map(),
    done: new Set(),
    handled: new Set(),
    altered: new Set(),
    terminals: new Map(),
    commands: new Set(),
    turn: "none",
    turns: Promise.resolve(),
    settling: Promise.resolve(),
    denials: parent?.denials ?? [],
    advice: parent?.advice ?? [],
    text: "",
    replaying: false,
  };
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
