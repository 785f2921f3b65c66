import { type FullestBlock, fullestBlock } from "../../../../../behavior/contract/contract-limits.ts";
import { allDirectives } from "../../../../../behavior/contract/contract-state.ts";
import { candidateAt } from "../../../../../behavior/contract/decide/fold-candidates.ts";
import { isOver } from "../../../../../behavior/contract/iso-time.ts";
import { writeDirective } from "../../../../../behavior/contract/parse/directive-form.ts";
import { DIRECTIVE_TYPES } from "../../../../../behavior/contract/parse/keywords.ts";
import { loadTokenizer } from "../../../../../behavior/results/tokens.ts";
import { clip, count, oneLine, plural } from "../../../line/printable.ts";
import type { Terminal } from "../../../line/terminal.ts";
import { tellProgress } from "../../replay/progress.ts";
import { badArgument, damaged, LIST } from "../answers.ts";
import { spoken } from "../render/render.ts";
import { type GovernanceCommand, onThisMachine, withContract } from "../world.ts";
import { type AdherenceSeen, adherenceSeen, type Followed, NOTHING_SEEN, sinceOf } from "./adherence.ts";

const BARS = "▁▂▃▄▅▆▇█";
/** Days in one chart, the newest last. */
const DAYS = 14;

/** How far what was asked for is done, with a small chart of the days; where nobody can tell, how that is changed. */
export function renderAdherence({ since, adherence }: AdherenceSeen, terminal: Terminal): string {
  const { paint, invocation } = terminal;
  if (since === undefined || adherence.length === 0) return "";
  const rows = adherence.map((one) => renderOne(one, terminal)).join("");
  const unmeasured = adherence.find(({ of, directive }) => of === "directive" && directive && !directive.check);
  const hint =
    unmeasured === undefined
      ? ""
      : `  ${paint("dim", "to measure one:")} ${spoken(`conduct behavior check ${unmeasured.id} "length: at most 120 words"`, invocation)}\n`;
  return `  ${paint("bold", "turns in force and followed, as far as it can be told")}  since ${since.slice(0, 10)}\n\n${rows}${hint}\n`;
}

function renderOne(one: Followed, { paint, columns, invocation }: Terminal): string {
  const { of, id, directive, inForce, followed, violated, cannotTell, by, violations, helpful, harmful } = one;
  const name = directive === undefined ? `${of} ${id}` : `${writeDirective(directive)}  (${id})`;
  const told = followed + violated;
  // A rule that only ever spoke up was silent an unknown number of times.
  const known = told > 0 && (of === "directive" || followed > 0);
  const colour = violated > followed ? "red" : violated > 0 ? "amber" : "green";
  const share = known ? `${chart(one)}${paint(colour, `${Math.round((followed / told) * 100)} % followed`)}  ` : "";
  const last = violations.at(-1);
  const lines = [
    [
      `${share}${plural(inForce, "turn")}`,
      ...(told === 0 ? [] : [`${count(followed)} followed`, `${count(violated)} violated`]),
      ...(cannotTell === 0 ? [] : [`${count(cannotTell)} cannot tell`]),
    ],
    [
      ...(by === undefined ? [] : [`by ${oneLine(by)}`]),
      ...(helpful + harmful === 0 ? [] : [`helpful ${helpful}, harmful ${harmful}`]),
    ],
    last === undefined ? [] : [`newest violation: ${spoken(`conduct why ${oneLine(last)}`, invocation)}`],
  ];
  const shown = lines.filter((parts) => parts.length > 0).map((parts) => `      ${parts.join(" · ")}\n`);
  return `    ${clip(oneLine(name), columns - 4)}\n${shown.join("")}`;
}

/** One bar a day: the higher, the more was followed. A point where nobody could tell. */
function chart({ days }: Followed): string {
  const bars = days.slice(-DAYS).map(({ share }) => (share === undefined ? "·" : (BARS[Math.round(share * 7)] ?? "·")));
  return `${bars.join("")}  `;
}

/** The contract in figures. `fullest`: the fullest block that a conversation can have. */
type Stats = {
  readonly directives: number;
  readonly byType: Readonly<Record<string, number>>;
  readonly byScope: Readonly<Record<string, number>>;
  readonly expiring: number;
  readonly fullest: Pick<FullestBlock, "items" | "tokens">;
  readonly cap: { readonly directives: number; readonly tokens: number; readonly note?: string };
  readonly candidates: Readonly<Record<string, number>>;
  readonly changes: number;
  readonly byKind: Readonly<Record<string, number>>;
  readonly byWhom: Readonly<Record<string, number>>;
};

export const runStats: GovernanceCommand = (args, terminal, world) => {
  const since = sinceOf(args.since, world.clock.now());
  if (since === undefined) {
    return Promise.resolve(badArgument("--since is no time", "give it as 7d, 12h or 2026-11-01T00:00Z"));
  }
  return withContract(world, "read", async ({ service, journal }) => {
    const state = await service.state();
    if (state.fault !== undefined) return damaged(state.fault);
    const now = world.clock.now();
    const counter = await loadTokenizer();
    const events = await service.events({ limit: Number.POSITIVE_INFINITY });
    const directives = allDirectives(state).filter(({ expiresAt }) => !isOver(expiresAt, now));
    const candidates = [...state.candidates].map(([, candidate]) => candidateAt(candidate, now));
    const { limits, note } = await world.cap();
    const stats: Stats = {
      directives: directives.length,
      byType: Object.fromEntries(
        DIRECTIVE_TYPES.map((type) => [type, directives.filter((one) => one.type === type).length]),
      ),
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
    // Without a change there is no store yet, and a look makes none.
    const [tell, over] = tellProgress(terminal, "measuring what was followed", "events");
    const seen = events.length === 0 ? NOTHING_SEEN : await adherenceSeen(world, state, journal, since, tell);
    over();
    const text = `${renderStats(stats, terminal)}${renderAdherence(seen, terminal)}`;
    return { ok: true, result: { ...stats, ...seen }, text, next: [LIST] };
  });
};

/** `conduct behavior stats` */
export const behaviorStats = onThisMachine(runStats);

/** By name, so that the same state gives the same bytes. */
function tally(names: readonly string[]): Readonly<Record<string, number>> {
  const groups = [...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length] as const);
  return Object.fromEntries(groups.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function renderStats(stats: Stats, { paint }: Terminal): string {
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
