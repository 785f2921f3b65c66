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
import { writeDirective } from "./parse/directive-form.ts";
import { keywordOf } from "./parse/keywords.ts";
import { scopesOf } from "./scopes.ts";

const TAG = "GATEWAY_BEHAVIOR_CONTRACT";

/** The block that the agent is told at every turn. Nothing when no directive is in force. */
export function renderContract({ version, hash, directives }: ActiveBehaviorContract): string {
  if (directives.length === 0) return "";
  return [`<${TAG} version=${version} hash=${hash}>`, ...contractLines(directives), `</${TAG}>`].join("\n");
}

/** One line for each directive, in the order given. */
export function contractLines(directives: readonly Pick<BehaviorDirective, "type" | "text">[]): readonly string[] {
  return directives.map(({ type, text }) => `- ${keywordOf(type)}: ${escapeText(text)}`);
}

/** Over what the agent reads between the tags: equal for equal lines in equal order, whatever their version. */
export function hashLines(lines: readonly string[]): string {
  return sha256(lines.join("\n")).slice(0, 20);
}

/** One line that opens and closes nothing, even if the store was tampered with. `<50 words` stays as it is. */
function escapeText(text: string): string {
  const line = isPlain(text) ? displayText(text) : cleanLine(text);
  return line.replace(/[<＜﹤](?![\d=])/g, "&lt;");
}

/** On one line, without what turns the direction of writing, and tags that only a model can read. */
function cleanLine(text: string): string {
  return displayText(text.toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ")).replace(
    /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu,
    "",
  );
}

/**
 * The directives in force for a view at a time: wider scopes first, then the older. What is over is left out from that
 * moment on, under the same version until the expiry is written down. What two scopes say stands once.
 */
export function contractFor(state: ContractState, view: ContractView, now: number): ActiveBehaviorContract {
  const scopes = scopesOf(view).flatMap((scope) => state.scopes.get(scope) ?? []);
  const newest = scopes.reduce((a, b) => (b.version > a.version ? b : a), { version: 0, at: 0 });
  const directives = sayOnce(
    scopes.flatMap((scope) => scope.directives).filter(({ expiresAt }) => !isOver(expiresAt, now)),
  );
  const hash = hashLines(contractLines(directives));
  return { version: newest.version, generatedAt: isoTime(newest.at), directives, hash };
}

/** The contract as it was: after the event of that sequence, or at that time. Events in their order. */
export function contractAt(
  events: readonly ContractEvent[],
  point: { readonly seq: number } | { readonly at: number },
  view: ContractView,
): ActiveBehaviorContract {
  // A clock that was set back must not make a hole in the row of events.
  const last = events.findLastIndex((event) => ("seq" in point ? event.seq <= point.seq : event.at <= point.at));
  const past = events.slice(0, last + 1);
  const now = "at" in point ? point.at : (past.at(-1)?.at ?? 0);
  return contractFor(foldContract(past), view, now);
}

function sayOnce(directives: readonly BehaviorDirective[]): readonly BehaviorDirective[] {
  const said = new Set<string>();
  return directives.filter(({ type, text }) => {
    const same = `${type} ${comparisonKey(text)}`;
    if (said.has(same)) return false;
    said.add(same);
    return true;
  });
}

/** What the agent is told more and no longer. `same`: the lines are equal, and stand in the same order. */
export type ContractDiff = {
  readonly from: Pick<ActiveBehaviorContract, "version" | "hash">;
  readonly to: Pick<ActiveBehaviorContract, "version" | "hash">;
  readonly same: boolean;
  readonly added: readonly BehaviorDirective[];
  readonly removed: readonly BehaviorDirective[];
};

/** Compares what is told, not ids: a directive that was removed and added again is no difference. */
export function diffContracts(a: ActiveBehaviorContract, b: ActiveBehaviorContract): ContractDiff {
  const before = new Set(contractLines(a.directives));
  const after = new Set(contractLines(b.directives));
  return {
    from: { version: a.version, hash: a.hash },
    to: { version: b.version, hash: b.hash },
    same: a.hash === b.hash,
    added: b.directives.filter((directive) => !before.has(lineOf(directive))),
    removed: a.directives.filter((directive) => !after.has(lineOf(directive))),
  };
}

/** One line for each difference, what went first. */
export function renderContractDiff({ added, removed }: Pick<ContractDiff, "added" | "removed">): string {
  return [...removed.map((one) => `- ${writeDirective(one)}`), ...added.map((one) => `+ ${writeDirective(one)}`)].join(
    "\n",
  );
}

function lineOf(directive: BehaviorDirective): string {
  return contractLines([directive]).join("");
}
