import { asList, asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";

/** The version of the protocol that the proxy understands: what it cannot read it cannot decide on. */
export const PROTOCOL = 1;

/** JSON-RPC leaves this range to the protocol, and ACP 1 uses -32000 and -32002 of it. */
export const DENIED = -32010;
export const INTERNAL_ERROR = -32603;

/** A tool call as far as an agent has told of it: ACP sends what has changed, and a permission request often has only half of it. */
export type ToolSeen = {
  readonly id: string;
  /** What the tool is called, where it is told; `kind` is one of a few words for all tools. */
  readonly name: string;
  readonly kind: string;
  readonly title: string;
  readonly status: string;
  readonly input: JsonObject;
  readonly output?: Json;
  readonly locations: readonly string[];
  readonly content: readonly Json[];
};

const IDENTIFIER = /^[A-Za-z_][\w.:-]*(?:\/[\w.-]+)?$/;

/** What is known of a call after one more word about it. */
export function mergeSeen(before: ToolSeen | undefined, told: JsonObject): ToolSeen {
  const kind = asString(told.kind);
  const title = asString(told.title);
  const content = asList(told.content);
  const locations = asList(told.locations).flatMap((one) => asString(asObject(one).path) || []);
  const { rawOutput: output = before?.output } = told;
  return {
    id: asString(told.toolCallId),
    // Where the tool has no name of its own, agents begin with it as the title.
    name: asString(told.name) || before?.name || (IDENTIFIER.test(title) ? title : ""),
    kind: kind === "" || kind === "other" ? before?.kind || kind : kind,
    title: title || before?.title || "",
    status: asString(told.status) || before?.status || "",
    input: { ...before?.input, ...asObject(told.rawInput) },
    locations: locations.length > 0 ? locations : (before?.locations ?? []),
    content: content.length > 0 ? content : (before?.content ?? []),
    ...(output === undefined || output === null ? {} : { output }),
  };
}

export type OptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";
type PermissionOption = { readonly id: string; readonly kind: string };

export function optionsOf(params: JsonObject): readonly PermissionOption[] {
  return asList(params.options)
    .filter(isObject)
    .map(({ optionId, kind }) => ({ id: asString(optionId), kind: asString(kind) }));
}

export function textBlock(text: string): JsonObject {
  return { type: "text", text };
}

/** The text of a content block; empty for all others. */
export function textIn(block: Json | undefined): string {
  const { type, text } = asObject(block);
  return type === "text" ? asString(text) : "";
}
