import { isLiteral, mayVanish, pathText, programWord, type ShellWord } from "./shell-word.ts";

/** The folders a command may run in, from where the line starts (`""`); `undefined` among them: some other. */
export type Folders = readonly (string | undefined)[];

export const START: Folders = [""];
export const UNKNOWN: Folders = [undefined];
const MAX_FOLDERS = 8;
/** Deeper folders are not followed. */
const MAX_PATH = 512;

export function eitherFolder(one: Folders, other: Folders): Folders {
  if (one === other) return one;
  const all = [...new Set([...one, ...other])];
  return all.length > MAX_FOLDERS ? UNKNOWN : all;
}

/** A path as it is from where the line starts; `undefined` when that cannot be told. */
export function inFolder(folder: string | undefined, path: string): string | undefined {
  if (/^(?:\/|~(?:\/|$))/.test(path)) return path;
  if (folder === undefined || folder.length > MAX_PATH) return undefined;
  return folder === "" ? path : `${folder.replace(/\/+$/, "")}/${path}`;
}

/** The folders after a command if it succeeded, and in any case. */
export type Outcome = { readonly ok: Folders; readonly any: Folders };

/** Follows `cd` and its like. `again`: the command may run more than once. */
export function foldersAfter(words: readonly ShellWord[], folders: Folders, again: boolean): Outcome {
  const at = words.findIndex((word) => !mayVanish(word) && !/^(?:command|builtin|-[pP])$/.test(word.text));
  const program = words[at];
  const name = program === undefined ? "" : programWord(program).text;
  if (program === undefined || !/^(?:cd|chdir|pushd|popd|eval)$/.test(name)) return { ok: folders, any: folders };
  const operands = words.slice(at + 1).filter(({ text }) => !/^-[LPe@]+$|^--$/.test(text));
  const [target] = operands;
  const isCertain =
    operands.length < 2 && (target === undefined || (isLiteral(target) && !/^[-+]|^$/.test(target.text)));
  const to = target === undefined && name === "cd" ? "~" : target && pathText(target);
  if (again || !isCertain || to === undefined || name === "popd" || name === "eval") {
    const any = eitherFolder(folders, UNKNOWN);
    return { ok: any, any };
  }
  const after = [...new Set(folders.map((folder) => inFolder(folder, to)))];
  const any = eitherFolder(folders, after);
  return { ok: isLiteral(program) && words.slice(0, at).every(isLiteral) ? after : any, any };
}
