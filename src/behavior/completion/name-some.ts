const NAMED = 3;

/** At most three names, then an ellipsis: enough to go on with, whatever the length of the list. */
export function nameSome(names: readonly string[]): string {
  return names.slice(0, NAMED).join(", ") + (names.length > NAMED ? ", …" : "");
}
