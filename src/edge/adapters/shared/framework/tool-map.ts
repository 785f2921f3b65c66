import type { ToolMap } from "../pi/tool-map.ts";
import { commandLine } from "../tool-args.ts";

const SHELLS: ReadonlySet<string> = new Set(["bash", "sh", "shell", "powershell"]);
const MCP = /^mcp__(.+?)__(.+)$/;

/**
 * The default for tools that an application names itself: `bash` and `sh` are `shell`, `mcp__server__name` is
 * `server/name`, and every other tool keeps its name.
 */
export const frameworkToolMap: ToolMap = (name, input) => {
  const [, server, tool] = MCP.exec(name) ?? [];
  if (server !== undefined && tool !== undefined) return { tool: `${server}/${tool}`, args: input };
  if (!SHELLS.has(name)) return { tool: name, args: input };
  const { command } = input;
  return { tool: "shell", args: Array.isArray(command) ? { ...input, command: commandLine(command) ?? null } : input };
};
