import { isLiteral, literalWord, mayVanish, pathText, programWord, type ShellWord } from "./shell-word.ts";

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

/** What a shell remembers of folders. */
export type FolderState = {
  readonly folders: Folders;
  /** The folders before each `pushd` that certainly ran, the last one at the end. */
  readonly pushed: Folders[];
  /** A command that fails ends the script. */
  readonly stops: boolean;
  /** `git` is the program of that name, in its usual environment. */
  readonly isUsualGit: () => boolean;
};

/** The root of the repository around a folder: another folder of the workspace, or one around it. */
const TOP_LEVEL = /^"\$\(git rev-parse --show-toplevel(?: 2> ?\/dev\/null)?\)"$/;

/** Follows `cd` and its like. `again`: the command may run more than once. */
export function foldersAfter(words: readonly ShellWord[], state: FolderState, again: boolean): Outcome {
  const { folders, pushed, stops } = state;
  const at = words.findIndex((word) => !mayVanish(word) && !/^(?:command|builtin|-[pP])$/.test(word.text));
  const program = words[at];
  const name = program === undefined ? "" : programWord(program).text;
  if (program === undefined || !/^(?:cd|chdir|pushd|popd|eval)$/.test(name)) return { ok: folders, any: folders };
  const operands = words.slice(at + 1).filter(({ text }) => !/^-[LPe@]+$|^--$/.test(text));
  const [given] = operands;
  const isTop = given?.unknown !== undefined && TOP_LEVEL.test(given.unknown.source) && state.isUsualGit();
  const target = isTop && folders.every(isBelow) ? literalWord(".") : given;
  const isCertain =
    operands.length < 2 && (target === undefined || (isLiteral(target) && !/^[-+]|^$/.test(target.text)));
  const to = target === undefined && name === "cd" ? "~" : target && pathText(target);
  if (name === "popd" && operands.length === 0 && !again && pushed.length > 0) {
    const last = pushed.pop() ?? UNKNOWN;
    // Without `set -e`, the `pushd` may have failed: then this goes further back.
    const back = stops ? last : [...pushed, folders].reduce(eitherFolder, last);
    return { ok: back, any: stops ? back : eitherFolder(back, folders) };
  }
  if (again || !isCertain || to === undefined || name === "popd" || name === "eval") {
    if (name !== "cd") pushed.length = 0;
    const any = eitherFolder(folders, UNKNOWN);
    return { ok: any, any };
  }
  if (name === "pushd") pushed.push(folders);
  const after = [...new Set(folders.map((folder) => inFolder(folder, to)))];
  const any = eitherFolder(folders, after);
  return { ok: isLiteral(program) && words.slice(0, at).every(isLiteral) ? after : any, any };
}

/** Neither another folder than the one where the line starts, nor one around it. */
function isBelow(folder: string | undefined): boolean {
  return folder !== undefined && !/^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(folder);
}

/** Goes up from where it starts, as `../other` does and `api/../web` does not. */
export function leaves(folder: string): boolean {
  let depth = 0;
  for (const name of folder.split("/")) {
    if (name === "..") depth -= 1;
    else if (name !== "" && name !== ".") depth += 1;
    if (depth < 0) return true;
  }
  return folder.startsWith("/") && /\/\.\.(?:\/|$)/.test(folder);
}
