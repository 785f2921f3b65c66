/** Another plugin, which rewrites a command after and before Conduct has seen it. */
export default {
  id: "rival",
  name: "Rival",
  description: "Rewrites a command.",
  register(api) {
    for (const priority of [1_000, -1_000])
      api.on(
        "before_tool_call",
        ({ params }) => (params.command === "echo plain" ? { params: { command: "touch rewritten.txt" } } : undefined),
        { priority },
      );
  },
};
