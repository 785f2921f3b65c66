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

/** True for a promise. Foreign code may return one where a value is expected; its rejection is then ignored. */
export function isPromise(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("then" in value) || typeof value.then !== "function")
    return false;
  value.then(undefined, () => {});
  return true;
}

/** Names the kind of a value that foreign code returned, for an error message. */
export function describeValue(value: unknown): string {
  if (isPromise(value)) return "a promise";
  if (value === null || value === undefined || typeof value === "number" || typeof value === "boolean")
    return String(value);
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

/** Ends an exhaustive switch: a missing case does not compile. */
export function assertNever(value: never): never {
  throw new Error(`unexpected case: ${JSON.stringify(value)}`);
}
