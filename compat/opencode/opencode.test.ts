import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ConductEvent } from "../../src/base/words/event.ts";
import { FileOutputChecker } from "../../src/behavior/completion/completion-checkers.ts";
import { StaticFeedbackProvider } from "../../src/behavior/feedback/feedback-providers.ts";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import { resultOf, stops } from "../../src/testing/kit/expect.ts";
import { runServed } from "./in-process.ts";
import { installed } from "./place.ts";
import { type OpencodeServer, startServer } from "./server.ts";

const MCP_SERVER = join(import.meta.dirname, "../../src/testing/kit/mcp-server.ts");

let server: OpencodeServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const MARK = "MARK-5D1";
const marked = { name: "marked", sections: [{ heading: "Task", content: MARK }] };
const bash = (id: string, command: string) => ({ calls: [{ id, name: "bash", input: { command } }] });
const kinds = (events: readonly ConductEvent[]) =>
  events.flatMap((event) => (event.type === "notice" ? [event.notice.kind] : []));
const faults = (events: readonly ConductEvent[]) =>
  events.flatMap((event) => (event.type === "fault" ? [event.fault.code] : []));

describe("OpenCode 1.18", () => {
  it("OCR-1 the prompt is in every request of the agent, but not in requests for titles and summaries", async () => {
    const before = server.models.sideRequests.length;
    const outcome = await runServed(server, {
      agent: defineAgent(marked),
      message: "hello",
      further: ["go on"],
      steps: { 2: "compact" },
      script: [{ text: "Hello." }, { text: "On." }],
    });
    expect(outcome.requests.map(({ raw }) => raw.split(MARK).length - 1)).toEqual([1, 1]);
    // The title is asked for beside the turn, whenever OpenCode gets to it.
    const aside = await vi.waitFor(
      () => {
        const systems = server.models.sideRequests.slice(before).map(({ system }) => system);
        expect(systems.map((system) => /title|summarization/.exec(system)?.[0]).sort()).toEqual([
          "summarization",
          "title",
        ]);
        return systems;
      },
      { timeout: 60_000 },
    );
    expect(aside.filter((system) => system.includes(MARK))).toEqual([]);
  });

  it("OCR-2 after a compaction in the middle of a turn, the whole prompt is sent again", async () => {
    const full = { input: 7_900, output: 5 };
    const outcome = await runServed(
      server,
      { agent: defineAgent({ ...marked, limits: { window: 8_000 } }), message: "look", script: [] },
      [{ ...bash("call_1", "echo one"), usage: full }, bash("call_2", "echo two"), { text: "Done." }],
    );
    expect(kinds(outcome.events).filter((kind) => kind === "compacted")).toHaveLength(1);
    expect(outcome.requests).toHaveLength(3);
    for (const { raw } of outcome.requests) expect(raw).toContain(MARK);
    expect(outcome.requests[1]?.raw).toContain("SUMMARY-OF-ALL");
  });

  it("OCR-3 feedback on a failed call is in the next request and in all later ones", async () => {
    const provider = new StaticFeedbackProvider({ name: "Kit", feedback: "MIND-THE-GAP" });
    const outcome = await runServed(server, {
      agent: defineAgent({ name: "advised", feedback: [{ provider, trigger: { everyNCalls: 1 } }] }),
      message: "look",
      script: [
        { calls: [{ id: "call_1", tool: "read_file", args: { path: "gone.txt" } }] },
        { calls: [{ id: "call_2", tool: "shell", args: { command: "echo two" } }] },
        { text: "Done." },
      ],
    });
    for (const { results } of outcome.requests.slice(1)) {
      expect(results[0]?.text).toMatch(/^File not found.*MIND-THE-GAP/s);
    }
    const outcomes = outcome.events.flatMap((event) => (event.type === "result" ? [event.outcome] : []));
    expect(outcomes).toEqual(["failed", "ok"]);
  });

  it("OCR-4 a subagent's stop is refused while its parent waits, and its last answer is the one that counts", async () => {
    const write = {
      calls: [{ id: "sub_1", tool: "write_file" as const, args: { path: "report.md", content: "x\n" } }],
    };
    const outcome = await runServed(server, {
      agent: defineAgent({ name: "finisher", completion: new FileOutputChecker({ files: ["report.md"] }) }),
      message: "have it written",
      script: [
        {
          task: {
            id: "call_1",
            prompt: "write it",
            replies: [{ text: "Done, I think." }, write, { text: "Now it is there." }],
          },
        },
        { text: "All done." },
      ],
    });
    expect(outcome.unplayed).toBe(0);
    expect(stops(outcome)).toEqual(["refused", "complete", "complete"]);
    expect(resultOf(outcome, "call_1")).toContain("Now it is there.");
    expect(resultOf(outcome, "call_1")).not.toContain("Done, I think.");
  });

  it("OCR-5 another plugin's tool is gated like any other, and changes that the plugin makes afterwards are reported", async () => {
    const plugin = `export const Other = async () => ({
      tool: { ship_it: { description: "ships", args: { to: { type: "string" } }, execute: async ({ to }) => "shipped to " + to } },
      "tool.execute.before": async ({ tool }, { args }) => { if (tool === "bash") args.command = "echo other"; },
    });`;
    const outcome = await runServed(
      server,
      {
        agent: defineAgent({
          name: "gated",
          policies: [
            {
              name: "no-shipping",
              check: ({ tool }) =>
                tool === "ship_it" ? { kind: "deny", reason: "not yet", next: "Wait." } : { kind: "allow" },
            },
          ],
        }),
        message: "ship it",
        files: { ".opencode/plugin/other.js": plugin, ...installed(".opencode") },
        script: [],
      },
      [
        { calls: [{ id: "call_1", name: "ship_it", input: { to: "Bonn" } }] },
        bash("call_2", "echo mine"),
        { text: "Done." },
      ],
    );
    expect(resultOf(outcome, "call_1")).toContain("Denied by no-shipping: not yet");
    expect(resultOf(outcome, "call_2")).toContain("other");
    expect(faults(outcome.events)).toEqual(["changed-call"]);
  });

  it("OCR-6 in code mode, every call that the model's script makes to a server passes the same gate", async () => {
    const coding = await startServer({ env: { OPENCODE_EXPERIMENTAL_CODE_MODE: "1" } });
    const log = join(coding.place.root, "ran.txt");
    const execute = (id: string, code: string) => ({ calls: [{ id, name: "execute", input: { code } }] });
    try {
      const outcome = await runServed(
        coding,
        {
          agent: defineAgent({
            name: "gated",
            policies: [
              {
                name: "keep",
                check: ({ tool }) =>
                  tool === "kit/erase" ? { kind: "deny", reason: "keep it", next: "Look." } : { kind: "allow" },
              },
            ],
          }),
          message: "erase it",
          mcpServers: { kit: { command: process.execPath, args: [MCP_SERVER, log] } },
          script: [],
        },
        [
          execute("call_1", 'return await tools.kit.erase({ shelf: "7" })'),
          execute("call_2", 'return await tools.kit.look({ shelf: "7" })'),
          { text: "Done." },
        ],
      );
      expect(resultOf(outcome, "call_1")).toContain("Denied by keep: keep it");
      expect(resultOf(outcome, "call_2")).toContain("look: shelf 7 is done");
      expect(readFileSync(log, "utf8")).toBe("look 7\n");
    } finally {
      await coding.close();
    }
  });
});
