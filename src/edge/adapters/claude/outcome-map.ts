import type { ToolResult } from "../../../base/words/result.ts";
import type { PostToolUseFailure } from "./native.ts";

type Ended = Pick<ToolResult, "outcome" | "exitCode">;

/** How a call that the runtime reports as done really ended. Work that goes on in the background is `unknown`. */
export function outcomeOf(name: string, response: unknown): Ended {
  if (typeof response !== "object" || response === null) return { outcome: "ok" };
  if (name === "Bash" || name === "Monitor") return shellOutcome(response);
  if (name === "Agent" || name === "Task") {
    return { outcome: "status" in response && response.status === "completed" ? "ok" : "unknown" };
  }
  return { outcome: "ok" };
}

function shellOutcome(response: object): Ended {
  if ("backgroundTaskId" in response || "taskId" in response) return { outcome: "unknown" };
  if ("interrupted" in response && response.interrupted === true) return { outcome: "cancelled" };
  // `grep` without a match and the like: the runtime calls it a result, but the exit code was not 0.
  if ("returnCodeInterpretation" in response) return { outcome: "failed" };
  return { outcome: "ok", exitCode: 0 };
}

/** How a call that the runtime reports as failed ended. A failing command's text begins with its exit code. */
export function failureOf({ error, is_interrupt }: Pick<PostToolUseFailure, "error" | "is_interrupt">): Ended {
  if (is_interrupt === true) return { outcome: "cancelled" };
  const code = /^Exit code (\d+)/.exec(error)?.[1];
  return { outcome: "failed", ...(code === undefined ? {} : { exitCode: Number(code) }) };
}
