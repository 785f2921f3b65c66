import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AfterToolCallContext, BeforeToolCallContext } from "@earendil-works/pi-agent-core";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import type { KitCall } from "../../src/testing/kit/driver.ts";
import { runPi } from "./driver.ts";

/** Writes what Pi's hooks really get into the adapter's `recorded/`: `node compat/pi/record.ts`. */
const folder = join(import.meta.dirname, "../../src/edge/adapters/pi/recorded");

const calls: readonly KitCall[] = [
  { id: "call_read", tool: "read_file", args: { path: "a.txt" } },
  { id: "call_write", tool: "write_file", args: { path: "@b.txt", content: "new\n" } },
  { id: "call_ok", tool: "shell", args: { command: "echo fine" } },
  { id: "call_failed", tool: "shell", args: { command: "echo broken; exit 3" } },
];

for (const api of ["anthropic-messages", "openai-responses"] as const) {
  const before: object[] = [];
  const after: object[] = [];
  await runPi(
    {
      agent: defineAgent({ name: "recorded" }),
      message: "go",
      files: { "a.txt": "old\n" },
      script: [{ text: "Working.", calls }, { text: "Done." }],
    },
    {
      api,
      agentOptions: {
        toolExecution: "sequential",
        beforeToolCall: async (context) => void before.push(withoutTranscript(context)),
        afterToolCall: async (context) => void after.push(withoutTranscript(context)),
      },
    },
  );
  writeFileSync(join(folder, `${api}.json`), `${JSON.stringify({ before, after }, null, 2)}\n`);
}

function withoutTranscript<T extends BeforeToolCallContext | AfterToolCallContext>(given: T): object {
  const { context: _, ...rest } = given;
  return structuredClone({ ...rest, assistantMessage: { ...given.assistantMessage, timestamp: 0 } });
}
