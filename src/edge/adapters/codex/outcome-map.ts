import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isObject } from "../../../base/kernel/json.ts";
import type { Outcome } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { Part, ToolResult } from "../../../base/words/result.ts";
import { DIRECTIVES } from "../../../behavior/policy/builtin/requirements.ts";
import type { CodexToolUse } from "./events.ts";
import type { CallTrace } from "./rollout.ts";

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
  if (!isObject(structured) || !Object.hasOwn(structured, DIRECTIVES)) return { parts: partsOf(response) };
  return { parts: [{ kind: "json", value: structured }] };
}

export function partsOf(response: unknown): readonly Part[] {
  if (typeof response === "string") return [{ kind: "text", text: response }];
  if (response === undefined || response === null) return [];
  if (Array.isArray(response)) return response.flatMap(partOf);
  if (isObject(response) && Array.isArray(response.content)) return response.content.flatMap(partOf);
  return [{ kind: "json", value: response as Json }];
}

function partOf(part: unknown): readonly Part[] {
  if (!isObject(part)) return [];
  if (typeof part.text === "string") return [{ kind: "text", text: part.text }];
  if (typeof part.data === "string" && typeof part.mimeType === "string") {
    return [{ kind: "image", mime: part.mimeType, data: part.data }];
  }
  const url = typeof part.image_url === "string" ? /^data:([^;,]+);base64,(.*)$/s.exec(part.image_url) : null;
  if (url !== null) return [{ kind: "image", mime: url[1] ?? "", data: url[2] ?? "" }];
  return [{ kind: "json", value: part }];
}
