import { sha256 } from "../../base/kernel/canonical-json.ts";
import type { ActiveBehaviorContract, BehaviorDirective } from "../../base/words/contract.ts";
import { displayText, isPlain } from "./parse/comparison-key.ts";
import { keywordOf } from "./parse/keywords.ts";

const TAG = "GATEWAY_BEHAVIOR_CONTRACT";

/** The block that the agent is told at every turn. Nothing when no directive is in force. */
export function renderContract({ version, hash, directives }: ActiveBehaviorContract): string {
  if (directives.length === 0) return "";
  return [`<${TAG} version=${version} hash=${hash}>`, ...contractLines(directives), `</${TAG}>`].join("\n");
}

/** One line for each directive, in the order given. */
export function contractLines(directives: readonly Pick<BehaviorDirective, "type" | "text">[]): readonly string[] {
  return directives.map(({ type, text }) => `- ${keywordOf(type)}: ${escapeText(text)}`);
}

/** Over what the agent reads between the tags: equal for equal lines in equal order, whatever their version. */
export function hashLines(lines: readonly string[]): string {
  return sha256(lines.join("\n")).slice(0, 20);
}

/** One line that opens and closes nothing, even if the store was tampered with. `<50 words` stays as it is. */
function escapeText(text: string): string {
  const line = isPlain(text) ? displayText(text) : cleanLine(text);
  return line.replace(/[<＜﹤](?![\d=])/g, "&lt;");
}

/** On one line, without what turns the direction of writing, and tags that only a model can read. */
function cleanLine(text: string): string {
  return displayText(text.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ")).replace(
    /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu,
    "",
  );
}
