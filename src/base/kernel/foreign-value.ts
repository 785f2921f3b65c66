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
