import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import { type Script, startModelServer } from "../../../testing/test/model-server/index.ts";
import { gatewayModels } from "../agents/models.ts";
import type { SteadyLimits } from "../runtimes/steady-stream.ts";
import { testConversations } from "./test-gateway.ts";

const MODEL = "own/scripted";
export const WEB = { agent: "clerk", user: "ann", channel: "web" } as const;
const clerk = defineAgent({
  name: "clerk",
  model: MODEL,
  tools: [
    { name: "shell", args: ["command"] },
    { name: "read_file", args: ["path"] },
  ],
});

/** Conversations with a clerk on a scripted model, for tests of what goes wrong around them; gone when the test is over. */
export async function world(
  script: Script,
  { limits = {}, ...more }: Parameters<typeof testConversations>[0] & { readonly limits?: Partial<SteadyLimits> } = {},
) {
  const server = await startModelServer({ script });
  const overrides = { [MODEL]: { baseUrl: server.openaiUrl, api: "openai-completions", apiKey: "none" } } as const;
  const models = gatewayModels(overrides, { idleMs: 20_000, firstWaitMs: 1, ...limits });
  const test = testConversations({ agents: [clerk], models, ...more });
  const opened = test.open();
  onTestFinished(async () => {
    await opened.conversations.close(0);
    await server.close();
    test.remove();
  });
  return { ...test, ...opened, server };
}

/** What the tools have written into `ran.txt`. */
export function ran(root: string, conversation: string): string {
  try {
    return readFileSync(join(root, "work", conversation, "ran.txt"), "utf8");
  } catch {
    return "";
  }
}
