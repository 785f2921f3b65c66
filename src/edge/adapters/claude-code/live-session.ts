import type { SessionHost } from "../../../engine/session/session-moments.ts";
import type { ToolEvent } from "../claude/native.ts";
import { Scopes } from "../claude/scopes.ts";
import type { ToldPrompt } from "../codex/told-prompt.ts";
import type { Beside } from "./beside.ts";
import type { Origin } from "./events.ts";

/** Where a request comes from, as far as the transport knows. */
export type From = {
  /** A person types into this Claude Code. */
  readonly interactive?: boolean;
  /** Which of an event's hooks this is; the first one acts, the others carry what is too long for one. */
  readonly part?: number;
};

/** A session of Claude Code and what the adapter keeps beside Conduct's between two hooks. */
export type LiveSession = {
  readonly id: string;
  /** The folder it began in: `cwd` of later events follows the agent's `cd`. */
  readonly root: string;
  /** A person typed when it was opened. */
  readonly interactive: boolean;
  readonly scopes: Scopes;
  /** The prompt that the model has, and one that was handed over and is not yet known to have reached it. */
  prompt: { readonly had?: ToldPrompt; readonly given?: ToldPrompt };
  /** A compaction has begun, and the model has not been told again since. */
  compacting: boolean;
  /** Texts that the agent has handed to the runtime's own tools: one may come back as if a person had typed it. */
  planted: readonly string[];
};

/** Opens the session in Conduct, or goes on with what was kept of it. */
export async function openLive(
  host: SessionHost,
  event: Origin,
  { interactive = false }: From,
  kept?: Beside,
): Promise<LiveSession> {
  const id = event.session_id;
  const root = kept?.root ?? event.cwd;
  const at = { runtime: "claude-code", cwd: root } as const;
  const typed = kept?.interactive ?? interactive;
  const session = await host.open({ ...at, id, interactive: typed });
  const openChild = (child: string) => host.open({ ...at, id: child, parent: id, interactive: false });
  return {
    id,
    root,
    interactive: typed,
    scopes: new Scopes(session, openChild, kept?.scopes),
    prompt: kept?.prompt ?? {},
    compacting: kept?.compacting ?? false,
    planted: kept?.planted ?? [],
  };
}

/** The prompt has reached the model: something has come of the message that it went with. */
export function confirmTold(live: LiveSession): void {
  const { given } = live.prompt;
  if (given !== undefined) live.prompt = { had: given };
}

const MOST_PLANTED = 50;
const MOST_CHARS = 2_000;

/** Remembers what a call gives to one of the runtime's own tools: a schedule, a wake-up, a message. */
export function notePlanted(live: LiveSession, { tool_name, tool_input }: ToolEvent): void {
  if (!/^(Cron|Schedule|SendMessage|Monitor|Task|Workflow|Skill)/.test(tool_name)) return;
  if (typeof tool_input !== "object" || tool_input === null) return;
  const texts = Object.values(tool_input).flatMap((value) =>
    typeof value === "string" && value.trim() !== "" ? [value.trim().slice(0, MOST_CHARS)] : [],
  );
  live.planted = [...live.planted, ...texts].slice(-MOST_PLANTED);
}

/** A short text is planted only as a whole: people say "continue" too. */
export function isPlanted({ planted }: Pick<LiveSession, "planted">, prompt: string): boolean {
  const said = prompt.trim().slice(0, MOST_CHARS);
  return planted.some((text) => said === text || (text.length >= 20 && prompt.includes(text)));
}
