/**
 * Puts the texts that a small program works with into the places where it uses them, so that
 * `c = ['git', 'push']; c.append('-f'); run(c)` reads like `run(['git', 'push', '-f'])`. The result is only read for
 * commands: it is used to gate, never to prove.
 */
export function withConstants(code: string): string {
  if (!WORTH_IT.test(code)) return code;
  return joined(filledIn(joined(replaced(joined(characters(code))))));
}

const QUOTED = /(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)/.source;
const STRING = `[rbfu]?${QUOTED}`;
const LIST = `(?:\\[|\\(|(?:qw|%w)\\s*[\\[({/])(?:${QUOTED}|[\\w\\s,-])*[\\])}/]`;
/** Something is put together: an assignment, a sum, a pattern, or a character by its number. */
const WORTH_IT = /=|\+|\.\s*["']|%|chr\s*\(|fromCharCode|\{|\\[xu\d]|<</;
const MAX_VARIABLES = 16;

/** `chr(45)`, `String.fromCharCode(45, 102)`, and escaped characters in texts. */
function characters(code: string): string {
  return code
    .replace(/\b(?:chr|String\.fromCharCode|chr\$)\s*\(\s*([\d\s,]+)\)/g, (_, codes: string) =>
      quote(String.fromCharCode(...codes.split(",").slice(0, 64).map(Number))),
    )
    .replace(/\\(?:x([\da-f]{2})|u(?:00|\{)([\da-f]{2})\}?)/gi, (whole, short?: string, long?: string) => {
      const character = String.fromCharCode(Number.parseInt(short ?? long ?? "", 16));
      return /[\x20-\x7e]/.test(character) && !/["'`\\]/.test(character) ? character : whole;
    });
}

/** Joins `"a" + "b"`, `"a" . "b"`, `["a"] + ["b"]` and `["a"].concat(["b"])`. */
function joined(code: string): string {
  return code
    .replace(/(["'])\s*(?:\+|\.|<<)\s*[rbfu]?\1/g, "")
    .replace(/"\s*(?:\+|\.|<<)\s*'([^'"\n]*)'/g, '$1"')
    .replace(/'\s*(?:\+|\.|<<)\s*"([^'"\n]*)"/g, "$1'")
    .replace(/\]\s*\+\s*\[|\]\s*\.concat\(\s*\[/g, ", ")
    .replace(/\.\.\.\s*\[([^[\]]*)\]/g, "$1");
}

/** The variables that hold a text or a list of texts, in place of their names. */
function replaced(code: string): string {
  const constants = new Map<string, string>();
  const assigned = new RegExp(
    `(?<![\\w.'"-])[$@]?([A-Za-z_]\\w*)\\s*=\\s*(${STRING}|${LIST})(?:\\.split\\(\\s*\\))?`,
    "g",
  );
  for (const [, name = "", value = ""] of code.matchAll(assigned))
    if (constants.size < MAX_VARIABLES) constants.set(name, value);
  if (constants.size === 0) return code;
  const names = [...constants.keys()].join("|");
  const added = new RegExp(
    `(?<![\\w.])[$@]?(${names})\\s*(?:\\.(?:append|push|extend|concat|unshift)\\s*\\(|\\+=|<<|\\.=)\\s*(${STRING}|${LIST})|\\bpush\\s*\\(?\\s*@(${names})\\s*,\\s*(${STRING}|${LIST})`,
    "g",
  );
  for (const [, name, value, other = name ?? "", pushed = value ?? ""] of code.matchAll(added))
    constants.set(other, withAdded(constants.get(other) ?? "", pushed));
  const use = new RegExp(
    `(${STRING})|(?<![\\w.$@'"])[$@\\\\]?(?<name>${names})\\b(?!\\s*(?:=[^=>]|:|\\.(?:append|push|extend)|\\())`,
    "g",
  );
  return code.replace(use, (whole: string, text: string | undefined, ...more: unknown[]) => {
    if (text !== undefined) return interpolated(text, constants);
    const { name } = more.at(-1) as { readonly name: string };
    return constants.get(name) ?? whole;
  });
}

function withAdded(before: string, value: string): string {
  const isList = /[\])}/]$/.test(before);
  const items = contents(value);
  if (!isList) return quote(contents(before) + items);
  return `${before.slice(0, -1)}, ${/^["'`]/.test(value) ? value : items}${before.slice(-1)}`;
}

/** `{name}`, `${name}`, `#{name}` and `$name` in a text. */
function interpolated(text: string, constants: ReadonlyMap<string, string>): string {
  if (!/[{$@]/.test(text)) return text;
  return text.replace(/[#$]?\{\s*([A-Za-z_]\w*)\s*\}|[$@]([A-Za-z_]\w*)/g, (whole, braced?: string, plain?: string) => {
    const value = constants.get(braced ?? plain ?? "");
    return value === undefined ? whole : plainText(value);
  });
}

/** `"git {} {}".format("push", "-f")`, `"git %s" % "push"`, `sprintf("git %s", "push")`, and texts in `${…}`. */
function filledIn(code: string): string {
  const formatted = new RegExp(`(${STRING})\\s*(?:\\.format\\s*\\(|%\\s*\\(?|,\\s*)((?:\\s*${STRING}\\s*,?)+)`, "g");
  return code
    .replace(/[#$]?\{\s*(["'])([^"'`{}]*)\1\s*\}/g, "$2")
    .replace(formatted, (whole: string, text: string, list: string) => {
      if (!/%s|\{\d?\}/.test(text)) return whole;
      const values = [...list.matchAll(new RegExp(STRING, "g"))].map(([one]) => contents(one));
      let next = 0;
      return text.replace(/%s|\{(\d?)\}/g, (_, number?: string) => values[number ? Number(number) : next++] ?? "");
    });
}

function contents(literal: string): string {
  return literal.replace(/^(?:[rbfu]?["'`]|(?:qw|%w)?\s*[[({/])|["'`\])}/]$/g, "");
}

/** The words of a list as one text. */
function plainText(literal: string): string {
  if (/^[rbfu]?["'`]/.test(literal)) return contents(literal);
  const texts = [...literal.matchAll(new RegExp(STRING, "g"))].map(([one]) => contents(one));
  return texts.length > 0 ? texts.join(" ") : contents(literal).trim();
}

function quote(text: string): string {
  return text.includes('"') ? `'${text}'` : `"${text}"`;
}
