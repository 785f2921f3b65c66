import { isObject } from "../../base/kernel/json.ts";
import type { UserAgent } from "../../base/words/hosting/instructions.ts";
import type { Json } from "../../base/words/json.ts";

/** A row of the older table of customizations: several for one user and agent, content as JSON or as text. */
export type LegacyRow = UserAgent & {
  readonly content: Json;
  readonly priority?: number;
  readonly active?: boolean;
};

/** One text for each user and agent, to be split into items; `rows` are kept beside it as they were. */
export type MigratedInstructions = {
  readonly owner: UserAgent;
  readonly text: string;
  readonly rows: readonly LegacyRow[];
};

/** Merges the rows of each user and agent, the highest priority first. Rows that were switched off say nothing. */
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

/** What was stored, as lines a person would write: `{"tone": "warm"}` as `tone: warm`. */
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

/** JSON that was kept as text is read; any other text is itself. */
function parseText(text: string): Json {
  if (!/^\s*[[{"]/.test(text)) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
