import { dirname, join, resolve } from "node:path";
import type { RepositoryFiles } from "./repository-files.ts";

/** A repository, read from its files: no program runs, so none that the repository configures. */
export type Repository = {
  /** The top folder of the working tree. */
  readonly top: string;
  /** Holds HEAD and the index; in a linked worktree another folder than `common`. */
  readonly gitFolder?: string;
  /** Holds objects and refs. */
  readonly common?: string;
};

const SMALL = 4_096;

/** The repository around a folder; without one, the folder itself as it would be after `git init`. */
export async function findRepository(files: RepositoryFiles, folder: string): Promise<Repository> {
  for (let top = folder; ; top = dirname(top)) {
    const dot = join(top, ".git");
    const found = await files.stat(dot);
    if (found !== undefined) {
      const gitFolder = found.isFolder ? dot : await linkedFolder(files, dot, top);
      if (gitFolder === undefined) return { top };
      const common = await readText(files, join(gitFolder, "commondir"));
      return { top, gitFolder, common: common === undefined ? gitFolder : resolve(gitFolder, common.trim()) };
    }
    if (dirname(top) === top) return { top: folder };
  }
}

/** `gitdir: …` in the `.git` file of a worktree or a submodule. */
async function linkedFolder(files: RepositoryFiles, dot: string, top: string): Promise<string | undefined> {
  const [, path] = /^gitdir: (.+)$/m.exec((await readText(files, dot)) ?? "") ?? [];
  return path === undefined ? undefined : resolve(top, path.trim());
}

/** The current branch; `undefined` if HEAD is detached or there is no repository. */
export async function branchOf(files: RepositoryFiles, { gitFolder }: Repository): Promise<string | undefined> {
  if (gitFolder === undefined) return undefined;
  const head = await readText(files, join(gitFolder, "HEAD"));
  return /^ref: refs\/heads\/(\S+)/.exec(head ?? "")?.[1];
}

export async function readText(
  files: RepositoryFiles,
  path: string,
  most: number = SMALL,
): Promise<string | undefined> {
  return (await files.read(path, most))?.toString("utf8");
}
