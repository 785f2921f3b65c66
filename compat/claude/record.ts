import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSdkMcpServer, type HookEvent, type HookInput, tool } from "@anthropic-ai/claude-agent-sdk";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import { runClaude } from "./driver.ts";

/**
 * Writes the hook events of the installed SDK to the adapter's `recorded/events.json`, one per call id:
 * `node_modules/.bin/node compat/claude/record.ts`
 */
const EVENTS = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "UserPromptSubmit",
  "Stop",
] as const;
const recorded: HookInput[] = [];
const note = (input: HookInput) => {
  recorded.push(input);
  return {};
};
const hooks = Object.fromEntries(
  EVENTS.map((event: HookEvent) => [event, [{ hooks: [async (input: HookInput) => note(input)] }]]),
);
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const notes = createSdkMcpServer({
  name: "notes",
  tools: [
    tool("text", "d", {}, async () => ({ content: [{ type: "text", text: "one" }] })),
    tool("data", "d", {}, async () => ({ content: [{ type: "text", text: "x" }], structuredContent: { k: 1 } })),
    tool("image", "d", {}, async () => ({ content: [{ type: "image", data: PIXEL, mimeType: "image/png" }] })),
    tool("fail", "d", {}, async () => ({ content: [{ type: "text", text: "nope" }], isError: true })),
  ],
  alwaysLoad: true,
});
let root = "";
const outcome = await runClaude(
  {
    agent: defineAgent({ name: "recorder" }),
    message: "go",
    script: [],
    files: { "a.txt": "one\ntwo\n", "pixel.png.b64": PIXEL },
  },
  {
    options: {
      hooks,
      mcpServers: { notes },
      allowedTools: ["Bash", "Read", "Write", "Edit", "Glob", "Grep", "Agent", "mcp__notes"],
    },
    script: (at) => {
      root = at;
      const file_path = join(at, "a.txt");
      const agent = { description: "d", prompt: "do it", subagent_type: "general-purpose", run_in_background: false };
      const steps = [
        [
          { id: "bash", name: "Bash", input: { command: "echo out; echo err >&2", description: "says two words" } },
          { id: "bash-fails", name: "Bash", input: { command: "echo hi; exit 3" } },
          { id: "bash-background", name: "Bash", input: { command: "sleep 0", run_in_background: true } },
          { id: "bash-no-match", name: "Bash", input: { command: "grep zzz a.txt" } },
          { id: "bash-long", name: "Bash", input: { command: "seq 1 20000" } },
          { id: "bash-pixel", name: "Bash", input: { command: "base64 -d pixel.png.b64 > pixel.png" } },
        ],
        [
          { id: "read", name: "Read", input: { file_path } },
          { id: "read-image", name: "Read", input: { file_path: join(at, "pixel.png") } },
          { id: "read-missing", name: "Read", input: { file_path: join(at, "none.txt") } },
          { id: "glob", name: "Glob", input: { pattern: "*.txt" } },
          { id: "grep", name: "Grep", input: { pattern: "one" } },
          { id: "grep-content", name: "Grep", input: { pattern: "one", output_mode: "content" } },
        ],
        [
          { id: "edit", name: "Edit", input: { file_path, old_string: "one", new_string: "1" } },
          { id: "write", name: "Write", input: { file_path, content: "new\n" } },
        ],
        [
          { id: "mcp-text", name: "mcp__notes__text", input: {} },
          { id: "mcp-data", name: "mcp__notes__data", input: {} },
          { id: "mcp-image", name: "mcp__notes__image", input: {} },
          { id: "mcp-fail", name: "mcp__notes__fail", input: {} },
          { id: "agent", name: "Agent", input: agent },
        ],
      ];
      let step = 0;
      return (request) => {
        if (request.kind === "subagent") return { text: "found it" };
        const calls = steps[step++];
        return calls === undefined ? { text: "Done." } : { calls };
      };
    },
  },
);
const clean = JSON.stringify(recorded, undefined, 2)
  .replaceAll(join(root, ".."), "/run")
  .replace(/"(session_id|transcript_path|prompt_id|duration_ms|durationMs|effort)": ("[^"]*"|\d+|\{[^}]*\}),?\s*/g, "")
  .replace(/,(\s*[}\]])/g, "$1")
  .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "session")
  .replace(/"stdout": "(1\\n2\\n3\\n4\\n5\\n)[^"]{1000,}"/g, '"stdout": "$1"');
JSON.parse(clean);
writeFileSync(join(import.meta.dirname, "../../src/edge/adapters/claude/recorded/events.json"), `${clean}\n`);
console.log(`${recorded.length} events, ${outcome.requests.length} requests`);
