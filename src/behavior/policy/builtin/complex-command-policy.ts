import type { ToolCall } from "../../../base/words/call.ts";
import type { ToolPolicy } from "../../../base/words/policy.ts";
import { MAX_PATHS, TOO_MANY_PATHS } from "../../commands/shell/read-budget.ts";
import { parseShellLine } from "../../commands/shell/shell-line.ts";
import { allow, deny } from "../policy-decision.ts";

/** Denies calls that are too complex to apply rules to. Nothing lifts this denial. */
export const complexCommandPolicy: ToolPolicy = {
  name: "builtin:complex-command",
  check(call) {
    const limit = passedLimit(call);
    if (limit === undefined) return allow();
    const what = call.tool === "shell" ? "command line" : "call";
    return deny(`This ${what} is too complex to check (limit: ${limit}). Split it.`, {
      code: "too-complex",
      next: `Replace it with several smaller calls${call.tool === "shell" ? ", or run a script file" : ""}.`,
    });
  },
};

function passedLimit({ tool, args: { command }, paths }: ToolCall): string | undefined {
  const line = tool === "shell" && typeof command === "string" ? parseShellLine(command) : undefined;
  return line?.tooComplex ?? (paths.length > MAX_PATHS ? TOO_MANY_PATHS : undefined);
}
