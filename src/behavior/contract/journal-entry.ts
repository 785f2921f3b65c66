import { isObject } from "../../base/kernel/json.ts";
import type { GovernanceDraft, GovernanceEntry } from "../../base/ports/stores/governance.ts";
import type { ContractChange, ContractEvent } from "../../base/words/contract.ts";
import type { Json } from "../../base/words/json.ts";
import { readTime } from "./iso-time.ts";
import { DIRECTIVE_TYPES } from "./parse/directive-form.ts";
import { isScope } from "./scopes.ts";

/** An event as a journal entry; the journal assigns the sequence. */
export function toDraft({ seq: _, at, by, kind, ...body }: ContractEvent): GovernanceDraft {
  // Through JSON, so that the stored value equals the value that is read.
  return { at, by, kind, body: JSON.parse(JSON.stringify(body)) };
}

/** An entry as an event; `undefined` for other kinds. A damaged entry is a fault. */
export function readEntry(
  entry: Pick<GovernanceEntry, "seq" | "at" | "by" | "kind" | "body">,
): ContractEvent | { readonly fault: string } | undefined {
  const { seq, at, by, kind, body } = entry;
  if (!isKind(kind)) return undefined;
  const change = isObject(body) ? { ...body, kind } : { kind };
  if (!isChange(change)) return { fault: `entry ${seq} (${kind}) of the journal is damaged` };
  return { seq, at, by, ...change };
}

/** The kinds of entries that are about the contract. */
export function contractKinds(): readonly ContractChange["kind"][] {
  return Object.keys(SHAPES).filter(isKind);
}

export const MAX_RULE_CHARS = 20_000;

type Check = (value: Json | undefined) => boolean;
type Fields = { readonly [name: string]: Check };

const text: Check = (value) => typeof value === "string" && value !== "" && value.length <= 2_000;
const ruleText: Check = (value) => typeof value === "string" && value !== "" && value.length <= MAX_RULE_CHARS;
const words: Check = (value) => typeof value === "string";
const time: Check = (value) => typeof value === "string" && readTime(value) === value;
const whole: Check = (value) => Number.isSafeInteger(value);
const share: Check = (value) => typeof value === "number" && value >= 0 && value <= 1;
const scope: Check = isScope;
const type: Check = oneOf(...DIRECTIVE_TYPES);
const yes: Check = (value) => typeof value === "boolean";

const message = shape({ id: text, line: whole }, { first: text });
const count: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const amount = { atMost: count, atLeast: count };
const CHECKS: readonly Check[] = [
  shape({ kind: oneOf("reply"), holds: words }),
  shape({ kind: oneOf("order"), first: words, later: words }),
  shape({ kind: oneOf("length"), unit: oneOf("words", "characters", "lines") }, amount),
  shape({ kind: oneOf("cadence") }, { ...amount, withinMs: (value) => typeof value === "number" }),
];
const directive = shape(
  { id: text, type, text, source: oneOf("operator", "daily-review"), createdAt: time, scope },
  { confidence: share, evidence: listOf(words), expiresAt: time, candidate: text, message, check: isCheck },
);
const directives = listOf(directive);
const standing = shape(
  { id: text, text: ruleText, scope, createdAt: time, status: oneOf("shadow", "enforced") },
  { from: text, until: time, since: time },
);
const rule: Check = (value) => standing(value) && isObject(value) && (value.status !== "enforced" || time(value.since));
const CANDIDATE = { id: text, type, text, scope, confidence: share, evidence: listOf(words), createdAt: time };
const candidate = shape(
  { ...CANDIDATE, expiresAt: time, status: oneOf("pending") },
  { origin: shape({ pattern: text, good: yes }, { subject: words, reviewer: words, raw: share }), demotes: text },
);

const SHAPES: { readonly [kind in ContractChange["kind"]]: Check } = {
  "directive-added": shape({ directive, absorbed: directives }),
  "directive-repeated": shape({ of: text, type, text, scope }, { message }),
  "directive-removed": shape({ directive }, { reason: words }),
  "directive-replaced": shape({ removed: directive, directive, absorbed: directives }),
  "directives-expired": shape({ directives }),
  "contract-applied": shape({ dropped: listOf(shape({ directive, sameAs: text })) }),
  "contract-undone": shape({ undoes: whole, dropped: directives, restored: directives }),
  "candidate-proposed": shape({ candidate }),
  "candidate-merged": shape({ id: text, confidence: share, evidence: listOf(words), expiresAt: time }),
  "candidate-edited": shape({ id: text, type, text }),
  "candidate-promoted": shape({ id: text, directive, absorbed: directives }),
  "candidate-covered": shape({ id: text, of: text }),
  "candidate-demoted": shape({ id: text, directive }),
  "directive-marked": shape({ id: text, mark: oneOf("helpful", "harmful") }, { note: words, evidence: words }),
  "directive-checked": shape({ id: text, check: (value) => value === null || isCheck(value) }),
  "rule-added": shape({ rule }),
  "rule-enforced": shape({ id: text, since: time }),
  "rule-shadowed": shape({ id: text }, { until: time }),
  "rule-removed": shape({ rule }, { reason: words }),
  "candidate-blocked": shape({ id: text, reason: words }),
  "candidate-rejected": shape({ id: text, reason: words }),
  "candidate-snoozed": shape({ id: text, until: time, expiresAt: time }),
  "candidates-expired": shape({ ids: listOf(text) }),
};

function isKind(kind: string): kind is ContractChange["kind"] {
  return Object.hasOwn(SHAPES, kind);
}

function isChange(value: { readonly kind: ContractChange["kind"] }): value is ContractChange {
  return SHAPES[value.kind](value);
}

/** Unknown fields pass, because a newer version may have written them. */
function shape(required: Fields, optional: Fields = {}): Check {
  return (value) =>
    isObject(value) &&
    Object.entries(required).every(([name, check]) => check(value[name])) &&
    Object.entries(optional).every(([name, check]) => value[name] === undefined || check(value[name]));
}

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

function oneOf(...values: readonly string[]): Check {
  return (value) => typeof value === "string" && values.includes(value);
}

/** True for a stored directive check. */
export function isCheck(value: Json | undefined): boolean {
  return CHECKS.some((check) => check(value));
}
