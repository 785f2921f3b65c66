import { isObject, parseObject } from "../../../base/kernel/json.ts";
import { cutGraphemes, wellFormed } from "../../../base/kernel/text.ts";
import type { UserAgent } from "../../../base/words/hosting/instructions.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { splitItems } from "../../../behavior/instructions/instruction-items.ts";
import { type LegacyRow, migrateInstructions } from "../../../behavior/instructions/legacy-instructions.ts";

/** As long as one instruction may be. */
const ITEM_MAX = 2_000;
const IDENTITY = ["name", "vibe", "description"] as const;

/** An agent of SPEC-010 as conduct.yaml would define it. */
export type ReadAgent = { readonly name: string; readonly definition: JsonObject };

/** `system_prompt` before the renaming, `soul` after it. `undefined` for a row without a name. */
export function readAgent(row: JsonObject): ReadAgent | undefined {
  const name = textOf(row.agent_name) ?? textOf(row.name);
  if (name === undefined) return undefined;
  const soul = textOf(row.soul) ?? textOf(row.system_prompt);
  const given = typeof row.identity === "string" ? parseObject(row.identity) : row.identity;
  const known = IDENTITY.flatMap((key) => {
    const text = isObject(given) ? textOf(given[key]) : undefined;
    return text === undefined ? [] : [[key, text] as const];
  });
  return {
    name,
    definition: {
      soul,
      ...(known.length === 0 ? {} : { identity: Object.fromEntries(known) }),
    },
  };
}

/** Whose row it is. An agent's id is put into its name where one of the agents has it. */
export function readOwner(row: JsonObject, names: ReadonlyMap<string, string>): UserAgent | undefined {
  const user = textOf(row.user_id);
  const id = textOf(row.agent_id);
  const agent = textOf(row.agent_name) ?? (id === undefined ? undefined : (names.get(id) ?? id));
  return user === undefined || agent === undefined ? undefined : { user, agent };
}

/** A row before the simplification (`content`, with a type and a priority), or after it (`instructions`). */
export function readCustomization(row: JsonObject, owner: UserAgent): LegacyRow {
  const after = textOf(row.instructions);
  const content: Json = after ?? labelled(row.content ?? null, textOf(row.customization_type));
  return {
    ...owner,
    content,
    ...(typeof row.priority === "number" ? { priority: row.priority } : {}),
    ...(row.is_active === false ? { active: false } : {}),
  };
}

/** What the rows of one user and agent say, as items that can be kept; nothing of a long one is left out. */
export function readItems(rows: readonly LegacyRow[]): readonly string[] {
  const text = migrateInstructions(rows)
    .map((merged) => merged.text)
    .join("\n");
  return splitItems(text.replaceAll("\0", "")).flatMap(split);
}

/** The notes of a row. The whole block is one column: `notes`, or `content`. */
export function readNotes(row: JsonObject, owner: UserAgent): readonly string[] {
  const content = row.notes ?? row.content ?? row.memory ?? null;
  return splitItems(
    migrateInstructions([{ ...owner, content }])
      .map(({ text }) => text.replaceAll("\0", ""))
      .join("\n"),
  );
}

/** Milliseconds since the epoch; `undefined` where the row does not tell. */
export function readTime(row: JsonObject): number | undefined {
  const at = Date.parse(textOf(row.updated_at) ?? textOf(row.created_at) ?? "");
  return Number.isNaN(at) ? undefined : at;
}

/** One bare word says nothing without the name it stood under. */
function labelled(content: Json, type: string | undefined): Json {
  if (type === undefined || isObject(content) || Array.isArray(content) || content === null) return content;
  return /\s/.test(`${content}`.trim()) ? content : { [type.replaceAll("_", " ")]: content };
}

function textOf(value: Json | undefined): string | undefined {
  const text = typeof value === "number" ? `${value}` : value;
  return typeof text === "string" && text.trim() !== "" ? wellFormed(text).trim() : undefined;
}

/** At the end of a line, a sentence or a word, in this order. */
function split(item: string): readonly string[] {
  if (item.length <= ITEM_MAX) return [item];
  const start = cutGraphemes(item, ITEM_MAX);
  const half = start.length / 2;
  const ends = [start.lastIndexOf("\n"), start.search(/[.!?] [^.!?]*$/) + 1, start.lastIndexOf(" ")];
  const end = ends.find((at) => at > half) ?? start.length;
  return [item.slice(0, end).trim(), ...split(item.slice(end).trim())];
}
