import { clip, count, oneLine, plural } from "../../line/printable.ts";
import type { Terminal } from "../../line/terminal.ts";
import { momentIn } from "../watch/times.ts";
import type { Watched } from "./enforce.ts";
import type { RuleTally } from "./tally.ts";

const MOST_RULES = 8;

/** What would have been blocked so far: by rule, with calls that can be asked about. */
export function renderTallies(
  watched: readonly Watched[],
  terminal: Terminal,
  { now, zone }: { readonly now: () => number; readonly zone?: string },
): string {
  const timeOf = momentIn(zone, now());
  return watched.map((one) => renderTally(one, terminal, timeOf)).join("");
}

function renderTally(
  { runtime, settings, tally }: Watched,
  { paint, columns, invocation }: Terminal,
  timeOf: (at: number) => string,
): string {
  const { sessions, calls, stopped, rules, stops, partial } = tally;
  const seen = `${plural(sessions, "session")}, ${plural(calls, "call")}${partial ? ", the newest that are kept" : ""}`;
  const head = [
    "",
    `  ${paint("bold", runtime.title)}  ${paint("dim", `watched since ${timeOf(Date.parse(settings.since))} · ${seen}`)}`,
    "",
  ];
  if (calls === 0) {
    return [...head, "  Nothing was seen yet: work with it for a while, then look here again.", "", ""].join("\n");
  }
  if (stopped === 0 && stops.times === 0) {
    return [...head, `  ${paint("green", "✓")} No rule spoke against any of it.`, "", ""].join("\n");
  }
  const share = Math.round((100 * stopped) / calls);
  const shown = rules.slice(0, MOST_RULES);
  const rest = rules.length - shown.length;
  const refused =
    stops.times === 0
      ? []
      : [
          `  ${paint("amber", count(stops.times).padStart(4))}  stops refused${stops.last === undefined ? "" : `: ${clip(oneLine(stops.last), columns - 28)}`}`,
        ];
  const [first] = rules[0]?.examples ?? [];
  return [
    ...head,
    `  ${paint("amber", plural(stopped, "call"))} (${share} %) would have been blocked or asked about:`,
    "",
    ...shown.flatMap((rule) => renderRule(rule, { paint, columns }, timeOf)),
    ...(rest > 0 ? [`        and ${plural(rest, "rule")} more`] : []),
    ...refused,
    "",
    ...(first === undefined ? [] : [`  ${paint("dim", "ask:")} ${invocation} why ${first.id}`, ""]),
    "",
  ].join("\n");
}

function renderRule(
  { rule, times, examples }: RuleTally,
  { paint, columns }: Pick<Terminal, "paint" | "columns">,
  timeOf: (at: number) => string,
): readonly string[] {
  const [newest] = examples;
  const reason = newest === undefined ? "" : clip(oneLine(newest.reason), columns - 10);
  return [
    `  ${paint("amber", count(times).padStart(4))}  ${paint("bold", oneLine(rule))}`,
    `        ${paint("dim", reason)}`,
    ...examples.map(({ at, call, id }) => {
      const left = `${timeOf(at)}  ${id}`;
      return `        ${left}  ${clip(call, Math.max(20, columns - 12 - left.length))}`;
    }),
  ];
}

/** What holds from now on, and the way back. */
export function renderEnforced(
  turned: readonly Pick<Watched, "runtime">[],
  enforcement: "enforce" | "shadow",
  notJournaled: string | undefined,
  { paint, invocation }: Terminal,
): string {
  const names = turned.map(({ runtime }) => runtime.title).join(", ");
  const [only, ...others] = turned;
  const name = only === undefined || others.length > 0 ? "" : ` ${only.runtime.name}`;
  const done =
    enforcement === "enforce"
      ? `${paint("green", "✓ enforced")} in ${names}, from the next call on, in sessions that run already too`
      : `${paint("amber", "○ watched only")} in ${names}: everything is recorded, nothing is blocked`;
  const back = enforcement === "enforce" ? `enforce${name} --shadow` : `enforce${name}`;
  return [
    "",
    `  ${done}`,
    ...(notJournaled === undefined ? [] : [`  ${paint("red", "not in the journal:")} ${notJournaled}`]),
    `  ${paint("dim", "back:")} ${invocation} ${back}`,
    ...(enforcement === "enforce" ? [`  ${paint("dim", "for a while:")} ${invocation} pause 10m`] : []),
    "",
    "",
  ].join("\n");
}
