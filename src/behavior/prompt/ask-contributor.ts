import { errorText } from "../../base/kernel/error-text.ts";
import type { ContributorContext, PromptMode, PromptSection, TraceReason } from "../../base/words/prompt.ts";
import type { Selected } from "./contributor-registry.ts";

/** What a mode keeps; `minimal` keeps an agent's own sections too, because they are its role. */
const KEPT: Readonly<Record<Exclude<PromptMode, "full">, ReadonlySet<string>>> = {
  minimal: new Set(["builtin:identity", "builtin:contract", "builtin:soul", "builtin:safety", "builtin:tools"]),
  none: new Set(["builtin:identity", "builtin:contract"]),
};

export type Answer =
  | { readonly kind: "section"; readonly section: PromptSection }
  | { readonly kind: "none"; readonly reason: Exclude<TraceReason, "included" | "tag-miss">; readonly detail?: string };

/** A selected contributor's section, or why there is none. It is foreign code: whatever it does, only its own section is lost. */
export function askContributor(selected: Selected, context: ContributorContext): Answer {
  const { contributor } = selected;
  if (!isKept(selected, context.promptMode)) {
    return { kind: "none", reason: "vetoed", detail: `prompt mode ${context.promptMode}` };
  }
  try {
    if (contributor.shouldContribute !== undefined && !readVote(contributor.shouldContribute(context))) {
      return { kind: "none", reason: "vetoed" };
    }
    const section = readSection(contributor.contribute(context));
    return section === undefined ? { kind: "none", reason: "empty" } : { kind: "section", section };
  } catch (error) {
    return { kind: "none", reason: "failed", detail: errorText(error) };
  }
}

function isKept({ id, source }: Selected, mode: PromptMode): boolean {
  return mode === "full" || KEPT[mode].has(id) || (mode === "minimal" && source === "agent");
}

/** It must answer yes or no: a promise would be true whatever it says. */
function readVote(returned: unknown): boolean {
  if (typeof returned === "boolean") return returned;
  throw new TypeError(`shouldContribute returned ${describe(returned)}; it returns true or false`);
}

function readSection(returned: unknown): PromptSection | undefined {
  if (returned === undefined) return undefined;
  if (typeof returned !== "object" || returned === null || isThenable(returned)) {
    throw new TypeError(`contribute returned ${describe(returned)}; it returns { content } or nothing`);
  }
  const { heading, content, maxChars, maxTokens }: { readonly [key: string]: unknown } = { ...returned };
  if (typeof content !== "string") throw new TypeError(`its content is ${describe(content)}; it must be a text`);
  if (heading !== undefined && typeof heading !== "string") {
    throw new TypeError(`its heading is ${describe(heading)}; it must be a text, or left out`);
  }
  if (content.trim() === "") return undefined;
  return {
    content,
    heading,
    maxChars: maxChars === undefined ? undefined : readLimit("maxChars", maxChars),
    maxTokens: maxTokens === undefined ? undefined : readLimit("maxTokens", maxTokens),
  };
}

function readLimit(name: string, limit: unknown): number {
  if (typeof limit === "number" && limit >= 1) return Math.floor(limit);
  throw new TypeError(`its ${name} is ${describe(limit)}; it must be a number of at least 1, or left out`);
}

function describe(value: unknown): string {
  if (isThenable(value)) {
    value.then(undefined, () => {});
    return "a promise";
  }
  if (value === null || value === undefined || typeof value === "number") return String(value);
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
