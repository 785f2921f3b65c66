import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { conductProgram } from "../../edge/host/node/package-files.ts";
import { findPython, runInPty } from "../../edge/host/switch/test/test-pty.ts";
import type { ModelServer } from "../../testing/test/model-server/index.ts";
import type { ConductClient } from "./client.ts";
import { shippedGateway } from "./test/shipped-gateway.ts";

/** Whole processes on a machine that others use too. */
const PATIENT = 180_000;

const model = ({ openaiUrl }: ModelServer, more = "") =>
  `{ baseUrl: "${openaiUrl}", api: openai-completions${more === "" ? "" : `, ${more}`} }`;
const CONFIG = (server: ModelServer) => `
agents:
  defaults: { tools: [{ name: shell, args: [command] }] }
  plain: { model: own/plain }
  small: { model: own/plain, limits: { window: 10_000 } }
  sized: { model: own/sized }
  old: { model: own/gpt-4 }
  risky: { model: own/plain, tools: [{ name: write_file, risk: high }] }
  never: { model: own/plain, elevation: never }
models:
  own/plain: ${model(server)}
  own/sized: ${model(server, "window: 20_000, reasoning: true, prices: { input: 1000, output: 0 }")}
  own/gpt-4: ${model(server)}
`;

let world: Awaited<ReturnType<typeof shippedGateway>>;
let uma: ConductClient;
beforeAll(async () => {
  world = await shippedGateway(CONFIG);
  uma = await world.person("uma");
}, PATIENT);
afterAll(() => world?.close());

/** Has an agent make a call for somebody. Returns what the model got back, and the journaled result. */
async function callOf(agent: string, name: string, input: Record<string, string>, say = "do it") {
  const { server, operator } = world;
  const id = await world.open(operator, agent);
  server.setScript([{ calls: [{ name, input }] }, { text: "done" }]);
  const turn = await world.say(operator, id, say);
  const sent = server.requests.at(-1)?.results.at(-1)?.text ?? "";
  const { events } = await operator.call("GET /api/sessions/{id}/events", { params: { id }, query: { limit: 50 } });
  return { id, turn, sent, events, result: events.find((event) => event.type === "result") };
}

const BIG = { command: "seq 1 300000; echo 'ERROR: the disk is full'" };

