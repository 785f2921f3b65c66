import { type CommandContext, type CommandEffect, programEffects, programName } from "./programs/program-effects.ts";
import { type ShellRun, wordsOf } from "./shell/shell-line.ts";
import { likelyWords, literalWord, mayVanish, NO_WORD, type ShellWord } from "./shell/shell-word.ts";

/** The words with likely values, and with what `xargs` and `find` fill in. */
export function likelyReadings(run: ShellRun, fed: readonly string[] = []): readonly (readonly ShellWord[])[] {
  const likely = likelyWords(run.words);
  const words = likely ?? run.words;
  const readings = likely === undefined ? [] : [likely];
  if (!run.inside.more) return readings;
  const finder = programName(words[0] ?? NO_WORD);
  const isFind = FINDERS.test(finder);
  const read = isFind ? foundNames(words) : readNames(words, run.input);
  const names = isFind || read.some((name) => name !== "") ? read : fed;
  const given = names.filter((name) => name !== "").slice(0, MAX_FILLED);
  const fills = given.length === 0 ? ["*"] : given;
  for (const { from, to } of run.inside.spans.slice(isFind ? 1 : 0)) {
    const own = wordsOf(run, { from, to });
    const mark = isFind ? "{}" : placeholder(run.words);
    const text = isFind ? fills.join(" ") : (run.input ?? "*").trim();
    const filledIn = own.some((word) => word.text.includes(mark))
      ? own.flatMap((word) =>
          word.text === mark && isFind
            ? fills.map(literalWord)
            : [word.text.includes(mark) ? literalWord(word.text.replaceAll(mark, text)) : word],
        )
      : finder === "find"
        ? own
        : [...own, ...fills.map(literalWord)];
    readings.push(filledIn);
  }
  return readings;
}

/** The names that `find` looks for, in the folder that it starts in. Names that are left out are no names that it finds. */
function foundNames(words: readonly ShellWord[]): readonly string[] {
  const start = words[1]?.text ?? "";
  const folder =
    /^(?:-.*|[(!].*|\.?\/?)$/.test(start) || programName(words[0] ?? NO_WORD) !== "find"
      ? ""
      : `${start.replace(/\/+$/, "")}/`;
  const names = words.flatMap(({ text }, i) => {
    const before = words[i - 1]?.text ?? "";
    if (/^(?:-not|!|-E|--exclude)$/.test(words[i - 2]?.text ?? "")) return [];
    if (/^-i?name$/.test(before)) return [folder + text];
    return /^-i?path$/.test(before) ? [text] : before === "-e" ? [`*.${text}`] : [];
  });
  return names.length === 0 && folder !== "" ? [`${folder}*`] : names;
}

/** The names that a command prints for `xargs`, as far as its own words say it. */
export function printedNames(run: ShellRun): readonly string[] {
  const texts = run.words.map(({ text }) => text);
  const plain = texts.slice(1).filter((text) => !text.startsWith("-"));
  const program = programName(run.words[0] ?? NO_WORD);
  if (FINDERS.test(program)) return foundNames(run.words);
  if (program === "git" && texts[1] === "ls-files") return plain.slice(1);
  const lists = texts.some((text) => /^-[a-zA-Z]*l|^--files-with-matches$/.test(text));
  if (!/^(?:e?grep|rg|ag)$/.test(program)) return [];
  // Among the names of an earlier command, it leaves those with the pattern.
  if (plain.length === 1)
    return texts.some((text) => /^-[a-zA-Z]*v/.test(text)) ? [] : [plain[0]?.replace(/[\\^$]/g, "") ?? ""];
  return lists ? plain.slice(1).map((text) => (/\.\w+$/.test(text) ? text : `${text.replace(/\/+$/, "")}/*`)) : [];
}

function readNames(words: readonly ShellWord[], input: string | undefined): readonly string[] {
  const text = words.find(({ content }) => content !== undefined)?.content ?? input ?? "";
  const options = words.map((word) => word.text);
  const separator = options.some((option) => /^-0|^--null$/.test(option))
    ? /[\0\n]+/
    : options.includes("-d")
      ? /\n+/
      : /[\s\0]+/;
  return text.split(separator);
}

const FINDERS = /^(?:find|fd|fdfind)$/;
const MAX_FILLED = 32;
/** `find` and its like run programs for the files that they find. */
export function isFinder({ words }: ShellRun): boolean {
  return FINDERS.test(programName(words[0] ?? NO_WORD));
}

function placeholder(words: readonly ShellWord[]): string {
  const at = words.findIndex(({ text }) => /^-[IJ]/.test(text));
  const option = words[at]?.text ?? "";
  return option.length > 2 ? option.slice(2) : at < 0 ? "{}" : (words[at + 1]?.text ?? "{}");
}

/** Every unknown word has a likely value. */
export function isFullyLikely({ words }: ShellRun): boolean {
  const unknown = words.filter((word) => word.unknown !== undefined);
  return unknown.length > 0 && unknown.every((word) => word.unknown?.likely !== undefined);
}

/** The program is not known, and nothing is known about the line without it. */
export function isUnknown({ words }: ShellRun, likely: readonly CommandEffect[]): boolean {
  const [program] = words;
  if (program?.unknown === undefined || words.length < 2 || likely.length > 0) return false;
  return mayVanish(program) || /[*?[]/.test(program.unknown.source);
}

/** The effects of an unknown program, if it is git or a program that its substitution names. */
export function guessedEffects({ words }: ShellRun, context: CommandContext): readonly CommandEffect[] {
  const [program, ...rest] = words;
  const effects = programEffects([literalWord("git"), ...rest], context);
  const mentioned = [...new Set(program?.unknown?.source.match(/[\w.-]+/g))].filter(
    (name) => context.table.specsOf(name).length > 0,
  );
  return [
    ...effects.filter(({ name }) => name.startsWith("git.") || name === "files.patch"),
    ...mentioned.slice(0, MAX_MENTIONED).flatMap((name) => programEffects([literalWord(name), ...rest], context)),
  ];
}

const MAX_MENTIONED = 3;

/** Says that more files than the named ones are meant. */
export function filled(effect: CommandEffect, run: ShellRun): CommandEffect {
  const { inside, input } = run;
  const isEach = effect.name === "files.delete" && isForEachLine(run);
  const { paths } = effect.args;
  const isOpen = !Array.isArray(paths) || paths.some((path) => String(path).includes("*"));
  const isMany = isEach || (inside.more && (input === undefined || isOpen));
  return isMany && /^(?:files\.|git\.stage$)/.test(effect.name)
    ? { ...effect, args: { ...effect.args, many: true } }
    : effect;
}

/** `… | while read f; do rm "$f"; done`: once for each line of a list that is not on the line. */
function isForEachLine({ scope, words }: ShellRun): boolean {
  if (!words.some(({ unknown }) => unknown !== undefined && unknown.likely === undefined)) return false;
  for (let at = scope; at !== undefined; at = at.parent)
    if (at.kind === "loop" && at.compound?.kind === "while") return true;
  return false;
}
