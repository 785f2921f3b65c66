import { sha256 } from "../../base/kernel/canonical-json.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type {
  ActiveBehaviorContract,
  BehaviorDirective,
  ContractEvent,
  ContractScope,
  ContractView,
} from "../../base/words/contract.ts";
import { allDirectives, type ContractState, foldContract, versionsBySeq } from "./contract-state.ts";
import { isOver, isoTime } from "./iso-time.ts";
import { comparisonKey, displayText, isPlain } from "./parse/comparison-key.ts";
import { keywordOf } from "./parse/directive-form.ts";
import { kindOf, rankOf, scopesOf } from "./scopes.ts";

/** The limits of one block, and how long a candidate waits. */
export type ContractLimits = { readonly items: number; readonly tokens: number; readonly candidateMs: number };

export const CONTRACT_LIMITS: ContractLimits = { items: 24, tokens: 2_000, candidateMs: 7 * 86_400_000 };

const MAX_ITEMS = 200;

/** `note`: why the configured cap is ignored. */
export type ContractCap = { readonly limits: ContractLimits; readonly note?: string };

/** The limits with the cap of `CONDUCT_CONTRACT_CAP`. An invalid cap is ignored. */
export function readCap(written: string | undefined): ContractCap {
  if (written === undefined || written.trim() === "") return { limits: CONTRACT_LIMITS };
  const items = /^\s*\d{1,9}\s*$/.test(written) ? Number(written) : 0;
  if (items >= 1 && items <= MAX_ITEMS) return { limits: { ...CONTRACT_LIMITS, items } };
  const note = `The cap '${written.slice(0, 40)}' is not a whole number from 1 to ${MAX_ITEMS}. The default of ${CONTRACT_LIMITS.items} is used.`;
  return { limits: CONTRACT_LIMITS, note };
}

/** The largest block that a conversation can have. Any agent may meet any channel and any user. */
export type FullestBlock = {
  readonly items: number;
  readonly tokens: number;
  readonly scopes: readonly ContractScope[];
};

type Load = { readonly scope: ContractScope; readonly items: number; readonly tokens: number };

export function fullestBlock(
  directives: readonly BehaviorDirective[],
  by: "items" | "tokens",
  counter: Pick<TokenCounter, "count">,
): FullestBlock {
  const fullest = new Map<string, Load>();
  for (const [scope, own] of Map.groupBy(directives, (directive) => directive.scope)) {
    const tokens = contractLines(own).reduce((sum, line) => sum + counter.count(`${line}\n`), 0);
    const load = { scope, items: own.length, tokens };
    const kind = kindOf(scope);
    if (load[by] > (fullest.get(kind)?.[by] ?? 0)) fullest.set(kind, load);
  }
  const loads = [...fullest.values()].sort((a, b) => rankOf(a.scope) - rankOf(b.scope));
  return {
    items: loads.reduce((sum, { items }) => sum + items, 0),
    tokens: loads.reduce((sum, { tokens }) => sum + tokens, 0),
    scopes: loads.map(({ scope }) => scope),
  };
}

/** Why the change exceeds a limit. A block that exceeded it before may shrink or stay. */
export function overCap(
  before: readonly BehaviorDirective[],
  after: readonly BehaviorDirective[],
  limits: ContractLimits,
  counter: Pick<TokenCounter, "count">,
): string | undefined {
  for (const by of ["items", "tokens"] as const) {
    const full = fullestBlock(after, by, counter);
    if (full[by] <= limits[by] || full[by] <= fullestBlock(before, by, counter)[by]) continue;
    return `The contract of ${full.scopes.join(" + ")} would have ${full[by]} ${by === "items" ? "directives" : "tokens"}; the limit is ${limits[by]}.`;
  }
  return undefined;
}

/** The size of a block, of the largest possible blocks, and the limits. */
export type ContractUsage = {
  readonly tokens: number;
  readonly fullest: { readonly items: FullestBlock; readonly tokens: FullestBlock };
  readonly most: Pick<ContractLimits, "items" | "tokens">;
};

export function contractUsage(
  state: ContractState,
  contract: ActiveBehaviorContract,
  counter: Pick<TokenCounter, "count">,
  { items, tokens }: ContractLimits,
): ContractUsage {
  const all = allDirectives(state);
  return {
    tokens: counter.count(renderContract(contract)),
    fullest: { items: fullestBlock(all, "items", counter), tokens: fullestBlock(all, "tokens", counter) },
    most: { items, tokens },
  };
}

