import { open } from "node:fs/promises";
import { isObject, parseObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";

/** One call in the rollout: as the model wrote it, as it ran, and the output that the model got. */
export type CallTrace = {
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
