import { missingFolders, type Runtime } from "../scripts/compat-runtimes.ts";
import type { RuntimeDriver } from "../src/testing/kit/driver.ts";

const WIRES = ["anthropic-messages", "openai-completions", "openai-responses"] as const;

/** Every runtime that the kit drives. Nothing of it is loaded before it is asked for. */
export const RUNTIMES: readonly Runtime[] = [
  {
    name: "acp",
    package: "opencode-ai",
    setUp: "`conduct init acp`",
    folders: ["acp", "opencode"],
    load: async () => [(await import("./acp/driver.ts")).acpDriver()],
  },
  {
    name: "ai-sdk",
    package: "ai",
    setUp: '`import "agent-conduct/ai-sdk"`',
    folders: ["ai-sdk"],
    async load() {
      const { aiSdkDriver } = await import("./ai-sdk/driver.ts");
      return [aiSdkDriver(), aiSdkDriver("streamText"), aiSdkDriver("ToolLoopAgent")];
    },
  },
  {
    name: "claude",
    package: "@anthropic-ai/claude-agent-sdk",
    setUp: '`import "agent-conduct/claude"`',
    folders: ["claude"],
    load: async () => [(await import("./claude/driver.ts")).claudeDriver()],
  },
  {
    name: "claude-code",
    package: "@anthropic-ai/claude-agent-sdk",
    setUp: "`conduct init claude-code`",
    versionKey: "claudeCodeVersion",
    folders: ["claude"],
    load: async () => [(await import("./claude-code/driver.ts")).claudeCodeDriver()],
  },
  {
    name: "codex",
    package: "@openai/codex",
    setUp: "`conduct init codex --trust`",
    folders: ["codex"],
    async load() {
      const { codexDriver } = await import("./codex/driver.ts");
      return [codexDriver(), codexDriver({ codeMode: true })];
    },
  },
  {
    name: "copilot",
    package: "@github/copilot",
    setUp: "`conduct init copilot`",
    folders: ["copilot"],
    load: async () => [(await import("./copilot/driver.ts")).copilotDriver()],
  },
  {
    name: "gemini",
    package: "@google/gemini-cli",
    setUp: "`conduct init gemini`",
    folders: ["gemini"],
    load: async () => [(await import("./gemini/driver.ts")).geminiDriver()],
  },
  {
    name: "langchain",
    package: "langchain",
    setUp: '`import "agent-conduct/langchain"`',
    folders: ["langchain"],
    load: async () => [(await import("./langchain/driver.ts")).langChainDriver()],
  },
  {
    name: "mastra",
    package: "@mastra/core",
    setUp: '`import "agent-conduct/mastra"`',
    folders: ["mastra"],
    async load() {
      const { mastraDriver } = await import("./mastra/driver.ts");
      return [mastraDriver(), mastraDriver("stream")];
    },
  },
  {
    name: "openai-agents",
    package: "@openai/agents",
    setUp: '`import "agent-conduct/openai-agents"`',
    folders: ["openai-agents"],
    async load() {
      const { openAiAgentsDriver } = await import("./openai-agents/driver.ts");
      return [openAiAgentsDriver(), openAiAgentsDriver("chat")];
    },
  },
  {
    name: "openclaw",
    package: "openclaw",
    setUp: "`conduct init openclaw`",
    folders: ["openclaw"],
    load: async () => [(await import("./openclaw/driver.ts")).openclawDriver()],
  },
  {
    name: "opencode",
    package: "opencode-ai",
    setUp: "`conduct init opencode`",
    folders: ["opencode"],
    async load() {
      const { opencodeDriver, opencodeRunDriver } = await import("./opencode/driver.ts");
      return [opencodeDriver(), opencodeRunDriver()];
    },
  },
  {
    name: "pi",
    package: "@earendil-works/pi-agent-core",
    setUp: '`import "agent-conduct/pi"`',
    folders: [],
    async load() {
      const { piDriver } = await import("./pi/driver.ts");
      return WIRES.map((api) => piDriver({ api }));
    },
  },
  {
    name: "pi-extension",
    package: "@earendil-works/pi-coding-agent",
    setUp: "`conduct init pi`",
    folders: ["pi-extension"],
    load: async () => [(await import("./pi-extension/driver.ts")).piExtensionDriver()],
  },
];

/** The usual driver of a runtime that `npm run compat` was asked for (all of them unless told), or why it is left out. */
export type Chosen =
  | { readonly name: string; readonly driver: RuntimeDriver }
  | { readonly name: string; readonly leftOut: string };

export function chosenDrivers(): Promise<readonly Chosen[]> {
  const names = process.env.CONDUCT_COMPAT?.split(",");
  const chosen = RUNTIMES.filter(({ name }) => names === undefined || names.includes(name));
  return Promise.all(
    chosen.map(async (runtime): Promise<Chosen> => {
      const { name } = runtime;
      if (missingFolders(runtime).length > 0)
        return { name, leftOut: `not installed: npm run compat -- ${name} installs it` };
      const [driver] = await runtime.load();
      return driver === undefined ? { name, leftOut: "it has no driver" } : { name, driver };
    }),
  );
}
