import { describe, expect, it } from "vitest";
import type { Role } from "../../../base/words/hosting/user.ts";
import type { Sandbox } from "../../../edge/host/sandbox/sandbox.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import { type CommandUse, commandUse, HostedCommands } from "./hosted-commands.ts";

const NONE: Sandbox = {
  kind: "none",
  why: "bubblewrap is not installed",
  fix: "install one: apt-get install bubblewrap",
};
const SOME: Sandbox = { kind: "bubblewrap", version: "1", wrap: () => ({ file: "false", args: [], env: {} }) };
const ROLES: { [user: string]: Role } = { olga: "operator", uma: "user", vic: "viewer" };

const open = (sandbox: Sandbox, use: CommandUse) =>
  new HostedCommands({
    sandbox,
    env: process.env,
    useOf: () => use,
    networkOf: () => [],
    roleOf: async (user) => ROLES[user],
  });

describe("who may use an agent that runs commands", () => {
  it.each([
    { sandbox: SOME, use: "sandboxed", people: ["uma"], refused: undefined },
    { sandbox: NONE, use: "none", people: ["uma"], refused: undefined },
    { sandbox: NONE, use: "sandboxed", people: ["olga"], refused: undefined },
    { sandbox: NONE, use: "sandboxed", people: ["uma"], refused: /apt-get install bubblewrap/ },
    { sandbox: NONE, use: "sandboxed", people: ["olga", "uma"], refused: /Only operators/ },
    { sandbox: NONE, use: "sandboxed", people: ["telegram-chat-7", "olga"], refused: /Only operators/ },
    { sandbox: NONE, use: "sandboxed", people: [], refused: /Only operators/ },
    { sandbox: SOME, use: "unsandboxed", people: ["uma"], refused: /runtime: pi/ },
    { sandbox: SOME, use: "unsandboxed", people: ["olga"], refused: undefined },
  ] as const)(
    "SBX-50 access to an agent with $use commands and sandbox $sandbox.kind depends on the roles of $people",
    async ({ sandbox, use, people, refused }) => {
      const checking = open(sandbox, use).check("clerk", people);
      if (refused === undefined) await checking;
      else await expect(checking).rejects.toThrow(refused);
    },
  );

  it("SBX-51 without a sandbox only an operator's command runs, even if earlier checks failed", async () => {
    const run = (user: string) => open(NONE, "none").of("clerk", user, "/").run("echo ran", { timeoutMs: 30_000 });
    await expect(run("uma")).rejects.toThrow("Only operators");
    await expect(run("nobody")).rejects.toThrow("Only operators");
    expect((await run("olga")).output).toBe("ran\n");
  });

  it.each([
    { tools: ["read_file", "write_file", "fetch"], definition: {}, use: "none" },
    { tools: ["shell"], definition: {}, use: "sandboxed" },
    { tools: ["read_file"], definition: { completion: { command: "npm test" } }, use: "sandboxed" },
    { tools: ["shell"], definition: { runtime: "claude" }, use: "unsandboxed" },
    { tools: ["read_file"], definition: { runtime: "claude" }, use: "unsandboxed" },
    { tools: ["web_search"], definition: { runtime: "claude" }, use: "none" },
    { tools: [], definition: { runtime: "claude" }, use: "none" },
  ])(
    "SBX-52 an agent with the tools $tools and the definition $definition has the command use $use",
    ({ tools, definition, use }) => {
      const agent = defineAgent({ name: "a", tools: tools.map((name) => ({ name })) });
      expect(commandUse({ agent, definition })).toBe(use);
    },
  );
});
