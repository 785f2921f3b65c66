import { afterEach, describe, expect, it } from "vitest";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import { say, testConversations } from "../test/test-gateway.ts";
import { type ClaudeModule, claudeRuntime } from "./claude-runtime.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function world(load?: () => Promise<ClaudeModule>, model?: string) {
  const agents = [defineAgent({ name: "clerk", ...(model === undefined ? {} : { model }) })];
  const test = testConversations({ agents, runtime: claudeRuntime(load === undefined ? {} : { load, env: {} }) });
  const opened = test.open();
  closing.push(test.remove, () => opened.conversations.close(0));
  return opened;
}

describe("runtime: claude without what it needs", () => {
  it("GW-40 without the SDK the Claude runtime explains how to install it", async () => {
    const { conversations } = world();
    const conversation = await conversations.start({ agent: "clerk", user: "ann", channel: "web" });
    expect(await say(conversations, conversation, "hello")).toMatchObject({
      status: "failed",
      why: "'runtime: claude' needs the package @anthropic-ai/claude-agent-sdk; install it: npm install @anthropic-ai/claude-agent-sdk",
    });
  });

  it("GW-41 the Claude runtime rejects a model of another provider", async () => {
    const { conversations } = world(async () => ({}) as ClaudeModule, "openai/gpt-5.1");
    const conversation = await conversations.start({ agent: "clerk", user: "ann", channel: "web" });
    expect(await say(conversations, conversation, "hello")).toMatchObject({
      status: "failed",
      why: expect.stringContaining("'openai/gpt-5.1' is none"),
    });
  });
});
