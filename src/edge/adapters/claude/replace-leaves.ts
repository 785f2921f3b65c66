/** Texts up to this length are names and states; longer ones are content. */
const SHORT = 120;

/**
 * Says `text` in place of a result whose shape is not known: the longest text in it becomes `text`, every other long one
 * goes, and names, numbers and states stay, so that the runtime still recognises the shape.
 */
export function replaceLeaves(value: unknown, text: string): unknown {
  const longest = longestLeaf(value);
  let said = false;
  const walk = (node: unknown): unknown => {
    if (typeof node === "string") {
      if (!said && node === longest) {
        said = true;
        return text;
      }
      return node.length > SHORT ? "" : node;
    }
    if (Array.isArray(node)) return node.map(walk);
    if (typeof node !== "object" || node === null) return node;
    return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, walk(child)]));
  };
  return walk(value);
}

function longestLeaf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return undefined;
  let longest: string | undefined;
  for (const child of Object.values(value)) {
    const found = longestLeaf(child);
    if (found !== undefined && found.length > (longest?.length ?? -1)) longest = found;
  }
  return longest;
}
