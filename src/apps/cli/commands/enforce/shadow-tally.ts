import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { showCall } from "../../../shared/event-words.ts";
import { clip, count, oneLine, plural, wrap } from "../../../shared/printable.ts";
import { notJournaled } from "../../line/person.ts";
import type { Terminal } from "../../line/terminal.ts";
import { momentIn } from "../../stores/with-store.ts";
import type { Watched } from "./enforce.ts";

const MOST_RULES = 8;

/** Renders what would have been blocked so far: by rule, with calls whose ids can be explained. */
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
  const seen = `${plural(sessions, "session")}, ${plural(calls, "call")}${partial ? ", only the newest" : ""}`;
  const head = [
    "",
    `  ${paint("bold", runtime.title)}  ${paint("dim", `in shadow mode since ${timeOf(Date.parse(settings.since))} · ${seen}`)}`,
    "",
  ];
  if (calls === 0) {
    const advice =
      "No call was recorded yet, so nothing shows what the rules would block. Work with it for a while first.";
    return [...head, ...wrap(advice, columns - 4).map((line) => `  ${line}`), "", ""].join("\n");
  }
  if (stopped === 0 && stops.times === 0) {
    return [...head, `  ${paint("green", "✓")} No rule would have blocked anything.`, "", ""].join("\n");
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

export function renderEnforced(
  turned: readonly Pick<Watched, "runtime">[],
  enforcement: "enforce" | "shadow",
  unjournaled: string | undefined,
  { paint, invocation }: Terminal,
): string {
  const names = turned.map(({ runtime }) => runtime.title).join(", ");
  const [only, ...others] = turned;
  const name = only === undefined || others.length > 0 ? "" : ` ${only.runtime.name}`;
  const done =
    enforcement === "enforce"
      ? `${paint("green", "✓ enforced")} in ${names}, from the next call on, also in running sessions`
      : `${paint("amber", "○ shadow mode")} in ${names}: everything is recorded, nothing is blocked`;
  const back = enforcement === "enforce" ? `enforce${name} --shadow` : `enforce${name}`;
  return [
    "",
    `  ${done}`,
    ...notJournaled(unjournaled, paint),
    `  ${paint("dim", "back:")} ${invocation} ${back}`,
    ...(enforcement === "enforce" ? [`  ${paint("dim", "pause:")} ${invocation} pause 10m`] : []),
    "",
    "",
  ].join("\n");
}

/** The newest call that a rule would have blocked. `id` can be passed to `conduct why`. */
type Example = { readonly at: number; readonly call: string; readonly id: string; readonly reason: string };

type RuleTally = { readonly rule: string; readonly times: number; readonly examples: readonly Example[] };

/** The calls of a runtime in shadow mode, and which of them would have been blocked. */
export type ShadowTally = {
  readonly sessions: number;
  readonly calls: number;
  /** Calls that at least one rule would have blocked. */
  readonly stopped: number;
  readonly rules: readonly RuleTally[];
  readonly stops: { readonly times: number; readonly last?: string };
  /** Only the newest events were read, because there are too many. */
  readonly partial: boolean;
};

const PAGE = 1_000;
const MOST_EVENTS = 50_000;
const EXAMPLES = 3;

/** Counts the runtime's journal entries in shadow mode since then, the newest first. */
export async function tallyShadow(journal: EventJournal, runtime: string, since: number): Promise<ShadowTally> {
  const isIts = sessionsOf(journal, runtime);
  const sessions = new Set<string>();
  const rules = new Map<string, { times: number; examples: Example[] }>();
  let [calls, stopped, stops, seen] = [0, 0, 0, 0];
  let last: string | undefined;
  let before: number | undefined;
  do {
    const page = await journal.read({ types: ["call", "stop"], since, limit: PAGE, before });
    seen += page.events.length;
    before = page.next;
    for (const { event } of page.events) {
      if (event.observing !== "shadow" || !(await isIts(event.session))) continue;
      sessions.add(event.session);
      if (event.type === "stop" && event.status === "refused") {
        stops += 1;
        last ??= event.feedback;
      }
      if (event.type !== "call") continue;
      calls += 1;
      if (countCall(event, rules)) stopped += 1;
    }
  } while (before !== undefined && seen < MOST_EVENTS);
  const tallied = [...rules].map(([rule, tally]) => ({ rule, ...tally }));
  return {
    sessions: sessions.size,
    calls,
    stopped,
    rules: tallied.sort((a, b) => b.times - a.times || (a.rule < b.rule ? -1 : 1)),
    stops: { times: stops, last },
    partial: before !== undefined,
  };
}

/** Would the call have been blocked? Every rule against it counts. */
function countCall(
  { at, call, decision, shadows = [] }: Extract<ConductEvent, { type: "call" }>,
  rules: Map<string, { times: number; examples: Example[] }>,
): boolean {
  for (const { rule, reason } of new Map(shadows.map((one) => [one.rule, one])).values()) {
    const tally = rules.get(rule) ?? { times: 0, examples: [] };
    tally.times += 1;
    if (tally.examples.length < EXAMPLES) tally.examples.push({ at, call: showCall(call), id: decision.id, reason });
    rules.set(rule, tally);
  }
  return shadows.length > 0;
}

/** The first notices of a session name its runtime; each session is read once. */
function sessionsOf(journal: EventJournal, runtime: string): (session: string) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async (session) => {
    const before = known.get(session);
    if (before !== undefined) return before;
    const first = await journal.follow({ session, types: ["notice"], after: 0, limit: 20 });
    const its = first.some(
      ({ event }) => event.type === "notice" && event.notice.kind === "started" && event.notice.adapter === runtime,
    );
    known.set(session, its);
    return its;
  };
}
