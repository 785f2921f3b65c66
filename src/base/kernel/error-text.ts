import { cutGraphemes, neutraliseTags } from "./text.ts";

/** Short text of a thrown value that is safe to show. Foreign code may throw anything. */
export function errorText(error: unknown): string {
  const message = messageOf(error);
  if (typeof message !== "string" || message.trim() === "") return "no reason given";
  return neutraliseTags(cutGraphemes(message.trim(), 300));
}

/** Reading the message may itself throw. */
function messageOf(error: unknown): unknown {
  try {
    return error instanceof Error ? error.message : error;
  } catch {
    return undefined;
  }
}
