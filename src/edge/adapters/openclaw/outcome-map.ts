import { isObject } from "../../../base/kernel/json.ts";
import type { Outcome } from "../../../base/words/call.ts";
import type { ToolResultEvent } from "./native.ts";

/** What OpenClaw's results say of themselves in `details.status`. */
const STATUS: { readonly [status: string]: Outcome } = {
  error: "failed",
  failed: "failed",
  not_found: "failed",
  timeout: "failed",
  forbidden: "failed",
  blocked: "denied",
  denied: "denied",
  cancelled: "cancelled",
  aborted: "cancelled",
  // It goes on in the background: nothing is known yet.
  running: "unknown",
  "approval-pending": "unknown",
};

/** A command is ok when it has ended with 0; any other tool when OpenClaw says nothing against it. */
export function outcomeOf(
  tool: string,
  { isError, result }: Pick<ToolResultEvent, "isError" | "result">,
): { readonly outcome: Outcome; readonly exitCode?: number } {
  const { status, exitCode } = isObject(result.details) ? result.details : {};
  const said = typeof status === "string" && Object.hasOwn(STATUS, status) ? STATUS[status] : undefined;
  const code = typeof exitCode === "number" ? { exitCode } : {};
  if (said !== undefined) return { outcome: said, ...code };
  if (isError === true) return { outcome: "failed", ...code };
  if (tool !== "shell") return { outcome: "ok", ...code };
  if (typeof exitCode !== "number") return { outcome: "unknown" };
  return { outcome: exitCode === 0 ? "ok" : "failed", ...code };
}