describe("truncation in the shipped gateway", () => {
  it(
    "S4G-1 a large output of shell reaches the model with its start, its end, a notice and a handle for the rest",
    async () => {
      const { id, sent, result } = await callOf("plain", "shell", BIG);
      expect(sent).toMatch(/^1\n2\n3\n/);
      expect(sent).toMatch(/\n300000\nERROR: the disk is full\n/);
      expect(sent).toMatch(/⚠️ \[Output truncated: ~\d+ tokens exceeds limit of 38400\./);
      const [, handle = "", offset = ""] = /\{"handle":"(\w+)","offset":(\d+)\}/.exec(sent) ?? [];
      expect(result).toMatchObject({ truncation: [{ limit: 38_400, strategy: "head-tail", handle }] });
      world.server.setScript([
        { calls: [{ name: "read_result", input: { handle, offset: Number(offset) } }] },
        { text: "read" },
      ]);
      await world.say(world.operator, id, "read on");
      const page = world.server.requests.at(-1)?.results.at(-1)?.text ?? "";
      const next = Number(/^\n*(\d+)\n/.exec(page)?.[1]);
      expect(sent).toContain(`\n${next - 1}\n`);
      expect(sent).not.toContain(`\n${next}\n`);
    },
    PATIENT,
  );

  it.each([
    ["limits.window", "small", 3_000],
    ["models.window", "sized", 6_000],
  ])("S4G-2 %s of conduct.yaml sets the limit of agent %s to %i tokens", async (_key, agent, limit) => {
    const { sent, result } = await callOf(agent, "shell", BIG);
    expect(sent).toContain(`exceeds limit of ${limit}.`);
    expect(result).toMatchObject({ truncation: [{ limit }] });
  });

  it("S4G-3 tokens are counted in the encoding of the called model", async () => {
    const command = { command: "printf 'नमस्ते दुनिया नमस्ते दुनिया'" };
    const counted = async (agent: string) => {
      const { turn } = await callOf(agent, "shell", command, "/verbose go");
      return Number(/\[DEBUG\] Tokens: (\d+)\n\[DEBUG\] Outcome/.exec(turn.notes?.join("\n") ?? "")?.[1]);
    };
    // o200k has words for this script, cl100k nearly spells it.
    expect(await counted("old")).toBeGreaterThan(2 * (await counted("plain")));
  });

  it("S4G-4 models.prices of conduct.yaml give the cost of a turn", async () => {
    const cost = ({ events }: Awaited<ReturnType<typeof callOf>>) =>
      events.flatMap((event) =>
        event.type === "notice" && event.notice.kind === "usage" ? [event.notice.cost ?? 0] : [],
      );
    expect(Math.max(...cost(await callOf("sized", "shell", { command: "true" })))).toBeGreaterThan(0);
    expect(Math.max(...cost(await callOf("plain", "shell", { command: "true" })))).toBe(0);
  });
});

describe("modes in the shipped gateway", () => {
  it("S4G-5 the level of /think is sent to a model with reasoning: true, and refused without it", async () => {
    const { server, operator } = world;
    for (const [agent, level, answer] of [
      ["sized", "high", "think: on, high"],
      ["plain", undefined, "think: on"],
    ] as const) {
      const id = await world.open(operator, agent);
      const alone = await world.say(operator, id, "/think high");
      expect(alone).toMatchObject({ status: "answered", answer });
      expect(alone.notes?.join()).toEqual(
        level === undefined ? expect.stringMatching(/^No thinking level/) : undefined,
      );
      server.setScript([{ text: "done" }]);
      await world.say(operator, id, "go");
      expect(server.requests.at(-1)?.thinking).toBe(level);
      expect(server.requests.at(-1)?.system).toContain("Think step-by-step");
    }
  });

  it.each([
    ["/elevated ask hi", "ask hi", "Not elevated: the text after /elevated could be a value."],
    [
      "/foo /think hi",
      "/foo /think hi",
      "/foo is not a mode and is treated as text. So /think after it had no effect.",
    ],
  ])("S4G-6 a caller that waits for %j gets the note, and the model gets %j", async (said, heard, note) => {
    const id = await world.open(world.operator, "plain");
    world.server.setScript([{ text: "done" }]);
    const turn = await world.say(world.operator, id, said);
    expect(turn.notes?.join("\n")).toContain(note);
    expect(world.server.requests.at(-1)?.lastUserText).toBe(heard);
    const { events } = await world.operator.call("GET /api/sessions/{id}/events", {
      params: { id },
      query: { limit: 50 },
    });
    expect(events.find((event) => event.type === "message")).toMatchObject({
      modes: { elevated: false, think: false },
    });
  });
});

describe("an operator elevates a user's conversation", () => {
  const write = async (id: string) => {
    world.server.setScript([
      { calls: [{ name: "write_file", input: { path: "a.txt", content: "x" } }] },
      { text: "done" },
    ]);
    const turn = await world.say(uma, id, "/verbose write it");
    return turn.notes?.find((note) => note.includes("Tool: write_file"));
  };
  const conduct = async (args: readonly string[], env: NodeJS.ProcessEnv = world.env) => {
    const child = spawn(process.execPath, [conductProgram(), ...args], { env: { ...env, COLUMNS: "80" } });
    const [out, error, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
    return { status, shown: out + error };
  };

  it(
    "S4G-7 over the API for a time, and every line of /verbose names the decision",
    async () => {
      const id = await world.open(uma, "risky");
      expect(await write(id)).toContain("[DEBUG] Decision: deny, ");
      expect(await world.say(uma, id, "/elevated on")).toMatchObject({
        answer: "elevated: off",
        notes: ["Not elevated: only an operator can elevate a session, in the console or with conduct elevate."],
      });
      const params = { id };
      await expect(
        uma.call("POST /api/sessions/{id}/elevation", { params, body: { time: "10m" } }),
      ).rejects.toMatchObject({ status: 403 });
      for (const time of ["soon", "25h", "0m"])
        await expect(
          world.operator.call("POST /api/sessions/{id}/elevation", { params, body: { time } }),
        ).rejects.toMatchObject({ status: 400, code: "BAD_TIME" });
      const modes = await world.operator.call("POST /api/sessions/{id}/elevation", { params, body: { time: "10m" } });
      expect(modes).toMatchObject({ elevated: true, elevatedBy: "user:operator" });
      expect(await write(id)).toContain("[DEBUG] Decision: allow, elevated\n");
      expect((await world.say(uma, id, "/elevated")).answer).toMatch(/^elevated: on, for another .*, by an operator$/);
      await world.operator.call("DELETE /api/sessions/{id}/elevation", { params });
      expect(await write(id)).toContain("[DEBUG] Decision: deny, ");
      const never = await world.open(uma, "never");
      await expect(
        world.operator.call("POST /api/sessions/{id}/elevation", { params: { id: never }, body: { time: "10m" } }),
      ).rejects.toMatchObject({ status: 409, code: "NEVER_ELEVATED" });
    },
    PATIENT,
  );

  it(
    "S4G-8 with conduct elevate and the operator's token, and ends it with --off",
    async () => {
      const id = await world.open(uma, "risky");
      expect(await write(id)).toContain("[DEBUG] Decision: deny, ");
      expect(await conduct(["elevate", id, "--for", "5m"])).toMatchObject({
        status: 0,
        shown: expect.stringContaining(`elevated ${id} for 5 minutes`),
      });
      expect(await write(id)).toContain("[DEBUG] Decision: allow, elevated\n");
      expect(await conduct(["elevate", id, "--off"])).toMatchObject({ status: 0 });
      expect(await write(id)).toContain("[DEBUG] Decision: deny, ");
      expect(await conduct(["elevate", "s_nobody"])).toMatchObject({ status: 1 });
      expect(await conduct(["elevate", id, "--for", "2d"])).toMatchObject({ status: 2 });
    },
    PATIENT,
  );

  it.skipIf(findPython() === undefined)(
    "S4G-9 without the token only a person who types a code at a terminal can elevate",
    async () => {
      const id = await world.open(uma, "risky");
      expect(await write(id)).toContain("[DEBUG] Decision: deny, ");
      const { CONDUCT_TOKEN: _, ...env } = world.env;
      expect(await conduct(["elevate", id], env)).toMatchObject({
        status: 1,
        shown: expect.stringContaining("it does not run in a terminal"),
      });
      expect(await write(id)).toContain("[DEBUG] Decision: deny, ");
      const line = [process.execPath, conductProgram(), "elevate", id];
      const { code, shown } = await runInPty("xterm", line, env);
      expect(shown).toContain(`elevated ${id} for 10 minutes`);
      expect(code).toBe(0);
      expect(await write(id)).toContain("[DEBUG] Decision: allow, elevated\n");
    },
    PATIENT,
  );
});
