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

/** `CONDUCT_HOME/bin/conduct`. That it starts another installation of Conduct is no tampering. */
const launcher: GuardedKind = {
  has: (text) => text !== undefined,
  off(text, good) {
    if (text === undefined) return "the file is gone";
    return withoutPlace(text) === withoutPlace(good) ? undefined : "the file was changed";
  },
  restore: (_text, good) => good,
};

/** The script without the paths of the Node and the program that it starts; only a `conduct.mjs` counts as one. */
function withoutPlace(script: string): string {
  const node = /^node=(.*)$/m.exec(script)?.[1];
  const program = /^program=(.*conduct\.mjs.?)$/m.exec(script)?.[1];
  const bare = (path: string) => path.replace(/^'|'$/g, "");
  return [program, node].reduce<string>(
    (text, path) => (path === undefined || bare(path) === "" ? text : text.replaceAll(bare(path), "…")),
    script,
  );
}

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
    case LAUNCHER:
      return launcher;
    case "opencode":
    case "pi":
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
