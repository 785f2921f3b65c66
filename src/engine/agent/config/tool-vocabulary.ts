import { CONDUCT_TOOLS } from "../../tools/conduct-tool.ts";
/** Tool names that every adapter uses for a runtime's own tools. */
export const VOCABULARY = [
  "read_file",
  "write_file",
  "edit_file",
  "shell",
  "search",
  "fetch",
  "web_search",
  "task",
  ...CONDUCT_TOOLS.map(({ name }) => name),
] as const;
