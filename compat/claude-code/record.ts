import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import { runKit } from "./in-process.ts";

/**
 * Writes the hook events of the installed Claude Code to the adapter's `recorded/events.json`:
 * `node_modules/.bin/node compat/claude-code/record.ts`
 */
const recorded: unknown[] = [];
let root = "";
const shell = (id: string, command: string) => ({ id, name: "Bash", input: { command } });
const outcome = await runKit(
  {
    agent: defineAgent({ name: "recorder" }),
    message: "go",
    further: ["/think:high look again"],
    steps: { 2: "compact" },
    script: [],
    files: { "a.txt": "one\n" },
  },
  {
    prepare({ hooks }, place) {
      root = dirname(place.workspace);
      const { handle } = hooks;
      Object.assign(hooks, {
        handle: (event: unknown, from: { readonly part?: number } = {}) => {
          if (from.part === undefined) recorded.push(event);
          return handle(event, from);
        },
      });
    },
    script: (workspace) => {
      const file_path = join(workspace, "a.txt");
      const agent = { description: "d", prompt: "do it", subagent_type: "general-purpose", run_in_background: false };
      const steps = [
        [
          shell("bash", "echo out"),
          shell("bash-fails", "echo hi; exit 3"),
          shell("refused", "curl http://127.0.0.1:9/"),
        ],
        [{ id: "read", name: "Read", input: { file_path } }],
        [
          { id: "write", name: "Write", input: { file_path, content: "new\n" } },
          { id: "own", name: "mcp__conduct__verify_context", input: {} },
        ],
        [{ id: "agent", name: "Agent", input: agent }],
      ];
      let [step, below] = [0, 0];
      return (request) => {
        if (request.kind === "compaction") return { text: "<summary>What was said.</summary>" };
        if (request.kind === "subagent")
          return below++ === 0 ? { calls: [shell("sub", "echo below")] } : { text: "done" };
        const calls = steps[step++];
        return calls === undefined ? { text: "Done." } : { calls };
      };
    },
  },
);
const clean = JSON.stringify(recorded, undefined, 2)
  .replaceAll(root, "/run")
  .replace(/"(transcript_path|agent_transcript_path|duration_ms|totalDurationMs)": ("[^"]*"|\d+),?\s*/g, "")
  .replace(/"effort": \{[^}]*\},?\s*/g, "")
  .replace(/,(\s*[}\]])/g, "$1");
const ids = [...new Set(clean.match(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g) ?? [])];
const named = ids.reduce((text, id, at) => text.replaceAll(id, `id-${at + 1}`), clean);
JSON.parse(named);
writeFileSync(join(import.meta.dirname, "../../src/edge/adapters/claude-code/recorded/events.json"), `${named}\n`);
console.log(`${recorded.length} events, ${outcome.requests.length} requests`);
