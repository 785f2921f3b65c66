/** The vocabulary that prompts may name. Written out, not imported: this file is loaded inside other runtimes. */
const VOCABULARY: readonly string[] = [
  "read_file",
  "write_file",
  "edit_file",
  "shell",
  "search",
  "fetch",
  "task",
  "read_result",
  "verify_context",
  "review_plan",
  "update_instructions",
  "read_memory",
  "save_memory",
];

/** A function cannot go through a socket; a table of what it gives can. */
export function namesTable(toolName: (tool: string) => string): { readonly [tool: string]: string } {
  return Object.fromEntries(VOCABULARY.map((tool) => [tool, toolName(tool)]));
}
