import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { demoAgent } from "./demo-agent.ts";
import { openConductFromEnv } from "./open-conduct.ts";

const workspace = mkdtempSync(join(tmpdir(), "conduct-demo-agent-"));
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

describe("the built-in agent", () => {
  it("G18: the built-in agent cannot deploy before it tests and builds, or finish a release without report.md", async () => {
    const session = openConductFromEnv({ agents: [demoAgent()], workspace, journal: false }).session({ agent: "demo" });
    const call = async (id: string, tool: string) => session.onCall({ id, tool, args: {}, step: id });
    expect(await call("1", "deploy")).toMatchObject({ kind: "deny", rule: "deploy-needs-proof" });
    for (const tool of ["test", "build"]) {
      expect(await call(tool, tool)).toMatchObject({ kind: "allow" });
      await session.onResult({ id: tool, tool }, { outcome: "ok", parts: [] });
    }
    expect(await session.onStop({})).toMatchObject({ done: true });
    expect(await call("2", "deploy")).toMatchObject({ kind: "allow" });
    await session.onResult({ id: "2", tool: "deploy" }, { outcome: "ok", parts: [] });
    expect(await session.onStop({})).toMatchObject({ done: false, feedback: "Required files are missing: report.md." });
  });
});
