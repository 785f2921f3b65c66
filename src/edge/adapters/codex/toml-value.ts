import type { Json } from "../../../base/words/json.ts";

/** A value as Codex' `-c key=value` takes it, on one line. Throws on null, which TOML does not have. */
export function tomlValue(value: Json): string {
  if (value === null) throw new Error("a setting of Codex cannot be null: leave it out");
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)} = ${tomlValue(one ?? null)}`);
  return `{${entries.join(", ")}}`;
}
