import { cutGraphemes, neutraliseTags } from "../../base/kernel/text.ts";

/** What was thrown, as a short text that is safe to show to the agent. */
export function faultText(error: unknown): string {
  const message = error instanceof Error ? error.message : error;
  if (typeof message !== "string" || message.trim() === "") return "no reason given";
  return neutraliseTags(cutGraphemes(message.trim(), 300));
}
