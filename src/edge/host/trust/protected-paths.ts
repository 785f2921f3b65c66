import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { ProtectedPaths } from "../../../behavior/policy/builtin/protected-paths.ts";
import { keysFolder } from "../../stores/seal/key-files.ts";
import { daemonPlace } from "../daemon/daemon-place.ts";
import { realFolder } from "./real-folder.ts";

/** Paths that no agent may touch: Conduct's folder, the keys of its stores, and the runtime settings with its hooks. */
export function protectedPaths(conduct: string, workspace: string, env: NodeJS.ProcessEnv): ProtectedPaths {
  const home = homedir();
  const given = [
    conduct,
    keysFolder(env),
    dirname(daemonPlace(conduct).socket),
    ...ofRuntimes(home, env),
    ...ofProject(workspace),
  ];
  return {
    // A path through a symlink has two names, and commands may use either.
    paths: [...new Set([...given, ...given.map(realFolder)])],
    spellings: [
      "~/.conduct",
      "$CONDUCT_HOME",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as a shell writes it.
      "${CONDUCT_HOME}",
      "~/.config/conduct",
      "$CONDUCT_KEYS",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as a shell writes it.
      "${CONDUCT_KEYS}",
      "~/.codex",
      "$CODEX_HOME",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as a shell writes it.
      "${CODEX_HOME}",
    ],
    programs: ["conduct", "agent-conduct"],
    home,
  };
}

/** The account's files where `conduct init` installs hooks and plugins. */
function ofRuntimes(home: string, env: NodeJS.ProcessEnv): readonly string[] {
  const claude = env.CLAUDE_CONFIG_DIR;
  return [
    join(home, ".claude", "settings.json"),
    join(home, ".claude.json"),
    ...(claude ? [join(claude, "settings.json"), join(claude, ".claude.json")] : []),
    join(home, ".codex"),
    ...(env.CODEX_HOME ? [env.CODEX_HOME] : []),
    join(env.GEMINI_CLI_HOME || home, ".gemini", "settings.json"),
    join(env.COPILOT_HOME || join(home, ".copilot"), "hooks"),
    join(env.COPILOT_HOME || join(home, ".copilot"), "mcp-config.json"),
    join(home, ".cursor", "hooks.json"),
    join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode"),
    join(env.PI_CODING_AGENT_DIR || join(home, ".pi", "agent"), "extensions"),
    env.OPENCLAW_CONFIG_PATH || join(env.OPENCLAW_STATE_DIR || join(home, ".openclaw"), "openclaw.json"),
  ];
}

/** Runtime settings of a project: one line in them can disable every hook, or change a call after Conduct has seen it. */
function ofProject(workspace: string): readonly string[] {
  const files = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".gemini/settings.json",
    ".cursor/hooks.json",
    ".opencode/plugin",
    ".pi/extensions",
  ];
  return files.map((file) => join(workspace, file));
}
