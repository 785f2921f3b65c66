import { cutGraphemes, neutraliseTags } from "./text.ts";

/** What was thrown, as one short text that is safe to show: foreign code throws anything. */
export function errorText(error: unknown): string {
  const message = error instanceof Error ? error.message : error;
  if (typeof message !== "string" || message.trim() === "") return "no reason given";
  return neutraliseTags(cutGraphemes(message.trim(), 300));
}
