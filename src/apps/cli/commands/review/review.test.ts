import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { type TestGovernance, testGovernance } from "../../test/test-governance.ts";

/** What people said, one message a minute. */
async function said(at: TestGovernance, ...texts: readonly string[]): Promise<void> {
  const base = { v: 1, agent: "ada", run: "r", turn: 1 } as const;
  const off = { think: false, verbose: false, elevated: false } as never;
  const events = texts.flatMap((text, index): readonly ConductEvent[] => {
    const session = `web-${index + 1}`;
    const when = at.now - 3_600_000 + index * 60_000;
    return [
      {
        ...base,
        id: `o_${index}`,
        seq: 1,
        at: when,
        session,
        type: "session",
        change: "opened",
        channel: "web",
        user: "uma",
      },
      {
        ...{ ...base, id: `e_${index}`, seq: 2, at: when + 1, session, type: "message", text, modes: off },
        sender: { id: "uma", user: "uma", role: "user" },
      },
    ];
  });
  await at.events.append(events);
}

describe("conduct review", () => {
  it("RVW-10: an operator's day with run, list, show, promote and digest matches its golden text (golden)", async () => {
    const at = testGovernance();
    await said(
      at,
      "Deploy it, please.",
      "Stop sending me long status reports.",
      "I told you: please stop sending me long status reports!",
      "Why do you always run the tests first?",
      "From now on reply in German.",
    );
    let told = "";
    for (const line of [
      "review list",
      "review run --dry-run",
      "review run",
      "review run",
      "review list",
      "review show c_1",
      "behavior add 'KEEP: sending me long status reports' --scope=user:uma",
      "behavior promote c_1",
      "review list",
      "review show c_1",
      "review digest",
    ]) {
      const { said: text, code } = await at.run(line, { columns: 100 });
      told += `$ conduct ${line}\n${text.trimEnd()}\n-> ${code}\n\n`;
    }
    await expect(told).toMatchFileSnapshot("review.golden.txt");
  });

  it("RVW-11: --json returns all of a candidate, with literal evidence and its session and event", async () => {
    const at = testGovernance();
    await said(at, "Please stop sending me long status reports.");
    await at.run("review run");
    const { envelope } = await at.run("review show c_1 --json");
    expect(envelope.result).toMatchObject({
      candidate: { type: "stop", scope: "user:uma", status: "pending" },
      evidence: [
        { session: "web-1", event: "e_0", quote: expect.stringContaining("stop sending me long status reports") },
      ],
      would: { block: expect.stringContaining("STOP: ") },
    });
    expect((await at.run("review show")).outcome).toMatchObject({ code: "MISSING_CANDIDATE_ID" });
    expect((await at.run("review show c_9")).outcome).toMatchObject({ code: "CANDIDATE_NOT_FOUND" });
  });

  it("RVW-12: --file writes the digest to a file, and an agent cannot run the review", async () => {
    const folder = await mkdtemp(join(tmpdir(), "conduct-digest-"));
    try {
      const at = testGovernance();
      await at.propose("status reports at night");
      const file = join(folder, "d.md");
      expect((await at.run(`review digest --file=${file}`)).said).toContain(file);
      expect(await readFile(file, "utf8")).toContain("**c_1**");
      expect((await at.run(`review digest --file=${folder}/no/d.md`)).outcome).toMatchObject({
        code: "FILE_NOT_WRITTEN",
      });
      const inside = async () => ({ agent: "codex", sign: "CODEX" });
      expect((await at.run("review run", { inside })).outcome).toMatchObject({ code: "INSIDE_AGENT" });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("RVW-13: a dry run shows the outcome of each finding and writes nothing", async () => {
    const at = testGovernance();
    const correction = "Please stop sending me long status reports.";
    await said(at, correction);
    const before = (await at.journal.head()).seq;
    const { envelope } = await at.run("review run --dry-run --json");
    expect(envelope.result).toMatchObject({
      dryRun: true,
      findings: [{ outcome: "proposed", finding: { type: "stop" } }],
    });
    expect((envelope.result as { findings: readonly object[] }).findings[0]).not.toHaveProperty("candidate");
    expect((await at.journal.head()).seq).toBe(before);
    await at.run("behavior add 'STOP: sending me long status reports'");
    const known = await at.run("review run --dry-run");
    expect(known.said).toContain("is already known ('d_1' already says it)");
    expect(known.said).toContain("nothing was written");
  });
});
