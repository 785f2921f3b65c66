import { asList, asObject, isObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Decision, Denial } from "../../../base/words/decision.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { Part, ToolResult } from "../../../base/words/result.ts";
import { renderApproval } from "../../host/node/terminal-approver.ts";
import { textBlock } from "./result-shape.ts";
import { READ_RESULT, READ_RESULT_TOOL } from "./tool-map.ts";

export type Question = Extract<Decision, { kind: "ask" }>;

/** What a person said to a question; `later` when nobody has answered it. */
export type Answer = "yes" | "no" | "later";

/** A call that did not run, as the model reads it: a result that is an error, so that it can act on the reason. */
export function refusal(text: string): JsonObject {
  return { content: [textBlock(text)], isError: true };
}

/** One of Conduct's own results as MCP has it, with texts before and after. */
export function ownResult(
  { outcome, parts }: ToolResult,
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
): JsonObject {
  const content = [...before.map(textBlock), ...parts.map(ownBlock), ...after.map(textBlock)];
  return { content, ...(outcome === "ok" ? {} : { isError: true }) };
}

function ownBlock(part: Part): JsonObject {
  switch (part.kind) {
    case "text":
      return textBlock(part.text);
    case "json":
      return textBlock(JSON.stringify(part.value));
    case "image":
      return { type: "image", mimeType: part.mime, data: part.data };
    case "bytes":
      return textBlock(`[${part.bytes.length} bytes]`);
  }
}

/** The model's word that a person refused, in the form of any denial. */
export function humanNo({ id, rule, question }: Question): Denial {
  return {
    kind: "deny",
    id,
    rule,
    code: "human-no",
    reason: `A person was asked and said no: ${question}`,
    missing: [],
    next: "Do it another way, or ask the person what they want instead.",
    others: [],
    attemptsLeft: 0,
    endTurn: false,
  };
}

/** Whether the client can put a form to a person. A client that only opens pages cannot. */
export function canElicit(initialize: JsonObject): boolean {
  const { elicitation } = asObject(initialize.capabilities);
  return isObject(elicitation) && (isObject(elicitation.form) || elicitation.url === undefined);
}

/** The question as a form of the client's; nothing in it is filled in beforehand. */
export function elicitationOf(question: Question, { tool, args }: CallInput, session: string): JsonObject {
  const { approval, rule, input = args, expiresAt } = question;
  return {
    message: renderApproval({ approval, session, rule, tool, question: question.question, input, expiresAt }).trim(),
    requestedSchema: {
      type: "object",
      properties: { answer: { type: "string", title: "Let it run?", enum: ["yes", "no"] } },
      required: ["answer"],
    },
  };
}

/** Longer than this a timer of JavaScript's cannot run. */
const MAX_TIMER_MS = 2_147_483_647;

/** How long a form may stay open. */
export function openFor({ expiresAt }: Question, now: number): number {
  return Math.min(Math.max(1, expiresAt - now), MAX_TIMER_MS);
}

/** Only a clear yes is one; closing the form answers nothing. */
export function readElicitation(body: JsonObject): Answer {
  const { action, content } = asObject(body.result);
  if (action === "decline") return "no";
  if (action !== "accept") return "later";
  const { answer } = asObject(content);
  return answer === "yes" || answer === "no" ? answer : "later";
}

/** The names that a page of `tools/list` has. */
export function listedNames(response: JsonObject): readonly string[] {
  return asList(asObject(response.result).tools).flatMap((tool) =>
    isObject(tool) && typeof tool.name === "string" ? [tool.name] : [],
  );
}

/** The last page of a server's tools with Conduct's `read_result` at its end, where the server has none of that name. */
export function withReadResult(exact: JsonObject, taken: ReadonlySet<string>): JsonObject | undefined {
  const { result } = exact;
  if (!isObject(result) || !Array.isArray(result.tools) || typeof result.nextCursor === "string") return undefined;
  if (taken.has(READ_RESULT)) return undefined;
  const tools: readonly Json[] = [...asList(result.tools), ...READ_RESULT_TOOL];
  return { ...exact, result: { ...result, tools } };
}
