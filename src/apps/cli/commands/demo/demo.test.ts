import { access } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../declared/command-tree.ts";
import { parseCommandLine } from "../../line/command-line.ts";
import { paintFor } from "../../line/terminal.ts";
import { testTerminal } from "../../test/test-terminal.ts";
import { runDemo } from "./demo.ts";

/** A second passes with every reply. */
function testWorld() {
  let ms = 0;
  const start = Date.UTC(2026, 10, 15, 14, 2, 0);
  return {
    clock: { now: () => start + ms, monotonic: () => ms },
    zone: "UTC",
    pause: async () => {
      ms += 1_000;
    },
  };
}

async function runAt(columns: number, colour = false) {
  const terminal = testTerminal({ columns, paint: paintFor(colour) });
  const outcome = await runDemo({}, terminal, testWorld());
  const said = terminal.said() + (outcome.text ?? "");
  const folder = said.replace(/\S*\/conduct-demo-\w+/g, "/tmp/conduct-demo-XXXXXX");
  // The prompt names the folder, so that its size and hash are those of this run.
  return { outcome, said: folder.replace(/\d+ tokens \(\d+ cached\) · \w{6}/, "NNN tokens (NNN cached) · HHHHHH") };
}

describe("conduct demo", () => {
  it("DM-1 conduct demo prints the whole story in 100 columns (golden)", async () => {
    const { outcome, said } = await runAt(100);
    expect(outcome.ok).toBe(true);
    await expect(said).toMatchFileSnapshot("demo.golden.txt");
    expect(said.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });

  it("DM-2 conduct demo fits a narrow terminal, and coloured output differs from plain output only in its colours", async () => {
    const narrow = await runAt(80);
    expect(narrow.said.split("\n").filter((line) => line.length > 80)).toEqual([]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what colours are made of.
    expect((await runAt(80, true)).said.replace(/\u001b\[\d+m/g, "")).toBe(narrow.said);
  });

  it("DM-3 conduct demo --json prints only the status, the figures and every event, and removes its sandbox", async () => {
    const terminal = testTerminal({ json: true });
    const outcome = await runDemo({}, terminal, testWorld());
    expect(terminal.said()).toBe("");
    expect(outcome).toMatchObject({
      ok: true,
      result: {
        status: "complete",
        tally: {
          calls: 12,
          denied: { "deploy-needs-proof": 2, "read-before-write": 1 },
          failed: 1,
          feedback: 2,
          pagesRead: 1,
          stopsRefused: 1,
        },
      },
    });
    const { events } = outcome.ok
      ? (JSON.parse(JSON.stringify(outcome.result)) as { events: object[] })
      : { events: [] };
    expect(events.length).toBeGreaterThan(20);
    for (const { command } of outcome.next) {
      expect((await parseCommandLine(command.split(" ").slice(1), COMMANDS)).kind, command).toBe("run");
    }
    const root = /"resolved":"([^"]*conduct-demo-\w+)/.exec(JSON.stringify(events))?.[1] ?? "/";
    await expect(access(root)).rejects.toThrow(/ENOENT/);
  });
});
