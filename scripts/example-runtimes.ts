import type { ModelServer, ScriptedCall } from "../src/testing/test/model-server/index.ts";

type Folders = { readonly folder: string; readonly home: string };

/** How an example is run by `package-examples.ts`. */
export type Example = {
  /** Folder in `examples/`. */
  readonly name: string;
  /** The runtime, if the example does not depend on it itself. */
  readonly packages?: readonly string[];
  /** Name for `conduct init`; without it the example is a program, started by `npm start`. */
  readonly init?: string;
  readonly initOptions?: readonly string[];
  /** How the scripted model runs a command in this runtime. */
  readonly model: (command: string) => ScriptedCall;
  /** Files in the home folder that point the runtime to the scripted model. */
  readonly settings?: (server: ModelServer, place: Folders) => { readonly [path: string]: string };
  readonly env?: (server: ModelServer, place: Folders) => NodeJS.ProcessEnv;
  readonly command?: readonly string[];
};

const bash = (command: string): ScriptedCall => ({ name: "bash", input: { command } });
const model = {
  id: "scripted",
  name: "scripted",
  reasoning: false,
  input: ["text"],
  cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 200_000,
  maxTokens: 32_000,
};

export const EXAMPLES: readonly Example[] = [
  { name: "own-loop", model: bash },
  { name: "mcp", model: bash },
  { name: "acp", model: bash },
  { name: "pi", model: bash },
  { name: "ai-sdk", model: bash },
  { name: "openai-agents", model: bash },
  { name: "langchain", model: bash },
  { name: "mastra", model: bash },
  { name: "claude", model: (command) => ({ name: "Bash", input: { command } }) },
  {
    name: "claude-code",
    packages: ["@anthropic-ai/claude-code@2.1.325"],
    init: "claude-code",
    model: (command) => ({ name: "Bash", input: { command } }),
    env: ({ url }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
    command: ["claude", "-p", "Deploy it.", "--allowedTools", "Bash"],
  },
  {
    name: "codex",
    packages: ["@openai/codex@0.166.0"],
    init: "codex",
    initOptions: ["--trust"],
    model: (command) => ({ name: "exec_command", input: { cmd: command } }),
    settings: ({ openaiUrl }, { folder }) => ({
      ".codex/config.toml": `model = "gpt-5.5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${openaiUrl}"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
[features]
plugins = false
apps = false
[projects."${folder}"]
trust_level = "trusted"
`,
    }),
    env: () => ({ SCRIPTED_KEY: "none" }),
    command: ["codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "Deploy it."],
  },
  {
    name: "gemini",
    packages: ["@google/gemini-cli@0.61.0"],
    init: "gemini",
    model: (command) => ({ name: "run_shell_command", input: { command } }),
    settings: () => ({
      ".gemini/settings.json": JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" } } }),
    }),
    env: ({ url }) => ({
      GEMINI_API_KEY: "none",
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    }),
    command: ["gemini", "--yolo", "-p", "Deploy it."],
  },
  {
    name: "copilot",
    packages: ["@github/copilot@1.0.102"],
    init: "copilot",
    model: (command) => ({ name: "bash", input: { command, description: "Runs it" } }),
    env: ({ openaiUrl }) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
      COPILOT_PROVIDER_BASE_URL: openaiUrl,
      COPILOT_PROVIDER_API_KEY: "sk-none",
      COPILOT_MODEL: "scripted",
    }),
    command: ["copilot", "--allow-all-tools", "-p", "Deploy it."],
  },
  {
    name: "opencode",
    packages: ["opencode-ai@1.18.33"],
    init: "opencode",
    model: bash,
    settings: ({ openaiUrl }) => ({
      ".config/opencode/opencode.json": JSON.stringify({
        model: "scripted/scripted",
        autoupdate: false,
        permission: { "*": "allow" },
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: openaiUrl, apiKey: "none" },
            models: { scripted: { name: "scripted", tool_call: true, limit: { context: 200_000, output: 1_000 } } },
          },
        },
      }),
      "models.json": "{}",
    }),
    env: (_, { home }) => ({ OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_MODELS_PATH: `${home}/models.json` }),
    command: ["opencode", "run", "Deploy it."],
  },
  {
    name: "pi-extension",
    packages: ["@earendil-works/pi-coding-agent@0.87.1"],
    init: "pi",
    model: bash,
    settings: ({ url }) => ({
      ".pi/agent/models.json": JSON.stringify({
        providers: { scripted: { baseUrl: url, api: "anthropic-messages", apiKey: "none", models: [model] } },
      }),
      ".pi/agent/settings.json": JSON.stringify({ defaultProvider: "scripted", defaultModel: "scripted" }),
    }),
    env: () => ({ PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" }),
    command: ["pi", "-p", "Deploy it."],
  },
  {
    name: "openclaw",
    packages: ["openclaw@2026.9.6"],
    init: "openclaw",
    model: (command) => ({ name: "exec", input: { command } }),
    settings: ({ url }, { folder }) => ({
      ".openclaw/openclaw.json": JSON.stringify({
        gateway: { mode: "local" },
        models: {
          mode: "replace",
          catalogRefresh: { enabled: false },
          providers: { scripted: { baseUrl: url, apiKey: "none", api: "anthropic-messages", models: [model] } },
        },
        agents: {
          defaults: {
            model: { primary: "scripted/scripted" },
            thinkingDefault: "off",
            skipBootstrap: true,
            workspace: folder,
          },
        },
        tools: { profile: "coding", toolSearch: false, exec: { host: "gateway", mode: "full" } },
        plugins: { allow: ["memory-core"], entries: { "memory-core": { enabled: false } } },
      }),
    }),
    env: () => ({ OPENCLAW_NO_AUTO_UPDATE: "1", OPENCLAW_DISABLE_BONJOUR: "1", DO_NOT_TRACK: "1" }),
    command: ["openclaw", "agent", "--local", "--session-id", "example", "--message", "Deploy it."],
  },
];
