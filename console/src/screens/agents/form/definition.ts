import type { Fault } from "./faults.ts";

/** An agent's definition in conduct.yaml, as JSON. */
export type Definition = { readonly [key: string]: unknown };
export type Place = readonly (string | number)[];

/** Keys that have their own fields in the form. */
const OWN = [
  "identity",
  "soul",
  "system_prompt",
  "model",
  "runtime",
  "sections",
  "promptContributors",
  "prompt",
  "checkpoints",
  "tools",
  "actions",
  "trustedTools",
  "policies",
  "rules",
  "elevation",
  "feedback",
  "completion",
  "limits",
  "sessionLabels",
  "memory",
];

export const POLICY_KINDS = ["readBeforeWrite", "sequential"] as const;
export const FEEDBACK_KINDS = ["static", "deadline", "tokenBudget", "repeatedFailure"] as const;
/** Lists whose items have a kind. The kind is the name of a key, even if its value is empty. */
const KINDS: { readonly [key: string]: readonly string[] } = { policies: POLICY_KINDS, feedback: FEEDBACK_KINDS };

export function identityOf(identity: unknown): { readonly [key in "name" | "vibe" | "description"]?: string } {
  return typeof identity === "object" && identity !== null ? identity : {};
}

export function valueAt(definition: Definition, place: Place): unknown {
  let found: unknown = definition;
  for (const part of place) {
    if (typeof found !== "object" || found === null) return undefined;
    found = (found as { readonly [key: string | number]: unknown })[part];
  }
  return found;
}

/** Returns a copy with another value at the place. */
export function withValue(before: unknown, place: Place, value: unknown): unknown {
  const [part, ...rest] = place;
  if (part === undefined) return value;
  if (typeof part === "number") {
    const list = Array.isArray(before) ? [...(before as readonly unknown[])] : [];
    list[part] = withValue(list[part], rest, value);
    return list;
  }
  const map = typeof before === "object" && before !== null && !Array.isArray(before) ? before : {};
  return { ...map, [part]: withValue((map as { readonly [key: string]: unknown })[part], rest, value) };
}

/** Removes empty texts, lists and maps. List items keep their position, because faults refer to it. */
function cleaned(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => (isMap(item) ? cleanedItem(item, KINDS[key] ?? []) : cleaned(item)));
    const said = items.filter((item) => item !== undefined);
    return said.length === 0 ? undefined : said;
  }
  if (isMap(value)) {
    const entries = Object.entries(value).flatMap(([name, one]) => {
      const clean = cleaned(one, name);
      return clean === undefined ? [] : [[name, clean] as const];
    });
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  }
  return value === "" || value === null ? undefined : value;
}

function cleanedItem(item: Definition, kinds: readonly string[]): Definition {
  const entries = Object.entries(item).flatMap(([name, one]) => {
    const clean = cleaned(one, name) ?? (kinds.includes(name) ? nothingOf(name, one) : undefined);
    return clean === undefined ? [] : [[name, clean] as const];
  });
  return Object.fromEntries(entries);
}

/** Value of a kind without settings: valid if the kind has defaults; otherwise one that the gateway rejects. */
function nothingOf(kind: string, value: unknown): unknown {
  if (kind === "sequential") return {};
  return typeof value === "string" ? "" : null;
}

function isMap(value: unknown): value is Definition {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the definition to send, in its original order, without empty fields. Unknown keys stay unchanged. */
export function toSave(definition: Definition): Record<string, unknown> {
  const entries = Object.entries(definition).flatMap(([key, value]) => {
    const clean = key === "rules" ? cleanRules(value) : OWN.includes(key) ? cleaned(value, key) : value;
    return clean === undefined ? [] : [[key, clean] as const];
  });
  return Object.fromEntries(entries);
}

/** Inline rules stay unchanged, because an empty text may have a meaning there. */
function cleanRules(rules: unknown): unknown {
  if (!Array.isArray(rules)) return rules;
  const said = rules
    .map((one: unknown) => (typeof one === "string" ? one.trim() : one))
    .filter((one) => one !== "" && one !== undefined);
  return said.length === 0 ? undefined : said;
}

/** Returns the keys that have no field of their own. */
export function restOf(definition: Definition): Record<string, unknown> {
  return Object.fromEntries(Object.entries(definition).filter(([key]) => !OWN.includes(key)));
}

export function withRest(definition: Definition, rest: Definition): Definition {
  const own = Object.entries(definition).filter(([key]) => OWN.includes(key));
  return { ...Object.fromEntries(own), ...rest };
}

/** Formats a place like the faults do: `limits.tokens`, `tools[0].name`, `actions."my.one"`. */
function placeText(place: Place): string {
  return place.reduce<string>((before, part) => {
    if (typeof part === "number") return `${before}[${part}]`;
    const name = /^[\p{L}\p{N}_-]+$/u.test(part) ? part : JSON.stringify(part);
    return before === "" ? name : `${before}.${name}`;
  }, "");
}

/** Returns a fault's path without the agent's name, which may be quoted. */
function insideOf({ path }: Fault, agent: string): string {
  for (const name of [agent, JSON.stringify(agent)]) {
    if (path === `agents.${name}`) return "";
    if (path.startsWith(`agents.${name}.`)) return path.slice(`agents.${name}.`.length);
  }
  return path;
}

/** Returns the faults at a place or below it. A missing key is reported at its parent. */
export function faultsAt(faults: readonly Fault[], agent: string, place: Place): readonly Fault[] {
  const text = placeText(place);
  const around = placeText(place.slice(0, -1));
  return faults.filter((fault) => {
    const path = insideOf(fault, agent);
    const isMissing = path === around && fault.message === `'${place.at(-1)}' is missing`;
    return isMissing || path === text || path.startsWith(`${text}.`) || path.startsWith(`${text}[`);
  });
}

/** Returns the faults of an object itself, which none of its fields can show. */
export function faultsOfWhole(faults: readonly Fault[], agent: string, place: Place): readonly Fault[] {
  const text = placeText(place);
  return faults.filter((fault) => insideOf(fault, agent) === text && !/^'[^']*' is missing$/.test(fault.message));
}

/** Returns the faults that no field can show. */
export function otherFaults(faults: readonly Fault[], agent: string): readonly Fault[] {
  return faults.filter((fault) => !OWN.includes(insideOf(fault, agent).split(/[.[]/)[0] ?? ""));
}
