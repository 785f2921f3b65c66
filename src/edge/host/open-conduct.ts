import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Agent } from "../../base/words/agent.ts";
import type { ProtectedPaths } from "../../behavior/policy/protected-paths-policy.ts";
import { loadTokenizer } from "../../behavior/results/tokens.ts";
import { Conduct, type ConductPorts } from "../../engine/moments/conduct.ts";
import { memoryResults } from "../stores/results-memory.ts";
import { nodeClock } from "./node-clock.ts";
import { nodeCommands } from "./node-commands.ts";
import { nodeFilesystem } from "./node-filesystem.ts";
import { nodeIds } from "./node-ids.ts";

export type OpenConductOptions = {
  readonly agents: readonly Agent[];
  /** Where the agents work: relative paths are under it, and only elevated sessions leave it. Default: the current folder. */
  readonly workspace?: string;
  /** Conduct's own folder, which no agent may touch. Default: `CONDUCT_HOME`, else `.conduct` in the user's home. */
  readonly home?: string;
  /** Replaces parts of the world, as tests and other hosts do. */
  readonly ports?: Partial<ConductPorts>;
};

/** Conduct on this machine: real files, real commands, the real clock. */
export function openConduct(options: OpenConductOptions): Conduct {
  const workspace = resolve(options.workspace ?? process.cwd());
  return new Conduct(options.agents, {
    clock: nodeClock(),
    ids: nodeIds(),
    results: memoryResults(),
    counter: () => loadTokenizer(),
    filesystem: nodeFilesystem(workspace),
    commands: nodeCommands(workspace),
    protected: protectedPaths(options.home ?? conductHome()),
    ...options.ports,
  });
}

/** Where Conduct keeps its own things. */
export function conductHome(env: NodeJS.ProcessEnv = process.env): string {
  return resolve(env.CONDUCT_HOME ?? join(homedir(), ".conduct"));
}

function protectedPaths(home: string): ProtectedPaths {
  return {
    paths: [home, join(homedir(), ".claude", "settings.json"), join(homedir(), ".codex")],
    spellings: [
      "~/.conduct",
      "$HOME/.conduct",
      "$CONDUCT_HOME",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as a shell writes it.
      "${CONDUCT_HOME}",
      "~/.codex",
      "$HOME/.codex",
      "$CODEX_HOME",
    ],
    programs: ["conduct"],
  };
}
