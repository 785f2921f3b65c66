import { beforeAll, describe, expect, it } from "vitest";
import type { SessionClassification } from "../../../base/words/classification.ts";
import type { TagDimension } from "../../../base/words/prompt.ts";
import { resultOf, toldIn } from "../../../testing/kit/expect.ts";
import type { LocalDriver } from "../../../testing/kit/local-run.ts";
import { mark, TAGS, valuesOf } from "./prompt-config.ts";
import { type Played, playModelClassified, playThreeTurns } from "./prompt-play.ts";

const DIMENSIONS = Object.keys(TAGS) as readonly TagDimension[];
const bob = { user: "bob", agent: "ada" };

/** Tests every source and every dimension, from conduct.yaml, a plugin or a file to the bytes of the model request. */
export function toldSuite(driver: LocalDriver): void {
  describe(`told: ${driver.name}`, () => {
    let played: Played;
    beforeAll(async () => {
      played = await playThreeTurns(driver);
    });

    it("G09: the prompt has identity, soul, channel, time in the user's zone, tools, instructions and memory", () => {
      const [first, second] = played.turns;
      const always = [
        "You are Ada — the shop's clerk.",
        "Count twice before you ship.",
        "<section=orders>",
        "<untagged>",
      ];
      for (const part of [...always, "You are responding via pager.\nOne line, no links."]) {
        expect(first).toContain(part);
        expect(second).toContain(part);
      }
      expect(first).toContain("Friday, March 06, 2026 02:35 PM (Asia/Kolkata)");
      expect(second).toContain("Friday, March 06, 2026 04:05 PM (Asia/Kolkata)");
      for (const tool of ["update_instructions", "read_memory", "save_memory"] as const)
        expect(first).toContain(driver.toolName(tool));
      expect(first).toContain("(No custom instructions set.)");
      expect(first).toContain("Nothing has been saved about this user yet.");
    });

    it("TOLD-1 seed 000's own configuration sends the section of the session's domain, and no other domain's", () => {
      expect(played.turns[0]).toContain("- Use parameterized queries for database access");
      expect(played.turns[0]).not.toContain("React hooks");
    });

    it.each(DIMENSIONS)("TOLD-2 the request contains exactly the session's values of %s", (dimension) => {
      expect(played.classification.topic).toBe("debugging");
      expectMarks(played.turns[0], played.classification, dimension);
    });

    it("TOLD-3 a plugin's section is sent until the plugin removes it", () => {
      const [first, second, third] = played.turns;
      expect([first, second, third].map((told) => told?.includes("<plugin>"))).toEqual([true, false, false]);
    });

    it("TOLD-4 a workspace's prompt is sent as it was trusted; after a change it is left out until it is trusted again", () => {
      const [first, second, third] = played.turns;
      expect([first, second, third].map((told) => told?.includes("<house=old>"))).toEqual([true, false, false]);
      expect([first, second, third].map((told) => told?.includes("<house=new>"))).toEqual([false, false, true]);
      for (const { raw } of played.outcome.requests) expect(raw).not.toContain("<stranger>");
    });

    it("H10: instructions and memory that the model saves for the user are in the next turn's prompt", async () => {
      const [first, second] = played.turns;
      for (const part of ["Answer in French.", "The dock is gate 9."]) {
        expect(first).not.toContain(part);
        expect(second).toContain(part);
      }
      expect(resultOf(played.outcome, "call_read")).toContain("The dock is gate 9.");
    });

    it("H08: no tool argument reaches another user", async () => {
      const { memory, instructions } = played;
      expect((await memory.search(bob, { limit: 10 })).total).toBe(0);
      expect((await instructions.read(bob)).items).toEqual([]);
    });

    it("TOLD-5 a classification by a model over the real wire selects the sections too", async () => {
      const { outcome, classification } = await playModelClassified(driver);
      expect(classification).toMatchObject({ topic: "creative", complexity: "trivial" });
      const [told] = outcome.requests.map(toldIn);
      for (const dimension of DIMENSIONS) expectMarks(told, classification, dimension);
      expect(outcome.requests[0]?.raw).toContain("- Use React hooks, not class components");
      expect(outcome.requests[0]?.raw).not.toContain("parameterized queries");
    });
  });
}

function expectMarks(told: string | undefined, classification: SessionClassification, dimension: TagDimension): void {
  const there = TAGS[dimension].filter((value) => told?.includes(mark(dimension, value)));
  const wanted = TAGS[dimension].filter((value) => valuesOf(classification)[dimension].includes(value));
  expect(wanted).not.toEqual([]);
  expect(there).toEqual(wanted);
}
