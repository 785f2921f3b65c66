import { posix } from "node:path";
import type { Commands } from "../../../base/ports/commands.ts";
import type { Filesystem } from "../../../base/ports/filesystem.ts";

/**
 * The files of an agent on another machine, which cannot be read here. Paths are compared as written, and every path
 * counts as an existing file whose content is unknown, so that rules about files stay strict.
 */
export function remoteFilesystem(root: string): Filesystem {
  const base = posix.resolve("/", root);
  return {
    root: base,
    async look(path) {
      const resolved = posix.resolve(base, path);
      const inside = resolved === base || resolved.startsWith(base === "/" ? "/" : `${base}/`);
      const shown = inside ? posix.relative(base, resolved) : resolved;
      return { resolved, inside, exists: true, version: "unseen", shown: shown === path ? undefined : shown };
    },
  };
}

/** Nothing is run on the agent's machine, so a checker that needs a command cannot pass. */
export const remoteCommands: Commands = {
  async run() {
    throw new Error("the gateway cannot run commands on the agent's machine");
  },
};
