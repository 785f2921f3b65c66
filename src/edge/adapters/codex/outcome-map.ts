import { open } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isObject, parseObject } from "../../../base/kernel/json.ts";
import type { Outcome } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { Part, ToolResult } from "../../../base/words/result.ts";
import { partOfBlock, requirementsIn } from "../shared/content.ts";
import type { CodexToolUse } from "./events.ts";

/** One call in the rollout: as the model wrote it, as it ran, and the output that the model got. */
type CallTrace = {
  readonly call?: JsonObject;
  readonly item?: JsonObject;
  readonly output?: string;
};

/** How much of the file's end is read: a call that just ran is near the end. */
const TAILS = [256 * 1024, 4 * 1024 * 1024, 64 * 1024 * 1024];

/** Reads backwards until `enough`. Never rejects: an unreadable rollout gives an empty trace. */
export async function traceCall(
  path: string | undefined,
  id: string,
  enough: (trace: CallTrace) => boolean,
): Promise<CallTrace> {
  let trace: CallTrace = {};
  for (const size of path === undefined ? [] : TAILS) {
    const tail = await readTail(path ?? "", size);
    trace = traceOf(tail.text, id);
    if (enough(trace) || tail.whole) break;
  }
  return trace;
}

/** Codex's record of the start of a turn: the model's window in tokens, and the working folder. */
export async function turnFacts(
  path: string | undefined,
): Promise<{ readonly window?: number; readonly cwd?: string }> {
  if (path === undefined) return {};
  const { text } = await readTail(path, TAILS[1] ?? 0);
  const started = linesWith(text, '"task_started"').findLast(({ payload }) => payload.type === "task_started");
  const context = linesWith(text, '"turn_context"').findLast(({ type }) => type === "turn_context");
  const window = started?.payload.model_context_window;
  const cwd = context?.payload.cwd;
  return {
    window: typeof window === "number" && window > 0 ? window : undefined,
    cwd: typeof cwd === "string" ? cwd : undefined,
  };
}

export function traceOf(text: string, id: string): CallTrace {
  let trace: CallTrace = {};
  for (const { type, payload } of linesWith(text, JSON.stringify(id))) {
    if (type === "event_msg" && payload.type === "item_completed" && isObject(payload.item)) {
      if (payload.item.id === id) trace = { ...trace, item: payload.item };
    } else if (type === "response_item" && payload.call_id === id) {
      if (typeof payload.type === "string" && payload.type.endsWith("_output")) {
        trace = { ...trace, output: outputText(payload.output) };
      } else trace = { ...trace, call: payload };
    }
  }
  return trace;
}

function outputText(output: unknown): string {
  if (typeof output === "string") return output;
  if (!Array.isArray(output)) return "";
  return output.flatMap((part) => (isObject(part) && typeof part.text === "string" ? [part.text] : [])).join("\n");
}

function linesWith(text: string, part: string): { type: unknown; payload: JsonObject }[] {
  return text.split("\n").flatMap((line) => {
    // The first line of a tail may be incomplete, and then cannot be parsed.
    const { type, payload } = (line.includes(part) ? parseObject(line) : undefined) ?? {};
    return isObject(payload) ? [{ type, payload }] : [];
  });
}

async function readTail(path: string, size: number): Promise<{ readonly text: string; readonly whole: boolean }> {
  try {
    await using file = await open(path, "r");
    const { size: length } = await file.stat();
    const from = Math.max(0, length - size);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length - from), 0, length - from, from);
    return { text: buffer.toString("utf8", 0, bytesRead), whole: from === 0 };
  } catch {
    return { text: "", whole: true };
  }
}

const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh"]);

/** The result of a finished call. The hook lacks the exit code of a command; the rollout has it. */
export function resultOfUse(use: CodexToolUse, response: unknown, { item }: CallTrace, cwd: string): ToolResult {
  if (use.name === "Bash") return commandResult(item, response, cwd);
  if (use.name === "apply_patch") {
    // Codex writes this line itself; the hook is not called for a patch that does not apply.
    const code = /^Exit code: (\d+)/.exec(typeof response === "string" ? response : "")?.[1];
    const outcome = item?.status === "completed" || code === "0" ? "ok" : code === undefined ? "unknown" : "failed";
    return { outcome, parts: partsOf(response) };
  }
  const failed = item?.status === "failed" || (isObject(response) && response.isError === true);
  return { outcome: failed ? "failed" : "ok", ...structuredParts(response) };
}

/** The result of a call without a PostToolUse, at the end of its step; `undefined` while it may still be running. */
export function resultWithoutHook(use: CodexToolUse, trace: CallTrace, cwd: string): ToolResult | undefined {
  const { item, output } = trace;
  if (item?.type === "CommandExecution") return commandResult(item, output, cwd);
  if (item !== undefined) {
    return { outcome: item.status === "completed" ? "ok" : statusOutcome(item.status), parts: partsOf(output) };
  }
  // Codex gave the model an output but called no hook: the call did not run or did not complete.
  if (output === undefined) return undefined;
  return { outcome: use.name === "Bash" ? "unknown" : "failed", parts: partsOf(output) };
}

/** The command still runs: PostToolUse follows when it has ended. */
export function isStillRunning({ output }: CallTrace): boolean {
  return output !== undefined && /^Process running with session ID \d+$/m.test(output.slice(0, 400));
}

/** The decision was for a command in `cwd`: one that ran elsewhere, or in an unknown shell, proves nothing. */
function commandResult(item: JsonObject | undefined, response: unknown, cwd: string): ToolResult {
  const output = typeof item?.aggregated_output === "string" ? item.aggregated_output : response;
  const code = item?.exit_code;
  if (item === undefined || typeof code !== "number") {
    return { outcome: item === undefined ? "unknown" : statusOutcome(item.status), parts: partsOf(output) };
  }
  const asDecided = runsIn(item, cwd) && runsShell(item);
  const outcome = code !== 0 ? "failed" : asDecided ? "ok" : "unknown";
  return { outcome, exitCode: code, parts: partsOf(output) };
}

function statusOutcome(status: unknown): Outcome {
  if (status === "failed") return "failed";
  return status === "declined" ? "denied" : "unknown";
}

function runsIn({ cwd: ran }: JsonObject, cwd: string): boolean {
  if (typeof ran !== "string") return false;
  return resolve(ran.startsWith("file://") ? fileURLToPath(ran) : ran) === resolve(cwd);
}

function runsShell({ command }: JsonObject): boolean {
  const program = Array.isArray(command) ? command[0] : undefined;
  return typeof program === "string" && SHELLS.has(basename(program));
}

/** Requirements are in the structured content, which Codex shows the model, so the model gets it without them. */
function structuredParts(response: unknown): Pick<ToolResult, "parts" | "requirements"> {
  const structured = isObject(response) ? response.structuredContent : undefined;
  if (!isObject(structured) || requirementsIn(structured) === undefined) return { parts: partsOf(response) };
  return { parts: [{ kind: "json", value: structured }] };
}

export function partsOf(response: unknown): readonly Part[] {
  if (typeof response === "string") return [{ kind: "text", text: response }];
  if (response === undefined || response === null) return [];
  if (Array.isArray(response)) return response.map(partOfBlock);
  if (isObject(response) && Array.isArray(response.content)) return response.content.map(partOfBlock);
  return [{ kind: "json", value: response as Json }];
}
