import { isObject } from "../../base/kernel/json.ts";
import type { GovernanceDraft, GovernanceEntry } from "../../base/ports/stores/governance.ts";
import type { ContractChange, ContractEvent } from "../../base/words/contract.ts";
import type { Json } from "../../base/words/json.ts";
import { readTime } from "./iso-time.ts";
import { DIRECTIVE_TYPES } from "./parse/keywords.ts";
import { isScope } from "./scopes.ts";

/** An event as the governance journal takes it. Its place is given by the journal: the one that the decision foresaw. */
export function toDraft({ seq: _, at, by, kind, ...body }: ContractEvent): GovernanceDraft {
  // Through JSON, so that what is kept is what is read again.
  return { at, by, kind, body: JSON.parse(JSON.stringify(body)) };
}

/** An entry as an event; `undefined` when it is of another kind. One that is damaged is a fault, never nothing. */
export function readEntry(
  entry: Pick<GovernanceEntry, "seq" | "at" | "by" | "kind" | "body">,
): ContractEvent | { readonly fault: string } | undefined {
  const { seq, at, by, kind, body } = entry;
  if (!isKind(kind)) return undefined;
  const change = isObject(body) ? { ...body, kind } : { kind };
  if (!isChange(change)) return { fault: `entry ${seq} (${kind}) of the journal is damaged` };
  return { seq, at, by, ...change };
}

/** For reading the journal: the kinds that are about the contract. */
export function contractKinds(): readonly ContractChange["kind"][] {
  return Object.keys(SHAPES).filter(isKind);
}

/** A rule file that a person could have read before saying yes to it. */
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

const mark: Check = oneOf("helpful", "harmful");
const yes: Check = (value) => typeof value === "boolean";
const origin = shape({ pattern: text, good: yes }, { subject: words, reviewer: words, raw: share });

const message = shape({ id: text, line: whole }, { first: text });
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
const candidate = shape(
  {
    ...{ id: text, type, text, scope, confidence: share, evidence: listOf(words), createdAt: time, expiresAt: time },
    status: oneOf("pending"),
  },
  { origin, demotes: text },
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
  "directive-marked": shape({ id: text, mark }, { note: words, evidence: words }),
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

/** Further fields are left alone: a newer Conduct may have written them. */
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

/** Is it one, as it was kept? What it says is read again, so that nothing is kept that could not be said. */
export function isCheck(value: Json | undefined): boolean {
  if (!isObject(value)) return false;
  const { kind, holds, first, later, unit, atMost, atLeast, withinMs } = value;
  const count = (one: Json | undefined) => one === undefined || (Number.isSafeInteger(one) && Number(one) >= 0);
  switch (kind) {
    case "reply":
      return typeof holds === "string";
    case "order":
      return typeof first === "string" && typeof later === "string";
    case "length":
      return ["words", "characters", "lines"].includes(String(unit)) && count(atMost) && count(atLeast);
    case "cadence":
      return count(atMost) && count(atLeast) && (withinMs === undefined || typeof withinMs === "number");
    default:
      return false;
  }
}
