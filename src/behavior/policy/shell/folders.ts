import { isAssignment } from "./unwrap.ts";
import { isLiteral, mayVanish, programWord, type Word } from "./word.ts";

/** The folders a command may run in, from where the line starts (`""`); `undefined` among them: some other. */
export type Folders = readonly (string | undefined)[];

export const START: Folders = [""];
const UNKNOWN: Folders = [undefined];
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

/**
 * Where the shell stands after a command: the same folders for all but `cd` and its like. `again`: the command may run more
 * than once.
 */
export function foldersAfter(words: readonly Word[], folders: Folders, again: boolean): Folders {
  const [change, sure] = changeOf(words);
  if (change === undefined) return folders;
  const [name, ...rest] = change;
  const options = rest.findIndex(({ text }) => !/^-[LPe@]+$|^--$/.test(text));
  const operands = options < 0 ? [] : rest.slice(options);
  const [target] = operands;
  const to = target === undefined && name?.text === "cd" ? "~" : target?.text;
  const told = operands.length < 2 && (target === undefined || (isLiteral(target) && !/^[-+]/.test(target.text)));
  if (again || name?.text === "popd" || to === undefined || to === "" || !told) return eitherFolder(folders, UNKNOWN);
  const after = [...new Set(folders.map((folder) => inFolder(folder, to)))];
  return sure ? after : eitherFolder(folders, after);
}

/** The `cd …` of a command, and whether a good end of it means that the folder was changed. */
function changeOf(words: readonly Word[]): readonly [readonly Word[] | undefined, boolean] {
  let at = 0;
  let sure = true;
  for (; at < words.length; at++) {
    const word = words[at];
    const text = word?.text ?? "";
    if (word !== undefined && mayVanish(word)) sure = false;
    else if (text === "!" || text === "coproc" || isAssignment(text)) sure = false;
    else if (!/^(?:if|then|else|elif|while|until|do|\{|time|command|builtin|-[pP])$/.test(text)) break;
  }
  const program = words[at];
  if (program === undefined) return [undefined, sure];
  const name = programWord(program);
  const isChange = /^(?:cd|chdir|pushd|popd)$/.test(name.text);
  return [isChange ? [name, ...words.slice(at + 1)] : undefined, sure && isLiteral(program)];
}
