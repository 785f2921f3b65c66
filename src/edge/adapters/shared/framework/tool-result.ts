import { asList, isObject } from "../../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../../base/words/json.ts";
import type { Part, ToolResult } from "../../../../base/words/result.ts";
import { partOfBlock, requirementsIn } from "../content.ts";

/** How a framework's tool ended: with a value, or by throwing. */
export type Ended = { readonly value: unknown } | { readonly error: unknown; readonly aborted?: boolean };

/**
 * The result of a tool that can return anything. A thrown error, an `isError` as in MCP and an `exitCode` other than 0
 * are failures; an error may carry an `exitCode` too.
 */
export function toolResultOf(ended: Ended): ToolResult {
  if ("error" in ended) {
    const exitCode = exitCodeIn(ended.error);
    const parts: readonly Part[] = [{ kind: "text", text: thrownText(ended.error) }];
    return { outcome: ended.aborted === true ? "cancelled" : "failed", exitCode: exitCode ?? undefined, parts };
  }
  const { value } = ended;
  const exitCode = exitCodeIn(value);
  const isFailed = (exitCode !== undefined && exitCode !== 0) || (isObject(value) && value.isError === true);
  return {
    outcome: isFailed ? "failed" : "ok",
    exitCode: exitCode ?? undefined,
    parts: partsOf(value),
    requirements: isMcpResult(value) ? requirementsIn(value.structuredContent) : undefined,
  };
}

/** Whether the value contains requirements next to its parts, which the model must not see. */
export function hidesRequirements(value: unknown): boolean {
  return isMcpResult(value) && requirementsIn(value.structuredContent) !== undefined;
}

/** The whole text that the framework would show the model; reading it may itself throw. */
function thrownText(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "no reason given";
  }
}

function partsOf(value: unknown): readonly Part[] {
  if (typeof value === "string") return [{ kind: "text", text: value }];
  if (value instanceof Uint8Array) return [{ kind: "bytes", bytes: value }];
  if (isMcpResult(value)) return asList(value.content).map(partOfBlock);
  // A tool without a result returns undefined.
  const json = JSON.stringify(value) as string | undefined;
  return json === undefined ? [] : [{ kind: "json", value: JSON.parse(json) as Json }];
}

/** The result of an MCP tool, as the MCP clients of the frameworks return it. */
function isMcpResult(value: unknown): value is JsonObject {
  return isObject(value) && Array.isArray(value.content) && value.content.every((block) => isObject(block));
}

/** `null` for a killed command, `undefined` when there is no exit code. */
function exitCodeIn(value: unknown): number | null | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { exitCode } = value as { readonly exitCode?: unknown };
  return typeof exitCode === "number" || exitCode === null ? exitCode : undefined;
}
