import { existsSync, readdirSync } from "node:fs";
import type { AgentSeen, SessionSummary } from "../../../../base/ports/stores/event-journal.ts";
import { conductVersion } from "../../../../edge/host/node/package-files.ts";
import type { RuntimeBound, Switches } from "../../../daemon/hook-guard/switches.ts";
import { count, oneLine, plural, wrap } from "../../../shared/printable.ts";
import { asTyped } from "../../line/invocation.ts";
import { done, type Outcome } from "../../line/outcome.ts";
import type { Style, Terminal } from "../../line/terminal.ts";
import { configText, skippedText } from "../../stores/config-text.ts";
import {
  commandOf,
  type JournalWorld,
  momentIn,
  processWorld,
  sessionName,
  shortIds,
  TRY_INIT,
  withStore,
} from "../../stores/with-store.ts";
import { type Installation, readInstallation } from "./installation.ts";
import type { StoreStatus } from "./store-status.ts";

type Status = StoreStatus & { readonly version: string; readonly installation: Installation };

const MOST = 5;

type Layout = Pick<Terminal, "paint" | "columns" | "cwd" | "invocation"> & { readonly timeOf: (at: number) => string };
type Row = (label: string, text: string, style?: Style) => readonly string[];

const LABEL = 9;

/** Rows with a label, wrapped at the terminal's width. */
function rowsFor({ paint, columns }: Layout): Row {
  return (label, text, style) =>
    wrap(text, columns - LABEL - 5).map((line, at) => {
      const lead = paint("dim", (at === 0 ? label : "").padEnd(LABEL));
      return `  ${lead}  ${style === undefined ? line : paint(style, line)}`;
    });
}

function renderStatus(status: Status, layout: Layout): string {
  const { paint, timeOf, invocation } = layout;
  const { store, events, sessions, agents, active, lastDay, lastDenied, installation } = status;
  const row = rowsFor(layout);
  const kind = store.kind === "sqlite" ? "embedded" : "PostgreSQL";
  const { version, hash, directives, damage } = status.contract;
  const inForce = directives === 0 ? "empty" : `${plural(directives, "directive")} · ${hash.slice(0, 6)}`;
  const head = [
    "",
    `  ${paint("bold", `Conduct ${status.version}`)}`,
    "",
    ...configRows(installation, row, layout),
    ...switchRows(status.switches, installation, row, layout),
    ...processRows(installation, row),
    ...row("store", `${store.where} (${kind}) · ${store.health}`),
    ...(status.key === undefined ? [] : row("key", `✗ ${status.key}`, "red")),
    ...(damage === undefined ? row("contract", `v${version}, ${inForce}`) : row("contract", damage, "red")),
  ];
  if (events === 0) {
    const empty = "nothing yet: run an agent under Conduct to see agents, sessions and denials here";
    return [...head, ...row("stored", empty), ...row("try", `${invocation} demo`), "", ""].join("\n");
  }
  const rules = Object.entries(lastDay.rules).slice(0, MOST);
  const denied = rules.map(([rule, times]) => `${count(times)} by ${oneLine(rule)}`).join(", ");
  const day = `${plural(lastDay.prompts, "prompt")} · ${plural(lastDay.calls, "call")} · ${count(lastDay.denied)} denied`;
  const short = shortIds();
  return [
    ...head,
    ...row("stored", `${plural(events, "event")} of ${plural(sessions, "session")}`),
    ...agents.slice(0, MOST).flatMap((one, at) => row(at === 0 ? "agents" : "", agentText(one, timeOf))),
    ...(agents.length > MOST ? row("", `and ${agents.length - MOST} more`) : []),
    ...row("active", active.length === 0 ? "no session" : plural(active.length, "session")),
    ...active.slice(0, MOST).flatMap((one) => row("", sessionText(one, short, timeOf))),
    ...(active.length > MOST ? row("", `and ${active.length - MOST} more`) : []),
    ...row("last day", day),
    ...(denied === "" ? [] : row("", denied)),
    ...(lastDenied === undefined ? [] : row("ask", `${invocation} why ${lastDenied}`)),
    "",
    "",
  ].join("\n");
}

/** The configuration in force in this folder, and files that have no effect. */
function configRows(
  { config, tests, imported }: Installation,
  row: Row,
  { cwd, invocation }: Layout,
): readonly string[] {
  const { broken, faults } = config;
  if (broken !== undefined) return row("config", `✗ every call is denied: ${broken}`, "red");
  return [
    ...row("config", configText(config, cwd)),
    ...(tests === undefined ? [] : row("", `! ${tests}; delete them from \`off\` in that file`, "amber")),
    ...(imported.length === 0
      ? []
      : row("", `! ${imported.join(", ")} since the import; to see what that means: ${invocation} import`, "amber")),
    ...faults.flatMap(({ where, message }) =>
      row("", `! skipped ${skippedText(where, message, { cwd, invocation })}`, "amber"),
    ),
  ];
}

function processRows({ daemon, gateway }: Installation, row: Row): readonly string[] {
  return [
    ...(daemon.fault === undefined
      ? row(
          "daemon",
          daemon.pid === undefined ? "not running; the next hook starts it" : `running, process ${daemon.pid}`,
        )
      : row("daemon", `✗ ${daemon.fault}`, "red")),
    ...(gateway === null ? [] : row("gateway", `${gateway.url ?? "starting"} · process ${gateway.pid}`)),
  ];
}

