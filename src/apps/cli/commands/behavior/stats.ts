import type { AdherenceRow } from "../../../../base/ports/stores/adherence.ts";
import type { GovernanceJournal } from "../../../../base/ports/stores/governance.ts";
import type { TokenCounter } from "../../../../base/ports/token-counter.ts";
import type { BehaviorDirective, ContractEvent } from "../../../../base/words/contract.ts";
import { type ContractCap, fullestBlock } from "../../../../behavior/contract/active-contract.ts";
import { allDirectives, type ContractState, candidateAt } from "../../../../behavior/contract/contract-state.ts";
import { writeCheck } from "../../../../behavior/contract/directive-check.ts";
import { isOver } from "../../../../behavior/contract/iso-time.ts";
import { DIRECTIVE_TYPES, writeDirective } from "../../../../behavior/contract/parse/directive-form.ts";
import { loadTokenizer } from "../../../../behavior/results/token-counter.ts";
import { ContractService } from "../../../../engine/governance/contract-service.ts";
import { type AdherenceSources, adherenceSince } from "../../../learning/adherence/measure-adherence.ts";
import { clip, count, oneLine, plural } from "../../../shared/printable.ts";
import type { BehaviorStatsArgs } from "../../declared/contract-commands.ts";
import { done } from "../../line/outcome.ts";
import { tellProgress } from "../../line/progress.ts";
import type { Terminal } from "../../line/terminal.ts";
import {
  damaged,
  type GovernanceCommand,
  type GovernanceWorld,
  LIST,
  loadCounter,
  readSince,
  thisMachine,
  withContract,
} from "../../stores/with-contract.ts";
import { spoken } from "./render.ts";

type Followed = ReturnType<typeof followedOf>;
type AdherenceSeen = { readonly since?: string; readonly adherence: readonly Followed[] };

const NOTHING_SEEN: AdherenceSeen = { adherence: [] };

/** Opens the whole store, because the events of sessions are needed too. */
async function adherenceSeen(
  world: GovernanceWorld,
  state: ContractState,
  governance: GovernanceJournal,
  since: number,
  progress: NonNullable<AdherenceSources["progress"]>,
): Promise<AdherenceSeen> {
  const opened = await world.open("write");
  try {
    const { clock, ids } = world;
    const contracts = new ContractService({ journal: opened.journal, clock, ids, counter: loadCounter });
    const { events, adherence } = opened;
    const rows =
      events === undefined || adherence === undefined
        ? []
        : await adherenceSince({ events, adherence, governance, contracts, progress }, since);
    const found = [...Map.groupBy(rows, ({ of, id }) => `${of} ${id}`).values()]
      .flatMap((some) => byCheck(some, state))
      .map((some) => followedOf(some, state));
    const told = new Set(found.map(({ id }) => id));
    const silent = allDirectives(state).filter(({ id }) => !told.has(id));
    const quiet = silent.map((directive) => followedOf([], state, directive));
    return { since: new Date(since).toISOString(), adherence: [...found, ...quiet] };
  } finally {
    await opened.close();
  }
}

/** Each check is measured separately; turns before the first check count towards the current one. */
function byCheck(rows: readonly AdherenceRow[], state: ContractState): readonly (readonly AdherenceRow[])[] {
  const check = allDirectives(state).find(({ id }) => id === rows[0]?.id)?.check;
  const now = check === undefined ? rows.findLast(({ by }) => by !== undefined)?.by : writeCheck(check);
  const groups = Map.groupBy(rows, ({ by = now }) => by);
  const current = groups.get(now);
  groups.delete(now);
  return current === undefined ? [...groups.values()] : [current, ...groups.values()];
}

/** Adherence to a directive or rule over all days read. `days`: the share followed per day, where measured. */
function followedOf(rows: readonly AdherenceRow[], state: ContractState, given?: BehaviorDirective) {
  const newest = rows.at(-1);
  const id = newest?.id ?? given?.id ?? "";
  const sum = (of: "inForce" | "followed" | "violated" | "cannotTell", some = rows) =>
    some.reduce((all, row) => all + row[of], 0);
  const { helpful = 0, harmful = 0 } = state.tallies.get(id) ?? {};
  const days = [...Map.groupBy(rows, ({ day }) => day)].map(([day, some]) => {
    const followed = sum("followed", some);
    const told = followed + sum("violated", some);
    return { day, share: told === 0 ? undefined : followed / told };
  });
  return {
    of: newest?.of ?? "directive",
    id,
    directive: given ?? allDirectives(state).find((one) => one.id === id),
    inForce: sum("inForce"),
    followed: sum("followed"),
    violated: sum("violated"),
    cannotTell: sum("cannotTell"),
    by: rows.findLast((row) => row.by !== undefined)?.by,
    days,
    violations: rows.flatMap(({ shown }) => shown.violated).slice(-3),
    helpful,
    harmful,
  };
}

const BARS = "▁▂▃▄▅▆▇█";
/** Days per chart, the newest last. */
const DAYS = 14;

/** Renders adherence with a small chart per day; where it is not measured, how to add a check. */
function renderAdherence({ since, adherence }: AdherenceSeen, terminal: Terminal): string {
  const { paint, invocation } = terminal;
  if (since === undefined || adherence.length === 0) return "";
  const rows = adherence.map((one) => renderOne(one, terminal)).join("");
  const unmeasured = adherence.find(({ of, directive }) => of === "directive" && directive && !directive.check);
  const hint =
    unmeasured === undefined
      ? ""
      : `  ${paint("dim", "to measure a directive:")} ${spoken(`conduct behavior check ${unmeasured.id} "length: at most 120 words"`, invocation)}\n`;
  return `  ${paint("bold", "How well directives are followed")}  since ${since.slice(0, 10)}\n\n${rows}${hint}\n`;
}

