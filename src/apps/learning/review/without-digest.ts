const HEADING = /^\s*#?\s*Daily review · \d/;
/** A candidate, how sure it is, and why it waits, as the digest writes them. */
const LINE = /^\s*(?:\*{0,2}c_\w+\*{0,2} · |confidence [01]\.\d\d · |cannot be promoted yet: )/;

/**
 * A message without what its writer has pasted of a digest: from its heading on all of it, else its lines. They become empty, so that what
 * is left stands in its lines as before.
 */
export function withoutDigest(text: string): string {
  if (!text.includes(" · ") && !text.includes("cannot be promoted yet")) return text;
  const lines = text.split("\n");
  const heading = lines.findIndex((line) => HEADING.test(line));
  const own = heading < 0 ? lines : lines.slice(0, heading);
  return own.map((line) => (LINE.test(line) ? "" : line)).join("\n");
}
