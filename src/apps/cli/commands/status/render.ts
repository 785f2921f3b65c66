import type { AgentSeen, SessionSummary } from "../../../../base/ports/stores/event-journal.ts";
import type { RuntimeBound, Switches } from "../../../daemon/hook-guard/switches.ts";
import type { Paint } from "../../line/paint.ts";
import { count, oneLine, plural } from "../../line/printable.ts";
import { sessionName } from "../watch/names.ts";

/** `rules`: how often each rule denied, of the newest denials of the last day. */
export type Status = {
  readonly version: string;
  readonly store: { readonly kind: "sqlite" | "postgres"; readonly where: string; readonly health: string };
  /** `damage`: why nobody can rely on it, and what to do. */
  readonly contract: {
    readonly version: number;
    readonly hash: string;
    readonly directives: number;
    readonly damage?: string;
  };
  readonly switches: Switches;
  readonly events: number;
  readonly sessions: number;
  readonly agents: readonly AgentSeen[];
  readonly active: readonly SessionSummary[];
  readonly lastDay: {
    readonly prompts: number;
    readonly calls: number;
    readonly denied: number;
    readonly rules: { readonly [rule: string]: number };
  };
  readonly lastDenied?: string;
};

const MOST = 5;

export function renderStatus(
  status: Status,
  { paint, timeOf }: { readonly paint: Paint; readonly timeOf: (at: number) => string },
): string {
  const { store, events, sessions, agents, active, lastDay, lastDenied } = status;
  const row = (label: string, text: string) => `  ${paint("dim", label.padEnd(9))}  ${text}`;
  const kind = store.kind === "sqlite" ? "embedded" : "PostgreSQL";
  const head = [
    "",
    `  ${paint("bold", `Conduct ${status.version}`)}`,
    "",
    row("store", `${oneLine(store.where)} (${kind}) · ${store.health}`),
  ];
  const { version, hash, directives, damage } = status.contract;
  const inForce = directives === 0 ? "empty" : `${plural(directives, "directive")} · ${hash.slice(0, 6)}`;
  head.push(row("contract", damage === undefined ? `v${version}, ${inForce}` : paint("red", oneLine(damage))));
  head.push(...switchRows(status.switches, row, { paint, timeOf }));
  if (events === 0) {
    const empty = "nothing yet: agents, sessions and denials show here when an agent runs under Conduct";
    return [...head, row("kept", empty), row("try", "conduct demo"), "", ""].join("\n");
  }
  const rules = Object.entries(lastDay.rules).slice(0, MOST);
  const denied = rules.map(([rule, times]) => `${count(times)} by ${oneLine(rule)}`).join(", ");
  const day = `${plural(lastDay.prompts, "prompt")} · ${plural(lastDay.calls, "call")} · ${count(lastDay.denied)} denied`;
  return [
    ...head,
    row("kept", `${plural(events, "event")} of ${plural(sessions, "session")}`),
    ...agents.slice(0, MOST).map((one, at) => row(at === 0 ? "agents" : "", agentText(one, timeOf))),
    ...(agents.length > MOST ? [row("", `and ${agents.length - MOST} more`)] : []),
    row("active", active.length === 0 ? "no session in the last hour" : plural(active.length, "session")),
    ...active.slice(0, MOST).map((one) => row("", sessionText(one, timeOf))),
    row("last day", day),
    ...(denied === "" ? [] : [row("", denied)]),
    ...(lastDenied === undefined ? [] : [row("ask", `conduct why ${oneLine(lastDenied)}`)]),
    "",
    "",
  ].join("\n");
}

type Row = (label: string, text: string) => string;

/** Whether anything is enforced: a pause, what each runtime is bound to, what was noticed. Nothing where nothing is set up. */
function switchRows(
  { paused, forgedPause, runtimes, noticed }: Switches,
  row: Row,
  { paint, timeOf }: { readonly paint: Paint; readonly timeOf: (at: number) => string },
): readonly string[] {
  const rows: string[] = [];
  if (paused !== null) {
    const by = `by ${oneLine(paused.by)} (${oneLine(paused.proof)})`;
    rows.push(
      row(
        "paused",
        paint("amber", `⏸ nothing is enforced until ${timeOf(paused.until)}, ${by}; end it: conduct resume`),
      ),
    );
  }
  if (forgedPause !== undefined)
    rows.push(row("paused", paint("red", `✗ no: the pause file is forged, ${forgedPause}`)));
  rows.push(...runtimes.map((one, at) => row(at === 0 ? "runtimes" : "", runtimeText(one, paint))));
  const [last] = noticed;
  if (last !== undefined) {
    const times = noticed.length === 1 ? "once" : `${count(noticed.length)} times`;
    rows.push(row("noticed", paint("red", `! ${times} in the last day, last at ${timeOf(last.at)}:`)));
    rows.push(row("", oneLine(last.message)));
  }
  return rows;
}

function runtimeText({ runtime, enforcement, missing }: RuntimeBound, paint: Paint): string {
  const bound = enforcement === "enforce" ? "enforced" : "watched only";
  const [first] = missing;
  if (first === undefined) return `${runtime} · ${bound}`;
  const why = `hooks are missing in ${oneLine(first.path)}: ${first.why}; put them back: conduct init ${runtime}`;
  return `${runtime} · ${bound} · ${paint("red", why)}`;
}

function agentText({ agent, sessions, lastAt }: AgentSeen, timeOf: (at: number) => string): string {
  return `${oneLine(agent)} · ${plural(sessions, "session")}, the last at ${timeOf(lastAt)}`;
}

function sessionText(one: SessionSummary, timeOf: (at: number) => string): string {
  const label = one.label === undefined ? "" : ` “${oneLine(one.label)}”`;
  const denied = one.denials === 0 ? "" : ` · ${count(one.denials)} denied`;
  return `${sessionName(one)}${label} · ${plural(one.turns, "turn")} · ${plural(one.calls, "call")}${denied} · ${timeOf(one.lastAt)}`;
}
