import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { InngestTestEngine } from "@inngest/test";
import { Inngest } from "inngest";
import { afterEach, describe, expect, it } from "vitest";
import { programWorld } from "../../src/apps/gateway/lifecycle/test/test-program.ts";
import { inngestReview, REVIEW_EVENT } from "../../src/apps/learning/runners/inngest-review.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const CONFIG = `
agents:
  clerk: { tools: [] }
review: { runner: inngest, threshold: 0.1, at: "07:05", zone: Europe/London, digest: { file: digest.md } }
`;
const ALL = ["window", "find", "ask", "propose", "adherence", "finish", "digest"];

/** The shipped gateway that leaves the review to Inngest, after a person has said what they want. */
async function world() {
  const { home, start } = programWorld(closing, CONFIG);
  const { client } = await start();
  const { id } = await client.call("POST /api/sessions", { body: { agent: "clerk" } });
  const say = {
    params: { id },
    query: { wait: "true" as const },
    body: { text: "From now on give me short summaries." },
  };
  await client.call("POST /api/sessions/{id}/messages", say);
  const given = await inngestReview({ home });
  const engine = (steps: { id: string; handler: () => unknown }[] = []) =>
    new InngestTestEngine({
      function: new Inngest({ id: "test" }).createFunction(...given),
      events: [{ name: REVIEW_EVENT }],
      steps,
    });
  const candidates = async () => (await client.call("GET /api/candidates", {})).candidates;
  const runs = () => client.call("GET /api/review/runs", {});
  return { home, given, engine, candidates, runs };
}

describe("the review as an Inngest function", () => {
  it("RVW-50: the real review runs once under Inngest at the time of conduct.yaml, and the gateway shows its proposal", async () => {
    const { given, engine, candidates, runs } = await world();
    expect(given[0].triggers).toEqual([{ cron: "TZ=Europe/London 5 7 * * *" }, { event: REVIEW_EVENT }]);
    expect(await runs()).toEqual({ runs: [], total: 0 });
    const { result, error, ctx } = await engine().execute();
    expect(error).toBeUndefined();
    expect(result).toMatchObject({ messages: 1, proposed: [expect.any(String)] });
    expect(ctx.step.run.mock.calls.map(([name]: readonly unknown[]) => name)).toEqual(expect.arrayContaining(ALL));
    expect(await candidates()).toMatchObject([{ text: expect.stringMatching(/short summaries/) }]);
    expect((await runs()).runs).toHaveLength(1);
    expect((await engine().execute()).result).toBe("nothing");
  });

  it("RVW-51: a resumed run does not repeat finished steps", async () => {
    const { given, engine, candidates } = await world();
    const done = new Map<string, unknown>();
    const run = async (name: string, work: () => Promise<unknown>) => {
      if (name === "propose") throw new Error("the process was killed");
      const result = JSON.parse(JSON.stringify((await work()) ?? null));
      done.set(name, result);
      return result;
    };
    await expect(given[1]({ step: { run }, event: {} })).rejects.toThrow("killed");
    const finished = [...done].map(([id, result]) => ({ id, handler: () => result }));
    expect(finished.map(({ id }) => id)).toEqual(["window", "find", "ask"]);
    expect((await engine(finished).execute()).result).toMatchObject({ proposed: [expect.any(String)] });
    expect(await candidates()).toHaveLength(1);
  });

  it("RVW-52: a failing step is reported, and no run is recorded", async () => {
    const { home, engine, candidates, runs } = await world();
    writeFileSync(join(home, "conduct.yaml"), "agents: 7\n");
    expect((await engine().execute()).error).toMatchObject({ message: expect.stringContaining("has faults") });
    expect(await candidates()).toEqual([]);
    expect((await runs()).runs).toEqual([]);
  });
});
