import { beforeAll, describe, expect, it } from "vitest";
import type { Results } from "../../base/ports/stores/results.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { ToolResult } from "../../base/words/result.ts";
import { logText } from "../../behavior/results/test/sample-texts.ts";
import { loadTokenizer } from "../../behavior/results/token-counter.ts";
import { NO_RESULTS, truncateResult } from "../../behavior/results/truncate-result.ts";
import { readResult } from "./read-result.ts";

let counter: TokenCounter;
beforeAll(async () => {
  counter = await loadTokenizer();
});

const kept: Results = {
  keep: async () => undefined,
  read: async (session, handle) => {
    if (handle === "down") throw new Error("the store is down");
    return session === "s" && handle === "h" ? logText(400_000) : undefined;
  },
};

function textOf(result: ToolResult): string {
  const [part] = result.parts;
  return part?.kind === "text" ? part.text : "";
}

const context = () => ({ session: "s", results: kept, counter, window: 128_000 });

describe("read_result", () => {
  it("J12 the pages of read_result, without their last lines, add up to the full result", async () => {
    let all = "";
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const result = await readResult.run({ handle: "h", offset }, context());
      expect(result.outcome).toBe("ok");
      const text = textOf(result);
      const foot = text.lastIndexOf("\n\n[characters ");
      all += text.slice(0, foot);
      const next = /"offset":(\d+)\}\]$/.exec(text)?.[1];
      expect(text.slice(foot)).toContain(`characters ${offset} to ${all.length} of 400000.`);
      offset = next === undefined ? undefined : Number(next);
    }
    expect(all === logText(400_000)).toBe(true);
  });

  it.each([
    { window: 128_000 },
    { window: 8_000 },
    { window: 400 },
    { window: 60 },
    { window: 128_000, budget: 256 },
    { window: 128_000, budget: 64 },
    { window: 0 },
  ])("J12 a result of read_result is never cut again (%o)", async (limits) => {
    const result = await readResult.run({ handle: "h", offset: 1_000 }, { ...context(), ...limits });
    const turn = limits.budget === undefined ? NO_RESULTS : { used: 76_800 };
    if (limits.budget === undefined || limits.budget === 256) {
      const again = truncateResult(result, { tool: "read_result", counter, window: limits.window, turn });
      expect(again.truncations).toEqual([]);
    }
    expect(textOf(result)).not.toBe("");
    expect(counter.count(textOf(result))).toBeLessThanOrEqual(limits.budget ?? 30_720);
  });

  it("J12 a limit makes the page of read_result smaller", async () => {
    const text = textOf(await readResult.run({ handle: "h", limit: 50 }, context()));
    expect(counter.count(text)).toBeLessThan(110);
    expect(text).toContain("Next: ");
  });

  it.each([
    [{}, "needs `handle`"],
    [{ handle: 7 }, "needs `handle`"],
    [{ handle: "h", offset: -1 }, "`offset`"],
    [{ handle: "h", offset: "12" }, "`offset`"],
    [{ handle: "h", offset: 1.5 }, "`offset`"],
    [{ handle: "h", limit: 0 }, "`limit`"],
    [{ handle: "h", offset: 400_001 }, "ends at offset 400000"],
    [{ handle: "nope" }, 'no result "nope" in this session'],
    [{ handle: "down" }, "could not be read"],
  ])("J12 read_result with %o fails in one sentence", async (args, words) => {
    const result = await readResult.run(args, context());
    expect(result.outcome).toBe("failed");
    expect(textOf(result)).toContain(words);
    expect(textOf(result)).not.toContain("\n");
  });

  it("J12 read_result does not know handles of another session", async () => {
    const result = await readResult.run({ handle: "h" }, { ...context(), session: "other" });
    expect(result.outcome).toBe("failed");
  });

  it("J12 read_result declares its arguments", () => {
    expect(readResult.name).toBe("read_result");
    expect(readResult.inputSchema.required).toEqual(["handle"]);
  });
});
