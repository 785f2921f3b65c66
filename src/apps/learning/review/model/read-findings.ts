import { isObject } from "../../../../base/kernel/json.ts";
import type { Json } from "../../../../base/words/json.ts";
import { DIRECTIVE_TYPES } from "../../../../behavior/contract/parse/keywords.ts";
import type { Finding } from "../finding.ts";
import { MOST_FINDINGS, unescapeText } from "./review-prompt.ts";
import type { ShownEvent } from "./shown-events.ts";

/** However sure a model says it is. */
const MOST_SURE = 0.85;
const MOST_TEXT = 160;
const LEAST_QUOTE = 3;

export type ReadFindings = { readonly findings: readonly Finding[]; readonly refused: number };

/**
 * What a model answered, or what is wrong with it. A finding counts when its quote stands in the event that it names, and its text says
 * something that the quote says too; else it is refused.
 */
export function readFindings(answer: string, shown: readonly ShownEvent[]): ReadFindings | { readonly wrong: string } {
  const value = parseObject(answer);
  if (!isObject(value)) return { wrong: "it is no JSON object" };
  const { findings: given } = value;
  if (!Array.isArray(given)) return { wrong: 'it has no list "findings"' };
  const byId = new Map(shown.map((one) => [one.event, one]));
  const findings = given.slice(0, MOST_FINDINGS).flatMap((one) => readFinding(one, byId) ?? []);
  return { findings, refused: given.length - findings.length };
}

function readFinding(value: Json, shown: ReadonlyMap<string, ShownEvent>): Finding | undefined {
  if (!isObject(value)) return undefined;
  const { type: written, text, event, quote, confidence } = value;
  const type = DIRECTIVE_TYPES.find((one) => one === written);
  const from = typeof event === "string" ? (shown.get(event) ?? shown.get(unescapeText(event))) : undefined;
  if (type === undefined || from === undefined || typeof text !== "string" || typeof quote !== "string")
    return undefined;
  const words = findQuote(quote, from.text);
  const said = text.trim();
  if (words === undefined || said.length > MOST_TEXT || !sharesWord(said, words)) return undefined;
  const sure = typeof confidence === "number" && confidence >= 0 && confidence <= 1 ? confidence : 0;
  return {
    ...{ pattern: "model", good: type === "keep", type, text: said, scope: from.scope },
    confidence: Math.min(MOST_SURE, sure),
    evidence: [{ session: from.session, event: from.event, quote: words }],
  };
}

/** The words as they stand in the text; only white space may differ. */
function findQuote(quote: string, text: string): string | undefined {
  for (const one of [quote, unescapeText(quote)]) {
    const words = one.trim().split(/\s+/);
    if (words.length < LEAST_QUOTE) continue;
    const found = new RegExp(words.map((word) => RegExp.escape(word)).join("\\s+"), "u").exec(text);
    if (found !== null) return found[0];
  }
  return undefined;
}

/** Words of four letters and more, by their beginnings: the text must be about something that was said. */
function sharesWord(text: string, quote: string): boolean {
  const [mine, theirs] = [text, quote].map(
    (one) => new Set((one.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []).map((word) => word.slice(0, 5))),
  );
  return mine !== undefined && theirs !== undefined && mine.intersection(theirs).size > 0;
}

/** Models like to put a fence around it. */
function parseObject(answer: string): Json | undefined {
  const [from, to] = [answer.indexOf("{"), answer.lastIndexOf("}")];
  try {
    return JSON.parse(answer.slice(from, to + 1));
  } catch {
    return undefined;
  }
}
