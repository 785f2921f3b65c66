import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { KitMcpCall, KitReply } from "../driver.ts";
import { check, checkContains, resultOf } from "../expect.ts";
import { configOf, RELEASE_FILES, releaseConfig, type Scenario, shell } from "./scenario.ts";

const config = releaseConfig({
  sections: [{ heading: "Task", content: "You release. Kit marker: BELOW-41C." }],
});

/** In a checkout, and in the built package. */
const SERVERS = ["../mcp-server.ts", "./kit-mcp-server.mjs"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);
const SERVER = SERVERS.find((path) => existsSync(path)) ?? "";
const SHELVES = configOf("shelves", {
  rules: [
    {
      id: "look-first",
      on: ["kit/erase"],
      require: { call: "kit/look", same: ["shelf"] },
      say: "Look at shelf {{args.shelf}} first.",
    },
  ],
});

/** Scenarios beyond the agent's own tools: subagents and MCP servers. */
export const beyondScenarios: readonly Scenario[] = [
  {
    id: "subagent-denied",
    title:
      "a subagent is told the same, its calls are denied by the same rules, and what it proves is not its parent's",
    needs: ["subagents", "deny"],
    async run(driver) {
      const replies = [
        { calls: [shell("sub_1", "sh deploy.sh")] },
        { calls: [shell("sub_2", "sh test.sh")] },
        { text: "Tested." },
      ];
      const outcome = await driver.run({
        config,
        message: "have it deployed",
        files: RELEASE_FILES,
        script: [
          { task: { id: "call_1", prompt: "deploy it", replies } },
          { calls: [shell("call_2", "sh deploy.sh")] },
          { text: "Done." },
        ],
      });
      check(outcome.unplayed === 0, `${outcome.unplayed} replies were never asked for`);
      checkContains(resultOf(outcome, "sub_1"), "requires: test", "the result of the subagent's denied call");
      checkContains(resultOf(outcome, "sub_2"), "all green", "the result of the subagent's test");
      checkContains(resultOf(outcome, "call_2"), "requires: test", "the result of the agent's denied call");
      check(outcome.file("deployed.txt") === undefined, "the denied command ran all the same");
      const below = outcome.requests.filter(({ subagent }) => subagent === true);
      check(below.length >= 3, `three requests of the subagent expected, ${below.length} seen`);
      for (const { raw } of below) checkContains(raw, "BELOW-41C", "a request of the subagent");
      const calls = outcome.events.flatMap((event) => (event.type === "call" ? [event] : []));
      const session = calls.find(({ call }) => call.id === "call_2")?.session;
      for (const { call, parent } of calls.filter(({ call: { id } }) => id.startsWith("sub_")))
        check(parent === session, `${call.id} was not decided in a session below the agent's`);
    },
  },
  {
    id: "mcp-denied",
    title: "a tool of an MCP server is denied by a rule on server/name, and runs when the rule is satisfied",
    needs: ["mcp", "deny"],
    async run(driver) {
      const folder = mkdtempSync(join(tmpdir(), "conduct-kit-mcp-"));
      const log = join(folder, "ran.txt");
      const call = (id: string, tool: string, shelf: string): KitMcpCall => {
        return { id, server: "kit", tool, args: { shelf } };
      };
      try {
        const outcome = await driver.run({
          config: SHELVES,
          message: "erase shelf 7",
          mcpServers: { kit: { command: process.execPath, args: [SERVER, log] } },
          script: [
            { mcpCalls: [call("call_1", "erase", "7")] },
            { mcpCalls: [call("call_2", "look", "7")] },
            { mcpCalls: [call("call_3", "erase", "7")] },
            { mcpCalls: [call("call_4", "erase", "8")] },
            { text: "Done." },
          ],
        });
        checkContains(resultOf(outcome, "call_1"), "Look at shelf 7 first.", "the result of the denied call");
        checkContains(resultOf(outcome, "call_2"), "look: shelf 7 is done", "the result of the allowed call");
        checkContains(resultOf(outcome, "call_4"), "Look at shelf 8 first.", "the result of the other denied call");
        if (driver.capabilities.outcome === true)
          checkContains(resultOf(outcome, "call_3"), "erase: shelf 7 is done", "the result of the second attempt");
        const ran = existsSync(log) ? readFileSync(log, "utf8") : "";
        const wanted = driver.capabilities.outcome === true ? "look 7\nerase 7\n" : "look 7\n";
        check(ran === wanted, `what ran on the server: ${JSON.stringify(ran)}`);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  },
  {
    id: "mcp-requirement",
    title:
      "a trusted tool's nested __directives must be met before the next call, and the model sees neither them nor a rewritten number",
    needs: ["mcp", "deny", "requirements"],
    async run(driver) {
      const folder = mkdtempSync(join(tmpdir(), "conduct-kit-mcp-"));
      const log = join(folder, "ran.txt");
      const call = (id: string, tool: string): KitReply => {
        return { mcpCalls: [{ id, server: "kit", tool, args: { shelf: "7" } }] };
      };
      try {
        const outcome = await driver.run({
          config: configOf("counter", { trustedTools: [{ server: "kit", tool: "count" }] }),
          message: "count shelf 7",
          mcpServers: { kit: { command: process.execPath, args: [SERVER, log] } },
          script: [
            call("call_1", "count"),
            call("call_2", "erase"),
            call("call_3", "look"),
            call("call_4", "erase"),
            { text: "Done." },
          ],
        });
        checkContains(resultOf(outcome, "call_2"), "requires these calls first: kit/look", "the denied call's result");
        check(
          outcome.requests.every(({ raw }) => !raw.includes("__directives")),
          "a request to the model contains __directives",
        );
        // A runtime that shows the model only the structured content shows no number.
        const [number = "12345678901234567890"] = /\d{16,}/.exec(resultOf(outcome, "call_1")) ?? [];
        check(number === "12345678901234567890", `the number became ${number}`);
        const ran = readFileSync(log, "utf8");
        const wanted = `count 7\nlook 7\n${driver.capabilities.outcome === true ? "erase 7\n" : ""}`;
        check(ran === wanted, `what ran on the server: ${JSON.stringify(ran)}`);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  },
];
