import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { SettingsFile } from "./runtime.ts";

const NOTE = "# Conduct: the next file contains a token";

type Repository = { readonly root: string; readonly index: string; readonly exclude: string };

/** The repository around a folder; `undefined` if there is none. All its worktrees share one `exclude`. */
function repositoryAround(folder: string): Repository | undefined {
  const own = join(folder, ".git");
  if (!existsSync(own)) return dirname(folder) === folder ? undefined : repositoryAround(dirname(folder));
  const git = statSync(own).isDirectory()
    ? own
    : resolve(folder, /^gitdir: (.+)$/m.exec(readFileSync(own, "utf8"))?.[1] ?? ".git");
  const common = join(git, "commondir");
  const shared = existsSync(common) ? resolve(git, readFileSync(common, "utf8").trim()) : git;
  return { root: folder, index: join(git, "index"), exclude: join(shared, "info", "exclude") };
}

/** Makes git ignore a file of a project, in this clone only: nothing that others get is changed. */
export function gitExclude(project: string, file: string): readonly SettingsFile[] {
  const found = repositoryAround(project);
  if (found === undefined) return [];
  const line = `/${relative(found.root, file)}`;
  const lines = (text: string | undefined) => (text ?? "").split("\n");
  return [
    {
      path: found.exclude,
      about: `git ignores ${line.slice(1)}, which contains the daemon's token`,
      add(text) {
        if (lines(text).includes(line)) return { text };
        const gap = text === undefined || text === "" || text.endsWith("\n") ? "" : "\n";
        return { text: `${text ?? ""}${gap}${NOTE}\n${line}\n` };
      },
      remove(text) {
        if (text === undefined) return { text };
        return {
          text: lines(text)
            .filter((one) => one !== NOTE && one !== line)
            .join("\n"),
        };
      },
      faults: (text) => (lines(text).includes(line) ? [] : [`git does not ignore ${line}`]),
    },
  ];
}

/** Is the file, or the one it links to, in git's index, and so in every copy of the repository? */
export function isTracked(path: string): boolean {
  if (!existsSync(path)) return false;
  const file = realpathSync(path);
  const found = repositoryAround(dirname(file));
  return (
    found !== undefined && existsSync(found.index) && readFileSync(found.index).includes(relative(found.root, file))
  );
}
