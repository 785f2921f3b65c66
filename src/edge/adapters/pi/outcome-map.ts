import type { Outcome } from "../../../base/words/call.ts";

/** What Pi tells of an executed tool, as far as the outcome depends on it. */
export type Executed = {
  readonly isError: boolean;
  readonly aborted: boolean;
  readonly details: unknown;
  /** The result's text; Pi's own shell tool ends it with the exit code when that is not 0. */
  readonly text: string;
};

const EXITED = /Command exited with code (\d+)\s*$/;

/** In Pi a tool throws when it fails; a tool that returns its exit code in `details` instead is believed too. */
export function outcomeOf(tool: string, executed: Executed): { readonly outcome: Outcome; readonly exitCode?: number } {
  const exitCode = exitCodeOf(tool, executed);
  const code = typeof exitCode === "number" ? { exitCode } : {};
  if (executed.isError) return { outcome: executed.aborted ? "cancelled" : "failed", ...code };
  if (exitCode === undefined || exitCode === 0) return { outcome: "ok", ...code };
  return { outcome: "failed", ...code };
}

/** `null` for a command that was killed, `undefined` where nothing is said of one. */
function exitCodeOf(tool: string, { isError, details, text }: Executed): number | null | undefined {
  if (typeof details === "object" && details !== null && "exitCode" in details) {
    const { exitCode } = details;
    if (typeof exitCode === "number" || exitCode === null) return exitCode;
  }
  // Only of an error: what a command prints itself must not decide.
  const match = isError && tool === "shell" ? EXITED.exec(text.slice(-80)) : null;
  return match === null ? undefined : Number(match[1]);
}
