import type { Place } from "../../../../base/words/rule.ts";
import type { Cause, ChangeKind, Verdict } from "../../../../engine/replay/compare-decisions.ts";
import type { ReplayChange, SessionReplay } from "../../../../engine/replay/event-replayer.ts";
import type { ContractChangeOfTurns, ContractReplayReport } from "../../../learning/replay/replay-contract.ts";
import type { ReplayReport } from "../../../learning/replay/replay-sessions.ts";
import { showCall } from "../../../shared/event-words.ts";
import { clip, count, oneLine, plural, wrap } from "../../../shared/printable.ts";
import type { Paint, Style } from "../../line/terminal.ts";
import { sessionName, shortIds } from "../../stores/with-store.ts";

export type ReplayLayout = { readonly columns: number; readonly paint: Paint; readonly timeOf: (at: number) => string };

/** The terminal shows this many; JSON has more. */
const MOST_SESSIONS = 20;
const MOST_CHANGES = 12;
const INDENT = 6;

type Asked = {
  readonly rules: string;
  readonly how: "replace" | "add";
  /** The agent whose rules change; all agents by default. */
  readonly for?: string;
  /** The agent whose sessions are replayed. */
  readonly agent?: string;
  readonly since: string;
};

/** A summary, then the differences of each session with their reasons. */
export function renderReplay(report: ReplayReport, asked: Asked, layout: ReplayLayout): string {
  const { paint, columns, timeOf } = layout;
  const { sessions, calls, changed, cannotTell, details, undefinedAgents } = report;
  const head = headOf(asked, timeOf);
  const found = `${plural(sessions, "session")} · ${plural(calls, "call")} · ${count(changed)} would change · ${count(cannotTell)} cannot be determined`;
  const kinds = COUNTED.map(([key, text]) => [report[key], text] as const).filter(([times]) => times > 0);
  const width = Math.max(0, ...kinds.map(([times]) => count(times).length));
  const bare = undefinedAgents.map(oneLine).join(", ");
  const shown = details.slice(0, MOST_SESSIONS);
  const rest = details.length - shown.length;
  const short = shortIds();
  return [
    "",
    ...wrap(head, columns - 4).map((line) => `  ${line}`),
    "",
    `  ${changed === 0 && cannotTell === 0 ? paint("green", `✓ ${found}`) : paint("bold", found)}`,
    ...kinds.map(([times, text]) => `    ${count(times).padStart(width)} ${text}`),
    ...(bare === ""
      ? []
      : wrap(`not configured here, replayed without their own rules: ${bare}`, columns - 4).map(
          (line) => `  ${paint("amber", line)}`,
        )),
    ...shown.flatMap((one) => ["", ...sessionLines(one, short, layout)]),
    ...(rest > 0 || report.left > 0
      ? ["", `  ${paint("dim", `and ${plural(rest, "more session")}: use --json`)}`]
      : []),
    "",
    "",
  ].join("\n");
}

function headOf({ rules, how, for: whose, agent, since }: Asked, timeOf: ReplayLayout["timeOf"]): string {
  const theirs = whose === undefined ? "the agents' rules" : `the rules of ${oneLine(whose)}`;
  const word = how === "add" ? "added to" : "in place of";
  const of = agent === undefined ? "" : ` of ${oneLine(agent)}`;
  return `${oneLine(rules)} ${word} ${theirs}, sessions${of} since ${timeOf(Date.parse(since))}`;
}

const COUNTED = [
  ["newlyDenied", "newly denied"],
  ["noLongerDenied", "no longer denied"],
  ["newlyAsked", "newly asked"],
  ["noLongerAsked", "no longer asked"],
  ["otherwise", "same decision, other message"],
] as const;

function sessionLines(
  one: SessionReplay,
  short: (id: string) => string,
  { columns, paint, timeOf }: ReplayLayout,
): readonly string[] {
  const head = `  ${paint("bold", sessionName(one, short))} ${paint("dim", `· ${timeOf(one.startedAt)} · ${plural(one.calls, "call")}`)}`;
  const times = new Map(one.changes.map(({ decision, at }) => [decision, timeOf(at)]));
  const shown = one.changes.slice(0, MOST_CHANGES);
  const rest = one.changes.length - shown.length;
  const lines = shown.flatMap((change) => {
    const [style, what] = verdictOf(change);
    const follows =
      change.follows === undefined ? "" : ` · follows from ${times.get(change.follows) ?? "an earlier change"}`;
    const left = `    ${timeOf(change.at)}  `;
    const call = clip(showCall(change), Math.max(16, columns - left.length - what.length - 5));
    return [
      `${left}${call}   ${paint(style, what)}`,
      ...reasonsOf(change).flatMap((reason, at, all) =>
        wrap(`${reason}${at === all.length - 1 ? follows : ""}`, columns - INDENT - 4).map(
          (line, row) => `${" ".repeat(INDENT + (row === 0 ? 0 : 2))}${paint("dim", line)}`,
        ),
      ),
    ];
  });
  const more = rest > 0 ? [`    ${paint("dim", `and ${plural(rest, "more change")} in this session`)}`] : [];
  return [head, ...lines, ...more];
}

