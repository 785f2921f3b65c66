import { basename } from "node:path";
import { claudeProject, claudeSettings } from "./claude-code-settings.ts";
import { codexConfig, codexHooks } from "./codex-settings.ts";
import { openclawConfig } from "./openclaw-settings.ts";

/** How one kind of settings file is checked and repaired. `good` is the file as it was when Conduct's hooks were whole. */
export type GuardedKind = {
  /** Is anything of Conduct's in it at all? */
  has(text: string | undefined): boolean;
  /** Why the runtime does not run Conduct's hooks with this text; `undefined` when it does. */
  off(text: string | undefined, good: string): string | undefined;
  /** The text with the hooks back in it and everything else kept; `undefined` when that cannot be done. */
  restore(text: string | undefined, good: string): string | undefined;
};

/** A plugin or an extension: the whole file is Conduct's. */
const wholeFile: GuardedKind = {
  has: (text) => text !== undefined,
  off(text, good) {
    if (text === good) return undefined;
    return text === undefined ? "the file is gone" : "the file was changed";
  },
  restore: (_text, good) => good,
};

/** Stands for a runtime in the setup record: `CONDUCT_HOME/bin/conduct`, which hooks of every runtime start. */
export const LAUNCHER = "launcher";

/** `undefined` for a file that switches nothing off: `.claude.json` has tools of ours and no hook, and Claude Code rewrites it. */
export function guardedKind(runtime: string, path: string): GuardedKind | undefined {
  const name = basename(path);
  switch (runtime) {
    case "claude-code":
      return name.startsWith("settings") ? claudeSettings : undefined;
    case "codex":
      return name === "hooks.json" ? codexHooks : name === "config.toml" ? codexConfig : undefined;
    case "openclaw":
      return openclawConfig;
    case "opencode":
    case "pi":
    case LAUNCHER:
      return wholeFile;
    default:
      return undefined;
  }
}

/** Files of a project that can switch a runtime's hooks off although Conduct never wrote them. */
export function projectSwitches(runtime: string): readonly { readonly path: string; readonly kind: GuardedKind }[] {
  if (runtime === "claude-code") {
    return [".claude/settings.json", ".claude/settings.local.json"].map((path) => ({ path, kind: claudeProject }));
  }
  return runtime === "codex" ? [{ path: ".codex/config.toml", kind: codexConfig }] : [];
}
