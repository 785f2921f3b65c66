import type { CommandEffect } from "./programs/program-effects.ts";
import { programName } from "./programs/program-effects.ts";
import type { ShellRun } from "./shell/shell-line.ts";
import { NO_WORD, type ShellWord } from "./shell/shell-word.ts";
import {
  isRunnerFile,
  isTestFile,
  loosenedSettings,
  type Weakening,
  weakenedBy,
  weakenedByCode,
  weakenedByDeleting,
  weakenedByReplacing,
} from "./weakened-tests.ts";

/** Edits of tests by a command: `sed -i 's/it(/it.skip(/' a.test.ts`, `sed '/assert/d' t.py > x`, `> a.test.ts`. */
export function testEdits(run: ShellRun, readings: readonly (readonly ShellWord[])[]): readonly CommandEffect[] {
  const targets = run.redirects.flatMap(({ operator, target }) => (/^&?>[>|&]?$/.test(operator) ? [target.text] : []));
  if (targets.length === 0 && !readings.some(([program]) => EDITS.test(programName(program ?? NO_WORD)))) return [];
  const found = [
    ...readings.flatMap((words) => [...edited(run, words, targets), ...emptied(words)]),
    ...overwritten(run, targets),
  ];
  return found.map((args) => ({ name: "tests.weaken", args, sure: false }));
}

const EDITORS = /^(?:g?sed|perl|ruby|[gmn]?awk|n?vim?|ex|ed|jq|yq|grep|sd)$/;
const EDITS = /^(?:g?sed|perl|ruby|[gmn]?awk|n?vim?|ex|ed|jq|yq|grep|sd|truncate|cp|ln|mv|install|dd)$/;
/** Editors that always write the file back. */
const WRITERS = /^(?:n?vim?|ex|ed|sd)$/;
const IN_PLACE = /^(?:--in-?place.*|-[a-zA-Z0]*i[a-zA-Z0.]*|inplace)$/;
const MAX_SCRIPT = 4_000;

