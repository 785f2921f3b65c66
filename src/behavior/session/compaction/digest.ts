import { isObject, parseObject } from "../../../base/kernel/json.ts";
import { cutGraphemes, neutraliseTags } from "../../../base/kernel/text.ts";
import type { Json } from "../../../base/words/json.ts";
import type { TranscriptMessage } from "./transcript.ts";
import type { Summary } from "./summary.ts";

const ENTRY_MAX = 300;
/** One word with a slash or an ending: what calls name files by. */
const PATH = /^(?=.*[/\\.])[^\s<>"'|?*{}()]{2,240}$/;
const ADDRESS = /^[a-z][a-z\d+.-]*:\/\//i;

/** What can be told of messages without a model: what was said, which files were named, what failed. What was open stays open. */
export function digest(gone: readonly TranscriptMessage[], earlier: Summary | undefined): Summary {
  const said = gone.flatMap((message) => (message.kind === "user" ? [firstLine(message.text)] : []));
  return {
    goal: said.filter((line) => line !== "").at(-1) ?? "",
    decisions: unique(gone.flatMap((message) => (message.kind === "assistant" ? [firstLine(message.text)] : []))),
    open: earlier?.open ?? [],
    files: unique(
      gone.flatMap((message) => (message.kind === "assistant" ? message.calls.flatMap(({ args }) => paths(args)) : [])),
    ),
    errors: unique(
      gone.flatMap((message) =>
        message.kind === "result" && message.failed ? [`${message.tool}: ${firstLine(message.text)}`] : [],
      ),
    ),
    left: 0,
  };
}

function paths(args: string): readonly string[] {
  return strings(parseObject(args) ?? {}).filter((text) => PATH.test(text) && !ADDRESS.test(text));
}

function strings(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(strings);
  return isObject(value) ? Object.values(value).flatMap((inner) => (inner === undefined ? [] : strings(inner))) : [];
}

function firstLine(text: string): string {
  const line = text.trimStart().split(/[\r\n]/, 1)[0] ?? "";
  return neutraliseTags(cutGraphemes(line.trim(), ENTRY_MAX));
}

function unique(entries: readonly string[]): readonly string[] {
  return [...new Set(entries.filter((entry) => entry !== ""))];
}
