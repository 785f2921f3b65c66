import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { openclaw } from "./openclaw.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import type { InstallableRuntime } from "./runtime.ts";

export const INSTALLABLE: readonly InstallableRuntime[] = [claudeCode, codex, opencode, pi, openclaw];

export const RUNTIME_NAMES: readonly string[] = INSTALLABLE.map(({ name }) => name);

export function runtimeNamed(name: unknown): InstallableRuntime | undefined {
  return INSTALLABLE.find((runtime) => runtime.name === name);
}