function renderOne(one: Followed, { paint, columns, invocation }: Terminal): string {
  const { of, id, directive, inForce, followed, violated, cannotTell, by, violations, helpful, harmful } = one;
  const name = directive === undefined ? `${of} ${id}` : `${writeDirective(directive)}  (${id})`;
  const told = followed + violated;
  // A rule that only reports violations gives no count of the turns in which it was followed.
  const known = told > 0 && (of === "directive" || followed > 0);
  const colour = violated > followed ? "red" : violated > 0 ? "amber" : "green";
  const share = known ? `${chart(one)}${paint(colour, `${Math.round((followed / told) * 100)} % followed`)}  ` : "";
  const last = violations.at(-1);
  const lines = [
    [
      `${share}${plural(inForce, "turn")}`,
      told > 0 && `${count(followed)} followed · ${count(violated)} violated`,
      cannotTell > 0 && `${count(cannotTell)} not measurable`,
    ],
    [by && `by ${oneLine(by)}`, helpful + harmful > 0 && `helpful ${helpful}, harmful ${harmful}`],
    [last && `newest violation: ${spoken(`conduct why ${oneLine(last)}`, invocation)}`],
  ].map((parts) => parts.filter(Boolean).join(" · "));
  const shown = lines.filter((line) => line !== "").map((line) => `      ${line}\n`);
  return `    ${clip(oneLine(name), columns - 4)}\n${shown.join("")}`;
}

/** One bar per day, higher is better; a dot where it was not measured. */
function chart({ days }: Followed): string {
  const bars = days.slice(-DAYS).map(({ share }) => (share === undefined ? "·" : (BARS[Math.round(share * 7)] ?? "·")));
  return `${bars.join("")}  `;
}

export const behaviorStats: GovernanceCommand<BehaviorStatsArgs> = async (args, terminal, world = thisMachine()) => {
  const since = readSince(args.since ?? "30d", world.clock.now());
  if (typeof since === "object") return since;
  return withContract(world, "read", async ({ service, journal }) => {
    const state = await service.state();
    if (state.fault !== undefined) return damaged(state.fault);
    const events = await service.events({ limit: Number.POSITIVE_INFINITY });
    const stats = statsOf(state, events, await world.cap(), world.clock.now(), await loadTokenizer());
    // Without a change there is no store yet, and reading must not create one.
    const [tell, over] = tellProgress(terminal, "measuring adherence", "events");
    const seen = events.length === 0 ? NOTHING_SEEN : await adherenceSeen(world, state, journal, since, tell);
    over();
    const text = `${renderStats(stats, terminal)}${renderAdherence(seen, terminal)}`;
    return done({ ...stats, ...seen }, text, [LIST]);
  });
};

/** The contract in figures. `fullest`: the largest block that a conversation can have. */
function statsOf(
  state: ContractState,
  events: readonly ContractEvent[],
  { limits, note }: ContractCap,
  now: number,
  counter: TokenCounter,
) {
  const directives = allDirectives(state).filter(({ expiresAt }) => !isOver(expiresAt, now));
  const candidates = [...state.candidates].map(([, candidate]) => candidateAt(candidate, now));
  const byType = DIRECTIVE_TYPES.map((type) => [type, directives.filter((one) => one.type === type).length]);
  return {
    directives: directives.length,
    byType: Object.fromEntries(byType) as Readonly<Record<string, number>>,
    byScope: tally(directives.map(({ scope }) => scope)),
    expiring: directives.filter(({ expiresAt }) => expiresAt !== undefined).length,
    fullest: {
      items: fullestBlock(directives, "items", counter).items,
      tokens: fullestBlock(directives, "tokens", counter).tokens,
    },
    cap: { directives: limits.items, tokens: limits.tokens, note },
    candidates: tally(candidates.map(({ status }) => status)),
    changes: events.length,
    byKind: tally(events.map(({ kind }) => kind)),
    byWhom: tally(events.map(({ by }) => by)),
  };
}

/** Sorted by name, so that the same state gives the same bytes. */
function tally(names: readonly string[]): Readonly<Record<string, number>> {
  const groups = [...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length] as const);
  return Object.fromEntries(groups.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function renderStats(stats: ReturnType<typeof statsOf>, { paint }: Terminal): string {
  const { directives, byType, byScope, expiring, fullest, cap, candidates, changes, byKind, byWhom } = stats;
  const rows: readonly (readonly [string, string])[] = [
    ["directives", `${count(directives)}${figures(byType)}`],
    ["scopes", figures(byScope, "") || "none"],
    ["expiring", count(expiring)],
    [
      "fullest",
      `${fullest.items} of ${cap.directives} directives · ${count(fullest.tokens)} of ${count(cap.tokens)} tokens in one block`,
    ],
    ["candidates", figures(candidates, "") || "none"],
    ["changes", `${count(changes)}${figures(byKind)}`],
    ["by", figures(byWhom, "") || "nobody"],
  ];
  const note = cap.note === undefined ? "" : `  ${paint("amber", "!")} ${oneLine(cap.note)}\n`;
  return `\n${rows.map(([name, value]) => `  ${paint("dim", name.padEnd(10))}  ${oneLine(value)}\n`).join("")}${note}\n`;
}

function figures(tallied: Readonly<Record<string, number>>, before = ": "): string {
  const shown = Object.entries(tallied).filter(([, number]) => number > 0);
  return shown.length === 0 ? "" : `${before}${shown.map(([name, number]) => `${name} ${count(number)}`).join(" · ")}`;
}
