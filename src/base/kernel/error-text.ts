import { cutGraphemes, neutraliseTags } from "./text.ts";

/** What was thrown, as one short text that is safe to show: foreign code throws anything. */
export function errorText(error: unknown): string {
  const message = messageOf(error);
  if (typeof message !== "string" || message.trim() === "") return "no reason given";
  return neutraliseTags(cutGraphemes(message.trim(), 300));
}

/** Looking at what was thrown may itself throw. */
function messageOf(error: unknown): unknown {
  try {
    return error instanceof Error ? error.message : error;
  } catch {
    return undefined;
  }
}
