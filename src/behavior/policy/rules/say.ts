import { cutGraphemes, neutraliseTags } from "../../../base/kernel/text.ts";
import type { JsonObject } from "../../../base/words/json.ts";

/** A rule's own words with `{{args.x}}` filled in, once: what an argument says is never filled in again. */
export function fillSay(say: string, args: JsonObject): string {
  return say.replace(/\{\{\s*args\.([\w-]+)\s*\}\}/g, (_whole, name: string) =>
    shownValue(Object.hasOwn(args, name) ? args[name] : undefined),
  );
}

/** A value as one short piece of a sentence. */
export function shownValue(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  const short = cutGraphemes(text.replace(/\s+/g, " "), 80);
  return neutraliseTags(short.length < text.length ? `${short}…` : short);
}
