import { asList, asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { Denial, PersonAnswer, Question } from "../../../base/words/decision.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { newDenial } from "../../../behavior/policy/render-denial.ts";
import { textBlock, withoutStart } from "../shared/content.ts";

/** The typed text; files and pictures are blocks of other kinds. */
export function typedText(params: JsonObject): string {
  return texts(params).join("\n");
}

function texts(params: JsonObject): readonly string[] {
  return asList(params.prompt)
    .map(textIn)
    .filter((text) => text !== "");
}

/** The prompt with extra text blocks before it, and without the first `cut` characters of the typed text. */
export function promptWith(params: JsonObject, before: readonly string[], cut: number): JsonObject {
  const rest = [...withoutStart(texts(params), cut)];
  const blocks = asList(params.prompt).flatMap((block): readonly Json[] => {
    if (textIn(block) === "") return [block];
    const text = rest.shift() ?? "";
    return text === "" ? [] : [{ ...asObject(block), text }];
  });
  return { ...params, prompt: [...before.map(textBlock), ...blocks] };
}

/** Introduces the operator's prompt; the person's message follows in the same turn. */
export const INTRODUCTION =
  "The operator of this agent gives you the following instructions, up to the next block. They apply to the whole conversation.";

const REFUSED = `Conduct checks your calls for the operator and has refused your permission request. The person has not rejected it.`;

/** The reasons of refusals as a prompt, because a rejection in ACP has no field for them. */
export function refusalPrompt(denials: readonly string[]): string {
  return `${REFUSED}\n\n${denials.join("\n\n")}\n\nContinue with the task accordingly.`;
}

/** The refused call, under the model's name for it, and the reason. */
export function refusalText(title: string, why: string): string {
  return title === "" ? why : `${title.split("\n")[0]?.slice(0, 200)}\n${why}`;
}

/** A command of the agent's own, at the very start of a prompt. */
export function commandIn(text: string): string | undefined {
  return /^\/([\w:-]+)(?:\s|$)/.exec(text)?.[1];
}

/** Commands that compact the conversation; not every agent lists them. */
export function isCompaction(command: string | undefined): boolean {
  return command === "compact" || command === "compress";
}

/** Answers a permission request with the first offered option of these kinds, or with `cancelled`. */
export function choose(params: JsonObject, ...kinds: readonly string[]): JsonObject {
  const options = asList(params.options).map(asObject);
  const chosen = kinds.flatMap((kind) => options.filter((one) => one.kind === kind)).at(0);
  if (chosen === undefined) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: asString(chosen.optionId) } };
}

/** The request without "always allow": Conduct would not see the next call. */
export function withoutAlways(message: JsonObject): JsonObject | undefined {
  const params = asObject(message.params);
  const options = asList(params.options);
  const once = options.filter((option) => asObject(option).kind !== "allow_always");
  const allows = once.some((option) => asObject(option).kind === "allow_once");
  return once.length === options.length || !allows ? undefined : { ...message, params: { ...params, options: once } };
}

export function chosenIn(params: JsonObject, body: JsonObject): "allowed" | "rejected" | "cancelled" {
  const { outcome, optionId } = asObject(asObject(body.result).outcome);
  if (outcome !== "selected") return "cancelled";
  const chosen = asList(params.options)
    .map(asObject)
    .find((one) => asString(one.optionId) === optionId);
  return asString(chosen?.kind).startsWith("allow") ? "allowed" : "rejected";
}

const YES = "conduct-yes";
const ALWAYS = "conduct-always";
const NO = "conduct-no";

export function questionParams(
  sessionId: string,
  toolCallId: string,
  question: Question,
  call: JsonObject,
): JsonObject {
  return {
    sessionId,
    toolCall: {
      toolCallId,
      title: `Conduct (${question.rule}): ${question.question}`,
      kind: "other",
      status: "pending",
      rawInput: call,
    },
    options: [
      { optionId: YES, name: "Yes, this once", kind: "allow_once" },
      ...(question.remember === true
        ? [{ optionId: ALWAYS, name: "Always in this session", kind: "allow_always" }]
        : []),
      { optionId: NO, name: "No", kind: "reject_once" },
    ],
  };
}

/** No answer does not count as a no. */
export function answerIn(body: JsonObject, { remember }: Pick<Question, "remember"> = {}): PersonAnswer | "later" {
  const { optionId } = asObject(asObject(body.result).outcome);
  if (optionId === YES) return "yes";
  if (optionId === ALWAYS && remember === true) return "always";
  return optionId === NO ? "no" : "later";
}

/** The denial of a call whose details the agent does not report. */
export function unreadable(why: string): Denial {
  return newDenial({
    id: "d_unreadable",
    rule: "conduct",
    code: "bad-call",
    reason: `The agent asks permission for a call, but ${why}.`,
    next: "Do it with another tool, or tell the operator that this agent's calls cannot be checked.",
  });
}

/** A text for the person, shown as text of the agent with a mark of Conduct. */
export function shownUpdate(sessionId: string, text: string): JsonObject {
  return {
    jsonrpc: "2.0",
    method: "session/update",
    params: {
      sessionId,
      update: { sessionUpdate: "agent_message_chunk", content: textBlock(`${text}\n\n`), _meta: { conduct: true } },
    },
  };
}

/** Modes in which agents no longer ask permission. */
const UNASKING = /^(?:bypass\w*|dontask|acceptedits|yolo|auto(?:edit|approve|accept)?|(?:agent)?fullaccess)$/i;

/** The mode that a request switches to, if the agent does not ask for permission in it. */
export function unaskingMode(method: string, params: JsonObject): string | undefined {
  const isMode = method === "session/set_mode" || /mode(?!l)|permission|approval/i.test(asString(params.configId));
  const mode = asString(method === "session/set_mode" ? params.modeId : params.value);
  return isMode && isUnasking(mode) ? mode : undefined;
}

export function isUnasking(mode: string): boolean {
  const name = mode.split(/[#/]/).at(-1) ?? "";
  return UNASKING.test(name.replace(/[-_\s]/g, ""));
}

export function currentMode(result: JsonObject): string {
  const option = asList(result.configOptions).find((one) => isObject(one) && one.category === "mode");
  return asString(asObject(result.modes).currentModeId) || asString(asObject(option).currentValue);
}

export const PROTOCOL = 1;

/** JSON-RPC reserves this range for the protocol; ACP 1 uses -32000 and -32002. */
export const DENIED = -32010;
export const INTERNAL_ERROR = -32603;

/** A tool call as reported so far: ACP sends changes, and a permission request often has only a part. */
export type ToolSeen = {
  readonly id: string;
  /** The tool's own name, if reported; `kind` is one of a few categories. */
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

export function mergeSeen(before: ToolSeen | undefined, told: JsonObject): ToolSeen {
  const kind = asString(told.kind);
  const title = asString(told.title);
  const content = asList(told.content);
  const locations = asList(told.locations).flatMap((one) => asString(asObject(one).path) || []);
  const { rawOutput: output = before?.output } = told;
  return {
    id: asString(told.toolCallId),
    // Agents that report no tool name use it as the first title.
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

/** The text of a content block; empty for all others. */
export function textIn(block: Json | undefined): string {
  const { type, text } = asObject(block);
  return type === "text" ? asString(text) : "";
}
