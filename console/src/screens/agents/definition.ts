import type { Fault } from "./faults.ts";

/** What conduct.yaml says of an agent, as JSON. */
export type Definition = { readonly [key: string]: unknown };
export type Place = readonly (string | number)[];

/** Keys that have fields of their own; all others are one text of JSON. */
const OWN = [
  "identity",
  "soul",
  "system_prompt",
  "model",
  "runtime",
  "promptContributors",
  "tools",
  "rules",
  "completion",
  "limits",
];

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

/** The definition with another value there; nothing is changed in place. */
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

/** Without what says nothing: empty texts, lists and maps. */
function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(cleaned).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).flatMap(([key, one]) => {
      const clean = cleaned(one);
      return clean === undefined ? [] : [[key, clean] as const];
    });
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  }
  return value === "" || value === null ? undefined : value;
}

/** What is to be sent, in the order in which it was: fields without what says nothing, and the rest as it was written. */
export function toSave(definition: Definition): Record<string, unknown> {
  const entries = Object.entries(definition).flatMap(([key, value]) => {
    const clean = key === "rules" ? cleanRules(value) : OWN.includes(key) ? cleaned(value) : value;
    return clean === undefined ? [] : [[key, clean] as const];
  });
  return Object.fromEntries(entries);
}

/** A rule of its own stays as it is: there an empty text may mean something. */
function cleanRules(rules: unknown): unknown {
  if (!Array.isArray(rules)) return rules;
  const said = rules
    .map((one: unknown) => (typeof one === "string" ? one.trim() : one))
    .filter((one) => one !== "" && one !== undefined);
  return said.length === 0 ? undefined : said;
}

/** All that has no field of its own. */
export function restOf(definition: Definition): Record<string, unknown> {
  return Object.fromEntries(Object.entries(definition).filter(([key]) => !OWN.includes(key)));
}

export function withRest(definition: Definition, rest: Definition): Definition {
  const own = Object.entries(definition).filter(([key]) => OWN.includes(key));
  return { ...Object.fromEntries(own), ...rest };
}

/** `limits.tokens`, `tools[0].name`: as faults name places. */
function placeText(place: Place): string {
  return place.reduce<string>(
    (before, part) => (typeof part === "number" ? `${before}[${part}]` : before === "" ? part : `${before}.${part}`),
    "",
  );
}

/** A fault's path without the agent's name, which may be quoted. */
function insideOf({ path }: Fault, agent: string): string {
  for (const name of [agent, JSON.stringify(agent)]) {
    if (path === `agents.${name}`) return "";
    if (path.startsWith(`agents.${name}.`)) return path.slice(`agents.${name}.`.length);
  }
  return path;
}

/** The faults at a place or below it. */
export function faultsAt(faults: readonly Fault[], agent: string, place: Place): readonly Fault[] {
  const text = placeText(place);
  return faults.filter((fault) => {
    const path = insideOf(fault, agent);
    return path === text || path.startsWith(`${text}.`) || path.startsWith(`${text}[`);
  });
}

/** Those that no field can show. */
export function otherFaults(faults: readonly Fault[], agent: string): readonly Fault[] {
  return faults.filter((fault) => !OWN.includes(insideOf(fault, agent).split(/[.[]/)[0] ?? ""));
}

/** `30m` stays a text; `400000` becomes a number. */
export function numberOrText(text: string): unknown {
  return /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
}

/** `topic:coding, channel:telegram` and back. */
export function tagsText(tags: unknown): string {
  if (!Array.isArray(tags)) return "";
  return tags
    .map((one: { readonly dimension?: string; readonly value?: string }) => `${one.dimension ?? ""}:${one.value ?? ""}`)
    .join(", ");
}

export function tagsOf(text: string): unknown {
  const parts = text.split(",").map((part) => part.trim());
  return parts
    .filter((part) => part !== "")
    .map((part) => {
      const [dimension = "", ...value] = part.split(":");
      return { dimension: dimension.trim(), value: value.join(":").trim() };
    });
}

/** `path: read, target: write` and back. */
export function pathsText(paths: unknown): string {
  if (typeof paths !== "object" || paths === null) return "";
  return Object.entries(paths)
    .map(([name, how]) => `${name}: ${String(how)}`)
    .join(", ");
}

export function pathsOf(text: string): unknown {
  const parts = text.split(",").filter((part) => part.trim() !== "");
  return Object.fromEntries(
    parts.map((part) => {
      const [name = "", how = ""] = part.split(":");
      return [name.trim(), how.trim()];
    }),
  );
}

export function wordsText(words: unknown): string {
  return Array.isArray(words) ? words.join(", ") : "";
}

export function wordsOf(text: string): readonly string[] {
  return text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}