function edited({ inside, input = "" }: ShellRun, words: readonly ShellWord[], targets: readonly string[]) {
  const [program, ...rest] = words;
  const name = programName(program ?? NO_WORD);
  const isWritten = targets.some((target) => !target.startsWith("/dev/"));
  if (!EDITORS.test(name) || !(WRITERS.test(name) || isWritten || rest.some(({ text }) => IN_PLACE.test(text))))
    return [];
  const texts = [...rest.map(({ text }) => text), ...rest.flatMap(({ content = [] }) => content), input];
  const named = rest.filter(({ text }) => !text.startsWith("-") && !/[\s();^]/.test(text)).map(({ text }) => text);
  const open = inside.more || rest.some(({ unknown }) => unknown !== undefined);
  const files = [
    ...named.filter((text) => /[./*]|file$/.test(text) && !/^s?[/|#].*[/|#]/.test(text)),
    ...(open ? ["*"] : []),
  ];
  return texts.flatMap((text) => (text.length > MAX_SCRIPT ? [] : scriptWeakens(name, text, files, rest)));
}

function scriptWeakens(name: string, text: string, files: readonly string[], words: readonly ShellWord[]) {
  const [first, second] = words.filter(({ text: word }) => !word.startsWith("-"));
  const pair =
    name === "sd" && first !== undefined && second !== undefined ? [{ from: first.text, to: second.text }] : [];
  const isOmitted = name === "grep" && words.some((word) => /^-[a-zA-Z]*v|^--invert-match$/.test(word.text));
  const deleted = [...text.matchAll(DELETES)].map((match) => match[1] ?? match[2] ?? match[3] ?? match[4] ?? "");
  const found = [
    ...[...substitutions(text), ...pair].map(({ from, to }) =>
      weakenedByReplacing(files, { before: plainText(from), after: plainText(withReferences(from, to)) }),
    ),
    ...[...deleted, ...(isOmitted ? [text] : [])].map((pattern) => weakenedByDeleting(files, plainText(pattern))),
    weakenedByCode(text, files.filter(isTestFile).length > 0 && INSERTS.test(text) ? files : []),
  ];
  return found.flatMap((one): readonly Weakening[] => (one === undefined ? [] : [one]));
}

/** `3i text`, `$a text`, `/def test/i text`, `a\\` */
const INSERTS = /[ai]\\|^(?:\d+|\$|\/(?:\\.|[^/\\\n])*\/)?\s*[ai]\s/;
/** `/assert/d` and `/it(/,/^})/d` of sed, `g/expect/d` of ex, `!/assert/` and `print unless /assert/` of awk and perl. */
const DELETES =
  /\/((?:\\.|[^/\\\n]){1,200})\/I?\s*(?:,\s*(?:\/(?:\\.|[^/\\\n])*\/|[+~]?\d+|\$)\s*)?d(?![\w/])|!\s*(?:\$0\s*~\s*)?\/((?:\\.|[^/\\\n]){1,200})\/|unless\s+\/((?:\\.|[^/\\\n]){1,200})\/|^\s*(?:1,\$|%)?\s*(d)\s*$/g;
const SUBSTITUTION = /(?:^|[^\w\\])s([/|#,@!%~:+])((?:\\.|(?!\1)[^\\\n])*)\1((?:\\.|(?!\1)[^\\])*)\1/g;
const BRACED = /(?:^|[^\w\\])s\{((?:\\.|[^{}\\])*)\}\s*\{((?:\\.|[^{}\\])*)\}/g;
/** `sub(/it[(]/, "it.skip(")` of awk and ruby. */
const CALLED = /\bg?sub!?\s*\(\s*\/((?:\\.|[^/\\\n])*)\/\s*,\s*(["'])((?:\\.|(?!\2)[^\\])*)\2/g;

function substitutions(text: string): readonly { readonly from: string; readonly to: string }[] {
  return [
    ...[...text.matchAll(SUBSTITUTION)].map(([, , from = "", to = ""]) => ({ from, to })),
    ...[...text.matchAll(BRACED)].map(([, from = "", to = ""]) => ({ from, to })),
    ...[...text.matchAll(CALLED)].map(([, from = "", , to = ""]) => ({ from, to })),
  ];
}

/** `&` is what was found; a group most often is the word that starts a test. */
function withReferences(from: string, to: string): string {
  const [word = ""] = /describe|test|it/.exec(from) ?? [];
  return to.replace(/(?<!\\)&/g, () => from).replace(/[\\$]\{?\d\}?/g, word);
}

/** A pattern as the text that it most likely finds. */
function plainText(pattern: string): string {
  return pattern
    .replace(/\\n/g, "\n")
    .replace(/\\[a-zA-Z<>]/g, "")
    .replace(/\\(.)/g, "$1");
}

/** `truncate -s 0 a.test.ts`, `cp /dev/null a.test.ts` */
function emptied(words: readonly ShellWord[]): readonly Weakening[] {
  const texts = words.map(({ text }) => text);
  const [program = "", ...rest] = texts;
  const isPlaced = /^(?:cp|ln|install|mv)$/.test(program) && isRunnerFile(rest.at(-1) ?? "");
  if (isPlaced) return [{ path: rest.at(-1) ?? "", how: "replaces a program that runs or checks the tests" }];
  const isTruncated = program === "truncate" && /(?:-s|--size)[= ]?0\b/.test(rest.join(" "));
  const isCopied = /^(?:cp|ln|install|dd)$/.test(program) && rest.some((text) => /^(?:if=)?\/dev\/null$/.test(text));
  if (!isTruncated && !isCopied) return [];
  return rest
    .map((text) => text.replace(/^of=/, ""))
    .filter(isTestFile)
    .map(emptiedFile);
}

function emptiedFile(path: string): Weakening {
  return { path, how: "empties it" };
}

/** A redirection that leaves nothing in a test file, or a test that is skipped. */
function overwritten(
  { words, input }: ShellRun,
  targets: readonly string[],
): readonly (Weakening & { whole?: true })[] {
  const tests = targets.filter(isTestFile);
  const settings = loosenedByWriting(words, input, targets);
  if (tests.length === 0) return settings;
  const [program = ":", ...rest] = words.map(({ text }) => text);
  const shown = rest.filter((text) => !/^-[neE]+$/.test(text)).join(" ");
  const isNothing =
    /^(?::|true)$/.test(program) ||
    (/^(?:echo|printf|cat)$/.test(program) && /^(?:\\n|\/dev\/null)?$/.test(shown.trim()));
  if (isNothing && !(program === "cat" && shown === "")) return [...settings, ...tests.map(emptiedFile)];
  const after = program === "cat" ? input : /^(?:echo|printf)$/.test(program) ? shown : undefined;
  const weakened = tests.flatMap((path) => {
    const how = after === undefined ? undefined : weakenedBy(path, { before: "", after });
    return how === undefined ? [] : [{ path, how, whole: true as const }];
  });
  return [...settings, ...weakened];
}

/** `echo 'collect_ignore = […]' >> conftest.py`, `printf '…' > node_modules/.bin/jest` */
function loosenedByWriting(
  words: readonly ShellWord[],
  input: string | undefined,
  targets: readonly string[],
): readonly Weakening[] {
  const [program, ...rest] = words.map(({ text }) => text);
  const after = program === "cat" ? (input ?? "") : /^(?:echo|printf)$/.test(program ?? "") ? rest.join(" ") : "";
  return targets.flatMap((path) => {
    if (isRunnerFile(path)) return [{ path, how: "replaces a program that runs or checks the tests" }];
    const how = loosenedSettings(path, { before: "", after: after.replaceAll("\\n", "\n").replaceAll("\\t", "\t") });
    return how === undefined ? [] : [{ path, how }];
  });
}
