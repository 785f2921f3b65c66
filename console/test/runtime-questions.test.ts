import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Daemon, startDaemon } from "../../src/apps/daemon/daemon.ts";
import type { JsonObject } from "../../src/base/words/json.ts";
import { daemonPlace } from "../../src/edge/host/daemon/daemon-place.ts";
import { sendHook } from "../../src/edge/host/daemon/hook-socket-client.ts";
import { projectConfigPath } from "../../src/edge/host/workspace/project-config.ts";
import { chromium, openConsole } from "./browser.ts";

const PATIENT = 120_000;

describe.skipIf(chromium === undefined)("questions of coding runtimes", { timeout: PATIENT }, () => {
  let console: Awaited<ReturnType<typeof openConsole>>;
  let daemon: Daemon;
  beforeAll(async () => {
    console = await openConsole();
    daemon = await startDaemon({ home: console.world.home });
  }, PATIENT);
  afterAll(async () => {
    await daemon?.end("the test is over");
    await console?.close();
  });

  it("INB-1 a coding runtime's question is answered in the console, the first answer wins, and one retry passes", async () => {
    const { home, client } = console.world;
    const work = join(home, "..", "work");
    mkdirSync(work);
    const file = projectConfigPath(home, work);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, "agents:\n  coding:\n    rules: [packs/coding]\n");
    const session = randomUUID();
    const verdict = async (call: string) => {
      const hook = {
        ...{ hook_event_name: "PreToolUse", session_id: session, cwd: work, tool_use_id: call },
        ...{ tool_name: "Bash", tool_input: { command: "npm publish" } },
      };
      const answer = await sendHook(daemonPlace(home).socket, hook, PATIENT);
      const { hookSpecificOutput: said } = answer as { readonly hookSpecificOutput?: JsonObject };
      return String(said?.permissionDecision ?? "allow");
    };
    expect(await verdict("c1")).toBe("deny");
    const page = await console.open("/");
    const question = page.getByRole("region", { name: /^Question:/ });
    await question.getByText("this machine").waitFor();
    await question.getByText("A yes lets one identical call pass.").waitFor();
    const { approvals } = await client.call("GET /api/approvals");
    expect(approvals).toMatchObject([{ at: "runtime", rule: "publish-asks", agent: "coding" }]);
    await question.getByRole("button", { name: "Yes, allow one retry" }).click();
    await question.waitFor({ state: "hidden" });
    const late = client.call("POST /api/approvals/{id}", {
      params: { id: String(approvals[0]?.approval) },
      body: { answer: "no" },
    });
    await expect(late).rejects.toMatchObject({ status: 404 });
    expect(await verdict("c2")).toBe("allow");
    expect(await verdict("c3")).toBe("deny");
  });
});
