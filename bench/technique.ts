/**
 * Which of the two forbidden groups a line belongs to. `plain`: words, options, quoting, wrappers and chains, which the text
 * shows. `hidden`: expansion, aliases, functions, text fed to a shell, scripts, Makefiles and interpreters.
 */
export type Technique = "plain" | "hidden";

const SHELLS = "(?:ba|z|da|k|fi)?sh";
const INTERPRETERS = String.raw`(?:python|node|nodejs|bun|deno|perl|ruby|php|lua|tclsh|Rscript|osascript|jshell|emacs|expect|gdb|awk|gawk|vim|ed)[\d.]*`;
const START = String.raw`(?:^|[;&|({!\n]|\b(?:do|then|else|sudo|env|exec|xargs|time|nohup)\b)\s*(?:\S+\/)?`;

const HIDING: readonly RegExp[] = [
  // Expansion: variables, substitutions, braces, patterns in the program's own words, escapes.
  /\$[\w({@*#?!'-]|`|<\(|\{[^\s{}]*[,.][^\s{}]*\}|(?:^|[;&|]\s*)\S*[[?*]\S*\s/,
  // Aliases and functions.
  /\balias\b|(?:^|[;&|\n]\s*)(?:function\s+)?[\w-]+\s*\(\)\s*[{(]|[Ii]nclude[.I]/,
  // Text fed to a shell, and scripts.
  new RegExp(String.raw`\|\s*(?:\S+\s+)*(?:\S*\/)?${SHELLS}\b|${START}${SHELLS}\b(?![^\n;&|]*\s-\w*c\b)`),
  new RegExp(String.raw`${START}(?:eval|source|\.|at|batch|make|gmake|just|task|rake|xargs|parallel)\s`),
  new RegExp(String.raw`${START}(?:\.{1,2}|\/tmp|\/dev)\/\S+`),
  // Interpreters with code, and what passes a line on to a shell of its own.
  new RegExp(String.raw`${START}${INTERPRETERS}\b`),
  /\b(?:npm|pnpm|yarn|bun) (?:\S+ )*run\b|\bssh\b|\\!|\.shell\b/,
];

export function techniqueOf(line: string, group = ""): Technique {
  if (group.startsWith("opaque-")) return "hidden";
  return HIDING.some((one) => one.test(line)) ? "hidden" : "plain";
}
