import { asList, asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { Outcome } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { Part, ToolResult } from "../../../base/words/result.ts";
import { DIRECTIVES } from "../../../behavior/policy/builtin/requirements.ts";

/** What a tool gave that came to its end: an MCP server's has `content`, every other `output` and `metadata`. */
export function resultOf(tool: string, output: unknown): ToolResult {
  const given = asObject(output);
  if (Array.isArray(given.content)) return serverResult(given);
  const text: Part = { kind: "text", text: asString(given.output) };
  const pictures = asList(given.attachments).flatMap(pictureOf);
  return { ...outcomeOf(tool, asObject(given.metadata)), parts: [text, ...pictures] };
}

/** A tool of OpenCode's that fails throws; a command tells its exit code, `null` when it was killed. */
function outcomeOf(tool: string, { exit, error }: JsonObject): Pick<ToolResult, "outcome" | "exitCode"> {
  if (tool === "invalid" || error === true) return { outcome: "failed" };
  if (tool !== "bash") return { outcome: "ok" };
  if (typeof exit !== "number") return { outcome: exit === null ? "failed" : "unknown" };
  return { outcome: exit === 0 ? "ok" : "failed", exitCode: exit };
}

/** What a call came to that has ended in an error: OpenCode calls no hook after it. */
export function failedResult(state: JsonObject): ToolResult {
  return { outcome: failedOutcome(state), parts: [{ kind: "text", text: asString(state.error) }] };
}

function failedOutcome({ error, metadata }: JsonObject): Outcome {
  if (asObject(metadata).interrupted === true) return "cancelled";
  // OpenCode's own permissions: a person said no, or a rule of its configuration did.
  return /^The user (rejected permission to use|has specified a rule which prevents)/.test(asString(error))
    ? "denied"
    : "failed";
}

/** Requirements stand in the structured content, which the model is not shown. */
function serverResult({ content, structuredContent, isError }: JsonObject): ToolResult {
  const required = asObject(structuredContent)[DIRECTIVES];
  return {
    outcome: isError === true ? "failed" : "ok",
    parts: asList(content).map(serverPart),
    ...(required === undefined ? {} : { requirements: required }),
  };
}

function serverPart(part: Json): Part {
  if (!isObject(part)) return { kind: "json", value: part };
  if (part.type === "text" && typeof part.text === "string") return { kind: "text", text: part.text };
  if (part.type === "image" && typeof part.data === "string") {
    return { kind: "image", mime: asString(part.mimeType), data: part.data };
  }
  return { kind: "json", value: part };
}

function pictureOf(attachment: Json): readonly Part[] {
  const url = /^data:(image\/[^;,]+);base64,(.*)$/s.exec(asString(asObject(attachment).url));
  return url === null ? [] : [{ kind: "image", mime: url[1] ?? "", data: url[2] ?? "" }];
}
