import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { StaticFeedbackProvider } from "../../../behavior/feedback/feedback-providers.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import { openConduct } from "./open-conduct.ts";

const home = mkdtempSync(join(tmpdir(), "conduct-feedback-"));
afterAll(() => rmSync(home, { recursive: true }));

const every = (name: string, calls: number) => ({
  provider: new StaticFeedbackProvider({ name, feedback: `from ${name}` }),
  trigger: { everyNCalls: calls },
});
const agents = [defineAgent({ name: "fed", feedback: [every("one", 1), every("two", 2)] })];

describe("the history of feedback, for a program that uses the library", () => {
  it("FBH-2 a session gives its feedback per provider, also that of an earlier process", async () => {
    const first = openConduct({ agents, home, workspace: home });
    const session = first.session({ agent: "fed", id: "s_fed" });
    for (const id of ["c1", "c2"]) {
      await session.onCall({ id, tool: "look", args: {} });
      await session.onResult({ id, tool: "look" }, { parts: [{ kind: "text", text: "seen" }], outcome: "ok" });
    }
    const snapshot = session.serialise();
    await first.close();

    const second = openConduct({ agents, home, workspace: home });
    const resumed = second.session({ agent: "fed", snapshot });
    const names = (all: readonly { readonly providerName: string; readonly callIndex: number }[]) =>
      all.map((one) => `${one.providerName}@${one.callIndex}`);
    expect(names(await resumed.feedbackHistory({ provider: "two" }))).toEqual(["two@2"]);
    expect(names(await resumed.feedbackHistory({ provider: "one", limit: 1 }))).toHaveLength(1);
    expect((await resumed.feedbackHistory()).length).toBeGreaterThan(1);
    await second.close();
  });

  it("FBH-3 without a journal the history is empty", async () => {
    const conduct = openConduct({ agents, home, workspace: home, journal: false });
    expect(await conduct.session({ agent: "fed" }).feedbackHistory()).toEqual([]);
    await conduct.close();
  });
});
