import { sha256 } from "../../base/kernel/canonical-json.ts";
import type {
  ActiveBehaviorContract,
  BehaviorDirective,
  ContractEvent,
  ContractView,
} from "../../base/words/contract.ts";
import { type ContractState, foldContract } from "./contract-state.ts";
import { isOver, isoTime } from "./iso-time.ts";
import { comparisonKey, displayText, isPlain } from "./parse/comparison-key.ts";
import { keywordOf } from "./parse/keywords.ts";
import { scopesOf } from "./scopes.ts";

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

/** The contract as it was after an event, or at a time. */
export function contractAt(
  events: readonly ContractEvent[],
  point: { readonly seq: number } | { readonly at: number },
  view: ContractView,
): ActiveBehaviorContract {
  // A clock that was set back must not leave out earlier events.
  const last = events.findLastIndex((event) => ("seq" in point ? event.seq <= point.seq : event.at <= point.at));
  const past = events.slice(0, last + 1);
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
