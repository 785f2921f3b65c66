import { acp } from "./acp.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { mcp } from "./mcp.ts";
import { openclaw } from "./openclaw.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import type { InstallableRuntime } from "./runtime.ts";

export const INSTALLABLE: readonly InstallableRuntime[] = [claudeCode, codex, opencode, pi, openclaw];

export const RUNTIME_NAMES: readonly string[] = INSTALLABLE.map(({ name }) => name);

/** Those that `init` and `doctor` know: what a client starts needs no installing. */
export const KNOWN_NAMES: readonly string[] = [...RUNTIME_NAMES, acp.name, mcp.name];

export function runtimeNamed(name: unknown): InstallableRuntime | undefined {
  return INSTALLABLE.find((runtime) => runtime.name === name);
}
