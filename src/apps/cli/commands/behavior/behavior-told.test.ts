import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openConductFromEnv } from "../../../../edge/host/opening/open-conduct.ts";
import { openGovernance } from "../../../../edge/host/opening/open-governance.ts";
import { openDatabase } from "../../../../edge/stores/sql/open-database.ts";
import { defineAgent } from "../../../../engine/agent/define-agent.ts";
import type { GovernanceWorld } from "../../stores/with-contract.ts";
import { testGovernance } from "../../test/test-governance.ts";

const root = mkdtempSync(join(tmpdir(), "conduct-told-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const HOUR = 3_600_000;
const operator = { id: "1", role: "operator" } as const;
let made = 0;

/** Sessions that really ran, and the commands on the same store with their own clock. */
function world() {
  const home = join(root, String(++made));
  const at = testGovernance();
  const place = { kind: "sqlite", file: join(home, "conduct.db") } as const;
  const onDisk: Partial<GovernanceWorld> = { open: (access) => openGovernance(place, access) };
  const clock = { now: () => at.now, monotonic: () => at.now };
  const agents = ["ada", "bob"].map((name) => defineAgent({ name }));
  const conduct = openConductFromEnv({ agents, home, workspace: root, ports: { clock } });
  const turn = async (agent: string, more: { channel?: string; user?: string; text?: string; end?: true } = {}) => {
    const { text = "hello", end, ...rest } = more;
    const session = conduct.session({ agent, sender: operator, ...rest });
    await session.onMessage({ text });
    await session.onPrompt();
    if (end) session.notice({ kind: "ended" });
    return session.id;
  };
  const run = (line: string) => at.run(line, onDisk);
  return { at, place, conduct, turn, run };
}

type Told = { readonly hash: string; readonly told: { readonly runs: readonly object[] } };
const resultOf = (ran: Awaited<ReturnType<ReturnType<typeof world>["run"]>>) => {
  if (!ran.outcome.ok) throw new Error(ran.outcome.message);
  return ran.outcome.result as Told;
};

describe("what became of a contract", () => {
  it("D20: list shows how many sessions received the contract, and a hash leads to its directives and runs", async () => {
    const { conduct, turn, run } = world();
    await turn("ada", { text: "STOP: long reports" });
    const first = await turn("ada", { channel: "web", user: "ann" });
    await turn("bob");
    await conduct.close();
    const listed = resultOf(await run("behavior list"));
    expect(listed.told).toEqual({ prompts: 3, sessions: 3, lastAt: expect.any(Number) });
    const shown = await run(`behavior show --hash=${listed.hash.slice(0, 8)}`);
    expect(resultOf(shown)).toMatchObject({
      hash: listed.hash,
      directives: [{ type: "stop", text: "long reports" }],
      told: { prompts: 3, sessions: 3 },
    });
    expect(resultOf(shown).told.runs).toContainEqual(
      expect.objectContaining({ session: first, agent: "ada", channel: "web", user: "ann", version: 1, turns: 1 }),
    );
    expect(shown.said).toContain("in 3 prompts of 3 sessions");
    expect(shown.said).toContain(first);
  });

  it("D20: a hash alone identifies a contract that also has directives of an agent's own scope", async () => {
    const { conduct, turn, run } = world();
    await run('behavior add "STOP: long reports"');
    await run('behavior add "KEEP: tests first" --scope=agent:ada');
    await turn("ada", { user: "ann" });
    await conduct.close();
    const { hash } = resultOf(await run("behavior list --agent=ada"));
    const shown = resultOf(await run(`behavior show --hash=${hash}`));
    expect(shown).toMatchObject({
      view: { agent: "ada", user: "ann" },
      directives: [{ text: "long reports" }, { text: "tests first" }],
      versions: [2],
      told: { prompts: 1, runs: [{ version: 2 }] },
    });
    expect((await run("behavior show --hash=0123456789")).outcome).toMatchObject({ code: "VERSION_NOT_FOUND" });
  });

  it("D13: a change reports how many active sessions receive it: not ended, and with an event in the last hour", async () => {
    const { at, conduct, turn, run } = world();
    await turn("ada", { channel: "web" });
    at.now += HOUR;
    await turn("ada", { channel: "web", user: "ann" });
    await turn("bob", { channel: "telegram" });
    await turn("bob", { end: true });
    await conduct.close();
    at.now += 1;
    const lines = [
      ["behavior add 'STOP: long reports'", "every session (2 active)", 2],
      ["behavior add 'STOP: small talk' --scope=agent:ada", "every session of ada (1 active)", 1],
      ["behavior add 'STOP: poems' --scope=channel:telegram", "every session on telegram (1 active)", 1],
      ["behavior add 'STOP: songs' --scope=user:eve", "every session with eve (0 active)", 0],
    ] as const;
    for (const [line, said, active] of lines) {
      const ran = await run(line);
      expect(ran.said).toContain(`In force from the next turn of ${said}.`);
      expect(resultOf(ran)).toMatchObject({ active });
    }
  });

  it("D13: a change succeeds and is confirmed even if the active sessions cannot be counted", async () => {
    const { place, conduct, turn, run } = world();
    await turn("ada");
    await conduct.close();
    await run("behavior add 'STOP: jokes'");
    const { db } = await openDatabase(place);
    await db.updateTable("conduct_sessions").set({ summary: "{" }).execute();
    await db.destroy();
    expect((await run("behavior add 'STOP: long reports'")).said).toMatch(
      /In force from the next turn of every session\./,
    );
    expect(resultOf(await run("behavior list"))).toMatchObject({
      directives: [{ text: "jokes" }, { text: "long reports" }],
    });
  });

  it("D04: a change by a host whose clock is ahead appears in `show` and `diff` immediately", async () => {
    const { at, run } = world();
    await run("behavior add 'STOP: long reports'");
    at.now += HOUR;
    await run("behavior add 'STOP: small talk'");
    at.now -= HOUR;
    expect((await run("behavior show")).said).toContain("small talk");
    expect((await run("behavior diff 1")).said).toContain("+ STOP: small talk");
  });
});
