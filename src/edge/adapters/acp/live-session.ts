import type { CallInput } from "../../../base/words/call.ts";
import type { SessionHost, SessionMoments } from "../../../engine/session/session-moments.ts";
import type { ToldPrompt } from "../codex/told-prompt.ts";
import type { ToolSeen } from "./native.ts";

/** A command that runs in one of the client's terminals. `given`: what the agent got of its output when it was over. */
export type Terminal = {
  readonly call: CallInput;
  readonly advice: readonly string[];
  exit?: number | null;
  given?: string;
};

/** What the proxy keeps of one session of the agent's between two messages; nothing here binds. */
export type LiveSession = {
  readonly id: string;
  readonly cwd: string;
  readonly servers: readonly string[];
  /** Opened when it is first needed, and tried again when that failed. Rejects while Conduct cannot be asked. */
  moments(): Promise<SessionMoments>;
  /** The agent's calls of this turn, as far as it has told of them, and who waits to hear more. */
  readonly seen: Map<string, ToolSeen>;
  readonly waiting: Set<() => void>;
  /** Calls that were allowed when the agent asked, by the agent's id; it may ask twice about one. */
  readonly granted: Map<string, readonly CallInput[]>;
  /** Calls of the agent's that need no further look: refused, settled, or made through the client. */
  readonly done: Set<string>;
  readonly handled: Set<string>;
  /** Files whose text the agent has got shortened or changed: what it writes there would lose the rest. */
  readonly altered: Set<string>;
  readonly terminals: Map<string, Terminal>;
  readonly commands: Set<string>;
  /** `ended`: by a denial; nothing more runs. */
  turn: "none" | "open" | "cancelled" | "ended";
  /** Prompts are played one after the other. */
  turns: Promise<void>;
  /** Results on their way to Conduct: whatever is decided next knows them. */
  settling: Promise<void>;
  told?: ToldPrompt | undefined;
  /** Why calls were refused, which goes into a prompt at once; and what can wait for the next one. */
  readonly denials: string[];
  readonly advice: string[];
  /** The agent's last words. */
  text: string;
  /** The agent plays back an old conversation: nothing of it happens now. */
  replaying: boolean;
  used?: number;
  window?: number;
};

export type Known = {
  readonly id: string;
  readonly cwd: string;
  readonly servers: readonly string[];
  /** A subagent's: only the agent that it works for is prompted, and hears why something was refused. */
  readonly parent?: LiveSession;
};

/** Conduct's session goes by the agent's id, so that one that is loaded again goes on. */
export function liveSession({ parent, ...known }: Known, host: SessionHost, interactive: boolean): LiveSession {
  let opening: Promise<SessionMoments> | undefined;
  const kin = parent === undefined ? { interactive } : { interactive: false, parent: `acp-${parent.id}` };
  const open = () => host.open({ runtime: "acp", id: `acp-${known.id}`, cwd: known.cwd, ...kin });
  return {
    ...known,
    moments() {
      opening ??= open().catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
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

/** Told again from the start: the model may no longer have what it was told, or seen. */
export function forget(live: LiveSession): void {
  live.told = undefined;
}

/** What two ways of telling one call have in common: the agent's own tool call, and what it asks the client to do for it. */
export function handledKey({ tool, args, paths = [] }: Pick<CallInput, "tool" | "args" | "paths">): string {
  return `${tool === "edit_file" ? "write_file" : tool} ${tool === "shell" ? args.command : paths[0]?.path}`;
}

/** Does it after all that is on its way to Conduct, and before what is decided next. */
export function settle(live: LiveSession, work: () => Promise<void>): Promise<void> {
  const settled = live.settling.then(work);
  live.settling = settled.catch(() => undefined);
  return live.settling;
}
