/** Names that change how a program looks, not which one runs or what it does. */
const HARMLESS =
  /^(?:TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CI|LANG|LC_[A-Z]+|COLUMNS|LINES|CLAUDECODE|GEMINI_CLI|OPENCODE|TERM_PROGRAM)$/;

/**
 * Program, words and variables as the one line that a shell would be given. A line alone stays as it is; a shell's own
 * script is what it runs. Variables that could make it another program stand before it, so that rules see them.
 */
export function commandLine(
  words: readonly string[],
  env: readonly (readonly [name: string, value: string])[],
): string {
  const telling = env.filter(
    ([name, value]) => !HARMLESS.test(name) && !(/PAGER$/.test(name) && /^(?:cat)?$/.test(value)),
  );
  const before = telling.map(([name, value]) => `${name}=${quoted(value)} `).join("");
  return `${before}${lineOf(words)}`;
}

function lineOf(words: readonly string[]): string {
  const [program = "", ...args] = words;
  if (args.length === 0) return program;
  const [flag = "", script] = args;
  const isShell = /(?:^|\/)(?:ba|z|da|k)?sh$/.test(program) && /^-l?c$/.test(flag) && args.length === 2;
  return isShell && script !== undefined ? script : words.map(quoted).join(" ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
