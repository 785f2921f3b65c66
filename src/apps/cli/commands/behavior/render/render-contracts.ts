import type { ContractUse } from "../../../../../base/ports/stores/event-journal.ts";
import type { BehaviorDirective, Candidate } from "../../../../../base/words/contract.ts";
import { oneLine, plural } from "../../../line/printable.ts";
import type { Terminal } from "../../../line/terminal.ts";
import type { ShownContracts } from "../views/contracts.ts";
import { renderRuns, renderUse, type ToldTo } from "../views/told.ts";
import { keyword, renderBlock, renderRow, spoken, stamp, versionText } from "./render.ts";

type Shown = ShownContracts & {
  readonly cap?: { readonly directives: number; readonly note?: string };
  readonly told?: ContractUse | ToldTo;
};

/** A contract as a person reads it: by scope, with the block below. `fault`: why it may not be all of it. */
export function renderContracts(shown: Shown, terminal: Terminal, fault?: string): string {
  const { paint, invocation } = terminal;
  const { version, generatedAt, directives, block, cap, candidates, told, scopes = [] } = shown;
  const own = scopes.flatMap(({ scope, directives: told }) => told.filter((one) => one.scope === scope));
  const all = [...directives, ...own];
  const most = cap === undefined ? "" : `, at most ${cap.directives} in one block`;
  const since = version === 0 ? "" : `  since ${stamp(generatedAt)}`;
  return [
    "\n",
    fault === undefined ? "" : renderFault(fault, terminal),
    `  ${paint("bold", `contract ${versionText(shown)}`)}${forWhom(shown)}${since}  ${plural(all.length, "directive")}${most}\n`,
    told === undefined ? "" : renderUse(told),
    cap?.note === undefined ? "" : `  ${paint("amber", "!")} ${oneLine(cap.note)}\n`,
    "\n",
    all.length > 0
      ? renderScopes(all, terminal)
      : cap === undefined
        ? "    nothing was told\n\n"
        : fault === undefined
          ? renderEmpty(invocation)
          : "",
    block === ""
      ? ""
      : `  ${paint("bold", scopes.length === 0 ? "as it is told" : "as everybody is told")}\n${renderBlock(block, paint)}\n`,
    told === undefined || !("runs" in told) ? "" : `  ${paint("bold", "told in")}\n${renderRuns(told.runs)}\n`,
    candidates.length === 0 ? "" : `  ${paint("bold", "proposed, not in force")}\n`,
    ...candidates.map((candidate) => renderCandidate(candidate, terminal)),
  ].join("");
}

function renderScopes(directives: readonly BehaviorDirective[], terminal: Terminal): string {
  return [...Map.groupBy(directives, ({ scope }) => scope)]
    .map(([scope, own]) => {
      const rows = own.map((directive) => renderRow(directive, terminal)).join("");
      return `  ${terminal.paint("bold", oneLine(scope))}\n${rows}\n`;
    })
    .join("");
}

function renderFault(fault: string, { paint, invocation }: Terminal): string {
  const look = spoken("conduct journal repair --dry-run", invocation);
  return [
    `  ${paint("red", "✗ the journal cannot be trusted")}: ${oneLine(fault)}\n`,
    `    Calls are denied and nothing is written until an operator repairs it. See what is damaged: ${look}\n\n`,
  ].join("");
}

function renderEmpty(invocation: string): string {
  return [
    "    Nothing is said yet. A directive holds for every turn from the next one on, until you take it back:\n",
    `    ${spoken('conduct behavior add "STOP: long status reports"', invocation)}\n\n`,
  ].join("");
}

function renderCandidate(candidate: Candidate, { paint, invocation }: Terminal): string {
  const { id, type, text, confidence, evidence, expiresAt } = candidate;
  const sure = `${Math.round(confidence * 100)} % sure`;
  const facts = [id, sure, `${plural(evidence.length, "piece")} of evidence`, `until ${stamp(expiresAt)}`];
  const blocked = candidate.status === "pending" ? candidate.blocked : undefined;
  return [
    `    ${keyword(type, paint)}  ${oneLine(text)}\n`,
    `           ${paint("dim", oneLine(facts.join(" · ")))}\n`,
    blocked === undefined ? "" : `           ${paint("amber", "!")} ${oneLine(blocked)}\n`,
    `           ${spoken(`conduct behavior promote ${id}`, invocation)}   or   reject ${oneLine(id)}\n\n`,
  ].join("");
}

function forWhom({ view }: Shown): string {
  const named = Object.entries(view).map(([kind, name]) => `${kind} ${name}`);
  return named.length === 0 ? "" : `  for ${oneLine(named.join(", "))}`;
}
