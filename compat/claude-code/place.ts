import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

/** The folders of one Claude Code: nothing of this machine's user. */
export type Place = {
  readonly workspace: string;
  readonly home: string;
  /** Claude Code's own, with its settings. */
  readonly config: string;
  /** Conduct's own. */
  readonly conduct: string;
  put(path: string, text: string): void;
  /** Every file of the workspace. */
  files(): ReadonlyMap<string, string>;
  remove(): void;
};

export function newPlace(): Place {
  const root = mkdtempSync(join(tmpdir(), "conduct-claude-code-"));
  const [workspace, home, config, conduct] = ["workspace", "home", "config", "conduct"].map((name) => {
    mkdirSync(join(root, name));
    return join(root, name);
  }) as [string, string, string, string];
  return {
    workspace,
    home,
    config,
    conduct,
    put(path, text) {
      mkdirSync(dirname(join(workspace, path)), { recursive: true });
      writeFileSync(join(workspace, path), text);
    },
    files: () => new Map(readAll(workspace)),
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  };
}

function readAll(folder: string): readonly (readonly [string, string])[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => [relative(folder, path), readFileSync(path, "utf8")] as const);
}
