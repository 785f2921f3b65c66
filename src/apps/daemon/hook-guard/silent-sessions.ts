import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import { errorText } from "../../../base/kernel/error-text.ts";
import { asList, asObject, asString, parseObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { dropOldest, type GuardReport } from "./guarded-file.ts";

/** Ids of the calls that ran, from new transcript lines. Calls that failed to start are left out. */
function callsThatRan(runtime: string, lines: readonly string[]): readonly string[] {
  const read = CALLS_OF[runtime];
  return read === undefined ? [] : lines.flatMap(read);
}

/** Claude Code writes every call's result as a user message; denied or invalid calls are errors. */
function claudeCalls(line: string): readonly string[] {
  if (!line.includes('"tool_result"')) return [];
  const { message } = parseObject(line) ?? {};
  return asList(asObject(message).content).flatMap((part) => {
    const { type, tool_use_id: id, is_error: failed } = asObject(part);
    return type === "tool_result" && failed !== true && typeof id === "string" ? [id] : [];
  });
}

/** Codex items that run something outside Codex itself. */
const CODEX_ITEMS: ReadonlySet<string> = new Set(["CommandExecution", "FileChange", "McpToolCall"]);

/** In code mode one model call runs several tools: each is a separate item with its own hook. */
function codexCalls(line: string): readonly string[] {
  if (!line.includes('"item_completed"')) return [];
  const { payload } = parseObject(line) ?? {};
  const { id, type, source } = asObject(asObject(payload).item);
  // Commands that a person types with `!` run no hook.
  if (!CODEX_ITEMS.has(asString(type)) || /user/i.test(asString(source))) return [];
  return typeof id === "string" ? [id] : [];
}

/** The runtimes whose transcripts name the calls. */
const CALLS_OF: { readonly [runtime: string]: (line: string) => readonly string[] } = {
  codex: codexCalls,
  "claude-code": claudeCalls,
};

const POLL_MS = 2_000;
/** Maximum read from a transcript at once; of a longer one only the end is read. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Limits: followed sessions, and remembered calls per session. */
const SESSIONS = 100;
const CALLS = 5_000;

/** A followed transcript: everything before `offset` was read; `rest` is an incomplete line. */
type Followed = {
  readonly runtime: string;
  readonly session: string;
  offset: number;
  rest: string;
  readonly asked: Set<string>;
};

type SilentSessionsOptions = {
  readonly report: (report: GuardReport) => void;
  /** Checks immediately whether hooks were switched off. */
  readonly look: () => Promise<void>;
  readonly pollMs?: number;
};

/**
 * Finds sessions that run without hooks: their transcript contains calls that no hook asked about. Works for Claude
 * Code and Codex, whose hooks name the transcript.
 */
export class SilentSessions {
  readonly #options: SilentSessionsOptions;
  readonly #followed = new Map<string, Followed>();
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;

  constructor(options: SilentSessionsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.look(), options.pollMs ?? POLL_MS);
    this.#timer.unref();
  }

  /** Records a hook. Transcripts are followed from their end at the first hook. */
  saw(runtime: string, event: JsonObject): void {
    const { transcript_path: path, session_id: session, hook_event_name: name, tool_use_id: call, tool_calls } = event;
    if (typeof path !== "string" || path === "") return;
    if (name === "SessionEnd") {
      this.#followed.delete(path);
      return;
    }
    const known = this.#followed.get(path);
    const offset = known?.offset ?? statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    const followed = known ?? { runtime, session: asString(session), offset, rest: "", asked: new Set<string>() };
    const calls = [call, ...asList(tool_calls).map((one) => asObject(one).tool_use_id)];
    for (const id of calls) if (typeof id === "string") remember(followed.asked, id);
    this.#followed.delete(path);
    this.#followed.set(path, followed);
    dropOldest(this.#followed, SESSIONS);
  }

  /** Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#readAll().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#followed.clear();
  }

  async #readAll(): Promise<void> {
    for (const [path, followed] of this.#followed) {
      const lines = await readNew(path, followed).catch((error: unknown) => [errorText(error)]);
      const unasked = callsThatRan(followed.runtime, lines).filter((id) => !followed.asked.has(id));
      if (unasked.length === 0) continue;
      for (const id of unasked) remember(followed.asked, id);
      this.#options.report(silent(followed, unasked));
      await this.#options.look();
    }
  }
}

function silent({ runtime, session }: Followed, calls: readonly string[]): GuardReport {
  const count = calls.length === 1 ? "a call" : `${calls.length} calls`;
  const message = `${runtime} ran ${count} in session ${session} without asking Conduct: its hooks are switched off there. End that session, restart ${runtime}, and run: conduct doctor ${runtime}`;
  return { code: "hooks-silent", runtime, where: session, outcome: "reported", message };
}

async function readNew(path: string, followed: Followed): Promise<readonly string[]> {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size < followed.offset) followed.offset = 0;
  if (size === followed.offset) return [];
  const from = Math.max(followed.offset, size - MOST_BYTES);
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const text = `${from === followed.offset ? followed.rest : ""}${buffer.toString("utf8", 0, bytesRead)}`;
    const lines = text.split("\n");
    followed.rest = lines.pop() ?? "";
    followed.offset = from + bytesRead;
    return lines;
  } finally {
    await file.close();
  }
}

function remember(ids: Set<string>, id: string): void {
  dropOldest(ids.add(id), CALLS);
}