const VERDICTS: Readonly<Record<Exclude<ChangeKind, "otherwise">, Style>> = {
  "newly-denied": "red",
  "no-longer-denied": "green",
  "newly-asked": "amber",
  "no-longer-asked": "green",
};

function verdictOf(change: ReplayChange): readonly [Style, string] {
  if (change.kind === "cannot-tell") return ["amber", "cannot be determined"];
  const [was, now] = [wordOf(change.was), wordOf(change.now)];
  if (change.kind === "otherwise") return ["blue", was === now ? `${now}, other message` : `${was} → ${now}`];
  return [VERDICTS[change.kind], `${was} → ${now}`];
}

function wordOf({ decision }: Verdict): string {
  if (decision.kind === "ask") return "asked";
  if (decision.kind === "allow") return "allowed";
  return decision.code === "withdrawn" ? "withdrawn" : "denied";
}

function reasonsOf(change: ReplayChange): readonly string[] {
  return change.kind === "cannot-tell" ? [change.why] : change.causes.map(causeText);
}

function causeText(cause: Cause): string {
  switch (cause.kind) {
    case "objects": {
      const needs = cause.missing.map(({ what, why }) => `${what} (${why})`).join(", ");
      const what = cause.effect === "shadow" ? "would deny, in shadow mode" : OBJECTING[cause.effect];
      return `${ruleText(cause)} ${what}: ${needs === "" ? cause.reason : `needs ${needs}`}`;
    }
    case "silent":
      return `${ruleText(cause)} no longer denies it`;
    case "effect":
      return `${ruleText(cause)} has another effect: ${cause.effect} instead of ${cause.was}`;
    case "escalation":
      return `${oneLine(cause.rule)}: ${cause.now} instead of ${cause.was}`;
    case "rewrite":
      return cause.now === "none" ? "its arguments are no longer rewritten" : "its arguments are rewritten";
  }
}

const OBJECTING = {
  "end-turn": "ends the turn",
  deny: "objects",
  ask: "asks",
  warn: "warns",
  remind: "reminds",
} as const;

function ruleText({ rule, place }: { readonly rule: string; readonly place?: Place }): string {
  return oneLine(`${rule}${place === undefined ? "" : ` (${place.file}:${place.line})`}`);
}

/** Renders the turns that would have had other directives. */
export function renderContractReplay(report: ContractReplayReport, since: string, layout: ReplayLayout): string {
  const { paint, columns, timeOf } = layout;
  const { version, sessions, turns, changed, cannotTell, details } = report;
  const found = `${plural(sessions, "session")} · ${plural(turns, "turn")} · ${count(changed)} would have other directives · ${count(cannotTell)} cannot be determined`;
  const shown = details.slice(0, MOST_SESSIONS);
  const rest = details.length - shown.length + report.left;
  const short = shortIds();
  const sessionsOf = shown.flatMap((one) => [
    "",
    `  ${paint("bold", sessionName(one, short))} ${paint("dim", `· ${timeOf(one.startedAt)}`)}`,
    ...one.changes.slice(0, MOST_CHANGES).flatMap((change) => turnLines(change, columns, paint)),
  ]);
  return [
    "",
    ...wrap(
      `contract v${version} instead of the contract then in force, turns since ${timeOf(Date.parse(since))}`,
      columns - 4,
    ).map((line) => `  ${line}`),
    "",
    `  ${changed === 0 && cannotTell === 0 ? paint("green", `✓ ${found}`) : paint("bold", found)}`,
    ...sessionsOf,
    ...(rest > 0 ? ["", `  ${paint("dim", `and ${plural(rest, "more session")}: use --json`)}`] : []),
    "",
    "",
  ].join("\n");
}

function turnLines(change: ContractChangeOfTurns, columns: number, paint: Paint): readonly string[] {
  const { from, to, was } = change;
  const turns = from === to ? `turn ${from}` : `turns ${from} to ${to}`;
  const head = `    ${turns}, had v${was.version}${was.hash === "" ? "" : ` ${was.hash.slice(0, 6)}`}`;
  const row = (sign: string, style: Style, text: string) =>
    wrap(text, columns - INDENT - 4).map(
      (line, at) => `${" ".repeat(INDENT)}${paint(style, `${at === 0 ? sign : " "} ${line}`)}`,
    );
  if (change.kind === "cannot-tell")
    return [`${head}   ${paint("amber", "cannot be determined")}`, ...row(" ", "dim", change.why)];
  return [
    head,
    ...change.removed.flatMap((line) => row("-", "red", line.replace(/^- /, ""))),
    ...change.added.flatMap((line) => row("+", "green", line.replace(/^- /, ""))),
    ...(change.added.length + change.removed.length === 0 ? row(" ", "dim", "the same lines in another order") : []),
  ];
}
