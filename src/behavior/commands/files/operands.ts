import type { Access } from "../../../base/words/call.ts";
import { baseName, isLiteral, literalWord, type ShellWord, unknownWord, wordFrom } from "../shell/shell-word.ts";

/** A word that names a file, and what becomes of the file. */
export type Operand = {
  readonly word: ShellWord;
  readonly access: Access;
  readonly edits?: true;
  /** May be a pattern or a script instead. */
  readonly maybe?: true;
};

const READERS = new Set(
  (
    "cat nl head tail less more tac wc sort uniq cut zcat diff cmp comm strings xxd od hexdump base64 file stat md5sum " +
    "sha1sum sha256sum ls tree du cd pushd chdir bat"
  ).split(" "),
);
const SEARCHERS = new Set("grep egrep fgrep zgrep rg ag awk gawk jq find fd".split(" "));
const OVERWRITERS = new Set(["tee", "sponge", "truncate", "shred"]);
const CHANGERS = new Set("rm rmdir unlink touch mkdir mkfifo chmod chown chgrp".split(" "));
const OUTPUT_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ["sort", /^(?:-[a-zA-Z]*o|--output)$/],
  ["curl", /^(?:-[a-zA-Z]*o|--output)$/],
  ["wget", /^(?:-[a-zA-Z]*O|--output-document)$/],
]);

/** The files that a command of the common kind names. `more`: further names come from elsewhere, and stand for one unknown. */
export function operandsOf(words: readonly ShellWord[], more: boolean): readonly Operand[] {
  const [program, ...rest] = words;
  const name = baseName(program?.text ?? "");
  const unknown: readonly ShellWord[] = more ? [unknownWord("{}")] : [];
  if (OVERWRITERS.has(name)) return all([...plain(rest), ...unknown], "write");
  if (CHANGERS.has(name)) return all(plain(rest), "change");
  switch (name) {
    case "cp":
    case "mv":
    case "install":
    case "ln":
    case "rsync":
    case "scp":
      return copied(name, rest, unknown);
    case "dd":
      return [...all(valuesOf(rest, "if="), "read"), ...all(valuesOf(rest, "of="), "write")];
    case "sed":
    case "gsed":
    case "perl":
    case "ruby":
      if (name === "ruby" && !rest.some(({ text }) => /^-[a-z]*i/.test(text))) return [];
      return edited(name, rest, unknown);
    default: {
      const outputs = all(outputsOf(name, rest), "write");
      if (SEARCHERS.has(name)) return plain(rest).map((word) => ({ word, access: "read", maybe: true }));
      if (!READERS.has(name)) return outputs;
      // Only fields are separated by a lone slash.
      const files = plain(rest).filter(({ text }) => text !== "/" || (name !== "cut" && name !== "sort"));
      return [...outputs, ...all(files, "read")];
    }
  }
}

function all(words: readonly ShellWord[], access: Access): readonly Operand[] {
  return words.map((word) => ({ word, access }));
}

/** The words that are no options. An option's value stays among them: as a file that is not there it does no harm. */
function plain(words: readonly ShellWord[]): readonly ShellWord[] {
  const end = words.findIndex(({ text }) => text === "--");
  const before = end < 0 ? words : words.slice(0, end);
  return [...before.filter(({ text }) => text !== "" && !/^-/.test(text)), ...(end < 0 ? [] : words.slice(end + 1))];
}

function valuesOf(words: readonly ShellWord[], start: string): readonly ShellWord[] {
  return words.filter(({ text }) => text.startsWith(start)).map((word) => wordFrom(word, start.length));
}

function outputsOf(name: string, words: readonly ShellWord[]): readonly ShellWord[] {
  const option = OUTPUT_OPTIONS.get(name);
  if (option === undefined) return [];
  const after = words.filter((_word, i) => option.test(words[i - 1]?.text ?? ""));
  return [
    ...after.filter(({ text }) => text !== "-"),
    ...valuesOf(words, "--output="),
    ...valuesOf(words, "--output-document="),
  ];
}

/** The last name is written, or, where it is a folder, a file of the same name in it. */
function copied(name: string, words: readonly ShellWord[], unknown: readonly ShellWord[]): readonly Operand[] {
  const has = (option: RegExp) => words.some(({ text }) => option.test(text));
  const local = plain(words).filter(({ text }) => !/^(?:rsync|scp)$/.test(name) || !/^[^/]+:/.test(text));
  if (name === "install" && has(/^-\w*d\w*$|^--directory$/)) return all(local, "change");
  const at = words.findIndex(({ text }) => /^-\w*t$|^--target-directory$/.test(text));
  const given = at < 0 ? valuesOf(words, "--target-directory=").at(0) : words[at + 1];
  const target = given ?? (name === "ln" && local.length === 1 ? literalWord(".") : (unknown[0] ?? local.at(-1)));
  const sources =
    given === undefined && local.length > 1 ? local.slice(0, -1) : local.filter((word) => word !== target);
  if (target === undefined || sources.length + unknown.length === 0) return all(local, "read");
  const into = name === "ln" && !has(/^-\w*f\w*$|^--force$/) ? "change" : "write";
  const inside = sources.flatMap((source) => sameNameIn(target, source));
  // A link's target is only a text in it, but what is written through it later is not.
  return [...all(sources, name === "mv" ? "change" : "read"), ...all([target, ...inside], into)];
}

function sameNameIn(folder: ShellWord, source: ShellWord): readonly ShellWord[] {
  const name = baseName(source.text.replace(/\/+$/, ""));
  // What a pattern or a variable will name there cannot be told; the folder itself is looked at all the same.
  if (name === "" || name === ".." || name === "." || !isLiteral(source)) return [];
  return [{ ...folder, text: `${folder.text.replace(/\/+$/, "")}/${name}` }];
}

/** `sed -i` and `perl -i` rewrite the files after the script; without `-i` they read them. */
function edited(name: string, words: readonly ShellWord[], unknown: readonly ShellWord[]): readonly Operand[] {
  const inPlace = words.some(({ text }) => /^--in-place|^-[a-zA-Z0]*i/.test(text) && !/^-[a-zA-Z]*[ef]\S/.test(text));
  const scriptOption = /^(?:-[a-zA-Z0]*[efE]|--expression|--file)$/;
  const option = name === "perl" || name === "ruby" ? /^-[a-zA-Z0]*[eE]$/ : /^(?:-[a-zA-Z]*[ef]|--expression|--file)$/;
  const scripted = words.some(({ text }) => scriptOption.test(text) && option.test(text));
  const files = words.filter((word, i) => plain([word]).length > 0 && !option.test(words[i - 1]?.text ?? ""));
  const named = scripted || words.some(({ text }) => /^--(?:expression|file)=/.test(text)) ? files : files.slice(1);
  if (!inPlace) return all(named, "read");
  return [...named, ...unknown].map((word) => ({ word, access: "write", edits: true }));
}
