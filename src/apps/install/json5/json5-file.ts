import { errorText } from "../../../base/kernel/error-text.ts";
import { isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { Edited } from "../runtime.ts";
import { editJson5 } from "./edit-json5.ts";
import { Json5Error, parseJson5 } from "./parse-json5.ts";

/** The object in a file that may have comments and trailing commas; an empty one for an empty file. */
export function readJson5Object(
  text: string | undefined,
): { readonly value: JsonObject } | Extract<Edited, { refused: string }> {
  if (text === undefined || text.trim() === "") return { value: {} };
  try {
    const { value } = parseJson5(text);
    if (isObject(value)) return { value };
    return { refused: "it is not an object", line: 1, fix: "make it an object, or move it away" };
  } catch (error) {
    const at = error instanceof Json5Error ? error.at : 0;
    const line = text.slice(0, at).split("\n").length;
    return {
      refused: `it is not valid JSON5: ${errorText(error)}`,
      line,
      fix: "correct that line; nothing was changed",
    };
  }
}

/** The text with this content; comments, order and formatting of the rest stay. */
export function writeJson5(text: string | undefined, value: JsonObject): string {
  return text === undefined || text.trim() === "" ? `${JSON.stringify(value, null, 2)}\n` : editJson5(text, value);
}
