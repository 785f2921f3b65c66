import { errorText } from "../../base/kernel/error-text.ts";
import { isObject } from "../../base/kernel/json.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { Edited } from "./runtime.ts";

/** The object that a settings file holds; an empty one for an empty file. */
export function readSettingsObject(text: string | undefined): { readonly value: JsonObject } | Refused {
  const plain = (text ?? "").replace(/^\uFEFF/, "");
  if (plain.trim() === "") return { value: {} };
  try {
    const value: unknown = JSON.parse(plain);
    if (isObject(value)) return { value };
    return { refused: "it holds no JSON object", line: 1, fix: "make it an object, or move it away" };
  } catch (error) {
    return {
      refused: `it is no JSON: ${sentence(error)}`,
      line: faultLine(plain),
      fix: "correct that line; nothing was changed",
    };
  }
}

type Refused = Extract<Edited, { readonly refused: string }>;

/** What is wrong, without the copy of the text that the engine puts beside it. */
function sentence(error: unknown): string {
  return errorText(error)
    .replace(/, .* is not valid JSON$/s, "")
    .replace(/ (in JSON )?at position \d+.*$/s, "");
}

/** The line of the first character with which the text can no longer become JSON. */
function faultLine(text: string): number {
  let [good, bad] = [0, text.length];
  while (good < bad) {
    const middle = Math.ceil((good + bad) / 2);
    if (mayGoOn(text.slice(0, middle))) good = middle;
    else bad = middle - 1;
  }
  return text.slice(0, good).split("\n").length;
}

/** Could something be put behind it that makes it JSON? The engine complains about the end of such a text, and about nothing before. */
function mayGoOn(start: string): boolean {
  try {
    JSON.parse(start);
    return true;
  } catch (error) {
    const said = errorText(error);
    const place = /at position (\d+)/.exec(said)?.[1];
    return place === undefined
      ? /end of JSON input/.test(said)
      : Number(place) >= start.length || said.startsWith("Unterminated");
  }
}
