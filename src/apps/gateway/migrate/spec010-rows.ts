import { isObject, parseObject } from "../../../base/kernel/json.ts";
import { cutGraphemes, wellFormed } from "../../../base/kernel/text.ts";
import type { UserAgent } from "../../../base/words/hosting/instructions.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { splitItems } from "../../../behavior/instructions/instruction-items.ts";
import { type LegacyRow, migrateInstructions } from "../../../behavior/instructions/legacy-instructions.ts";

/** The maximum length of one instruction. */
const ITEM_MAX = 2_000;
const IDENTITY = ["name", "vibe", "description"] as const;

/** `left`: columns with a value that the definition does not contain. */
export type ReadAgent = { readonly name: string; readonly definition: JsonObject; readonly left: readonly string[] };

/** Carried over, or of no meaning outside the old database. */
const AGENT_COLUMNS: ReadonlySet<string> = new Set([
  ...["id", "agent_name", "name", "soul", "system_prompt", "identity", "created_at", "updated_at"],
]);

/** Reads `soul`, formerly `system_prompt`. Returns `undefined` for a row without a name. */
export function readAgent(row: JsonObject): ReadAgent | undefined {
  const name = textOf(row.agent_name) ?? textOf(row.name);
  if (name === undefined) return undefined;
  const soul = textOf(row.soul) ?? textOf(row.system_prompt);
  const given = typeof row.identity === "string" ? parseObject(row.identity) : row.identity;
  const known = IDENTITY.flatMap((key) => {
    const text = isObject(given) ? textOf(given[key]) : undefined;
    return text === undefined ? [] : [[key, text] as const];
  });
  const left = Object.entries(row).flatMap(([column, value]) =>
    AGENT_COLUMNS.has(column) || isBlank(value) ? [] : [column],
  );
  const definition = { soul, ...(known.length === 0 ? {} : { identity: Object.fromEntries(known) }) };
  return { name, definition, left };
}

/** Replaces an agent id by its name where it is known. */
export function readOwner(row: JsonObject, names: ReadonlyMap<string, string>): UserAgent | undefined {
  const user = textOf(row.user_id);
  const id = textOf(row.agent_id);
  const agent = textOf(row.agent_name) ?? (id === undefined ? undefined : (names.get(id) ?? id));
  return user === undefined || agent === undefined ? undefined : { user, agent };
}

/** Reads both layouts: `content` with type and priority, or `instructions`. */
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

/** Splits the rows of one user and agent into items; long texts are split, never cut. */
export function readItems(rows: readonly LegacyRow[]): readonly string[] {
  const text = migrateInstructions(rows)
    .map((merged) => merged.text)
    .join("\n");
  return splitItems(text.replaceAll("\0", "")).flatMap(split);
}

/** Reads the notes of a row from `notes`, `content` or `memory`. */
export function readNotes(row: JsonObject, owner: UserAgent): readonly string[] {
  const content = row.notes ?? row.content ?? row.memory ?? null;
  return splitItems(
    migrateInstructions([{ ...owner, content }])
      .map(({ text }) => text.replaceAll("\0", ""))
      .join("\n"),
  );
}

/** Milliseconds since the epoch, or `undefined`. */
export function readTime(row: JsonObject): number | undefined {
  const at = Date.parse(textOf(row.updated_at) ?? textOf(row.created_at) ?? "");
  return Number.isNaN(at) ? undefined : at;
}

/** A single word needs its type as a label. */
function labelled(content: Json, type: string | undefined): Json {
  if (type === undefined || isObject(content) || Array.isArray(content) || content === null) return content;
  return /\s/.test(`${content}`.trim()) ? content : { [type.replaceAll("_", " ")]: content };
}

function textOf(value: Json | undefined): string | undefined {
  const text = typeof value === "number" ? `${value}` : value;
  return typeof text === "string" && text.trim() !== "" ? wellFormed(text).trim() : undefined;
}

/** Splits at the end of a line, a sentence or a word, in this order. */
function split(item: string): readonly string[] {
  if (item.length <= ITEM_MAX) return [item];
  const start = cutGraphemes(item, ITEM_MAX);
  const half = start.length / 2;
  const ends = [start.lastIndexOf("\n"), start.search(/[.!?] [^.!?]*$/) + 1, start.lastIndexOf(" ")];
  const end = ends.find((at) => at > half) ?? start.length;
  return [item.slice(0, end).trim(), ...split(item.slice(end).trim())];
}

function isBlank(value: Json | undefined): boolean {
  return value === undefined || value === null || value === "" || (isObject(value) && Object.keys(value).length === 0);
}
