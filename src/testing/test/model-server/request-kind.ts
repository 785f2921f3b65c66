import { assertNever } from "../../../base/kernel/error-text.ts";
import { asObject, parseObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { ModelRequest, RequestKind } from "./model-request.ts";
import type { ScriptedReply } from "./script.ts";

/** Detects side requests by the markers of Claude Code 2.1 and Codex 0.166. Default: `turn`. */
export function requestKind(request: Pick<ModelRequest, "body" | "headers" | "system" | "lastUserText">): RequestKind {
  const codex = parseObject(request.headers["x-codex-turn-metadata"] ?? "");
  if (codex !== undefined) {
    if (codex.request_kind === "compaction") return "compaction";
    if (codex.request_kind !== undefined && codex.request_kind !== "turn") return "background";
    return codex.thread_source === "subagent" ? "subagent" : "turn";
  }
  if (request.headers["user-agent"]?.startsWith("claude-cli/")) return claudeKind(request);
  return "turn";
}

export function isSideRequest(request: ModelRequest): boolean {
  return request.kind !== "turn" && request.kind !== "subagent";
}

/** Default for `ignore`: an acceptable answer for each kind of side request, `undefined` for turns. */
export function answerSideRequest(request: ModelRequest): ScriptedReply | undefined {
  switch (request.kind) {
    case "turn":
    case "subagent":
      return undefined;
    case "compaction":
      return { text: "<analysis>scripted</analysis>\n<summary>scripted summary</summary>" };
    case "title":
      return { text: '{"title":"Scripted session","name":"scripted-session"}' };
    case "hook-prompt":
      return { text: '{"ok":true}' };
    case "probe":
    case "background":
      return { text: "ok" };
    default:
      return assertNever(request.kind);
  }
}

function claudeKind(request: Pick<ModelRequest, "body" | "system" | "lastUserText">): RequestKind {
  const { body, system, lastUserText } = request;
  if (body.max_tokens === 1) return "probe";
  if (system.includes("You are naming a coding session") || asksForTitle(asObject(body.output_config).format))
    return "title";
  if (/You are evaluating a .{0,40}hook in Claude Code/.test(system)) return "hook-prompt";
  if (lastUserText.includes("a <summary> block") && lastUserText.includes("Do NOT call any tools")) return "compaction";
  return system.includes("cc_is_subagent=true") ? "subagent" : "turn";
}

function asksForTitle(format: ModelRequest["body"][string] | undefined): boolean {
  const properties = Object.keys(asObject(asObject(asObject(format).schema).properties));
  return properties.length === 1 && properties[0] === "title";
}

/** Requested thinking in the wire format: an effort, a budget in tokens, or `off`. */
export function thinkingAsked(body: JsonObject): string | undefined {
  const thinking = asObject(body.thinking);
  if (thinking.type === "disabled") return "off";
  const effort = asObject(body.output_config).effort ?? asObject(body.reasoning).effort ?? body.reasoning_effort;
  const asked = effort ?? thinking.budget_tokens;
  return typeof asked === "string" || typeof asked === "number" ? String(asked) : undefined;
}
