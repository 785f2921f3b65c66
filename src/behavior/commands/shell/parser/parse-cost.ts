/** unbash scans ahead from every `{` and `$[`, and through all open here-documents at each further one. */
const MOST = { scanned: 500_000, brackets: 64, hereDocs: 4_000 };

/** Text that the scan from a `{` passes over without stopping. */
const PASSED = /[^\s;&|()<>'"`\\${}]+|[{}]|\\[\s\S]|'[^']*'|"(?:[^"\\$`]|\\[\s\S]|\$(?![({]))*"|\$(?![({'])/y;
/** A substitution, a pattern or an open quote, which may hide the end of the word. */
const HIDES_END = /['"`\\$]|[<>]\(|(?<=[?*+@!])\(/y;

/** Returns whether unbash reads the text in linear time. It tries the same scans and stops at a limit. */
export function parsesInLinearTime(text: string): boolean {
  if (!/[{]|\$\[|<</.test(text)) return true;
  if (countOf(text, "$[") > MOST.brackets || countOf(text, "<<") > MOST.hereDocs) return false;
  let scanned = 0;
  for (const { index } of text.matchAll(/\{(?=[^\s}])/g)) {
    scanned += scanEnd(text, index + 1) - index;
    if (scanned > MOST.scanned) return false;
  }
  return true;
}

function scanEnd(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at = PASSED.lastIndex) {
    PASSED.lastIndex = HIDES_END.lastIndex = at;
    const [passed] = PASSED.exec(text) ?? [];
    if (passed === undefined) return HIDES_END.test(text) ? text.length : at;
    if (passed === "{") depth += 1;
    if (passed === "}" && --depth === 0) return at;
  }
  return text.length;
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}
