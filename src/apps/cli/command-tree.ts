import type { Group } from "./command.ts";

/** Every command there is. */
export const COMMANDS: Group = {
  description: "The behavior control plane for LLM agents.",
  commands: {
    demo: {
      description: "A scripted agent goes through the five moments, every decision shown",
      args: {
        fast: { type: "boolean", description: "Without the short pauses that make it readable" },
        keep: { type: "boolean", description: "Keep the folder that the agent worked in" },
      },
      load: async () => (await import("./demo.ts")).demo,
    },
    config: {
      description: "The configuration file",
      commands: {
        check: {
          description: "Check a conduct.yaml and show every fault, or what its agents are bound to",
          args: { file: { type: "positional", default: "conduct.yaml", description: "The file to check" } },
          load: async () => (await import("./config-check.ts")).configCheck,
        },
        schema: {
          description: "Print the JSON Schema of conduct.yaml, for editors",
          args: {},
          load: async () => (await import("./config-schema.ts")).configSchemaCommand,
        },
      },
    },
    hook: {
      description: "What a runtime calls at each of its hooks",
      commands: {
        codex: {
          description: "Pass one Codex hook event from stdin to Conduct (called by Codex)",
          args: {},
          load: async () => (await import("./hook.ts")).hook,
        },
      },
    },
  },
};
