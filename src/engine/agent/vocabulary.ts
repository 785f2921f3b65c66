/** The common vocabulary: what every adapter calls a runtime's own tools. */
export const VOCABULARY = [
  "read_file",
  "write_file",
  "edit_file",
  "shell",
  "search",
  "fetch",
  "web_search",
  "task",
  "read_result",
] as const;
