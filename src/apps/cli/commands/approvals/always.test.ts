import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { beforeEach, describe, expect, it } from "vitest";
import { conductProgram } from "../../../../edge/host/node/package-files.ts";
import { useDaemons } from "../../../daemon/test/test-daemon.ts";
import { testWorkspace } from "../../../daemon/test/test-workspace.ts";

/** Whole processes on a machine that others use too. */
const PATIENT = 180_000;
const daemons = useDaemons();
const { place, start } = daemons;
const work = testWorkspace(daemons);

beforeEach(() => {
  daemons.configure("agents:\n  coder:\n    rules: [packs/coding]\n");
  work.init();
});

/** The real program at a terminal of 80 columns, in a process that no agent started. */
async function conduct(...args: readonly string[]) {
  const env = { ...process.env, CONDUCT_HOME: place.home, COLUMNS: "80" };
  const program = spawn(process.execPath, [conductProgram(), ...args], { env });
  const [out, error, [status]] = await Promise.all([text(program.stdout), text(program.stderr), once(program, "exit")]);
  return { status, text: out + error };
}

/** The list, once something waits: the journal is a moment behind. */
async function waiting() {
  for (;;) {
    const listed = await conduct("approvals");
    if (!listed.text.includes("No call waits")) return listed;
  }
}

describe("conduct approve --always", () => {
  it(
    "ASK2-12 the program approves for the session, lists it, and ends it again",
    async () => {
      await start();
      work.write("src/price.js", "exports.price = 2;\n");
      const { permissionDecisionReason = "" } = await work.ask("git checkout src/price.js");
      const [, approval = ""] = /\((a_\w+)\)/.exec(permissionDecisionReason) ?? [];
      const listed = await waiting();
      expect(listed.text).toContain("Discards 2 changed lines in src/price.js:");
      expect(listed.text).toContain(`approve ${approval} --always`);
      expect(Math.max(...listed.text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
      const approved = await conduct("approve", approval, "--always");
      expect(approved.text).toContain("✓ always approved");
      expect(approved.text).toContain(`deny ${approval}`);
      expect((await work.ask("git checkout src/price.js")).permissionDecision).toBeUndefined();
      expect((await conduct("approvals")).text).toMatch(/always allowed in this session/);
      expect((await conduct("why", approval)).text).toContain("always");
      const ended = await conduct("deny", approval);
      expect(ended.text).toContain("✗ ended");
      expect((await conduct("approvals")).text).not.toContain(approval);
      expect((await work.ask("git checkout src/price.js")).permissionDecision).toBe("ask");
    },
    PATIENT,
  );

  it(
    "ASK2-13 a rule that asks every time says so",
    async () => {
      await start();
      const { permissionDecisionReason = "" } = await work.ask("npm publish");
      const [, approval = ""] = /\((a_\w+)\)/.exec(permissionDecisionReason) ?? [];
      expect((await waiting()).text).not.toContain("--always");
      const refused = await conduct("approve", approval, "--always");
      expect(refused.status).not.toBe(0);
      expect(refused.text).toContain("this rule asks every time");
      expect((await conduct("approve", approval)).text).toContain("✓ approved");
    },
    PATIENT,
  );

  it(
    "ASK2-14 an agent cannot answer its own question",
    async () => {
      await start();
      const { permissionDecisionReason = "" } = await work.ask("git checkout src/price.js");
      const [, approval = ""] = /\((a_\w+)\)/.exec(permissionDecisionReason) ?? [];
      const denied = await work.ask(`conduct approve ${approval} --always`);
      expect(denied.permissionDecision).toBe("deny");
    },
    PATIENT,
  );
});
