import { type CommandContext, type CommandEffect, programEffects, programName } from "./programs/program-effects.ts";
import { type ShellRun, wordsOf } from "./shell/shell-line.ts";
import { likelyWords, literalWord, mayVanish, type ShellWord } from "./shell/shell-word.ts";

/** The words with likely values, and with what `xargs` and `find` fill in. */
export function likelyReadings(run: ShellRun): readonly (readonly ShellWord[])[] {
  const likely = likelyWords(run.words);
  const words = likely ?? run.words;
  const readings = likely === undefined ? [] : [likely];
  if (!run.inside.more) return readings;
  const finder = programName(words[0] ?? NO_WORD);
  const isFind = FINDERS.test(finder);
  const names = isFind ? foundNames(words) : readNames(words, run.input);
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

function foundNames(words: readonly ShellWord[]): readonly string[] {
  const isNegated = words.some(({ text }) => text === "-not" || text === "!");
  if (isNegated) return [];
  return words.flatMap(({ text }, i) => {
    const before = words[i - 1]?.text ?? "";
    return /^-i?(?:name|path)$/.test(before) ? [text] : before === "-e" ? [`*.${text}`] : [];
  });
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
const NO_WORD = literalWord("");

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
export function filled(effect: CommandEffect, { inside, input }: ShellRun): CommandEffect {
  const isMany = inside.more && (input === undefined || effect.args.paths === undefined);
  return isMany && effect.name.startsWith("files.") ? { ...effect, args: { ...effect.args, many: true } } : effect;
}
