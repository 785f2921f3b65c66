import type { BehaviorDirective, Candidate } from "../../base/words/contract.ts";
import type { ShownList } from "./behavior-list.ts";
import { keyword, renderBlock, renderRow, stamp, versionText } from "./behavior-render.ts";
import { oneLine, plural } from "./printable.ts";
import type { Terminal } from "./terminal.ts";

/** The contract as a person reads it: by scope, with the block below. `fault`: why it may not be all of it. */
export function renderList(list: ShownList, terminal: Terminal, fault?: string): string {
  const { paint } = terminal;
  const { version, generatedAt, directives, block, cap, candidates, scopes = [] } = list;
  const since = version === 0 ? "nothing was ever said" : `since ${stamp(generatedAt)}`;
  const own = scopes.map(({ scope, directives: told }) => told.filter((one) => one.scope === scope));
  const all = [...directives, ...own.flat()];
  return [
    "\n",
    fault === undefined ? "" : `  ${paint("red", "✗ the journal cannot be trusted")}: ${oneLine(fault)}\n    this is what was in force before; nothing is written until it is repaired: conduct journal verify\n\n`,
    `  ${paint("bold", `contract ${versionText(list)}`)}${forWhom(list)}  ${since} · ${plural(all.length, "directive")}, at most ${cap.directives} in one block\n`,
    cap.note === undefined ? "" : `  ${paint("amber", "!")} ${oneLine(cap.note)}\n`,
    "\n",
    all.length === 0 ? renderEmpty(terminal) : renderScopes(all, terminal),
    block === "" ? "" : `  ${paint("bold", "as it is told")}\n\n${renderBlock(block, paint)}\n`,
    ...candidates.map((candidate, at) => `${at === 0 ? `  ${paint("bold", "proposed, not in force")}\n\n` : ""}${renderCandidate(candidate, terminal)}`),
  ].join("");
}

function renderScopes(directives: readonly BehaviorDirective[], terminal: Terminal): string {
  const byScope = Map.groupBy(directives, ({ scope }) => scope);
  return [...byScope]
    .map(([scope, own]) => {
      const rows = own.map((directive) => `${renderRow(directive, terminal)}`).join("");
      return `  ${terminal.paint("bold", oneLine(scope))}\n${rows}\n`;
    })
    .join("");
}

function renderEmpty({ paint, invocation }: Terminal): string {
  return [
    "    Nothing is said yet. A directive holds for every turn from the next one on, until you take it back:\n",
    `    ${paint("dim", "try:")} ${invocation} behavior add "STOP: long status reports"\n\n`,
  ].join("");
}

function renderCandidate({ id, type, text, confidence, evidence, expiresAt, ...rest }: Candidate, { paint, invocation }: Terminal): string {
  const blocked = rest.status === "pending" ? rest.blocked : undefined;
  const lines = [
    `    ${keyword(type, paint)}  ${oneLine(text)}`,
    `           ${paint("dim", oneLine(`${id} · ${Math.round(confidence * 100)} % sure · ${plural(evidence.length, "piece")} of evidence · until ${stamp(expiresAt)}`))}`,
    ...(blocked === undefined ? [] : [`           ${paint("amber", "!")} ${oneLine(blocked)}`]),
    `           ${paint("dim", `${invocation} behavior promote ${id}   or   reject ${id}`)}`,
  ];
  return `${lines.join("\n")}\n\n`;
}

function forWhom({ view }: ShownList): string {
  const named = Object.entries(view).map(([kind, name]) => `${kind} ${name}`);
  return named.length === 0 ? "" : `  for ${oneLine(named.join(", "))}`;
}
