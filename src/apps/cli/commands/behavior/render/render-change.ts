import type { ChangeDecision, NextCommand } from "../../../../../behavior/contract/decide/change-request.ts";
import { writeCheck } from "../../../../../behavior/contract/directive-check.ts";
import { writeDirective } from "../../../../../behavior/contract/parse/directive-form.ts";
import { oneLine, wrap } from "../../../line/printable.ts";
import type { Terminal } from "../../../line/terminal.ts";
import type { ShownChange } from "../change.ts";
import { renderBlock, renderDiffLines, sessionsOf, spoken, stamp, versionText } from "./render.ts";

type Accepted = Extract<ChangeDecision, { readonly kind: "accepted" }>;
type Refused = Extract<ChangeDecision, { readonly kind: "refused" }>;

/** What changed, since when it counts and how to take it back. */
export function renderChange(change: ShownChange, { next }: Pick<Accepted, "next">, terminal: Terminal): string {
  const { paint, invocation } = terminal;
  const { diff, dryRun, warnings, block, contract, scope, active } = change;
  const moved = diff.added.length + diff.removed.length > 0;
  const head = moved
    ? `  contract ${paint("bold", versionText(diff.from))} → ${paint("bold", versionText(diff.to))}\n`
    : `  contract ${paint("bold", versionText(contract))}, as it was\n`;
  const undo = next.find(({ command }) => command.endsWith(" undo"));
  const tail = dryRun
    ? `\n${block === "" ? "    nothing would be told\n" : renderBlock(block, paint)}\n  ${paint("amber", "nothing was written")}: this is what would be told\n`
    : moved
      ? `  in force from the next turn of ${sessionsOf(scope)}${active === undefined ? "" : ` (${active} active)`}.${undo === undefined ? "" : `   undo: ${spoken(undo.command, invocation)}`}\n`
      : others(next, terminal);
  return [
    "\n",
    `  ${dryRun ? `${paint("amber", "○")} dry run: ` : `${paint("green", "✓")} `}${oneLine(sentence(change))}\n`,
    head,
    renderDiffLines(diff, paint),
    ...warnings.map(({ message }) => `  ${paint("amber", "!")} ${oneLine(message)}\n`),
    tail,
    "\n",
  ].join("");
}

function sentence({ outcome, directive, candidate, events }: ShownChange): string {
  const said = directive === undefined ? "" : ` '${writeDirective(directive)}' (${directive.id})`;
  switch (outcome) {
    case "repeated":
      return `in force already:${said}`;
    case "absorbed":
      return `said already by${said}`;
    case "promoted":
      return `${candidate?.id ?? "the candidate"} is promoted:${said}`;
    case "rejected":
      return `${candidate?.id ?? "the candidate"} is rejected${candidate?.status === "rejected" ? `: ${candidate.reason}` : ""}`;
    case "edited":
      return `${candidate?.id ?? "the candidate"} now says: '${candidate === undefined ? "" : writeDirective(candidate)}'`;
    case "snoozed":
      return `${candidate?.id ?? "the candidate"} is put off${candidate?.status === "snoozed" ? ` until ${stamp(candidate.until)}` : ""}`;
    case "marked":
      return `noted of${said}`;
    case "checked":
      return directive?.check === undefined
        ? `no longer measured:${said}`
        : `measured from now on by '${writeCheck(directive.check)}':${said}`;
    case "applied": {
      const dropped = events.flatMap((event) => (event.kind === "contract-applied" ? event.dropped : []));
      const gone = dropped.map(({ directive: one, sameAs }) => `${one.id} says the same as ${sameAs}`);
      return `checked again: ${gone.length === 0 ? "nothing has to change" : gone.join("; ")}`;
    }
    case "undone": {
      const undone = events.find((event) => event.kind === "contract-undone");
      return `change ${undone?.undoes ?? ""} is taken back`;
    }
    default: {
      const end =
        directive?.expiresAt === undefined || outcome === "removed" ? "" : `, until ${stamp(directive.expiresAt)}`;
      return `${outcome}:${said}${end}`;
    }
  }
}

/** Why not, what to do, and the commands that do it, ready to be copied. */
export function renderRefusal({ code, message, fix, next }: Refused, terminal: Terminal): string {
  const { paint } = terminal;
  const [first = "", ...rest] = wrap(message, terminal.columns - code.length - 6);
  const lines = [
    `  ${paint("red", `✗ ${code}`)}  ${first}`,
    ...rest.map((line) => `${" ".repeat(code.length + 6)}${line}`),
    `    ${paint("dim", "try:")} ${oneLine(fix)}`,
    ...next.map(
      (one) => `    ${paint("dim", `${oneLine(one.description)}:`)}  ${spoken(one.command, terminal.invocation)}`,
    ),
  ];
  return `\n${lines.join("\n")}\n\n`;
}

function others(next: readonly NextCommand[], { paint, invocation }: Terminal): string {
  return next
    .map((one) => `  ${paint("dim", `${oneLine(one.description)}:`)}  ${spoken(one.command, invocation)}\n`)
    .join("");
}
