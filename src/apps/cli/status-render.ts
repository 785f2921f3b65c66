import type { AgentSeen, SessionSummary } from "../../base/ports/event-journal.ts";
import type { Paint } from "./paint.ts";
import { count, oneLine, plural } from "./printable.ts";
import { sessionName } from "./watch-names.ts";

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

function agentText({ agent, sessions, lastAt }: AgentSeen, timeOf: (at: number) => string): string {
  return `${oneLine(agent)} · ${plural(sessions, "session")}, the last at ${timeOf(lastAt)}`;
}

function sessionText(one: SessionSummary, timeOf: (at: number) => string): string {
  const label = one.label === undefined ? "" : ` “${oneLine(one.label)}”`;
  const denied = one.denials === 0 ? "" : ` · ${count(one.denials)} denied`;
  return `${sessionName(one)}${label} · ${plural(one.turns, "turn")} · ${plural(one.calls, "call")}${denied} · ${timeOf(one.lastAt)}`;
}
