import type { ContributorContext, PromptContributor } from "../../../../base/words/prompt.ts";
import type { TrustCandidate } from "../../../../edge/host/trust/trust-candidates.ts";
import { clip, count, oneLine, plural } from "../../../shared/printable.ts";
import type { Paint } from "../../line/terminal.ts";
import type { TrustedState } from "./trust.ts";

const FIRST_LINES = 6;
const WIDEST = 90;
/** Characters that a model reads but a person cannot see. Joiners of emoji are allowed. */
const UNSEEN = /(?![\t\n\r\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

type Usable = Extract<TrustCandidate, { readonly kind: "usable" }>;

export function summariseCandidate(one: TrustCandidate) {
  if (one.kind === "unusable") return { name: one.name, state: "unusable", problems: one.problems };
  const { name, path, state, sha256, text, contributor } = one;
  const { id, tags = [], priority = 100 } = contributor ?? {};
  return {
    name,
    path,
    state,
    sha256,
    characters: text.length,
    contributor: contributor === undefined ? undefined : { id, tags, priority },
    firstLines: firstLines(one),
    unseen: unseenIn(text),
  };
}

/** Each file with its state, its purpose and its first lines, shown before the question. */
export function renderCandidates(folder: string, candidates: readonly TrustCandidate[], paint: Paint): string {
  const blocks = candidates.map((one) => `${renderCandidate(one, paint)}\n`);
  return `\n  ${paint("bold", oneLine(folder))}\n\n${blocks.join("")}${blocks.length === 0 ? "" : "\n"}`;
}

export function renderEntries(
  folder: string,
  entries: readonly TrustedState[],
  elsewhere: number,
  paint: Paint,
): string {
  const rows = entries.map(({ path, state }) => {
    const style = state === "trusted" ? "green" : "amber";
    return `    ${paint(style, state.padEnd(7))}  ${oneLine(path)}\n`;
  });
  const also = elsewhere === 0 ? "" : `  ${plural(elsewhere, "file")} elsewhere\n`;
  const none = entries.length === 0 ? "    nothing is trusted here\n" : "";
  return `\n  ${paint("bold", oneLine(folder))}\n\n${rows.join("")}${none}${also}\n`;
}

function renderCandidate(one: TrustCandidate, paint: Paint): string {
  if (one.kind === "unusable") {
    const lines = one.problems.map(({ line, message, hint }) => {
      const why = hint === undefined ? message : `${message} (${hint})`;
      return `  ${paint("red", "✗")} ${paint("bold", oneLine(`${one.name}:${line}`))}  ${oneLine(why)}`;
    });
    return lines.join("\n");
  }
  const { name, state, text, contributor } = one;
  if (state === "trusted") return `  ${paint("green", "✓")} ${paint("bold", oneLine(name))}  trusted`;
  const mark = paint("amber", state === "new" ? "+" : "~");
  const lines = firstLines(one);
  const rest = linesOf(one).length - lines.length;
  const unseen = unseenIn(text);
  return [
    `  ${mark} ${paint("bold", oneLine(name))}  ${state} · ${plural(text.length, "character")}`,
    ...(contributor === undefined ? [] : [`      ${oneLine(contributorText(contributor))}`]),
    ...(unseen === 0 ? [] : [`      ${paint("amber", "!")} ${plural(unseen, "character")} in it cannot be seen`]),
    ...lines.map((line) => `      ${paint("dim", "│")} ${line}`.trimEnd()),
    ...(rest <= 0 ? [] : [`      ${paint("dim", "│")} … ${count(rest)} more ${rest === 1 ? "line" : "lines"}`]),
  ].join("\n");
}

/** `security: domain:security · priority 50` */
function contributorText({ id, tags = [], priority = 100 }: PromptContributor): string {
  const when =
    tags.length === 0 ? "every session" : tags.map(({ dimension, value }) => `${dimension}:${value}`).join(", ");
  return `${id}: ${when} · priority ${priority}`;
}

function firstLines(one: Usable): readonly string[] {
  return linesOf(one)
    .slice(0, FIRST_LINES)
    .map((line) => clip(`${" ".repeat(line.length - line.trimStart().length)}${oneLine(line)}`, WIDEST));
}

/** For a prompt file, the text for the agent; its front matter is shown as its meaning. */
function linesOf({ text, contributor }: Usable): readonly string[] {
  const told = contributor?.contribute({} as ContributorContext)?.content ?? text;
  return told
    .replace(/^\uFEFF/, "")
    .trimEnd()
    .split(/\r?\n/);
}

function unseenIn(text: string): number {
  return text.replace(/^\uFEFF/, "").match(UNSEEN)?.length ?? 0;
}
