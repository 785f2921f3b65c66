import type { PromptContributor } from "../../../base/words/prompt.ts";
import { inline } from "./inline.ts";

const CLAUDE = "Write the answer as it is, with no <final> or other tags around it.";

/** What an agent does well to know about the runtime that it works in. */
const GUIDANCE: Readonly<Record<string, string>> = {
  claude: CLAUDE,
  "claude-sdk": CLAUDE,
  pi: "Messages may arrive while you work; take a new one into account before your next call.",
  codex:
    "Edit files with apply_patch, not through the shell. No tool reads files: show a file with one plain command (cat, head, tail, sed -n); in a pipe or a list of commands it does not count as read. Tools that you do not see are found with tool_search.",
};

/** The runtime and the folder that the agent works in. */
export const runtimeSection: PromptContributor = {
  id: "builtin:runtime",
  priority: 70,
  zone: "session",
  contribute({ runtime, workspaceDir }) {
    const name = inline(runtime);
    const folder = inline(workspaceDir);
    const lines = [
      ...(name === "" ? [] : [`Runtime: ${name}`]),
      ...(folder === "" ? [] : [`Workspace folder: ${folder}`]),
      ...(Object.hasOwn(GUIDANCE, name) ? [GUIDANCE[name] ?? ""] : []),
    ];
    return { heading: "Runtime", content: lines.join("\n") };
  },
};
