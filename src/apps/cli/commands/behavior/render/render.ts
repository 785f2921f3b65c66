import type { BehaviorDirective, ContractScope, DirectiveType } from "../../../../../base/words/contract.ts";
import { keywordOf } from "../../../../../behavior/contract/parse/keywords.ts";
import { kindOf } from "../../../../../behavior/contract/scopes.ts";
import type { Paint, Style } from "../../../line/paint.ts";
import { oneLine, wrap } from "../../../line/printable.ts";
import type { Terminal } from "../../../line/terminal.ts";

const STYLES: Readonly<Record<DirectiveType, Style>> = {
  keep: "green",
  more: "blue",
  less: "amber",
  stop: "red",
  start: "cyan",
};

/** `v8 91be07`: a run is known by both together. */
export function versionText({ version, hash }: { readonly version: number; readonly hash: string }): string {
  return `v${version} ${hash.slice(0, 6)}`;
}

/** To the minute, in UTC: the same in every terminal. */
export function stamp(time: string | number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")}Z`;
}

export function keyword(type: DirectiveType, paint: Paint): string {
  return paint(STYLES[type], keywordOf(type).padEnd(5));
}

/** One directive with all that a list says of it; a long text goes on below itself. */
export function renderRow(
  directive: BehaviorDirective,
  { columns, paint }: Pick<Terminal, "columns" | "paint">,
): string {
  const { id, type, text, createdAt, expiresAt } = directive;
  const [first = "", ...more] = wrap(text, columns - 12);
  const facts = [
    id,
    `since ${stamp(createdAt)}`,
    ...(expiresAt === undefined ? [] : [`until ${stamp(expiresAt)}`]),
    ...origin(directive),
  ];
  return [
    `    ${keyword(type, paint)}  ${first}`,
    ...more.map((line) => `           ${line}`),
    `           ${paint("dim", oneLine(facts.join(" · ")))}`,
    "",
  ].join("\n");
}

function origin({ message, candidate }: BehaviorDirective): readonly string[] {
  if (message !== undefined) return [`said in message ${message.id}, line ${message.line}`];
  return candidate === undefined ? [] : [`promoted from ${candidate}`];
}

/** The block between bars, so that nobody takes it for our own words. */
export function renderBlock(block: string, paint: Paint): string {
  return block
    .split("\n")
    .map((line) => `    ${paint("dim", "│")} ${oneLine(line)}\n`)
    .join("");
}

/** What went and what came, with the scope where it is not everybody's. */
export function renderDiffLines(
  { added, removed }: { readonly added: readonly BehaviorDirective[]; readonly removed: readonly BehaviorDirective[] },
  paint: Paint,
): string {
  const line = (mark: "+" | "-", { type, text, scope }: BehaviorDirective) =>
    `  ${paint(mark === "+" ? "green" : "red", `${mark} ${keywordOf(type)}: ${oneLine(text)}`)}${scope === "global" ? "" : paint("dim", `   ${oneLine(scope)}`)}\n`;
  return [...removed.map((one) => line("-", one)), ...added.map((one) => line("+", one))].join("");
}

/** Of whom a scope speaks, in a sentence. */
export function sessionsOf(scope: ContractScope): string {
  const kind = kindOf(scope);
  const name = oneLine(scope.slice(kind.length + 1));
  if (kind === "global") return "every session";
  return kind === "channel" ? `every session on ${name}` : `every session ${kind === "agent" ? "of" : "with"} ${name}`;
}

/** A command as the person called us. */
export function spoken(command: string, invocation: string): string {
  return oneLine(command.replace(/^conduct\b/, invocation));
}
