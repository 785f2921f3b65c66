import { CONDUCT_TOOLS } from "../../engine/tools/conduct-tool.ts";

/** The vocabulary that prompts may name; a function cannot go through a socket, a table of what it gives can. */
const VOCABULARY: readonly string[] = [
  "read_file",
  "write_file",
  "edit_file",
  "shell",
  "search",
  "fetch",
  "task",
  ...CONDUCT_TOOLS.map(({ name }) => name),
];

export function namesTable(toolName: (tool: string) => string): { readonly [tool: string]: string } {
  return Object.fromEntries(VOCABULARY.map((tool) => [tool, toolName(tool)]));
}
