/** Does the whole text match the pattern? `*` matches any text, including none. Linear in both. */
export function globMatches(pattern: string, text: string): boolean {
  const star = pattern.indexOf("*");
  if (star < 0) return pattern === text;
  // Most patterns differ from the text at the start, and nothing is allocated to see that.
  for (let i = 0; i < star; i += 1) if (pattern.charCodeAt(i) !== text.charCodeAt(i)) return false;
  const parts = pattern.split("*");
  const first = parts[0] ?? "";
  const last = parts[parts.length - 1] ?? "";
  if (text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return at <= end;
}
