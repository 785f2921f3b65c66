/** Names that more than one of the items have, each once. */
export function repeated<T>(items: Iterable<T>, nameOf: (item: T) => string): readonly string[] {
  const seen = new Set<string>();
  const again = new Set<string>();
  for (const item of items) (seen.has(nameOf(item)) ? again : seen).add(nameOf(item));
  return [...again];
}
