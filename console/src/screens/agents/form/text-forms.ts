/** `30m` stays text; `400000` becomes a number. */
export function numberOrText(text: string): unknown {
  return /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
}

/** `topic:coding, channel:telegram` and back. */
export function tagsText(tags: unknown): string {
  if (!Array.isArray(tags)) return "";
  return tags
    .map((one: { readonly dimension?: string; readonly value?: string }) => `${one.dimension ?? ""}:${one.value ?? ""}`)
    .join(", ");
}

export function tagsOf(text: string): unknown {
  const parts = text.split(",").map((part) => part.trim());
  return parts
    .filter((part) => part !== "")
    .map((part) => {
      const [dimension = "", ...value] = part.split(":");
      return { dimension: dimension.trim(), value: value.join(":").trim() };
    });
}

/** `path: read, target: write` and back. */
export function pathsText(paths: unknown): string {
  if (typeof paths !== "object" || paths === null) return "";
  return Object.entries(paths)
    .map(([name, how]) => `${name}: ${String(how)}`)
    .join(", ");
}

export function pathsOf(text: string): unknown {
  const parts = text.split(",").filter((part) => part.trim() !== "");
  return Object.fromEntries(
    parts.map((part) => {
      const [name = "", how = ""] = part.split(":");
      return [name.trim(), how.trim()];
    }),
  );
}

export function wordsText(words: unknown): string {
  return Array.isArray(words) ? words.join(", ") : "";
}

export function wordsOf(text: string): readonly string[] {
  return text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

/** One `deploy: test, build` per line, and back. */
export function orderText(order: unknown): string {
  if (typeof order !== "object" || order === null) return "";
  return Object.entries(order)
    .map(([name, before]) => `${name}: ${wordsText(before)}`)
    .join("\n");
}

export function orderOf(text: string): unknown {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.search(/:(?:\s|$)/);
      const name = at === -1 ? line : line.slice(0, at);
      return [name.trim(), wordsOf(at === -1 ? "" : line.slice(at + 1))];
    }),
  );
}
