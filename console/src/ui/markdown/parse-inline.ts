export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "strong" | "em" | "del"; readonly parts: readonly Inline[] }
  | { readonly kind: "link"; readonly href: string; readonly parts: readonly Inline[] };

const SPECIAL = /[\\`*_~[!h]/g;
const ADDRESS = /^https?:\/\/[^\s<>"'`|\\^{}]+/i;
const ESCAPED = /[\\`*_{}[\]()#+\-.!|~<>]/;
/** Deeper nesting is shown as text. */
const DEEPEST = 8;

/** Parses emphasis, code and links. A mark without its counterpart is text. */
export function parseInline(text: string, depth = 0): readonly Inline[] {
  const parts: Inline[] = [];
  let held = "";
  const put = (part: Inline) => {
    if (held !== "") parts.push({ kind: "text", text: held });
    held = "";
    parts.push(part);
  };
  // Each mark looks for its end at most once per kind, so that hostile text takes linear time.
  const hopeless = new Set<string>();
  let at = 0;
  while (at < text.length) {
    SPECIAL.lastIndex = at;
    const special = SPECIAL.exec(text)?.index ?? text.length;
    held += text.slice(at, special);
    at = special;
    if (at >= text.length) break;
    const found = inlineAt(text, at, depth, hopeless);
    if (found === undefined) {
      held += text[at] ?? "";
      at += 1;
    } else {
      if (typeof found.part === "string") held += found.part;
      else put(found.part);
      at = found.next;
    }
  }
  if (held !== "") parts.push({ kind: "text", text: held });
  return parts;
}

type Found = { readonly part: Inline | string; readonly next: number };

function inlineAt(text: string, at: number, depth: number, hopeless: Set<string>): Found | undefined {
  const letter = text[at] ?? "";
  if (letter === "\\") {
    const next = text[at + 1] ?? "";
    return ESCAPED.test(next) ? { part: next, next: at + 2 } : undefined;
  }
  if (letter === "`") return codeAt(text, at, hopeless);
  if (letter === "h") return addressAt(text, at);
  if (depth >= DEEPEST) return undefined;
  if (letter === "[") return linkAt(text, at, depth);
  // A picture is shown as a link: loading it would tell its server who reads this.
  if (letter === "!") return text[at + 1] === "[" ? linkAt(text, at + 1, depth) : undefined;
  return emphasisAt(text, at, depth, hopeless);
}

function codeAt(text: string, at: number, hopeless: Set<string>): Found | undefined {
  const mark = /^`+/.exec(text.slice(at, at + 20))?.[0] ?? "`";
  if (hopeless.has(mark)) return { part: mark, next: at + mark.length };
  for (let end = text.indexOf(mark, at + mark.length); end !== -1; ) {
    let after = end;
    while (text[after] === "`") after += 1;
    if (after - end === mark.length) {
      const inner = text.slice(at + mark.length, end).replaceAll("\n", " ");
      const isPadded = /^ .*[^ ].* $/.test(inner);
      return { part: { kind: "code", text: isPadded ? inner.slice(1, -1) : inner }, next: after };
    }
    end = text.indexOf(mark, after);
  }
  hopeless.add(mark);
  return { part: mark, next: at + mark.length };
}

/** Only addresses of the web and of mail become links. */
function linkAt(text: string, at: number, depth: number): Found | undefined {
  const close = text.indexOf("](", at);
  if (close === -1 || close - at > 2_000) return undefined;
  const label = text.slice(at + 1, close);
  if (label.includes("\n\n") || /[[\]]/.test(label)) return undefined;
  const end = text.indexOf(")", close);
  if (end === -1 || end - close > 4_000) return undefined;
  const [href = ""] = text
    .slice(close + 2, end)
    .trim()
    .split(/\s/);
  if (!isSafe(href)) return undefined;
  return { part: { kind: "link", href, parts: parseInline(label, depth + 1) }, next: end + 1 };
}

function isSafe(href: string): boolean {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return false;
  try {
    return ["http:", "https:", "mailto:"].includes(new URL(href).protocol);
  } catch {
    return false;
  }
}

function addressAt(text: string, at: number): Found | undefined {
  if (at > 0 && /\w/.test(text[at - 1] ?? "")) return undefined;
  const found = ADDRESS.exec(text.slice(at, at + 2_000))?.[0].replace(/[.,;:!?*_~)\]]+$/, "");
  if (found === undefined || !isSafe(found)) return undefined;
  return { part: { kind: "link", href: found, parts: [{ kind: "text", text: found }] }, next: at + found.length };
}

const EMPHASIS: readonly (readonly [mark: string, kind: "strong" | "em" | "del"])[] = [
  ["**", "strong"],
  ["__", "strong"],
  ["~~", "del"],
  ["*", "em"],
  ["_", "em"],
];

function emphasisAt(text: string, at: number, depth: number, hopeless: Set<string>): Found | undefined {
  const [mark, kind] = EMPHASIS.find(([one]) => text.startsWith(one, at)) ?? [];
  if (mark === undefined || kind === undefined || hopeless.has(mark)) return undefined;
  const from = at + mark.length;
  const before = text[at - 1] ?? " ";
  // `snake_case` and `2 * 3` are no emphasis.
  if (/\s/.test(text[from] ?? " ") || (mark.startsWith("_") && /\w/.test(before))) return undefined;
  for (let end = text.indexOf(mark, from); end !== -1; end = text.indexOf(mark, end + 1)) {
    const after: string = text[end + mark.length] ?? " ";
    const isEnd =
      end > from &&
      !/\s/.test(text[end - 1] ?? " ") &&
      !(mark.length === 1 && (after === mark || text[end - 1] === mark)) &&
      !(mark.startsWith("_") && /\w/.test(after));
    if (isEnd) return { part: { kind, parts: parseInline(text.slice(from, end), depth + 1) }, next: end + mark.length };
  }
  hopeless.add(mark);
  return undefined;
}
