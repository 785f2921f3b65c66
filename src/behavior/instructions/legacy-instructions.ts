import { isObject } from "../../base/kernel/json.ts";
import type { UserAgent } from "../../base/words/hosting/instructions.ts";
import type { Json } from "../../base/words/json.ts";

/** A row of the old customizations table: several for one user and agent, with JSON or text. */
export type LegacyRow = UserAgent & { readonly content: Json; readonly priority?: number; readonly active?: boolean };

/** One text for each user and agent; `rows` are the original rows. */
export type MigratedInstructions = {
  readonly owner: UserAgent;
  readonly text: string;
  readonly rows: readonly LegacyRow[];
};

/** Merges the active rows of each user and agent, highest priority first. */
export function migrateInstructions(rows: readonly LegacyRow[]): readonly MigratedInstructions[] {
  const owners = Map.groupBy(rows, ({ user, agent }) => JSON.stringify([user, agent]));
  return [...owners.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const active = own.filter(({ active }) => active !== false);
    const ordered = active.toSorted((a, b) => (b.priority ?? 0) - (a.priority ?? 0));
    const text = [...new Set(ordered.flatMap(({ content }) => readable(content, "")))].join("\n");
    return [{ owner: { user: first.user, agent: first.agent }, text, rows: own }];
  });
}

/** `{"tone": "warm"}` becomes `tone: warm`. */
function readable(content: Json, label: string): readonly string[] {
  if (typeof content === "string") {
    const inner = parseText(content);
    if (inner !== content) return readable(inner, label);
    return content.trim() === "" ? [] : [label === "" ? content.trim() : `${label}: ${content.trim()}`];
  }
  if (content === null) return [];
  if (Array.isArray(content)) return content.flatMap((item: Json) => readable(item, label));
  if (isObject(content)) {
    return Object.entries(content).flatMap(([key, value]) =>
      readable(value ?? null, label === "" ? key : `${label} ${key}`),
    );
  }
  return [label === "" ? `${content}` : `${label}: ${content}`];
}

/** Parses JSON that was stored as text. */
function parseText(text: string): Json {
  if (!/^\s*[[{"]/.test(text)) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