const TAG = "GATEWAY_BEHAVIOR_CONTRACT";

/** The block in the agent's prompt; empty without directives. */
export function renderContract({ version, hash, directives }: ActiveBehaviorContract): string {
  if (directives.length === 0) return "";
  return [`<${TAG} version=${version} hash=${hash}>`, ...contractLines(directives), `</${TAG}>`].join("\n");
}

export function contractLines(directives: readonly Pick<BehaviorDirective, "type" | "text">[]): readonly string[] {
  return directives.map(contractLine);
}

function contractLine({ type, text }: Pick<BehaviorDirective, "type" | "text">): string {
  return `- ${keywordOf(type)}: ${escapeText(text)}`;
}

/** The hash of the lines between the tags, independent of the version. */
export function hashLines(lines: readonly string[]): string {
  return sha256(lines.join("\n")).slice(0, 20);
}

/** One line that cannot open or close a tag, even if the store was tampered with. `<50 words` stays. */
function escapeText(text: string): string {
  const line = isPlain(text) ? displayText(text) : cleanLine(text);
  return line.replace(/[<＜﹤](?![\d=])/g, "&lt;");
}

/** On one line, without bidirectional controls and invisible tag characters. */
function cleanLine(text: string): string {
  return displayText(text.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ")).replace(
    /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu,
    "",
  );
}

/** The directives in force for a view: wider scopes first, then older ones. Duplicates across scopes appear once. */
export function contractFor(state: ContractState, view: ContractView, now: number): ActiveBehaviorContract {
  const scopes = scopesOf(view).flatMap((scope) => state.scopes.get(scope) ?? []);
  const newest = scopes.reduce((a, b) => (b.version > a.version ? b : a), { version: 0, at: 0 });
  const inForce = scopes.flatMap((scope) => scope.directives).filter(({ expiresAt }) => !isOver(expiresAt, now));
  const directives = [
    ...Map.groupBy(inForce, ({ type, text }) => `${type} ${comparisonKey(text)}`)
      .values()
      .flatMap((same) => same.slice(0, 1)),
  ];
  const hash = hashLines(contractLines(directives));
  return { version: newest.version, generatedAt: isoTime(newest.at), directives, hash };
}

/** A point in the contract's history: after an event, after a change of the contract, or at a time. */
export type ContractPoint = { readonly seq: number } | { readonly version: number } | { readonly at: number };

/** The events up to a point. `events` are all changes, the oldest first. */
export function eventsUntil(events: readonly ContractEvent[], point: ContractPoint): readonly ContractEvent[] {
  // A clock that was set back must not leave out earlier events.
  if ("at" in point) return events.slice(0, events.findLastIndex(({ at }) => at <= point.at) + 1);
  const last = "seq" in point ? point.seq : seqOf(events, point.version);
  return events.filter(({ seq }) => seq <= last);
}

function seqOf(events: readonly ContractEvent[], version: number): number {
  const [seq] = [...versionsBySeq(events)].find(([, one]) => one === version) ?? [];
  return version === 0 ? 0 : (seq ?? Number.POSITIVE_INFINITY);
}

/** The contract as it was at a point. */
export function contractAt(
  events: readonly ContractEvent[],
  point: ContractPoint,
  view: ContractView,
): ActiveBehaviorContract {
  const past = eventsUntil(events, point);
  const now = "at" in point ? point.at : (past.at(-1)?.at ?? 0);
  return contractFor(foldContract(past), view, now);
}

/** `same`: the same lines in the same order. */
export type ContractDiff = {
  readonly from: Pick<ActiveBehaviorContract, "version" | "hash">;
  readonly to: Pick<ActiveBehaviorContract, "version" | "hash">;
  readonly same: boolean;
  readonly added: readonly BehaviorDirective[];
  readonly removed: readonly BehaviorDirective[];
};

/** Compares the lines, not ids: a directive that was removed and added again is no difference. */
export function diffContracts(a: ActiveBehaviorContract, b: ActiveBehaviorContract): ContractDiff {
  const before = new Set(contractLines(a.directives));
  const after = new Set(contractLines(b.directives));
  return {
    from: { version: a.version, hash: a.hash },
    to: { version: b.version, hash: b.hash },
    same: a.hash === b.hash,
    added: b.directives.filter((directive) => !before.has(contractLine(directive))),
    removed: a.directives.filter((directive) => !after.has(contractLine(directive))),
  };
}