/** Enforcement: a pause, each runtime's binding, warnings. */
function switchRows(
  { paused, forgedPause, runtimes, noticed }: Switches,
  { found }: Installation,
  row: Row,
  { timeOf, invocation }: Layout,
): readonly string[] {
  const idle = found.filter((name) => !runtimes.some(({ runtime }) => runtime === name));
  const bound = [
    ...runtimes.map((one) => runtimeText(one, paused !== null, invocation)),
    ...idle.map((name) => [`${name} · installed, not set up: ${invocation} init ${name}`] as const),
  ];
  const none = [`none set up: ${invocation} init claude-code`] as const;
  const rows = (bound.length === 0 ? [none] : bound).flatMap(([text, style], at) =>
    row(at === 0 ? "runtimes" : "", text, style),
  );
  const [last] = noticed;
  const times = noticed.length === 1 ? "once" : `${count(noticed.length)} times`;
  return [
    ...(paused === null
      ? []
      : row(
          "paused",
          `⏸ nothing is enforced until ${timeOf(paused.until)}, by ${paused.by} (${paused.proof}); to end the pause: ${invocation} resume`,
          "amber",
        )),
    ...(forgedPause === undefined
      ? []
      : row("paused", `✗ not paused: the pause file is forged, ${forgedPause}`, "red")),
    ...rows,
    ...(last === undefined
      ? []
      : [
          ...row("noticed", `! ${times} in the last day, last at ${timeOf(last.at)}:`, "red"),
          ...row("", last.message),
        ]),
  ];
}

function runtimeText(
  { runtime, enforcement, files, missing }: RuntimeBound,
  paused: boolean,
  invocation: string,
): readonly [text: string, style?: Style] {
  const bound = enforcement === "shadow" ? "watched, blocks nothing" : paused ? "paused" : "enforced";
  const [first] = missing;
  if (first !== undefined) {
    const why = `hooks are missing in ${first.path}: ${first.why}; to repair: ${invocation} init ${runtime}`;
    return [`${runtime} · ${bound} · ${why}`, "red"];
  }
  // Clients of ACP and MCP start Conduct themselves and have no hooks.
  return [`${runtime} · ${bound}${files === 0 ? "" : " · hooks in place"}`];
}

function agentText({ agent, sessions, lastAt }: AgentSeen, timeOf: (at: number) => string): string {
  return `${agent} · ${plural(sessions, "session")}, last at ${timeOf(lastAt)}`;
}

function sessionText(one: SessionSummary, short: (id: string) => string, timeOf: (at: number) => string): string {
  const label = one.label === undefined ? "" : ` “${oneLine(one.label)}”`;
  const denied = one.denials === 0 ? "" : ` · ${count(one.denials)} denied`;
  return `${sessionName(one, short)}${label} · ${plural(one.turns, "turn")} · ${plural(one.calls, "call")}${denied} · ${timeOf(one.lastAt)}`;
}

/** Shows the store, the recent sessions and the figures of the last day. */
export async function status(
  _args: object,
  terminal: Terminal,
  world: JournalWorld = processWorld(),
): Promise<Outcome> {
  const layout = { ...terminal, timeOf: momentIn(world.zone, world.now()) };
  const installation = await readInstallation(world, terminal.cwd);
  return withStore(
    world,
    async (store, where) => {
      const { storeStatus } = await import("./store-status.ts");
      const found = { ...(await storeStatus(store, where, world)), version: conductVersion(), installation };
      const { lastDenied } = found;
      const why =
        lastDenied === undefined
          ? []
          : [{ command: commandOf("why", lastDenied), description: "Explain the newest denial" }];
      const repair = { command: "conduct journal repair --dry-run", description: "Show what a repair would do" };
      const next =
        found.contract.damage !== undefined
          ? [repair]
          : found.events === 0
            ? [TRY_INIT]
            : [...why, { command: "conduct watch", description: "Watch live" }];
      return done(found, asTyped(renderStatus(found, layout), terminal.invocation), next);
    },
    async (where) => {
      const { home } = world;
      // The store may be missing although other files show that it had entries, or that a runtime is set up.
      const isNew = !existsSync(home) || readdirSync(home).length === 0;
      const rest = isNew ? NEW : await (await import("./store-status.ts")).withoutStore(world);
      const store = { kind: "sqlite", where, health: "not created yet" } as const;
      const empty: Status = { ...EMPTY, ...rest, version: conductVersion(), store, installation };
      return done(empty, asTyped(renderStatus(empty, layout), terminal.invocation), [TRY_INIT]);
    },
  );
}

/** The state of a new home. */
const NEW: Pick<Status, "contract" | "switches"> = {
  contract: { version: 0, hash: "", directives: 0, damage: undefined },
  switches: { paused: null, runtimes: [], noticed: [] },
};

const EMPTY = {
  key: undefined,
  lastDenied: undefined,
  events: 0,
  sessions: 0,
  agents: [],
  active: [],
  lastDay: { prompts: 0, calls: 0, denied: 0, rules: {} },
} as const;
